"""Tool spans and the calls they ran.

Comes in: the steps of one thread and the tool spans around it. Goes out: the steps, with results that no message
carried, and with what only a span knows (when it ended, whether it failed). A message's text wins over a span's.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ingest.assembly.call_ids import join_results
from ingest.assembly.forest import Node
from ingest.dialects.reading import MODEL
from ingest.records.episode import Step, ToolCall
from ingest.records.text import Json, canonical_arguments, load_json

_BY_RESULT: Final = 8
_BY_NAME: Final = 4
_BY_ARGUMENTS: Final = 2
_MOST_ALIKE: Final = 64


@dataclass(slots=True, eq=False)
class _AskedCall:
    """One call of the thread, with its result where a message carries it."""

    call: ToolCall
    at_step: int
    result: Step | None = None
    run: Node | None = None


@dataclass(slots=True, kw_only=True)
class StepsWithToolRuns:
    """Steps with their tool runs."""

    steps: list[Step]
    call_of: dict[Node, str] = field(default_factory=dict)
    """The call id that each tool span ran."""
    flags: set[str] = field(default_factory=set)


def join_runs(
    steps: Sequence[Step], runs: Sequence[Node], calls: Sequence[Node] = ()
) -> StepsWithToolRuns:
    """Bind tool spans to calls by id, else by name, arguments and order; `calls` to the model say which runs it can only have asked for together."""
    steps = _with_calls_of_runs(steps, runs)
    joined = join_results(_number_calls(steps))
    numbered = joined.steps
    asked = _asked_calls(numbered)
    sent = {call.call_id for step in steps for call in step.tool_calls} | set(joined.sent_as)
    known = _Calls(asked, {one.call.call_id for one in asked} - sent, joined.sent_as)
    ran = StepsWithToolRuns(steps=[], flags={"repeated_call_ids"} if joined.sent_as else set())
    unasked: list[Node] = []
    for run in runs:
        one = known.find(run)
        if one is None:
            unasked.append(run)
        else:
            one.run = run
            ran.call_of[run] = one.call.call_id
    ran.steps = _with_results(numbered, asked)
    _insert_unasked(ran, _asked_together(unasked, calls))
    return ran


def _with_calls_of_runs(steps: Sequence[Step], runs: Sequence[Node]) -> list[Step]:
    """Calls that no message carries but their results and their runs name, put where they were made."""
    sent = {call.call_id for step in steps for call in step.tool_calls}
    known = {run.reading.call_id: run.reading for run in runs if run.reading.call_id not in sent}
    woven: list[Step] = []
    for step in steps:
        run = known.pop(step.call_id, None) if step.role == "tool" and step.call_id else None
        if run is not None:
            call = ToolCall(
                call_id=step.call_id or "", name=run.tool_name or "", arguments=run.arguments or ""
            )
            at = next((i for i in range(len(woven), 0, -1) if woven[i - 1].role != "tool"), 0)
            if at and woven[at - 1].role == "assistant":
                asking = woven[at - 1]
                woven[at - 1] = replace(asking, tool_calls=(*asking.tool_calls, call))
            else:
                woven.insert(at, Step(role="assistant", tool_calls=(call,), at=step.at))
        woven.append(step)
    return woven


def _number_calls(steps: Sequence[Step]) -> list[Step]:
    """Give every call without an id one made from its place."""
    return [
        replace(
            step,
            tool_calls=tuple(
                call if call.call_id else replace(call, call_id=f"call_{index}_{number}")
                for number, call in enumerate(step.tool_calls)
            ),
        )
        if step.tool_calls
        else step
        for index, step in enumerate(steps)
    ]


def _asked_calls(steps: Sequence[Step]) -> list[_AskedCall]:
    asked: list[_AskedCall] = []
    for index, step in enumerate(steps):
        asked += [_AskedCall(call, index) for call in step.tool_calls]
        if step.role == "tool" and step.call_id is not None:
            for one in reversed(asked):
                if one.call.call_id == step.call_id and one.result is None:
                    one.result = step
                    break
    return asked


class _Calls:
    """The calls of a thread, to be found without walking them all."""

    def __init__(self, asked: list[_AskedCall], made: set[str], sent_as: Mapping[str, str]) -> None:
        self._made = made
        """Ids that no message carried."""
        self._sent_as = sent_as
        """Ids as sent, of calls whose id here is another."""
        self._told = {one.call.call_id for one in asked}
        self._by_id: dict[str, list[_AskedCall]] = {}
        self._by_request: dict[tuple[str, str], list[_AskedCall]] = {}
        self._by_name: dict[str, list[_AskedCall]] = {}
        for one in asked:
            request = one.call.name, canonical_arguments(one.call.arguments)
            self._by_id.setdefault(self._sent(one), []).append(one)
            self._by_request.setdefault(request, []).append(one)
            self._by_name.setdefault(one.call.name, []).append(one)

    def find(self, run: Node) -> _AskedCall | None:
        """The call that a tool span ran; every call is found once."""
        reading = run.reading
        name = reading.tool_name or ""
        if reading.call_id:
            # Ids repeat in real traces, and instrumentations then look up the wrong name: the result decides first.
            found = _best(run, self._by_id.get(reading.call_id, []))
            if (
                found is None
                and reading.call_id not in self._told
                and reading.arguments is not None
            ):
                # An id that no message has is the tracer's own: name and arguments say which call it was.
                request = name, canonical_arguments(reading.arguments)
                found = _best(run, self._by_request.get(request, []))
            # Some dialects have the id on the tool's span only.
            made = (c for c in self._by_name.get(name, [])[:_MOST_ALIKE] if _may_be(run, c))
            own = [] if found else [c for c in made if c.call.call_id in self._made]
            return self._take(found or _best(run, own))
        if reading.arguments is None:
            found = _best(run, self._by_name.get(name, []))
        else:
            request = name, canonical_arguments(reading.arguments)
            found = _best(run, self._by_request.get(request, []))
            found = found or _best(run, self._by_request.get((name, ""), []))
            values = _positional(reading.arguments) if found is None else None
            if values is not None:
                alike = self._by_name.get(name, [])[:_MOST_ALIKE]
                found = _best(run, [one for one in alike if _values(one) == values])
        return self._take(found)

    def _sent(self, one: _AskedCall) -> str:
        return self._sent_as.get(one.call.call_id, one.call.call_id)

    def _take(self, found: _AskedCall | None) -> _AskedCall | None:
        if found is not None:
            self._by_id[self._sent(found)].remove(found)
            self._by_name[found.call.name].remove(found)
            request = found.call.name, canonical_arguments(found.call.arguments)
            self._by_request[request].remove(found)
        return found


def _positional(arguments: str) -> list[Json] | None:
    """The values of a call that a tracer saw without their names: what was passed by position has none."""
    call = load_json(arguments.encode())
    if not isinstance(call, dict | list):
        return [arguments if call is None else call]  # of a tool with one argument
    if not isinstance(call, dict) or set(call) != {"args", "kwargs"}:
        return None
    args, named = call["args"], call["kwargs"]
    return [*args, *named.values()] if isinstance(args, list) and isinstance(named, dict) else None


def _values(one: _AskedCall) -> list[Json] | None:
    asked = load_json(one.call.arguments.encode())
    return list(asked.values()) if isinstance(asked, dict) else None


def _may_be(run: Node, one: _AskedCall) -> bool:
    return not one.call.arguments or run.reading.arguments is None or _same_arguments(run, one)


def _best(run: Node, candidates: list[_AskedCall]) -> _AskedCall | None:
    # A hostile trace may repeat one id without end; real ones repeat it a few times.
    return max(candidates[:_MOST_ALIKE], key=lambda one: _likeness(run, one), default=None)


def _likeness(run: Node, one: _AskedCall) -> tuple[int, int]:
    """How well a span fits a call; among equals the earliest."""
    score = 0
    if one.result is not None and run.reading.result is not None:
        told = canonical_arguments(one.result.content or "")
        score += _BY_RESULT if told == canonical_arguments(run.reading.result) else 0
    score += _BY_NAME if one.call.name == run.reading.tool_name else 0
    score += _BY_ARGUMENTS if _same_arguments(run, one) else 0
    return score, -one.at_step


def _same_arguments(run: Node, one: _AskedCall) -> bool:
    return canonical_arguments(one.call.arguments) == canonical_arguments(
        run.reading.arguments or ""
    )


def _with_results(steps: Sequence[Step], asked: list[_AskedCall]) -> list[Step]:
    by_step: dict[int, list[_AskedCall]] = {}
    run_of_result: dict[int, Node] = {}
    for one in asked:
        by_step.setdefault(one.at_step, []).append(one)
        if one.result is not None and one.run is not None:
            run_of_result[id(one.result)] = one.run
    woven: list[Step] = []
    waiting: list[_AskedCall] = []
    for index, step in enumerate(steps):
        if step.role != "tool":
            woven += _results_of(waiting)
            waiting = []
        woven.append(_completed(step, by_step.get(index, []), run_of_result.get(id(step))))
        waiting += by_step.get(index, [])
    woven += _results_of(waiting)
    return woven


def _completed(step: Step, asked: list[_AskedCall], run: Node | None) -> Step:
    """The step with what only the tool's span knows."""
    if run is not None:
        error = run.reading.is_error if step.is_error is None else step.is_error
        return replace(step, at=run.span.ended_at or step.at, is_error=error)
    if any(not one.call.arguments for one in asked):
        calls = (one.call if one.run is None else _of_run(one.call, one.run) for one in asked)
        # What is told by an id alone and never ran is nobody's call.
        named = tuple(call for call in calls if call.name or call.arguments)
        return replace(step, tool_calls=named)
    return step


