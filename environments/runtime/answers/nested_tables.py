"""Nested tables: records inside other records, found by a key of their own.

Goes in: recipes from a world file (source table, path, key) and the base rows. Comes out: an index from key to the
parent row that holds the record, built once per world. Not here: whether the parent is still what it was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..document.records import NestedPart, SourcePart
from ..task.attempt import Json
from ..values.normal import key_parts, stable
from ..world.entries import Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Nested:
    """One nested table, indexed."""

    sources: tuple[SourcePart, ...]
    index: Mapping[str, tuple[Place, SourcePart, dict[str, Json]]]


def elements(row: Json, path: Sequence[str]) -> Iterator[Json]:
    """All values at a path, `*` meaning every element."""
    if not path:
        yield row
        return
    step, rest = path[0], path[1:]
    if step == "*":
        inner = list(row.values()) if isinstance(row, dict) else row
        if isinstance(inner, list):
            for item in inner:
                yield from elements(item, rest)
    elif isinstance(row, dict) and step in row:
        yield from elements(row[step], rest)


def records(source: SourcePart, key: str, row: Json) -> Iterator[tuple[str, dict[str, Json]]]:
    """The nested records of one parent row, with their key texts."""
    parent = key_parts(key)
    for element in elements(row, source.path):
        if not isinstance(element, dict):
            continue
        parts: list[Json] = []
        for part in source.key:
            if isinstance(part, str) and part in element:
                parts.append(element[part])
            elif isinstance(part, int) and part < len(parent):
                parts.append(parent[part])
        if len(parts) == len(source.key):
            yield stable(parts), element


def load_nested(
    parts: Mapping[str, NestedPart], base: Mapping[str, Mapping[str, Json]]
) -> dict[str, Nested]:
    """All nested tables of a world file."""
    out: dict[str, Nested] = {}
    for name, part in parts.items():
        index: dict[str, tuple[Place, SourcePart, dict[str, Json]]] = {}
        for source in part.sources:
            for key, row in base.get(source.table, {}).items():
                for inner, element in records(source, key, row):
                    index.setdefault(inner, ((source.table, key), source, element))
        out[name] = Nested(sources=part.sources, index=index)
    return out


def find(source: SourcePart, parent: Place, row: Json, key: str) -> dict[str, Json] | None:
    """The nested record with a key inside one parent row."""
    for inner, element in records(source, parent[1], row):
        if inner == key:
            return element
    return None
