"""Spellings of one message: what serialisers and frameworks do to a message, undone before anybody asks what it says.

Comes in: an item of a list of messages. Goes out: the messages that it stands for, in the forms that `records.speech` knows. Keys in
capitals, parts that name their kind under another key or stand one below their name, content kept as JSON text, parts that each have
a speaker of their own, answers that stand inside the message which they answer.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

from ingest.dialects.parts import first_of
from ingest.files.partial_json import parse_json
from ingest.formats.records.words import CALL, NAMES, role_by_truth, role_of, snake_case
from ingest.records.call_names import ARGUMENTS, CALL_IDS, RESULTS, TOOLS
from ingest.records.text import Json, json_text, objects_in

_KINDS: Final = ("part_kind", "block_type", "$type")
"""Keys other than `type` under which a part says what it is."""
_PARTS: Final = ("content", "parts", "items", "blocks", "contents")
_SPEAKERS: Final = ("role", "from", "speaker", "sender", "author")
_KNOWN: Final = frozenset(NAMES["keys_of_parts"])
_VALUES: Final = frozenset(
    {"arguments", "result", "metadata", *("inner_content", "output", "input")}
)
"""Keys whose values are an app's own: their keys stay as they are."""
_OUTCOMES: Final = ({"status", "value"}, {"status", "error"})
"""The keys of an object in which a serialiser keeps a value, or the error that came in its place."""
_CALLED: Final = ("tool_call", "toolCall")
_RETURNED: Final = ("tool_call_result", "tool_result", "toolResult")
_RESULT_KEYS: Final = frozenset({*RESULTS, *CALL_IDS, "content"})
_BESIDE: Final = ("tool_call_id", "name", "tool_calls")
_OF_MESSAGE: Final = frozenset({*_BESIDE, "content", "role", "refusal", "function_call"})
_ANSWERS: Final = "children"
_LOGGED: Final = ("msg", "message")
"""Where loggers say in a word what happened; elsewhere it is what somebody says."""
_LOADS: Final = ("data", "meta", "context", "extra", "fields", "payload", "jsonPayload")
"""Where loggers and tables of events put what belongs to an event."""
WRAPPED: Final = "jsonPayload"
"""What Google's logs call the whole line of the application's logger."""
_NO_LOG: Final = (*_SPEAKERS, "type", "event", "name")
_WORDS_OF_EVENT: Final = 3
_DETAILS_BEGIN: Final = '<details type="'
_DETAILS: Final = re.compile(r'<details type="(\w+)"([^>]*)>.*?</details>', re.DOTALL)
_ATTRIBUTE: Final = re.compile(r'(\w+)="([^"]*)"')
_WRAPPED: Final = re.compile(r"\s*<(\w+)>\n?(.*?)\n?</\1>\s*", re.DOTALL)
_DEEPEST: Final = 24
_LONGEST_TURN: Final = 100_000

Item = dict[str, Any]


def plain_items(item: Item) -> Iterator[Item]:
    """The messages that an item stands for; the item itself where it has none of these spellings."""
    if _is_plain(item):
        yield item
        return
    waiting: Item | None = item
    for _ in range(_LONGEST_TURN):
        if waiting is None:
            return
        below = waiting.get(_ANSWERS)
        yield from _parted(_plain_item(waiting))
        # Of several answers to one message the last is the one that was kept.
        inner = below[-1] if isinstance(below, list) and below else None
        waiting = inner if isinstance(inner, dict) else None


def first_plain(item: Item) -> Item:
    """The first of these messages, to tell what the item is."""
    return item if _is_plain(item) else next(_parted(_plain_item(item)), item)


def _is_plain(item: Item) -> bool:
    """Whether nothing of an item can be in one of these spellings, told fast: most messages are asked several times."""
    content = item.get("content")
    if isinstance(content, str):
        known = content[:1] != "{" and _DETAILS_BEGIN not in content
    else:
        known = content is None and not any(key in item for key in _PARTS[1:])
    return (
        known
        and _ANSWERS not in item
        and not next(iter(item), "")[:1].isupper()
        and event_in(item) is None
        and WRAPPED not in item
        and _role_by_type(item) is None
    )


