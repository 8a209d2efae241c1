"""What each kind of attack earned on the tasks of one app: before the gate, and on the tasks that it accepted.

In: status and probes of each task, as the gate wrote them. Out: one row per kind of attack. A probe that proves nothing (its end
is an accepted one, or nobody knows it) is not counted as tried. Not here: the attacks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from environments.verification.probe import ONE
from environments.verification.sentences import family_of, probe_says
from environments.verify import ACCEPTED


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
