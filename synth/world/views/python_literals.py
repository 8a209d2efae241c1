"""Results written as Python writes its values, found: tools whose records no JSON reader takes.

Comes from observations as recorded; leaves JSON in place, and gives the names of these tools. Not here: reading and writing
(`environments.runtime.views.python_literals`).
"""

from __future__ import annotations

from collections.abc import Sequence

from environments.runtime.views.python_literals import from_literal, to_literal
from synth.world.observation import History, Observation, by_tool


def learn_literal(histories: Sequence[History]) -> tuple[str, ...]:
    """The tools; their results are JSON, in place. A tool that writes some of its records as JSON is none of them."""
    return tuple(sorted(tool for tool, seen in by_tool(histories).items() if _read(seen)))


def _read(seen: Sequence[Observation]) -> bool:
    read = {content: from_literal(content) for content in {one.content for one in seen}}
    if all(parsed == content for content, parsed in read.items()):
        return False
    if any(to_literal(parsed) != content for content, parsed in read.items()):
        return False
    for one in seen:
        one.put_content(read[one.content])
    return True
