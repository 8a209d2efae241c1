"""The state of one session: rows laid over a shared base, and the log of everything that may have changed something.

Goes in: rows that were read, written or created, and log entries. Comes out: the row as it is believed to be, or a gap
where a logged call may have touched it unseen. The base is never copied: opening costs a few objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

from ..answers.nested_tables import Nested, find
from ..document.records import SourcePart
from ..expr.gaps import MISSING, TOUCHED, UNSEEN, Gap, unknown
from ..task.attempt import Effect, EndState, Json
from ..values.literals import parse_json
from ..values.mentions import labels_in
from ..values.normal import key_of_text, same_json
from .entries import Entry, Place, RowSnapshot

ABSENT: Final = object()
"""No such row in the base and none in the session."""
ABSENCE: Final = "!"
"""Behind a table's name: its rows that are not there."""
ONLY: Final = "[]"
"""The key of a table's one record, which no argument names."""

Writes = Mapping[str, Mapping[str, frozenset[str]]]


class State:
    """Copy-on-write rows and the log of one session."""

    __slots__ = (
        "base",
        "counters",
        "dated",
        "fresh",
        "log",
        "nested",
        "parts",
        "row_names",
        "rows",
        "start",
        "tainted_tables",
        "version",
    )

    def __init__(
        self,
        base: Mapping[str, Mapping[str, Json]],
        nested: Mapping[str, Nested],
        *,
        dated: bool = False,
        row_names: dict[Place, frozenset[str]] | None = None,
    ) -> None:
        self.base = base
        self.row_names = {} if row_names is None else row_names
        """Names in rows of the base, found once for all sessions."""
        self.nested = nested
        self.dated = dated
        self.rows: dict[Place, Json] = {}
        self.start: dict[Place, Json] = {}
        self.fresh: dict[Place, int] = {}
        self.log: list[Entry] = []
        self.counters: dict[str, int] = {}
        self.tainted_tables: dict[str, int] = {}
        self.version = 0
        """Rises with every change: answers may be kept while it stands."""

    def copy(self) -> State:
        """The same state, independent from now on; rows are shared, being never changed in place."""
        other = object.__new__(State)
        other.base, other.nested = self.base, self.nested
        other.dated, other.row_names = self.dated, self.row_names
        other.rows = dict(self.rows)
        other.start = dict(self.start)
        other.fresh = dict(self.fresh)
        other.log = list(self.log)
        other.counters = dict(self.counters)
        other.tainted_tables = dict(self.tainted_tables)
        other.version = self.version
        return other

    def same_as(self, other: State) -> bool:
        """Whether nothing was done since one of the two was copied from the other."""
        return self.version == other.version and self.counters == other.counters

    def begin(self, rows: Mapping[str, Mapping[str, Json]], counters: Mapping[str, int]) -> None:
        """Lay a task's start state over the base."""
        for table, part in rows.items():
            for key, row in part.items():
                self.rows[table, key] = row
                self.start[table, key] = row
        self.counters.update(counters)

    def look(self, place: Place) -> Any:
        """The row, or `ABSENT`, whatever may have touched it."""
        found = self.rows.get(place, ABSENT)
        return self.base.get(place[0], _EMPTY).get(place[1], ABSENT) if found is ABSENT else found

    def has_record(self, name: str) -> bool:
        """Whether a record that this name alone stands for was ever seen."""
        key = key_of_text(name)
        return any(key in rows for rows in self.base.values())

    def row(self, place: Place, names: Iterable[str]) -> Any:
        """The row as it is now; a gap where it was never seen or may have been touched unseen."""
        if self.log and self.is_tainted(place, names):
            return TOUCHED
        found = self.look(place)
        return UNSEEN if found is ABSENT else found

    def names_at(self, place: Place, row: Json) -> frozenset[str]:
        """Everything that the row at a place names."""
        return RowSnapshot(place=place, row=row, kept=self.names_kept(place)).names()

    def names_kept(self, place: Place) -> dict[Place, frozenset[str]] | None:
        """Where the names of the row at a place are kept for all sessions; None where the row is this session's."""
        return None if self.dated or place in self.rows else self.row_names

    def lookup(self, table: str, key: str) -> Any:
        """A row for a tree, or a gap: of a table, or of a nested one by way of its parent."""
        nested = self.nested.get(table)
        if nested is None:
            return self.row((table, key), ())
        held = nested.index.get(key)
        if held is None:
            return self._nested_row(nested, key)
        parent, source, element = held
        if parent not in self.rows and not self.dated:
            if self.log and self.is_tainted(parent, ()):
                return self._seen_inside(nested, key, TOUCHED)
            return element
        return _nested_record(source, parent, self.row(parent, ()), key)

    def last_row(self, table: str, key: str) -> Any:
        """A row as it was last known, whatever may have touched it since; `UNSEEN` where nobody saw it."""
        nested = self.nested.get(table)
        held = nested.index.get(key) if nested is not None else None
        place = (table, key) if held is None else held[0]
        found = self.look(place)
        if found is ABSENT:
            return UNSEEN
        return found if held is None else _nested_record(held[1], place, found, key)

    def _nested_row(self, nested: Nested, key: str) -> Any:
        """A nested record that no row of the base holds: seen in this session, or never."""
        found = self._seen_inside(nested, key, _MAYBE_MADE)
        if found is not _MAYBE_MADE:
            return found
        tainted = any(self.is_tainted((source.table, key), ()) for source in nested.sources)
        return found if tainted else UNSEEN

    def _seen_inside(self, nested: Nested, key: str, otherwise: Gap) -> Any:
        """A nested record that only rows of this session hold: shown to it, or made by it."""
        known: list[Json] = []
        for source in nested.sources:
            for place in self.rows:
                if place[0] == source.table and not self.is_tainted(place, ()):
                    inner = find(source, place, self.rows[place], key)
                    known += [inner] if inner is not None else []
        if not known or any(not same_json(known[0], other) for other in known[1:]):
            return otherwise
        return known[0]

    def is_tainted(self, place: Place, names: Iterable[str]) -> bool:
        """Whether some logged call may have changed the row without anybody knowing how."""
        since = self.fresh.get(place, 0)
        table = place[0]
        if self.tainted_tables.get(table, -1) >= since and any(
            table in e.tainted_tables and place not in e.targets for e in self.log[since:]
        ):
            return True
        asked: set[str] | None = None
        for entry in self.log[since:]:
            if entry.leaves_alone(place) or place in entry.targets:
                continue
            if place[1] == ONLY:
                return True  # nothing that a call names says whether it is about the one record
            if asked is None:
                asked = {*names, *names_of_key(place[1]), table + "|" + place[1]}
            if not asked.isdisjoint(entry.labels):
                return True
        return False

    def _doubtful_fields(self, place: Place, writes: Writes) -> frozenset[str] | None:
        """Fields of a row that calls of which nobody knows what they did may have changed; None: any of them."""
        doubtful = [entry for entry in self.log[self.fresh.get(place, 0) :] if not entry.known]
        if not doubtful:
            return frozenset()
        names = {*self.names_at(place, self.rows[place]), *names_of_key(place[1]), "|".join(place)}
        found: set[str] = set()
        for entry in doubtful:
            if place in entry.about and place not in entry.targets:
                fields = writes.get(entry.tool, _NO_WRITES).get(place[0])
                if fields is None:
                    return None
                found |= fields
                continue
            apart = place[1] != ONLY and names.isdisjoint(entry.labels)
            spared = apart or place[0] in entry.settled
            if not spared or place[0] in entry.tainted_tables or not entry.about:
                return None
        return frozenset(found)

    def touches(self, names: frozenset[str]) -> bool:
        """Whether a logged call names any of these, or is about such a row."""
        return any(not names.isdisjoint(entry.labels) for entry in self.log)

    def is_tainted_at_large(self, table: str) -> bool:
        """Whether some logged call may have changed a result that names nothing in particular."""
        return any(table not in entry.settled for entry in self.log)

    def put(self, place: Place, row: Json, entry: Entry | None) -> None:
        """A row's state becomes known: by a write (with its entry) or by being read (without)."""
        if entry is not None:
            if place not in self.start and place not in self.rows:
                self.start[place] = self.base.get(place[0], _EMPTY).get(place[1])
            entry.targets.add(place)
        elif not any(place in e.targets or place in e.about for e in self.log):
            self.start[place] = row
        self.version += 1
        self.rows[place] = row
        self.fresh[place] = len(self.log) if entry is None else self.fresh.get(place, 0)

    def add(self, entry: Entry) -> None:
        """Log a call that changed something, or may have."""
        at = len(self.log)
        self.version += 1
        self.log.append(entry)
        for table in entry.tainted_tables:
            self.tainted_tables[table] = at

    def end(self, writes: Writes | None = None) -> EndState:
        """What differs from the start; `writes`: per tool and table, the fields that its successes were seen to change."""
        effects: list[Effect] = []
        for place, row in self.rows.items():
            if place not in self.start:
                continue
            before = self.start[place]
            if same_json(before, row):
                continue
            doubted = self._doubtful_fields(place, writes or {})
            effects.extend(differences(place, before, row, doubted))
        unknown: set[str] = set()
        for entry in self.log:
            if not entry.known:
                unknown.update(f"{t}:{k}" for t, k in entry.about if (t, k) not in entry.targets)
                if not entry.about:
                    unknown.add("*")
        return EndState(
            effects=tuple(sorted(effects, key=lambda e: (e.entity, e.key, e.field))),
            events=tuple(e.event for e in self.log if e.event is not None and not e.targets),
            unknown=tuple(sorted(unknown)),
        )


