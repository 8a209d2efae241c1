"""Which rollouts a person wants to see: by app, policy, task, and what they earned or why they earned nothing.

In: lines and a choice. Out: the lines that fit, those that need a look first. Pure.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from dagster_project.runs.run import Line
from environments.rollout.causes import CAUSES

NULL: Final = "null"
GOT: Final = ("rewarded", "failed", NULL, *(c.code for c in CAUSES.values() if c.is_null))
"""What `got` may name: a cause, or `null` for all causes without a reward."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What to show; an empty field chooses everything."""

    app: str = ""
    policy: str = ""
    task: str = ""
    """The beginning of a task's id."""
    got: str = ""
    """One of `GOT`."""

    def fits(self, line: Line) -> bool:
        """Whether a rollout is wanted."""
        row = line.row
        return (
            self.app in {"", row.app}
            and self.policy in {"", row.policy}
            and row.task_id.startswith(self.task)
            and self._earned(line)
        )

    def _earned(self, line: Line) -> bool:
        if self.got == NULL:
            return line.cause.is_null
        return self.got in {"", line.cause.code}


def choose_lines(lines: Iterable[Line], choice: Choice) -> list[Line]:
    """What fits: runs without a reward first, then failed ones, then the others; by policy, task and seed."""
    return sorted((line for line in lines if choice.fits(line)), key=_rank)


def _rank(line: Line) -> tuple[int, str, str, str, int]:
    row = line.row
    first = 0 if line.cause.is_null else 1 if not row.reward else 2
    return first, row.app, row.policy, row.task_id, row.seed


def earned(lines: Sequence[Line]) -> dict[str, int]:
    """How many rollouts each entry of `GOT` has; those without any are absent."""
    found = Counter(line.cause.code for line in lines)
    found[NULL] = sum(line.cause.is_null for line in lines)
    return {name: found[name] for name in GOT if found[name]}
