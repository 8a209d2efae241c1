"""Refusals in prose: words that open the answers of several tools and after which nothing was ever otherwise.

Comes from observations and the outcomes of each tool by itself; marks text classes as refusals. `Sorry, that cannot be done.`
is no protocol's word for failure and no source marks it: what tells it from `Done:` is that equal calls before and after it
are answered alike, and those around other answers of the same tools are not. Not here: what one tool's results say by themselves
(`outcomes`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Final

from synth.world.model import Workbench, outcome_class
from synth.world.observation import Observation

MIN_TOOLS: Final = 3
"""Tools whose answers open with the same words, each with other answers as well."""
CHANCE: Final = 0.001
"""How likely the looks that found the same may be, if such answers changed as much as the others."""
MIN_CHANGED: Final = 3
"""Looks that found something else after other answers of the same tools."""
OPENING: Final = 2
"""Words."""


def learn_refusal_words(bench: Workbench) -> None:
    """Take texts that open with such words for refusals, in every tool that has them."""
    tools: dict[str, set[str]] = defaultdict(set)
    for name, tool in bench.tools.items():
        texts = {o for c in tool.outcomes if (o := _opening(c))}
        if len(tool.outcomes) > 1:
            for opening in texts:
                tools[opening].add(name)
    shared = {opening: names for opening, names in tools.items() if len(names) >= MIN_TOOLS}
    if not shared:
        return
    found = {o for o, names in shared.items() if _leaves_alone(bench, o, names)}
    for tool in bench.tools.values():
        refusing = [c for c in tool.outcomes if _opening(c) in found]
        if len(refusing) < len(tool.outcomes):
            tool.outcomes.update(dict.fromkeys(refusing, "refusal"))


def _opening(name: str) -> str:
    """The first words of a class of texts, where they are plain words."""
    words = name.removeprefix("text:").split()[:OPENING]
    plain = name.startswith("text:") and len(words) == OPENING
    return " ".join(words) if plain and all(w.strip(",.:;!'").isalpha() for w in words) else ""


def _leaves_alone(bench: Workbench, opening: str, names: set[str]) -> bool:
    """Whether looks around such answers found the same, which those around the same tools' other answers hardly ever did."""
    found: Counter[tuple[bool, bool]] = Counter()
    # That a call is refused the second time may be its own doing.
    looks = [
        (one.tool, one.content == again.content, [_opens(o, opening) for o in between])
        for one, again, between in _again(bench, names)
        if not _opens(one, opening) and not _opens(again, opening)
    ]
    restless = {tool for tool, alike, between in looks if not between and not alike}
    for tool, same, between in looks:
        if between and tool not in restless:
            found[all(between), same] += 1
    alike, changed = found[True, True], found[False, False]
    if found[True, False] or changed < MIN_CHANGED:
        return False
    return (1 - changed / (changed + found[False, True])) ** alike <= CHANCE


def _opens(seen: Observation, opening: str) -> bool:
    return _opening(outcome_class(seen)) == opening


def _again(
    bench: Workbench, names: set[str]
) -> Iterator[tuple[Observation, Observation, list[Observation]]]:
    """Equal calls that follow each other in an episode, with the calls of some tools between them that share a name."""
    for history in bench.histories:
        last: dict[tuple[str, str], Observation] = {}
        for seen in history.observations:
            before = last.get((seen.tool, seen.key))
            last[seen.tool, seen.key] = seen
            if before is not None:
                part = history.observations[before.position + 1 : seen.position]
                near = [o for o in part if o.tool in names and not o.names.isdisjoint(seen.names)]
                yield before, seen, near
