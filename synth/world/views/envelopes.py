"""Envelopes, found: a constant outer structure around one varying place, shared by the results of several tools.

Comes from observations as recorded; leaves what is inside, in place, and what `environments.runtime.views.envelopes` puts around
it again. Names of keys alone prove nothing: a place counts as the inside where the same structure stands around records, lists
or sentences of several tools and nothing else in it varies. Refusals are told by the constants of the other form.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from re import compile as pattern
from typing import Final

from environments.runtime.document.envelopes import (
    MIXED,
    RAW,
    TEXT,
    VALUE,
    Envelope,
    Envelopes,
)
from environments.runtime.document.views import EnvelopesByTool
from environments.runtime.task.attempt import Json
from environments.runtime.values.literals import parse_json
from synth.world.grouping import sets_by_key
from synth.world.observation import History, Observation, by_tool, every_call
from synth.world.support import SEEN_THRICE, SEEN_TWICE
from synth.world.views.envelope_places import Place, faulty, places_of, shows
from synth.world.views.refusal_templates import said_instead

MAX_LEVELS: Final = 3
SAMPLE: Final = 60
"""Different results of a tool that are looked through for envelopes."""
MIN_TOOLS: Final = SEEN_TWICE
"""Tools whose results have the same structure around them before it counts as an envelope."""
MIN_SEEN: Final = SEEN_THRICE
"""Results of a tool, or refusals of an app, that a structure is told from."""
MIN_SHARE: Final = 1 / 3
"""Of all results that an envelope has to be around."""
SHARED_TOOLS: Final = SEEN_THRICE
SHARED: Final = 2 / 3
"""The same of an envelope around numbers and words."""
MAX_FORMS: Final = 3
"""Different constants around the results of one tool."""

_WORD: Final = pattern(r"\w+")

Groups = Mapping[str, Sequence[Observation]]


@dataclass(slots=True)
class _Shape:
    """One outer structure: what stood around and inside, by tool."""

    depth: int
    found: dict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))

    def count(self) -> int:
        return sum(map(len, self.found.values()))

    @property
    def raw(self) -> bool:
        return any(place.raw for places in self.found.values() for place in places)

    def count_around(self) -> Counter[tuple[str, str]]:
        return Counter(place.around for places in self.found.values() for place in places)


def learn_enveloped(histories: Sequence[History], *, first: int = 1) -> EnvelopesByTool:
    """The envelopes of all tools; results lose theirs, in place.

    `first` numbers the marks: those of envelopes inside of others differ.
    """
    groups = by_tool(histories)
    levels: dict[str, list[Envelopes]] = defaultdict(list)
    marks: list[str] = []
    for number in range(first, first + MAX_LEVELS):
        inner = {
            tool: [o for o in seen if not o.content.startswith(tuple(marks))]
            for tool, seen in groups.items()
        }
        found = _level({tool: seen for tool, seen in inner.items() if seen}, number)
        if not found:
            break
        for tool, level in found.items():
            levels[tool].append(level)
            marks.extend(level.marks)
            for seen in inner[tool]:
                seen.content = level.unwrap(seen.content)
    if not levels:
        return {}
    for seen in every_call(histories):
        seen.settle()
    return {tool: tuple(found) for tool, found in levels.items()}


def _level(groups: Groups, number: int) -> dict[str, Envelopes]:
    """The envelopes outside of everything else."""
    samples = {tool: _sample(seen) for tool, seen in groups.items()}
    envelopes: dict[str, list[Envelope]] = defaultdict(list)
    main = _main_shape(samples)
    if main is None:
        for tool, first in said_instead(samples):
            envelopes[tool].append(_envelope(first, mark="?"))
        return _all_settled(envelopes, groups, number)
    flags = _flags(groups)
    usual = Counter[tuple[str, str]]()
    for tool, places in main.found.items():
        around = Counter(place.around for place in places).most_common(MAX_FORMS)
        usual[around[0][0]] += 1
        for at, (pair, _) in enumerate(around):
            first = next(p for p in places if p.around == pair)
            bad = faulty(pair, None) and first.text
            if bad or (at and flags.get((tool, pair))):
                envelopes[tool].append(_envelope(first, mark="?"))
            else:
                envelopes[tool].append(_envelope(first))
    for tool, first in _refusals(samples, main, usual):
        envelopes[tool].append(_envelope(first, mark="?"))
    return _all_settled(envelopes, groups, number)


def _all_settled(
    envelopes: Mapping[str, Sequence[Envelope]], groups: Groups, number: int
) -> dict[str, Envelopes]:
    out: dict[str, Envelopes] = {}
    for tool, found in _mark_envelopes(envelopes, number).items():
        level = _consistent_envelopes(found, groups[tool], chr(number))
        if level is not None:
            out[tool] = level
    return out


def _mark_envelopes(
    envelopes: Mapping[str, Sequence[Envelope]], level: int
) -> dict[str, list[Envelope]]:
    """Refusals in the same envelope get the same mark in all tools, what is a tool's own in it aside."""
    used = sets_by_key(
        (word, tool)
        for tool, found in envelopes.items()
        for envelope in found
        for word in _WORD.findall(envelope.before + envelope.after)
    )
    names: dict[tuple[str, ...], str] = {}
    out: dict[str, list[Envelope]] = {}
    for tool, found in sorted(envelopes.items()):
        out[tool] = []
        for at, envelope in enumerate(found):
            words = _WORD.findall(envelope.before + "\n" + envelope.after)
            common = tuple(w for w in words if len(used[w]) > 1 or len(envelopes) == 1)
            name = names.setdefault(common, _name(len(names)))
            mark = f"[error {'i' * level}{name}] "
            if any(other.mark == mark for other in out[tool]):
                mark = f"[error {'i' * level}{name} {_name(at)}] "
            out[tool].append(replace(envelope, mark=mark if envelope.mark else ""))
    return out