@lru_cache(maxsize=100_000)
def names_of_key(key: str) -> frozenset[str]:
    """The names in a row's key text."""
    parsed = parse_json(key)
    return frozenset(labels_in(parsed.value)) if parsed is not None else frozenset()


def _nested_record(source: SourcePart, parent: Place, row: Any, key: str) -> Any:
    """The nested record with a key inside a row that is known."""
    if type(row) is Gap:
        return row
    found = find(source, parent, row, key)
    return MISSING if found is None else found


_MAYBE_MADE: Final = unknown("never seen")
"""Nobody has seen it, and a call may have made it since."""
_EMPTY: Final[Mapping[str, Json]] = {}
_NO_WRITES: Final[Mapping[str, frozenset[str]]] = {}


def differences(
    place: Place, before: Json, after: Json, doubted: frozenset[str] | None
) -> list[Effect]:
    """The fields that differ between two states of one row, one effect each."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        whole = doubted is not None and not doubted
        return [
            Effect(entity=place[0], key=place[1], field="", before=before, after=after, sure=whole)
        ]
    return [
        Effect(
            entity=place[0],
            key=place[1],
            field=path,
            before=old,
            after=new,
            sure=doubted is not None and path.partition(".")[0] not in doubted,
        )
        for path, old, new in _walk(before, after, "")
    ]


def _walk(
    before: dict[str, Json], after: dict[str, Json], under: str
) -> Iterable[tuple[str, Json, Json]]:
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        path = under + name
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _walk(old, new, path + ".")
        elif not same_json(old, new) or (name in before) is not (name in after):
            yield path, old, new
