"""Behaviour that drifted: refusals and answers that contradict each other before and after one point in time only.

Comes from one tool's observations with the episodes around them; says what turned, and when. Looked at: in calls that share
an argument's value, a value of the record that the call names, or a range of its numbers, an outcome that always came before
some moment and never after; and equal calls about equally seen records that are answered otherwise across one moment, and
alike on either side of it. Not here: definitions and shapes (`drift`), why a tool refuses (`guards`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.mentions import is_name, leaves
from environments.runtime.values.normal import is_number, stable
from synth.world.grouping import lists_by_key
from synth.world.model import ToolModel, outcome_class, refused
from synth.world.observation import History, Observation
from synth.world.support import CHANCE_AMONG_MANY, CHANCE_AMONG_RANGES, SEEN_SEVERAL_TIMES
from synth.world.time.change_points import Flag, Split, find_split

RANGE_ODDS: Final = round(1 / CHANCE_AMONG_RANGES)
"""Ranges are chosen among many, so chance has to be rarer still."""
EDGES: Final = 16
"""Points between which ranges of a number lie: learning stays linear in the number of calls."""
MIN_OPPOSED: Final = SEEN_SEVERAL_TIMES
"""Calls, of as many tasks, that are answered otherwise across the moment."""
MIN_CALM: Final = SEEN_SEVERAL_TIMES
"""Equal calls answered alike, on either side of it."""
MAX_CHANCE: Final = CHANCE_AMONG_MANY

Scalar = str | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One call with its outcome and everything known about it beforehand."""

    at: int
    task: str
    outcome: str
    """The class of refusal; empty for success."""
    features: dict[str, Scalar]
    """Arguments, and fields of the records that they name, as last seen in the episode."""
    asked: str
    """The call and what was last seen of all that it names: equal ones should be answered alike."""
    content: str


@dataclass(slots=True)
class _Memory:
    """What an episode has seen so far, by name."""

    records: dict[str, dict[str, Json]] = field(default_factory=dict)
    last: dict[str, str] = field(default_factory=dict)

    def note(self, seen: Observation) -> None:
        if isinstance(seen.value, dict):
            for value in seen.value.values():
                if isinstance(value, str) and is_name(value):
                    self.records[value] = seen.value
        told = stable([seen.tool, seen.key, seen.content])
        for name in seen.names:
            self.last[name] = told


def behaviour_changes(tool: ToolModel, histories: Sequence[History]) -> Iterator[tuple[str, Split]]:
    """What turned about a tool's outcomes or answers, in words without values, with its split."""
    cases = _cases(tool, histories)
    told: set[str] = set()
    for says, split in (*_turned_outcomes(cases), *_turned_answers(cases)):
        if says not in told:
            told.add(says)
            yield says, split


def _cases(tool: ToolModel, histories: Sequence[History]) -> list[Case]:
    episodes = sorted({seen.episode for seen in tool.observations})
    return [case for index in episodes for case in _cases_in(tool, histories[index])]


def _cases_in(tool: ToolModel, history: History) -> Iterator[Case]:
    memory = _Memory()
    for seen in history.observations:
        if seen.tool == tool.name:
            named = sorted(v for v in leaves(seen.arguments) if isinstance(v, str) and is_name(v))
            yield Case(
                at=seen.at,
                task=history.task,
                outcome=outcome_class(seen) if refused(tool, seen) else "",
                features=_features(seen, memory),
                asked=stable([seen.key, [memory.last.get(name, "") for name in named]]),
                content=seen.content,
            )
        memory.note(seen)


def _features(seen: Observation, memory: _Memory) -> dict[str, Scalar]:
    found: dict[str, Scalar] = {}
    for name, value in seen.arguments.items():
        if not isinstance(value, str | int | float):
            continue
        if isinstance(value, str) and is_name(value):
            for inner, held in memory.records.get(value, {}).items():
                if isinstance(held, bool | int | float) or _is_word(held):
                    found[f"{inner} of the record that {name} names"] = held  # type: ignore[assignment]  # checked
        elif not isinstance(value, str) or _is_word(value):
            found[name] = value
    return found


