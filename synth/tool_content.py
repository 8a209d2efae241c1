"""What a tool's result holds under the layers that protocols and clients put around it.

Goes in: a result's text. Comes out: every layer, from the text as it is to what is inside: JSON in a text, the same as Python writes it,
the parts of an MCP result, a typed value of an SDK, a fence, a line before JSON. Only shapes that protocols prescribe: what one app puts around its
results is learnt from them (`synth.world.views.envelopes`). Not here: what any of it means.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.literals import parse_json
from environments.runtime.views.record_literals import literal

MAX_LAYERS: Final = 5
MAX_FIELDS: Final = 4
"""Of a part of an MCP result: type, text, annotations and what a client adds. A record has more."""
CALLER: Final = re.compile(r"\s*#?\s*[\w. \[\]]{1,30}\s*=\s*")
"""What some callers put before a result (`# var_3 = "..."`)."""
FENCE: Final = re.compile(r"\s*```\w*\n(.*)\n```\s*", re.DOTALL)
LEAD: Final = re.compile(r"[^\n{}\[\]\"]{1,60}:\s+(?=[{\[])")
TAIL: Final = re.compile(r"(?<=[}\]\"])\s+(?:\[[^\[\]{}\"]{1,60}\]|\([^()\[\]{}\"]{1,60}\))\s*\Z")
"""A remark in brackets behind JSON (`[took 0.31s]`)."""
MOST_TAIL: Final = 80
TYPES: Final = frozenset({"text", "json", "error", "error-text", "error-json"})
"""Types that SDKs give a tool's output."""
HOLDERS: Final = ("value", "text")
"""The field of a typed value that holds it."""


def layers(text: str) -> Iterator[Json]:
    """The text, then what each layer of it holds."""
    value: Json = text
    for _ in range(MAX_LAYERS):
        yield value
        inner = _read_inside(value)
        if inner is None:
            return
        value = inner


def innermost_value(text: str) -> Json:
    """What a result holds under all layers: a JSON value, else a text."""
    value: Json = text
    for value in layers(text):  # noqa: B007 - the last one counts
        pass
    return value


def held_value(text: str) -> Json:
    """The same, with a text that is a JSON number, word or text read as what it is."""
    inner = innermost_value(text)
    if not isinstance(inner, str):
        return inner
    parsed = parse_json(inner.strip())
    return inner if parsed is None else parsed.value


def _read_inside(value: Json) -> Json:
    if isinstance(value, str):
        return _read(value)
    if isinstance(value, list):
        return _parts(value)
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("content"), list):
        return _parts(value["content"])
    if not _typed(value):
        return None
    return next((value[name] for name in HOLDERS if name in value), None)


def _typed(value: Mapping[str, Json]) -> bool:
    kind = value.get("type")
    return len(value) == len(HOLDERS) and isinstance(kind, str) and kind in TYPES


def _parts(value: Json) -> Json:
    """The text of an MCP result's parts; None for any other list."""
    texts: list[str] = []
    for part in value if isinstance(value, list) else ():
        if not isinstance(part, dict) or not isinstance(part.get("type"), str):
            return None
        if part["type"] == "text" and len(part) > MAX_FIELDS:
            return None
        told = part.get("text")
        if isinstance(told, str):
            texts.append(told)
    return "\n".join(texts) if texts else None


def _read(text: str) -> Json:
    """The JSON that a text is, with nothing but a fence or a few words around it; None where it is none."""
    fence = FENCE.fullmatch(text)
    lead = CALLER.match(text) or LEAD.match(text)
    tail = TAIL.search(text, max(0, len(text) - MOST_TAIL))
    for bare in (
        text,
        fence[1] if fence else None,
        text[lead.end() :] if lead else None,
        text[: tail.start()] if tail else None,
    ):
        if bare is not None and bare.lstrip()[:1] in {"{", "[", '"'}:
            parsed = parse_json(bare.strip())
            value = literal(bare) if parsed is None else parsed.value
            if value is not None:
                return value
    return None


def says_error(layer: Mapping[str, Json]) -> bool:
    """Whether a layer says by its protocol that the call failed: MCP's flag, or the type of a typed value."""
    typed = _typed(layer) and str(layer["type"]).startswith("error")
    return layer.get("isError") is True or layer.get("is_error") is True or typed
