"""Which result belongs to which call.

Comes in: steps in order, with ids as sent. Goes out: the same steps, every result bound to a call of the episode or
to none. Ids may be missing, also on the calls alone, and real ones repeat within an episode: a result answers the nearest call before it. Two calls
of one message with one id are told apart: the second has an id of its own, so that nobody who reads the episode mixes
them up.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import takewhile

from ingest.records.episode import Step, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedSteps:
    """Steps with their results bound."""

    steps: tuple[Step, ...]
    completeness: tuple[str, ...]
    sent_as: dict[str, str]
    """The id that a call was sent with, by the one it has now, where the two differ."""


def join_results(steps: Sequence[Step], *, nobodys: AbstractSet[int] = frozenset()) -> JoinedSteps:
    """Bind results to calls and name what is missing on either side; `nobodys` are results that say they have no call."""
    calls = _OpenCalls(
        by_order=not any(step.role == "tool" and step.call_id is not None for step in steps),
        taken={call.call_id for step in steps for call in step.tool_calls},
        told={step.call_id for step in steps if step.role == "tool"},
    )
    bound: list[Step] = []
    missing: set[str] = set()
    for index, step in enumerate(steps):
        if step.role != "tool":
            asked = calls.open(step.tool_calls)
            bound.append(step if asked == step.tool_calls else replace(step, tool_calls=asked))
            continue
        if index == 0 or steps[index - 1].role != "tool":
            results = takewhile(lambda one: one.role == "tool", steps[index:])
            calls.expect([one.call_id for one in results])
        call = None if index in nobodys else calls.close(step)
        if call is None:
            missing.add("orphan_results")
            bound.append(replace(step, call_id=None))
        else:
            bound.append(replace(step, call_id=call.call_id, tool_name=step.tool_name or call.name))
    if calls.left:
        missing.add("missing_results")
    if calls.repeated:
        missing.add("repeated_call_ids")
    return JoinedSteps(
        steps=tuple(bound), completeness=tuple(sorted(missing)), sent_as=dict(calls.sent_as)
    )


class _OpenCalls:
    """Calls that wait for their results."""

    def __init__(self, *, by_order: bool, taken: set[str], told: AbstractSet[str | None]) -> None:
        self._by_order = by_order
        """Only where no result has an id: next to results that do, one without is nobody's."""
        self._told = told
        """Ids that some result of the episode has."""
        self._are_strays = self._are_pairs = False
        """Whether the results at hand have ids that no call was sent with; whether there are as many as open calls, which no result names."""
        self._taken = taken
        """Ids that some call of the episode was sent with."""
        self._by_id: dict[str, list[list[ToolCall]]] = {}
        """By the id as sent, the open calls of each message, the latest message last."""
        self._turn: list[ToolCall] = []
        self._before: list[ToolCall] = []
        """Calls of the messages just before, to which nobody has said anything."""
        self.sent_as: dict[str, str] = {}
        self.left = 0
        self.repeated = False
        """Whether an id stood for several calls."""

    def open(self, calls: tuple[ToolCall, ...]) -> tuple[ToolCall, ...]:
        """Take in the calls of one message, and give them back with an id each."""
        mine: dict[str, list[ToolCall]] = {}
        turn: list[ToolCall] = []
        for call in calls:
            known = mine.setdefault(call.call_id, [])
            own = self._told_apart(call, len(known) + 1) if known else call
            known.append(own)
            turn.append(own)
        for identity, group in mine.items():
            before = self._by_id.setdefault(identity, [])
            self.repeated = self.repeated or bool(before) or len(group) > 1
            before.append(group)
        self._before = [*self._before, *self._turn] if calls else []
        self._turn = list(turn)
        self.left += len(turn)
        return tuple(turn)

    def expect(self, results: Sequence[str | None]) -> None:
        """Let the results that follow answer the messages just before as well, where the last one asked for fewer."""
        if len(results) > len(self._turn):
            self._turn = [*self._before, *self._turn][-len(results) :]
        self._before = []
        mine = {call.call_id for call in self._turn}
        # Where the calls alone came without ids, theirs are made up.
        self._are_strays = (
            None not in results and self._taken.isdisjoint(results) and mine.isdisjoint(self._told)
        )
        self._are_pairs = self._are_strays and len(results) == len(self._turn)

    def _told_apart(self, call: ToolCall, number: int) -> ToolCall:
        name = f"{call.call_id}-{number}"
        while name in self._taken:
            number += 1
            name = f"{call.call_id}-{number}"
        self._taken.add(name)
        self.sent_as[name] = call.call_id
        return replace(call, call_id=name)

    def close(self, result: Step) -> ToolCall | None:
        """The call that a result answers: of the latest message with its id the first open one; without an id, one of the turn just before."""
        if result.call_id is not None and not self._are_strays:
            call = self._of_id(result.call_id, result)
        else:
            call = self._of_turn(result)
            if call is not None:
                sent = self.sent_as.get(call.call_id, call.call_id)
                for group in self._by_id[sent]:
                    group[:] = [other for other in group if other is not call]
        if call is not None:
            self.left -= 1
            self._turn = [other for other in self._turn if other is not call]
        return call

    def _of_id(self, identity: str, result: Step) -> ToolCall | None:
        waiting = next((group for group in reversed(self._by_id.get(identity, [])) if group), None)
        if waiting is None:
            return None
        named = [call for call in waiting if call.name == result.tool_name]
        call = (named or waiting)[0]
        waiting[:] = [other for other in waiting if other is not call]
        return call

    def _of_turn(self, result: Step) -> ToolCall | None:
        if result.tool_name is not None:
            return next((call for call in self._turn if call.name == result.tool_name), None)
        return self._turn[0] if self._turn and (self._by_order or self._are_pairs) else None
