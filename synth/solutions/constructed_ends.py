"""The right end of a request that nobody resolved, from how alike requests were resolved, bound to its own values.

In: the facts of all attempts of an app. Out: for an unresolved episode, the changes, acts and told values that would have
resolved it, with the episodes they come from and how often the same rule was right on resolved episodes left out of it.
Nothing where alike requests ended differently for no reason that is seen, where a value is not bound by exactly one
answer, or where the rule was not right often enough. Not here: running them (`tasks`), the gate.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.task.task import UserTurn
from environments.runtime.values.grouping import by_key
from synth.recordings.attempt_facts import Facts
from synth.recordings.known_values import Features, KnownValues, completed, id_shapes, known_of
from synth.recordings.sample import sample_evenly
from synth.recordings.tool_kinds import WRITE, ToolKinds
from synth.rubric.habits import faults_of
from synth.solutions.binder import NOT_BOUND, REFUSED, Binder, Starter
from synth.solutions.cases import ANSWER, Case, End, Signature, before_agreeing, case_of
from synth.solutions.fillers.revisions import (
    REVISED,
    Corrected,
    Revisions,
    corrected_arguments,
    left_idle,
)
from synth.solutions.fillers.supposed_choices import saying, suppose_turns
from synth.solutions.intents import Openings
from synth.solutions.plans import Plan, Step, Unbound
from synth.solutions.which_end import Wordings, differs, lacking, shared_features, side_of

FEWEST: Final = 4
"""Resolved episodes that a rule must have been right about."""
BELIEVED: Final = 0.85
"""How probably right (its expected share of right ones) a rule must be to be used."""
ALIKE: Final = 3
"""Neighbours that must have ended alike."""
UNOPPOSED: Final = 2
"""The same, where none ended differently and all of the end are changes, which the backend can refuse."""
MOSTLY: Final = 0.75
"""Share of the neighbours, without those whose end cannot be had here, that must have ended alike."""
SEVERAL: Final = 2
"""Changes of an end from which it is proven by its parts, where too few have had all of them."""
PRIOR: Final = 4
"""How many alike episodes the rule's success among all others counts as."""
TRIED: Final = 100
"""Resolved episodes of one end on which rules are tried; of more, so many spread over all."""


@dataclass(frozen=True, slots=True)
class _Trial:
    """What was foretold of a resolved episode."""

    signature: Signature
    right: bool
    sure: bool
    """Whether the backend is known to do it."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What one episode lets anybody know."""

    known: KnownValues
    found: tuple[Step, ...]
    """Reads that the episode did not make itself and that show more."""


@dataclass(frozen=True, slots=True)
class _BoundEnd:
    """An end bound to one episode."""

    alike: list[Case]
    end: End
    answers: tuple[UserTurn, ...]
    supposed: Corrected = field(default_factory=dict)


