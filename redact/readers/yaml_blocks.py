"""Results that are written as YAML's blocks: read into the values that JSON would have had.

In: a text. Out: its objects and lists, None where it is anything else. Blocks, plain and quoted texts over several lines, and literal
blocks are read; what stands in brackets is left as text, references and tags are not read. Lines of labels and values without nesting
(`Name: Ana`) are `redact.readers.tables`'. Never raises.
"""

from __future__ import annotations

import re
from typing import Final

from redact.bounds import DEPTH, LONGEST_TABLE

_NESTED: Final = re.compile(
    r"""^(?:[\w.@$+-]+:\n(?:-[ ]|[ ]+[\w.@$"'-])|[ ]*-[ ][\w.@$+"'-]+:(?:\s|$)|[\w.@$+-]+:[ ](?:'[^'\n]*|"[^"\n]*\\|[|>][+-]?)$)""",
    re.MULTILINE,
)
"""What only YAML has: a list or an object under a key, an object that is an item, a text in quotes that goes on below."""
_KEY: Final = re.compile(
    r"""("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s"'#&*!|>%@`{}\[\],?:-][^:#\n]{0,80}?|-?[\w.@+]{1,80}):(?: +(.*))?"""
)
_ESCAPE: Final = re.compile(r"\\(x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_LETTERS: Final = {
    "n": "\n", "t": "\t", "r": "\r", "0": "\0", "b": "\b", "f": "\f", "_": "\u00a0", "N": "\u0085", "e": "\x1b",
}  # fmt: skip
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d{0,17})(\.\d{1,17})?")
_WORDS: Final[dict[str, object]] = {
    "null": None, "~": None, "": None, "true": True, "false": False, "[]": [], "{}": {},
}  # fmt: skip


class _Unread(Exception):  # noqa: N818 - no error: the text is something else
    """The text is no YAML that is read here."""


def block_in(text: str) -> object | None:
    """Return the objects and lists that a text is as YAML, None where it is none."""
    if (
        text[:1] in "{["
        or "\n" not in text
        or len(text) > LONGEST_TABLE
        or not _NESTED.search(text)
    ):
        return None
    lines = text.rstrip().split("\n")
    while lines and not lines[0].strip(" -"):
        del lines[0]
    try:
        value, at = _Lines(lines).block(0, 0)
    except _Unread:
        return None
    return value if at == len(lines) and isinstance(value, dict | list) else None


class _Lines:
    """Reads blocks from a place on; each method returns a value and the place behind it."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def block(self, at: int, depth: int) -> tuple[object, int]:
        """Return the list or object that begins in a line."""
        line = self._lines[at]
        if depth > DEPTH:
            raise _Unread
        if _is_item(line.lstrip(" ")):
            return self._items(at, _indent(line), depth)
        return self._object(at, _indent(line), depth)

    def _items(self, at: int, indent: int, depth: int) -> tuple[list[object], int]:
        found: list[object] = []
        while at < len(self._lines):
            line = self._lines[at]
            if _indent(line) != indent or not _is_item(line[indent:]):
                break
            rest = line[indent + 1 :]
            inner = rest.lstrip(" ")
            if not inner:
                value, at = self._read_below(at + 1, indent, depth)
            elif _is_item(inner) or _KEY.fullmatch(inner):
                self._lines[at] = f"{' ' * (indent + 1)}{rest}"
                value, at = self.block(at, depth + 1)
            else:
                value, at = self._scalar(inner, at + 1, indent)
            found.append(value)
        return found, at

    def _object(self, at: int, indent: int, depth: int) -> tuple[dict[str, object], int]:
        found: dict[str, object] = {}
        while at < len(self._lines):
            line = self._lines[at]
            told = _KEY.fullmatch(line, indent)
            if _indent(line) != indent or told is None:
                break
            key, rest = str(_read_text(told[1])), (told[2] or "").strip()
            if key in found:
                raise _Unread
            if rest:
                found[key], at = self._scalar(rest, at + 1, indent)
            else:
                found[key], at = self._read_below(at + 1, indent, depth)
        if not found:
            raise _Unread
        return found, at

    def _read_below(self, at: int, indent: int, depth: int) -> tuple[object, int]:
        """Return what stands under a key or a mark of an item: a list may stand as far left as its key."""
        if at < len(self._lines):
            line = self._lines[at]
            own = _indent(line)
            if line.strip() and (own > indent or (own == indent and _is_item(line[own:]))):
                if own > indent and not _is_item(line[own:]) and not _KEY.fullmatch(line, own):
                    return self._scalar(line[own:], at + 1, indent)
                return self.block(at, depth + 1)
        return None, at

    def _scalar(self, first: str, at: int, indent: int) -> tuple[object, int]:
        parts = [first]
        while at < len(self._lines):
            line = self._lines[at]
            if line.strip() and _indent(line) <= indent:
                break
            parts.append(line.strip())
            at += 1
        if first[0] in "|>":
            return "\n".join(parts[1:]).strip("\n"), at
        if first[0] not in "\"'" and (": " in first or first[0] in "&*!%@`"):
            raise _Unread
        return _read_text(_join_lines(parts)), at


def _join_lines(parts: list[str]) -> str:
    """Return the lines of one text as one: an empty line breaks it, a mark at the end of a line says that nothing stands there."""
    out = parts[0]
    broken = False
    for part in parts[1:]:
        if not part:
            out += "\n"
            broken = True
        elif out.endswith("\\") and parts[0][0] == '"':
            out = out[:-1] + part
            broken = False
        else:
            out += part if broken else f" {part}"
            broken = False
    return out


def _read_text(text: str) -> object:
    """Return what a text on one line says."""
    if text[0] == '"':
        if len(text) < 2 or text[-1] != '"':
            raise _Unread
        return _ESCAPE.sub(_letter, text[1:-1])
    if text[0] == "'":
        if len(text) < 2 or text[-1] != "'":
            raise _Unread
        return text[1:-1].replace("''", "'")
    if text in _WORDS:
        return _WORDS[text]
    number = _NUMBER.fullmatch(text)
    if number is None:
        return text
    return float(text) if number[1] else int(text)


def _letter(escape: re.Match[str]) -> str:
    code = escape[1]
    if code[0] in "xuU" and len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number < 0x110000 else ""
    return _LETTERS.get(code, code)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _is_item(text: str) -> bool:
    return text[:2] == "- " or text == "-"
