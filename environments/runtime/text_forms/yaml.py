"""Single values as YAML's plain dumpers write them: plain where that reads back as a text, else in quotes, folded after 80 columns.

Goes in: a value or its spelling. Comes out: the other. Only what PyYAML's `safe_dump` writes. Not here: blocks (`block`).
"""

from __future__ import annotations

import json
import re
from typing import Final

from ..task.attempt import Json
from ..values.literals import character_of
from ..values.normal import is_number
from .style import Style, UnwrittenError, number_of

WIDTH: Final = 80
_OTHER: Final = re.compile(
    r"""yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF
    |~|null|Null|NULL|<<|=
    |[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+][0-9]+)?
    |\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?
    |[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*
    |[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)
    |[-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+
    |[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+
    |[0-9]{4}-[0-9]{2}-[0-9]{2}
    |[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?
     (?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?""",
    re.VERBOSE,
)
"""What a reader of YAML 1.1 takes for something else than a text."""
TIME: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?(?:Z|[-+]\d{2}:\d{2})?)?"
)
"""Times and dates, which dumpers write without quotes."""
_UNSHOWN: Final = frozenset("\x85\u2028\u2029\ufeff")
_FIRST: Final = frozenset("#,[]{}&*!|>'\"%@`")
_ESCAPES: Final = dict(
    zip('\\" tnvfreab0_NLP', '\\" \t\n\v\f\r\x1b\a\b\0\xa0\x85\u2028\u2029', strict=True)
) | {"\n": ""}
_ESCAPES_BACK: Final = {value: sign for sign, value in _ESCAPES.items() if value.strip(" ")}
_ESCAPED: Final = re.compile(r"\\(x[0-9A-F]{2}|u[0-9A-F]{4}|U[0-9A-F]{8}|.)", re.DOTALL)
_PIECES: Final = re.compile(r"\n+| +|[^ \n]+")
_SPECIAL: Final[dict[str, Json]] = {"null": None, "true": True, "false": False, "[]": [], "{}": {}}


def read_yaml(text: str) -> Json:
    """The value of a spelling; fails where no plain dumper writes it."""
    if text in _SPECIAL:
        value: Json = _SPECIAL[text]
        return value.copy() if isinstance(value, list | dict) else value
    if text[:1] in {"'", '"'} and text[-1:] == text[0] and len(text) > 1:
        return _unquoted(text)
    number = number_of(text)
    return text if number is None else number


def closes(line: str, sign: str, quotes: int) -> bool:
    """Whether a line ends a text in quotes of a kind; `quotes` counts the single ones since the text began."""
    if sign == "'":
        return line.endswith("'") and quotes % 2 == 0
    before = line.removesuffix('"')
    return before != line and (len(before) - len(before.rstrip("\\"))) % 2 == 0


def _unquoted(text: str) -> str:
    """A text in quotes, its lines without what they are indented by."""
    if text[0] == '"':
        return _ESCAPED.sub(_unescaped, text[1:-1])
    joined = re.sub(r"\n+", lambda breaks: "\n" * (len(breaks[0]) - 1) or " ", text[1:-1])
    return joined.replace("''", "'")


def write_yaml(
    value: Json, style: Style, label: str = "", column: int | None = None, pad: str = ""
) -> str:
    """The spelling of a value that begins in a column; lines after the first begin with `pad`. Without a column it is a label."""
    if is_number(value):
        return style.number(value, label)
    if not isinstance(value, str):
        return json.dumps(value)
    shown = all(sign == "\n" or _is_shown(sign, style) for sign in value)
    if shown and "\n" not in value and _is_plain(value, timed=label in style.timed):
        return _folded(value, value, column, pad)
    if not style.quoted or (column is None and "\n" in value) or _UNSHOWN.intersection(value):
        raise UnwrittenError
    if shown and " \n" not in value and "\n " not in value:
        return "'" + _folded(value, value.replace("'", "''"), column, pad, 1) + "'"
    return '"' + _escaped_lines(value, style, column, pad) + '"'


def _is_shown(sign: str, style: Style) -> bool:
    return " " <= sign <= "~" or (style.wide and sign >= "\xa0" and sign not in _UNSHOWN)


def _folded(value: str, text: str, column: int | None, pad: str, quote: int = 0) -> str:
    """A text as lines of at most 80 columns where a single space lies behind them; an end of line is an empty line."""
    at = (column or 0) + quote
    if "\n" not in value and (column is None or at + quote + len(text) <= WIDTH):
        return text
    out = list[str]()
    for found in _PIECES.finditer(text):
        piece, inside = found[0], found.start() > 0 and found.end() < len(text)
        if piece[0] == "\n":
            piece, at = piece + "\n" + pad, len(pad)
        elif piece == " " and at > WIDTH and inside:
            piece, at = "\n" + pad, len(pad)
        else:
            at += len(piece)
        out.append(piece)
    return "".join(out)


def _escaped_lines(value: str, style: Style, column: int | None, pad: str) -> str:
    """A text with escapes, cut behind 80 columns before a space or an escape."""
    out = list[str]()
    at, start, size = (column or 0) + 1, 0, len(value)
    for end in range(size + 1):
        sign = value[end] if end < size else None
        data = ""
        if sign is None or sign in '"\\' or sign > "\ufffd" or not _is_shown(sign, style):
            data, start = value[start:end], end
            if sign is not None:
                data, start = data + _escaped(sign), end + 1
        out.append(data)
        at += len(data)
        cut = 0 < end < size - 1 and (sign == " " or start >= end)
        if column is not None and cut and at + end - start > WIDTH:
            out.append(value[start:end] + "\\\n" + pad)
            start, at = max(start, end), len(pad)
            if value[start] == " ":
                out.append("\\")
                at += 1
    return "".join(out)


def _is_plain(text: str, *, timed: bool = False) -> bool:
    if timed and TIME.fullmatch(text):
        return True
    if not text or text != text.strip(" ") or _OTHER.fullmatch(text):
        return False
    if text[:3] in {"---", "..."}:
        return False
    if text[0] in _FIRST or (text[0] in "-?:" and (len(text) == 1 or text[1] == " ")):
        return False
    return ": " not in text and " #" not in text and text[-1] != ":"


def _unescaped(found: re.Match[str]) -> str:
    sign = found[1]
    if len(sign) > 1:
        return character_of(sign[1:])
    if sign not in _ESCAPES:
        raise ValueError(sign)
    return _ESCAPES[sign]


def _escaped(sign: str) -> str:
    if sign in _ESCAPES_BACK:
        return "\\" + _ESCAPES_BACK[sign]
    code = ord(sign)
    size, width = ("x", 2) if code <= 0xFF else ("u", 4) if code <= 0xFFFF else ("U", 8)
    return f"\\{size}{code:0{width}X}"
