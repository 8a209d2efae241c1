"""Units of work that were left out because our own code failed at them: a fault costs its unit, and everything else goes on.

A stage runs each unit (an app, a day, an episode, a tool, a task, a section of the report) inside `Skips.unit`. What it raises is noted
with the kind of the error and where it arose, never with its message, which may quote the data; then the stage goes on with the next unit.
The notes of a stage lie in the clean lake until the unit succeeds. What a person has to settle first (a wrong secret, a damaged table, a
full disk) still stops everything.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any, Final, Generic, TypeVar

import pyarrow as pa

from dagster_project.context_values import set_inside
from dagster_project.fatal import is_fatal
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import Table
from environments.fault_places import fault_place
from ingest.records.columns import schema_of

Item = TypeVar("Item")
Made = TypeVar("Made")

_MOST_TRIES: Final = 60
"""Attempts at finding who fails among many, before the whole unit is given up."""
_NO_APP: Final = "(home)"
"""Stands in the lake for no app, which hands an empty name back as null."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedUnit:
    """One unit that was left out; nothing of it is a user's text."""

    stage: str
    """The asset, or what else was being made: `report`, `leak_check`, `export`."""
    app: str
    day: str = ""
    kind: str
    """What the unit is: `episode`, `tool`, `task`, `day`, `app`, `section`, ..."""
    unit: str = ""
    """Our own id of it, a tool's name past the gate, or a section's name; empty where there is none."""
    error: str
    """The type of what was raised."""
    place: str
    """The innermost line of ours that it came through: `synth/world/actions/effects.py:293`."""
    version: str


SKIPPED: Final = Table(name="skipped", schema=schema_of(SkippedUnit), by=("stage", "app"))
_listener: ContextVar[Callable[[SkippedUnit], None] | None] = ContextVar("skipped", default=None)


def listen_to_skips(listener: Callable[[SkippedUnit], None]) -> AbstractContextManager[None]:
    """Hear of every unit that is left out inside."""
    return set_inside(_listener, listener)


@dataclass(slots=True)
class Unit:
    """One unit of work, while it is tried."""

    failed: bool = False


@contextmanager
def collect_skips(stage: str, app: str) -> Iterator["Skips"]:
    """Notes of work that may run in another process: listeners hear of them from whoever adds them to the stage's own."""
    with listen_to_skips(lambda _: None):
        yield Skips(stage, app)


def next_part(made: Iterator[tuple[Made, list["SkippedUnit"]]], skips: "Skips") -> Made:
    """The next result of a map, whose notes are added to the stage's own."""
    part, noted = next(made)
    for skipped in noted:
        skips.add(skipped)
    return part


class Skips:
    """What one run of a stage leaves out of one app."""

    def __init__(self, stage: str, app: str, day: str = "") -> None:
        self.stage = stage
        self.app = app
        self.day = day
        self.found: list[SkippedUnit] = []

    def __bool__(self) -> bool:
        return bool(self.found)

    @contextmanager
    def unit(self, kind: str, unit: str = "", *, day: str | None = None) -> Iterator[Unit]:
        """Run one unit of work: what it raises is noted, unless a person has to settle it first."""
        tried = Unit()
        try:
            yield tried
        except Exception as fault:
            if is_fatal(fault):
                raise
            tried.failed = True
            self.note(fault, kind, unit, day=day)

    def note(
        self, fault: BaseException, kind: str, unit: str = "", *, day: str | None = None
    ) -> None:
        """Note a unit that failed."""
        self.leave(kind, unit, type(fault).__name__, fault_place(fault), day=day)

    def leave(
        self, kind: str, unit: str, error: str, place: str = "", *, day: str | None = None
    ) -> None:
        """Note a unit that is left out, and why."""
        self.add(
            SkippedUnit(
                stage=self.stage,
                app=self.app,
                day=self.day if day is None else day,
                kind=kind,
                unit=unit,
                error=error,
                place=place,
                version=version("tracegym"),
            )
        )

    def take(self, other: "Skips") -> None:
        """Take over what was noted elsewhere."""
        self.found += other.found

    def add(self, skipped: SkippedUnit) -> None:
        """Note a unit of which is known why it failed; one with an id once."""
        if skipped.unit and skipped in self.found:
            return
        self.found.append(skipped)
        listener = _listener.get()
        if listener is not None:
            listener(skipped)

    def keep(self, lake: Lake, days: Iterable[str] = ("",)) -> None:
        """Put these notes in the place of what the stage noted of the same days of the app before."""
        asked = set(days)

        def edit(before: pa.Table) -> pa.Table | None:
            rows = before.to_pylist()
            kept = [row for row in rows if row["day"] not in asked]
            found = [{**asdict(one), "app": one.app or _NO_APP} for one in self.found]
            after = sorted([*kept, *found], key=_order)
            if sorted(rows, key=_order) == after:
                return None
            return pa.Table.from_pylist(after, schema=SKIPPED.schema)

        lake.change(SKIPPED, (self.stage, self.app or _NO_APP), edit)


def keep_all(lake: Lake, skipped: Iterable[Skips]) -> None:
    """Keep the notes of several days, each in the place of its day's."""
    for one in skipped:
        one.keep(lake, [one.day])


def _order(row: Mapping[str, Any]) -> list[str]:
    return [row[name] for name in SKIPPED.schema.names]


def skipped_of(
    lake: Lake, apps: Iterable[str] | None = None, *, stages: Iterable[str] | None = None
) -> list[SkippedUnit]:
    """Everything that is left out now, by stage and app."""
    wanted, of = (None if names is None else set(names) for names in (apps, stages))
    rows = sorted(lake.read(SKIPPED).to_pylist(), key=_order)
    found = [SkippedUnit(**{**row, "app": row["app"].removeprefix(_NO_APP)}) for row in rows]
    return [
        one
        for one in found
        if (wanted is None or one.app in wanted) and (of is None or one.stage in of)
    ]


def without_those_that_fail(
    items: Sequence[Item],
    make: Callable[[Sequence[Item]], Made],
    failed: Callable[[Item, Exception], None],
    *,
    known: Exception | None = None,
    tries: int = _MOST_TRIES,
) -> Made:
    """What `make` makes of all items, or of those with which it succeeds: who fails is found by halving, and told to `failed`.

    `known` is what it raised with all of them, where that was tried. Raises what `make` raises where it fails without any item, or where
    too many fail to single them out.
    """
    fault = known
    if fault is None:
        try:
            return make(items)
        except Exception as raised:
            if is_fatal(raised):
                raise
            fault = raised
    found = _WorkingItems(make, failed, tries)
    found.separate(items, fault)
    return found.made[-1] if found.made else make(())


class _WorkingItems(Generic[Item, Made]):
    """Items that succeed together, and what was made of them last."""

    def __init__(
        self,
        make: Callable[[Sequence[Item]], Made],
        failed: Callable[[Item, Exception], None],
        tries: int,
    ) -> None:
        self._make = make
        self._failed = failed
        self._kept: list[Item] = []
        self._left = tries
        self.made: list[Made] = []

    def separate(self, items: Sequence[Item], fault: Exception) -> None:
        """Keep those of some items that succeed beside the kept ones; all together raised `fault`."""
        if len(items) <= 1:
            for item in items:
                self._failed(item, fault)
            return
        half = len(items) // 2
        for part in (items[:half], items[half:]):
            self._left -= 1
            if self._left < 0:
                raise fault
            try:
                made = self._make([*self._kept, *part])
            except Exception as inner:
                if is_fatal(inner):
                    raise
                self.separate(part, inner)
            else:
                self._kept += part
                self.made[:] = [made]
