"""Which result belongs to which call.

Comes in: steps in order, with ids as sent. Goes out: the same steps, every result bound to a call of the episode or
to none. Ids may be missing, and real ones repeat within an episode: a result answers the nearest call before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from ingest.episode import Step, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """Steps with their results bound."""

    steps: tuple[Step, ...]
    completeness: tuple[str, ...]


def join_results(steps: Sequence[Step], *, nobodys: AbstractSet[int] = frozenset()) -> Joined:
    """Bind results to calls and name what is missing on either side; `nobodys` are results that say they have no call."""
    calls = _OpenCalls(
        by_order=not any(step.role == "tool" and step.call_id is not None for step in steps)
    )
    bound: list[Step] = []
    missing: set[str] = set()
    for index, step in enumerate(steps):
        if step.role != "tool":
            if calls.open(step.tool_calls):
                missing.add("repeated_call_ids")
            bound.append(step)
            continue
        call = None if index in nobodys else calls.close(step)
        if call is None:
            missing.add("orphan_results")
            bound.append(replace(step, call_id=None))
        else:
            bound.append(replace(step, call_id=call.call_id, tool_name=step.tool_name or call.name))
    if calls.left:
        missing.add("missing_results")
    return Joined(steps=tuple(bound), completeness=tuple(sorted(missing)))


class _OpenCalls:
    """Calls that wait for their results."""

    def __init__(self, *, by_order: bool) -> None:
        self._by_order = by_order
        """Only where no result has an id: next to results that do, one without is nobody's."""
        self._by_id: dict[str, list[ToolCall]] = {}
        self._turn: list[ToolCall] = []
        self.left = 0

    def open(self, calls: Sequence[ToolCall]) -> bool:
        """Take in the calls of one message; True where an id was there before."""
        repeated = False
        for call in calls:
            repeated = repeated or call.call_id in self._by_id
            self._by_id.setdefault(call.call_id, []).append(call)
        self._turn = list(calls)
        self.left += len(calls)
        return repeated

    def close(self, result: Step) -> ToolCall | None:
        """The call that a result answers: the latest open one with its id; without an id, one of the turn just before."""
        if result.call_id is not None:
            waiting = self._by_id.get(result.call_id)
            call = waiting.pop() if waiting else None
        else:
            call = self._of_turn(result)
            if call is not None:
                self._by_id[call.call_id].remove(call)
        if call is not None:
            self.left -= 1
            self._turn = [other for other in self._turn if other is not call]
        return call

    def _of_turn(self, result: Step) -> ToolCall | None:
        if result.tool_name is not None:
            return next((call for call in self._turn if call.name == result.tool_name), None)
        return self._turn[0] if self._turn and self._by_order else None
