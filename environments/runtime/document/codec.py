"""JSON to frozen dataclasses and back, driven by the annotations of their fields.

Goes in: a JSON value and a dataclass. Comes out: the record, or `BadPartError` with the place and what is wrong there; and the JSON of
a record, equal for equal records. A part that this version does not know is left out. Not here: what the parts mean (`document`).

A field without a default must be there. One with a default is written where it differs from it; `always_written` and `written_if` say otherwise.
Sets are written in order; named tuples are arrays that end before their defaults.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, Final, TypeAlias, TypeVar

from ..task.attempt import Json

Record = TypeVar("Record")
Read = Callable[[Any], Any]
"""JSON to a value; raises `BadPartError`."""
Write = Callable[[Any], Json]


class BadPartError(ValueError):
    """A part of a document is not what its type says."""

    def __init__(self, wrong: str) -> None:
        super().__init__(wrong)
        self.wrong = wrong
        self.steps: list[str] = []
        """Where, the innermost first."""

    def add_step(self, step: str) -> BadPartError:
        """The same fault, told from one step further out."""
        self.steps.append(step)
        return self

    def __str__(self) -> str:
        where = "".join(reversed(self.steps)).removeprefix(".") or "it"
        return f"{where} {self.wrong}"


class AnyJson:
    """Stands for any JSON value in the annotations of fields."""


_NAMED: Final = "shown in errors"
Named: TypeAlias = Annotated[str, _NAMED]
"""A key that developers chose, a tool or a field: errors may show it. Any other key may be a user's."""
_WORDS: Final[Mapping[type, str]] = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "an object",
}


def always_written(default: object = MISSING, *, make: Callable[[], object] | None = None) -> Any:
    """A field that is always written, though documents may lack it."""
    return written_if(lambda _record: True, default, make=make)


def written_if(
    written: Callable[[Any], bool],
    default: object = MISSING,
    *,
    make: Callable[[], object] | None = None,
) -> Any:
    """A field that is written, whatever it is, in records for which this is true."""
    metadata = {"written": written}
    if make is not None:
        return field(default_factory=make, metadata=metadata)
    return field(default=default, metadata=metadata)


def renamed_field(key: str, default: object = MISSING) -> Any:
    """A field that has another name in JSON."""
    return field(default=default, metadata={"key": key})


def flat(make: Callable[[], object] | None = None) -> Any:
    """A field whose own fields stand in JSON beside those of its record."""
    if make is None:
        return field(metadata={"flat": True})
    return field(default_factory=make, metadata={"flat": True})


def decode(kind: type[Record], value: object) -> Record:
    """The record that a JSON value is; raises `BadPartError`."""
    return typing.cast("Record", _reader(typing.cast("Any", kind))(value))


def decode_all(kind: type[Record], values: Mapping[str, object]) -> dict[str, Record]:
    """Several records by name."""
    return {name: decode(kind, value) for name, value in values.items()}


def encode(record: object, kind: type | None = None) -> dict[str, Json]:
    """The JSON of a record, as one of a `kind` that it extends; values that are any JSON are the record's own, so nobody may change them."""
    write = _writer(typing.cast("Any", kind or type(record)))
    return typing.cast("dict[str, Json]", write(record))


# -- reading ---------------------------------------------------------------------------------------


