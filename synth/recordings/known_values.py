"""What one episode lets anybody know: what its user said, and the records that were read or can be read in its world.

In: a recorded attempt, and for a request nobody resolved the world at its start. Out: texts, ids and records, from which
arguments are bound (`bindings`). A record is read again only with ids that the user said or other records hold.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from itertools import combinations, pairwise
from typing import Final, Protocol

from environments.runtime.checks.view import text_of
from environments.runtime.task.attempt import UNKNOWN, Json, ToolResult
from environments.runtime.values.consent import agrees, asks_consent
from environments.verification.readable_values import leaves_of
from synth.recordings.attempt import EpisodeAttempt
from synth.recordings.tool_kinds import READ, WRITE, ToolKinds
from synth.tool_content import held_value

TOKEN: Final = re.compile(r"(?<![\w#@$&*/.+-])[#@$&*]?[^\W_](?:[\w./+-]*[^\W_])?")
"""A token of a text, with the mark that many ids start with (`#1001`) and what may stand inside one (`26/1001`)."""
MARKS: Final = "#@$&*"
RUN: Final = re.compile(r"[^\W_]+")
CAPITALS: Final = re.compile(r"[A-Z]+[0-9]+")
NUMBER: Final = re.compile(r"(?<![\w.])\d+\.\d+(?![\w.])")
SPACES: Final = re.compile(r"[\s_-]+")
ID_LENGTH: Final = 4
DAY: Final = 86_400 * 10**9
MOST_READS: Final = 40
"""Reads made to complete what an episode knows."""
MOST_TEXTS: Final = 50_000
"""Texts whose outline is remembered: records of one app hold the same ones again and again."""
MOST_DATES: Final = 6
"""Dates of a record of which the days between any two are compared."""


Features = dict[str, str | float]
"""Fields by tool and path; dates as days before the episode."""


class Reader(Protocol):
    """The backend at an episode's start."""

    def call(self, name: str, arguments: Mapping[str, Json]) -> ToolResult:
        """Answer one call."""
        ...


@dataclass(frozen=True)
class Record:
    """One answer of a reading tool."""

    tool: str
    arguments: Mapping[str, Json]
    value: Json

    @cached_property
    def leaves(self) -> tuple[tuple[Path, Json], ...]:
        """Every scalar of the answer with its path; kept, as every source is tried on it."""
        return tuple(leaves_of(self.value))


@dataclass(frozen=True, slots=True)
class HeardText:
    """What the user said, or said yes to."""

    text: str
    """Comparable with values."""
    by_user: bool


@dataclass(frozen=True, eq=False)
class KnownValues:
    """Texts and records of one episode."""

    said: tuple[str, ...]
    """The user's turns, in order."""
    subject: str | None
    started_at: int
    records: tuple[Record, ...]
    agreed: bool | None = None
    """Whether the user agreed when asked to; None where they were not asked."""
    at_once: bool | None = None
    """Whether they agreed the first time they were asked."""
    heard: tuple[HeardText, ...] = ()
    """The user's turns and the questions that they said yes to, in order."""

    @property
    def opening(self) -> str:
        """What the user said first."""
        return self.said[0] if self.said else ""

    @cached_property
    def ids(self) -> tuple[tuple[str, ...], ...]:
        """Per user turn, the ids in it."""
        return tuple(tuple(ids_in(text)) for text in self.said)

    @cached_property
    def features(self) -> Features:
        """Scalar fields of the records that the user's words name, and whether the user agreed."""
        return _features_of(self)

    @cached_property
    def plain_turns(self) -> tuple[str, ...]:
        """The user's turns, comparable with values."""
        return tuple(plain_text(text) for text in self.said)

    @cached_property
    def meant_texts(self) -> tuple[HeardText, ...]:
        """What the user said or agreed to."""
        return self.heard or tuple(HeardText(text, by_user=True) for text in self.plain_turns)


@dataclass(frozen=True, slots=True)
class Example:
    """One argument of a resolved call."""

    known: KnownValues
    value: Json
    others: tuple[Json, ...]
    """The call's other arguments: they name the records that it is about."""


def _features_of(known: KnownValues) -> Features:
    """What the records say that the user named first: another record named later only adds what those lack."""
    found: Features = {} if known.agreed is None else {"agreed": str(known.agreed)}
    seen: set[str] = set()
    for turn in known.ids:
        ids = {bare_id(one) for one in turn} - seen
        seen |= ids
        named = [r for r in known.records if names_one_of(r, ids)]
        found = {**_unambiguous(named, known), **found}
    return found


