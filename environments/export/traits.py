"""What could leak from one split into another: whose task it is, which records it touches, what is said and done in it.

In: entries and the world documents. Out: `Traits`, one per task. Records are found by the keys of the learnt tables in
the arguments of recorded calls, so no tool or field name is known here. Not here: who goes where (`splits`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from environments.runtime.play.message import requests_of, text_of
from environments.runtime.play.user_recording import WORD
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Action
from environments.runtime.values.canonical import digest
from environments.runtime.values.mentions import leaves
from environments.runtime.values.normal import as_list, is_plain

if TYPE_CHECKING:
    from environments.export.taskset import Entry

SHINGLE: Final = 4
"""Words in a row that count as one piece of text."""
Record = tuple[str, str]
"""Table (with its world's name) and key text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """One task, as far as splits are concerned."""

    task_id: str
    subject: str | None
    episodes: frozenset[str]
    started_at: int
    kind: str
    """The failure cluster its attempts are in, else the tools its solution calls: what "the same kind of task" means."""
    records: frozenset[Record]
    pieces: frozenset[str]
    """Everything the user says, in runs of four words."""
    actions: str
    """Hash of what is asked of the tools; two tasks with one hash are one task."""
    tools: tuple[str, ...] = ()
    """The tools that its solution calls, or a recorded attempt where it has none: every split gets its share of each such set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """Which records a world knows, by the values of their keys."""

    single: Mapping[str, frozenset[Record]]
    composite: Mapping[str, tuple[tuple[frozenset[str], Record], ...]]
    """By one of the key's values: all values, and the record."""
    written: frozenset[str]
    """Tables that some tool changes."""


def traits_of(entries: Iterable[Entry], worlds: Mapping[str, Mapping[str, Any]]) -> list[Traits]:
    """The traits of every entry, in order."""
    keys = {name: keys_of(name, document) for name, document in worlds.items()}
    return [_traits(entry, keys[entry.task.world]) for entry in entries]


def written_tables(worlds: Mapping[str, Mapping[str, Any]]) -> frozenset[str]:
    """Tables whose records tools change, as `Traits.records` names them."""
    return frozenset[str]().union(*(keys_of(*world).written for world in worlds.items()))


def tables_of(worlds: Mapping[str, Mapping[str, Any]]) -> frozenset[str]:
    """Every table of the worlds, as the card names it."""
    return frozenset(
        _table(world, table)
        for world, document in worlds.items()
        for part in ("tables", "timeline")
        for table in document.get(part, {})
    )


def keys_of(world: str, document: Mapping[str, Any]) -> Keys:
    """Every record of a world file by its key values."""
    single: dict[str, set[Record]] = {}
    composite: dict[str, list[tuple[frozenset[str], Record]]] = {}
    for record in _records(world, document):
        values = _values(record[1])
        if len(values) == 1:
            single.setdefault(next(iter(values)), set()).add(record)
        elif values:
            rarest = max(values, key=lambda value: (len(value), value))
            composite.setdefault(rarest, []).append((values, record))
    written = {
        _table(world, write["table"])
        for tool in document.get("tools", {}).values()
        for write in tool.get("writes", ())
    }
    return Keys(
        single={value: frozenset(found) for value, found in single.items()},
        composite={value: tuple(found) for value, found in composite.items()},
        written=frozenset(written),
    )


def _records(world: str, document: Mapping[str, Any]) -> Iterator[Record]:
    for table, part in document.get("tables", {}).items():
        yield from ((_table(world, table), key) for key in part.get("rows", {}))
    for table, part in document.get("timeline", {}).items():
        yield from ((_table(world, table), key) for key in part.get("versions", {}))


def _table(world: str, table: str) -> str:
    """Two apps may have a table of one name, and records of one key."""
    return f"{world}: {table}"


def _values(key: str) -> frozenset[str]:
    try:
        return frozenset(_scalars(json.loads(key)))
    except ValueError:
        return frozenset((key,))


def _traits(entry: Entry, keys: Keys) -> Traits:
    task = entry.task
    runs = [entry.solution, *(attempt.actions for attempt in entry.attempts)]
    first = next((run for run in runs if run), ())
    calls = [(r.name, dict(r.arguments)) for a in first for r in requests_of(a, first=0)]
    said = [text_of(m.get("content")) for m in task.opening if m.get("role") == "user"]
    words = WORD.findall(" ".join([*said, *(turn.text for turn in task.user)]).casefold())
    note = task.provenance
    tools = sorted({name for name, _ in calls})
    named = any(True for _, arguments in calls for _ in _scalars(arguments))
    return Traits(
        task_id=task.task_id,
        subject=str(note["subject"]) if note.get("subject") else None,
        episodes=frozenset(map(str, as_list(note.get("episodes")))),
        started_at=task.started_at,
        kind=str(note.get("cluster") or f"{task.app}: {' + '.join(tools) or 'no tools'}"),
        records=frozenset(record for run in runs for record in _touched(run, keys)),
        pieces=frozenset(
            " ".join(words[i : i + SHINGLE]) for i in range(max(0, len(words) - SHINGLE + 1))
        ),
        # Without a single argument, only the words tell two tasks apart.
        actions=digest([calls, [] if named else words]),
        tools=tuple(tools),
    )


def _touched(actions: Iterable[Action], keys: Keys) -> Iterator[Record]:
    for action in actions:
        for request in requests_of(action, first=0):
            values = frozenset(_scalars(dict(request.arguments)))
            for value in values:
                yield from keys.single.get(value, ())
                for needed, record in keys.composite.get(value, ()):
                    if needed <= values:
                        yield record


def _scalars(value: Json) -> Iterator[str]:
    """Every text and number in a value; truths and nothings name no record."""
    return (str(one) for one in leaves(value) if is_plain(one))
