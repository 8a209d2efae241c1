"""Nested tables: records inside records (the lines of an order, the results of a search) with a key of their own.

Comes from the base rows; goes into the world file as a recipe (source tables, path, key), never as a second copy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from environments.runtime.answers.nested_tables import records
from environments.runtime.document.records import NestedPart, SourcePart
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import is_whole, key_parts, stable
from synth.world.grouping import lists_by_key
from synth.world.model import TableModel, Workbench
from synth.world.support import (
    MORE_THAN_HALF,
    MOSTLY,
    SEEN_FOUR_TIMES,
    SEEN_THRICE,
)

MIN_ROWS: Final = SEEN_FOUR_TIMES
MIN_SHARED: Final = SEEN_THRICE
"""Rows that two sources must share, and agree on, before they are one table."""
ALIKE: Final = MORE_THAN_HALF
KIN: Final = MOSTLY
"""Fields that two sources must have in common before they can be one table without common rows."""
MAX_PATHS: Final = 40
MAX_ELEMENTS: Final = 3_000

Found = tuple[list[Json], dict[str, Json]]
"""The parent's key parts and the record."""


def learn_nested(bench: Workbench) -> dict[str, NestedPart]:
    """Recipes for nested tables by name; sources with equal keys and agreeing rows are one table."""
    found: list[tuple[SourcePart, tuple[str, ...]]] = []
    for table in bench.tables.values():
        for path, inner in _element_paths(table).items():
            keyed = _key_of_elements(table, path, inner)
            if keyed is not None:
                found.append(keyed)
    return _united(bench, found)


def _element_paths(table: TableModel) -> dict[tuple[str, ...], list[Found]]:
    """Every place in the rows where objects stand in a list or under ids."""
    out: dict[tuple[str, ...], list[Found]] = defaultdict(list)
    for key, row in table.rows.items():
        parent = key_parts(key)
        for path, element in _elements(row, ()):
            if len(out[path]) < MAX_ELEMENTS:
                out[path].append((parent, element))
    ordered = sorted(out.items(), key=lambda item: -len(item[1]))[:MAX_PATHS]
    return {path: inner for path, inner in ordered if len(inner) >= MIN_ROWS}


def _elements(
    value: Json, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], dict[str, Json]]]:
    if len(path) > 4:
        return
    if isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                yield (*path, "*"), item
            if isinstance(item, dict | list):
                yield from _elements(item, (*path, "*"))
    elif isinstance(value, dict):
        by_id = _is_by_id(value)
        for name, item in value.items():
            if by_id and isinstance(item, dict):
                yield (*path, "*"), item
            if isinstance(item, dict | list):
                yield from _elements(item, (*path, "*" if by_id else name))


def _is_by_id(value: dict[str, Json]) -> bool:
    """Whether a dictionary's names are ids (each with a digit) of records of one kind."""
    return bool(value) and all(
        isinstance(item, dict) and any(c.isdigit() for c in name) for name, item in value.items()
    )


def _key_of_elements(
    table: TableModel, path: tuple[str, ...], inner: list[Found]
) -> tuple[SourcePart, tuple[str, ...]] | None:
    """The fewest fields (of the element, or of the parent's key) that decide the element."""
    fields = [name for name in inner[0][1] if all(_is_key_part(e.get(name)) for _, e in inner)]
    parts: list[str | int] = [*fields, *range(len(table.key_names))]
    candidates: list[tuple[str | int, ...]] = [(f,) for f in fields]
    candidates += [(f, p) for f in fields for p in parts if p != f]
    for candidate in candidates:
        if _decides(candidate, inner):
            named = sorted((p if isinstance(p, str) else table.key_names[p], p) for p in candidate)
            source = SourcePart(table=table.name, path=path, key=tuple(p for _, p in named))
            return source, tuple(n for n, _ in named)
    return None


def _is_key_part(value: Json) -> bool:
    return isinstance(value, str) or is_whole(value)


def _decides(key: tuple[str | int, ...], inner: list[Found]) -> bool:
    groups: dict[str, str] = {}
    for parent, element in inner:
        parts = [element[p] if isinstance(p, str) else parent[p] for p in key]
        text = stable(element)
        if groups.setdefault(stable(parts), text) != text:
            return False
    # A key names things: its values must be nearly as many as the different elements.
    return len(groups) >= MIN_ROWS and len(set(groups.values())) * 2 > len(groups)


def _united(
    bench: Workbench, found: list[tuple[SourcePart, tuple[str, ...]]]
) -> dict[str, NestedPart]:
    tables: list[tuple[tuple[str, ...], list[SourcePart], dict[str, dict[str, Json]]]] = []
    for source, names in found:
        rows = {
            inner: element
            for key, row in bench.tables[source.table].rows.items()
            for inner, element in records(source, key, row)
        }
        for other_names, sources, other_rows in tables:
            if other_names == names and _agree(names, rows, other_rows):
                sources.append(source)
                for key, row in rows.items():
                    other_rows.setdefault(key, row)
                break
        else:
            tables.append((names, [source], rows))
    out: dict[str, NestedPart] = {}
    for names, sources, rows in tables:
        first = sources[0]
        label = "/".join([first.table, *(p for p in first.path if p != "*"), "+".join(names)])
        out[label] = NestedPart(key=names, rows=len(rows), sources=tuple(sources))
    return out


def _agree(
    names: tuple[str, ...], left: dict[str, dict[str, Json]], right: dict[str, dict[str, Json]]
) -> bool:
    """Whether two sources show one kind of record: rows that both have are equal, and there is enough to compare."""
    shared = left.keys() & right.keys()
    for key in shared:
        both = left[key].keys() & right[key].keys()
        if len(both) < ALIKE * len(left[key].keys() | right[key].keys()):
            return False
        if any(left[key][name] != right[key][name] for name in both):
            return False
    return len(shared) >= MIN_SHARED or _kin(names, left, right)


def _kin(
    names: tuple[str, ...], left: dict[str, dict[str, Json]], right: dict[str, dict[str, Json]]
) -> bool:
    """Whether records without enough rows in common still say the same of what a part of their key names.

    Two searches may never have shown one departure twice: that each of their lines leaves from the same place, at the
    same time, in both tells that they show departures of one timetable.
    """
    mine, other = set(next(iter(left.values()))), set(next(iter(right.values())))
    if len(names) < 2 or len(mine & other) < KIN * len(mine | other):
        return False
    return any(_same_told(left, right, name) for name in names if name in mine & other)


def _same_told(
    left: dict[str, dict[str, Json]], right: dict[str, dict[str, Json]], name: str
) -> bool:
    """Whether one field decides others in all records together, of several of its values in both sources."""
    groups = lists_by_key(
        (stable(row[name]), row)
        for row in (*left.values(), *right.values())
        if _is_key_part(row.get(name))
    )
    both = {stable(r.get(name)) for r in left.values()} & {
        stable(r.get(name)) for r in right.values()
    }
    shared = [groups[key][0] for key in sorted(both) if key in groups]
    if len(shared) < MIN_SHARED:
        return False
    decided = [
        field
        for field in shared[0]
        if field != name
        and all(g[0].get(field) == r.get(field) for g in groups.values() for r in g)
    ]
    return any(len({stable(row.get(f)) for row in shared}) >= MIN_SHARED for f in decided)