def _unambiguous(records: Iterable[Record], known: KnownValues) -> Features:
    """Scalar fields of records, and days between their dates; a field with two values is left out."""
    found: Features = {}
    double: set[str] = set()
    for record in records:
        for name, value in _scalars(record, known):
            if found.setdefault(name, value) != value:
                double.add(name)
    return {name: value for name, value in found.items() if name not in double}


def _scalars(record: Record, known: KnownValues) -> Iterable[tuple[str, str | float]]:
    dates: list[tuple[str, float]] = []
    for path, leaf in record.leaves:
        if "*" in path:
            continue
        name = f"{record.tool}:{'.'.join(path)}"
        if known.subject is not None and isinstance(leaf, str):
            yield f"{name}=subject", str(leaf == known.subject)
        value = _value(leaf, known.started_at)
        if value is not None:
            yield name, value
        if isinstance(value, float) and isinstance(leaf, str):
            dates.append((name, value))
    for (one, start), (other, end) in combinations(dates[:MOST_DATES], 2):
        yield f"{one}..{other}", start - end


def _value(leaf: Json, now: int) -> str | float | None:
    if isinstance(leaf, bool) or leaf is None:
        return str(leaf)
    if isinstance(leaf, int | float):
        return float(leaf)
    if isinstance(leaf, str):
        try:
            moment = datetime.fromisoformat(leaf)
        except ValueError:
            return leaf
        if moment.tzinfo is not None:
            return (now - int(moment.timestamp()) * 10**9) / DAY
    return None


def known_of(recorded: EpisodeAttempt, kinds: ToolKinds) -> KnownValues:
    """What the recording itself shows before anything was changed."""
    records = []
    for call in recorded.attempt.calls:
        tool = kinds.tools.get(call.name)
        if tool is not None and tool.kind == WRITE and not call.result.is_error:
            break
        if tool is not None and tool.kind == READ and not call.result.is_error:
            records.append(Record(call.name, call.arguments, held_value(call.result.content)))
    every = len(recorded.attempt.messages)
    episode = recorded.episode
    said = said_before(recorded, every)
    return KnownValues(
        said,
        episode.subject,
        episode.started_at,
        tuple(_without_worked_sums(records, said)),
        *agreed_in(recorded),
        heard_before(recorded, every),
    )


def _without_worked_sums(records: Sequence[Record], said: Iterable[str]) -> Iterable[Record]:
    """The records without sums that the agent had worked out from amounts of a record that the user did not name."""
    ids = {bare_id(one) for text in said for one in ids_in(text)}
    named = [r for r in records if names_one_of(r, ids)]
    mine = {n for r in named for n in _numbers(r.value)}
    other = {n for r in records if r not in named for n in _numbers(r.value)} - mine
    for record in records:
        bare_number = isinstance(record.value, int | float)
        if not (named and bare_number and other & set(_numbers(dict(record.arguments)))):
            yield record


def _numbers(value: Json) -> Iterable[str]:
    """The amounts of a record, and those inside texts that were worked with."""
    if isinstance(value, dict | list):
        for _, leaf in leaves_of(value):
            yield from NUMBER.findall(str(leaf)) if isinstance(leaf, str | int | float) else ()


def said_before(recorded: EpisodeAttempt, message: int) -> tuple[str, ...]:
    """The user's turns before a message."""
    messages = recorded.attempt.messages[:message]
    return tuple(text_of(m) for m in messages if m.get("role") == "user")


def heard_before(recorded: EpisodeAttempt, message: int) -> tuple[HeardText, ...]:
    """The user's turns before a message, and the questions that they said yes to: what was read back counts as said."""
    messages = recorded.attempt.messages[:message]
    found: list[HeardText] = []
    for index, entry in enumerate(messages):
        following: Mapping[str, Json] = messages[index + 1] if index + 1 < len(messages) else {}
        by_user = entry.get("role") == "user"
        if by_user or (
            asks(entry) and following.get("role") == "user" and agrees(text_of(following))
        ):
            found.append(HeardText(plain_text(text_of(entry)), by_user))
    return tuple(found)


def agreed_in(recorded: EpisodeAttempt) -> tuple[bool | None, bool | None]:
    """Whether the user agreed to what they were asked to agree to, and at the first time; None where nobody asked."""
    messages = recorded.attempt.messages
    pairs = pairwise(messages)
    answers = [agrees(text_of(n)) for m, n in pairs if asks(m) and n.get("role") == "user"]
    return (any(answers), answers[0]) if answers else (None, None)


