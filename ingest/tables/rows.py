"""Rows of a table by conversation: a message a row, a call of a tool, or a call of a model with its history.

Comes in: rows whose cells have their types. Goes out: values that readers of any JSON know: an object with its `messages`, a list of states,
a turn. Who speaks is found by the values of a column, the conversation by a column's name, the order by numbers or times.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ingest.formats.item_forms import unfolded
from ingest.formats.own_words import words_of
from ingest.formats.records.calls import lists_calls
from ingest.formats.records.fields import CONVERSATION, QUESTION, RESPONSE, SYSTEM
from ingest.formats.records.find import MESSAGE_KEYS, messages_of
from ingest.formats.records.speech import ROLE_NAMED, moment, strength
from ingest.formats.records.steps import call_of
from ingest.formats.records.words import CALL, KNOWN_AS, NAMES, role_by_truth, role_of, snake_case
from ingest.formats.records.written_calls import ARGUMENT
from ingest.records.call_names import ARGUMENTS, CALL_IDS, CALL_LISTS, RESULT_LISTS, RESULTS, TOOLS
from ingest.records.text import Json, json_bytes, json_text, load_json
from ingest.tables.cells import Row, TableError

_NUMBERED: Final = re.compile(r"([a-z_]+)_(\d{1,2})(|_[a-z_]+)")
_ENDINGS: Final = ("_json", "_text", "_raw", "_str")
_SAID: Final = NAMES["said"]
_STEP: Final = {*TOOLS, *ARGUMENTS, *RESULTS, *CALL_IDS}
_OF_MESSAGE: Final = _STEP.union(
    _SAID, NAMES["time"], NAMES["withdrawn"], CALL_LISTS, RESULT_LISTS, ("type", "error", "is_error", "status", "id")
)  # fmt: skip
"""Columns that say something of a message although each conversation may have one value in them."""
_KNOWN: Final = _OF_MESSAGE.union(RESPONSE, QUESTION, SYSTEM, MESSAGE_KEYS)
_SHORT: Final = {
    "input": "user", "in": "user", "output": "assistant", "out": "assistant",
    "c": "user", "u": "user", "h": "user", "v": "user", "a": "assistant", "b": "assistant", "s": "system", "t": "tool",
}  # fmt: skip
"""Which way a message went, and letters for who speaks, by the words that begin with them: in a column of speakers with one for either side."""
_ABOUT: Final = frozenset(
    {"session", "conversation", "conv", "convo", "thread", "chat", "dialogue", "ticket"}
)
_IDS: Final = frozenset({"id", "key", "nr", "no", "number", "uuid", "ref"})
_PLAIN_TOOLS: Final = ("tool_name", "tool", "function_name", "api_name")
_AGENT: Final = ("name", "agent", "agent_name")
_LOOKED_AT: Final = 50
_SHARING: Final = 3
"""Columns of which more than so many begin or end alike only where a store marks them."""
_MOSTLY: Final = 0.5
_NEARLY: Final = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """How rows are put together; columns by the names that readers know."""

    names: dict[str, str]
    conversation: str
    order: str | None
    """The column of numbers or times that the rows of a conversation follow."""
    time: str | None
    speaker: str | None = None
    holder: str | None = None
    """The column whose objects are the messages; without one and a speaker, each row is a state of the conversation."""
    once: frozenset[str] = frozenset()
    """Columns that say something of the conversation."""
    is_own: bool = False
    """Whether the words for who speaks and what is said are the table's own: the rows are the messages as they stand."""
    asks_apart: bool = False
    """Whether calls and their results stand in rows of their own."""


