"""What alike users do when they are asked to agree: agree, correct a value, or want nothing any more.

In: alike attempts, resolved or not. Out: how many of those asked withdrew or corrected, and which arguments they corrected. A
user who would withdraw may be content with an attempt that did nothing and asked nobody: where an app's users are, one who
was not content did not want to withdraw. Not here: who is alike (`intents`), the right end (`constructed_ends`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from synth.recordings.attempt_facts import Facts
from synth.solutions.bindings import same_value
from synth.solutions.cases import DECLINED, Case, End, Signature
from synth.solutions.intents import Bag, Openings

REVISED: Final = 0.1
"""Share of alike users up to which one who was not asked yet is taken not to be among them."""
EVIDENCE: Final = 4
"""Users who were content with nothing, among those whose like withdraw when asked."""

PRIOR: Final = 4
"""Alike users whose corrections those of all users of an end weigh as much as."""
MOSTLY: Final = 0.5
"""Share of those who would withdraw from which one whom nothing did not content is taken to want something."""

Shown = tuple["Response | None", Signature, bool]
"""What one attempt shows: the response, the end, and whether its user was rightly told that it cannot be done."""

Corrected = Mapping[str, frozenset[str]]
"""Per tool, the arguments that alike users corrected."""


class Response(StrEnum):
    """What a user did when first asked to agree to a change."""

    AGREED = "agreed"
    CORRECTED = "corrected"
    WITHDREW = "withdrew"
    """Did not agree, and was content that nothing happened."""


@dataclass(frozen=True, slots=True)
class AskedAttempt:
    """One labelled attempt as evidence of what users do when asked."""

    case: Case
    response: Response | None
    """None where nobody asked, or nobody knows what it meant."""
    left_alone: bool
    """Asked nothing, got nothing, and was not refused."""

    @property
    def declined(self) -> bool:
        """Whether the user was rightly told that it cannot be done."""
        return self.case.facts.resolved is True and self.case.end.signature == (DECLINED,)


@dataclass(frozen=True, slots=True)
class Responses:
    """What several attempts show."""

    counted: Mapping[Shown, int]

    @property
    def withdrawals(self) -> int:
        """Attempts whose users withdrew."""
        return sum(n for (said, *_), n in self.counted.items() if said is Response.WITHDREW)

    @property
    def asked_or_declined(self) -> int:
        """Attempts whose users were asked, or were not because it cannot be done."""
        shown = self.counted.items()
        return sum(n for (said, _, declined), n in shown if said is not None or declined)


def asked_of(case: Case) -> AskedAttempt:
    """What one attempt shows, however it ended: who agreed and then met an agent that failed, agreed."""
    attempt, known = case.facts, case.known
    response = None
    if known.at_once:
        response = Response.AGREED
    elif known.agreed:
        response = Response.CORRECTED
    elif known.agreed is False and attempt.resolved and not may_have_changed(attempt):
        response = Response.WITHDREW
    alone = known.agreed is None and not may_have_changed(attempt)
    told = bool(case.end.signature) if attempt.resolved else attempt.declines
    return AskedAttempt(case, response, left_alone=alone and not told)


class Revisions:
    """What users of one app's requests do when they are asked to agree."""

    def __init__(self, attempts: Sequence[Case], openings: Openings) -> None:
        self._asked = [asked_of(case) for case in attempts]
        self._openings = openings
        self._placed = openings.place_bags(c.known.opening for c in attempts)
        self._near: dict[Bag, Responses] = {}

    def withdrawn(self, opening: str, signature: Signature, *, idle: bool) -> float:
        """How probably a user who was not asked would not want this end any more; `idle`: nothing did not content them."""
        share = _share_of(self._alike_responses(opening), Response.WITHDREW, signature)
        if not idle or not share:
            return share
        left = share * (1 - self._contented)
        return left / (left + 1 - share) if left else 0.0

    def nothing_contents(self, opening: str) -> bool:
        """Whether alike users who got nothing and were content are such as do not want it any more."""
        return self._alike_responses(opening).withdrawals > 0 and self._contented >= MOSTLY

    def correcting(self, opening: str, signature: Signature) -> list[Case]:
        """Resolved alike cases whose users corrected this end when asked; none where few do."""
        share = _share_of(self._everybody, Response.CORRECTED, signature)
        near = self._alike_responses(opening)
        if _share_of(near, Response.CORRECTED, signature, expected=share) <= REVISED:
            return []
        kinds = self._openings.near_among(self._openings.telling_words(opening), self._placed)
        places = sorted(place for kind in kinds for place in self._placed.places[kind])
        alike = _corrected_cases((self._asked[place] for place in places), signature)
        return alike or _corrected_cases(self._asked, signature)

    def _alike_responses(self, opening: str) -> Responses:
        """What all alike attempts show, resolved or not."""
        bag = self._openings.telling_words(opening)
        if bag not in self._near:
            kinds = self._openings.near_among(bag, self._placed)
            summed = self._counts[kinds].sum(axis=0)
            counted = zip(self._columns, summed.tolist(), strict=True)
            self._near[bag] = Responses({one: count for one, count in counted if count})
        return self._near[bag]

    @cached_property
    def _columns(self) -> tuple[Shown, ...]:
        return tuple(dict.fromkeys(map(_response_key, self._asked)))

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        """Per different opening and column, how many attempts showed it."""
        column = {one: number for number, one in enumerate(self._columns)}
        counts = np.zeros((len(self._placed.kinds), len(column)), dtype=np.int64)
        for kind, places in enumerate(self._placed.places):
            for place in places:
                counts[kind, column[_response_key(self._asked[place])]] += 1
        return counts

    @cached_property
    def _everybody(self) -> Responses:
        return Responses(Counter(map(_response_key, self._asked)))

    @cached_property
    def _contented(self) -> float:
        """The share of users who would withdraw when asked and are content where nobody asks and nothing happens.

        How many of those left alone would have withdrawn is expected from what alike users do who are asked, or are not
        because it cannot be done.
        """
        contented, expected = 0, 0.0
        for one in (a for a in self._asked if a.left_alone):
            near = self._alike_responses(one.case.known.opening)
            contented += one.case.facts.resolved is True and near.withdrawals > 0
            expected += near.withdrawals / near.asked_or_declined if near.asked_or_declined else 0.0
        return min(1.0, contented / (expected + 1)) if contented >= EVIDENCE else 0.0


