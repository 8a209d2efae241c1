"""The end of alike requests with another episode's own values: which calls would have resolved it.

In: resolved cases and a backend to ask. Out: for an episode, the changes and told values of an end bound to what it knows;
or why they cannot be: a value that nothing tells, an amount beyond all that were seen, a refusal. Not here: which end it is
(`constructed_ends`), where one argument comes from (`bindings`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.task.attempt import UNKNOWN, Json
from environments.runtime.task.task import UserTurn
from synth.recordings.attempt_facts import Facts
from synth.recordings.known_values import Example, KnownValues, Reader
from synth.recordings.tool_kinds import ToolKinds
from synth.solutions.bindings import bind, same_value, sources_of
from synth.solutions.cases import Case, End, Signature, before_agreeing
from synth.solutions.fillers.borrowed_turns import borrow_turn, untold
from synth.solutions.fillers.element_words import Meanings
from synth.solutions.fillers.guarded_sources import Source
from synth.solutions.plans import Step, Unbound, given_ids

REFUSED: Final = Unbound("refused_by_the_backend")
NOT_BOUND: Final = Unbound("value_not_bound")
BEYOND: Final = "beyond_what_was_seen"
LIMIT: Final = 8
"""Resolved episodes below a number from which one beyond it that ended otherwise shows a limit."""

Starter = Callable[[Facts], Reader]
"""The backend at an attempt's start."""


@dataclass(frozen=True, slots=True)
class _Answer:
    value: Json


