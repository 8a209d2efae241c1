"""Texts that are nobody's own wording: every resolved attempt at the task gave what the user or a tool had said.

In: a task's attempts and the app's tools. Out: the tools as this task sees them, with such an argument counted. Not here: which
arguments an app's agents word themselves (`tool_kinds`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from synth.rubric.facts import Facts
from synth.rubric.tool_kinds import AUTHORED_WORDS, WRITE, ToolKinds, texts_before


def as_dictated(attempts: Sequence[Facts], kinds: ToolKinds) -> ToolKinds:
    """The same tools where no authored argument of a change was dictated, in every resolved attempt, word for word."""
    taken: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for attempt in attempts:
        if attempt.resolved is True:
            before = texts_before(attempt.recorded)
            for call in attempt.recorded.attempt.calls:
                tool = kinds.tools[call.name]
                for name in (
                    tool.authored if tool.kind == WRITE and not call.result.is_error else ()
                ):
                    given = call.arguments.get(name)
                    taken[call.name, name].append(
                        isinstance(given, str)
                        and len(given.split()) >= AUTHORED_WORDS
                        and given.strip().casefold() in before[call.message]
                    )
    dictated = {place for place, seen in taken.items() if all(seen)}
    if not dictated:
        return kinds
    tools = {
        name: replace(tool, authored=tuple(a for a in tool.authored if (name, a) not in dictated))
        for name, tool in kinds.tools.items()
    }
    return ToolKinds(tools=tools)
