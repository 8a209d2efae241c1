"""Spans that say again what another span says: two instrumentations of one model call or one tool run.

Comes in: nodes of one conversation. Goes out: which of them are no calls of their own. A span is left out only where
another one says all of it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ingest.assembly.forest import Node
from ingest.dialects.reading import DUPLICATE, MODEL, OTHER, TOOL

_NEAREST: Final = 8
"""Spans beside that are looked at: parallel calls are few, hostile traces must not cost their square."""


def is_repeat(node: Node) -> bool:
    """Whether the span says again what a span above it says: two instrumentations of one model or tool call."""
    if node.reading.kind == DUPLICATE:
        return True
    for above in node.ancestors():
        if above.reading.kind == node.reading.kind == MODEL:
            return above.reading.has_content or not node.reading.has_content
        if above.reading.kind == node.reading.kind == TOOL:
            one, two = above.reading, node.reading
            return one.tool_name == two.tool_name or (
                one.call_id == two.call_id and bool(two.call_id)
            )
        if above.reading.kind not in {OTHER, MODEL}:
            return False
    return False


def is_repeated_below(node: Node) -> bool:
    """Whether a model call's own content is missing and a model call below it has it."""
    if node.reading.kind != MODEL or node.reading.has_content:
        return False
    return any(child.reading.kind == MODEL and child.reading.has_content for child in node.children)


def without_repeats_beside(calls: Sequence[Node]) -> list[Node]:
    """Model calls without bare ones that a span beside them tells whole, as a client's own span beside its tracer's."""
    told = [call for call in calls if call.reading.has_content]
    if len(told) == len(calls):
        return list(calls)
    by_response = {c.reading.response_id for c in told if c.reading.response_id}
    beside: dict[tuple[str, str | None], list[Node]] = defaultdict(list)
    for call in sorted(told, key=lambda call: call.span.started_at):
        beside[call.span.trace_id, call.span.parent_id].append(call)
    taken: set[Node] = set()
    kept: list[Node] = []
    for call in calls:
        if call.reading.has_content:
            kept.append(call)
        elif call.reading.response_id is None or call.reading.response_id not in by_response:
            twin = _twin(call, beside[call.span.trace_id, call.span.parent_id], taken)
            if twin is None:
                kept.append(call)
            else:
                taken.add(twin)
    return kept


def _twin(call: Node, beside: Sequence[Node], taken: set[Node]) -> Node | None:
    """The span with content beside a bare one, in whose time the bare one began: one request, told twice."""
    start = call.span.started_at
    last = bisect_right(beside, start, key=lambda other: other.span.started_at)
    for other in reversed(beside[max(0, last - _NEAREST) : last]):
        ended = other.span.ended_at
        if other not in taken and ended is not None and start <= ended and _is_alike(call, other):
            return other
    return None


def _is_alike(call: Node, other: Node) -> bool:
    one, two = call.reading, other.reading
    pairs = ((one.response_id, two.response_id), (one.model, two.model))
    return call.span.scope != other.span.scope and all(
        a is None or b is None or a == b for a, b in pairs
    )


def fill_repeated_runs(nodes: Sequence[Node]) -> None:
    """Take what the inner span of one tool run knows and the outer one does not: its id, its result, that it failed."""
    for node in nodes:
        if node.reading.kind != TOOL or not is_repeat(node):
            continue
        above = next(one for one in node.ancestors() if one.reading.kind == TOOL)
        inner, outer = node.reading, above.reading
        above.reading = replace(
            outer,
            call_id=outer.call_id or inner.call_id,
            arguments=inner.arguments if outer.arguments is None else outer.arguments,
            result=inner.result if outer.result is None else outer.result,
            is_error=inner.is_error or outer.is_error,
        )
