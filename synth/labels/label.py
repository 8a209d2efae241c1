"""Labels: what an episode's outcomes say about it, by a written policy.

In: clean outcomes (several per episode, from users, business records, reviewers, code, models) and a policy. Out: one
label per episode: resolved, unresolved or unknown, with who said so and how far to trust it. An episode without
outcomes is unknown, never a failure; a model's or a program's score counts only where the policy says so.
Not here: joining outcomes to episodes (`ingest`), what failed (`failures`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from redact.records.clean_outcome import CleanOutcome
from synth.labels.policy import RANKS, OutcomePolicy

Statement = TypeVar("Statement")


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What an episode's outcomes say, together."""

    resolved: bool | None
    """None is unknown: no outcome, only unknown names, or an undecided contradiction."""
    confidence: float = 0.0
    """Probability that `resolved` is what the user got; 0 where it is None."""
    by: str | None = None
    """The kind of annotator that decided."""
    provenance: tuple[str, ...] = ()
    """Outcome ids that speak for the label."""
    against: tuple[str, ...] = ()
    """Outcome ids that say the opposite."""
    reason: str = ""


UNLABELLED: Final = Label(resolved=None, reason="no_outcome")


def label(outcomes: Sequence[CleanOutcome], policy: OutcomePolicy) -> Label:
    """The label of one episode: the most trusted kind of annotator decides, within it the latest."""
    votes = [vote for outcome in outcomes if (vote := _vote(outcome, policy)) is not None]
    if not votes:
        return Label(resolved=None, reason="no_known_outcome") if outcomes else UNLABELLED
    first = min(vote.rank for vote in votes)
    best = sorted((v for v in votes if v.rank == first), key=lambda v: v.at)
    latest = [vote for vote in best if vote.at == best[-1].at]
    if len({vote.good for vote in latest}) > 1:
        ids = tuple(vote.outcome_id for vote in latest)
        return Label(resolved=None, against=ids, reason="contradiction")
    good = latest[-1].good
    return Label(
        resolved=good,
        confidence=_confidence(votes, good=good),
        by=latest[-1].by,
        provenance=tuple(v.outcome_id for v in votes if v.good == good),
        against=tuple(v.outcome_id for v in votes if v.good != good),
        reason="agreed" if all(v.good == good for v in votes) else "overruled",
    )


def label_episodes(outcomes: Iterable[CleanOutcome], policy: OutcomePolicy) -> dict[str, Label]:
    """Labels by episode id; episodes without outcomes are not in it."""
    grouped: dict[str, list[CleanOutcome]] = {}
    for outcome in outcomes:
        grouped.setdefault(outcome.episode_id, []).append(outcome)
    return {episode_id: label(mine, policy) for episode_id, mine in sorted(grouped.items())}


def statements_of(
    outcomes: Iterable[CleanOutcome],
    read: Callable[[CleanOutcome], Statement | None],
    join: Callable[[Statement, Statement], Statement],
) -> dict[str, Statement]:
    """Per episode what `read` finds in its outcomes, joined; episodes in whose outcomes it finds nothing are not in it."""
    found: dict[str, Statement] = {}
    for outcome in sorted(outcomes, key=lambda o: o.outcome_id):
        said = read(outcome)
        if said is not None:
            name = outcome.episode_id
            found[name] = join(found[name], said) if name in found else said
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """What episodes cost, in one unit."""

    unit: str
    value: float


def amounts_of(
    outcomes: Iterable[CleanOutcome], policy: OutcomePolicy
) -> dict[str, tuple[Amount, ...]]:
    """What each episode cost by its outcomes, by unit; of one outcome the same value twice counts once."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for one in outcomes:
        rule = policy.rules.get(one.name)
        if rule is not None and rule.amount is not None and one.value is not None:
            by_unit = found.setdefault(one.episode_id, {}).setdefault(rule.amount, {})
            by_unit[one.outcome_id] = one.value
    return {key: added_up(units) for key, units in found.items()}


def added_up(units: Mapping[str, Mapping[str, float]]) -> tuple[Amount, ...]:
    """The sum in each unit."""
    return tuple(
        Amount(unit=unit, value=math.fsum(values.values()))
        for unit, values in sorted(units.items())
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Vote:
    good: bool
    rank: tuple[bool, int]
    """Names whose meaning is known go before those whose meaning is read from values; then by annotator."""
    at: int
    by: str
    noise: float
    outcome_id: str


def _vote(outcome: CleanOutcome, policy: OutcomePolicy) -> _Vote | None:
    good = None if policy.ignores(outcome) else policy.says(outcome)
    if good is None:
        return None
    rank = RANKS.get(outcome.by, RANKS["unknown"])
    at = outcome.at if outcome.at is not None else -1
    return _Vote(
        good=good,
        rank=(policy.is_read(outcome.name), rank),
        at=at,
        by=outcome.by,
        noise=policy.noise_of(outcome),
        outcome_id=outcome.outcome_id,
    )


def _confidence(votes: Sequence[_Vote], *, good: bool) -> float:
    """Odds of independent votes multiplied; the deciding kind keeps it at 0.5 or above."""
    odds = 1.0
    for vote in votes:
        noise = min(max(vote.noise, 1e-4), 0.4999)
        factor = (1 - noise) / noise
        odds *= factor if vote.good == good else 1 / factor
    return max(0.5, odds / (1 + odds))
