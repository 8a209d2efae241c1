"""Records of one turn each: what was asked, what was done about it, what was answered, and the conversation that all of it belongs to.

Comes in: a list of such records, or all lines of a file of them. Goes out: a chat for each conversation, its turns in order. A list in which
every record has a conversation of its own is none of these: `conversation_record` reads it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from ingest.dialects.parts import first_of
from ingest.formats.format import Decoded, Format
from ingest.formats.records.fields import CONVERSATION, QUESTION, RESPONSE, STARTED, Fields
from ingest.formats.records.find import are_messages, is_record
from ingest.formats.records.reader import Standing, read_record
from ingest.formats.records.speech import moment
from ingest.formats.records.steps import AgentStep, numbered_items, step_in
from ingest.formats.records.words import NAMES, role_of, snake_case
from ingest.otlp.record import Arrival
from ingest.records.moments import to_text
from ingest.records.text import Json, objects_in

NAME: Final = "turn_records"
_NAMED: Final = (*CONVERSATION, "session")
_LOOKED_AT: Final = 50
_REASONING: Final = NAMES["reasoning"]

Row = dict[str, Any]


def claims(value: Json) -> bool:
    """Whether a value is a list of turns, of which several are one conversation's."""
    rows = turns_in(value)
    named = Counter(conversation_of(row) for row in rows)
    several = len(named) < len(rows) and _differ(rows)
    return several or (bool(_working_keys(rows[:_LOOKED_AT])) and not is_record(value))


def turns_in(value: Json) -> list[Row]:
    """The turns of a value; none where something else stands among the first of them."""
    listed = value if isinstance(value, list) else _only_list(value)
    rows = objects_in(listed)
    return rows if all(map(_is_turn, rows[:_LOOKED_AT])) else []


def _only_list(value: Json) -> Json:
    lists = (
        [one for one in value.values() if isinstance(one, list)] if isinstance(value, dict) else []
    )
    return lists[0] if len(lists) == 1 else None


def _is_turn(row: Row) -> bool:
    if conversation_of(row) is None or not _question(row) or "messages" in row:
        return False
    return any(isinstance(row.get(key), str) for key in RESPONSE if key in row)


def conversation_of(row: Row) -> str | None:
    """The id of the conversation that a turn is part of."""
    return Fields(row).top_text(_NAMED)


def _differ(rows: Sequence[Row]) -> bool:
    """Whether something else is asked in each turn; several answers to one question are attempts at it."""
    asked = {(conversation_of(row), _question(row)) for row in rows}
    return len(asked) > len({conversation_of(row) for row in rows})


def _question(row: Row, names: Sequence[str] = QUESTION) -> str | None:
    return next((row[key] for key in names if isinstance(row.get(key), str) and row[key]), None)


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read every conversation of a list of turns."""
    by_name: dict[str, list[Row]] = {}
    for row in turns_in(value):
        name = conversation_of(row)
        if name is not None:
            by_name.setdefault(name, []).append(row)
    found = Decoded()
    for name, rows in by_name.items():
        record = _record(name, _in_order(rows))
        if is_record(record):
            standing = Standing(source=NAME)
            found.add(read_record(record, replace(arrival, text=None), standing))
    return found


def _in_order(rows: list[Row]) -> list[Row]:
    """Turns in the order of their times, where each has one of its own."""
    times = [_time(row) for row in rows]
    if None in times or len(set(times)) < len(rows):
        return rows
    return sorted(rows, key=lambda row: _time(row) or 0)


def _time(row: Row) -> int | None:
    return next((time for key in STARTED if (time := moment(row.get(key))) is not None), None)


def _record(name: str, rows: list[Row]) -> Row:
    """One conversation: its messages, and what its turns say beside them, the last one's word before the others'."""
    beside: Row = {}
    for row in rows:
        told = {k: one for k, one in row.items() if one not in (None, []) and k not in _NAMED}
        beside |= {key: one for key, one in told.items() if not (key in STARTED and key in beside)}
    for key in (*QUESTION, *RESPONSE, *_working_keys(rows)):
        beside.pop(key, None)
    for key in [key for key, one in beside.items() if are_messages(one)]:
        # What a model was sent in one turn; of it only the prompt is nowhere else.
        for first in objects_in(beside.pop(key))[:1]:
            if role_of(str(first.get("role"))) == "system":
                beside["system_prompt"] = first_of(first, "text", "content")
    messages = [message for row in rows for message in _messages(row)]
    return {**beside, "conversation_id": name, "messages": messages}


def _working_keys(rows: list[Row]) -> set[str]:
    return {key for row in rows for key, one in row.items() if _items(one)}


def _items(value: Json) -> list[Row]:
    """The steps that a value lists, or numbers: of each at least one calls a tool."""
    items = numbered_items(value) if isinstance(value, dict) else objects_in(value)
    return items if any(step_in(item) is not None for item in items) else []


def _messages(row: Row) -> Iterator[Row]:
    at = _time(row)
    said = {} if at is None else {"timestamp": to_text(at)}
    answer = _question(row, RESPONSE) or ""
    yield {"role": "user", "content": _question(row), **said}
    items = next((items for one in row.values() if (items := _items(one))), [])
    # Where the last thought is the answer, or all of them make it up, thoughts are what the agent says.
    alone = [_thought(item) or "" for item in items if step_in(item) is None]
    whole = "".join(_thought(item) or "" for item in items)
    speaks = answer in {*alone, whole}
    for item in items:
        step = step_in(item)
        if step is not None:
            yield from _step(step, item, speaks=speaks)
    if last := "".join(alone) if answer == whole else answer:
        yield {"role": "assistant", "content": last, **said}


def _step(step: AgentStep, item: Row, *, speaks: bool) -> Iterator[Row]:
    thought = _thought(item)
    kept = {} if speaks or thought is None else {"thought": thought}
    content = thought if speaks else None
    yield {"role": "assistant", "content": content, "tool_calls": step.calls, **kept}
    for result in step.results:
        yield {"role": "tool", **result}


def _thought(item: Row) -> str | None:
    own = {snake_case(key): one for key, one in item.items()}
    said = next((own[key] for key in _REASONING if isinstance(own.get(key), str)), None)
    return said or None


FORMAT: Final = Format(
    name=NAME,
    title="turns of conversations",
    keys=("conversation_id", "query", "answer"),
    claims=claims,
    read=read,
    takes_mapping=True,
)

LINES: Final = replace(FORMAT, name=f"{NAME}_lines", is_whole_file=True, is_sure=False)
"""The same with one turn a line."""