def _is_word(value: Json) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 40 and not is_name(value)


def _turned_outcomes(cases: Sequence[Case]) -> Iterator[tuple[str, Split]]:
    for outcome in sorted({case.outcome for case in cases if case.outcome}):
        done = [c for c in cases if c.outcome in {outcome, ""}]
        failed = [c for c in cases if c.outcome]
        for rows, what in ((done, "refusals"), (failed, "wording of refusals")):
            for where, split in _turned_cells(rows, outcome):
                yield f"{what} of calls {where}", split


def _turned_cells(cases: Sequence[Case], outcome: str) -> Iterator[tuple[str, Split]]:
    """Groups of calls with one feature alike in which the outcome turns."""
    whole = _split_of(cases, outcome)
    if whole is not None:
        yield "of any kind", whole
        return
    cells: dict[str, dict[Scalar, list[Case]]] = defaultdict(lambda: defaultdict(list))
    for case in cases:
        for name, value in case.features.items():
            cells[name][value].append(case)
    for name, by_value in sorted(cells.items()):
        found = (_split_of(group, outcome) for group in by_value.values())
        split = next((s for s in found if s is not None), None)
        split = split or _turned_range(by_value, outcome)
        if split is not None:
            yield f"by {name}", split


def _turned_range(by_value: dict[Scalar, list[Case]], outcome: str) -> Split | None:
    """A range of numbers in which the outcome turns: a limit that moved."""
    numbers = sorted(filter(is_number, by_value))
    if len(numbers) < EDGES or len(numbers) < len(by_value):
        return None
    edges = [numbers[i * (len(numbers) - 1) // EDGES] for i in range(EDGES + 1)]
    for width in range(EDGES, 0, -1):
        for low in range(EDGES + 1 - width):
            span = (edges[low], edges[low + width])
            group = [c for v in numbers if span[0] <= v <= span[1] for c in by_value[v]]
            split = _split_of(group, outcome, min_odds=RANGE_ODDS)
            if split is not None:
                return split
    return None


def _split_of(cases: Iterable[Case], outcome: str, **bars: int) -> Split | None:
    flags = (Flag(at=c.at, task=c.task, held=c.outcome == outcome) for c in cases)
    return find_split(flags, **bars)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """Two equal calls, one after the other."""

    left: Case
    right: Case

    @property
    def is_same(self) -> bool:
        return self.left.content == self.right.content

    def spans(self, low: int, high: int) -> bool:
        return self.left.at <= low and self.right.at >= high


def _turned_answers(cases: Sequence[Case]) -> Iterator[tuple[str, Split]]:
    """A moment that lies between the two calls of every unequal pair, and of too few pairs for that to be chance."""
    groups = lists_by_key((case.asked, case) for case in cases)
    pairs = [
        _Pair(left=left, right=right)
        for group in groups.values()
        for left, right in pairwise(sorted(group, key=lambda c: c.at))
        if left.at < right.at
    ]
    unlike = [p for p in pairs if not p.is_same]
    if len({p.left.asked for p in unlike}) < MIN_OPPOSED:
        return
    low, high = max(p.left.at for p in unlike), min(p.right.at for p in unlike)
    if low >= high:
        return
    calm = [p for p in pairs if p.is_same]
    share = sum(p.spans(low, high) for p in pairs) / len(pairs)
    before, after = sum(p.right.at <= low for p in calm), sum(p.left.at >= high for p in calm)
    if min(before, after) < MIN_CALM or share ** len(unlike) * len(pairs) > MAX_CHANCE:
        return
    tasks = [len({c.task for c in side}) for side in _sides(unlike)]
    if min(tasks) >= MIN_OPPOSED:
        yield (
            "answers to equal calls",
            Split(last_old=low, first_new=high, before=tasks[0], after=tasks[1], appears=True),
        )


def _sides(pairs: Iterable[_Pair]) -> tuple[list[Case], list[Case]]:
    listed = list(pairs)
    return [p.left for p in listed], [p.right for p in listed]
