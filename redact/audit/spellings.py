"""The spellings in which a value could hide in a text, as the leak check reads them.

In: a text. Out: the text with its escapes read and folded, plain, from a URL, from HTML and from base64. Shares no code with what the
gate folds and decodes (`redact.fold`, `redact.readers.base64_runs`): what one of them misses the other may see. Searches for nothing.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
_ESCAPE: Final = re.compile(r"(?<!\\)\\+u([0-9a-fA-F]{4})")
_UNSEEN: Final = re.compile(
    "[\u00ad\u0300-\u036f\u0483-\u0489\u061c\u0591-\u05bd\u064b-\u065f\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufe20-\ufe2f\ufeff]"
)
"""Combining marks and characters nobody sees."""
ALIKE: Final[dict[int, str]] = {
    ord(letter): latin
    for latin, letters in {
        "a": "\u0430\u03b1", "b": "\u0432\u0180", "c": "\u0441\u03f2", "d": "\u0501\u0111\u00f0", "e": "\u0435\u0259", "h": "\u04bb\u043d\u0127",
        "i": "\u0456\u03b9\u0131\u0268", "j": "\u0458", "k": "\u043a\u03ba", "m": "\u043c", "n": "\u03b7", "o": "\u043e\u03bf\u00f8",
        "p": "\u0440\u03c1", "s": "\u0455", "t": "\u0442\u03c4\u0167", "u": "\u03c5\u0289", "v": "\u03bd\u0475", "w": "\u0461",
        "x": "\u0445\u03c7", "y": "\u0443\u04af", "l": "\u04cf\u0142", "ae": "\u00e6", "oe": "\u0153", "th": "\u00fe",
    }.items()
    for letter in letters
}  # fmt: skip
"""Letters of other alphabets that look Latin, and those no mark can be taken from: values are looked up in this spelling."""


def plain_reading(text: str) -> str:
    """Return the text as the check reads it: escapes read, folded. A `plain` leak's offset counts its characters."""
    return folded(unescape_text(text))


def unescape_text(text: str) -> str:
    """Return the text with its escapes read."""
    if "\\" not in text:
        return text
    if "\\\n" in text:
        text = _GOES_ON.sub("", text)
    if "\\x" in text:
        text = _BYTES.sub(_of_bytes, text)
    return re.sub(r"(?<!\\)\\+[nrtbf]", "  ", _ESCAPE.sub(lambda code: chr(int(code[1], 16)), text))


_GOES_ON: Final = re.compile(r"\\\n[ ]*(?:\\(?=[ ]))?")
"""How YAML breaks a line within a text, or within a word of it."""
_BYTES: Final = re.compile(r"(?<!\\)(?:\\+x[0-9a-fA-F]{2})+")


def _of_bytes(run: re.Match[str]) -> str:
    """Return what a run of escaped bytes says, as YAML and Python write letters: as UTF-8 or each for itself."""
    raw = bytes.fromhex("".join(run[0].replace("\\", "").split("x")))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def spellings(text: str, encoding: str) -> tuple[str, ...]:
    """Return the text as a leak's offset counts it: folded and, where folding kept the length, with its casing as well."""
    if encoding == "plain":
        raw, seen = text, plain_reading(text)
    elif encoding in _WRITTEN:
        raw = _WRITTEN[encoding](text)
        seen = folded(raw)
    else:
        return ()
    return (seen, raw) if len(raw) == len(seen) and raw != seen else (seen,)


def _of_url(text: str) -> str:
    return unquote(unescape_text(text).replace("+", " "))


def _of_page(text: str) -> str:
    return html.unescape(unescape_text(text))


_WRITTEN: Final[Mapping[str, Callable[[str], str]]] = {"url": _of_url, "html": _of_page}
"""The spellings of addresses and pages; escapes are read in them too, or each level of JSON would make other words."""


def readings(text: str) -> Iterator[tuple[str, str]]:
    """Yield the text in each of the spellings in which a value could hide in it, folded."""
    yield "plain", plain_reading(text)
    if "%" in text and _PERCENT.search(text):
        yield "url", folded(_of_url(text))
    if "&" in text and ";" in text:
        unescaped = _of_page(text)
        if unescaped != text:
            yield "html", folded(unescaped)
    for run in _BASE64.findall(text) if _has_run(text) else ():
        decoded = None if run.islower() or run.isdecimal() else _decoded(run)
        if decoded is not None:
            yield "base64", folded(decoded)


_PERCENT: Final = re.compile(r"%[0-9A-Fa-f]{2}")
_RUN_OF_CODE: Final = b"*" * 12
_CODE: Final = bytes(
    ord("*") if chr(code).isalnum() or chr(code) in "+/_-" else 0 for code in range(128)
) + bytes(128)


def _has_run(text: str) -> bool:
    """Say whether a run long enough for base64 stands in a text: asking so costs a tenth of looking for it."""
    return _RUN_OF_CODE in text.encode("utf-8", "surrogatepass").translate(_CODE)


def folded(text: str) -> str:
    """Return the text as values are compared: without casing, marks and what nobody sees."""
    if text.isascii():
        return text.lower()
    # Character by character, so that a dash in a text of megabytes costs what a dash costs. ASCII has no marks, and nothing is composed.
    parts = _FOREIGN.split(text)
    return "".join(
        _folded_run(part) if place % 2 else part.lower() for place, part in enumerate(parts)
    )


_FOREIGN: Final = re.compile(r"([^\x00-\x7f]+)")


@lru_cache(maxsize=4_096)
def _folded_run(run: str) -> str:
    """Return what a run of characters beyond ASCII is compared as."""
    plain = _UNSEEN.sub("", unicodedata.normalize("NFKD", run)).casefold()
    return spread_letters(plain.translate(ALIKE))


_RUNNING: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003134f]"
)
"""Letters of scripts that put no space between words."""


def spread_letters(text: str) -> str:
    """Return a text with each such letter as a word of its own: where a name among them ends nothing shows."""
    return text if text.isascii() else _RUNNING.sub(r" \g<0> ", text)


def _decoded(run: str) -> str | None:
    """Return what a base64 run says, None when it says nothing readable."""
    body = run.rstrip("=").replace("-", "+").replace("_", "/")
    body = body[: len(body) - (1 if len(body) % 4 == 1 else 0)]
    try:
        text = base64.b64decode(body + "=" * (-len(body) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return text if text.isprintable() or "\n" in text else None