def _role_by_type(item: Item) -> str | None:
    """What the agent's message is, where its type says that it is a call or what came of one: other logs have roles for these. Or whose it is, by a truth."""
    if not any(key in item for key in _NO_LOG):
        told = (role_by_truth(k, one) for k, one in item.items() if isinstance(one, bool))
        return next(filter(None, told), None)
    kind = item.get("type")
    if not isinstance(kind, str) or not isinstance(item.get("content"), str):
        return None
    by_agent = role_of(str(item.get("role"))) == "assistant"
    return kind if by_agent and role_of(kind) in {CALL, "tool"} else None


def _inner_message(item: Item) -> Item:
    """A message with what its content holds beside it, where that is the message in the words of a model's API."""
    inner = item.get("content")
    if not isinstance(inner, dict) or "role" not in item or "content" not in inner:
        return item
    is_result = role_of(str(item["role"])) == "tool"
    told = _OF_MESSAGE.issuperset(inner) and (not is_result or "tool_call_id" in inner)
    return {**item, **inner} if told else item


def _plain_item(item: Item) -> Item:
    if item and all(isinstance(key, str) and key[:1].isupper() for key in item):
        item = _in_lower_case(item)
    item = _inner_message(item)
    item = {**item, "role": kind} if (kind := _role_by_type(item)) is not None else item
    item = unfolded(item) if WRAPPED in item else item
    event = event_in(item)
    if event is not None:
        told = {key: one for key, one in unfolded(item).items() if key not in _LOGGED}
        item = {snake_case(key): one for key, one in told.items()} | {"event": event}
    key = next((one for one in _PARTS if item.get(one)), None)
    if key is None:
        return item
    head = item.get("info")
    if isinstance(head, dict) and "role" in head and "role" not in item:
        item = {**head, **item}
    # A text that others than the agent and its user send is what it is.
    role = role_of(str(item.get("role"))) if "role" in item else None
    is_result = isinstance(item[key], str) and role in {"tool", "system"}
    parts = None if is_result else _parts_of(item[key])
    if role == "user" and parts:
        kept = list(_unwrapped(parts))
        # What a client wrote as a whole is its prompt.
        item, parts = (item, kept) if kept else ({**item, "role": "system"}, parts)
    if parts is None or not any(map(_is_odd, parts)):
        return item if parts == item[key] or parts is None else {**item, key: parts}
    beside = item.get("additional_kwargs")
    extra = beside if isinstance(beside, dict) else {}
    told = {k: extra[k] for k in _BESIDE if extra.get(k) and not item.get(k)}
    rest = {k: v for k, v in item.items() if k != key}
    return {**told, **rest, "content": [_plain_part(one) for one in parts if not _is_mark(one)]}


def event_in(item: Item) -> str | None:
    """What happened, in the words of an app's own logger, where it says who speaks or that a tool is called; None of any other item."""
    told = next((item[key] for key in _LOGGED if isinstance(item.get(key), str)), "")
    if len(told.split("_")) + len(told.split()) < _WORDS_OF_EVENT or any(map(item.get, _NO_LOG)):
        return None
    return told if role_of(told) is not None else None


def unfolded(item: Item) -> Item:
    """An event with what its load holds beside what is said of the event itself; the load may be a logger's line with its own."""
    for _ in range(2):
        loads = {key: item[key] for key in _LOADS if isinstance(item.get(key), dict)}
        own = {key: one for key, one in item.items() if key not in loads}
        item = {key: one for part in (*loads.values(), own) for key, one in part.items()}
    return item


def _unwrapped(parts: list[Any]) -> Iterator[Json]:
    """A user's parts without the tags that their client put around them, and without those that it wrote itself."""
    for part in parts:
        text = part.get("text") if isinstance(part, dict) else None
        found = _WRAPPED.fullmatch(text) if isinstance(text, str) else None
        if found is None or found[1] not in {*NAMES["wrappers"], *NAMES["contexts"]}:
            yield part
        elif found[1] in NAMES["wrappers"]:
            yield {**part, "text": found[2]}


