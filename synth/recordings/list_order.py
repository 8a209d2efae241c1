"""In which order lists were given on the way to an end: in another order they may mean something else.

In: the resolved attempts at one end, and what the world says they left. Out: their calls and the records they changed with
every list in its order, for the check of the end (`environments.runtime.checks.ends.end_state`); nothing where no call holds a list that has an order, or
where resolved attempts gave one and the same list in different orders. In which order calls were made is no matter of this.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from environments.runtime.checks.arguments import (
    canonical_arguments,
    has_order,
    ordered,
    ordered_arguments,
)
from environments.runtime.task.attempt import EndState, Json
from synth.recordings.attempt_facts import Facts
from synth.recordings.tool_kinds import WRITE, ToolKinds


def ordered_args(
    good: Sequence[Facts], kinds: ToolKinds, reached: EndState | None
) -> dict[str, Json]:
    """What the check of the end is told of the order of lists."""
    writes = [
        (call, kinds.tools[call.name].authored)
        for attempt in good
        for call in attempt.recorded.attempt.calls
        if kinds.tools[call.name].kind == WRITE and not call.result.is_error
    ]
    spelt: dict[tuple[str, str], set[str]] = defaultdict(set)
    for call, ignore in writes:
        text = ordered_arguments(call.arguments, ignore)
        spelt[call.name, canonical_arguments(call.arguments, ignore)].add(text)
    kept = [{n: v for n, v in call.arguments.items() if n not in i} for call, i in writes]
    if not any(map(has_order, kept)) or any(len(texts) > 1 for texts in spelt.values()):
        return {}
    found: dict[str, Json] = {
        "writes": [[tool, text] for (tool, _), texts in sorted(spelt.items()) for text in texts]
    }
    if reached is not None and not reached.unknown:
        found["effects"] = [
            [e.entity, e.key, e.field, ordered(e.after)]
            for e in reached.effects
            if has_order(e.after)
        ]
    return found
