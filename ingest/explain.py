"""What a file is, what can be read of it, and what is missing to make tasks of it, without storing anything.

Comes in: a file, and a mapping if there is one. Goes out: `Explained`: the format or the nearest one, the keys with their
types and counts, what reading gives, what is missing, and a mapping to start from. Names of fields and numbers, never a
value.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from ingest.assemble import assemble
from ingest.decode import decode
from ingest.episode import Episode
from ingest.errors import SourceUnreadable
from ingest.file_facts import FileFacts
from ingest.file_source import PEEK, FileSource
from ingest.files import read_file
from ingest.formats.table import FORMATS, format_within
from ingest.formats.unknown import is_shown
from ingest.json_values import Placed, placed_values
from ingest.limits import DEFAULT_LIMITS
from ingest.mapping import Layout
from ingest.mapping_draft import draft
from ingest.outcome import Outcome
from ingest.quarantine import Rejected
from ingest.span import Span
from ingest.text import Json
from ingest.wal import StoredRecord

_LOOKED_AT: Final = 20
"""Values of a file whose keys are looked at."""
_ITEMS: Final = 200
_DEEPEST: Final = 6
_KEYS: Final = 60
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """A format that a file has some keys of."""

    title: str
    has: tuple[str, ...]
    lacks: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class Explained:
    """What is known of one file."""

    file: str
    format: str | None = None
    """What the file is, in words; None where nobody knows."""
    nearest: Nearest | None = None
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
    unfound: list[str] = field(default_factory=list)
    """Paths of the mapping that found nothing."""
    mapping: str | None = None
    """A `mapping.toml` to start from, where a mapping may help."""


def explain(path: Path, layout: Layout | None = None) -> Iterator[Explained]:
    """Look at a file, or at every file below a folder."""
    if not path.exists():
        raise SourceUnreadable(f"{path} does not exist; check the path.")
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    for one in files:
        if one.is_file() and not one.name.startswith("."):
            name = one.relative_to(path).as_posix() if path.is_dir() else one.name
            own = None if layout is None else Layout(layout.document, layout.name)
            yield _explain(one, name, own)


def _explain(path: Path, name: str, layout: Layout | None) -> Explained:
    found = Explained(file=name)
    source = FileSource(path=path, name=name, app=None, limits=DEFAULT_LIMITS, facts=FileFacts())
    values = _values(source)
    if layout is not None and values:
        found.format = f"a layout of its own, read by {layout.name}"
        found.takes_mapping = True
    else:
        row = next((row for value in values if (row := format_within(value)) is not None), None)
        found.format = None if row is None else row.title
        found.takes_mapping = bool(values) and (row is None or row.takes_mapping)
    if values:
        found.keys = _keys(values)
        found.nearest = None if found.format else _nearest(values)
    if found.takes_mapping and layout is None:
        found.mapping = draft(values)
    _read(found, path, layout)
    return found


def _values(source: FileSource) -> list[Json]:
    """The first values of a JSON file; nothing of any other."""
    try:
        with source.opened() as stream:
            head = stream.peek(PEEK)[:PEEK].lstrip()[:1]
        if head not in {b"{", b"["}:
            return []
        placed = (one for one in placed_values(source, _knows) if isinstance(one, Placed))
        return [one.value for one in itertools.islice(placed, _LOOKED_AT)]
    except (OSError, EOFError):
        return []


def _knows(item: Json, _document: Json, _key: str) -> bool:
    return isinstance(item, dict)


def _read(found: Explained, path: Path, layout: Layout | None) -> None:
    """Count what reading the file gives."""
    episodes: list[Episode] = []
    outcomes: list[Outcome] = []
    spans: list[Span] = []
    rejected: list[Rejected] = []
    count = 0
    for number, record in enumerate(read_file(path, layout=layout), start=1):
        if isinstance(record, Rejected):
            rejected.append(record)
            continue
        stored = StoredRecord(
            seq=number, **{one.name: getattr(record, one.name) for one in fields(record)}
        )
        decoded = decode(stored)
        count += len(decoded.spans)
        spans += decoded.spans[: _SPANS - len(spans)]
        rejected += [replace(one, body=b"") for one in decoded.rejected]
        outcomes += decoded.outcomes
        for chat in decoded.chats:
            episodes.append(chat.episode)
            outcomes += chat.outcomes
    for app in sorted({span.app for span in spans}):
        assembled = assemble(spans, app=app)
        episodes += assembled.episodes
        outcomes += assembled.outcomes
    if found.format is None and spans:
        found.format = "OTLP"
    found.counts = _counts(episodes, outcomes, count)
    found.quarantined = dict(Counter(one.code for one in rejected).most_common())
    found.reasons = list(dict.fromkeys(one.reason for one in rejected))[:5]
    names = Counter(one.name if is_shown(one.name) else "…" for one in outcomes)
    found.outcomes = dict(names.most_common())
    found.missing = _missing(found.counts, episodes, mapped=found.takes_mapping)
    found.unfound = layout.unfound() if layout else []


def _counts(episodes: Sequence[Episode], outcomes: Sequence[Outcome], spans: int) -> dict[str, int]:
    steps = [step for episode in episodes for step in episode.steps]
    return {
        "spans": spans,
        "conversations": len(episodes),
        "messages": len(steps),
        "users' messages": sum(step.role == "user" for step in steps),
        "calls": sum(len(step.tool_calls) for step in steps),
        "results": sum(step.role == "tool" for step in steps),
        "tool definitions": len({tool for episode in episodes for tool in episode.tools}),
        "outcomes": len(outcomes),
    }


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
    ("odd_fields", "some fields have a type that they cannot have", ""),
    ("odd_messages", "some items in lists of messages are none", ""),
)


def _missing(counts: dict[str, int], episodes: Sequence[Episode], *, mapped: bool) -> list[str]:
    def told(sentence: str, advice: str) -> str:
        return f"{sentence} ({advice})" if advice and mapped else sentence

    needed = [told(sentence, advice) for name, sentence, advice in _NEEDED if not counts[name]]
    if not counts["conversations"]:
        return needed[:1]
    gaps = Counter(gap for episode in episodes for gap in episode.completeness)
    return needed + [
        f"{told(sentence, advice)}: {gaps[gap]} of {len(episodes)} conversations"
        for gap, sentence, advice in _GAPS
        if gaps[gap]
    ]


def _nearest(values: Sequence[Json]) -> Nearest | None:
    """The format that a file has the largest part of the keys of."""
    first = next((one for value in values for one in _objects(value)), {})
    best: Nearest | None = None
    for row in FORMATS:
        has = tuple(key for key in row.keys if key in first)
        lacks = tuple(key for key in row.keys if key not in first)
        share = len(has) / len(row.keys)
        if has and (best is None or share > len(best.has) / (len(best.has) + len(best.lacks))):
            best = Nearest(title=row.title, has=has, lacks=lacks)
    return best


def _objects(value: Json) -> Iterator[dict[str, Any]]:
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, dict):
            yield one


def _keys(values: Sequence[Json]) -> list[Key]:
    types: dict[str, Counter[str]] = {}
    for value in values:
        _count("", value, types, 0)
    listed = [
        Key(path=path, types=tuple(name for name, _ in seen.most_common()), count=seen.total())
        for path, seen in types.items()
        if path
    ]
    return listed[:_KEYS]


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
