"""Records as text for a language model: labelled lines, YAML's blocks, XML and Markdown's bullets, written from JSON.

Comes in: a JSON value. Comes out: its text. Written apart from what the product reads them with. Not here: attempts in these forms (`enveloped`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final
from xml.sax.saxutils import escape

Value = Any
"""A JSON value."""
_OTHER: Final = re.compile(r"[-+.]?\d[\d_.:eE+-]*(?:[T ]\d\d:\d\d:\d\d\S*)?|~|=|<<|")
_WORDS: Final = frozenset({"null", "true", "false", "yes", "no", "on", "off"})


def _scalar(value: Value) -> str:
    """As YAML writes one, for the texts of the invented backends."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if not isinstance(value, str):
        return str(value)
    odd = _OTHER.fullmatch(value) or value.lower() in _WORDS or ": " in value or " #" in value
    if not odd and value[0] not in "#,[]{}&*!|>'\"%@`" and not value.endswith((":", " ")):
        return value
    return "'" + value.replace("'", "''") + "'"


def _block(value: Value, pad: str) -> list[str]:
    if isinstance(value, dict):
        rows = []
        for name, inner in value.items():
            if isinstance(inner, dict | list) and inner:
                under = pad if isinstance(inner, list) else pad + "  "
                rows += [f"{pad}{_scalar(name)}:", *_block(inner, under)]
            else:
                rows.append(f"{pad}{_scalar(name)}: {_short(inner)}")
        return rows
    rows = []
    for item in value:
        inner = _block(item, pad + "  ") if isinstance(item, dict | list) and item else []
        rows.append(f"{pad}- {inner[0].lstrip() if inner else _short(item)}")
        rows += inner[1:]
    return rows


def _short(value: Value) -> str:
    return str(value) if isinstance(value, dict | list) else _scalar(value)


def yaml(value: Value) -> str:
    """YAML's blocks."""
    return ("\n".join(_block(value, "")) if value else _short(value)) + "\n"


def xml(value: Value, name: str = "result") -> str:
    """Elements; null and lists without items have nothing inside."""
    if isinstance(value, dict):
        return f"<{name}>{''.join(xml(inner, key) for key, inner in value.items())}</{name}>"
    if isinstance(value, list):
        return f"<{name}>{''.join(xml(item, 'item') for item in value)}</{name}>"
    return f"<{name}>{'' if value is None else escape(_scalar_in_text(value))}</{name}>"


def _scalar_in_text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _label(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name).title()


def _lines(value: Value, pad: str) -> list[str]:
    if isinstance(value, dict):
        rows = []
        for name, inner in value.items():
            if isinstance(inner, dict | list) and inner:
                rows += [f"{pad}{_label(name)}:", *_lines(inner, pad + "  ")]
            else:
                rows.append(f"{pad}{_label(name)}: {_plain(inner)}")
        return rows
    rows = []
    for item in value:
        if isinstance(item, dict) and not any(isinstance(v, dict | list) for v in item.values()):
            rows.append(
                f"{pad}- " + ", ".join(f"{_label(k)}: {_plain(v)}" for k, v in item.items())
            )
        elif isinstance(item, dict | list) and item:
            inner = _lines(item, pad + "  ")
            rows += [f"{pad}- {inner[0].lstrip()}", *inner[1:]]
        else:
            rows.append(f"{pad}- {_plain(item)}")
    return rows


def _plain(value: Value) -> str:
    return "none" if isinstance(value, dict | list) else str(value)


def lines(value: Value) -> str:
    """Labelled lines; a record in a list in one line, `none` for what has no items."""
    return "\n".join(_lines(value, "")) if value else "none"


def nested_lines(value: Value) -> str:
    """Labelled lines, records in a list too."""
    return "\n".join(_raw(value, ""))


def _raw(value: Value, pad: str) -> list[str]:
    if isinstance(value, dict) and value:
        rows = []
        for name, inner in value.items():
            if isinstance(inner, dict | list) and inner:
                rows += [f"{pad}{name}:", *_raw(inner, pad + "  ")]
            else:
                rows.append(f"{pad}{name}: {'[]' if inner == [] else inner}")
        return rows
    if not value:
        return ["[]"]
    rows = []
    for item in value:
        inner = _raw(item, pad + "  ") if isinstance(item, dict | list) and item else [str(item)]
        rows += [f"{pad}- {inner[0].lstrip()}", *inner[1:]]
    return rows


def headed(value: Value) -> str:
    """A first line that names the record, then Markdown's bullets; lists and what they hold as `lines`."""
    flat = isinstance(value, dict) and not any(isinstance(v, dict | list) for v in value.values())
    if not flat or len(value) < 2:
        return lines(value)
    first, *rest = value.items()
    return "\n".join(
        [f"### {_label(first[0])} {first[1]}", *(f"- {_label(k)}: {_plain(v)}" for k, v in rest)]
    )


TEXTS: Final[dict[str, Callable[[Value], str]]] = {
    "yaml": yaml,
    "xml": xml,
    "lines": lines,
    "nested lines": nested_lines,
    "heading and bullets": headed,
}
