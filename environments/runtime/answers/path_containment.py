"""Places inside places: `notes/old` lies in `notes`, and a call about the one may show in an answer about the other.

Goes in: the arguments of two calls. Comes out: whether one is about a place strictly inside one of the other's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..task.attempt import Json

_MOST = 400
"""Characters of a place; what is longer is a text."""


def places_overlap(one: Mapping[str, Json], other: Mapping[str, Json]) -> bool:
    """Whether two calls are about places of which one lies inside the other, or is one of several asked for at once."""
    theirs = list(places_of(other))
    return any(
        _is_inside(mine, place) or _is_inside(place, mine) or (mine == place and (several or many))
        for mine, several in places_of(one)
        for place, many in theirs
    )


def enclosing_places(place: str) -> Iterator[str]:
    """Every place that this one lies strictly inside, as it may be written."""
    for at, sign in enumerate(place):
        if sign == "/":
            yield from {place[:at], place[: at + 1]} - {place, ""}


def _is_inside(inner: str, outer: str) -> bool:
    return inner != outer and inner.startswith(outer if outer.endswith("/") else outer + "/")


def places_of(arguments: Mapping[str, Json]) -> Iterator[tuple[str, bool]]:
    """Texts that may be places, and whether each is one of several."""
    for value in arguments.values():
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, str) and 0 < len(one) <= _MOST and "\n" not in one:
                yield one, isinstance(value, list)
