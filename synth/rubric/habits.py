"""Faults of process: what an attempt can do wrong although it leaves the world as it should be.

In: facts of attempts. Out: names of the faults that one has (doing nothing at all, changing something that the user had
not agreed to, making one call over and over, leaving out what all resolved attempts with the same end do or say), and
the checks against them. Not here: which of them users of an app forgive (`forgiveness`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from environments.runtime.checks.calls import called, confirmed
from environments.runtime.checks.caps import repeats_at_most
from environments.runtime.checks.ends.terms import Write
from environments.runtime.checks.view import View
from environments.runtime.task.attempt import Json
from environments.runtime.task.rubric import AGREEMENT, BOTH, Check
from synth.recordings.attempt_facts import Facts
from synth.recordings.tool_kinds import WRITE, ToolKinds

PREDICTED: Final = "predicted_end"
"""The check that says whether the attempt ended like a resolved one; where it did not, nothing else is asked."""
IDLE: Final = "called"
UNCONFIRMED: Final = "confirmed"
LOOP: Final = "repeats_at_most"

NO_ACT: Final = "no_act"
"""None of the acts that all resolved attempts with the same end made."""
NO_READ: Final = "no_read"
"""Nothing read of what all resolved attempts with the same end read."""

NO_WORDS: Final = "no_words"
"""Nothing is changed or handed over or answered with a value, and neither the words with which resolved attempts
explain it were said nor a refusal in others."""

NO_REFUSAL: Final = "no_refusal"
"""The same where resolved attempts all say that it cannot be done: users who are content with nothing are no such users."""

FAULTS: Final = (IDLE, UNCONFIRMED, LOOP, NO_ACT, NO_READ, NO_WORDS, NO_REFUSAL)

FAIL: Final = "fail"
NULL: Final = "null"
SAME_CALL: Final = 3
MANY_WORDS: Final = 12
LEAST_WORDS: Final = 3
SHARE_OF_WORDS: Final = 0.4


def faults_of(attempt: Facts, kinds: ToolKinds) -> frozenset[str]:
    """The faults of process that one attempt has."""
    view = View(attempt.recorded.attempt)
    scores = {
        IDLE: called(_args(IDLE, kinds), view, ""),
        UNCONFIRMED: confirmed(_args(UNCONFIRMED, kinds), view, ""),
        LOOP: repeats_at_most(_args(LOOP, kinds), view, ""),
    }
    return frozenset(name for name, (score, _) in scores.items() if score == 0.0)


def same_end(one: Facts, other: Facts) -> bool:
    """Whether two attempts made the same writes."""
    return one.writes == other.writes


def lacking(
    attempt: Facts, good: Sequence[Facts], everyday: frozenset[str] = frozenset()
) -> frozenset[str]:
    """What it did not do although all of these did."""
    acts, reads = shared_acts(good), shared_reads(good)
    missing = {
        NO_ACT: bool(acts) and not acts & attempt.acts,
        NO_READ: bool(reads) and not reads & attempt.reads,
        unexplained(good): explains(good, everyday)
        and not attempt.declines
        and few_of(shared_words(good, everyday), attempt),
    }
    return frozenset(name for name, lacks in missing.items() if lacks)


def shared_acts(good: Sequence[Facts]) -> frozenset[Write]:
    """Acts that all of them made."""
    return frozenset.intersection(*(a.acts for a in good)) if good else frozenset()


def shared_reads(good: Sequence[Facts]) -> frozenset[Write]:
    """Reads that all of them made."""
    return frozenset.intersection(*(a.reads for a in good)) if good else frozenset()


def shared_words(good: Sequence[Facts], everyday: frozenset[str]) -> tuple[str, ...]:
    """The words with which all of them explain, in one message, that nothing is changed; empty where they are too few to tell."""
    if not good or any(a.writes for a in good):
        return ()
    shared = max(
        (_said_by_all(words - everyday, good) for words in good[0].explanations),
        key=_telling,
        default=frozenset[str](),
    )
    words = sorted(shared, key=lambda word: (-len(word), word))[:MANY_WORDS]
    return tuple(sorted(words)) if len(words) >= LEAST_WORDS else ()


def _said_by_all(words: frozenset[str], good: Sequence[Facts]) -> frozenset[str]:
    """The words of one message that a message of each of them says as well."""
    for attempt in good:
        words = max(
            (words & said for said in attempt.explanations), key=_telling, default=frozenset()
        )
    return words


def _telling(words: frozenset[str]) -> tuple[int, list[str]]:
    """Which of several sets of words says most; of equally many always the same."""
    return len(words), sorted(words)


def explains(good: Sequence[Facts], everyday: frozenset[str]) -> bool:
    """Whether an explanation is all there is: nothing is changed, and no act and no fact stands for the answer."""
    if not good or any(a.writes for a in good) or shared_acts(good):
        return False
    if frozenset.intersection(*(a.answers for a in good)):
        return False
    return bool(shared_words(good, everyday)) or all(a.declines for a in good)


def unexplained(good: Sequence[Facts]) -> str:
    """Which fault it is not to explain what all of these explain."""
    return NO_REFUSAL if all(a.declines for a in good) else NO_WORDS


def few_of(words: Sequence[str], attempt: Facts) -> bool:
    """Whether an attempt says too few of these words."""
    most = max((len(said.intersection(words)) for said in attempt.explanations), default=0)
    return most < enough(words)


def enough(words: Sequence[str]) -> int:
    """How many of the shared words make an explanation."""
    return max(LEAST_WORDS, round(SHARE_OF_WORDS * len(words)))


def habit_checks(
    good: Sequence[Facts], missing: Mapping[str, str], kinds: ToolKinds
) -> list[Check]:
    """Required negative checks against the faults that no resolved attempt at this task has.

    `missing` says what an attempt with a fault gets: `FAIL` or `NULL`.
    """
    own = frozenset[str]().union(*(faults_of(a, kinds) for a in good))
    return [
        Check(
            check_id=name,
            fn=name,
            args={**_args(name, kinds), "on_missing": missing[name], "after": PREDICTED},
            role=BOTH if missing[name] == FAIL else AGREEMENT,
            required=True,
            positive=False,
            support=len(good),
        )
        for name in sorted(set(missing) & {IDLE, UNCONFIRMED, LOOP} - own)
    ]


def _args(name: str, kinds: ToolKinds) -> dict[str, Json]:
    tools: Sequence[str] = kinds.tools_of(WRITE)
    args: dict[str, dict[str, Json]] = {
        IDLE: {"least": 1},
        UNCONFIRMED: {"tools": list[Json](tools)},
        LOOP: {"most": SAME_CALL},
    }
    return args[name]
