"""Events of a stream, one a line, which build messages piece by piece: begun, added to, ended (AG-UI, OpenAI's Realtime API, and the like).

Comes in: the values of all lines of a file. Goes out: a chat for each conversation. Events of one id are one message: pieces (`delta`) are joined, of an
item that several events hold whole the last version counts, and what was heard (`transcript`) is what its item says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ingest.dialects.parts import first_of, id_text
from ingest.files.file_facts import stem_of
from ingest.formats.format import Decoded, Format
from ingest.formats.records.fields import CONVERSATION, Fields
from ingest.formats.records.reader import Standing, read_record
from ingest.formats.records.words import snake_case
from ingest.otlp.record import Arrival
from ingest.records.text import Json, objects_in

NAME: Final = "event_streams"
_IDS: Final = ("item_id", "tool_call_id", "message_id")
_CALL: Final = "function_call"


def claims(value: Json) -> bool:
    """Whether a value adds a piece to a message, or is about an item that has an id."""
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    return _item_of(value) is not None or (
        isinstance(value.get("delta"), str) and _id_of(_folded(value)) is not None
    )


def read(values: Sequence[Json], arrival: Arrival) -> Decoded:
    """Read all lines of a file."""
    talks: dict[str | None, dict[str, Any]] = {}
    name: str | None = None
    for own in map(_folded, objects_in(list(values))):
        session = own.get("session")
        named = Fields(own).top_text(CONVERSATION)
        name = named or id_text(first_of(session, "id")) or name
        talk = talks.setdefault(name, {"messages": {}})
        for told in objects_in([own.get("input"), session]):
            talk |= {"system": told.get("instructions"), "tools": told.get("tools")}
            for message in objects_in(told.get("messages")):
                talk["messages"].setdefault(str(message.get("id")), message)
        _take(talk["messages"], own)
    found = Decoded()
    file = stem_of(arrival.source) if arrival.facts.is_alone and len(talks) == 1 else None
    for name, talk in talks.items():
        said = list(talk["messages"].values())
        if said:
            record = {"session_id": name or file, **talk, "messages": said}
            found.add(read_record(record, arrival, Standing(source=NAME)))
    return found


def _folded(value: dict[str, Any]) -> dict[str, Any]:
    return {snake_case(key): one for key, one in value.items()}


def _item_of(own: dict[str, Any]) -> dict[str, Any] | None:
    item = own.get("item")
    return item if isinstance(item, dict) and isinstance(item.get("id"), str) else None


def _id_of(own: dict[str, Any]) -> str | None:
    return next((own[key] for key in _IDS if isinstance(own.get(key), str)), None)


def _take(items: dict[str, dict[str, Any]], own: dict[str, Any]) -> None:
    """What one event says of its message."""
    item = _item_of(own)
    if item is not None:
        known = {key: one for key, one in item.items() if one not in (None, "", [])}
        items[item["id"]] = items.get(item["id"], {}) | known
        return
    key = _id_of(own)
    if key is None:
        return
    called = own.get("tool_call_name")
    delta, heard, told = (own.get(name) for name in ("delta", "transcript", "content"))
    if told is not None and own.get("tool_call_id") == key:
        items[f"{key} result"] = {"type": f"{_CALL}_output", "call_id": key, "output": told}
    elif isinstance(called, str):
        items[key] = {"type": _CALL, "call_id": key, "name": called, "arguments": ""}
    elif isinstance(own.get("role"), str):
        items.setdefault(key, {"role": own["role"], "content": ""})
    elif isinstance(heard, str) and key in items:
        items[key]["content"] = heard
    elif isinstance(delta, str) and key in items:
        place = "arguments" if items[key].get("type") == _CALL else "content"
        if isinstance(items[key].get(place), str):
            items[key][place] += delta


FORMAT: Final = Format(
    name=NAME,
    title="a stream's events",
    keys=("type", "item", "item_id", "delta"),
    claims=claims,
    read=read,
    is_whole_file=True,
)