def _response_key(one: AskedAttempt) -> Shown:
    return one.response, one.case.end.signature, one.declined


def _corrected_cases(asked: Iterable[AskedAttempt], signature: Signature) -> list[Case]:
    """The resolved cases of an end whose users corrected it."""
    return [
        a.case
        for a in asked
        if a.response is Response.CORRECTED
        and a.case.facts.resolved
        and a.case.end.signature == signature
    ]


def _share_of(
    near: Responses, response: Response, signature: Signature, *, expected: float = 0.0
) -> float:
    """The share of those who responded so, of all who were asked to agree to this end or withdrew.

    `expected`: the share among all users, whoever they are like; it weighs as much as a few who are alike.
    """
    asked = Counter[Response]()
    for (said, end, _), count in near.counted.items():
        if said is Response.WITHDREW or (said is not None and end == signature):
            asked[said] += count
    prior = PRIOR if expected else 0
    return (asked[response] + prior * expected) / (asked.total() + 1 + prior)


def left_idle(attempt: Facts) -> bool:
    """Whether a failed attempt left everything as it was."""
    return attempt.resolved is False and not may_have_changed(attempt)


def may_have_changed(attempt: Facts) -> bool:
    """Whether an attempt changed or may have changed anything, or acted otherwise."""
    return bool(attempt.writes or attempt.maybe or attempt.dirty or attempt.acts)


def corrected_arguments(pairs: Iterable[tuple[End | None, End]], shown: End) -> Corrected:
    """The arguments in which what users asked for first differs from what they got; all of an end's where none is seen.

    `pairs`: for users who corrected a change when asked, what it would have been without, and what it was.
    """
    found: dict[str, set[str]] = {}
    for asked_for, done in pairs:
        steps = asked_for.steps if asked_for is not None else ()
        for one, other in zip(steps, done.steps, strict=False):
            names = one.arguments.keys() | other.arguments.keys()
            differ = {
                n for n in names if not same_value(one.arguments.get(n), other.arguments.get(n))
            }
            if one.tool == other.tool and differ:
                found.setdefault(one.tool, set()).update(differ)
    if not found:
        found = {step.tool: set(step.arguments) for step in shown.steps}
    return {tool: frozenset(names) for tool, names in found.items()}
