"""Envelopes: a text before and after one place that varies, as tools put them around their results.

Goes in: a text. Comes out: what is inside, with a mark that says which envelope it came in, and back, byte for byte. Not here: which tools
have which (`views.envelopes`), finding them (`synth.world.views.envelopes`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from ..values.literals import Parsed, parse_json
from .codec import always_written

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
    ascii: bool = always_written(default=True)

    def unwrap(self, content: str) -> str | None:
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

    def wrap(self, inner: str) -> str | None:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelopes:
    """The envelopes of one tool at one level."""

    envelopes: tuple[Envelope, ...]
    """Those that a text without a mark may be in come first, values before texts."""
    bare: frozenset[tuple[str, ...]] = always_written(frozenset())
    """The keys of records that come without an envelope."""
    sign: str = always_written("\x01")
    """Put before a text that came without an envelope: no tool writes it."""

    def unwrap(self, content: str) -> str:
        """What is inside, marked; a result without an envelope stays a record, or becomes a text with the sign.

        Where only refusals have envelopes, all else stays as it is.
        """
        for envelope in self.envelopes:
            inner = envelope.unwrap(content)
            if inner is not None:
                return envelope.mark + inner
        if all(envelope.mark for envelope in self.envelopes):
            return content
        parsed = parse_json(content)
        return content if self._is_bare(parsed) else self.sign + content

    def wrap(self, inner: str) -> str:
        """The text as the tool sends it."""
        if inner.startswith(self.sign):
            return inner[len(self.sign) :]
        for envelope in self.envelopes:
            if envelope.mark and inner.startswith(envelope.mark):
                return envelope.wrap(inner[len(envelope.mark) :]) or inner
        if self.bare and self._is_bare(parse_json(inner)):
            return inner
        found = (envelope.wrap(inner) for envelope in self.envelopes if not envelope.mark)
        return next((text for text in found if text is not None), inner)

    def _is_bare(self, parsed: Parsed | None) -> bool:
        return (
            parsed is not None
            and isinstance(parsed.value, dict)
            and tuple(parsed.value) in self.bare
        )

    @property
    def marks(self) -> tuple[str, ...]:
        """What texts of this level may begin with."""
        return (self.sign, *(envelope.mark for envelope in self.envelopes if envelope.mark))
