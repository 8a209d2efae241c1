"""What was left out because of faults, for people: one line per kind in a summary, a row each in the report, and what to send.

Comes in: `SkippedUnit` notes. Goes out: counts by what failed and where, and the text of a report to the maintainers.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from dagster_project.build.left_out import SkippedUnit

BUDGET: Final = "budget"
"""What stands in place of an error where a stage's budget left something out (`budgets`)."""
UNANSWERED: Final = "unanswered"
"""What stands in place of an error where a model gave no reply that could be used."""
STAGES: Final = {
    "arrival": "taking in what arrived",
    "spans": "folding repetitions",
    "episodes": "putting episodes together",
    "outcomes": "joining outcomes",
    "learnt": "learning what is personal",
    "clean_episodes": "redaction",
    "clean_outcomes": "redaction of outcomes",
    "failures": "looking for failures",
    "failure_clusters": "grouping failures",
    "worlds": "learning tools",
    "tasks": "deriving tasks",
    "verified_tasks": "attacking tasks",
    "agreement": "measuring agreement",
    "task_sets": "writing task sets",
    "difficulty": "estimating difficulty",
    "leak_check": "searching for identifiers",
    "report": "writing the report",
    "doctor": "looking at what arrived",
    "redact_days": "a stage as a whole",
    "make_tasks": "a stage as a whole",
    "export": "exporting",
}
INSTEAD: Final = {
    ("arrival", "file"): "what it says of other files' conversations is missing",
    ("arrival", "verdicts"): "what files say of each other's conversations is missing",
    ("failures", "model"): "the evidence names the causes",
    ("worlds", "tool"): "its recordings are told, and nothing else",
    ("worlds", "episode"): "the world was learnt without it",
    ("worlds", "app"): "there is no world, and no task of it is accepted",
    ("worlds", "held-out calls"): "how truly the world answers was not measured",
    ("learnt", "episode"): "it waits before the gate",
    ("learnt", "outcome"): "it waits before the gate",
    ("clean_episodes", "episode"): "it waits before the gate",
    ("clean_episodes", "day"): "all its episodes wait before the gate",
    ("clean_episodes", "app"): "all its episodes wait before the gate",
    ("clean_outcomes", "outcome"): "it waits before the gate",
    ("tasks", "task"): "there is no such task",
    ("tasks", "solution"): "the task has no solution and is not accepted",
    ("verified_tasks", "task"): "it needs review and is not exported",
    ("verified_tasks", "grader trust"): "no task is held back for its kind of check",
    ("task_sets", "task"): "it is not in the task set",
    ("leak_check", "app"): "nothing of it is exported until it was searched",
    ("report", "section"): "a sentence stands in its place",
}
"""What takes the place of what was left out, by stage and kind."""
SEND: Final = "stage, kind, error, place and version are all that is asked for; none of them holds data of yours"


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedRow:
    """Units of one kind that failed at one place."""

    stage: str
    kind: str
    error: str
    place: str
    version: str
    count: int
    apps: tuple[str, ...]
    units: tuple[str, ...]
    """Our ids of them, and names of tools."""

    @property
    def doing(self) -> str:
        """What was being done."""
        return STAGES.get(self.stage, self.stage)

    @property
    def replacement(self) -> str:
        """What takes their place."""
        if self.of_budget:
            return "its budget was spent: the next build goes on there"
        if self.unanswered:
            return "the evidence names it, and the next build with a model asks again"
        return INSTEAD.get((self.stage, self.kind), "it is made again by the next build")

    @property
    def report(self) -> str:
        """What to send to the maintainers; nothing where nothing failed."""
        if self.of_budget or self.unanswered:
            return ""
        return f"{self.stage}/{self.kind}: {self.error} at {self.place or 'a place that is not ours'} ({self.version})"

    @property
    def of_budget(self) -> bool:
        """Whether nothing failed: the stage's budget was spent."""
        return self.error == BUDGET

    @property
    def unanswered(self) -> bool:
        """Whether nothing of ours failed: a model did not answer as it was asked to."""
        return self.error == UNANSWERED

    @property
    def says(self) -> str:
        """One line for a summary."""
        if self.of_budget:
            return self._for_later()
        what = self.kind if self.count == 1 else f"{self.kind}s"
        if self.unanswered:
            return (
                f"without the model's opinion: {self.count} {what} of {', '.join(filter(None, self.apps))}, {self.doing}: "
                f"no reply that could be used came; {self.replacement}"
            )
        named = f" ({', '.join(self.units[:3])}{', ...' if len(self.units) > 3 else ''})"
        units = named if self.kind == "tool" else ""
        return (
            f"left out: {self.count} {what}{units} of {', '.join(filter(None, self.apps)) or 'this home'}, {self.doing}: "
            f"{self.error} at {self.place or 'a place that is not ours'}; {self.replacement}"
        )

    def _for_later(self) -> str:
        what = self.kind if self.count == 1 or self.kind.endswith("s") else f"{self.kind}s"
        return (
            f"left for later: {self.count} {what} of {', '.join(filter(None, self.apps))}, {self.doing}: the budget of {self.stage} was spent; "
            "tracegym build goes on there, with the same budget or another (--budget)"
        )


def rows_of(skipped: Iterable[SkippedUnit]) -> tuple[SkippedRow, ...]:
    """The notes by what failed and where, most first."""
    groups: dict[tuple[str, str, str, str, str], list[SkippedUnit]] = {}
    for one in skipped:
        key = (one.stage, one.kind, one.error, one.place, one.version)
        groups.setdefault(key, []).append(one)
    rows = [
        SkippedRow(
            stage=key[0],
            kind=key[1],
            error=key[2],
            place=key[3],
            version=key[4],
            count=len(group),
            apps=tuple(sorted({one.app for one in group})),
            units=tuple(sorted({one.unit for one in group if one.unit})),
        )
        for key, group in groups.items()
    ]
    return tuple(sorted(rows, key=lambda r: (-r.count, r.stage, r.kind, r.place, r.error)))


def lines_of(rows: Sequence[SkippedRow]) -> list[str]:
    """What a summary says: a line per kind and place, and how to report it; empty without any."""
    if not rows:
        return []
    told = [row.says for row in rows]
    faults = [row.report for row in rows if row.report]
    if not faults:
        return told
    sent = "; ".join(faults)
    return [*told, f"report it as a fault of tracegym: {sent} ({SEND})"]


def counts_of(skipped: Iterable[SkippedUnit], stages: Iterable[str], kind: str) -> int:
    """How many units of a kind some stages left out."""
    wanted = set(stages)
    return Counter(one.kind for one in skipped if one.stage in wanted)[kind]
