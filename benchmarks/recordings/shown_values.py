"""Values in recorded answers: each scalar with its place and the names of its record, and what numbers give by simple arithmetic.

For `benchmarks.recordings.knowable`. Not here: what recordings have shown (`shown_before`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Final, TypeGuard

from environments.runtime.expr.arithmetic import calculate
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import leaves

CENT: Final = 0.005
MAX_COUNT: Final = 6
"""Passengers, bags, pieces: what a difference is multiplied by."""
Path_ = tuple[str, ...]


def all_tokens(value: Json) -> frozenset[str]:
    """Every scalar inside a value, as it is compared."""
    return frozenset(token_of(v) for v in leaves(value))


def scalars_of(
    value: Json, path: Path_, names: frozenset[str]
) -> Iterator[tuple[Path_, frozenset[str], Json]]:
    """Every scalar with its place and the names of the record that it stands in."""
    if isinstance(value, dict):
        own = frozenset(v for v in value.values() if isinstance(v, str) and has_digit(v))
        for name, inner in value.items():
            yield from scalars_of(inner, (*path, name), own or names)
    elif isinstance(value, list):
        for inner in value:
            yield from scalars_of(inner, path, names)
    else:
        yield path, names - {token_of(value)}, value


def places_of(value: Json) -> Iterator[tuple[Path_, Json]]:
    """Every scalar with its place."""
    return ((path, leaf) for path, _, leaf in scalars_of(value, (), frozenset()))


def records_of(value: Json, above: frozenset[str]) -> Iterator[tuple[frozenset[str], list[float]]]:
    """Every record inside a value: what it and the records around it say."""
    if isinstance(value, dict):
        own = frozenset(token_of(v) for v in value.values() if not isinstance(v, dict | list))
        keys = frozenset(k for k in value if has_digit(k))
        yield all_tokens(value) | above | keys, list(numbers_of(value))
        for name, inner in value.items():
            yield from records_of(inner, above | own | {name})
    elif isinstance(value, list):
        if not any(isinstance(v, dict | list) for v in value):
            yield all_tokens(value) | above, list(numbers_of(value))
        for inner in value:
            yield from records_of(inner, above)


def totals_of(numbers: Iterable[tuple[Path_, float]]) -> Iterator[float]:
    """The sum and the count of the numbers at each place."""
    groups: dict[Path_, list[float]] = defaultdict(list)
    for path, number in numbers:
        groups[path].append(number)
    for group in groups.values():
        yield from (sum(group), float(len(group)))


def sums_of(value: Json) -> Iterator[float]:
    """The sum and the count of each list's numbers, by place."""
    yield from totals_of((path, float(leaf)) for path, leaf in places_of(value) if is_number(leaf))
    yield from lengths_of(value)


def lengths_of(value: Json) -> Iterator[float]:
    """The length of every list inside a value."""
    if isinstance(value, list):
        yield float(len(value))
    for inner in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    ):
        yield from lengths_of(inner)


def computes(pool: Sequence[float], wanted: float) -> bool:
    """Whether a number is one of these, or a difference, sum or product of two, or such a difference times a small count."""
    counts = [n for n in pool if n == int(n) and 1 < n <= MAX_COUNT]

    def near(x: float) -> bool:
        return abs(x - wanted) < CENT or abs(x + wanted) < CENT

    if any(near(x) for x in pool):
        return True
    return any(
        near(x - y) or near(x + y) or near(x * y) or any(near((x - y) * n) for n in counts)
        for x, y in product(pool, repeat=2)
    )


def results_of(args: Mapping[str, Json]) -> set[float]:
    """What arguments that are sums come to."""
    found = {calculate(v) for v in args.values() if isinstance(v, str)}
    return {round(float(n), 2) for n in found if n is not None}


def numbers_of(value: Json) -> Iterator[float]:
    """Every number inside a value."""
    return (float(v) for v in leaves(value) if is_number(v))


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is a number and not true or false."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def token_of(value: Json) -> str:
    """A scalar as it is compared: equal numbers are one."""
    return f"n{float(value)!r}" if is_number(value) else str(value)


def has_digit(text: str) -> bool:
    """Whether a text may be an id, a date or a time."""
    return any(c.isdigit() for c in text)


def numbers_in(text: str) -> Iterator[str]:
    """The words of a text that are numbers."""
    words = (w.strip("$.,;:()#") for w in text.split())
    return (w for w in words if w.replace(".", "", 1).isdigit())
