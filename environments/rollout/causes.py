"""Why a rollout earned what it earned: a code for each reason, and what to do about the ones that train nothing.

In: what is known of a run and its verdict. Out: one `Cause`. `cause_of` is the only place that decides, so that the
summary of a run, the card, the report and the page of rollouts always say the same. Not here: grading (`runtime.checks`),
what a run leaves behind for people (`explanation`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.play.environment import LIMIT as LIMIT_REACHED
from environments.runtime.play.environment import OFF_THE_MAP

REWARDED: Final = "rewarded"
FAILED: Final = "failed"
UNKNOWN_ANSWER: Final = "unknown_tool"
USER: Final = "user"
JUDGE: Final = "judge"
LIMIT: Final = "limit"
UNDECIDED: Final = "undecided"
ERROR: Final = "error"

_USER_REASON: Final = "user_unknown"
"""The condition that older rubrics name where a turn of the user that nobody knew masks a run."""
_JUDGE_FUNCTION: Final = "judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One reason for a reward or for none."""

    code: str
    title: str
    """A few words for a table."""
    says: str
    """The reason as one sentence."""
    remedy: str = ""
    """What to do about it; empty where nothing is wrong."""

    @property
    def short(self) -> str:
        """The title where the reader knows already that there is no reward."""
        return self.title.removeprefix("null: ")

    @property
    def is_null(self) -> bool:
        """Whether such a rollout has no reward."""
        return self.code not in {REWARDED, FAILED}


_ALL: Final = (
    Cause(code=REWARDED, title="rewarded", says="Every required check passed."),
    Cause(
        code=FAILED,
        title="failed checks",
        says="A required check failed: the reward is 0, or a quarter at most where the set pays the share.",
        remedy="see which checks fail: tracegym runs --got failed",
    ),
    Cause(
        code=UNKNOWN_ANSWER,
        title="null: unknown tool answer",
        says="A required check depends on a tool answer that nobody knows.",
        remedy=(
            'ingest more recordings of these tools, or let a model answer: TOOL = "simulate" in worlds.toml and --simulate MODEL'
        ),
    ),
    Cause(
        code=USER,
        title="null: user",
        says="The scripted user could not answer what the policy asked.",
        remedy="let a model play the user: --user-model MODEL",
    ),
    Cause(
        code=JUDGE,
        title="null: judge missing",
        says="A required check needs a judge's reply, and there is none.",
        remedy="ask a judge: --judge MODEL, or afterwards tracegym regrade TASKSET --judge MODEL",
    ),
    Cause(
        code=LIMIT,
        title="null: limit",
        says="The run reached a limit of its task before a required check could be decided.",
        remedy="see what the policy spends its calls and messages on: tracegym runs --got limit",
    ),
    Cause(
        code=UNDECIDED,
        title="null: rubric undecided",
        says="A required check cannot say whether this end is right, although every tool answer was known.",
        remedy="label alike attempts or edit the rubric: tracegym review",
    ),
    Cause(
        code=ERROR,
        title="null: error",
        says="A fault of the infrastructure broke the run.",
        remedy="run the same command again: it makes only these rollouts anew",
    ),
)
CAUSES: Final[Mapping[str, Cause]] = {cause.code: cause for cause in _ALL}
"""Every cause by its code, in the order in which tables show them."""
NULLS: Final = tuple(cause.code for cause in _ALL if cause.is_null)


def nulls_in_words(reasons: Mapping[str, int]) -> str:
    """Rollouts without a reward by cause, such as "52 unknown tool answer, 3 user"; "none" where there is none."""
    found = [f"{reasons[code]:,} {CAUSES[code].short}" for code in NULLS if reasons.get(code)]
    return ", ".join(found) or "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What decides the cause of one rollout."""

    reward: float | None
    """All or nothing, also where the task set pays the share."""
    reason: str
    """The verdict's."""
    stop_reason: str | None
    error: str | None = None
    unknown_answers: int = 0
    """Tool answers that nobody knew."""
    user_unknown: int = 0
    """Turns of the user that nobody knew."""
    undecided: Sequence[str] = ()
    """Functions of the required checks for the reward that were not graded."""


def cause_of(facts: Facts) -> Cause:
    """The one cause of a rollout's reward, or of its having none."""
    return CAUSES[_code_of(facts)]


def _code_of(facts: Facts) -> str:
    lost = facts.stop_reason == OFF_THE_MAP and facts.user_unknown > facts.unknown_answers
    by_user = facts.user_unknown > 0 and facts.reason.endswith(f": {_USER_REASON}")
    judged = bool(facts.undecided) and set(facts.undecided) == {_JUDGE_FUNCTION}
    rules = (
        (facts.error is not None, ERROR),
        (facts.reward is not None and facts.reward > 0, REWARDED),
        (facts.reward is not None, FAILED),
        (judged, JUDGE),
        (by_user or lost, USER),
        (facts.unknown_answers > 0, UNKNOWN_ANSWER),
        (facts.stop_reason == LIMIT_REACHED, LIMIT),
        (facts.user_unknown > 0 and not facts.undecided, USER),
    )
    return next((code for holds, code in rules if holds), UNDECIDED)
