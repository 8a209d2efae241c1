"""Text hidden in base64 runs of another text: found, read, and written back in the same alphabet and padding.

In: any text. Out: `Hidden` runs that decode to readable text. Most long runs are ids and decode to nothing readable.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from redact.bounds import CODE_LENGTH

_RUN: Final = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{16,}={0,2}")


@dataclass(frozen=True, slots=True)
class Hidden:
    """One base64 run with the text it holds."""

    start: int
    end: int
    text: str
    url_safe: bool
    padded: bool

    def encode(self, text: str) -> str:
        """Return another text encoded as this run was."""
        data = text.encode("utf-8")
        encoded = base64.urlsafe_b64encode(data) if self.url_safe else base64.b64encode(data)
        return encoded.decode() if self.padded else encoded.decode().rstrip("=")


def has_hidden_text(text: str) -> bool:
    """Say whether the text holds a base64 run that can be read."""
    return may_hide(text) and next(hidden_texts(text), None) is not None


_SHORTEST: Final = b"x" * CODE_LENGTH
_ALPHABET: Final = (
    bytes(
        ord("x") if chr(code).isalnum() or chr(code) in "+/_-" else ord(" ") for code in range(128)
    )
    + b" " * 128
)


def may_hide(text: str) -> bool:
    """Say whether a text holds a run long enough; two steps in C, where the pattern tries every word."""
    return _SHORTEST in text.encode("utf-8", "surrogatepass").translate(_ALPHABET)


def hidden_texts(text: str) -> Iterator[Hidden]:
    """Yield the runs that decode to readable text."""
    for run in _RUN.finditer(text):
        body = run[0]
        decoded = _read(body)
        if decoded is not None:
            url_safe = "-" in body or "_" in body
            padded = body.endswith("=") or len(body) % 4 == 0
            yield Hidden(*run.span(), decoded, url_safe, padded)


def _read(run: str) -> str | None:
    body = run.rstrip("=").replace("-", "+").replace("_", "/")
    if len(body) % 4 == 1 or body.islower() or body.isupper() or body.isdecimal():
        return None
    try:
        decoded = base64.b64decode(body + "=" * (-len(body) % 4), validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        return None
    readable = sum(letter.isprintable() or letter in "\n\r\t" for letter in decoded)
    return decoded if readable == len(decoded) else None
