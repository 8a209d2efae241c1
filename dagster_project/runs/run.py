"""One rollout as people look at it: a line of the list, and everything that explains it.

In: rows of the lake, or lines of a file that `tracegym rollout --out` wrote. Out: frozen records. Texts stay raw: the template engine
escapes them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from environments.rollout.causes import CAUSES, Cause
from environments.rollout.explanation import GradedCheck


class RunRow(BaseModel):
    """A row of the table `rollouts`, without what only trainers read; a file's line is checked by it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    rollout_id: str
    app: str
    policy: str
    task_id: str
    task_version: str
    seed: int
    task_set_version: str = ""
    day: str = ""
    started_at: int = 0
    seconds: float = 0.0
    reward: float | None = None
    predicted: float | None = None
    reason: str | None = None
    passed: int | None = None
    graded: int | None = None
    total: int | None = None
    stop_reason: str | None = None
    error: str | None = None
    messages: int | None = None
    calls: int | None = None
    unknown: int | None = None
    user_unknown: int | None = None
    malformed: int | None = None
    simulated: int | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    cause: Annotated[str, Field(pattern=rf"^(?:{'|'.join(CAUSES)})$")]
    # Only where one rollout is opened:
    trajectory: str | None = None
    opening: int | None = None
    checks: str | None = None
    answers: str | None = None
    unanswered: str | None = None
    simulator: str | None = None
    user_model: str | None = None


LISTED: Final = tuple(
    name
    for name in RunRow.model_fields
    if name
    not in {"trajectory", "opening", "checks", "answers", "unanswered", "simulator", "user_model"}
)
"""Columns of the list; the others are read for one rollout at a time."""
OPENED: Final = tuple(RunRow.model_fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One rollout in the list."""

    row: RunRow
    """Without its conversation."""
    cause: Cause
    title: str
    """What its user wants, in their first words; empty where nobody knows."""

    @property
    def score(self) -> str:
        """Checks that passed, of those that were graded, such as `3 of 5`."""
        row = self.row
        return "" if row.total is None else f"{row.passed or 0} of {row.graded or 0}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterVerdict:
    """A verdict that another rubric gave to the same rollout later."""

    reward: float | None
    reason: str
    rubric: str
    """The rubric's hash."""
    same_run: bool
    """Whether the re-run met the same answers."""
    at: int
    """Nanoseconds since the epoch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRun:
    """One rollout with everything that explains it."""

    line: Line
    messages: Sequence[Mapping[str, Any]]
    """The conversation in OpenAI shape; empty where it cannot be read."""
    checks: tuple[GradedCheck, ...]
    answers: tuple[tuple[str, str], ...] | None
    """Tool and source of the answer to each call; None where nobody noted it."""
    unanswered: tuple[int, ...]
    """Places of messages with which the user had no answer."""
    later: tuple[LaterVerdict, ...] = ()
    """The latest first."""

    @property
    def sources(self) -> list[str] | None:
        """Where the answer to each call came from, in order of the calls."""
        return None if self.answers is None else [source for _, source in self.answers]


def line_of(row: RunRow, title: str) -> Line:
    """A row as the list shows it."""
    return Line(row=row, cause=CAUSES[row.cause], title=title)
