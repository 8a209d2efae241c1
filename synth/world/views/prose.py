"""Prose that tools take, found: texts that agents word themselves and that decide nothing.

Comes from calls as agents made them and what learning found of their outcome. Out: per tool the paths of such texts and the recorded
wordings (the `prose` of the world file). A text is prose where it has several words, hardly ever the same ones in other calls, where no
tool had shown it first, none looks things up by it, no refusal names it, and calls that differ in it alone end alike. What a tool answers that is not known to change something has to be the
same to enough wordings besides: whoever searches by a text is answered by it. Not here: how a session uses it (`environments.runtime.sessions.prose`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from environments.runtime.document.recordings import ProsePart
from environments.runtime.sessions.prose import (
    Path,
    name_without_prose,
    said_again,
    text_at,
)
from environments.runtime.task.attempt import Json
from environments.runtime.task.tool_definition import (
    choices_of,
    parameters_of,
    properties_of,
)
from environments.runtime.values.facts import folded
from environments.runtime.values.literals import object_in, parse_json
from redact.records.clean_episode import CleanEpisode
from synth.world.grouping import lists_by_key
from synth.world.model import Workbench, refused
from synth.world.observation import Observation, defined_functions, histories
from synth.world.stated_effects import stated_effects
from synth.world.support import HALF_OF_CASES, MOSTLY, SEEN_SEVERAL_TIMES, SELDOM

WORDS: Final = 3.0
"""Mean number of words from which a text is prose."""
WORDS_OF_FEW: Final = 4.0
"""The same where fewer than `ENOUGH_TEXTS` different texts were seen."""
ENOUGH_TEXTS: Final = 3
CHARACTERS: Final = 3
"""Characters that count as a word where words have no spaces."""
VARIED: Final = HALF_OF_CASES
"""Share of different calls that have a text of their own: codes and states come again."""
SHOWN: Final = HALF_OF_CASES
"""Share of texts that a tool had shown before, beyond which they are names that agents copy: some requests are made in the words of an older one."""
LOOKED_UP: Final = SELDOM
"""Share of texts that may be looked up elsewhere, by accident."""
ALIKE: Final = MOSTLY
"""Share of pairs that differ in prose alone and end alike; what was changed in between accounts for the others."""
PAIRS_OF_LOOKS: Final = SEEN_SEVERAL_TIMES
NOTHING: Final = frozenset({"", "[]", "{}", "null", "none"})
"""Answers that say nothing: whatever is asked for in vain is answered so."""
MOST_PAIRS: Final = 200
_WORD: Final = re.compile(r"\w+")
MOST_WORDINGS: Final = 4
"""Recorded wordings of one call, and of a tool, that are kept."""


def learn_prose(bench: Workbench, episodes: Sequence[CleanEpisode]) -> dict[str, ProsePart]:
    """The `prose` of a world file: that of each tool, by the name that agents call; nothing where no tool takes any."""
    refusals, innocent = _outcomes(bench)
    names = _names_of_parts(bench)
    by_tool: dict[str, list[Observation]] = defaultdict(list)
    by_part: dict[str, list[Observation]] = defaultdict(list)
    shown: dict[int, list[str]] = {}
    for history in histories(episodes):
        shown[history.index] = [folded(seen.content) for seen in history.observations]
        for seen in history.observations:
            by_tool[seen.tool].append(seen)
            by_part[names.get(_place_of(seen), seen.tool)].append(seen)
    looks = {
        part for part, calls in by_part.items() if all(_place_of(c) in innocent for c in calls)
    }
    looked_up = {
        folded(text)
        for part in looks
        for call in by_part[part]
        for _, text in _texts(call.arguments)
    }
    definitions = defined_functions(episodes)
    stated = stated_effects(episodes, by_part)
    found: dict[str, ProsePart] = {}
    for tool, calls in sorted(by_tool.items()):
        done = [c for c in calls if _place_of(c) not in refusals]
        in_vain = [c for c in calls if _place_of(c) in refusals]
        parts = sorted({names.get(_place_of(c), tool) for c in calls})
        paths = [
            path
            for path in _paths(done, definitions.get(tool, {}))
            if _is_prose(path, done, in_vain, shown)
            and (looks.issuperset(parts) or not _is_looked_up(path, done, looked_up))
        ]
        for part in parts if paths else ():
            changes = part not in looks and stated[part] > 0
            if not _ends_alike(paths, by_part[part], refusals, changes=changes):
                given = {path for call in by_part[part] for path, _ in _texts(call.arguments)}
                paths = [path for path in paths if path not in given]
        if paths:
            found[tool] = _part(paths, done)
    return found


def _names_of_parts(bench: Workbench) -> dict[tuple[int, int], str]:
    """The part of a tool of several that each call is of, by episode and place."""
    return {
        _place_of(seen): name
        for name, tool in bench.tools.items()
        if "[" in name
        for seen in tool.observations
    }


def _place_of(call: Observation) -> tuple[int, int]:
    return call.episode, call.position


def _outcomes(bench: Workbench) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """By episode and place: the calls that were refused, and those of tools that only look."""
    refusals: set[tuple[int, int]] = set()
    innocent: set[tuple[int, int]] = set()
    for tool in bench.tools.values():
        refusals.update(_place_of(seen) for seen in tool.observations if refused(tool, seen))
        innocent.update(_place_of(seen) for seen in tool.observations if tool.innocent)
    return refusals, innocent


def _texts(value: Json | Mapping[str, Json], path: Path = ()) -> Iterator[tuple[Path, str]]:
    """The texts of some arguments with their paths; those in lists have none."""
    inside = value if isinstance(value, Mapping) else object_in(value)
    if inside is not None:
        for name, item in inside.items():
            yield from _texts(item, (*path, name))
    elif isinstance(value, str) and value.strip():
        yield path, value


def _paths(calls: Sequence[Observation], definition: Mapping[str, Json]) -> list[Path]:
    """Places of texts with several words, none of them a choice among some."""
    texts = lists_by_key((path, text) for call in calls for path, text in _texts(call.arguments))
    properties = properties_of(definition)
    found = []
    for path, said in sorted(texts.items()):
        needed = WORDS if len(set(said)) >= ENOUGH_TEXTS else WORDS_OF_FEW
        if choices_of(properties.get(path[0]), parameters_of(definition)):
            continue
        if any(text.lstrip()[:1] in {"[", "{"} and parse_json(text) is not None for text in said):
            continue
        if sum(map(words_of, said)) / len(said) >= needed:
            found.append(path)
    return found


def words_of(text: str) -> float:
    """How many words a text has; where words have no spaces, as many as its characters make."""
    wide = sum("\u3040" <= char <= "\u9fff" or "\uac00" <= char <= "\ud7a3" for char in text)
    return max(len(text.split()), wide / CHARACTERS)


def _is_prose(
    path: Path,
    done: Sequence[Observation],
    refused_calls: Sequence[Observation],
    shown: Mapping[int, Sequence[str]],
) -> bool:
    mine = [(c, text) for c in done if (text := text_at(c.arguments, path)) is not None]
    calls = {(name_without_prose(c.arguments, [path]), text) for c, text in mine}
    if len({text for _, text in calls}) < VARIED * len({other for other, _ in calls}):
        return False
    first = {text: c for c, text in reversed(mine)}
    known = sum(
        any(folded(text) in content for content in shown[c.episode][: c.position])
        for text, c in first.items()
    )
    if known > SHOWN * len(first):
        return False
    return not any(
        folded(text) in folded(c.content)
        for c in refused_calls
        if (text := text_at(c.arguments, path)) is not None
    )


def _is_looked_up(path: Path, done: Sequence[Observation], looked_up: set[str]) -> bool:
    """Whether other tools look things up by what stands there."""
    texts = {folded(t) for c in done if (t := text_at(c.arguments, path)) is not None}
    return len(texts & looked_up) > LOOKED_UP * len(texts)


def _ends_alike(
    paths: Sequence[Path],
    calls: Sequence[Observation],
    refusals: set[tuple[int, int]],
    *,
    changes: bool,
) -> bool:
    """Whether calls that differ in prose alone end alike; unless the tool changes something, whether they are answered the same."""
    groups: dict[str, dict[tuple[str | None, ...], Observation]] = defaultdict(dict)
    for call in calls:
        texts = tuple(text_at(call.arguments, path) for path in paths)
        groups[name_without_prose(call.arguments, paths)].setdefault(texts, call)
    pairs = [pair for group in groups.values() for pair in combinations(group.items(), 2)]
    tried = pairs[:MOST_PAIRS]
    if changes:
        ends = [[_place_of(c) in refusals for _, c in pair] for pair in tried]
        alike = sum(one == other for one, other in ends) >= ALIKE * len(tried)
        return alike and not any(_tells_own_words(*pair) for pair in tried)
    said = [pair for pair in tried if pair[0][1].content.strip().casefold() not in NOTHING]
    return len(said) >= PAIRS_OF_LOOKS and all(_answers_alike(*pair) for pair in tried)


Worded = tuple[tuple[str | None, ...], Observation]
"""A call with its prose."""


def _tells_own_words(mine: Worded, theirs: Worded) -> bool:
    """Whether an answer holds words of its call's prose that neither the other's prose nor its answer has, beside the prose as a whole."""
    told, others = _words_in(_in_words_of(mine, theirs)), _words_in(theirs[1].content)
    said, besides = (_words_in(*filter(None, one[0])) for one in (mine, theirs))
    return not told.isdisjoint(said - besides - others)


def _words_in(*texts: str) -> set[str]:
    return {word for text in texts for word in _WORD.findall(folded(text))}


def _answers_alike(mine: Worded, theirs: Worded) -> bool:
    return _in_words_of(mine, theirs) == theirs[1].content


def _in_words_of(mine: Worded, theirs: Worded) -> str:
    """An answer with its call's prose replaced by another's."""
    both = zip(mine[0], theirs[0], strict=True)
    texts = {m: t for m, t in both if m is not None and t is not None and m != t}
    return said_again(mine[1].content, texts)


def _part(paths: Sequence[Path], done: Sequence[Observation]) -> ProsePart:
    said: dict[str, Counter[tuple[str | None, ...]]] = defaultdict(Counter)
    for call in done:
        texts = tuple(text_at(call.arguments, path) for path in paths)
        if any(text is not None for text in texts):
            said[name_without_prose(call.arguments, paths)][texts] += 1
    every: Counter[tuple[str | None, ...]] = Counter()
    for counts in said.values():
        every.update(counts)
    return ProsePart(
        paths=tuple(paths),
        said={other: _commonest(counts) for other, counts in sorted(said.items())},
        usual=_commonest(every),
    )


def _commonest(counts: Counter[tuple[str | None, ...]]) -> tuple[tuple[str | None, ...], ...]:
    return tuple(texts for texts, _ in counts.most_common(MOST_WORDINGS))
