"""The kind of check that decides a task: graders of one kind err alike, so what is known of some says something of the others.

In: a rubric and where its task comes from. Out: one name of a short list. Looks at required positive checks for reward only: the other ones
gate. Not here: how often a kind errs (`dagster_project.tasks.grader_trust`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.task.rubric import BOTH, REWARD, Rubric

REVIEWED: Final = "reviewed"
JUDGED: Final = "judged"
ALIKE: Final = "as_alike_requests"
CORRECTED: Final = "as_people_did"
WRITES_TEXT: Final = "writes_text"
CHANGES_AND_TELLS: Final = "changes_and_tells"
CHANGES: Final = "changes"
ANSWERS: Final = "answers"
TELLS: Final = "tells"
HANDS_OVER: Final = "hands_over"
EXPLAINS: Final = "explains"
DECLINES: Final = "user_declines"
LOOKS_UP: Final = "looks_up"
NOTHING: Final = "changes_nothing"

KINDS: Final[Mapping[str, str]] = {
    CHANGES: "the right records are changed",
    CHANGES_AND_TELLS: "the right records are changed and the user is told facts",
    WRITES_TEXT: "the right records are changed and a written text holds facts",
    ANSWERS: "the final answer is the right one",
    TELLS: "nothing is changed and the user is told facts",
    HANDS_OVER: "nothing is changed and the conversation is handed over",
    EXPLAINS: "nothing is changed and the user hears why",
    DECLINES: "nothing is changed, and the user was asked and said no",
    LOOKS_UP: "nothing is changed and the right record is read",
    NOTHING: "nothing is changed",
    JUDGED: "a judge says so",
    ALIKE: "the end is the one of alike requests",
    CORRECTED: "the end is the one that people say they reached",
    REVIEWED: "the checks are a reviewer's own",
}
"""Every kind, and what its checks ask, as words that go on a sentence."""

_FAMILIES: Final = (
    # A family and how the names of its functions begin.
    (WRITES_TEXT, ("text",)),
    (ANSWERS, ("answer",)),
    (CHANGES, ("end_state", "wrote", "changed")),
    (TELLS, ("told",)),
    (HANDS_OVER, ("acted", "called")),
    (EXPLAINS, ("said", "spoke")),
    (DECLINES, ("user_declines",)),
    (LOOKS_UP, ("read",)),
)


def kind_of(rubric: Rubric, provenance: Mapping[str, Json]) -> str:
    """What decides; a reviewer's own checks, and a right end that no attempt showed, are kinds of their own."""
    review = rubric.evidence.get("review")
    # Where only sentences were written anew, the checks are still the derived ones.
    if isinstance(review, Mapping) and review.get("own", True):
        return REVIEWED
    decides = {REWARD, BOTH}
    required = [c for c in rubric.checks if c.required and c.positive and c.role in decides]
    if any(check.fn == "judge" for check in required):
        return JUDGED
    if source := provenance.get("solution"):
        return ALIKE if source == "constructed" else CORRECTED
    found = {_family(check.fn) for check in required}
    if CHANGES in found and TELLS in found and WRITES_TEXT not in found:
        return CHANGES_AND_TELLS
    return next((family for family, _ in _FAMILIES if family in found), NOTHING)


def _family(function: str) -> str:
    """Loosely, by how a function's name begins: functions that come later find their family."""
    return next((f for f, begins in _FAMILIES if function.startswith(begins)), NOTHING)