def _of_run(call: ToolCall, run: Node) -> ToolCall:
    """The call with what its message leaves out."""
    name = call.name or run.reading.tool_name or ""
    return replace(call, name=name, arguments=call.arguments or run.reading.arguments or "")


def _results_of(waiting: list[_AskedCall]) -> list[Step]:
    """The results that no message carried but a span did, in the order of their calls."""
    return [
        _result(one.run, one.call.call_id, one.call.name)
        for one in waiting
        if one.result is None and one.run is not None and _is_told(one.run)
    ]


def _is_told(run: Node) -> bool:
    return run.reading.result is not None or run.reading.is_error is True


def _result(run: Node, call_id: str, name: str) -> Step:
    reading = run.reading
    content = reading.result
    if content is None and run.span.status_message:
        content = run.span.status_message
    return Step(
        role="tool",
        content=content,
        call_id=call_id,
        tool_name=name,
        at=run.span.ended_at or run.span.started_at,
        is_error=reading.is_error,
    )


def _asked_together(runs: Sequence[Node], calls: Sequence[Node]) -> list[list[Node]]:
    """Runs in groups: a model that said nothing in a call asked there for all that ran before its next one."""
    models = sorted((call for call in calls if call.reading.kind == MODEL), key=_begun)
    begun = [_begun(call) for call in models]
    groups: dict[Node, list[Node]] = {}
    for run in runs:
        at = bisect_left(begun, _begun(run)) - 1
        asking = models[at] if at >= 0 and _is_silent_before(models[at], run) else run
        groups.setdefault(asking, []).append(run)
    return list(groups.values())


