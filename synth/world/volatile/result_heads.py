"""Heads, found: a first line above every result that differs from call to call, as gateways and loggers write it.

Comes from observations as recorded; leaves the results below the line. The line is one text of most tools, and what differs in it is a
clock's times, ids drawn by dice, or a number that differs between equal calls with an equal rest. Not here: what stands behind results
or around their records (`result_wrappers`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from environments.runtime.document.views import MarkPart, ValueForm, WrappingPart
from environments.runtime.task.attempt import Json
from environments.runtime.views.clock_and_ids import ANY
from environments.runtime.views.result_wrappers import strip
from synth.world.observation import History, Observation, by_tool
from synth.world.views.result_wrappers import HOLE, HOLES, MIN_TOOLS, MOST, Wrapped
from synth.world.volatile.clock_and_ids import MIN_SEEN, clock, dice, mark_name
from synth.world.volatile.idle_values import are_idle, usual_number


def learn_heads(histories: Sequence[History]) -> Wrapped:
    """Find the line and leave it out of results, in place."""
    none = Wrapped(tools={}, marks={})
    every = [seen for history in histories for seen in history.observations]
    lines = Counter(HOLES.sub(HOLE, _first_line(seen)) for seen in every)
    text, often = lines.most_common(1)[0] if lines else ("", 0)
    if HOLE not in text or often < max(MIN_SEEN, MOST * len(every)):
        return none
    groups = {
        tool: seen
        for tool, seen in by_tool(histories).items()
        if all(HOLES.sub(HOLE, _first_line(one)) == text for one in seen)
    }
    if len(groups) < MIN_TOOLS:
        return none
    mine = [one for seen in groups.values() for one in seen]
    marks: dict[str, MarkPart] = {}
    head = text
    for number, values in enumerate(
        zip(*(HOLES.findall(_first_line(o)) for o in mine), strict=True)
    ):
        form = _form_of(list(zip(mine, values, strict=True)), histories)
        if form is None:
            return none
        code = mark_name(number)
        marks[code] = MarkPart(tool=ANY, place=f"above {number}", form=form)
        head = head.replace(HOLE, f"~{form.kind}.{code}~", 1)
    part = WrappingPart(head=head)
    bodies = [strip(part, one.content, marks) for one in mine]
    if any(body is None for body in bodies):
        return none
    for one, body in zip(mine, bodies, strict=True):
        one.content = str(body)
        one.settle()
    kinds = {"good": part, "refused": part}
    return Wrapped(tools=dict.fromkeys(sorted(groups), kinds), marks=marks)


def _first_line(seen: Observation) -> str:
    line, end, _ = seen.content.partition("\n")
    return line + end if end else ""


def _form_of(
    rows: Sequence[tuple[Observation, Json]], histories: Sequence[History]
) -> ValueForm | None:
    """The format of what differs in the line; None where it may say something."""
    form = clock(rows) or dice(rows, histories)
    number = None if form is not None else usual_number(rows)
    if number is None:
        return form
    below = are_idle(rows, lambda seen, _: seen.content.partition("\n")[2])
    return number if below else None