def _page_parts(text: str) -> Iterator[Item]:
    """The parts of a text into which a page wrote calls with their results, and thoughts, as blocks that fold."""
    place = 0
    for found in _DETAILS.finditer(text):
        yield from _text_part(text[place : found.start()])
        place = found.end()
        own = {key: html.unescape(value) for key, value in _ATTRIBUTE.findall(found[2])}
        if found[1] == "tool_calls" and own.get("name"):
            told = _json_of(own["result"]) if own.get("result") else None
            given = _json_of(own.get("arguments", ""))
            yield _call({**own, "arguments": given, "result": told})
        elif found[1] == "reasoning":
            yield {"type": "reasoning"}
    yield from _text_part(text[place:])


def _text_part(text: str) -> Iterator[Item]:
    if text.strip():
        yield {"type": "text", "text": text.strip()}


def _json_of(text: str) -> Json:
    read = parse_json(text)
    return text if read is None else read.value


def holds_parts(content: Json) -> bool:
    """Whether a text is JSON of an object with a message's parts, or parts stand in their client's tags."""
    if isinstance(content, list):
        return list(_unwrapped(content)) != content
    return isinstance(content, str) and _parts_of(content) is not None


def _in_lower_case(value: Json, deep: int = 0) -> Json:
    """An object of a serialiser that writes all keys in capitals, in lower case; an app's own values stay."""
    if isinstance(value, list):
        return [_in_lower_case(one, deep + 1) for one in value]
    if not isinstance(value, dict) or deep > _DEEPEST:
        return value
    folded = {(k if k.startswith("$") else snake_case(k)): v for k, v in value.items()}
    return {k: v if k in _VALUES else _in_lower_case(v, deep + 1) for k, v in folded.items()}


def _parts_of(content: Json) -> list[Any] | None:
    """The parts of a content, also where they stand in an object, in one that was stored as JSON text, or in a page's blocks."""
    if isinstance(content, str) and _DETAILS_BEGIN in content:
        return list(_page_parts(content))
    if isinstance(content, str) and content.startswith("{"):
        read = parse_json(content)
        content = read.value if read else None
    if isinstance(content, dict) and isinstance(content.get("content_type"), str):
        return _parts_of_kind(content)
    if isinstance(content, dict):
        inner = content.get("parts")
        known = isinstance(inner, list) and all(
            isinstance(one, dict) and not _KNOWN.isdisjoint(one) for one in inner
        )
        return inner if known else None
    return content if isinstance(content, list) else None


def _parts_of_kind(content: Item) -> list[Any]:
    """The parts of a content that says as a whole what it is: texts, objects of other media, what the agent thought."""
    if content["content_type"].startswith(("thought", "reasoning")):
        return [{"type": "reasoning"}]
    listed = content.get("parts")
    parts = listed if isinstance(listed, list) else [first_of(content, "text", "result")]
    texts = [{"type": "text", "text": one} if isinstance(one, str) else one for one in parts if one]
    # What was heard stands as text beside the sound; a picture's address is nothing that anybody says.
    return [
        {"type": "text", "text": one["text"]}
        if isinstance(one.get("text"), str)
        else {"type": "file", "source": one}
        for one in objects_in(texts)
    ]


def _is_odd(part: Json) -> bool:
    return isinstance(part, dict) and (
        ("type" not in part and any(isinstance(part.get(key), str) for key in _KINDS))
        or any(isinstance(part.get(key), dict) for key in (*_CALLED, *_RETURNED) if key != "toolResult" or "type" in part)
        or _has_state(part)
    )  # fmt: skip


def _is_mark(part: Json) -> bool:
    """Whether a part only says that a step of the agent began or ended."""
    return isinstance(part, dict) and str(part.get("type")).startswith(("step-", "step_"))


def _has_state(part: Item) -> bool:
    """Whether a part is a call whose arguments and result stand in an object that says how far it is."""
    state = part.get("state")
    return isinstance(state, dict) and "status" in state and first_of(part, *TOOLS) is not None


