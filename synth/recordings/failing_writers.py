"""Which tools change something although they fail: a crash after the row was written, learnt from contrast.

In: the facts of an app's attempts by task. Out: tools whose failed calls count as changes (`write`) or may (`maybe`).
An attempt with a failed call speaks when another one at the same task differs from it in nothing else that changes or
tells anything. Not here: what a failed call leaves behind.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from synth.recordings.attempt_facts import Facts
from synth.recordings.tool_kinds import MAYBE, WRITE
from synth.rubric.ends import TRUSTED

PAIRS: Final = 3
"""Attempts that must have ended otherwise than their like without the failed call."""
RATIO: Final = 0.9
"""Share of the attempts compared that must have."""
MOSTLY: Final = 0.5
"""Share above which it is left open."""


def failing_writers(groups: Iterable[Sequence[Facts]]) -> dict[str, str]:
    """Tools whose failed calls changed outcomes, as `write` where that is proven and as `maybe` where it is not."""
    votes: dict[str, list[Vote]] = defaultdict(list)
    for group in groups:
        for attempt in group:
            for tool in sorted({name for name, _ in attempt.failed}):
                vote = _vote(attempt, tool, group)
                if vote is not None:
                    votes[tool].append(vote)
    judged = {tool: kind_by_votes(mine) for tool, mine in sorted(votes.items())}
    return {tool: kind for tool, kind in judged.items() if kind is not None}


@dataclass(frozen=True, slots=True)
class Vote:
    """What one comparison of attempts says of a tool."""

    contrasts: bool
    reliable: bool
    """Whether no label it rests on is often wrong."""


def _vote(attempt: Facts, tool: str, group: Sequence[Facts]) -> Vote | None:
    """Whether the failed calls of this tool went with another outcome; None where nothing can be compared."""
    alike = [a for a in group if a.resolved is not None and _differ_in(tool, attempt, a)]
    if attempt.resolved is None or not any(a.resolved for a in (attempt, *alike)) or not alike:
        return None
    return Vote(
        contrasts=all(a.resolved is not attempt.resolved for a in alike),
        reliable=all(a.label.confidence >= TRUSTED for a in (attempt, *alike)),
    )


def _differ_in(tool: str, attempt: Facts, other: Facts) -> bool:
    """Whether nothing but failed calls of this tool tells the two apart."""
    rest = Counter({call: n for call, n in attempt.failed.items() if call[0] != tool})
    good, bad = (attempt, other) if attempt.resolved else (other, attempt)
    return (
        other.failed == rest
        and (other.writes, other.maybe, other.acts) == (attempt.writes, attempt.maybe, attempt.acts)
        and good.answers <= bad.told
    )


def kind_by_votes(votes: Sequence[Vote]) -> str | None:
    """What the calls compared are held to be: proven by many; left open by a few, unless it is one contrast that a wrong label explains as well."""
    if proven(votes):
        return WRITE
    contrasts = [vote for vote in votes if vote.contrasts]
    lone = len(contrasts) == 1 and not contrasts[0].reliable
    return MAYBE if len(contrasts) > MOSTLY * len(votes) and not lone else None


def proven(votes: Sequence[Vote], *, pairs: int = PAIRS) -> bool:
    """Whether so many pairs of attempts, and nearly all that were compared, ended otherwise."""
    contrasts = sum(vote.contrasts for vote in votes)
    return contrasts >= pairs and contrasts >= RATIO * len(votes)
