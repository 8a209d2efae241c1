"""Records to rows and back: frozen dataclasses on one side, Arrow tables on the other.

The layout is the pyarrow schema beside each record. A field that is a mapping (or any nested record whose column is text) is kept as
canonical JSON text, because Arrow unifies the structs of different rows.
"""

import json
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from itertools import islice
from typing import Any, Final, TypeVar

import pyarrow as pa

Record = TypeVar("Record")
_AT_ONCE: Final = 1024
"""Records that are rows of Python objects at one time."""
Column = Callable[[Any], object]
"""Computes a column that is no field of the record."""


def to_table(records: Iterable[object], schema: pa.Schema, **columns: Column) -> pa.Table:
    """Rows of `schema` made of the records; `columns` computes those that are no field of the record."""
    tables = [schema.empty_table()]
    waiting = iter(records)
    while some := list(islice(waiting, _AT_ONCE)):
        rows = [_row(record, schema, columns) for record in some]
        tables.append(pa.Table.from_pylist(rows, schema=schema))
    return pa.concat_tables(tables)


def constant_column(value: object) -> Column:
    """A column that is the same in every row."""
    return lambda _record: value


def looked_up(found: Mapping[str, object], field: str) -> Column:
    """A column that is looked up by a field of the record."""
    return lambda record: found[getattr(record, field)]


def texts(rows: pa.Table, column: str) -> list[str]:
    """The texts of a column, without those that are null."""
    return [str(value) for value in rows.column(column).to_pylist() if value is not None]


def _row(record: object, schema: pa.Schema, columns: Mapping[str, Column]) -> dict[str, object]:
    row: dict[str, object] = {}
    for field in schema:
        make = columns.get(field.name)
        value = make(record) if make else getattr(record, field.name, None)
        row[field.name] = _arrow_value(value, field.type)
    return row


def _arrow_value(value: object, column: pa.DataType) -> object:
    """The value as Arrow takes it for this column."""
    if value is None:
        return None
    if pa.types.is_string(column):
        return value if isinstance(value, str) else canonical_text(value)
    if pa.types.is_struct(column):
        return {
            field.name: _arrow_value(getattr(value, field.name, None), field.type)
            for field in column
        }
    if pa.types.is_list(column) and isinstance(value, Iterable):
        inner = column.value_type
        return [_arrow_value(item, inner) for item in value]
    return value


def canonical_text(value: object) -> str:
    """A record or JSON value as text that is equal for equal values."""
    return json.dumps(plain_json(value), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def plain_json(value: object) -> Any:  # noqa: ANN401 - JSON values are the one truly dynamic type
    """Records, mappings and sequences as plain JSON values."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain_json(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain_json(inner) for key, inner in value.items()}
    if isinstance(value, str | bytes | int | float | bool) or value is None:
        return value.decode(errors="replace") if isinstance(value, bytes) else value
    if isinstance(value, Iterable):
        items = sorted(value, key=str) if isinstance(value, set | frozenset) else value
        return [plain_json(inner) for inner in items]
    return str(value)


def from_rows(kind: type[Record], rows: Iterable[Mapping[str, Any]]) -> list[Record]:
    """Records of `kind` out of rows; columns that the record does not have are left out."""
    build: Callable[[Mapping[str, Any]], Record] = _builder(kind)
    return [build(row) for row in rows]


def from_json(kind: type[Record], document: Mapping[str, Any]) -> Record:
    """One record out of its plain JSON form."""
    build: Callable[[Mapping[str, Any]], Record] = _builder(kind)
    return build(document)


_builders: dict[type[Any], Callable[[Mapping[str, Any]], Any]] = {}
"""Made once per record type."""


def _builder(kind: type[Any]) -> Callable[[Mapping[str, Any]], Any]:
    if kind not in _builders:
        _builders[kind] = _make_builder(kind)
    return _builders[kind]


def _make_builder(kind: type[Any]) -> Callable[[Mapping[str, Any]], Any]:
    hints = typing.get_type_hints(kind)
    readers = {f.name: _reader(hints[f.name]) for f in fields(kind)}
    nullable = {name for name, hint in hints.items() if type(None) in typing.get_args(hint)}

    def build(row: Mapping[str, Any]) -> Any:  # noqa: ANN401 - an instance of `kind`
        given = {
            name: None if row[name] is None else read(row[name])
            for name, read in readers.items()
            # A column that was added after the row was written reads as null: the field's default holds.
            if name in row and (row[name] is not None or name in nullable)
        }
        for name in required:
            given.setdefault(name, None)
        return kind(**given)

    required = [f.name for f in fields(kind) if _has_no_default(f)]
    return build


def _has_no_default(field: Any) -> bool:  # noqa: ANN401 - dataclasses.Field of any type
    from_nowhere = type(field.default).__name__ == "_MISSING_TYPE"
    return from_nowhere and type(field.default_factory).__name__ == "_MISSING_TYPE"


def _reader(hint: Any) -> Callable[[Any], Any]:  # noqa: ANN401 - any type annotation
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in {typing.Union, types.UnionType}:
        inner = [part for part in arguments if part is not type(None)]
        return _reader(inner[0]) if len(inner) == 1 else _identity
    if isinstance(hint, type) and is_dataclass(hint):
        build = _builder(hint)
        return lambda value: build(json.loads(value) if isinstance(value, str) else value)
    if origin in {tuple, list, frozenset, set, Sequence}:
        read = _reader(arguments[0]) if arguments else _identity
        collect = {list: list, frozenset: frozenset, set: set}.get(origin, tuple)
        return lambda value: collect(read(item) for item in _decoded(value))
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        read_value = _reader(arguments[1]) if len(arguments) == 2 else _identity
        return lambda value: {key: read_value(item) for key, item in _decoded(value).items()}
    return _identity


def _decoded(value: Any) -> Any:  # noqa: ANN401 - JSON text or its value
    return json.loads(value) if isinstance(value, str) else value


def _identity(value: Any) -> Any:  # noqa: ANN401 - whatever the column holds
    return value
