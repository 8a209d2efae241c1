"""Which tools that look by their name and traces change something all the same, learnt from outcomes.

In: the facts of an app's attempts by task. Out: tools not held for writers that count as such (`write`) or may (`maybe`). An unresolved
attempt speaks when a resolved one at the same task differs from it in calls of one such tool alone: a look that was made or left out spoils
nothing. Two resolved attempts that differ so speak against it, and clear tools that are held for writers by their name.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final

from synth.recordings.attempt_facts import Facts
from synth.recordings.failing_writers import PAIRS, Vote, kind_by_votes, proven
from synth.recordings.tool_kinds import MAYBE, WRITE, ToolKinds, kind_by_odds
from synth.rubric.ends import TRUSTED

CLEARED: Final = 2.0
"""Log-odds against a change of two resolved attempts of which only one made the call: one writer in eight is that idle."""
MOST_ATTEMPTS: Final = 20
"""Attempts at one task that are compared: more repeat themselves, and every pair is looked at."""

Calls = Counter[tuple[str, str]]


def hidden_writers(
    groups: Iterable[Sequence[Facts]],
    settled: Collection[str] = (),
    answered: Collection[str] = (),
) -> dict[str, str]:
    """Tools whose calls changed outcomes although they are held for looks or for nobody knows what.

    `settled` ones are known to change nothing; the learnt world answers `answered` ones as looks, so that it takes twice the proof.
    """
    votes: dict[str, list[Vote]] = defaultdict(list)
    for one, other in _judged_pairs(groups):
        tools = _differ_in(one, other)
        if len(tools) == 1 and not tools <= set(settled):
            votes[min(tools)].append(_vote(one, other))
    found = {tool: kind_by_votes(mine) for tool, mine in sorted(votes.items())}
    known = {tool: kind for tool, kind in found.items() if kind is not None}
    return {
        t: k for t, k in known.items() if t not in answered or proven(votes[t], pairs=2 * PAIRS)
    }


def harmless_tools(groups: Iterable[Sequence[Facts]], kinds: ToolKinds) -> dict[str, str]:
    """Tools held for writers, or of which nobody knows, that are less by outcomes: resolved attempts do with and without them."""
    cleared: Counter[str] = Counter()
    for one, other in _judged_pairs(groups):
        tools = _differ_in(one, other) or _only_change(one, other)
        for tool in tools if _vote(one, other).reliable else ():
            cleared[tool] += 1 if one.resolved and other.resolved else -1
    found = {}
    for name, count in sorted(cleared.items()):
        held = kinds.tools[name]
        if count > 0 and held.kind in {WRITE, MAYBE}:
            kind = kind_by_odds(held.log_odds - CLEARED * count)
            found.update({name: kind} if kind != held.kind else {})
    return found


def _judged_pairs(groups: Iterable[Sequence[Facts]]) -> Iterator[tuple[Facts, Facts]]:
    """Two attempts at one task, at least one of them resolved, whose outcomes are known."""
    for group in groups:
        judged = [a for a in group if a.resolved is not None][:MOST_ATTEMPTS]
        yield from ((a, b) for a, b in combinations(judged, 2) if a.resolved or b.resolved)


def _only_change(one: Facts, other: Facts) -> frozenset[str]:
    """The writer that only one of the two called, where nothing else changed; none where both did, more differs, or what was told may be why."""
    if not _tells_as_much(one, other):
        return frozenset()
    tools = {tool for tool, _ in (one.writes - other.writes) + (other.writes - one.writes)}
    both = {tool for tool, _ in one.writes} & {tool for tool, _ in other.writes}
    alone = len(tools) == 1 and not tools & both and one.acts == other.acts
    return frozenset(tools if alone else ())


def _vote(one: Facts, other: Facts) -> Vote:
    return Vote(
        contrasts=one.resolved is not other.resolved,
        reliable=all(a.label.confidence >= TRUSTED for a in (one, other)),
    )


def _differ_in(one: Facts, other: Facts) -> frozenset[str]:
    """The looks that tell the two apart; none where what was changed or told may be why."""
    if not _tells_as_much(one, other):
        return frozenset()
    if (one.writes, one.failed, one.acts) != (other.writes, other.failed, other.acts):
        return frozenset()
    mine, theirs = _looks(one), _looks(other)
    return frozenset(tool for tool, _ in (mine - theirs) + (theirs - mine))


def _tells_as_much(one: Facts, other: Facts) -> bool:
    """Whether an unresolved attempt told all figures of a resolved one, so that they are not why it failed."""
    good, bad = (one, other) if one.resolved else (other, one)
    return bool(bad.resolved) or _figures(good) <= bad.told


def _figures(facts: Facts) -> frozenset[float | str]:
    """What it told that is no plain word."""
    return frozenset(told for told in facts.told if any(map(str.isdigit, str(told))))


def _looks(facts: Facts) -> Calls:
    """Its calls of tools that are not held for writers; a look made twice is one."""
    return Counter(dict.fromkeys((*facts.reads, *facts.maybe), 1))
