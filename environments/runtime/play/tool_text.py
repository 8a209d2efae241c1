"""Tool calls written in text, for trainers that hand a policy plain text only: `<tool_call>{"name", "arguments"}</tool_call>`.

In: an opening with tool definitions; what a policy wrote; results. Out: messages of role and text only; assistant messages
in OpenAI shape. What is no JSON stays a call, so that the environment answers what was wrong. Not here: any template.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from ..task.attempt import Json
from ..values.json_text import json_or_none
from .message import requests_of, text_of

BLOCK: Final = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
NAME: Final = re.compile(r'"name"\s*:\s*"([^"]{1,200})"')
SPECIAL: Final = re.compile(r"(?:<\|[a-z_]{1,40}\|>\s*)+\Z")
THOUGHT_ENDS: Final = "</think>"
INSTRUCTIONS: Final = """You may call tools. Their definitions are JSON, one a line:
<tools>
{tools}
</tools>
To call a tool, write one block per call and nothing after the last of them:
<tool_call>
{{"name": NAME, "arguments": {{...}}}}
</tool_call>
What stands outside of such blocks is said to the user only if there is no block in your message."""

Message = Mapping[str, Json]


def text_opening(opening: Sequence[Message], tools: Iterable[Message]) -> list[dict[str, str]]:
    """The messages before the policy acts, as text, with the tools in the system message."""
    plain = list(text_messages(opening))
    definitions = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    if not definitions:
        return plain
    words = INSTRUCTIONS.format(tools=definitions)
    if plain and plain[0]["role"] == "system":
        first = {"role": "system", "content": f"{plain[0]['content']}\n\n{words}"}
        return [first, *plain[1:]]
    return [{"role": "system", "content": words}, *plain]


def text_messages(messages: Iterable[Message]) -> Iterator[dict[str, str]]:
    """Messages as role and text: calls become blocks, results come from the user's side."""
    for message in messages:
        role = str(message.get("role") or "user")
        if role == "tool":
            content = text_of(message.get("content"))
            yield {"role": "user", "content": f"<tool_response>\n{content}\n</tool_response>"}
        elif role == "assistant":
            yield {"role": role, "content": write_message(message)}
        else:
            role = "system" if role == "developer" else role
            yield {"role": role, "content": text_of(message.get("content"))}


def write_message(message: Message) -> str:
    """An assistant message as the policy would write it."""
    blocks = [
        f'<tool_call>\n{{"name": {json.dumps(request.name, ensure_ascii=False)}, '
        f'"arguments": {request.text or "{}"}}}\n</tool_call>'
        for request in requests_of(message, first=0)
    ]
    text = text_of(message.get("content"))
    return "\n".join([text, *blocks] if text else blocks)


def message_of(text: str) -> dict[str, Json]:
    """What a policy wrote as an assistant message in OpenAI shape; thoughts are not said."""
    said = SPECIAL.sub("", text.rpartition(THOUGHT_ENDS)[2])
    calls: list[Json] = [
        {"type": "function", "function": _function(block)} for block in BLOCK.findall(said)
    ]
    content = BLOCK.sub("", said) if calls else said
    if not calls:
        return {"role": "assistant", "content": content}
    return {"role": "assistant", "content": content.strip() or None, "tool_calls": calls}


def _function(block: str) -> dict[str, Json]:
    value = json_or_none(block)
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        arguments = value.get("arguments", value.get("parameters"))
        text = (
            arguments
            if isinstance(arguments, str)
            else json.dumps(arguments or {}, ensure_ascii=False)
        )
        return {"name": value["name"], "arguments": text}
    named = NAME.search(block)
    return {"name": named[1] if named else "", "arguments": block.strip()}
