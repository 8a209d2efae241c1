"""Which tools that look by their name and traces change something all the same, learnt from outcomes.

In: the facts of an app's attempts by task. Out: tools not held for writers that count as such (`write`) or may (`maybe`). An unresolved
attempt speaks when a resolved one at the same task differs from it in calls of one such tool alone: a look that was made or left out spoils
nothing. Two resolved attempts that differ so speak against it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

from synth.recordings.attempt_facts import Facts
from synth.recordings.failing_writers import Vote, kind_by_votes
from synth.rubric.ends import TRUSTED

Calls = Counter[tuple[str, str]]


def hidden_writers(
    groups: Iterable[Sequence[Facts]], settled: Collection[str] = ()
) -> dict[str, str]:
    """Tools whose calls changed outcomes although they are held for looks or for nobody knows what; `settled` ones are known to change nothing."""
    votes: dict[str, list[Vote]] = defaultdict(list)
    for group in groups:
        judged = [a for a in group if a.resolved is not None]
        for one, other in combinations(judged, 2):
            tool = _differ_in(one, other)
            if tool and tool not in settled:
                votes[tool].append(_vote(one, other))
    found = {tool: kind_by_votes(mine) for tool, mine in sorted(votes.items())}
    return {tool: kind for tool, kind in found.items() if kind is not None}


def _vote(one: Facts, other: Facts) -> Vote:
    return Vote(
        contrasts=one.resolved is not other.resolved,
        reliable=all(a.label.confidence >= TRUSTED for a in (one, other)),
    )


def _differ_in(one: Facts, other: Facts) -> str:
    """The tool whose calls alone tell the two apart; empty where it is none, or where what was told may be why."""
    good, bad = (one, other) if one.resolved else (other, one)
    if not good.resolved or not _figures(good) <= bad.told:
        return ""
    if (one.writes, one.failed, one.acts) != (other.writes, other.failed, other.acts):
        return ""
    mine, theirs = _looks(one), _looks(other)
    tools = {tool for tool, _ in (mine - theirs) + (theirs - mine)}
    return tools.pop() if len(tools) == 1 else ""


def _figures(facts: Facts) -> frozenset[float | str]:
    """What it told that is no plain word."""
    return frozenset(told for told in facts.told if any(map(str.isdigit, str(told))))


def _looks(facts: Facts) -> Calls:
    """Its calls of tools that are not held for writers; a look made twice is one."""
    return Counter(dict.fromkeys((*facts.reads, *facts.maybe), 1))
