"""What tells a resolved attempt from an unresolved one that left the world alike.

In: attempts at one end. Out: which unresolved ones are explained (they lack what all resolved ones have, or have a fault
that users do not forgive), and the checks for agreement that follow. What is not explained counts against the end.
"""

from __future__ import annotations

from collections.abc import Sequence

from environments.runtime.attempt import Json
from environments.runtime.check_end import Write
from environments.runtime.rubric import AGREEMENT, Check
from synth.rubric.facts import Facts
from synth.rubric.habits import faults_of
from synth.rubric.traits import AppTraits


def explained(bad: Facts, good: Sequence[Facts], traits: AppTraits) -> bool:
    """Whether something other than the end says why this attempt was not resolved."""
    if not good:
        return False
    own = frozenset[str]().union(*(faults_of(a, traits.kinds) for a in good))
    if faults_of(bad, traits.kinds) & traits.unforgiven - own:
        return True
    return (
        lacks_act(bad, good)
        or lacks_read(bad, good)
        or any(value not in bad.told for value in shared_answers(good))
    )


def shared_answers(good: Sequence[Facts]) -> frozenset[float | str]:
    """Values that all of them told after being asked."""
    return frozenset.intersection(*(a.answers for a in good)) if good else frozenset()


def shared_acts(good: Sequence[Facts]) -> frozenset[str]:
    """Acts that all of them made."""
    return frozenset.intersection(*(a.acts for a in good)) if good else frozenset()


def shared_reads(good: Sequence[Facts]) -> frozenset[Write]:
    """Reads that all of them made."""
    return frozenset.intersection(*(a.reads for a in good)) if good else frozenset()


def lacks_act(bad: Facts, good: Sequence[Facts]) -> bool:
    """Whether it made none of the acts that all resolved ones made."""
    shared = shared_acts(good)
    return bool(shared) and not shared & bad.acts


def lacks_read(bad: Facts, good: Sequence[Facts]) -> bool:
    """Whether it read nothing of what all resolved ones read."""
    shared = shared_reads(good)
    return bool(shared) and not shared & bad.reads


def contrast_checks(good: Sequence[Facts], bad: Sequence[Facts], traits: AppTraits) -> list[Check]:
    """Checks for agreement that separate resolved from unresolved attempts at one end."""
    checks = []
    acts, reads = shared_acts(good), shared_reads(good)
    if any(lacks_act(b, good) for b in bad):
        args: dict[str, Json] = {"tools": list[Json](sorted(acts))}
        checks.append(_check("acted", args, "The conversation is handed over.", good, bad))
    if any(lacks_read(b, good) for b in bad):
        rows: list[Json] = [[tool, arguments] for tool, arguments in sorted(reads)]
        args = {"any_of": rows, "ignore": traits.kinds.ignore()}
        checks.append(_check("read", args, "What the answer rests on is read.", good, bad))
    return checks


def _check(
    fn: str, args: dict[str, Json], says: str, good: Sequence[Facts], bad: Sequence[Facts]
) -> Check:
    return Check(
        check_id=f"expected_{fn}",
        fn=fn,
        args=args,
        role=AGREEMENT,
        required=True,
        says=says,
        support=len(good),
        origin=tuple(sorted(a.episode_id for a in (*good, *bad))),
    )
