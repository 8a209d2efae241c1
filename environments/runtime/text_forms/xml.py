"""Records as XML elements: read into JSON and written again.

Goes in: a text and its style, or a value. Comes out: the value, or the text. An element with elements inside is a record by their names, or a list
where the style says so. Attributes come first in a record, by their names behind an `@`; what such an element holds otherwise than
elements stands under `#`. Not here: single values (`style`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ..task.attempt import Json
from .block import MAX_DEPTH, MAX_LENGTH, UnreadError
from .style import Style, UnwrittenError

ROOT: Final = "/"
"""The name under which a style has the list that the outermost element is."""
_MARK: Final = re.compile(r"""<(/?)([A-Za-z_][\w.-]*)((?: [A-Za-z_][\w.:-]*="[^"<>]*")*)(/?)>""")
_ATTRIBUTE: Final = re.compile(r""" ([^\s=]+)="([^"]*)\"""")
ATTRIBUTE: Final = "@"
CONTENT: Final = "#"
"""The key of what an element with attributes holds, where that is no record."""
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]*")
_SIGNS: Final = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))


@dataclass(slots=True)
class Element:
    """One element as it is written."""

    name: str
    inside: list[Element]
    text: str = ""
    attributes: tuple[tuple[str, str], ...] = ()


def elements(text: str) -> Element:
    """The outermost element of a text; fails where a text is none."""
    if text[:1] != "<" or len(text) > MAX_LENGTH:
        raise UnreadError
    top = Element("", [])
    open_: list[Element] = [top]
    at = 0
    while at < len(text):
        found = _MARK.search(text, at)
        between = text[at : found.start() if found else len(text)]
        if "<" in between or ">" in between or (between.strip() and len(open_) == 1):
            raise UnreadError
        open_[-1].text += between
        if found is None:
            break
        at = found.end()
        given = tuple(_ATTRIBUTE.findall(found[3]))
        _follow(open_, found[2], given, ends=bool(found[1]), whole=bool(found[4]))
    if len(open_) > 1 or len(top.inside) != 1:
        raise UnreadError
    return top.inside[0]


def _follow(
    open_: list[Element],
    name: str,
    attributes: tuple[tuple[str, str], ...],
    *,
    ends: bool,
    whole: bool,
) -> None:
    if ends:
        last = open_.pop()
        if (
            last.name != name
            or whole
            or attributes
            or not open_
            or (last.inside and last.text.strip())
        ):
            raise UnreadError
        return
    made = Element(name, [], attributes=attributes)
    open_[-1].inside.append(made)
    if not whole:
        open_.append(made)
    if len(open_) > MAX_DEPTH:
        raise UnreadError


def read_xml(text: str, style: Style) -> Json:
    """The record that a text is, under its outermost element's name."""
    top = elements(text)
    return {top.name: _value(top, ROOT, style)}


def _value(element: Element, name: str, style: Style) -> Json:
    if not element.attributes:
        return _content(element, name, style)
    out: dict[str, Json] = {
        ATTRIBUTE + key: style.read(_unescaped(text), ATTRIBUTE + key)
        for key, text in element.attributes
    }
    if element.inside or element.text:
        inside = _content(element, name, style)
        out |= inside if isinstance(inside, dict) else {CONTENT: inside}
    return out


def _unescaped(text: str) -> str:
    for sign, plain in _SIGNS if "&" in text else ():
        text = text.replace(sign, plain)
    return text


def _escaped(text: str) -> str:
    for sign, plain in reversed(_SIGNS):
        text = text.replace(plain, sign)
    return text


def _content(element: Element, name: str, style: Style) -> Json:
    item = style.lists.get(name)
    if item is not None:
        if any(e.name != item for e in element.inside) or element.text.strip():
            raise UnreadError
        return [_value(e, item, style) for e in element.inside]
    if not element.inside:
        return style.read(_unescaped(element.text), name)
    out: dict[str, Json] = {}
    for inner in element.inside:
        if inner.name in out:
            raise UnreadError
        out[inner.name] = _value(inner, inner.name, style)
    return out


def write_xml(value: Json, style: Style) -> str:
    """The text of a record under one name; fails where the style has no spelling for a part."""
    if not isinstance(value, dict) or len(value) != 1:
        raise UnwrittenError
    ((name, inner),) = value.items()
    return "\n".join(_write_element(name, inner, ROOT, 0, style)) + style.end


def _write_element(name: str, value: Json, known: str, indent: int, style: Style) -> list[str]:
    if not _NAME.fullmatch(name):
        raise UnwrittenError
    pad = " " * indent
    under = indent + style.step
    given, value = _attributes(value, style)
    if isinstance(value, list) and known in style.lists:
        item = style.lists[known]
        rows = [row for v in value for row in _write_element(item, v, item, under, style)]
    elif isinstance(value, dict) and value:
        rows = [row for k, v in value.items() for row in _write_element(k, v, k, under, style)]
    else:
        text = "" if given and value == {} else _escaped(style.write(value, known))
        mark = (
            f"<{name}{given}/>" if style.short and not text else f"<{name}{given}>{text}</{name}>"
        )
        return [pad + mark]
    if not rows:
        return [pad + (f"<{name}{given}/>" if style.short else f"<{name}{given}></{name}>")]
    if style.step:
        return [f"{pad}<{name}{given}>", *rows, f"{pad}</{name}>"]
    return [f"<{name}{given}>{''.join(rows)}</{name}>"]


def _attributes(value: Json, style: Style) -> tuple[str, Json]:
    """The attributes of an element as they are written, and what it holds beside them."""
    if not isinstance(value, dict):
        return "", value
    given = [key for key in value if key.startswith(ATTRIBUTE)]
    text = "".join(
        f' {key.removeprefix(ATTRIBUTE)}="{_escaped(style.write(value[key], key))}"'
        for key in given
    )
    rest = {key: inner for key, inner in value.items() if key not in given}
    return text, rest[CONTENT] if given and rest.keys() == {CONTENT} else rest
