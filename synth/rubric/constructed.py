"""The right end of a request that nobody resolved, from how alike requests were resolved, bound to its own values.

In: the facts of all attempts of an app. Out: for an unresolved episode, the changes, acts and told values that would have
resolved it, with the episodes they come from and how often the same rule was right on resolved episodes left out of it.
Nothing where alike requests ended differently for no reason that is seen, where a value is not bound by exactly one
answer, or where the rule was not right often enough. Not here: running them (`tasks`), the gate.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.attempt import UNKNOWN, Json
from environments.runtime.check_arguments import canonical_arguments
from synth.rubric.bindings import bind, same, sources_of
from synth.rubric.cases import ANSWER, Case, End, Signature, before_agreeing, case_of
from synth.rubric.conditions import differs, excused, side_of
from synth.rubric.facts import Facts
from synth.rubric.guarded import Source
from synth.rubric.habits import faults_of
from synth.rubric.intents import Openings
from synth.rubric.known import (
    Example,
    Known,
    Reader,
    completed,
    id_shapes,
    known_of,
)
from synth.rubric.meant import Meanings
from synth.rubric.plans import Plan, Step, Unbound, given_ids
from synth.rubric.revisions import (
    REVISED,
    Corrected,
    Revisions,
    corrected_arguments,
    left_idle,
)
from synth.rubric.tool_kinds import ToolKinds
from synth.rubric.wordings import Wordings

FEWEST: Final = 4
"""Resolved episodes that a rule must have been right about."""
BELIEVED: Final = 0.85
"""How probably right (its expected share of right ones) a rule must be to be used."""
ALIKE: Final = 3
"""Neighbours that must have ended alike."""
MOSTLY: Final = 0.75
"""Share of the neighbours, without those whose end cannot be had here, that must have ended alike."""
PRIOR: Final = 4
"""How many alike episodes the rule's success among all others counts as."""


@dataclass(frozen=True, slots=True)
class _Trial:
    """What was foretold of a resolved episode."""

    signature: Signature
    right: bool


@dataclass(frozen=True, slots=True)
class _Answer:
    value: Json


