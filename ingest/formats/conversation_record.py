"""Conversations in any JSON: records with a list of messages in them, lists and maps of such records, bare lists of messages.

Comes in: a parsed value that no other format claims. Goes out: a chat for each record. A record that cannot be read is
refused alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final

from ingest.dialects.content_blocks import blocks_text
from ingest.files.chat_log import Chat
from ingest.formats.format import Decoded, Format
from ingest.formats.records.conversation import answer_in
from ingest.formats.records.find import MESSAGE_KEYS, conversations_of, is_record, records_of
from ingest.formats.records.naming import facts_of_all
from ingest.formats.records.reader import NAME, Standing, read_record
from ingest.formats.records.speech import time_of
from ingest.formats.spans.model_calls import call_in
from ingest.formats.unknown import refuse
from ingest.otlp.record import Arrival
from ingest.records.outcome import Outcome
from ingest.records.text import Json, json_bytes

_GREETING: Final = 3
"""Words that two who never met may both say."""


def claims(value: Json) -> bool:
    """Whether a value holds conversations."""
    return is_record(value) or records_of(value) is not None


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read one record, or every record of a value that holds several."""
    records = None if is_record(value) else records_of(value)
    if records is None:
        return _rows(value, arrival) if isinstance(value, list) else read_record(value, arrival)
    found = Decoded()
    named = list(zip(records.items, records.keys, strict=True))
    # Some calls come to nothing.
    are_calls = 2 * sum(call_in(item) is not None for item, _ in named) > len(named)
    named = list(_fullest(named)) if are_calls else named
    if not arrival.facts.numbered_by:
        arrival = replace(arrival, facts=facts_of_all(arrival.facts, lambda: named))
    for number, (item, key) in enumerate(named, start=1):
        place = arrival.nth(number)
        if is_record(item):
            found.add(read_record(item, place, Standing(around=records.around, key=key)))
        else:
            found.rejected.append(refuse(item, place))
    found.chats = list(_without_beginnings(found.chats, by_task=are_calls))
    found.chats = list(_without_simulators(found.chats)) if are_calls else found.chats
    return found


def _fullest(named: Sequence[tuple[Json, str | None]]) -> Iterator[tuple[Json, str | None]]:
    """The records without calls to a model that another one goes on from: it repeats what was sent, and the text that was answered, perhaps with a mark that ends it."""
    calls = [call_in(item) for item, _ in named]
    went_on: dict[bytes, list[str]] = {}
    whole: list[bytes] = []
    for call in calls:
        messages, digest = call.request.get("messages") if call else None, sha256()
        for one in messages if isinstance(messages, list) else ():
            text = blocks_text(one.get("content")) if isinstance(one, dict) else None
            went_on.setdefault(digest.digest(), []).append(text or "")
            digest.update(json_bytes(one))
        whole.append(digest.digest())
    for pair, call, said in zip(named, calls, whole, strict=True):
        made = answer_in(call.response) if call else []
        texts = [one["content"] for one in made if not one.get("tool_calls")]
        told = went_on.get(said, []) if texts and len(texts) == len(made) else []
        if not any(one.startswith("".join(filter(None, texts))) for one in told):
            yield pair


def _without_simulators(chats: Sequence[Chat]) -> Iterator[Chat]:
    """The chats without those of a model that plays the user: what it says, the user says to an agent that works at the same task."""
    works = [any(step.tool_calls for step in chat.episode.steps) for chat in chats]
    told: dict[str | None, dict[str, set[str | None]]] = {}
    for chat, acts in zip(chats, works, strict=True):
        if acts and chat.episode.task_key is not None:
            by_role = told.setdefault(chat.episode.task_key, {"user": set(), "assistant": set()})
            for role, texts in by_role.items():
                texts.update(_texts(chat, role))
    for chat, acts in zip(chats, works, strict=True):
        by_role = told.get(chat.episode.task_key, {})
        if acts or not by_role or not _is_mirrored(chat, by_role):
            yield chat


def _is_mirrored(chat: Chat, told: dict[str, set[str | None]]) -> bool:
    """Whether what a chat's model says users said elsewhere, and a sentence or more than one text is in common: a greeting alone tells nothing."""
    heard, said = {*_texts(chat, "user")}, _texts(chat, "assistant")
    # Its last word ends the run, and reaches nobody.
    plays = {*(said[:-1] or said)}
    if not plays <= told["user"] or plays & heard:
        return False
    shared = (plays | (heard & told["assistant"])) - {None}
    return bool(plays) and len(" ".join(map(str, shared)).split()) > _GREETING


def _texts(chat: Chat, role: str) -> list[str | None]:
    return [step.content for step in chat.episode.steps if step.role == role]


def _without_beginnings(chats: Sequence[Chat], *, by_task: bool) -> Iterator[Chat]:
    """The chats without those that only repeat how another of the same conversation, or of calls to a model of the same task, began."""
    by_name: dict[str, list[Chat]] = {}
    for chat in chats:
        name = chat.episode.task_key if by_task else None
        by_name.setdefault(name or chat.episode.episode_id, []).append(chat)
    for same in by_name.values():
        kept: dict[int, tuple[list[object], dict[str, Outcome]]] = {}
        for place, chat in sorted(enumerate(same), key=lambda one: -len(one[1].episode.steps)):
            own = chat.episode.steps
            steps: list[object] = [
                (s.role, s.content, *(c.arguments for c in s.tool_calls)) for s in own
            ]
            outcomes = {one.outcome_id: one for one in chat.outcomes}
            whole = next((n for n, (said, _) in kept.items() if said[: len(steps)] == steps), None)
            if whole is None:
                kept[place] = (steps, outcomes)
            elif same[whole].episode.episode_id == chat.episode.episode_id:
                kept[whole][1].update(outcomes | kept[whole][1])
        for place, (_, told) in sorted(kept.items()):
            yield replace(same[place], outcomes=tuple(told.values()))


def _rows(items: list[Any], arrival: Arrival) -> Decoded:
    """A list of messages: one conversation, or several whose rows name theirs."""
    found = Decoded()
    by_name = conversations_of(items)
    for name, rows in by_name.items():
        if name is None and len(by_name) == 1:
            return read_record(items, arrival)
        named = {} if name is None else {"conversation_id": name}
        found.add(
            read_record(
                {**named, "messages": _by_time(rows) if named else rows},
                replace(arrival, text=None),
            )
        )
    return found


def _by_time(rows: list[Any]) -> list[Any]:
    """Rows of a database, which stand in any order, by their times where each has one."""
    timed = all(isinstance(row, dict) and time_of(row) for row in rows)
    return sorted(rows, key=lambda row: time_of(row) or 0) if timed else rows


def records_in(values: Iterable[Json]) -> Iterator[tuple[Json, str | None]]:
    """The records of a file, one a line or one a part, each with its name in a map."""
    return (record for value in values for record in _records_by_name(value))


def _records_by_name(value: Json) -> Iterable[tuple[Json, str | None]]:
    if is_record(value):
        return [(value, None)]
    records = records_of(value)
    return zip(records.items, records.keys, strict=True) if records else ()


FORMAT: Final = Format(
    name=NAME,
    title="conversations with messages of any shape",
    keys=MESSAGE_KEYS[:6],
    claims=claims,
    read=read,
    takes_mapping=True,
)
