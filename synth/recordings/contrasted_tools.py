"""Which tools change something although they look otherwise, learnt from outcomes: looks and acts by their name and traces, and calls that failed.

In: the facts of an app's attempts by task. Out: tools that count as writers (`write`) or may (`maybe`): by their calls, or by their
failed ones (a crash after the row was written). An attempt speaks when another one at the same task differs from it in nothing else that
changes or tells anything: a look that was made or left out spoils nothing. Two resolved attempts that differ so speak against it, and clear
tools that are held for writers by their name. Not here: what a failed call leaves behind.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from environments.runtime.checks.view import numbers_in, plain_words
from synth.recordings.attempt_facts import Facts
from synth.recordings.tool_kinds import MAYBE, WRITE, ToolKinds, kind_by_odds
from synth.rubric.ends import TRUSTED

PAIRS: Final = 3
"""Attempts that must have ended otherwise than their like without the call."""
RATIO: Final = 0.9
"""Share of the attempts compared that must have."""
MOSTLY: Final = 0.5
"""Share above which it is left open."""
CLEARED: Final = 2.0
"""Log-odds against a change of two resolved attempts of which only one made the call: one writer in eight is that idle."""
MOST_ATTEMPTS: Final = 20
"""Attempts at one task that are compared: more repeat themselves, and every pair is looked at."""

Calls = Counter[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Vote:
    """What one comparison of attempts says of a tool."""

    contrasts: bool
    reliable: bool
    """Whether no label it rests on is often wrong."""
    alone: bool
    """Whether the unresolved told all words of the resolved as well, so that what they told is not why."""


def _vote(attempt: Facts, *alike: Facts) -> Vote:
    return Vote(
        alone=all(_tells_as_much(attempt, a, in_words=True) for a in alike),
        contrasts=all(a.resolved is not attempt.resolved for a in alike),
        reliable=all(a.label.confidence >= TRUSTED for a in (attempt, *alike)),
    )


def _kinds_by(votes: Mapping[str, Sequence[Vote]]) -> dict[str, str]:
    """What the calls of each tool are held to be, of those of which their votes say it."""
    judged = {tool: _kind_by(mine) for tool, mine in sorted(votes.items())}
    return {tool: kind for tool, kind in judged.items() if kind is not None}


def _kind_by(votes: Sequence[Vote]) -> str | None:
    """What the calls compared are held to be: proven by many; left open by a few, unless a wrong label or other words explain them as well."""
    if _is_proven(votes):
        return WRITE
    contrasts = [vote for vote in votes if vote.contrasts]
    lone = len(contrasts) == 1 and not contrasts[0].reliable
    explained = len(contrasts) < PAIRS and not any(vote.alone for vote in contrasts)
    return MAYBE if len(contrasts) > MOSTLY * len(votes) and not (lone or explained) else None


def _is_proven(votes: Sequence[Vote], *, pairs: int = PAIRS) -> bool:
    """Whether so many pairs of attempts, and nearly all that were compared, ended otherwise."""
    contrasts = sum(vote.contrasts for vote in votes)
    return contrasts >= pairs and contrasts >= RATIO * len(votes)


def failing_writers(groups: Iterable[Sequence[Facts]]) -> dict[str, str]:
    """Tools whose failed calls changed outcomes, as `write` where that is proven and as `maybe` where it is not."""
    votes: dict[str, list[Vote]] = defaultdict(list)
    for group in groups:
        for attempt in group:
            for tool in sorted({name for name, _ in attempt.failed}):
                vote = _vote_on_failures(attempt, tool, group)
                if vote is not None:
                    votes[tool].append(vote)
    return _kinds_by(votes)


def _vote_on_failures(attempt: Facts, tool: str, group: Sequence[Facts]) -> Vote | None:
    """Whether the failed calls of this tool went with another outcome; None where nothing can be compared."""
    alike = [a for a in group if a.resolved is not None and _fails_apart(tool, attempt, a)]
    if attempt.resolved is None or not any(a.resolved for a in (attempt, *alike)) or not alike:
        return None
    return _vote(attempt, *alike)


def _fails_apart(tool: str, attempt: Facts, other: Facts) -> bool:
    """Whether nothing but failed calls of this tool tells the two apart."""
    rest = Counter({call: n for call, n in attempt.failed.items() if call[0] != tool})
    return (
        other.failed == rest
        and (other.writes, other.maybe, other.acts) == (attempt.writes, attempt.maybe, attempt.acts)
        and _tells_as_much(attempt, other)
        and not (attempt.resolved and _refusal_words(tool, attempt) & attempt.told - other.told)
    )


def _refusal_words(tool: str, attempt: Facts) -> frozenset[float | str]:
    """The words and figures of the refusals that failed calls of a tool got: who passes them on tells more than who does not."""
    calls = (call for call in attempt.recorded.attempt.calls if call.name == tool)
    refusals = [one.result.content for one in calls if one.result.is_error]
    words = frozenset[float | str](word for text in refusals for word in plain_words(text))
    return words.union(number for text in refusals for number in numbers_in(text))


def hidden_writers(
    groups: Iterable[Sequence[Facts]],
    settled: Collection[str] = (),
    answered: Collection[str] = (),
) -> dict[str, str]:
    """Tools whose calls changed outcomes although they are held for looks, for acts that hand over, or for nobody knows what.

    `settled` ones are known to change nothing; the learnt world answers `answered` ones as looks, so that it takes twice the proof.
    """
    votes: dict[str, list[Vote]] = defaultdict(list)
    for one, other in _judged_pairs(groups):
        tools = _differ_in(one, other)
        if len(tools) == 1 and not tools <= set(settled):
            votes[min(tools)].append(_vote(one, other))
    return {
        tool: kind
        for tool, kind in _kinds_by(votes).items()
        if tool not in answered or _is_proven(votes[tool], pairs=2 * PAIRS)
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


def _differ_in(one: Facts, other: Facts) -> frozenset[str]:
    """The looks and acts that tell the two apart; none where what was changed or told may be why."""
    if not _tells_as_much(one, other):
        return frozenset()
    if (one.writes, one.failed) != (other.writes, other.failed):
        return frozenset()
    mine, theirs = _looks(one), _looks(other)
    return frozenset(tool for tool, _ in (mine - theirs) + (theirs - mine))


def _tells_as_much(one: Facts, other: Facts, *, in_words: bool = False) -> bool:
    """Whether an unresolved attempt told all figures of a resolved one, or all its words too, so that they are not why it failed."""
    good, bad = (one, other) if one.resolved else (other, one)
    return bool(bad.resolved) or (good.told if in_words else _figures(good)) <= bad.told


def _figures(facts: Facts) -> frozenset[float | str]:
    """What it told that is no plain word."""
    return frozenset(told for told in facts.told if any(map(str.isdigit, str(told))))


def _looks(facts: Facts) -> Calls:
    """Its calls of tools that are not held for writers; a look made twice is one."""
    return Counter(dict.fromkeys((*facts.reads, *facts.maybe, *facts.acts), 1))