def grouping_of(sample: Sequence[Row]) -> Grouping | str:
    """How the rows of a table make conversations, or what no column says."""
    names = names_of(sample)
    rows = [renamed(row, names) for row in sample]
    keys = list(dict.fromkeys(key for row in rows for key in row))
    conversation = _conversation_in(rows, keys)
    if conversation is None:
        return "which conversation a row belongs to: call it conversation_id"
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(str(row[conversation]), []).append(row)
    time = time_in(rows, keys)
    numbers = (key for key in keys if all(_numbers(group, key, time) for group in groups.values()))
    order = next(numbers, time)
    if all(messages_of(row) is not None for row in rows[:_LOOKED_AT]):
        return Grouping(names=names, conversation=conversation, order=order, time=time)
    holders = (key for key in keys if _holds_messages([row.get(key) for row in rows]))
    speaker = speaker_in(rows, keys)
    is_said = any(key in {*_SAID, "output"} for key in keys)
    holder = None if speaker and is_said else next(holders, None)
    if holder is None and not (speaker and is_said):
        own = Grouping(names=names, conversation=conversation, order=order, time=time, is_own=True)
        if words_of([_in_order(group, own) for group in groups.values()]) is not None:
            return own
    if holder is None and speaker is None:
        return "who speaks: call it role, with user, assistant and tool in it"
    if holder is None and not is_said:
        return "what was said: call it content"
    several = {
        key
        for group in groups.values()
        for key in keys
        if len({json_text(row[key]) for row in group if key in row}) > 1
    }
    done = {key for row in rows for key, one in row.items() if lists_calls(key, one)}
    asking = (row for row in rows if _role(row, speaker) in {"assistant", CALL})
    return Grouping(
        names=names,
        conversation=conversation,
        order=order,
        time=time,
        speaker=speaker,
        holder=holder,
        once=frozenset(keys) - several - _OF_MESSAGE - {speaker, time, holder, *done},
        asks_apart=any(call_of(row) or any(map(row.get, CALL_LISTS)) for row in asking),
    )


def names_of(rows: Sequence[Row]) -> dict[str, str]:
    """Each column's name as readers know it."""
    words = _without_shared({column: snake_case(column) for row in rows for column in row})
    found: dict[str, str] = {}
    for column, word in words.items():
        short = next((word.removesuffix(end) for end in _ENDINGS if word.endswith(end)), word)
        name = KNOWN_AS.get(word) or (short if short in _KNOWN else word)
        if name in _SAID and all(isinstance(row.get(column, 0), int | float) for row in rows):
            name = f"{word}_number"  # `Message #` is nothing that somebody says
        is_free = name not in found.values() and name not in set(words.values()) - {word}
        found[column] = name if is_free else column
    return found


def _without_shared(words: dict[str, str]) -> dict[str, str]:
    """Columns without the words that all of them begin or end with, as some stores mark what is theirs."""
    for end in (0, -1):
        parts = {column: word.split("_") for column, word in words.items()}
        shared = {part[end] for part in parts.values()}
        if len(parts) > _SHARING and len(shared) == 1 and all(part[1:] for part in parts.values()):
            cut = slice(1, None) if end == 0 else slice(None, -1)
            words = {column: "_".join(part[cut]) for column, part in parts.items()}
    return words


def is_about(column: str) -> bool:
    """Whether a column says which conversation a row is part of: `conversation_id`, `support_session_ref`; a session's participant is none."""
    parts = snake_case(column).split("_")
    at = max((n for n, part in enumerate(parts) if part in _ABOUT), default=None)
    named = at is not None and _IDS.issuperset(parts[at + 1 :]) and (parts[at + 1 :] or at == 0)
    return column in CONVERSATION or bool(named)


def renamed(row: Row, names: dict[str, str]) -> Row:
    """A row under these names; an event with what its load holds."""
    own = {names.get(key, key): value for key, value in row.items()}
    return own if any(key in own for key in _SAID) else unfolded(own)


def turns_of(rows: Iterable[Row]) -> list[Row]:
    """Rows of a call each, which repeat what was asked and answered, as rows of a turn with its steps; other rows as they are."""
    turns: dict[str, Row] = {}
    for row in map(_with_numbered_steps, rows):
        step = {key: row[key] for key in _STEP.difference(QUESTION, RESPONSE) if key in row}
        if not any(key in step for key in _PLAIN_TOOLS):
            turns[str(len(turns))] = row
            continue
        own = {key: one for key, one in row.items() if key not in step}
        same = {key: own.get(key) for key in (*CONVERSATION, *QUESTION, *RESPONSE, "turn")}
        turn = turns.setdefault(json_text(same), {**own, "steps": []})
        turn |= {key: one for key, one in own.items() if key not in NAMES["time"]}
        turn["steps"].append({"result": "", **step} if step.keys().isdisjoint(RESULTS) else step)
    return list(turns.values())