@cache
def _reader(hint: Any) -> Read:  # noqa: PLR0911 - one line for each kind of annotation
    """What reads values of one annotation; made once."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any or hint is AnyJson:
        return _as_it_is
    if origin is Annotated:
        return _reader(arguments[0])
    if origin in {typing.Union, types.UnionType}:
        return _as_it_is if AnyJson in arguments else _one_of(arguments)
    if hint in _WORDS:
        return _plain_reader(hint)
    if origin in {tuple, frozenset}:
        return _items_reader(origin, arguments)
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(arguments)
    if issubclass(hint, tuple):
        return _array(hint)
    if is_dataclass(hint):
        return _record(hint)
    raise TypeError(f"the codec has no rule for {hint}")


def _as_it_is(value: Any) -> Any:
    return value


def _plain_reader(kind: type) -> Read:
    takes = {int, float} if kind is float else {kind}

    def read(value: Any) -> Any:
        # `True` is no number here, though Python counts it as one.
        if type(value) not in takes:
            raise BadPartError(f"is not {_WORDS[kind]}")
        return value

    return read


def _one_of(hints: Sequence[Any]) -> Read:
    others = [hint for hint in hints if hint is not type(None)]
    reads = [_reader(hint) for hint in others]
    nullable = len(others) < len(hints)

    def read(value: Any) -> Any:
        if value is None and nullable:
            return None
        for at, one in enumerate(reads, start=1):
            try:
                return one(value)
            except BadPartError:
                if at == len(reads):
                    raise
        return None

    return read


def _items_reader(kind: Callable[[Any], Any], arguments: Sequence[Any]) -> Read:
    if len(arguments) == 2 and arguments[1] is not Ellipsis:
        return _pair(arguments)
    item = _reader(arguments[0])
    plain = item is _as_it_is

    def read(value: Any) -> Any:
        if type(value) is not list:
            raise BadPartError("is not a list")
        return kind(value if plain else [*_items(item, value)])

    return read


def _items(read: Read, values: Sequence[Any]) -> Iterator[Any]:
    at = 0
    try:
        for value in values:
            yield read(value)
            at += 1
    except BadPartError as fault:
        raise fault.add_step(f"[{at}]") from None


def _pair(arguments: Sequence[Any]) -> Read:
    reads = [_reader(argument) for argument in arguments]

    def read(value: Any) -> Any:
        if type(value) is not list or len(value) != len(reads):
            raise BadPartError(f"is not a list of {len(reads)}")
        return tuple(one(part) for one, part in zip(reads, value, strict=True))

    return read


def _mapping(arguments: Sequence[Any]) -> Read:
    item, shown = _reader(arguments[1]), _NAMED in typing.get_args(arguments[0])
    plain = item is _as_it_is

    def read(value: Any) -> Any:
        if type(value) is not dict:
            raise BadPartError("is not an object")
        if plain:
            return value
        key = ""
        try:
            out = {}
            for key, inner in value.items():
                out[key] = item(inner)
        except BadPartError as fault:
            raise fault.add_step(f".{key}" if shown else "[…]") from None
        return out

    return read


def _array(kind: Any) -> Read:
    reads = [_reader(hint) for hint in _hints(kind).values()]
    least = len(reads) - len(kind._field_defaults)

    def read(value: Any) -> Any:
        if type(value) is not list or not least <= len(value) <= len(reads):
            raise BadPartError(f"is not a list of {least} to {len(reads)}")
        return kind._make(
            [
                *_items(lambda pair: pair[0](pair[1]), list(zip(reads, value, strict=False))),
                *list(kind._field_defaults.values())[len(value) - least :],
            ]
        )

    return read


def _record(kind: Any) -> Read:
    places = [place for place in _places(kind) if not place.flat]
    inner = [(place.name, _reader(place.hint)) for place in _places(kind) if place.flat]
    reads = [(place.name, place.key, _reader(place.hint), place.required) for place in places]

    def read(value: Any) -> Any:
        if type(value) is not dict:
            raise BadPartError("is not an object")
        given: dict[str, Any] = {}
        for name, key, one, required in reads:
            if key in value:
                try:
                    given[name] = one(value[key])
                except BadPartError as fault:
                    raise fault.add_step(f".{key}") from None
            elif required:
                raise BadPartError(f"lacks {key}")
        for name, one in inner:
            given[name] = one(value)
        return kind(**given)

    return read


# -- writing ---------------------------------------------------------------------------------------


@cache
def _writer(hint: Any) -> Write:  # noqa: PLR0911 - one line for each kind of annotation
    """What writes values of one annotation; made once."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint in _WORDS or hint is Any or hint is AnyJson:
        return _as_it_is
    if origin is Annotated:
        return _writer(arguments[0])
    if origin in {typing.Union, types.UnionType}:
        return _as_it_is if AnyJson in arguments else _write_one_of(arguments)
    if origin is frozenset:
        item = _writer(arguments[0])
        return lambda value: [item(one) for one in sorted(value)]
    if origin is tuple:
        return _write_list(arguments)
    if origin is not None and issubclass(origin, Mapping):
        return _write_mapping(arguments[1])
    if issubclass(hint, tuple):
        return _write_array(hint)
    return _write_record(hint)


def _write_one_of(hints: Sequence[Any]) -> Write:
    others = [hint for hint in hints if hint is not type(None) and hint not in _WORDS]
    if not others:
        return _as_it_is
    (only,) = others
    write, plain = _writer(only), {type(None), *hints} & {type(None), *_WORDS}
    return lambda value: value if type(value) in plain else write(value)


def _write_list(arguments: Sequence[Any]) -> Write:
    if len(arguments) == 2 and arguments[1] is not Ellipsis:
        writes = [_writer(argument) for argument in arguments]
        return lambda value: [one(part) for one, part in zip(writes, value, strict=True)]
    write = _writer(arguments[0])
    return list if write is _as_it_is else lambda value: [write(item) for item in value]


def _write_mapping(hint: Any) -> Write:
    write = _writer(hint)
    if write is _as_it_is:
        return dict
    return lambda value: {key: write(item) for key, item in value.items()}


def _write_array(kind: Any) -> Write:
    writes = [_writer(hint) for hint in _hints(kind).values()]
    defaults = list(kind._field_defaults.values())
    least = len(writes) - len(defaults)

    def write(value: Any) -> Json:
        length = len(writes)
        while length > least and value[length - 1] is defaults[length - 1 - least]:
            length -= 1
        return [one(part) for one, part in zip(writes[:length], value, strict=False)]

    return write


def _write_record(kind: Any) -> Write:
    places = [(place, _writer(place.hint)) for place in _places(kind)]

    def write(record: Any) -> Json:
        out: dict[str, Json] = {}
        for place, one in places:
            value = getattr(record, place.name)
            if place.flat:
                out |= typing.cast("dict[str, Json]", one(value))
            elif place.is_written(record, value):
                out[place.key] = one(value)
        return out

    return write


# -- fields ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """One field of a record, and where it stands in JSON."""

    name: str
    key: str
    hint: Any
    default: Any
    written: Callable[[Any], bool] | None
    flat: bool

    @property
    def required(self) -> bool:
        return self.default is MISSING

    def is_written(self, record: Any, value: Any) -> bool:
        if self.default is MISSING or (self.written is not None and self.written(record)):
            return True
        return self.written is None and value != self.default


def _places(kind: Any) -> list[_Place]:
    hints = _hints(kind)
    return [
        _Place(
            name=one.name,
            key=one.metadata.get("key", one.name),
            hint=hints[one.name],
            default=one.default if one.default_factory is MISSING else one.default_factory(),
            written=one.metadata.get("written"),
            flat=one.metadata.get("flat", False),
        )
        for one in fields(kind)
    ]


def _hints(kind: Any) -> dict[str, Any]:
    own = {"Json": AnyJson, "Tree": AnyJson}
    return typing.get_type_hints(kind, localns=own, include_extras=True)