class Binder:
    """Binds the ends of an app's resolved cases."""

    def __init__(self, cases: Sequence[Case], kinds: ToolKinds, start: Starter) -> None:
        self._cases = cases
        self._kinds = kinds
        self._start = start
        self._sources = self._learn(cases)
        at_once = [case for case in cases if case.known.at_once is not False]
        first = self._learn(at_once, early=True)
        self._early = {k: (*found, *first[k]) for k, found in self._learn(at_once).items()}
        self._ranges = _ranges([case.end for case in cases])

    def bound(self, known: KnownValues, alike: Sequence[Case], facts: Facts) -> End | Unbound:
        """An end with the episode's own values, if the backend does not refuse it."""
        shown = alike[0].end
        told: tuple[Json, ...] = ()
        if shown.told or not shown.steps:
            answered = self._bind_answer(known, alike)
            if isinstance(answered, Unbound):
                return answered
            told = (answered.value,)
        steps = self._steps(shown, known)
        if steps is None:
            return NOT_BOUND
        beyond = [self._limit(s.tool, n, v) for s in steps for n, v in s.arguments.items()]
        if any(limited is not None for limited in beyond):
            return Unbound(BEYOND, limited=any(beyond))
        session = self._start(facts)
        results = [session.call(step.tool, step.arguments) for step in steps]
        if any(result.is_error and result.source != UNKNOWN for result in results):
            return REFUSED
        return End(tuple(steps), told, sure=all(r.source != UNKNOWN for r in results))

    def answers(
        self, known: KnownValues, end: End, alike: Sequence[Case]
    ) -> tuple[UserTurn, ...] | Unbound:
        """What alike users say of values that this one never named; what nobody can say for them is not bound."""
        found: dict[str, UserTurn] = {}
        for step in end.steps:
            for name, value in step.arguments.items():
                sources = self._early.get((step.tool, name, ()), ())
                if untold(known, sources, alike):
                    turn = borrow_turn(known, value, sources, alike)
                    if turn is None:
                        return NOT_BOUND
                    found[turn.text] = turn
        return tuple(found.values())

    def unbound(
        self, known: KnownValues, end: End, alike: Sequence[Case]
    ) -> dict[str, frozenset[str]]:
        """Per tool, the arguments of an end that nothing known tells, or that alike users tell and this one did not."""
        found: dict[str, set[str]] = defaultdict(set)
        for step in end.steps:
            wanted = self._mattering(step)
            for name in wanted:
                others = {n: v for n, v in wanted.items() if n != name}
                sources = self._early.get((step.tool, name, ()), ())
                values = self._values(step.tool, name, end.signature, known=known, bound=others)
                if not values or untold(known, sources, alike):
                    found[step.tool].add(name)
        return {tool: frozenset(names) for tool, names in found.items()}

    def values_said(
        self, step: Step, name: str, signature: Signature, *, known: KnownValues
    ) -> list[Json]:
        """What the sources of one argument of a call say."""
        others = {n: v for n, v in self._mattering(step).items() if n != name}
        return self._values(step.tool, name, signature, known=known, bound=others)

    def _steps(self, shown: End, known: KnownValues) -> list[Step] | None:
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

    def _bind_answer(self, known: KnownValues, alike: Sequence[Case]) -> _Answer | Unbound:
        """The one value that is told, found where the alike ones found theirs."""
        if len(alike[0].end.told) != 1:
            return Unbound("nothing_to_bind")
        examples = [Example(c.known, c.end.told[0], ()) for c in alike if c.known is not known]
        value = bind(sources_of(examples), known, ())
        return NOT_BOUND if value is None else _Answer(value)

    def _arguments(
        self, call: Step, signature: Signature, known: KnownValues, given: Mapping[str, Json]
    ) -> dict[str, Json] | None:
        """Every argument that matters, bound; the agent's own wording as in the neighbour."""
        wanted = self._mattering(call)
        bound = dict(given)
        for _ in wanted:
            for name in sorted(wanted.keys() - bound.keys()):
                found = self._values(call.tool, name, signature, known=known, bound=bound)
                if any(not same_value(value, found[0]) for value in found):
                    return None
                if found:
                    bound[name] = found[0]
        if bound.keys() != wanted.keys():
            return None
        return {**{n: v for n, v in call.arguments.items() if n not in wanted}, **bound}

    def _limit(self, tool: str, name: str, value: Json) -> bool | None:
        """Whether a number lies beyond those of enough resolved episodes to show a limit; None where it does not."""
        seen = self._ranges.get((tool, name), ())
        if not seen or not isinstance(value, int | float) or value <= max(seen):
            return None
        return len(seen) >= LIMIT

    def _values(
        self,
        tool: str,
        name: str,
        signature: Signature,
        *,
        known: KnownValues,
        bound: Mapping[str, Json],
    ) -> list[Json]:
        """What the sources of one argument say, the general ones first."""
        others = tuple(bound.values())
        keys = [(), signature, *_choices(bound, name)]
        # What was said before anybody asked is what those meant who did not correct it.
        sources = self._early if known.agreed is None else self._sources
        found = [bind(sources.get((tool, name, k), ()), known, others) for k in keys]
        return [value for value in found if value is not None]

    def _mattering(self, call: Step) -> dict[str, Json]:
        authored = self._kinds.tools[call.tool].authored
        return {n: v for n, v in call.arguments.items() if n not in authored}

    def equal(self, bound: End, end: End) -> bool:
        """Whether two ends are the same."""
        told = len(bound.told) == len(end.told) and all(map(same_value, bound.told, end.told))
        return told and Counter(map(self._key, bound.steps)) == Counter(map(self._key, end.steps))

    def _key(self, step: Step) -> tuple[str, str]:
        authored = self._kinds.tools[step.tool].authored
        return step.tool, canonical_arguments(step.arguments, authored)

    def _learn(
        self, cases: Sequence[Case], *, early: bool = False
    ) -> dict[tuple[str, str, Signature], tuple[Source, ...]]:
        """Sources per tool and argument, over all ends, per end, and per choice that the call makes beside it.

        `early`: by what was known before anybody was asked to agree: what is read back to a user names everything.
        """
        examples = self._examples(cases, early=early)
        spoken = self._examples(cases) if early else examples
        meanings = Meanings([e for (_, _, s), found in spoken.items() if not s for e in found])
        return {key: sources_of(found, meanings) for key, found in examples.items()}

    def _examples(
        self, cases: Sequence[Case], *, early: bool = False
    ) -> dict[tuple[str, str, Signature], list[Example]]:
        """Every argument of every change, by where its sources are looked for."""
        examples: dict[tuple[str, str, Signature], list[Example]] = defaultdict(list)
        for case in cases:
            first = [before_agreeing(case)] * len(case.before) if early else case.before
            for call, known in zip(case.end.steps, first, strict=True):
                for name, value in self._mattering(call).items():
                    others = tuple(v for n, v in call.arguments.items() if n != name)
                    example = Example(known, value, others)
                    examples[call.tool, name, ()].append(example)
                    examples[call.tool, name, case.end.signature].append(example)
                    for choice in _choices(call.arguments, name):
                        examples[call.tool, name, choice].append(example)
        return examples


def _ranges(ends: Sequence[End]) -> dict[tuple[str, str], list[float]]:
    """The numbers that resolved episodes gave each argument."""
    found: dict[tuple[str, str], list[float]] = defaultdict(list)
    for step in (step for end in ends for step in end.steps):
        for name, value in step.arguments.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                found[step.tool, name].append(value)
    return dict(found)


def _choices(arguments: Mapping[str, Json], besides: str) -> list[Signature]:
    """The choices among few that a call makes: its texts without a digit."""
    return [
        ("=", name, value)
        for name, value in sorted(arguments.items())
        if name != besides and isinstance(value, str) and not any(c.isdigit() for c in value)
    ]
