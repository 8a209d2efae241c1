"""Texts and numbers as the report and the review page show them: bounded, without characters that hide or reorder, honest when rounded."""

import re
from pathlib import Path
from typing import Final

import jinja2
from markupsafe import Markup, escape

_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
"""Control characters, direction overrides and lone surrogates: they hide or reorder text, or cannot be written."""


def clip(text: object, limit: int = 400) -> str:
    """A text as a person can read it: nothing that hides or reorders characters, and no longer than `limit`."""
    whole = str(text)
    seen = _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", whole[:limit])
    return f"{seen}… ({len(whole):,} characters)" if len(whole) > limit else seen


_JOINT: Final = re.compile(r"(?<=[_./:\-\]])(?=[\w\[])|(?<=[a-z0-9])(?=[A-Z])")
"""Where the name of a key or a tool may go on in the next line."""


def breakable(name: str) -> Markup:
    """A name that breaks between its words, not inside of them."""
    return Markup("<wbr>").join(escape(part) for part in _JOINT.split(name))


def number(value: float | None) -> str:
    """A count with thousands marked, or "unknown"."""
    if value is None:
        return "unknown"
    if isinstance(value, int):
        return f"{value:,}"
    return f"{round(value, 2) + 0.0:,.2f}".rstrip("0").rstrip(".")


def share(part: int, whole: int) -> str:
    """A share in per cent; nothing of something is never shown as 0.0 or 100.0 by rounding."""
    if whole <= 0:
        return "none"
    percent = 100 * part / whole
    if 0 < part < whole:
        percent = min(max(percent, 0.1), 99.9)
    return f"{percent:.1f} %"


def label(name: str) -> str:
    """A code as words; a part of a tool that is several keeps its name, which is looked for elsewhere."""
    return clip(name, 80) if "[" in name else clip(name, 80).replace("_", " ")


def counted_label(name: str, count: int) -> str:
    """A code as words behind a count: `1 needs review`, `5 need review`."""
    return label(name if count == 1 else name.replace("needs_", "need_"))


def slug(name: str) -> str:
    """A class name that no text can break out of."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in name.lower())[:40]


def templates(*folders: Path) -> jinja2.Environment:
    """Templates of pages: every value is escaped, an unknown one is an error."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        clip=clip, breaks=breakable, n=number, label=label, counted=counted_label, slug=slug
    )
    environment.globals.update(share=share)
    return environment
