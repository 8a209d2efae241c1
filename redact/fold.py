"""Text folded for comparison: one spelling for every way a value can be written, with the way back to the original.

In: any text. Out: `Folded(text, ...)`: lower case, compatibility forms and accents resolved, look-alike letters of other
alphabets made Latin, invisible characters dropped, JSON, YAML and URL escapes read. `span` gives the original's positions.
Folding can change the length ("İ", a JSON escape, zero-width characters), so positions are never assumed equal.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

_ODD: Final = re.compile(
    r"[^\x00-\x7f]|(?<!\\)\\+u[dD][89abAB][0-9a-fA-F]{2}\\+u[dD][c-fC-F][0-9a-fA-F]{2}|(?<!\\)\\+u[0-9a-fA-F]{4}"
    r"|(?<!\\)(?:(?:\\+x[0-9a-fA-F]{2})+|\\+U000[01][0-9a-fA-F]{4})"
    r"|%[c-fC-F][0-9a-fA-F](?:%[89abAB][0-9a-fA-F])+|%[0-9a-fA-F]{2}|\\\n *(?:\\(?= ))?|(?<!\\)\\+[nrtbf]"
)
_LOOKALIKES: Final = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0501\u04bb\u04cf\u0432\u043a\u043c"
    "\u043d\u0442\u03b1\u03bf\u03c1\u03bd\u03b9\u03ba\u03c4\u03c5\u03c7\u03b3\u2010\u2011\u2012\u2013"
    "\u2014\uff3f\u2019\u02bc",
    "aeopcyxijsdhlbkmhtaopviktuxy-----_''",
)
_STROKES: Final = {
    ord(letter): plain
    for letter, plain in {
        "\u0131": "i", "\u00f8": "o", "\u0142": "l", "\u0111": "d", "\u0127": "h", "\u0167": "t", "\u0180": "b",
        "\u0268": "i", "\u0289": "u", "\u0259": "e", "\u00f0": "d", "\u00fe": "th", "\u00e6": "ae", "\u0153": "oe",
    }.items()
}  # fmt: skip
"""Letters that no mark can be taken from, as people type them on another keyboard: in addresses, user names, file names."""
_INVISIBLE: Final = frozenset(
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufeff"
)
_DROPPED: Final = {ord(letter): None for letter in _INVISIBLE}


class Folded(NamedTuple):
    """A folded text and where its pieces came from; a named tuple, because one is made per text and value."""

    text: str
    starts: tuple[int, ...] | None = None
    """Folded positions at which the distance to the original changes; None when positions are equal."""
    origins: tuple[int, ...] = ()
    """The original positions of `starts`."""
    lengths: tuple[int, ...] = ()
    """How many characters of the original each piece took, when it is one escape or character; 0 for plain runs."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original's span of a folded span."""
        if self.starts is None:
            return start, end
        first = bisect_right(self.starts, start) - 1
        last = bisect_right(self.starts, end - 1) - 1
        begin = self.origins[first] + (0 if self.lengths[first] else start - self.starts[first])
        if self.lengths[last]:
            return begin, self.origins[last] + self.lengths[last]
        return begin, self.origins[last] + end - self.starts[last]


def fold(text: str) -> Folded:
    """Return the folded text."""
    if "%" not in text and not ("\\" in text and _ESCAPED.search(text)):
        if text.isascii():
            return Folded(text.lower())
        if _BEYOND_MARKS.search(text) is None:
            plain = text.lower().replace("\u2019", "'")
            return Folded(plain.replace("\u2013", "-").replace("\u2014", "-"))
    return fold_pieces(text)


_ESCAPED: Final = re.compile(r"\\[nrtbfuxU\n]")
_BEYOND_MARKS: Final = re.compile("[^\x00-\x7f\u2013\u2014\u2018\u2019\u201c\u201d]")
"""What is neither ASCII nor one of the quotes and dashes of typesetting, each of which folds to one character."""


