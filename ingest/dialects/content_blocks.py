"""The text of a tool's result, out of the blocks that model APIs and the Model Context Protocol make of it.

Comes in: a result as parsed JSON. Goes out: what the model read of it. Pieces of text are joined, pictures and sounds
are left out, a link to a resource is its address. A result that is not made of such blocks stays as it is.
"""

from __future__ import annotations

from typing import Any, Final

from ingest.records.text import Json, json_text, type_of

_TEXT_TYPES: Final = frozenset(
    {None, "text", "input_text", "output_text", "refusal", "summary_text"}
)
_NAMED_TEXT: Final = frozenset({"text", "output_text", "input_text"})
_BESIDE_TEXT: Final = frozenset(
    {"type", "text", "block_type", "annotations", "meta", "_meta", "id"}
)
_MEDIA: Final = frozenset(
    {"image", "audio", "file", "input_image", "image_url", "input_audio", "input_file"}
)
_MEDIA_BODIES: Final = ("image", "source", "image_url", "input_audio", "file_id", "file_data")
_MEDIA_KINDS: Final = ("mimeType", "mime_type", "media_type")

_RESULT: Final = frozenset(
    {"content", "isError", "is_error", "meta", "_meta"}
    | {"structuredContent", "structured_content", "resultType", "result_type"}
)
_ONLY_A_RESULTS: Final = ("isError", "structuredContent", "structured_content", "result_type")


def blocks_text(content: Json) -> str | None:
    """A result's text: the texts of its blocks joined, whether or not they name their type; anything else as JSON."""
    if not isinstance(content, list) or not content:
        return result_text(content)
    texts = [_block_text(block) for block in content]
    if any(text is None for text in texts):
        return result_text(content)
    return "\n".join(
        text for text, block in zip(texts, content, strict=True) if text and not is_media(block)
    )


def named_blocks_text(output: Json) -> str | None:
    """The text of one block or a list of blocks that all name their type; None where it is anything else."""
    blocks = output if isinstance(output, list) else [output]
    if not blocks or not all(
        isinstance(b, dict) and isinstance(b.get("type"), str) for b in blocks
    ):
        return None
    if all(_block_text(block) is not None for block in blocks) and any(map(is_text_block, blocks)):
        return blocks_text(blocks)
    return None


def result_text(value: Json) -> str | None:
    """A tool's result as text: text parts joined, anything else as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(_is_text_part(item) for item in value):
        return "\n".join(part_text(item) or "" for item in value)
    return json_text(value)


def protocol_result(output: Json) -> dict[str, Any] | None:
    """A tool's result as the Model Context Protocol carries it; None where the object is the tool's own."""
    if not isinstance(output, dict) or not isinstance(output.get("content"), list):
        return None
    if not set(output) <= _RESULT:
        return None
    blocks = output["content"]
    told = bool(blocks) and all(_block_text(block) is not None for block in blocks)
    return output if told or any(key in output for key in _ONLY_A_RESULTS) else None


def protocol_text(result: dict[str, Any]) -> str | None:
    """The text of such a result: its blocks', else its structured form."""
    structured = result.get("structuredContent", result.get("structured_content"))
    if not result["content"]:
        return "" if structured is None else json_text(structured)
    return blocks_text(result["content"])


def is_text_block(item: Json) -> bool:
    """Whether an item is a piece of text, with its type named or not."""
    return (
        isinstance(item, dict)
        and isinstance(item.get("type"), str | None)
        and type_of(item) in _TEXT_TYPES | {"TextBlock"}
        and isinstance(item.get("text"), str)
        and set(item) <= _BESIDE_TEXT
    )


def is_media(item: Json) -> bool:
    """Whether an item is a picture, a sound or a file, as model APIs and the protocol carry them."""
    if not isinstance(item, dict) or not isinstance(item.get("type"), str):
        return False
    if item["type"] not in _MEDIA:
        return False
    if any(item.get(key) for key in _MEDIA_BODIES):
        return True
    return any(isinstance(item.get(key), str) for key in _MEDIA_KINDS)


def has_media(content: Json) -> bool:
    """Whether a result has something that is no text."""
    return isinstance(content, list) and any(is_media(item) for item in content)


def part_text(part: dict[str, Any]) -> str | None:
    """The text of a text part; None for images, files and sounds."""
    if isinstance(part.get("transcript"), str):
        return str(part["transcript"])  # of a sound, what was heard
    kind = type_of(part)
    if (kind.lower() if isinstance(kind, str) else kind) not in _TEXT_TYPES:
        return None
    found = (part.get(key) for key in ("text", "content", "refusal"))
    text = next((text for text in found if text is not None), None)
    if isinstance(text, dict):
        text = text.get("value")  # OpenAI's threads keep the text's marks beside it
    return text if isinstance(text, str) else None


def _block_text(block: Json) -> str | None:
    """What a block says; empty for a picture, None for anything that is no block."""
    if not isinstance(block, dict):
        return None
    if is_text_block(block):
        return str(block["text"])
    if is_media(block):
        return ""
    if block.get("type") == "resource_link" and isinstance(block.get("name"), str):
        return block["uri"] if isinstance(block.get("uri"), str) else None
    inside = block.get("resource") if block.get("type") == "resource" else None
    if isinstance(inside, dict) and isinstance(inside.get("uri"), str):
        text = inside.get("text")
        return text if isinstance(text, str) else inside["uri"]
    return None


def _is_text_part(item: Json) -> bool:
    return isinstance(item, dict) and type_of(item) in _NAMED_TEXT