def _with_numbered_steps(row: Row) -> Row:
    """A row in which the columns of several calls (`tool_2_name`) are the steps of a list."""
    steps: dict[str, Row] = {}
    rest = dict(row)
    for key in row:
        at = _NUMBERED.fullmatch(key)
        if at is not None and (name := f"{at[1]}{at[3]}") in _STEP:
            steps.setdefault(at[2], {})[name] = rest.pop(key)
    told = [
        {"result": "", **one} if one.keys().isdisjoint(RESULTS) else one for one in steps.values()
    ]
    return {**rest, "steps": told} if told else row


def conversations(rows: Iterable[Row], by: Grouping) -> Iterator[Json]:
    """The conversations of a table, each a record or a list of its states; the rows are held as text meanwhile."""
    groups: dict[str, bytearray] = {}
    for number, row in enumerate(rows, start=1):
        own = renamed(row, by.names)
        name = own.pop(by.conversation, None)
        if name is None:
            raise TableError(f"row {number} does not say which conversation it belongs to")
        groups.setdefault(str(name), bytearray()).extend(json_bytes(own) + b"\n")
    for name, held in groups.items():
        told = _in_order(_each_once(bytes(held).splitlines()), by)
        own = {"conversation_id": name}
        if by.is_own:
            yield {**own, "messages": told}
            continue
        if by.speaker is None and by.holder is None:
            began = {"started_at": told[0][by.time]} if by.time in told[0] else {}
            yield [{**row, **began, **own} for row in told]
            continue
        record = {key: row.pop(key) for row in told for key in by.once if key in row}
        messages = [one for n, row in enumerate(told) if (one := _message(row, n, by)) is not None]
        speaking = sum(any(key in row for key in (*_SAID, by.speaker)) for row in told)
        odd = {"tg": {"completeness": ["odd_messages"]}} if len(messages) < speaking else {}
        yield {**record, **odd, **own, "messages": messages}


def _each_once(lines: Sequence[bytes]) -> list[Row]:
    """The rows of a conversation; where they have ids, one that was written twice counts once."""
    once: list[Row] = [load_json(line) for line in dict.fromkeys(lines)]
    ids = [key for key in once[0] if key.rpartition("_")[2] in _IDS]
    are_named = any(len({str(row.get(key)) for row in once}) == len(once) for key in ids)
    return once if are_named else [load_json(line) for line in lines]


def _conversation_in(rows: Sequence[Row], keys: Sequence[str]) -> str | None:
    """The column that names the conversation: each row has it, and several rows have one."""
    for key in (*CONVERSATION, *filter(is_about, keys)):
        values = [str(row[key]) for row in rows if key in row]
        if len(values) == len(rows) > len(set(values)):
            return key
    return None


def _role(row: Row, speaker: str | None) -> str | None:
    told = row.get(speaker) if speaker is not None else None
    short = _SHORT.get(str(told).lower()) if speaker in NAMES["speaker"] else None
    named = role_of(told) or short if isinstance(told, str) else None
    return named or role_by_truth(speaker or "", told)


def speaker_in(rows: Sequence[Row], keys: Sequence[str]) -> str | None:
    """The column whose values are words for who speaks, a user and an agent among them."""
    told = {key: [role for row in rows if (role := _role(row, key))] for key in keys}
    sure = [key for key in keys if {"user", "assistant"} <= {*told[key]}]
    sure = [
        key for key in sure if len(told[key]) >= _MOSTLY * len(rows) and _tells_sides(rows, key)
    ]
    return max(sure, key=lambda key: (key in NAMES["speaker"], len(told[key])), default=None)