def _name(number: int) -> str:
    """Letters only: words with digits would be taken for names of things."""
    rest, last = divmod(number, 8)
    return (_name(rest - 1) if rest else "") + "abcdefgh"[last]


def _sample(seen: Sequence[Observation]) -> list[str]:
    distinct = sorted({o.content for o in seen})
    return distinct[:: max(1, len(distinct) // SAMPLE)]


def _shapes(samples: Mapping[str, Iterable[str]]) -> dict[tuple[object, ...], _Shape]:
    shapes: dict[tuple[object, ...], _Shape] = {}
    for tool, contents in samples.items():
        for content in contents:
            for place in places_of(content):
                shape = shapes.setdefault(place.shape, _Shape(len(place.shape)))
                shape.found[tool].append(place)
    return shapes


def _main_shape(samples: Mapping[str, Sequence[str]]) -> _Shape | None:
    """The structure around most results: the deepest of those around about as many."""
    total = sum(map(len, samples.values()))
    good: list[_Shape] = []
    for shape in _shapes(samples).values():
        kept = {
            tool: places
            for tool, places in shape.found.items()
            if _steady(places) and _covers(places, samples[tool])
        }
        strong = [
            places
            for places in kept.values()
            if len(places) >= MIN_SEEN and len({place.middle for place in places}) > 1
        ]
        carrying = sum(any(p.carries for p in places) for places in strong)
        count = sum(map(len, kept.values()))
        # Numbers and words alone say little, unless nearly everything is told in the same text.
        common = _shared_by(strong) >= SHARED_TOOLS and count >= total * SHARED
        says = carrying * 2 >= len(strong) or common
        if len(strong) >= MIN_TOOLS and says and count >= total * MIN_SHARE:
            shape.found = _shared_structures(shape.found)
            good.append(shape)
    if not good:
        return None
    most = max(shape.count() for shape in good)
    return max((s for s in good if s.count() >= 0.95 * most), key=lambda s: (s.depth, s.count()))


def _shared_by(strong: Iterable[Sequence[Place]]) -> int:
    """The most tools that have one and the same text around their results."""
    tools = Counter(pair for places in strong for pair in {place.around for place in places})
    return max(tools.values(), default=0)


def _shared_structures(found: Mapping[str, list[Place]]) -> dict[str, list[Place]]:
    """What has the structure in any tool: those that mostly refuse too, and constants that other tools have."""
    tools = sets_by_key((place.around, tool) for tool, places in found.items() for place in places)
    out = defaultdict[str, list[Place]](list)
    for tool, places in found.items():
        steady = _steady(places)
        kept = [p for p in places if steady or len(tools[p.around]) >= MIN_TOOLS]
        if kept:
            out[tool] = kept
    return out


def _steady(places: Sequence[Place]) -> bool:
    """Whether nothing varies but the place: few constants, each of several results."""
    pairs = {place.around for place in places}
    return len(pairs) == 1 or (len(pairs) <= MAX_FORMS and len(pairs) * 3 <= len(places))


def _covers(places: Sequence[Place], contents: Sequence[str]) -> bool:
    """Whether most of a tool's results that could have the structure have it."""
    return len(places) * 2 >= sum(content[:1] == places[0].whole[:1] for content in contents)


def _flags(groups: Groups) -> dict[tuple[str, tuple[str, str]], bool]:
    """Of each tool's envelopes, whether the source marks most of what came in them as errors."""
    votes: dict[tuple[str, tuple[str, str]], Counter[bool]] = defaultdict(Counter)
    for tool, seen in groups.items():
        for one in seen[: 10 * SAMPLE]:
            if one.is_error is not None:
                for place in places_of(one.content):
                    votes[tool, place.around][one.is_error] += 1
    return {key: counts[True] > counts[False] for key, counts in votes.items()}


def _refusals(
    samples: Mapping[str, Sequence[str]], main: _Shape, usual: Counter[tuple[str, str]]
) -> Iterator[tuple[str, Place]]:
    """What stands around the texts of refusals, by tool: constants that say so, and one text that varies."""
    inside = {p.whole for places in main.found.values() for p in places}
    rest = {t: [c for c in contents if c not in inside] for t, contents in samples.items()}
    common = usual.most_common(1)[0][0]
    while True:
        shapes = [_keep_faulty_texts(shape, common) for shape in _shapes(rest).values()]
        # Around texts, a record without the envelope is one that the tool itself says.
        shapes = [shape for shape in shapes if shape.raw or not main.raw]
        good = [shape for shape in shapes if _tells(shape)]
        if not good:
            return
        best = max(good, key=lambda s: (s.count(), -len(s.count_around()), s.depth))
        taken: set[str] = set()
        for tool, places in best.found.items():
            taken.update(place.whole for place in places)
            yield from ((tool, p) for p in {place.around: place for place in places}.values())
        rest = {t: [c for c in contents if c not in taken] for t, contents in rest.items()}


def _keep_faulty_texts(shape: _Shape, common: tuple[str, str]) -> _Shape:
    texts = {
        tool: [p for p in places if p.text and faulty(p.around, common) and not shows(p.around)]
        for tool, places in shape.found.items()
    }
    shape.found = defaultdict(list, {tool: places for tool, places in texts.items() if places})
    return shape


def _tells(shape: _Shape) -> bool:
    count, tools = shape.count(), len(shape.found)
    middles = {place.middle for places in shape.found.values() for place in places}
    around = len(shape.count_around())
    carries = any(p.carries for places in shape.found.values() for p in places)
    return carries and count >= MIN_SEEN and len(middles) >= 2 and around <= max(tools, count / 2)


def _envelope(place: Place, mark: str = "") -> Envelope:
    kind = RAW if place.raw else TEXT if place.text else VALUE
    return Envelope(
        before=place.around[0], after=place.around[1], kind=kind, mark=mark, pad=place.pad
    )


def _consistent_envelopes(
    envelopes: Sequence[Envelope], seen: Sequence[Observation], sign: str
) -> Envelopes | None:
    """The envelopes as all results of a tool have them; None where putting them on again would give other texts."""
    contents = {one.content for one in seen}
    settled = [_typed(envelope, contents) for envelope in envelopes]
    order = sorted(settled, key=lambda w: (bool(w.mark), w.kind == TEXT, w.kind == MIXED))
    records: set[tuple[str, ...]] = set()
    for content in contents if any(not envelope.mark for envelope in order) else ():
        if all(envelope.unwrap(content) is None for envelope in order):
            parsed = parse_json(content)
            if parsed is not None and isinstance(parsed.value, list):
                return None
            if parsed is not None and isinstance(parsed.value, dict):
                records.add(tuple(parsed.value))
    level = Envelopes(envelopes=tuple(order), bare=frozenset(records), sign=sign)
    if any(level.wrap(level.unwrap(content)) != content for content in contents):
        return None
    return level


def _typed(envelope: Envelope, contents: Iterable[str]) -> Envelope:
    """Whether only values, only texts or both stand inside, and how texts are written."""
    if envelope.kind == RAW:
        return envelope
    kinds: set[bool] = set()
    either = replace(envelope, kind=MIXED)
    plain = False
    for content in contents:
        if either.unwrap(content) is None:
            continue
        middle = content[len(envelope.before) : len(content) - len(envelope.after)]
        kinds.add(_is_text(parse_json(middle)))
        plain = plain or not middle.isascii()
    kind = MIXED if len(kinds) > 1 else TEXT if kinds == {True} else VALUE
    return replace(envelope, kind=kind, ascii=not plain)


def _is_text(parsed: object) -> bool:
    value: Json = getattr(parsed, "value", None)
    return isinstance(value, str)
