"""Places inside places: `notes/old` lies in `notes`, and a call about the one may show in an answer about the other.

Goes in: the arguments of two calls. Comes out: whether one is about a place strictly inside one of the other's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .attempt import Json

_MOST = 400
"""Characters of a place; what is longer is a text."""


def within(one: Mapping[str, Json], other: Mapping[str, Json]) -> bool:
    """Whether two calls are about places of which one lies inside the other, or is one of several asked for at once."""
    theirs = list(_places(other))
    return any(
        _inside(mine, place) or _inside(place, mine) or (mine == place and (several or many))
        for mine, several in _places(one)
        for place, many in theirs
    )


def holds_place(arguments: Mapping[str, Json]) -> bool:
    """Whether a call is about something that may lie inside a place."""
    return any("/" in text for text, _ in _places(arguments))


def _inside(inner: str, outer: str) -> bool:
    return inner != outer and inner.startswith(outer if outer.endswith("/") else outer + "/")


def _places(arguments: Mapping[str, Json]) -> Iterator[tuple[str, bool]]:
    """Texts that may be places, and whether each is one of several."""
    for value in arguments.values():
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, str) and 0 < len(one) <= _MOST and "\n" not in one:
                yield one, isinstance(value, list)
