"""Envelopes that an app's tools put around their results: taken off before anything is learnt, put on again at answering.

Goes in: a tool's name and a text. Comes out: what is inside, with a mark that says which envelope it came in, and back, byte for
byte. An envelope is text before and text after one place that varies. Not here: finding them (`synth.world.views.envelopes`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ..task.attempt import UNKNOWN, Json, ToolResult
from ..values.normal import Parsed, parse_json
from .view import CallInFlight, View, keep

RAW: Final = "raw"
"""What stands in the place is the text itself."""
VALUE: Final = "json"
"""A JSON value that is no text."""
TEXT: Final = "text"
"""A JSON text, whose content is what is inside."""
MIXED: Final = "mixed"
"""Either; a text that could be read as JSON stays quoted, so that one is told from the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """One envelope."""

    before: str
    after: str
    kind: str
    mark: str = ""
    """Put before what was inside: an envelope that says that the call failed."""
    pad: str = ""
    """Indentation of lines inside, that they would not have alone."""
    ascii: bool = True

    def inside(self, content: str) -> str | None:
        """What is inside; None where this is not the envelope."""
        if len(content) < len(self.before) + len(self.after):
            return None
        if not (content.startswith(self.before) and content.endswith(self.after)):
            return None
        middle = content[len(self.before) : len(content) - len(self.after)]
        if self.kind == RAW:
            return middle
        parsed = parse_json(middle)
        if parsed is None or middle != middle.strip():
            return None
        value = parsed.value
        if isinstance(value, str) and self.kind != VALUE:
            return value if self.kind == TEXT or parse_json(value) is None else middle
        return middle.replace("\n" + self.pad, "\n") if self.kind != TEXT else None

    def around(self, inner: str) -> str | None:
        """The envelope with a text inside; None where it is not one that may stand there."""
        if self.kind == RAW:
            return self.before + inner + self.after
        parsed = parse_json(inner) if self.kind != TEXT else None
        quoted = self.kind == TEXT or (parsed is None and self.kind == MIXED)
        if quoted:
            return self.before + json.dumps(inner, ensure_ascii=self.ascii) + self.after
        if parsed is None or (isinstance(parsed.value, str) and self.kind == VALUE):
            return None
        return self.before + inner.replace("\n", "\n" + self.pad) + self.after

    def to_json(self) -> dict[str, Json]:
        """The envelope as a world file has it."""
        return {
            name: value
            for name in ("before", "after", "kind", "mark", "pad", "ascii")
            if (value := getattr(self, name)) or name in {"before", "after", "ascii"}
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelopes:
    """The envelopes of one tool at one level."""

    envelopes: Sequence[Envelope]
    """Those that a text without a mark may be in come first, values before texts."""
    bare: frozenset[tuple[str, ...]] = frozenset()
    """The keys of records that come without an envelope."""
    sign: str = "\x01"
    """Put before a text that came without an envelope: no tool writes it."""

    def inside(self, content: str) -> str:
        """What is inside, marked; a result without an envelope stays a record, or becomes a text with the sign.

        Where only refusals have envelopes, all else stays as it is.
        """
        for envelope in self.envelopes:
            inner = envelope.inside(content)
            if inner is not None:
                return envelope.mark + inner
        if all(envelope.mark for envelope in self.envelopes):
            return content
        parsed = parse_json(content)
        return content if self._bare(parsed) else self.sign + content

    def around(self, inner: str) -> str:
        """The text as the tool sends it."""
        if inner.startswith(self.sign):
            return inner[len(self.sign) :]
        for envelope in self.envelopes:
            if envelope.mark and inner.startswith(envelope.mark):
                return envelope.around(inner[len(envelope.mark) :]) or inner
        if self.bare and self._bare(parse_json(inner)):
            return inner
        found = (envelope.around(inner) for envelope in self.envelopes if not envelope.mark)
        return next((text for text in found if text is not None), inner)

    def _bare(self, parsed: Parsed | None) -> bool:
        return (
            parsed is not None
            and isinstance(parsed.value, dict)
            and tuple(parsed.value) in self.bare
        )

    @property
    def marks(self) -> tuple[str, ...]:
        """What texts of this level may begin with."""
        return (self.sign, *(envelope.mark for envelope in self.envelopes if envelope.mark))

    def to_json(self) -> dict[str, Json]:
        """The part of a world file."""
        bare: list[Json] = [list(keys) for keys in sorted(self.bare)]
        return {"envelopes": [w.to_json() for w in self.envelopes], "bare": bare, "sign": self.sign}


class Enveloped(View):
    """All envelopes of an app, the outermost first."""

    __slots__ = ("_kept", "_levels")

    def __init__(self, levels: Mapping[str, Sequence[Envelopes]]) -> None:
        self._levels = levels
        self._kept: dict[tuple[str, str], str] = {}

    @classmethod
    def from_json(cls, part: Mapping[str, Any]) -> Enveloped:
        """From a world file."""
        return cls({tool: tuple(map(_envelopes, levels)) for tool, levels in part.items()})

    def to_json(self) -> dict[str, Any]:
        """The part of a world file."""
        return {
            tool: [level.to_json() for level in levels] for tool, levels in self._levels.items()
        }

    def outward(self, asked: CallInFlight, result: ToolResult) -> ToolResult:
        """An answer in its envelopes."""
        if result.source == UNKNOWN:
            return result
        return replace(result, content=self.around(asked.tool, result.content))

    def observed(self, asked: CallInFlight, content: str) -> str:
        """A recorded result without them."""
        return self.inside(asked.tool, content)

    def bare(self, asked: CallInFlight, content: str, drawn: dict[str, Json]) -> str:  # noqa: ARG002 - envelopes are constant
        """The same."""
        return self.inside(asked.tool, content)

    def inside(self, tool: str, content: str) -> str:
        """A result without its envelopes; whole, as a text, where putting them on again would give another text."""
        levels = self._levels.get(tool, ())
        inner, outer = content, tuple[str, ...]()
        for level in levels:
            if inner.startswith(outer):
                break
            inner, outer = level.inside(inner), (*outer, *level.marks)
        return inner if self._around(tool, inner) == content else levels[0].sign + content

    def around(self, tool: str, inner: str) -> str:
        """A text as the tool sends it."""
        told = self._kept.get((tool, inner))
        if told is None:
            told = keep(self._kept, (tool, inner), self._around(tool, inner))
        return told

    def _around(self, tool: str, inner: str) -> str:
        levels = self._levels.get(tool, ())
        for at in reversed(range(len(levels))):
            outer = tuple(mark for level in levels[:at] for mark in level.marks)
            if not inner.startswith(outer):
                inner = levels[at].around(inner)
        return inner


def _envelopes(part: Mapping[str, Any]) -> Envelopes:
    return Envelopes(
        envelopes=tuple(
            Envelope(
                before=str(w["before"]),
                after=str(w["after"]),
                kind=str(w["kind"]),
                mark=str(w.get("mark", "")),
                pad=str(w.get("pad", "")),
                ascii=bool(w.get("ascii", True)),
            )
            for w in part["envelopes"]
        ),
        bare=frozenset(tuple(map(str, keys)) for keys in part.get("bare", ())),
        sign=str(part.get("sign", "\x01")),
    )
