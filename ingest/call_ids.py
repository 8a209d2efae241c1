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
    ids_in_use = any(step.role == "tool" and step.call_id is not None for step in steps)
    open_calls: list[ToolCall] = []
    turn: tuple[ToolCall, ...] = ()
    seen: set[str] = set()
    bound: list[Step] = []
    missing: set[str] = set()
    for index, step in enumerate(steps):
        if step.role != "tool":
            if any(call.call_id in seen for call in step.tool_calls):
                missing.add("repeated_call_ids")
            seen.update(call.call_id for call in step.tool_calls)
            open_calls.extend(step.tool_calls)
            turn = step.tool_calls
            bound.append(step)
            continue
        here = [call for call in turn if any(call is other for other in open_calls)]
        call = None
        if index not in nobodys:
            call = _asked_by(step, open_calls, here, by_order=not ids_in_use)
        if call is None:
            missing.add("orphan_results")
            bound.append(replace(step, call_id=None))
        else:
            _close(call, open_calls)
            bound.append(replace(step, call_id=call.call_id, tool_name=step.tool_name or call.name))
    if open_calls:
        missing.add("missing_results")
    return Joined(steps=tuple(bound), completeness=tuple(sorted(missing)))


def _asked_by(
    result: Step, open_calls: list[ToolCall], turn: list[ToolCall], *, by_order: bool
) -> ToolCall | None:
    """The latest open call with the result's id; without an id, one of the turn just before by name or by order.

    By order only where no result of the episode has an id: next to results that do, one without is nobody's.
    """
    if result.call_id is not None:
        return next((c for c in reversed(open_calls) if c.call_id == result.call_id), None)
    if result.tool_name is not None:
        return next((call for call in turn if call.name == result.tool_name), None)
    return turn[0] if turn and by_order else None


def _close(call: ToolCall, open_calls: list[ToolCall]) -> None:
    # By identity and from the end: an id, a name and arguments may all repeat within an episode.
    for index in range(len(open_calls) - 1, -1, -1):
        if open_calls[index] is call:
            del open_calls[index]
            return
