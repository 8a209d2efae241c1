"""What names and descriptions of tools state: does a call change something?

In: episodes with their tools' definitions, and names of tools as they were learnt (`name@1` of an old version, `name[action=add]` of a part).
Out: a number per tool, a prior that recorded calls outweigh. Not here: the words themselves (`synth.verbs`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from redact.records.clean_episode import CleanEpisode
from synth.verbs import (
    DETERMINERS,
    NOUNS,
    RELATES,
    WRITES,
    tool_words,
    verb_of_order,
    words_of,
    write_log_odds,
)
from synth.world.observation import defined_functions
from synth.world.support import HALF_OF_CASES

CERTAIN: Final = 2.5
"""Log-odds of a name that begins with a verb."""
SILENT: Final = -0.4
"""Of a tool whose description gives no order and names no change: 26 of 28 such tools of 25 apps change nothing."""


def stated_effects(episodes: Sequence[CleanEpisode], tools: Iterable[str]) -> dict[str, float]:
    """By tool what its name and description state, from -1 (it looks) to 1 (it changes something); 0 where they state nothing."""
    functions = defined_functions(episodes)
    described = {name: str(one.get("description") or "") for name, one in functions.items()}
    read = _is_english(described)
    return {name: _stated(name, described, english=read) for name in tools}


@lru_cache(maxsize=10_000)
def says_write(name: str, description: str = "") -> float:
    """What the words of a tool state, from -1 (it looks) to 1 (it changes something); 0 where they state nothing."""
    return max(-1.0, min(1.0, write_log_odds(name, description) / CERTAIN))


def _stated(name: str, described: Mapping[str, str], *, english: bool) -> float:
    own = name.partition("[")[0]
    description = described.get(own) or described.get(own.rpartition("@")[0], "")
    says = says_write(name, description)
    silent = bool(description) and english and not verb_of_order(description)
    return SILENT if not says and silent else says


def gives_an_order(name: str) -> bool:
    """Whether a name begins or ends with a verb that is no noun as well."""
    words = tool_words(name)
    return any(word in WRITES - NOUNS for word in (*words[:1], *words[-1:]))


def _is_english(described: Mapping[str, str]) -> bool:
    """Whether most descriptions hold a small word of English: that another language names no change says nothing."""
    small = RELATES | DETERMINERS
    found = sum(not small.isdisjoint(words_of(text)) for text in described.values())
    return bool(found) and found >= HALF_OF_CASES * sum(map(bool, described.values()))