def _plain_part(part: Json) -> Json:
    if not _is_odd(part):
        return part
    if _has_state(part):
        return _call({"result": part["state"].get("error"), **part, **part["state"]})
    for keys, read in ((_CALLED, _call), (_RETURNED, _result)):
        inner = next((part[key] for key in keys if isinstance(part.get(key), dict)), None)
        if inner is not None and set(inner) in _OUTCOMES:
            return read(_of_outcome(inner, part.get("id")))
        if inner is not None and keys == _RETURNED and part.get("type") in keys:
            own = {k: v for k, v in part.items() if k not in keys}
            inner = {**own, "content": inner} if _RESULT_KEYS.isdisjoint(inner) else inner
        if inner is not None:
            return read(inner)
    return _part_of_kind(part)


def _of_outcome(inner: Item, identity: Json) -> Item:
    """A call or a result out of an object that holds a value, or an error in its place, under the id beside that object."""
    told = inner.get("value", inner.get("error"))
    if isinstance(told, dict) and "error" not in inner:
        return {"id": identity, **told}
    return {"id": identity, "content": told, "is_error": "error" in inner}


def _part_of_kind(part: Item) -> Item:
    """A part that says what it is under a key of its own."""
    word = next((part[key] for key in _KINDS if isinstance(part.get(key), str)), "")
    kind = snake_case(word.rpartition(".")[2]).removesuffix("_content")
    role = role_of(kind)
    if role == CALL:
        return _call(part)
    is_retry = kind.startswith("retry") and first_of(part, *TOOLS) is not None
    if role == "tool" or is_retry:
        return _result({**part, "error": True} if is_retry else part)
    if role in {"user", "system"} or kind == "text":
        said = first_of(part, "text", "content")
        text = said if isinstance(said, str) else json_text(said)
        return {"type": "text", "text": text, "by": role}
    return {**part, "type": kind}


def _call(call: Item) -> Item:
    """A call, with its result inside where it has one."""
    own = {snake_case(key): one for key, one in call.items()}
    plain = {"id": first_of(own, *CALL_IDS, "id"), "name": first_of(own, *TOOLS)}
    given = first_of(own, *ARGUMENTS, "tool_kwargs")
    told = first_of(own, *RESULTS)
    if told is not None and own.get("progress") != 0:
        return {"type": "tool", "toolInvocation": {**plain, "args": given, "result": told}}
    return {"type": "tool_call", **plain, "arguments": {} if given is None else given}


def _result(result: Item) -> Item:
    own = {snake_case(key): one for key, one in result.items()}
    origin = own.get("origin")
    asked = origin if isinstance(origin, dict) else own
    return {
        "type": "tool_result",
        "id": first_of(asked, *CALL_IDS, "id"),
        "name": first_of(asked, *TOOLS),
        "content": first_of(own, *RESULTS, "content"),
        **({"is_error": True} if own.get("error") or own.get("is_error") is True else {}),
    }


def _parted(item: Item) -> Iterator[Item]:
    """One message for each run of parts that one speaker says, where the parts say it and the item does not."""
    parts = item.get("content")
    told = isinstance(parts, list) and any(isinstance(p, dict) and p.get("by") for p in parts)
    returned = isinstance(parts, list) and any(map(_speaker, parts))
    if any(key in item for key in _SPEAKERS) or not (told or returned):
        yield _without_marks(item)
        return
    rest = {k: v for k, v in item.items() if k not in {"content", "parts", "kind"}}
    for role, run in groupby(parts or (), key=_speaker):
        yield _without_marks({**rest, "role": role or "assistant", "content": list(run)})


def _speaker(part: Json) -> str | None:
    if not isinstance(part, dict):
        return None
    return "tool" if part.get("type") == "tool_result" else part.get("by")


def _without_marks(item: Item) -> Item:
    parts = item.get("content")
    if not isinstance(parts, list) or not any(isinstance(p, dict) and "by" in p for p in parts):
        return item
    plain = [{k: v for k, v in p.items() if k != "by"} if isinstance(p, dict) else p for p in parts]
    return {**item, "content": plain}
