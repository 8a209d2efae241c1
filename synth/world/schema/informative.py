"""Whether a tool's results say more than its caller knew.

Comes from the observations of one tool. Not here: what its results show (`kinds`), who writes (`writers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.mentions import leaves
from environments.runtime.values.normal import stable
from synth.world.model import ToolModel
from synth.world.observation import Observation
from synth.world.support import SEEN_THRICE

MIN_TEXTS: Final = SEEN_THRICE
"""Different answers of plain words, before these say what is and not what was done."""


def informative(tool: ToolModel) -> bool:
    """Whether results say more than the arguments and fixed words: what only a look at state can tell."""
    good = tool.good()
    if not good:
        return False
    texts = {seen.content for seen in good}
    if not any(seen.arguments for seen in good):
        return any(len(text) > 60 for text in texts) or (len(texts) > 1 and not _only_words(good))
    if len(texts) < 2:
        return len(next(iter(texts))) > 120
    fixed: set[str] | None = None
    for seen in good:
        told = _new_content(seen)
        fixed = told if fixed is None else fixed & told
    return sum(1 for seen in good if _new_content(seen) - (fixed or set())) * 2 > len(good)


def acknowledges(tool: ToolModel) -> bool:
    """Whether results say what was given, yes or no, or one plain word such as `done`: what was done, and nothing of any record."""
    good = [seen for seen in tool.good() if seen.is_json and any(True for _ in leaves(seen.value))]
    return bool(good) and all(all(map(_is_plain, _new_content(seen))) for seen in good)


def _is_plain(word: str) -> bool:
    return word.isalpha() and word.islower()


def _only_words(good: Sequence[Observation]) -> bool:
    """Whether there are few answers, all of plain words: they may as well say what was done as what is."""
    texts = {seen.content for seen in good}
    plain = all(c.isalpha() or c in " .,!'" for text in texts for c in text)
    return plain and len(texts) < MIN_TEXTS


def _new_content(seen: Observation) -> set[str]:
    """What a result says beyond its arguments: scalars of a record, words of a text."""
    given = {_word(value) for value in leaves(seen.arguments)}
    values: list[Json] = list(leaves(seen.value)) if seen.is_json else [*seen.content.split()]
    return {_word(value) for value in values} - given


def _word(value: Json) -> str:
    return value.strip(".,;:!?()\"'") if isinstance(value, str) else stable(value)
