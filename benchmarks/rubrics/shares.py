"""What every attack of the gate earns where a task set pays the weighted share, on the tasks that the gate accepts.

In: homes that were built (`python -m benchmarks shares HOME...`); their tasks are derived and attacked anew. Out: a Markdown
table: for each family of probes how many were graded, their mean share, the largest part of the honest share, and how
many earn half of it or more. Families that all-or-nothing may pay (another route to the right end) stand apart.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from dagster_project.home.layout import Home, apps_of
from dagster_project.lake.clean_records import clean_episodes_of, labels_of, said_corrections_of
from dagster_project.lake.store import Lake
from dagster_project.tasks.verification import VerifiedTask, verify_all
from dagster_project.worlds.stored_worlds import world_of
from environments.verification.probe import ONE
from environments.verify import ACCEPTED, MOST_SHARE
from synth.tasks import derive_tasks

HEAD: Final = (
    "| family | expected | graded | paid by all-or-nothing | mean share | most of the honest share "
    "| half of it or more |\n|---|---|--:|--:|--:|--:|--:|"
)


@dataclass(slots=True)
class Family:
    """The probes of one kind over accepted tasks."""

    graded: int = 0
    paid: int = 0
    """Paid by all-or-nothing, too."""
    shares: list[float] = field(default_factory=list)
    parts: list[float] = field(default_factory=list)
    """Of the honest share."""

    def add(self, probe: dict[str, Any], honest: float) -> None:
        """Count one probe."""
        self.graded += 1
        self.paid += probe["reward"] > 0
        self.shares.append(probe["share"])
        self.parts.append(probe["share"] / honest)

    def row(self, name: str, expected: str) -> str:
        """A line of the table."""
        high = sum(part >= MOST_SHARE for part in self.parts)
        mean = sum(self.shares) / len(self.shares)
        return f"| {name} | {expected} | {self.graded} | {self.paid} | {mean:.3f} | {max(self.parts):.3f} | {high} |"


def main() -> int:
    """Measure the homes named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("homes", nargs="+", type=Path)
    options = parser.parse_args()
    found: dict[tuple[str, str], Family] = defaultdict(Family)
    for path in options.homes:
        started = time.process_time()
        for app, tasks in _verified(Home(path=path)):
            accepted = [one for one in tasks if one.status == ACCEPTED]
            for one in accepted:
                _count(one, found)
            honest = [one.probes[0]["share"] for one in accepted]
            spent = time.process_time() - started
            print(
                f"{path.name} {app}: {len(accepted)} of {len(tasks)} accepted, "
                f"{honest.count(1.0)} honest shares of 1, {spent:.0f} s of processor time"
            )
    print(f"\n{HEAD}")
    for (expected, name), family in sorted(found.items()):
        print(family.row(name, expected))
    return 0


def _verified(home: Home) -> Iterator[tuple[str, Sequence[VerifiedTask]]]:
    lake = Lake(home.clean / "lake")
    for app in apps_of(home):
        world = world_of(lake, app)
        candidates = derive_tasks(
            clean_episodes_of(lake, app),
            labels_of(lake, app, home.outcome_policy),
            world,
            corrections=said_corrections_of(lake, app, home.outcome_policy),
        )
        yield app, verify_all(candidates, world, known={})


def _count(one: VerifiedTask, found: dict[tuple[str, str], Family]) -> None:
    """The probes of one accepted task that prove something."""
    honest = float(one.probes[0]["share"])
    for probe in one.probes[1:]:
        if probe["void"] or probe["reward"] is None:
            continue
        name = probe["name"].rstrip("0123456789").rstrip("_")
        name = "changes one argument" if name.startswith("changes") else name.replace("_", " ")
        where = "" if probe["in_gate"] or probe["expected"] == ONE else " (kept out)"
        found[probe["expected"] + where, name].add(dict(probe), honest)


if __name__ == "__main__":
    sys.exit(main())
