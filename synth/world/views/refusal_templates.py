"""Refusal templates: records around one text that tools say instead of their results, in apps whose results have no envelope.

Comes from the texts of results by tool; gives, by tool, the places in which such texts stand. `{"detail": "No such order."}` has no
protocol's word for failure and no source marks it. What tells it is that several tools answer so beside records, lists or numbers
of their own. Where a tool says nothing else, its text may be what it has done. Not here: envelopes around results (`envelopes`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from environments.runtime.values.literals import parse_json
from synth.tool_errors import looks_failed
from synth.world.support import SEEN_THRICE, SEEN_TWICE
from synth.world.views.envelope_places import Place, faulty, places_of, shows

MIN_TOOLS: Final = SEEN_TWICE
"""Tools that have results of their own beside such a record."""
MIN_SEEN: Final = SEEN_THRICE
"""Such records in the whole app."""
MIN_OWN: Final = SEEN_TWICE
"""Other results of such a tool."""

Shape = tuple[object, ...]


@dataclass(slots=True)
class _ShapeRecords:
    """Records of one shape, by tool."""

    found: dict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))

    def tells_sentences(self) -> bool:
        """Whether sentences stand there, more of them than of what stands around."""
        places = [place for found in self.found.values() for place in found]
        around = {place.around for place in places}
        return (
            len(places) >= MIN_SEEN
            and len({place.middle for place in places}) >= 2
            and any(place.carries for place in places)
            and len(around) <= max(len(self.found), len(places) / 2)
        )


def said_instead(samples: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, Place]]:
    """By tool the first place of every text around such sentences."""
    shapes = {shape: said for shape, said in _shapes(samples).items() if said.tells_sentences()}
    texts = {
        tool: {p.whole for said in shapes.values() for p in said.found.get(tool, ())}
        for tool in samples
    }
    own = {
        tool: sum(text not in texts[tool] and not looks_failed(text) for text in contents)
        for tool, contents in samples.items()
    }
    known = [said for said in shapes.values() if _is_known_template(said, own)]
    wholes = {
        tool: {p.whole for said in known for p in said.found.get(tool, ())} for tool in samples
    }
    for said in known:
        for tool, places in said.found.items():
            if any(text not in wholes[tool] for text in samples[tool]):
                first = {place.around: place for place in reversed(places)}
                yield from ((tool, place) for place in first.values())


def _is_known_template(said: _ShapeRecords, own: Mapping[str, int]) -> bool:
    """Whether enough tools have results of their own beside it; one does where the words around it say that the call failed."""
    beside = sum(own[tool] >= MIN_OWN for tool in said.found)
    words = all(faulty(place.around, None) for found in said.found.values() for place in found)
    return beside >= (1 if words else MIN_TOOLS)


def _shapes(samples: Mapping[str, Sequence[str]]) -> dict[Shape, _ShapeRecords]:
    """Records whose only text with several words is at one place, all else flags and words."""
    shapes: dict[Shape, _ShapeRecords] = defaultdict(_ShapeRecords)
    for tool, contents in samples.items():
        for content in contents:
            parsed = parse_json(content)
            if parsed is None or not isinstance(parsed.value, dict):
                continue
            places = [p for p in places_of(content) if p.text and not p.raw and not shows(p.around)]
            best = max(places, key=lambda p: (p.carries, len(p.middle)), default=None)
            if best is not None:
                shapes[best.shape].found[tool].append(best)
    return shapes
