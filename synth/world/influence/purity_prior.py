"""Purity prior: how much has to speak for a tool that seems to look before it counts as a reader.

Comes in: a tool with its recorded calls. Comes out: after how many different calls nothing has to have changed. What the tool's
name and description state counts. Not here: who changed what (`dependencies`).
"""

from __future__ import annotations

from typing import Final

from synth.world.model import ToolModel
from synth.world.support import SEEN_ALL_THE_TIME, SEEN_MANY_TIMES, SEEN_THRICE

MIN_READER: Final = SEEN_THRICE
"""Different calls answered alike before a tool with a telling result counts as one that changes nothing."""
MIN_DOUBTFUL: Final = SEEN_MANY_TIMES
"""The same where nothing else explains some unequal answer."""
MIN_NAMED: Final = SEEN_ALL_THE_TIME
"""The same where its name says that it changes something."""
MIN_CALLS: Final = SEEN_ALL_THE_TIME
"""Calls of a tool whose name says that it reads, none of which alone explains a change, before one such call is enough."""


def enough(tool: ToolModel, alone: set[str], *, living: bool = False, by_name: bool = False) -> int:
    """Different calls answered alike after a tool before it counts as a reader.

    `alone`: tools whose calls alone explain some change. `by_name`: where a name says clearly that the tool looks, and no change is its
    doing, that is enough: few such tools change anything, and few of their changes show.
    """
    says = tool.stated
    if says < 0 and not living and _never_again(tool):
        return MIN_NAMED
    if says > 0 or (says == 0 and living and _joins(tool)):
        return MIN_NAMED
    if says < 0 and tool.name not in alone and (by_name or len(tool.observations) >= MIN_CALLS):
        return 0 if by_name else 1
    return MIN_DOUBTFUL if tool.name in alone and says == 0 else MIN_READER


def _never_again(tool: ToolModel) -> bool:
    """Whether it shows a list without being asked for anything, and no episode ever asked twice.

    What waits to be read may be gone once it was read.
    """
    seen = tool.observations
    several = all(isinstance(o.value, list) if o.is_json else "\n" in o.content for o in seen)
    asked = any(one.arguments for one in seen)
    return several and not asked and len({one.episode for one in seen}) == len(seen)


def _joins(tool: ToolModel) -> bool:
    """Whether it is told two things or more and never answers the same call otherwise: it may as well put them together.

    Where every episode starts afresh, later looks say it; of a backend that lives on too few are compared.
    """
    good = tool.good()
    words = [sum(isinstance(v, str) for v in seen.arguments.values()) for seen in good]
    return min(words, default=0) > 1 and len({(s.key, s.content) for s in good}) == len(
        {s.key for s in good}
    )
