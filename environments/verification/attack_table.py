"""What each kind of attack earned on the tasks of one app, and what becomes of other ways of making the good attempt.

In: status and probes of each task, as the gate wrote them. Out: one row per kind of attack, and one per way. An attack that proves
nothing (its end is an accepted one, or nobody knows it) is not counted as tried; a way always is, because whoever takes it gets what
it gets. Not here: the attacks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from environments.runtime.values.grouping import by_key
from environments.verification.probe import ONE
from environments.verification.sentences import family_of, probe_says
from environments.verify import ACCEPTED

GOOD: Final = "good_attempt"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackRow:
    """One kind of attack on one app's tasks; all figures count tasks."""

    name: str
    says: str
    in_gate: bool
    """Others decide nothing: they measure how well the gate generalises."""
    tried: int
    paid: int
    """Tasks that would pay it, were there no gate."""
    tried_accepted: int
    paid_accepted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WayRow:
    """Another way of making the good attempt, on one app's accepted tasks; all figures count tasks."""

    name: str
    says: str
    tasks: int
    paid: int
    not_paid: int
    """Tasks that give it less than the good attempt, at least in one form."""
    unknown: int
    """Tasks where some form of it cannot be graded: the world does not know an answer."""


def way_rows(tasks: Iterable[tuple[str, Iterable[Mapping[str, Any]]]]) -> list[WayRow]:
    """Rows of the accepted ones of tasks given as (status, probes): those least often paid first."""
    found: dict[str, list[list[float | None]]] = {}
    for status, probes in tasks:
        here = by_key(
            (family_of(probe["name"]), probe["reward"])
            for probe in probes
            if status == ACCEPTED and probe["expected"] == ONE and probe["name"] != GOOD
        )
        for name, rewards in here.items():
            found.setdefault(name, []).append(rewards)
    rows = [_way_row(name, tried) for name, tried in found.items()]
    return sorted(rows, key=lambda row: (row.paid / row.tasks, row.says))


def _way_row(name: str, tried: Sequence[Sequence[float | None]]) -> WayRow:
    not_paid = sum(any(r is not None and r < 1 for r in rewards) for rewards in tried)
    paid = sum(all(r == 1 for r in rewards) for rewards in tried)
    return WayRow(
        name=name,
        says=probe_says(name),
        tasks=len(tried),
        paid=paid,
        not_paid=not_paid,
        unknown=len(tried) - paid - not_paid,
    )


def attack_rows(tasks: Iterable[tuple[str, Iterable[Mapping[str, Any]]]]) -> list[AttackRow]:
    """Rows of all tasks given as (status, probes): those paid most often first, then by what they do."""
    tried, paid = Counter[tuple[str, bool]](), Counter[tuple[str, bool]]()
    in_gate: dict[str, bool] = {}
    for status, probes in tasks:
        found: dict[str, bool] = {}
        for probe in probes:
            if probe["expected"] != ONE and not probe["void"]:
                name = family_of(probe["name"])
                in_gate[name] = probe["in_gate"]
                found[name] = found.get(name, False) or not probe["passed"]
        for name, was_paid in found.items():
            key = (name, status == ACCEPTED)
            tried[key] += 1
            paid[key] += was_paid
    rows = [
        AttackRow(
            name=name,
            says=probe_says(name),
            in_gate=decides,
            tried=tried[name, True] + tried[name, False],
            paid=paid[name, True] + paid[name, False],
            tried_accepted=tried[name, True],
            paid_accepted=paid[name, True],
        )
        for name, decides in in_gate.items()
    ]
    return sorted(rows, key=lambda row: (not row.in_gate, -row.paid, row.says))