REFUSED: Final = Unbound("refused_by_the_backend")
Starter = Callable[[Facts], Reader]
"""The backend at an attempt's start."""


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
        self._sources = self._learn()
        self._ranges = _ranges([case.end for case in self._cases])
        self._refusals: dict[tuple[str, Signature], bool] = {}
        self._revisions = Revisions(
            [case_of(a, kinds) for a in attempts if a.resolved is not None], self._openings
        )
        self._trials: dict[tuple[bool, bool], list[_Trial | None]] = {}

    def construct(self, failed: Facts) -> Plan | Unbound:
        """The plan for one unresolved episode."""
        seen = known_of(failed.recorded, self._kinds)
        known = completed(seen, self._start(failed), self._shapes)
        near = self._near(known)
        early = known.agreed is None
        idle = early and left_idle(failed)
        chosen = self._chosen(known, near, failed, idle=idle)
        if isinstance(chosen, Unbound):
            return chosen
        alike, end = chosen
        confidence = self._proof(end.signature, near, early=early, idle=idle)
        if confidence < BELIEVED:
            return Unbound("rule_not_proven")
        return Plan(
            steps=end.steps,
            told=end.told,
            reads=tuple(
                Step(tool=r.tool, arguments=r.arguments) for r in known.records[len(seen.records) :]
            ),
            looks=frozenset.intersection(
                *(frozenset(r.tool for r in case.known.records) for case in alike)
            ),
            like=alike[0].facts,
            origin=tuple(sorted(case.facts.episode_id for case in alike)),
            confidence=round(confidence, 4),
            corrected=self._corrected(known, alike) if early else {},
        )

    def alike(self, failed: Facts) -> frozenset[str]:
        """Resolved episodes whose users opened like this one's."""
        near = self._openings.near(known_of(failed.recorded, self._kinds).opening)
        return frozenset(self._cases[i].facts.episode_id for i in near)

    def seen(self) -> list[tuple[bool, frozenset[str]]]:
        """Resolved episodes whose end was foretold right, with their faults of process: peers of failed ones."""
        results = zip(self._cases, self._tried(early=False, idle=False), strict=True)
        return [
            (True, faults_of(c.facts, self._kinds)) for c, trial in results if trial and trial.right
        ]

    def _proof(
        self, signature: Signature, near: Sequence[int], *, early: bool, idle: bool
    ) -> float:
        """How often this end was foretold rightly: of the most alike ones, and of all, which count as a few more."""
        trials = self._tried(early=early, idle=idle)
        told = [t.right for t in trials if t and t.signature == signature]
        if told.count(True) < FEWEST:
            return 0.0
        everywhere = (told.count(True) + 0.5) / (len(told) + 1)
        close = [t.right for t in (trials[i] for i in near) if t and t.signature == signature]
        return (close.count(True) + PRIOR * everywhere) / (len(close) + PRIOR)

    def _learn(self) -> dict[tuple[str, str, Signature], tuple[Source, ...]]:
        """Sources per tool and argument, over all ends, per end, and per choice that the call makes beside it."""
        examples: dict[tuple[str, str, Signature], list[Example]] = defaultdict(list)
        for case in self._cases:
            for call, known in zip(case.end.steps, case.before, strict=True):
                for name, value in self._mattering(call).items():
                    others = tuple(v for n, v in call.arguments.items() if n != name)
                    example = Example(known, value, others)
                    examples[call.tool, name, ()].append(example)
                    examples[call.tool, name, case.end.signature].append(example)
                    for choice in _choices(call.arguments, name):
                        examples[call.tool, name, choice].append(example)
        meanings = Meanings([e for (_, _, s), found in examples.items() if not s for e in found])
        return {key: sources_of(found, meanings) for key, found in examples.items()}

    def _tried(self, *, early: bool, idle: bool) -> list[_Trial | None]:
        """Trials are made once, when they are asked for."""
        key = (early, idle)
        if key not in self._trials:
            self._trials[key] = self._trial(early=early, idle=idle)
        return self._trials[key]

    def _trial(self, *, early: bool, idle: bool) -> list[_Trial | None]:
        """Every resolved episode as if it had failed.

        `early`: before its user agreed to anything; `idle`: and would not have been content with nothing.
        """
        results: list[_Trial | None] = []
        for index, case in enumerate(self._cases):
            if (early and case.known.at_once is False) or (idle and not case.end.signature):
                results.append(None)
                continue
            known = before_agreeing(case) if early else case.known
            near = self._near(known, without=index)
            chosen = self._chosen(known, near, case.facts, idle=idle)
            results.append(
                None
                if isinstance(chosen, Unbound)
                else _Trial(chosen[1].signature, self._equal(chosen[1], case.end))
            )
        return results

    def _near(self, known: Known, *, without: int | None = None) -> list[int]:
        """Alike requests; a user who was not asked yet is taken for one who agrees, as the task's user will."""
        near = self._openings.near(known.opening, without=without)
        early = known.agreed is None
        return [i for i in near if not early or self._cases[i].known.at_once is not False]

    def _chosen(
        self, known: Known, near: Sequence[int], facts: Facts, *, idle: bool
    ) -> tuple[list[Case], End] | Unbound:
        """The end that nearly all alike requests have which can have it here; `idle`: not that nothing happens."""
        ends: dict[Signature, list[Case]] = defaultdict(list)
        for index in near:
            ends[self._cases[index].end.signature].append(self._cases[index])
        if idle and self._revisions.nothing_contents(known.opening):
            # Nothing is what it got, and it was not content.
            ends.pop((), None)
        if not ends:
            return Unbound("no_request_like_it")
        bound = {s: self._bound(known, alike, facts) for s, alike in ends.items()}
        possible = {
            s: a
            for s, a in ends.items()
            if bound[s] != REFUSED and not differs(known, [case.known for case in a])
        }
        if not possible:
            return REFUSED
        signature, alike = max(possible.items(), key=lambda item: self._weight(known, item, ends))
        against = self._against(known, signature, possible)
        if len(alike) < max(ALIKE, MOSTLY * (len(alike) + against)):
            return Unbound("alike_requests_end_differently")
        asked = known.agreed is not None
        if not asked and self._revisions.withdrawn(known.opening, signature, idle=idle) > REVISED:
            return Unbound("alike_users_withdrew")
        if alike[0].end.steps and ANSWER not in signature and _asks_besides(facts, alike):
            return Unbound("asks_something_besides")
        end = bound[signature]
        return end if isinstance(end, Unbound) else (alike, end)

    def _corrected(self, known: Known, alike: Sequence[Case]) -> Corrected:
        """The arguments that alike users corrected when asked, where more did than can be left out of account."""
        shown = alike[0].end
        cases = self._revisions.correcting(known.opening, shown.signature)
        if not cases:
            return {}
        first = [self._bound(before_agreeing(c), alike, c.facts) for c in cases]
        ends = [end if isinstance(end, End) else None for end in first]
        return corrected_arguments(zip(ends, (c.end for c in cases), strict=True), shown)

    def _weight(
        self,
        known: Known,
        item: tuple[Signature, list[Case]],
        ends: Mapping[Signature, list[Case]],
    ) -> tuple[float, Signature]:
        signature, alike = item
        return len(alike) / (len(alike) + self._against(known, signature, ends)), signature

    def _against(
        self, known: Known, signature: Signature, ends: Mapping[Signature, list[Case]]
    ) -> int:
        """Alike requests that ended differently although nothing seen kept them from this end."""
        mine = [case.known for case in ends[signature]]
        count = 0
        for other, cases in ends.items():
            if other == signature:
                continue
            telling = self._wordings.telling(mine, [c.known for c in cases])
            left = [
                c
                for c in cases
                if not self._refused(c, ends[signature])
                and not excused(known, c.known, mine)
                and not self._wordings.explains(telling, known, c.known)
            ]
            if left and side_of(known, mine, [c.known for c in left]) is not True:
                count += len(left)
        return count

    def _refused(self, case: Case, alike: Sequence[Case]) -> bool:
        """Whether the backend would have refused a resolved episode the other end."""
        key = (case.facts.episode_id, alike[0].end.signature)
        if key not in self._refusals:
            self._refusals[key] = self._bound(case.known, alike, case.facts) == REFUSED
        return self._refusals[key]

    def _bound(self, known: Known, alike: Sequence[Case], facts: Facts) -> End | Unbound:
        """An end with the episode's own values, if the backend does not refuse it."""
        shown = alike[0].end
        told: tuple[Json, ...] = ()
        if shown.told or not shown.steps:
            answered = self._answered(known, alike)
            if isinstance(answered, Unbound):
                return answered
            told = (answered.value,)
        steps = self._steps(shown, known)
        if steps is None:
            return Unbound("value_not_bound")
        if any(not self._seen(s.tool, n, v) for s in steps for n, v in s.arguments.items()):
            return Unbound("beyond_what_was_seen")
        session = self._start(facts)
        for step in steps:
            result = session.call(step.tool, step.arguments)
            if result.is_error and result.source != UNKNOWN:
                return REFUSED
        return End(tuple(steps), told)

    def _steps(self, shown: End, known: Known) -> list[Step] | None:
        """The changes of an end, with this episode's values."""
        steps: list[Step] = []
        for tool in dict.fromkeys(step.tool for step in shown.steps):
            calls = [step for step in shown.steps if step.tool == tool]
            for given in given_ids(calls, known):
                arguments = self._arguments(calls[0], shown.signature, known, given)
                if arguments is None:
                    return None
                steps.append(Step(tool=tool, arguments=arguments))
        return steps if len(steps) == len(shown.steps) else None

    def _answered(self, known: Known, alike: Sequence[Case]) -> _Answer | Unbound:
        """The one value that is told, found where the alike ones found theirs."""
        if len(alike[0].end.told) != 1:
            return Unbound("nothing_to_bind")
        examples = [Example(c.known, c.end.told[0], ()) for c in alike if c.known is not known]
        value = bind(sources_of(examples), known, ())
        return Unbound("value_not_bound") if value is None else _Answer(value)

    def _arguments(
        self, call: Step, signature: Signature, known: Known, given: Mapping[str, Json]
    ) -> dict[str, Json] | None:
        """Every argument that matters, bound; the agent's own wording as in the neighbour."""
        wanted = self._mattering(call)
        bound = dict(given)
        for _ in wanted:
            for name in sorted(wanted.keys() - bound.keys()):
                found = self._values(call.tool, name, signature, known=known, bound=bound)
                if any(not same(value, found[0]) for value in found):
                    return None
                if found:
                    bound[name] = found[0]
        if bound.keys() != wanted.keys():
            return None
        return {**{n: v for n, v in call.arguments.items() if n not in wanted}, **bound}

    def _seen(self, tool: str, name: str, value: Json) -> bool:
        """Whether a number is no larger than those of resolved episodes: limits lie beyond."""
        most = self._ranges.get((tool, name))
        return most is None or not isinstance(value, int | float) or value <= most

    def _values(
        self,
        tool: str,
        name: str,
        signature: Signature,
        *,
        known: Known,
        bound: Mapping[str, Json],
    ) -> list[Json]:
        """What the sources of one argument say, the general ones first."""
        others = tuple(bound.values())
        keys = [(), signature, *_choices(bound, name)]
        found = [bind(self._sources.get((tool, name, k), ()), known, others) for k in keys]
        return [value for value in found if value is not None]

    def _mattering(self, call: Step) -> dict[str, Json]:
        authored = self._kinds.tools[call.tool].authored
        return {n: v for n, v in call.arguments.items() if n not in authored}

    def _equal(self, bound: End, end: End) -> bool:
        told = len(bound.told) == len(end.told) and all(map(same, bound.told, end.told))
        return told and Counter(map(self._key, bound.steps)) == Counter(map(self._key, end.steps))

    def _key(self, step: Step) -> tuple[str, str]:
        authored = self._kinds.tools[step.tool].authored
        return step.tool, canonical_arguments(step.arguments, authored)


def _asks_besides(facts: Facts, alike: Sequence[Case]) -> bool:
    """Whether the user wants to know a value that those who ended alike did not ask for."""
    return facts.asked and sum(case.facts.asked for case in alike) < len(alike) / 2


def _ranges(ends: Sequence[End]) -> dict[tuple[str, str], float]:
    """The largest number that resolved episodes gave each argument."""
    found: dict[tuple[str, str], float] = {}
    for step in (step for end in ends for step in end.steps):
        for name, value in step.arguments.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                found[step.tool, name] = max(value, found.get((step.tool, name), value))
    return found


def _choices(arguments: Mapping[str, Json], besides: str) -> list[Signature]:
    """The choices among few that a call makes: its texts without a digit."""
    return [
        ("=", name, value)
        for name, value in sorted(arguments.items())
        if name != besides and isinstance(value, str) and not any(c.isdigit() for c in value)
    ]
