"""Purity prior: how much has to speak for a tool that seems to look before it counts as a reader.

Comes in: a tool with its recorded calls. Comes out: after how many different calls nothing has to have changed. The tool's name
counts, and so do answers that say that something was done: `Paid 20.00 to ...`, or `"state": "settled"` of a tool that settles.
Not here: who changed what (`dependencies`).
"""

from __future__ import annotations

import re
from typing import Final

from environments.runtime.values.mentions import leaves
from synth.verbs import READS, WRITES, tool_words, words_of
from synth.world.model import ToolModel
from synth.world.observation import Observation
from synth.world.support import SEEN_ALL_THE_TIME, SEEN_MANY_TIMES, SEEN_THRICE

MIN_READER: Final = SEEN_THRICE
"""Different calls answered alike before a tool with a telling result counts as one that changes nothing."""
MIN_DOUBTFUL: Final = SEEN_MANY_TIMES
"""The same where nothing else explains some unequal answer."""
MIN_NAMED: Final = SEEN_ALL_THE_TIME
"""The same where its name, or its answers, say that it changes something."""
MIN_CALLS: Final = SEEN_ALL_THE_TIME
"""Calls of a tool whose name says that it reads, none of which alone explains a change, before one such call is enough."""
IRREGULAR: Final = {
    "paid": "pay",
    "sent": "send",
    "bought": "buy",
    "taken": "take",
    "undone": "undo",
    "withdrawn": "withdraw",
    "written": "write",
    "overwritten": "overwrite",
}
ENDING: Final = re.compile(r"(?<=[a-z]{3})(?:ed|d)$")
MAX_WORDS: Final = 1
"""Words of a value in a record that names a state."""


def enough(tool: ToolModel, alone: set[str], *, living: bool = False, by_name: bool = False) -> int:
    """Different calls answered alike after a tool before it counts as a reader.

    `alone`: tools whose calls alone explain some change. `by_name`: where a name says clearly that the tool looks, and no change is its
    doing, that is enough: few such tools change anything, and few of their changes show.
    """
    says = tool.stated
    if says < 0 and not living and _never_again(tool):
        return MIN_NAMED
    if says > 0 or (says == 0 and (says_done(tool) or (living and _joins(tool)))):
        return MIN_NAMED
    if says < 0 and tool.name not in alone and (by_name or len(tool.observations) >= MIN_CALLS):
        return 0 if by_name else 1
    return MIN_DOUBTFUL if tool.name in alone and says == 0 else MIN_READER


def says_done(tool: ToolModel) -> bool:
    """Whether more than a third of the successes say in their first word, or in a field, that something was done.

    Refusals in prose that nobody recognised are among them.
    """
    good = tool.good()
    mine = {word for word in tool_words(tool.name) if word not in READS}
    return sum(_says(seen, mine) for seen in good) * 3 > len(good)


def _never_again(tool: ToolModel) -> bool:
    """Whether it shows a list without being asked for anything, and no episode ever asked twice.

    What waits to be read may be gone once it was read.
    """
    seen = tool.observations
    several = all(isinstance(o.value, list) or "\n" in o.content for o in seen)
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


def _says(seen: Observation, mine: set[str]) -> bool:
    if not seen.is_json:
        words = words_of(seen.content[:40])
        return bool(words) and not _verbs(words[0]).isdisjoint(WRITES | mine)
    said = (*leaves(seen.value), *(seen.value if isinstance(seen.value, dict) else ()))
    states = (words_of(v) for v in said if isinstance(v, str))
    return any(len(w) == MAX_WORDS and not _verbs(w[0]).isdisjoint(mine) for w in states)


def _verbs(word: str) -> frozenset[str]:
    """The verbs whose participle a word may be."""
    if word in IRREGULAR:
        return frozenset({IRREGULAR[word]})
    if not ENDING.search(word):
        return frozenset()
    stem = word.removesuffix("d").removesuffix("e")
    single = stem[:-1] if stem[-1:] == stem[-2:-1] else stem
    return frozenset({stem, stem + "e", single, stem.removesuffix("i") + "y"}) - {word}
