"""A table's layout out of its record: one column a field, in the order of the fields.

In: a record type. Out: its Arrow layout. Texts, numbers, flags and bytes are columns of their kind, a record inside is a
struct, and a tuple is a list. Free-form values have to be JSON text in the record: Arrow unifies the structs of different rows.
"""

from __future__ import annotations

import typing
from collections.abc import Mapping
from typing import Annotated, Any, Final

import pyarrow as pa

Int32 = Annotated[int, pa.int32()]
"""A whole number whose column has 32 bits."""
_PLAIN: Final[Mapping[object, pa.DataType]] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    bytes: pa.binary(),
}


def schema_of(record: type, *partition: str) -> pa.Schema:
    """The layout of a table of these records; text columns of the partition stand first, whether the record has them or not."""
    columns: dict[str, pa.DataType] = dict.fromkeys(partition, pa.string())
    return pa.schema(columns | dict(_columns(record)))


def _columns(record: type) -> list[tuple[str, pa.DataType]]:
    hints = typing.get_type_hints(record, include_extras=True)
    return [(name, _type_of(hint)) for name, hint in hints.items()]


def _type_of(hint: Any) -> pa.DataType:  # noqa: ANN401 - any annotation
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if type(None) in arguments:
        (hint,) = (one for one in arguments if one is not type(None))
        return _type_of(hint)
    if origin is Annotated:
        return typing.cast("pa.DataType", arguments[1])
    if origin is tuple:
        return pa.list_(_type_of(arguments[0]))
    return _PLAIN[hint] if hint in _PLAIN else pa.struct(_columns(hint))
