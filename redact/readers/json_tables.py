"""Tables in JSON, as queries answer: `{"columns": ["id", "name"], "rows": [["7", "Anna"]]}`, or rows under a row of headings.

In: a list of rows of a JSON document and the object that holds it. Out: an object per row, its keys the columns' headings, else the
columns' places, so that what stands in one column is judged together. Judges no value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from redact.bounds import SEVERAL
from redact.fold import fold_value
from redact.lists.gazetteer import ORDINARY, is_name
from redact.readers.tables import is_label

_ROWS: Final = (list, tuple)
_SCALARS: Final = (str, int, float, type(None))
_NAMES: Final = ("name", "label", "title", "field", "column", "header")
"""Under these keys an object that describes a column says what it is called."""
_PLACE: Final = "~"
"""How the key of a column without a heading begins, as that of a field without a label does."""


def may_be_rows(rows: Collection[object]) -> bool:
    """Say whether a list can hold the rows of a table, by a look at its first part."""
    first = next(iter(rows), None)
    return isinstance(first, _ROWS) and len(first) >= SEVERAL


def described_rows(
    rows: Sequence[object], beside: Mapping[object, object]
) -> list[dict[str, object]] | None:
    """Return the rows as objects where the object in which they stand says what the columns are called."""
    cells = _cells(rows)
    if cells is None:
        return None
    lists = _lists(beside)
    heads = next(filter(None, (_heads(part, len(cells[0])) for part in lists)), None)
    return [dict(zip(heads, row, strict=True)) for row in cells] if heads else None


def plain_rows(rows: Sequence[object]) -> list[dict[str, object]] | None:
    """Return the rows as objects by their first row, where that is one of headings, else by their columns' places."""
    cells = _cells(rows)
    if cells is None:
        return None
    heads = [f"{_PLACE}{place}" for place in range(len(cells[0]))]
    if len(cells) > 1 and _is_heading(cells[0], cells[1:]):
        heads, cells = [str(cell) for cell in cells[0]], cells[1:]
    return [dict(zip(heads, row, strict=True)) for row in cells]


def _cells(rows: Sequence[object]) -> list[Sequence[object]] | None:
    """Return rows of equally many scalars, None where there are others."""
    cells = [row for row in rows if isinstance(row, _ROWS)]
    if len(cells) != len(rows) or len({len(row) for row in cells}) != 1:
        return None
    scalars = all(isinstance(cell, _SCALARS) for row in cells for cell in row)
    return list(cells) if scalars else None


def _lists(beside: Mapping[object, object]) -> Iterable[Sequence[object]]:
    """Yield the lists of an object that can say what columns are called, those of objects below it too."""
    for part in beside.values():
        if isinstance(part, dict):
            yield from (below for below in part.values() if isinstance(below, list))
        elif isinstance(part, list):
            yield part


def _heads(part: Sequence[object], width: int) -> list[str] | None:
    """Return what so many columns are called, where a list says it: by names, or by objects that hold a name each."""
    if len(part) != width:
        return None
    named = [_name_in(one) if isinstance(one, dict) else one for one in part]
    heads = [one for one in named if isinstance(one, str) and is_label(one)]
    return heads if len(heads) == width == len(set(heads)) else None


def _name_in(column: Mapping[object, object]) -> object:
    told = {str(key).casefold(): value for key, value in column.items()}
    return next((told[name] for name in _NAMES if name in told), None)


def _is_heading(row: Sequence[object], rows: Sequence[Sequence[object]]) -> bool:
    """Say whether a first row names columns: labels that are nobody's names, and cells below that are no labels."""
    heads = [cell for cell in row if isinstance(cell, str) and is_label(cell)]
    if len(heads) < len(row) or len(set(heads)) < len(heads):
        return False
    if any(_is_listed(word) for head in heads for word in fold_value(head).split()):
        return False
    values = [cell for below in rows for cell in below]
    plain = sum(isinstance(cell, str) and is_label(cell) for cell in values)
    return plain < len(values) and not {*heads} & {cell for cell in values if isinstance(cell, str)}


def _is_listed(word: str) -> bool:
    return is_name(word) and word not in ORDINARY
