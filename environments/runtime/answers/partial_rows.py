"""Rows known in part: what answers told of records that nobody read.

Goes in: the `parts` of a world file (per table and key: paths with a value each). Comes out: rows whose other fields are
unknown. Not here: where the parts come from (`synth.world.actions.partial_rows`), whether the row is still what it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..expr.gaps import Partial
from ..task.attempt import Json


def load_parts(document: Mapping[str, Any]) -> dict[str, dict[str, Partial]]:
    """The rows known in part of a world file, by table and key."""
    return {
        table: {key: part_of(fields) for key, fields in rows.items()}
        for table, rows in document.items()
    }


def part_of(fields: list[Mapping[str, Json]]) -> Partial:
    """One row from its known paths."""
    whole = Partial()
    for known in fields:
        path = known["path"]
        if not isinstance(path, list) or not path:
            continue
        at = whole
        for step in path[:-1]:
            inner = at.setdefault(str(step), Partial())
            if not isinstance(inner, Partial):
                break
            at = inner
        else:
            at[str(path[-1])] = known["value"]
    return whole
