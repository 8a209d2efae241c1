"""Attribute look-ups that several dialects share.

Comes in: a span's attributes. Goes out: text, numbers, lists rebuilt from flattened keys. Hostile indices
(`gen_ai.prompt.999999999.content`) are sorted and compacted, never allocated.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable
from typing import Any, Final

from ingest.files.partial_json import parse_json
from ingest.records.span import Attributes
from ingest.records.text import Json, json_text

MAX_ITEMS: Final = 10_000
"""Flattened list items read from one span; Langfuse caps at the same number."""

_ELIDED: Final = frozenset({"<REDACTED>", "<elided>", "[REDACTED]", "__REDACTED__", "[Scrubbed]"})
"""What clients write where content capture is switched off."""


_SCRUBBED: Final = "[Scrubbed due to "
"""Logfire's placeholder; it names the word it was scrubbed for, such as the `session` in `session.id`."""
_LONGEST_PLACEHOLDER: Final = 200
_LONGEST_LITERAL: Final = 65_536
"""Characters of Python's notation that are looked at: its parser is recursive."""
_LONGEST_SHOWN: Final = 1 << 20
"""The same of a whole run."""
_SHOWN: Final = re.compile(r"\s*(?:\{\s*['\"]|\[\s*(?:\{\s*['\"]|\w*Message\())")
"""How an object begins, or a list of them, that was written in Python's notation, as data frames do."""
_SHOWS_NOTHING: Final = (ValueError, TypeError, SyntaxError, MemoryError, RecursionError)


def first_value(attributes: Attributes, keys: Iterable[str]) -> Json:
    """The first value that is there and not empty."""
    for key in keys:
        value = attributes.get(key)
        if value is not None and value not in ("", [], {}):
            return value
    return None


def text_of(value: Json) -> str | None:
    """A scalar as text; JSON-quoted text without its quotes."""
    if value is None or isinstance(value, dict | list):
        return None
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    if len(text) > 1 and text[0] == text[-1] == '"':
        parsed = parse_json(text)
        text = parsed.value if parsed and isinstance(parsed.value, str) else text
    return text.strip() or None


def first_text(attributes: Attributes, keys: Iterable[str]) -> str | None:
    """The first of the keys that holds a scalar, as text."""
    return text_of(first_value(attributes, keys))


def integer_of(value: Json) -> int | None:
    """A count; None where it is none."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 0 <= number < 2**53 else None


def first_integer(attributes: Attributes, keys: Iterable[str]) -> int | None:
    """The first of the keys that holds a count."""
    return integer_of(first_value(attributes, keys))


def number_of(value: Json) -> float | None:
    """A number or a truth value as a float."""
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if not isinstance(value, bool | int | float):
        return None
    number = float(value)
    return number if abs(number) <= 1e300 else None  # also false for NaN


def is_elided(value: Json) -> bool:
    """Whether a client wrote a placeholder instead of content."""
    if not isinstance(value, str) or len(value) > _LONGEST_PLACEHOLDER:
        return False
    text = value.strip()
    return text in _ELIDED or text.startswith(_SCRUBBED)


def captured(value: Json) -> str | None:
    """What stands in an attribute, as text; None where a client left it out or wrote a placeholder."""
    return None if value is None or is_elided(value) else json_text(value)


def parsed(value: Json) -> Json:
    """A value that may be JSON text: parsed where it is, as it stands where not."""
    if not isinstance(value, str):
        return value
    read = parse_json(value)
    return value if read is None else read.value


_DECORATED: Final = frozenset({"args", "kwargs", "inputs", "input_str", "tags", "metadata"})


def arguments_of(value: Json) -> str:
    """A tool's own arguments as text, out of the `{"inputs", "args", "kwargs"}` that tracing decorators record."""
    call = parsed_call(value)
    if not isinstance(call, dict) or not call:
        return json_text(value)
    named = call.get("kwargs")
    if _is_python_call(call) and isinstance(named, dict):
        args = call["args"]
        return json_text({"args": args, "kwargs": named} if args else named)
    if set(call) <= _DECORATED:
        if isinstance(call.get("inputs"), dict):
            return json_text(call["inputs"])
        if isinstance(named, dict) and not call.get("args"):
            return json_text(named)
    return json_text(value if parsed(value) == call else call)