def asks(message: Mapping[str, Json]) -> bool:
    """Whether a message of the policy asks for consent."""
    return message.get("role") == "assistant" and asks_consent(text_of(message))


def completed(
    known: KnownValues, reader: Reader, shapes: Mapping[tuple[str, str], frozenset[str]]
) -> KnownValues:
    """The same with every record that can be read by an id said or found; `shapes` are the ids tools were asked with."""
    records = list(known.records)
    asked = {(r.tool, json.dumps(r.arguments, sort_keys=True)) for r in records}
    pending = [i for turn in known.ids for i in turn]
    pending += [known.subject] if known.subject else []
    pending += [i for record in records for i in ids_of(record.value)]
    seen: set[str] = set()
    while pending and len(asked) < MOST_READS:
        one = pending.pop(0)
        if one in seen:
            continue
        seen.add(one)
        for (tool, name), wanted in sorted(shapes.items()):
            named = shaped(one, wanted)
            arguments: dict[str, Json] = {name: named}
            key = (tool, json.dumps(arguments))
            if named is None or key in asked:
                continue
            asked.add(key)
            answer = reader.call(tool, arguments)
            if answer.source != UNKNOWN and not answer.is_error:
                records.append(Record(tool, arguments, held_value(answer.content)))
                pending += ids_of(records[-1].value)
    return replace(known, records=tuple(records))


def id_shapes(everything: Iterable[KnownValues]) -> dict[tuple[str, str], frozenset[str]]:
    """The shapes of ids that reading tools with a single argument were asked with."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for known in everything:
        for record in known.records:
            items = list(record.arguments.items())
            if len(items) == 1 and isinstance(items[0][1], str) and is_id(items[0][1]):
                found[record.tool, items[0][0]].add(shape(items[0][1]))
    return {key: frozenset(shapes) for key, shapes in found.items()}


@lru_cache(maxsize=MOST_TEXTS)
def plain_text(text: str) -> str:
    """A text without case, and with one kind of space."""
    return SPACES.sub(" ", text.casefold()).strip()


@lru_cache(maxsize=MOST_TEXTS)
def is_id(text: str) -> bool:
    """Whether a text looks like an identifier: one token with a digit, and no amount."""
    return (
        len(text) >= ID_LENGTH
        and any(c.isdigit() for c in text)
        and TOKEN.fullmatch(text) is not None
        and not ("." in text and text.replace(".", "").isdigit())
    )


def ids_in(text: str) -> list[str]:
    """The identifiers of a text, in order, once each."""
    return list(dict.fromkeys(t for t in TOKEN.findall(text) if is_id(t)))


def ids_of(value: Json) -> list[str]:
    """The identifiers among a record's values."""
    return [leaf for _, leaf in leaves_of(value) if isinstance(leaf, str) and is_id(leaf)]


def bare_id(text: str) -> str:
    """An id without its mark: people leave it out."""
    return text.lstrip(MARKS)


def names_one_of(record: Record, ids: Collection[str]) -> bool:
    """Whether a record was read by one of these ids, given without their marks."""
    return any(bare_id(str(value)) in ids for value in record.arguments.values())


@lru_cache(maxsize=MOST_TEXTS)
def shape(text: str) -> str:
    """An id's outline: runs of letters, of digits, of capitals before digits, and of both mixed (hexadecimal ones)."""
    return RUN.sub(_outline, text)


def shaped(text: str, shapes: Collection[str]) -> str | None:
    """The id as one of these outlines has it: as it stands, or with the mark that its writer left out."""
    if shape(text) in shapes:
        return text
    marks = {s[0] for s in shapes if s[0] in MARKS and s[1:] == shape(text)}
    return f"{marks.pop()}{text}" if len(marks) == 1 else None


def _outline(run: re.Match[str]) -> str:
    text = run.group()
    if text.isdigit():
        return "9"
    if not any(c.isdigit() for c in text):
        return "A" if text.isupper() else "a"
    return "A9" if CAPITALS.fullmatch(text) else "x"


Path = tuple[str, ...]
"""Field names from a record's top to a leaf; `*` stands for any element of a list."""


def values_at(value: Json, path: Sequence[str]) -> list[tuple[list[Json], Json]]:
    """What stands at a path, each with the list elements that lead to it, outermost first."""
    found: list[tuple[list[Json], Json]] = [([], value)]
    for name in path:
        following: list[tuple[list[Json], Json]] = []
        for way, item in found:
            if name == "*" and isinstance(item, list):
                following += [([*way, element], element) for element in item]
            elif isinstance(item, dict) and name in item:
                following.append((way, item[name]))
        found = following
    return found
