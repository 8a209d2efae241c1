"""Rows known in part: what answers told of records that nobody read.

Goes in: the `parts` of a world file (per table and key: paths with a value each). Comes out: rows whose other fields are
unknown. Not here: where the parts come from (`synth.world.actions.partial_rows`), whether the row is still what it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..document.records import KnownField
from ..expr.gaps import Partial


def load_parts(
    parts: Mapping[str, Mapping[str, Iterable[KnownField]]],
) -> dict[str, dict[str, Partial]]:
    """The rows known in part of a world file, by table and key."""
    return {
        table: {key: part_of(fields) for key, fields in rows.items()}
        for table, rows in parts.items()
    }


def part_of(fields: Iterable[KnownField]) -> Partial:
    """One row from its known paths."""
    whole = Partial()
    for known in fields:
        if not known.path:
            continue
        at = whole
        for step in known.path[:-1]:
            inner = at.setdefault(step, Partial())
            if not isinstance(inner, Partial):
                break
            at = inner
        else:
            at[known.path[-1]] = known.value
    return whole