def fold_value(value: str) -> str:
    """Return a value folded, spaces collapsed: the form in which values are learnt and compared."""
    if value.isascii() and "%" not in value and "\\" not in value:
        return " ".join(value.lower().split())
    return " ".join(fold(value).text.split())


def fold_words(words: Iterable[str]) -> list[str]:
    """Return what `fold_value` makes of each of many words that hold no escapes and no line breaks; a list of a language in one pass."""
    folded = "\n".join(words).translate(_LETTERS).split("\n")
    return [word if word.isalpha() else " ".join(word.split()) for word in folded]


class _Letters(dict[int, str]):
    """What each letter folds to, found as it is met."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        found = self[code] = letter.lower() if letter.isascii() else _letter(letter)
        return found


_LETTERS: Final = _Letters()


def without_escapes(text: str) -> str:
    """Return a text with the line breaks and letters that it writes as escapes: what was quoted twice still has some."""
    if "\\" not in text:
        return text
    return _QUOTED.sub(_unquoted, text)


def _unquoted(escape: re.Match[str]) -> str:
    return _WRITTEN.get(escape[0][-1]) or chr(int(escape[0][-4:], 16))


_QUOTED: Final = re.compile(r"(?<!\\)\\+(?:[nrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4})")
_WRITTEN: Final = {"n": "\n", "r": "\n", "t": " "}


def readable(text: str) -> str:
    """Return a mention as a person reads it: composed letters, no invisible characters."""
    plain = unicodedata.normalize("NFKC", text)
    return plain.translate(_DROPPED)


def fold_pieces(text: str) -> Folded:
    """Return the text folded piece by piece, as texts with escapes or other alphabets are."""
    out: list[str] = []
    starts, origins, lengths = [0], [0], [0]
    place = done = 0
    equal = True
    for odd in _ODD.finditer(text):
        plain = text[done : odd.start()].lower()
        piece = _piece(odd[0])
        out += (plain, piece)
        place += len(plain)
        done = odd.end()
        if len(piece) != len(odd[0]):
            equal = False
            if piece:
                starts.append(place)
                origins.append(odd.start())
                lengths.append(len(odd[0]))
            starts.append(place + len(piece))
            origins.append(done)
            lengths.append(0)
        place += len(piece)
    out.append(text[done:].lower())
    folded = "".join(out)
    if equal:
        return Folded(folded)
    return Folded(folded, tuple(starts), tuple(origins), tuple(lengths))


@lru_cache(maxsize=65_536)
def _piece(odd: str) -> str:
    if odd[0] == "\\":
        mark = odd.lstrip("\\")[0]
        if mark == "\n":
            return ""  # YAML breaks a line within a text so, even within a word
        if mark in "xU":
            return "".join(_letter(letter) for letter in escaped_letters(odd))
        if mark != "u":
            return " " * len(odd)  # an escaped line break is a boundary, not the letter n
        codes = [int(code, 16) for code in re.findall(r"u([0-9a-fA-F]{4})", odd)]
        raw = b"".join(code.to_bytes(2, "big") for code in codes)
        return "".join(_letter(letter) for letter in raw.decode("utf-16-be", "replace"))
    if odd[0] == "%" and len(odd) > 1:
        raw = bytes.fromhex(odd.replace("%", ""))
        return "".join(_letter(letter) for letter in raw.decode("utf-8", "replace").lower())
    return _letter(odd)


def escaped_letters(run: str) -> str:
    """Return what an escaped run of bytes says, as YAML and Python write letters: UTF-8 where it is such, else each byte for itself."""
    code = run.replace("\\", "")
    if code[0] == "U":
        number = int(code[1:], 16)
        return chr(number) if number < 0x110000 else run
    raw = bytes.fromhex(code.replace("x", ""))
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def _letter(letter: str) -> str:
    if letter in _INVISIBLE:
        return ""
    plain = unicodedata.normalize("NFKD", letter).casefold()
    plain = "".join(part for part in plain if not unicodedata.combining(part))
    return plain.translate(_LOOKALIKES).translate(_STROKES)