def _tells_sides(rows: Sequence[Row], key: str) -> bool:
    """Whether short words in a column, if there are any, are one for each role."""
    short = {word for row in rows if (word := str(row.get(key)).lower()) in _SHORT}
    return len({_SHORT[one] for one in short}) == len(short)


def _holds_messages(cells: Sequence[Json]) -> bool:
    """Whether most cells of a column are messages, some of which say their role in a word."""
    seen = [strength(cell) for cell in cells]
    return ROLE_NAMED in seen and sum(map(bool, seen)) > _MOSTLY * len(cells)


def time_in(rows: Sequence[Row], keys: Sequence[str]) -> str | None:
    """The column that says when a row was written: of those with the most different times the one with the plainest name."""
    times: dict[str, int] = {}
    for key in keys:
        named = key in NAMES["time"] or key.endswith(("_at", "_ts", "time"))
        values = [row.get(key) for row in rows]
        if all((named or isinstance(one, str)) and moment(one) is not None for one in values):
            times[key] = len(set(map(moment, values)))
    finest = [key for key in times if times[key] >= _NEARLY * max(times.values())]
    return min(finest, key=lambda key: (*NAMES["time"], key).index(key), default=None)


def _numbers(group: Sequence[Row], key: str, time: str | None) -> bool:
    """Whether a column counts the rows of a conversation, without a gap or in the order of their times."""
    told: dict[int, Row] = {row[key]: row for row in group if type(row.get(key)) is int}
    if len(told) < len(group) or time is None:
        return len(told) == len(group) == max(told) - min(told) + 1
    times = [moment(told[number][time]) or 0 for number in sorted(told)]
    return times == sorted(times)


def _in_order(rows: list[Row], by: Grouping) -> list[Row]:
    """Rows by number or time; those of one time as they stand, or backwards where the table begins with the newest."""
    if by.order is None:
        return rows
    read = moment if by.order == by.time else int
    places = [read(row.get(by.order) or 0) or 0 for row in rows]
    if places[0] > places[-1]:
        rows, places = rows[::-1], places[::-1]
    return [rows[n] for n in sorted(range(len(rows)), key=places.__getitem__)]


def _message(row: Row, number: int, by: Grouping) -> Row | None:
    """What a row says, in words for readers of messages: a call is an item of its own; None where nobody says anything."""
    said_at = {"timestamp": row[by.time]} if by.time in row else {}
    if by.holder is not None:
        told = row.get(by.holder)
        return {**told, **said_at} if isinstance(told, dict) else None
    role = _role(row, by.speaker)
    own = {key: one for key, one in row.items() if key != by.speaker} | said_at
    if role is None or role == "system":
        return own | {"role": role} if role else None
    if role == "user":
        own = {key: one for key, one in own.items() if key not in _AGENT}
    elif not (role == "tool" and by.asks_apart):
        given = _missing_arguments(own, role)
        if given is not None and role == "tool" and own.keys().isdisjoint(RESULTS):
            given["result"] = own.pop("content", "")
        if given is not None:
            own_id = own["id"] if isinstance(own.get("id"), str) else f"row_{number}"
            return {"tool_call_id": own_id} | own | given | {"role": "tool_call"}
    beside = ("output",) if role == "assistant" else ("output", "input")
    is_said = any(key in own for key in _SAID)
    words = None if is_said else next((own[key] for key in beside if key in own), None)
    if role == "tool":
        words = next((own[key] for key in (*_SAID, *RESULTS, *RESULT_LISTS) if key in own), "")
    return own | {"role": role} | ({} if words is None else {"content": words})


def _missing_arguments(own: Row, role: str) -> Row | None:
    """The arguments of the call that a row makes, where it makes one, as an object."""
    named = own if role != "assistant" else {k: one for k, one in own.items() if k != "name"}
    if call_of(named) is not None:
        return {}
    if not any(key in own for key in _PLAIN_TOOLS) or (role == "assistant" and "content" in own):
        return None
    text = next((own[key] for key in ARGUMENTS if isinstance(own.get(key), str)), None)
    return {"arguments": {} if text is None else {ARGUMENT: text}}
