"""What tells a resolved attempt from an unresolved one that left the world alike.

In: attempts at one end. Out: which unresolved ones are explained (they lack what all resolved ones have, or have a fault
that users do not forgive), and the checks for agreement that follow. What is not explained counts against the end.
"""

from __future__ import annotations

from collections.abc import Sequence

from environments.runtime.checks.calls import confirmed
from environments.runtime.checks.view import View
from environments.runtime.task.attempt import Json
from environments.runtime.task.rubric import AGREEMENT, Check
from synth.recordings.attempt_facts import Facts
from synth.recordings.traits import AppTraits
from synth.rubric.evidence import calls_args, required_check
from synth.rubric.facts.told_facts import (
    SharedFacts,
    facts_at,
    meaning,
    reckoned_facts,
    shared_facts,
)
from synth.rubric.habits import (
    NO_ACT,
    NO_READ,
    PREDICTED,
    enough,
    explains,
    faults_of,
    lacking,
    shared_acts,
    shared_reads,
    shared_words,
    unexplained,
)


def is_explained(bad: Facts, good: Sequence[Facts], traits: AppTraits) -> bool:
    """Whether something other than the end says why this attempt was not resolved."""
    if not good:
        return False
    own = frozenset[str]().union(*(faults_of(a, traits.kinds) for a in good))
    faults = (faults_of(bad, traits.kinds) - own) | lacking(bad, good, traits.everyday)
    if not facts_asked(good, traits).told_by(bad.told_facts):
        return True
    if _tells_groundless(bad, good, traits):
        return True
    if not asks_first(bad, traits) and all(asks_first(a, traits) for a in good):
        return True
    return bool(faults & set(traits.unforgiven)) or any(
        value not in bad.told for value in shared_answers(good)
    )


def _tells_groundless(bad: Facts, good: Sequence[Facts], traits: AppTraits) -> bool:
    """Whether a fact was told without a ground that no resolved attempt tells: no rubric of this app pays that."""
    own = {meaning(fact) for a in good for fact in a.told_facts.groundless}
    return any(
        fact.kind not in traits.groundless and meaning(fact) not in own
        for fact in bad.told_facts.groundless
    )


def facts_asked(good: Sequence[Facts], traits: AppTraits) -> SharedFacts:
    """The facts that this app's users expect to be told at this end.

    What all of several resolved attempts told, where those of the app tell alike; else what results show where nearly all tell it.
    """
    told = [a.told_facts for a in good]
    reckoned = reckoned_of(good)
    if reckoned.facts:
        return reckoned
    shared = shared_facts(told if traits.told_alike else [])
    if len(told) > 1 and shared.facts:
        return shared
    return facts_at(told, traits.told_places) or shared


def reckoned_of(good: Sequence[Facts]) -> SharedFacts:
    """The numbers that all of these worked out, where they neither changed anything nor told what results show."""
    if any(a.writes or not a.reads for a in good):
        return SharedFacts()
    return reckoned_facts([a.told_facts for a in good])


def asks_first(attempt: Facts, traits: AppTraits) -> bool:
    """Whether the user agreed before each change about which this app asks."""
    tools = set(traits.asked_before)
    if not any(tool in tools for tool, _ in attempt.writes):
        return True
    args: dict[str, Json] = {"tools": list[Json](traits.asked_before)}
    return confirmed(args, View(attempt.recorded.attempt), "")[0] == 1.0


def shared_answers(good: Sequence[Facts]) -> frozenset[float | str]:
    """Values that all of them told after being asked."""
    return frozenset.intersection(*(a.answers for a in good)) if good else frozenset()


def contrast_checks(good: Sequence[Facts], traits: AppTraits) -> list[Check]:
    """What users of this app expect of every attempt that leaves the world like these."""
    acts, reads = shared_acts(good), shared_reads(good)
    words = shared_words(good, traits.everyday)
    explained: dict[str, Json] = {
        "words": list[Json](words),
        "least": enough(words),
        "declines": True,
    }
    expected: list[tuple[str, str, bool, dict[str, Json]]] = [
        ("acted", NO_ACT, bool(acts), calls_args(sorted(acts), traits)),
        ("read", NO_READ, bool(reads), calls_args(sorted(reads), traits)),
        ("said", unexplained(good), explains(good, traits.everyday), explained),
    ]
    return [
        required_check(
            fn,
            {**args, "on_missing": traits.missing[fault], "after": PREDICTED},
            good,
            check_id=f"expected_{fn}",
            role=AGREEMENT,
        )
        for fn, fault, is_shared, args in expected
        if is_shared and fault in traits.missing
    ]
