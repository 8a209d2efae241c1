"""Normal form of call arguments, so that two spellings of one call compare equal.

In: arguments as a policy or a recording wrote them. Out: canonical text. Lists written as text are read, numbers
written as text become numbers, empty values fall away, lists are compared as sets of rows (`["a","b"]` with
`["x","y"]` is the rows a-x, b-y). Not here: which arguments matter (the rubric says that in `ignore`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from ..task.attempt import Json
from ..values.literals import NotLiteralError, parse_literal
from ..values.normal import stable

AT_ANY: Final = "=*"
"""Behind an argument's name where leaving it out means the same as any value of it."""
NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?")


def canonical_arguments(arguments: Mapping[str, Json], ignore: Collection[str] = ()) -> str:
    """Canonical text of a call's arguments in normal form, without the ignored ones."""
    kept = {n: v for n, v in arguments.items() if not is_ignored(n, v, ignore)}
    return stable(_rows(_object(kept)))


def ordered_arguments(arguments: Mapping[str, Json], ignore: Collection[str] = ()) -> str:
    """The same with every list in the order in which it was given."""
    return ordered({n: v for n, v in arguments.items() if not is_ignored(n, v, ignore)})


def is_ignored(name: str, value: Json, ignore: Collection[str]) -> bool:
    """Whether an argument makes no difference: by its name, at this value (`effective="now"`), or whatever its value is (`reason=*`)."""
    if not ignore:
        return False
    return name in ignore or f"{name}{AT_ANY}" in ignore or at_value(name, value) in ignore


def at_value(name: str, value: Json) -> str:
    """How `ignore` names an argument that makes no difference at one value."""
    return f"{name}={stable(normal(value))}"


def ordered(value: Json) -> str:
    """Text of a value in normal form, but with every list in its order."""
    return stable(_in_order(value))


def has_order(value: Json) -> bool:
    """Whether some list in a value would be another one in another order."""
    if isinstance(value, str):
        value = _text(value)
    if isinstance(value, dict):
        return any(map(has_order, value.values()))
    return isinstance(value, list) and (
        len({ordered(item) for item in value}) > 1 or any(map(has_order, value))
    )


def normal(value: Json) -> Json:
    """One value in normal form."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, list):
        return sorted((normal(item) for item in value), key=stable)
    if isinstance(value, dict):
        return _rows(_object(value))
    return value


def _object(value: Mapping[str, Json]) -> dict[str, Json]:
    normals = {name: _keep_order(item) for name, item in value.items()}
    return {name: item for name, item in normals.items() if item not in (None, "", [], {})}


def _keep_order(value: Json) -> Json:
    """Like `normal`, but a list keeps its order until its rows are known."""
    if isinstance(value, str):
        value = _text(value)
    if isinstance(value, list):
        return [normal(item) for item in value]
    return normal(value)


def _in_order(value: Json) -> Json:
    if isinstance(value, str):
        value = _text(value)
    if isinstance(value, dict):
        inner = {name: _in_order(item) for name, item in value.items()}
        return {name: item for name, item in inner.items() if item not in (None, "", [], {})}
    if isinstance(value, list):
        return [_in_order(item) for item in value]
    return _number(value) if isinstance(value, float) else value


def _rows(value: dict[str, Json]) -> dict[str, Json]:
    """Sort lists; lists of one length hold one row per position and are sorted together."""
    by_length: dict[int, list[str]] = {}
    for name in sorted(value):
        items = value[name]
        if isinstance(items, list):
            by_length.setdefault(len(items), []).append(name)
    for names in by_length.values():
        columns = _sorted_together([value[name] for name in names])
        value.update(zip(names, columns, strict=True))
    return value


def _sorted_together(columns: Sequence[Json]) -> list[Json]:
    lists = [column for column in columns if isinstance(column, list)]
    rows = sorted(zip(*lists, strict=True), key=lambda row: stable(list(row)))
    return [[row[index] for row in rows] for index in range(len(lists))]


def _number(value: float) -> Json:
    if not math.isfinite(value):
        return str(value)
    rounded = round(value, 6)
    return int(rounded) if rounded == int(rounded) and abs(rounded) < 1e15 else rounded


def _text(value: str) -> Json:
    text = " ".join(value.split())
    if text[:1] in "[{" and text[-1:] in "]}" and text:
        try:
            parsed = parse_literal(text)
        except NotLiteralError:
            parsed = None
        if isinstance(parsed, dict | list):
            return normal(parsed) if isinstance(parsed, dict) else _keep_order(parsed)
    if NUMBER.fullmatch(text):
        return _number(float(text))
    folded = text.casefold()
    if folded in {"true", "false"}:
        return folded == "true"
    return folded