def _begun(node: Node) -> tuple[str, int]:
    return node.span.trace_id, node.span.started_at


def _is_silent_before(call: Node, run: Node) -> bool:
    ended = call.span.ended_at or run.span.started_at
    same = call.span.trace_id == run.span.trace_id
    return same and not call.reading.output and ended <= run.span.started_at


def _insert_unasked(ran: StepsWithToolRuns, runs: Sequence[list[Node]]) -> None:
    """Tools that ran without a message asking for them, in their time: the span is the only witness of such a call."""
    if not runs:
        return
    ran.flags.add("unasked_tool_runs")
    if any(run.reading.arguments is None for group in runs for run in group):
        ran.flags.add("no_content")
    waiting = deque(runs)
    woven: list[Step] = []
    for step in ran.steps:
        is_asked = step.role != "tool"
        while waiting and is_asked and (step.at or 0) > waiting[0][0].span.started_at:
            woven += _witnessed(ran, waiting.popleft())
        woven.append(step)
    for group in waiting:
        woven += _witnessed(ran, group)
    ran.steps = woven


def _witnessed(ran: StepsWithToolRuns, runs: Sequence[Node]) -> list[Step]:
    """One message with the calls that were made together, and what they gave back."""
    calls: list[ToolCall] = []
    results: list[Step] = []
    for run in runs:
        reading = run.reading
        call_id = reading.call_id or f"call_{run.span.span_id}"
        name = reading.tool_name or ""
        ran.call_of[run] = call_id
        calls.append(ToolCall(call_id=call_id, name=name, arguments=reading.arguments or ""))
        if _is_told(run):
            results.append(_result(run, call_id, name))
    first = runs[0]
    asking = Step(
        role="assistant",
        tool_calls=tuple(calls),
        at=first.span.started_at,
        agent=first.reading.agent,
    )
    return [asking, *results]
