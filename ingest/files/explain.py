"""What a file is, what can be read of it, and what is missing to make tasks of it, without storing anything.

Comes in: a file, and a mapping if there is one. Goes out: `FileExplanation`: the format or the nearest one, the keys with their
types and counts, what reading gives, what is missing, and a mapping to start from. Names of fields and numbers, never a
value.
"""

from __future__ import annotations

import contextlib
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ingest.assembly.assemble import assemble
from ingest.errors import SourceUnreadable
from ingest.files.file_source import PEEK, FileSource
from ingest.files.json_values import PlacedValue, placed_values
from ingest.files.mapping import Layout
from ingest.files.mapping_draft import draft, layout_in
from ingest.files.telemetry_files import read_source, sources_in
from ingest.formats.format import Decoded
from ingest.formats.run_verdicts import judges_alone
from ingest.formats.table import FORMATS, format_within
from ingest.formats.unknown import is_shown
from ingest.otlp.decode import decode
from ingest.receiver.wal import WalRecord
from ingest.records.episode import Episode
from ingest.records.outcome import Outcome
from ingest.records.quarantine import Rejected
from ingest.records.span import Span
from ingest.records.text import Json
from ingest.tables.cells import TableError, text_table
from ingest.tables.lines import are_rows, as_lines

_LOOKED_AT: Final = 20
"""Values of a file whose keys are looked at."""
_ITEMS: Final = 200
_DEEPEST: Final = 6
_REASONS: Final = 5
_COUNTED: Final = (
    "spans",
    "log events",
    "conversations",
    "messages",
    "users' messages",
    "calls",
    "results",
    "tool definitions",
    "outcomes",
)
_MAPPABLE: Final = ("conversations", "users' messages", "calls", "outcomes")
"""Where all of them are read, a mapping would read less: it replaces the reading."""
_ADVICE: Final = re.compile(
    r"(?:; see [^;]*:| (?=tracegym)) ?tracegym ingest FILE --explain[^.]*\."
)
"""What refusals say to somebody who does not look at the file yet."""
_SPANS: Final = 20_000
"""Spans that are put together: enough to say what is missing in a file of them."""
_TYPES: Final = {dict: "object", list: "list", str: "text", bool: "truth", type(None): "null"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key of a file."""

    path: str
    """With `[]` for the elements of lists, `…` for a key that may be somebody's own words."""
    types: tuple[str, ...]
    count: int

    def with_those_of(self, other: Key) -> Key:
        """The key over two files."""
        types = tuple(dict.fromkeys([*self.types, *other.types]))
        return Key(path=self.path, types=types, count=self.count + other.count)


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestFormat:
    """A format that a file has some keys of."""

    title: str
    has: tuple[str, ...]
    lacks: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class FileExplanation:
    """What is known of one file."""

    file: str
    files: int = 1
    """How many files of one layout are told together; `file` is the first of them."""
    format: str | None = None
    """What the file is, in words; None where nobody knows."""
    nearest: NearestFormat | None = None
    keys: list[Key] = field(default_factory=list)
    takes_mapping: bool = False
    """Whether a mapping may help: no format that has keys of its own reads the file."""
    counts: dict[str, int] = field(default_factory=dict)
    outcomes: dict[str, int] = field(default_factory=dict)
    """How many conversations have an outcome, by its name."""
    quarantined: dict[str, int] = field(default_factory=dict)
    """Refused records by code."""
    reasons: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    gaps: dict[str, int] = field(default_factory=dict)
    """How many conversations lack something, by its name."""
    unfound: list[str] = field(default_factory=list)
    """Paths of the mapping that found nothing."""
    mapping: str | None = None
    """A `mapping.toml` to start from, where a mapping may help."""

    @property
    def is_readable(self) -> bool:
        """Whether anything can be read, or a mapping may."""
        return any(self.counts.values()) or self.mapping is not None

    @property
    def _layout(self) -> tuple[object, ...]:
        top = frozenset(key.path for key in self.keys if not re.search(r"[\w…][.\[]", key.path))
        return self.format, self.nearest, top, tuple(sorted(self.quarantined))

    def _join(self, other: FileExplanation) -> None:
        """Take in what is told of another file of the layout."""
        self.files += other.files
        for ours, theirs in (
            (self.counts, other.counts),
            (self.outcomes, other.outcomes),
            (self.quarantined, other.quarantined),
            (self.gaps, other.gaps),
        ):
            for name, count in theirs.items():
                ours[name] = ours.get(name, 0) + count
        self.reasons = [*dict.fromkeys([*self.reasons, *other.reasons])][:_REASONS]
        self.unfound = [path for path in self.unfound if path in other.unfound]
        keys = {key.path: key for key in self.keys}
        for key in other.keys:
            seen = keys.get(key.path)
            keys[key.path] = key if seen is None else seen.with_those_of(key)
        self.keys = list(keys.values())
        self.missing = _missing(self.counts, self.gaps, mapped=self.takes_mapping)
        self.mapping = self.mapping if other.mapping else None


def told_by_layout(told: Iterable[FileExplanation]) -> list[FileExplanation]:
    """Files of one layout told as one."""
    found: dict[tuple[object, ...], FileExplanation] = {}
    for one in told:
        layout = one._layout  # noqa: SLF001 - a part of this module
        if layout in found:
            found[layout]._join(one)  # noqa: SLF001 - as above
        else:
            found[layout] = one
    return list(found.values())


def explain(path: Path, layout: Layout | None = None) -> Iterator[FileExplanation]:
    """Look at a file, or at every file below a folder."""
    if not path.exists():
        raise SourceUnreadable(f"{path} does not exist; check the path.")
    for source in sources_in(path, layout=layout):
        own = None if layout is None else Layout(layout.document, layout.name)
        yield _explain(source, own, among_others=source.path != path)


def _explain(source: FileSource, layout: Layout | None, *, among_others: bool) -> FileExplanation:
    found = FileExplanation(file=source.name)
    values = _values(source)
    if among_others and layout is None and _judges(source, values):
        found.format = "verdicts on runs, joined to the conversations beside it that have their names; refused if there are none"
        found.reasons.append(
            f"{source.name} holds nothing but verdicts on runs; give it together with their conversations, "
            "or as a table of outcomes: tracegym outcomes FILE --key COLUMN --value COLUMN"
        )
        return found
    if layout is not None and values:
        found.format = f"a layout of its own, read by {layout.name}"
        found.takes_mapping = True
    else:
        row = next((row for value in values if (row := format_within(value)) is not None), None)
        found.format = None if row is None else row.title
        if row is None and layout_in(values) is not None:
            found.format = "a layout whose fields say what they mean"
        found.takes_mapping = bool(values) and (row is None or row.takes_mapping)
    if values:
        found.keys = _keys(values)
        found.nearest = None if found.format else _nearest_format(values)
    if source.closed is not None:
        found.format = "it cannot be read"
    _read(found, read_source(source, layout, among_others=among_others), layout)
    lacks = any(not found.counts[name] for name in _MAPPABLE)
    if found.takes_mapping and layout is None and lacks:
        found.mapping = draft(values, reads_outcomes=bool(found.outcomes))
    return found


def _values(source: FileSource) -> list[Json]:
    """The first values of a JSON file or of a table; nothing of any other."""
    try:
        with source.opened() as stream:
            head = stream.peek(PEEK)[:PEEK]
        if head.lstrip()[:1] not in {b"{", b"["} or are_rows(source, head):
            lines = as_lines(source, head)
            if lines is None:
                return []
            source = lines
        placed = (one for one in placed_values(source, _knows) if isinstance(one, PlacedValue))
        return [one.value for one in itertools.islice(placed, _LOOKED_AT)]
    except (OSError, EOFError, SourceUnreadable, TableError):
        return []


def _judges(source: FileSource, values: Sequence[Json]) -> bool:
    """Whether a file that is nothing by itself names runs, and says nothing but how they went."""
    rows: Iterable[Json] = values
    if not values and source.path.suffix.lower() in {".csv", ".tsv"}:
        with contextlib.suppress(OSError, EOFError, SourceUnreadable, TableError):
            rows = list(itertools.islice(text_table(source).rows(), _LOOKED_AT))
    first = next((row for one in rows for row in _objects(one)), None)
    return first is not None and format_within(first) is None and judges_alone(first)


def _knows(item: Json, _document: Json, _key: str) -> bool:
    return isinstance(item, dict)


@dataclass(slots=True)
class _Tally:
    """What is counted while a file is read; it grows with its tools and names, not with its conversations."""

    counts: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    gaps: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    reasons: dict[str, None] = field(default_factory=dict)
    tools: set[str] = field(default_factory=set)
    spans: list[Span] = field(default_factory=list)

    def take(self, one: Decoded) -> None:
        """Count what a part of the file holds."""
        self.counts["spans"] += len(one.spans)
        self.counts["log events"] += len(one.events)
        self.spans += one.spans[: _SPANS - len(self.spans)]
        for refused in one.rejected:
            self.refuse(refused)
        self.conclude(one.outcomes)
        for chat in one.chats:
            self.tell(chat.episode)
            self.conclude(chat.outcomes)

    def refuse(self, refused: Rejected) -> None:
        """Count a refusal."""
        self.codes[refused.code] += 1
        if len(self.reasons) < _REASONS:
            told = _ADVICE.sub(".", refused.reason).replace("..", ".")
            self.reasons[told] = None

    def conclude(self, outcomes: Sequence[Outcome]) -> None:
        """Count outcomes."""
        self.counts["outcomes"] += len(outcomes)
        self.outcomes.update(one.name if is_shown(one.name) else "…" for one in outcomes)

    def tell(self, episode: Episode) -> None:
        """Count a conversation."""
        roles = Counter(step.role for step in episode.steps)
        self.tools.update(episode.tools)
        self.gaps.update(episode.completeness)
        self.counts.update(
            {
                "conversations": 1,
                "messages": len(episode.steps),
                "users' messages": roles["user"],
                "calls": sum(len(step.tool_calls) for step in episode.steps),
                "results": roles["tool"],
            }
        )

    def assembled(self) -> None:
        """Count the conversations that the spans make up."""
        for app in sorted({span.app for span in self.spans}):
            assembled = assemble(self.spans, app=app)
            self.conclude(assembled.outcomes)
            for episode in assembled.episodes:
                self.tell(episode)


def _read(
    found: FileExplanation, records: Iterable[WalRecord | Rejected], layout: Layout | None
) -> None:
    """Count what reading the file gives."""
    tally = _Tally()
    for number, record in enumerate(records, start=1):
        if isinstance(record, Rejected):
            tally.refuse(record)
            continue
        tally.take(decode(record.stored(number)))
    tally.assembled()
    if found.format is None and (tally.counts["spans"] or tally.counts["log events"]):
        found.format = "OTLP"
    tally.counts["tool definitions"] = len(tally.tools)
    found.counts = {name: tally.counts[name] for name in _COUNTED}
    found.outcomes = dict(tally.outcomes.most_common())
    found.quarantined = dict(tally.codes.most_common())
    found.reasons = list(tally.reasons)
    found.gaps = dict(tally.gaps)
    found.missing = _missing(found.counts, found.gaps, mapped=found.takes_mapping)
    found.unfound = layout.unfound() if layout else []


_NEEDED: Final = (
    ("conversations", "no conversation", "map `messages`"),
    ("users' messages", "no message of a user: a task begins with what somebody wants", "map `question`, or the word for the user in [roles]"),
    ("calls", "no tool calls: there is nothing that a task could change", "map `calls`, or `tool`"),
    ("results", "no results of tool calls: tools cannot be learnt without them", "map `result`"),
    ("tool definitions", "no tool definitions: tools are learnt from their calls alone", "map `tools`"),
    ("outcomes", "no outcomes: nothing says how a conversation went; give a table with: tracegym outcomes", "or map [outcomes]"),
)  # fmt: skip
"""What tasks are made of: the count, the sentence where there is none, and what a mapping can do about it."""
_GAPS: Final = (
    ("no_time", "no time", "map `started_at`, or `time` in [message]"),
    ("missing_results", "some calls have no result", ""),
    ("orphan_results", "some results belong to no call", ""),
    ("calls_left_out", "calls stand beside messages, and times do not say between which", ""),
    ("odd_fields", "some fields have a type that they cannot have", ""),
    ("odd_messages", "some items in lists of messages are none", ""),
)


def _missing(counts: dict[str, int], gaps: dict[str, int], *, mapped: bool) -> list[str]:
    def gap_sentence(sentence: str, advice: str) -> str:
        return f"{sentence} ({advice})" if advice and mapped else sentence

    needed = [
        gap_sentence(sentence, advice) for name, sentence, advice in _NEEDED if not counts[name]
    ]
    if not counts["conversations"]:
        return needed[:1]
    return needed + [
        f"{gap_sentence(sentence, advice)}: {gaps[gap]:,} of {counts['conversations']:,} conversations"
        for gap, sentence, advice in _GAPS
        if gaps.get(gap)
    ]


def _nearest_format(values: Sequence[Json]) -> NearestFormat | None:
    """The format that a file has the largest part of the keys of."""
    first = next((one for value in values for one in _objects(value)), {})
    best: NearestFormat | None = None
    for row in FORMATS:
        has = tuple(key for key in row.keys if key in first)
        lacks = tuple(key for key in row.keys if key not in first)
        share = len(has) / len(row.keys)
        if has and (best is None or share > len(best.has) / (len(best.has) + len(best.lacks))):
            best = NearestFormat(title=row.title, has=has, lacks=lacks)
    return best


def _objects(value: Json) -> Iterator[dict[str, Any]]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, dict):
            yield one


def _keys(values: Sequence[Json]) -> list[Key]:
    types: dict[str, Counter[str]] = {}
    for value in values:
        _count("", value, types, 0)
    return [
        Key(path=path, types=tuple(name for name, _ in seen.most_common()), count=seen.total())
        for path, seen in types.items()
        if path
    ]


def _count(path: str, value: Json, types: dict[str, Counter[str]], depth: int) -> None:
    name = _TYPES.get(type(value), "number")
    types.setdefault(path, Counter())[name] += 1
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for one in value[:_ITEMS]:
            _count(f"{path}[]", one, types, depth + 1)
    elif isinstance(value, dict):
        for key, one in value.items():
            word = key if is_shown(key) else "…"
            _count(f"{path}.{word}" if path else word, one, types, depth + 1)