class Intents:
    """How an app's requests are resolved."""

    def __init__(self, attempts: Sequence[Facts], kinds: ToolKinds, start: Starter) -> None:
        self._kinds = kinds
        self._start = start
        self._cases = [case_of(a, kinds) for a in attempts if a.resolved is True]
        everything = [case.known for case in self._cases]
        self._shapes = id_shapes(everything)
        self._openings = Openings(
            [known.opening for known in everything], [case.end.signature for case in self._cases]
        )
        self._wordings = Wordings(everything)
        self._binder = Binder(self._cases, kinds, start)
        self._otherwise: dict[tuple[str, Signature], End | Unbound] = {}
        self._parts: dict[tuple[str, bool], float] = {}
        self._common: dict[Signature, Features] = {}
        self._revisions = Revisions(
            [case_of(a, kinds) for a in attempts if a.resolved is not None], self._openings
        )
        self._trials: dict[tuple[int, bool, bool], _Trial | None] = {}
        self._ends: dict[Signature, list[int]] = defaultdict(list)
        for index, case in enumerate(self._cases):
            self._ends[case.end.signature].append(index)
        sampled = (
            index for places in self._ends.values() for index in sample_evenly(places, TRIED)
        )
        self._sample = tuple(sorted(sampled))

    def construct(self, failed: Facts) -> Plan | Unbound:
        """The plan for one unresolved episode."""
        knowledge = self.knowledge(failed)
        known = knowledge.known
        near = self._near_cases(known)
        early = known.agreed is None
        idle = early and left_idle(failed)
        settled = self._bind_end(known, near, failed, idle=idle)
        if settled == NOT_BOUND and early:
            settled = self._suppose_end(known, near, failed, idle=idle)
        if isinstance(settled, Unbound):
            return settled
        alike, end = settled.alike, settled.end
        confidence = self._proof(end, near, early=early, idle=idle)
        if confidence < BELIEVED:
            return Unbound("rule_not_proven")
        return Plan(
            steps=end.steps,
            told=end.told,
            reads=knowledge.found,
            looks=frozenset.intersection(
                *(frozenset(r.tool for r in case.known.records) for case in alike)
            ),
            like=alike[0].facts,
            origin=tuple(sorted(case.facts.episode_id for case in alike)),
            confidence=round(confidence, 4),
            answers=settled.answers,
            corrected=self._corrected_arguments(known, alike) if early else {},
            supposed=settled.supposed,
        )

    def knowledge(self, failed: Facts) -> Knowledge:
        """What was said, and the records that were read or can be read at the episode's start."""
        seen = known_of(failed.recorded, self._kinds)
        known = completed(seen, self._start(failed), self._shapes)
        new = known.records[len(seen.records) :]
        return Knowledge(known, tuple(Step(tool=r.tool, arguments=r.arguments) for r in new))

    def ended_by(self, tools: Iterable[str]) -> list[Case]:
        """Resolved episodes that ended in calls of these tools."""
        return self._ended.get(tuple(sorted(tools)), [])

    @cached_property
    def _ended(self) -> dict[tuple[str, ...], list[Case]]:
        """The cases by the tools of their ends."""
        return by_key(
            (tuple(sorted(step.tool for step in case.end.steps)), case) for case in self._cases
        )

    def bound(
        self, step: Step, name: str, signature: Signature, *, known: KnownValues
    ) -> list[Json]:
        """What resolved episodes show one argument of a call to be, from what is known."""
        return self._binder.values_said(step, name, signature, known=known)

    def _bind_end(
        self, known: KnownValues, near: Sequence[int], failed: Facts, *, idle: bool
    ) -> _BoundEnd | Unbound:
        """The end, with what alike users answer of values that it rests on and this user never named."""
        chosen = self._choose_end(known, near, failed, idle=idle)
        if isinstance(chosen, Unbound):
            return chosen
        alike, end = chosen
        answers = self._binder.answers(known, end, alike) if known.agreed is None else ()
        return answers if isinstance(answers, Unbound) else _BoundEnd(alike, end, answers)

    def _suppose_end(
        self, known: KnownValues, near: Sequence[int], failed: Facts, *, idle: bool
    ) -> _BoundEnd | Unbound:
        """The end if the user had chosen as an alike one did, by as few words of theirs as bind it.

        Of changes only: a wish for something else, such as a person, is nobody's to borrow.
        """
        donors = [c for i in near if not self._acts((c := self._cases[i]).end.signature)]

        def saying_too(turns: Sequence[UserTurn], donor: Case) -> _BoundEnd | None:
            found = self._bind_end(saying(known, turns), near, failed, idle=idle)
            bound = isinstance(found, _BoundEnd) and found.end.signature == donor.end.signature
            return found if isinstance(found, _BoundEnd) and bound else None

        for one in suppose_turns(known, donors, name=failed.episode_id):
            turns, settled = one.turns, saying_too(one.turns, one.donor)
            if settled is None:
                continue
            for turn in one.turns:
                rest = tuple(t for t in turns if t is not turn)
                less = saying_too(rest, one.donor) if rest else None
                turns, settled = (rest, less) if less is not None else (turns, settled)
            rests = self._binder.unbound(known, settled.end, settled.alike)
            return replace(settled, answers=(*turns, *settled.answers), supposed=rests)
        return NOT_BOUND

    def alike_episodes(self, failed: Facts) -> frozenset[str]:
        """Resolved episodes whose users opened like this one's."""
        near = self._openings.nearest_to(known_of(failed.recorded, self._kinds).opening)
        return frozenset(self._cases[i].facts.episode_id for i in near)

    def foretold_peers(self) -> list[tuple[bool, frozenset[str]]]:
        """Resolved episodes whose end was foretold right, with their faults of process: peers of failed ones."""
        tried = ((i, self._foretell(i, early=False, idle=False)) for i in self._sample)
        return [
            (True, faults_of(self._cases[i].facts, self._kinds))
            for i, trial in tried
            if trial and trial.right
        ]

    def _proof(self, end: End, near: Sequence[int], *, early: bool, idle: bool) -> float:
        """How often this end was foretold rightly: of the most alike ones, and of all, which count as a few more.

        What the backend is known to do is not doubted because of ends of which nobody knows whether it refuses them.
        """
        signature = end.signature

        def rights(cases: Iterable[int]) -> list[bool]:
            trials = (self._foretell(index, early=early, idle=idle) for index in cases)
            return [
                t.right for t in trials if t and t.signature == signature and t.sure >= end.sure
            ]

        told = rights(self._sample)
        if told.count(True) < FEWEST:
            return self._part_by_part(signature, early=early) if all(told) else 0.0
        everywhere = (told.count(True) + 0.5) / (len(told) + 1)
        close = rights(near)
        return (close.count(True) + PRIOR * everywhere) / (len(close) + PRIOR)

    def _part_by_part(self, signature: Signature, *, early: bool) -> float:
        """How often the changes of an end were bound rightly wherever they were made: of several changes, too few are alike."""
        if len(signature) < SEVERAL or not all(signature):
            return 0.0
        return min(self._bound_rightly(tool, early=early) for tool in set(signature))

    def _bound_rightly(self, tool: str, *, early: bool) -> float:
        key = (tool, early)
        if key not in self._parts:
            cases = [c for c in self._cases if tool in c.end.signature]
            if early:
                cases = [c for c in cases if c.known.at_once is not False]
            ends = [
                (self._binder.bound(before_agreeing(c) if early else c.known, [c], c.facts), c.end)
                for c in sample_evenly(cases, TRIED)
            ]
            right = [self._binder.equal(e, end) for e, end in ends if isinstance(e, End)]
            enough = right.count(True) >= FEWEST
            self._parts[key] = (right.count(True) + 0.5) / (len(right) + 1) if enough else 0.0
        return self._parts[key]

    def _foretell(self, index: int, *, early: bool, idle: bool) -> _Trial | None:
        """What is foretold of one resolved episode as if it had failed; made once, when it is asked for.

        `early`: before its user agreed to anything; `idle`: and would not have been content with nothing.
        """
        key = (index, early, idle)
        if key not in self._trials:
            self._trials[key] = self._trial(index, early=early, idle=idle)
        return self._trials[key]

    def _trial(self, index: int, *, early: bool, idle: bool) -> _Trial | None:
        case = self._cases[index]
        if (early and case.known.at_once is False) or (idle and not case.end.signature):
            return None
        known = before_agreeing(case) if early else case.known
        near = self._near_cases(known, without=index)
        chosen = self._choose_end(known, near, case.facts, idle=idle)
        if isinstance(chosen, Unbound):
            return None
        end = chosen[1]
        return _Trial(end.signature, self._binder.equal(end, case.end), end.sure)

    def _near_cases(self, known: KnownValues, *, without: int | None = None) -> list[int]:
        """Alike requests; a user who was not asked yet is taken for one who agrees, as the task's user will."""
        near = self._openings.nearest_to(known.opening, without=without)
        early = known.agreed is None
        return [i for i in near if not early or self._cases[i].known.at_once is not False]

    def _choose_end(
        self, known: KnownValues, near: Sequence[int], facts: Facts, *, idle: bool
    ) -> tuple[list[Case], End] | Unbound:
        """The end that nearly all alike requests have which can have it here; `idle`: not that nothing happens."""
        ends = by_key((self._cases[index].end.signature, self._cases[index]) for index in near)
        if idle and self._revisions.nothing_contents(known.opening):
            # Nothing is what it got, and it was not content.
            ends.pop((), None)
        if not ends:
            return Unbound("no_request_like_it")
        bound = {s: self._binder.bound(known, alike, facts) for s, alike in ends.items()}
        possible = {
            s: a
            for s, a in ends.items()
            if bound[s] != REFUSED
            and not differs(known, shared_features([case.known for case in a]))
            and not differs(known, self._shared(s))
        }
        if not possible:
            return REFUSED
        signature, alike = max(possible.items(), key=lambda item: self._weight(known, item, ends))
        against = self._count_against(known, signature, possible)
        least = ALIKE if against or self._acts(signature) else UNOPPOSED
        if len(alike) < max(least, MOSTLY * (len(alike) + against)):
            return Unbound("alike_requests_end_differently")
        asked = known.agreed is not None
        if not asked and self._revisions.withdrawn(known.opening, signature, idle=idle) > REVISED:
            return Unbound("alike_users_withdrew")
        if alike[0].end.steps and ANSWER not in signature and _asks_besides(facts, alike):
            return Unbound("asks_something_besides")
        end = bound[signature]
        return end if isinstance(end, Unbound) else (alike, end)

    def _corrected_arguments(self, known: KnownValues, alike: Sequence[Case]) -> Corrected:
        """The arguments that alike users corrected when asked, where more did than can be left out of account."""
        shown = alike[0].end
        cases = sample_evenly(self._revisions.correcting(known.opening, shown.signature), TRIED)
        if not cases:
            return {}
        first = [self._binder.bound(before_agreeing(c), alike, c.facts) for c in cases]
        ends = [end if isinstance(end, End) else None for end in first]
        return corrected_arguments(zip(ends, (c.end for c in cases), strict=True), shown)

    def _weight(
        self,
        known: KnownValues,
        item: tuple[Signature, list[Case]],
        ends: Mapping[Signature, list[Case]],
    ) -> tuple[float, Signature]:
        signature, alike = item
        return len(alike) / (len(alike) + self._count_against(known, signature, ends)), signature

    def _count_against(
        self, known: KnownValues, signature: Signature, ends: Mapping[Signature, list[Case]]
    ) -> int:
        """Alike requests that ended differently although nothing seen kept them from this end."""
        mine = [case.known for case in ends[signature]]
        count = 0
        for other, cases in ends.items():
            if other == signature:
                continue
            theirs = [c.known for c in cases]
            if self._wordings.claims(known, mine, theirs):
                continue
            telling = self._wordings.telling(mine, theirs)
            shared = shared_features(mine)
            left = [
                c
                for c in cases
                if not self._kept_from(c, ends[signature])
                and not lacking(known, c.known, shared)
                and not lacking(known, c.known, self._shared(signature))
                and not self._wordings.explains(telling, known, c.known)
            ]
            if left and side_of(known, mine, [c.known for c in left]) is not True:
                count += len(left)
        return count

    def _acts(self, signature: Signature) -> bool:
        """Whether an end is made without a change, or not of changes alone."""
        tools = self._kinds.tools
        return not all(tool in tools and tools[tool].kind == WRITE for tool in signature or ("",))

    def _shared(self, signature: Signature) -> Features:
        """What all resolved episodes of an end have in common, however their users opened."""
        if signature not in self._common:
            cases = [self._cases[index].known for index in self._ends.get(signature, ())]
            self._common[signature] = shared_features(cases)
        return self._common[signature]

    def _kept_from(self, case: Case, alike: Sequence[Case]) -> bool:
        """Whether a resolved episode could not have had the other end: refused, or beyond all that had it."""
        key = (case.facts.episode_id, alike[0].end.signature)
        if key not in self._otherwise:
            self._otherwise[key] = self._binder.bound(case.known, alike, case.facts)
        end = self._otherwise[key]
        return end == REFUSED or (isinstance(end, Unbound) and end.limited)


def _asks_besides(facts: Facts, alike: Sequence[Case]) -> bool:
    """Whether the user wants to know a value that those who ended alike did not ask for."""
    return facts.asked and sum(case.facts.asked for case in alike) < len(alike) / 2