def parsed_call(value: Json) -> Json:
    """An object as JSON, or as Python shows it: some tracers write down arguments and metadata so."""
    call = parsed(value)
    if isinstance(call, str) and call.startswith("{"):
        return python_literal(call, call)
    return call


def python_literal(text: str, default: Json = None) -> Json:
    """The plain value that a text of Python's own notation shows; `default` where it shows none."""
    if len(text) > _LONGEST_LITERAL:
        return default
    try:
        return ast.literal_eval(_tree_of(text))
    except _SHOWS_NOTHING:
        return default


def python_objects(text: str) -> Json:
    """The value that a text of Python's notation shows, an object by its fields and its class (`HumanMessage(content='hi')`); None where it shows none."""
    if len(text) > _LONGEST_SHOWN:
        return None
    try:
        return _shown_value(_tree_of(text))
    except _SHOWS_NOTHING:
        return None


def read_shown(text: str) -> Json:
    """The object, or the list of them, that a text in Python's notation shows; else the text."""
    shown = python_objects(text) if is_shown(text) else None
    return shown if isinstance(shown, dict | list) else text


def is_shown(text: str) -> bool:
    """Whether a text begins as an object does, or a list of them, in Python's notation."""
    return _SHOWN.match(text) is not None


def _tree_of(text: str) -> ast.expr:
    with warnings.catch_warnings(action="ignore"):  # of a backslash that means nothing
        return ast.parse(text.strip(), mode="eval").body


def _shown_value(node: ast.expr) -> Json:
    match node:
        case ast.Call(func=ast.Name(id=kind), args=[], keywords=fields):
            return {"type": kind} | {str(one.arg): _shown_value(one.value) for one in fields}
        case ast.Call():
            return ast.unparse(node)
        case ast.Dict(keys=keys, values=values):
            return {
                str(ast.literal_eval(key) if key else key): _shown_value(one)
                for key, one in zip(keys, values, strict=True)
            }
        case ast.Tuple(elts=[ast.Call() as step, told]) if not isinstance(told, ast.Constant):
            # What came of it, as its caller was shown it.
            return [_shown_value(step), ast.unparse(told)]
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_shown_value(one) for one in items]
    value = ast.literal_eval(node)
    is_json = value is None or isinstance(value, str | int | float | bool)
    return value if is_json else ast.unparse(node)


def _is_python_call(call: dict[str, Any]) -> bool:
    """Whether a record is of a wrapper's own signature: `args` and `kwargs`, and switches of the wrapper beside them."""
    if not isinstance(call.get("args"), list) or not isinstance(call.get("kwargs"), dict):
        return False
    return all(
        value is None or isinstance(value, bool)
        for key, value in call.items()
        if key not in {"args", "kwargs"}
    )


def unflatten(attributes: Attributes, prefix: str) -> list[Any]:
    """The list that was flattened into `prefix.0.a.b`, `prefix.1.a`, …; indices give the order, not the places."""
    tree: dict[str, Any] = {}
    start = len(prefix) + 1
    taken = 0
    for key, value in attributes.items():
        if not key.startswith(prefix) or key[start - 1 : start] != ".":
            continue
        taken += 1
        if taken > MAX_ITEMS:
            break
        node = tree
        *path, leaf = key[start:].split(".")[:16]
        for part in path:
            child = node.get(part)
            if not isinstance(child, dict):
                child = node[part] = {}
            node = child
        node.setdefault(leaf, value)
    listed = _with_lists(tree)
    return listed if isinstance(listed, list) else []


def _with_lists(node: Json) -> Json:
    if not isinstance(node, dict):
        return node
    if node and all(key.isascii() and key.isdigit() for key in node):
        return [_with_lists(node[key]) for key in sorted(node, key=int)]
    return {key: _with_lists(value) for key, value in node.items()}


def has_index_gap(attributes: Attributes, prefix: str) -> bool:
    """Whether flattened items are missing in the middle or at the start: the sender ran into its attribute limit."""
    start = len(prefix) + 1
    indices = {
        key[start:].split(".", 1)[0]
        for key in attributes
        if key.startswith(prefix) and key[start - 1 : start] == "."
    }
    numbers = sorted(int(text) for text in indices if text.isascii() and text.isdigit())
    return bool(numbers) and numbers[-1] != len(numbers) - 1
