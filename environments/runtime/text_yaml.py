"""Single values as YAML's plain dumpers write them: plain where that reads back as a text, else in quotes, folded after 80 columns.

Goes in: a value or its spelling. Comes out: the other. Only what PyYAML's `safe_dump` writes for texts of one line. Not here: blocks (`text_block`).
"""

from __future__ import annotations

import json
import re
from typing import Final

from .attempt import Json
from .text_style import Style, UnwrittenError, number_of

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
_BREAKS: Final = frozenset("\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
_FIRST: Final = frozenset("#,[]{}&*!|>'\"%@`")
_ESCAPES: Final = {"\\": "\\", '"': '"', "t": "\t", "e": "\x1b", "a": "\a", "b": "\b", "0": "\0"}
_ESCAPES_BACK: Final = {value: sign for sign, value in _ESCAPES.items()}
_ESCAPED: Final = re.compile(r"\\(x[0-9A-F]{2}|u[0-9A-F]{4}|U[0-9A-F]{8}|_|N|[\\\"teab0])")
_NAMED: Final = {"_": "\xa0", "N": "\x85"}
_SPECIAL: Final[dict[str, Json]] = {"null": None, "true": True, "false": False, "[]": [], "{}": {}}


def read_yaml(text: str) -> Json:
    """The value of a spelling; fails where no plain dumper writes it."""
    if text in _SPECIAL:
        value: Json = _SPECIAL[text]
        return value.copy() if isinstance(value, list | dict) else value
    if text[:1] == "'" and text[-1:] == "'" and len(text) > 1:
        return text[1:-1].replace("''", "'")
    if text[:1] == '"' and text[-1:] == '"' and len(text) > 1:
        return _ESCAPED.sub(_unescaped, text[1:-1])
    number = number_of(text)
    return text if number is None else number


def write_yaml(value: Json, style: Style, label: str = "") -> str:
    """The spelling of a value."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return style.number(value, label)
    if not isinstance(value, str):
        return json.dumps(value)
    if len(value.splitlines()) > 1 or value[-1:] in _BREAKS:
        raise UnwrittenError
    shown = all(" " <= sign <= "~" or (style.wide and sign > "\xa0") for sign in value)
    if shown and _is_plain(value):
        return value
    if not style.quoted:
        raise UnwrittenError
    if shown:
        return "'" + value.replace("'", "''") + "'"
    return '"' + "".join(map(_escaped, value)) + '"'


def folded(text: str, column: int, pad: str) -> str:
    """A spelling that begins in a column, as lines of at most 80 columns where a space lies behind them."""
    if column + len(text) <= WIDTH:
        return text
    if text[0] == '"':
        raise UnwrittenError
    out, at = [], column
    quoted = text[0] == "'"
    pieces = re.split(r"((?<! ) (?! ))", text)
    for number, piece in enumerate(pieces):
        first = quoted and number == 1 and pieces[0] == "'"
        last = quoted and number == len(pieces) - 2 and pieces[-1] == "'"
        if piece == " " and number % 2 and at > WIDTH and not (first or last):
            out.append("\n" + pad)
            at = len(pad)
            continue
        out.append(piece)
        at += len(piece)
    return "".join(out)


def _is_plain(text: str) -> bool:
    if not text or text != text.strip(" ") or _OTHER.fullmatch(text):
        return False
    if text[:3] in {"---", "..."}:
        return False
    if text[0] in _FIRST or (text[0] in "-?:" and (len(text) == 1 or text[1] == " ")):
        return False
    return ": " not in text and " #" not in text and text[-1] != ":"


def _unescaped(found: re.Match[str]) -> str:
    sign = found[1]
    if sign in _NAMED:
        return _NAMED[sign]
    return _ESCAPES.get(sign) or chr(int(sign[1:], 16))


def _escaped(sign: str) -> str:
    if " " <= sign <= "~" and sign not in '"\\':
        return sign
    if sign in _ESCAPES_BACK:
        return "\\" + _ESCAPES_BACK[sign]
    named = next((n for n, s in _NAMED.items() if s == sign), None)
    if named is not None:
        return "\\" + named
    code = ord(sign)
    size, width = ("x", 2) if code <= 0xFF else ("u", 4) if code <= 0xFFFF else ("U", 8)
    return f"\\{size}{code:0{width}X}"
