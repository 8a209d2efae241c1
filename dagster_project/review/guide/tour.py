"""The two-minute tour: six short texts, each shown on the page beside what it is about.

Comes in: the number of a step, and whether this browser ended the tour before. Goes out: the step to show. A cookie remembers the end; the
page keeps nothing about readers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

COOKIE: Final = "tracegym_review_tour"
SECONDS: Final = 365 * 24 * 3600
"""How long a browser remembers that the tour ended."""
QUEUE: Final = "queue"
TASK: Final = "task"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One text of the tour."""

    page: str
    """`QUEUE` or `TASK`."""
    beside: str
    """The part of that page it stands before."""
    title: str
    says: str


STEPS: Final = (
    Step(
        page=QUEUE,
        beside="queue",
        title="What waits for you",
        says=(
            "tracegym made tasks out of your agents' recorded conversations, each with checks that "
            "grade an attempt. A task that passes the gate does not need you. Those in this list did "
            "not pass, or were drawn for a second look; the most urgent one stands first. Open one "
            "to see why."
        ),
    ),
    Step(
        page=TASK,
        beside="talk",
        title="What happened",
        says=(
            "This is the recorded conversation. A line with a tool's name is a call; open it to see "
            "what the agent asked and what the tool answered. Other attempts at the same request "
            "have a tab each."
        ),
    ),
    Step(
        page=TASK,
        beside="verdict",
        title="Say what the user got",
        says=(
            "The rubric says one thing, the outcome that your systems reported may say another. You "
            "decide: did this user get what they came for? Press 1, 2 or 3. The page goes on to the "
            "next attempt by itself. When in doubt, say so: “Cannot tell” is no vote."
        ),
    ),
    Step(
        page=TASK,
        beside="rubric",
        title="Read the checks",
        says=(
            "Each line is one check, in a sentence made from what it compares. A tick means that the "
            "attempt on the left passes it. Is a check wrong, too strict, missing? Open it and change "
            "its fields. Nothing is saved before you have seen what changes for every attempt."
        ),
    ),
    Step(
        page=TASK,
        beside="decide",
        title="Accept it or leave it out",
        says=(
            "Accept a task when the checks pay exactly the attempts that deserve it. Leave it out "
            "when its request makes no sense to train on. The attacks below are what a cheating "
            "agent could try; a task that pays one of them cannot be accepted before its checks are "
            "changed."
        ),
    ),
    Step(
        page=QUEUE,
        beside="trust",
        title="What becomes of it",
        says=(
            "What you say takes effect with the next “tracegym build”. Here you see how often rubrics "
            "agree with reviewers, and reviewers with one another. The better they agree, the fewer "
            "tasks ask for a person. That is all. Thank you for your time."
        ),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TourPlace:
    """Where a reader is in the tour."""

    step: Step
    number: int
    total: int


def place_of(asked: str | None, cookies: Mapping[str, str], page: str) -> TourPlace | None:
    """The step to show on a page: the one that was asked for, or the first one to who never ended the tour."""
    number = int(asked) if asked and asked.isdecimal() and len(asked) < 3 else 0
    if asked is None and page == QUEUE and COOKIE not in cookies:
        number = 1
    if not 1 <= number <= len(STEPS) or STEPS[number - 1].page != page:
        return None
    return TourPlace(step=STEPS[number - 1], number=number, total=len(STEPS))


def address_of(number: int, task: str) -> str:
    """Where a step is shown; `task` is the address of a task."""
    at = "/" if STEPS[number - 1].page == QUEUE else task
    return f"{at}?tour={number}#tour"
