"""Records as lines with labels, and as YAML's blocks: read into JSON and written again.

Goes in: a text and its style, or a value. Comes out: the value, or the text. One grammar for both: `label: value`, records and lists
indented under their label, `- ` before the items. Not here: single values (`style`, `yaml`).
"""

from __future__ import annotations

import re
from typing import Final

from ..task.attempt import Json
from .style import YAML, Style, UnwrittenError
from .yaml import closes, read_yaml, write_yaml

MAX_LABEL: Final = 40
MAX_WORDS: Final = 4
"""Words of a label; more before a colon are a sentence."""
MAX_LENGTH: Final = 200_000
MAX_DEPTH: Final = 20
_LABEL: Final = re.compile(
    r"('(?:[^']|'')*'|[^\s'\"#:{}\[\]<>|`-][^:\n]*(?::\S[^:\n]*)*):(?: (.*))?"
)


class UnreadError(ValueError):
    """The text is written in another way."""


def read_block(text: str, style: Style) -> Json:
    """The record or list that a text is; fails where it is none."""
    if not text.endswith(style.end) or len(text) > MAX_LENGTH:
        raise UnreadError
    body = text[: len(text) - len(style.end)]
    if style.form == YAML and body in {"[]", "{}"}:
        return read_yaml(body)
    rows = [(len(line) - len(line.lstrip(" ")), line.lstrip(" ")) for line in body.split("\n")]
    if not rows[0][1] or rows[0][0]:
        raise UnreadError
    if style.bullet:
        rows = [_without_bullet(row, style.bullet) for row in rows]
    value, at = _read(rows, 0, 0, style)
    if at < len(rows) or (style.form != YAML and not _tells_records(value, style)):
        raise UnreadError
    return value


def _without_bullet(row: tuple[int, str], bullet: str) -> tuple[int, str]:
    indent, text = row
    if indent or not text.startswith(bullet):
        raise UnreadError
    return 0, text[len(bullet) :]


def _tells_records(value: Json, style: Style) -> bool:
    """Whether labels tell records: an item with one label says what it is by a word that may be data."""
    if isinstance(value, dict):
        return len(value) > 1 or style.sentences.isdisjoint(value)
    items = value if isinstance(value, list) else []
    return bool(items) and all(isinstance(item, dict) and len(item) > 1 for item in items)


Rows = list[tuple[int, str]]


def _read(rows: Rows, at: int, indent: int, style: Style) -> tuple[Json, int]:
    if indent > MAX_DEPTH * 4:
        raise UnreadError
    if rows[at][1].startswith("- "):
        return _read_list(rows, at, indent, style)
    return _read_record(rows, at, indent, style)


def _read_list(rows: Rows, at: int, indent: int, style: Style) -> tuple[Json, int]:
    out: list[Json] = []
    while at < len(rows) and rows[at][0] == indent and rows[at][1].startswith("- "):
        rest = rows[at][1][2:]
        if rest.startswith("- ") or _LABEL.fullmatch(rest):
            rows[at] = (indent + 2, rest)
            value, at = _read(rows, at, indent + 2, style)
        else:
            value, at = _value(rows, at, rest, "-", style)
        out.append(value)
    return out, at


def _read_record(rows: Rows, at: int, indent: int, style: Style) -> tuple[Json, int]:
    out: dict[str, Json] = {}
    while at < len(rows) and rows[at][0] == indent and not rows[at][1].startswith("- "):
        found = _LABEL.fullmatch(rows[at][1])
        label = _label(found[1], style) if found is not None else None
        if found is None or label is None or label in out:
            raise UnreadError
        rest = found[2]
        if rest is not None and rest != style.after[1:]:
            out[label], at = _value(rows, at, rest, label, style)
            continue
        at += 1
        if at == len(rows):
            raise UnreadError
        listed = rows[at][1].startswith("- ")
        under = indent + (style.items if listed else style.step)
        if rows[at][0] != under:
            raise UnreadError
        out[label], at = _read(rows, at, under, style)
    if not out:
        raise UnreadError
    return out, at


def _label(text: str, style: Style) -> str | None:
    if text[0] == "'":
        value = read_yaml(text) if style.form == YAML else None
        return value if isinstance(value, str) else None
    return text if len(text) <= MAX_LABEL and len(text.split()) <= MAX_WORDS else None


def _value(rows: Rows, at: int, rest: str, label: str, style: Style) -> tuple[Json, int]:
    """One value, with the lines that a long one goes on in."""
    indent = rows[at][0]
    at += 1
    if style.form != YAML:
        if not rest or rest != rest.strip():
            raise UnreadError
        return style.read(rest, label), at
    if rest[:1] in {"'", '"'}:
        return _quoted(rows, at, rest)
    while at < len(rows) and rows[at][0] == indent + 2:
        rest += " " + rows[at][1]
        at += 1
    return read_yaml(rest), at


def _quoted(rows: Rows, at: int, first: str) -> tuple[Json, int]:
    """A text in quotes, with all its lines."""
    lines, line, quotes = [first], first[1:], first.count("'")
    while not closes(line, first[0], quotes):
        if at == len(rows):
            raise UnreadError
        line = rows[at][1]
        quotes += line.count("'")
        lines.append(line)
        at += 1
    return read_yaml("\n".join(lines)), at


def write_block(value: Json, style: Style) -> str:
    """The text of a record or list; fails where the style has no spelling for a part."""
    if not value:
        if style.form == YAML and isinstance(value, dict | list):
            return ("{}" if isinstance(value, dict) else "[]") + style.end
        raise UnwrittenError
    rows = _write_rows(value, 0, style)
    if style.bullet and isinstance(value, dict):
        rows = [style.bullet + row for row in rows]
    return "\n".join(rows) + style.end


def _write_rows(value: Json, indent: int, style: Style) -> list[str]:
    pad = " " * indent
    if isinstance(value, list):
        return [row for item in value for row in _item(item, indent, style)]
    out: list[str] = []
    for label, inner in value.items() if isinstance(value, dict) else ():
        name = write_yaml(label, style) if style.form == YAML else label
        start = f"{pad}{name}:"
        if isinstance(inner, dict | list) and inner:
            under = indent + (style.items if isinstance(inner, list) else style.step)
            out += [start + style.after, *_write_rows(inner, under, style)]
        else:
            out.append(f"{start} {_write_scalar(inner, label, len(start) + 1, indent, style)}")
    return out


def _item(item: Json, indent: int, style: Style) -> list[str]:
    pad = " " * indent
    if isinstance(item, dict | list) and item:
        rows = _write_rows(item, indent + 2, style)
        return [f"{pad}- {rows[0][indent + 2 :]}", *rows[1:]]
    return [f"{pad}- {_write_scalar(item, '-', indent + 2, indent, style)}"]


def _write_scalar(value: Json, label: str, column: int, indent: int, style: Style) -> str:
    if style.form == YAML:
        return write_yaml(value, style, label, column, " " * (indent + 2))
    text = style.write(value, label)
    if not text or text != text.strip() or "\n" in text:
        raise UnwrittenError
    return text
