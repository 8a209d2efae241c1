"""Ids drawn by dice that only a list shows: records made by earlier calls whose answers do not name them.

Comes from observations before anything else is learnt of them; gives places in the records of lists, with formats, to `fresh`.
An id is taken for dice where nobody named it before or elsewhere, equal calls of other episodes were answered without any such
id, and records that are equal but for it had another. What was there from the start has ids in another format.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Final

from environments.runtime.document.views import ValueForm
from environments.runtime.task.attempt import Json
from environments.runtime.values.formats import fits, freedom, id_format, short_digest
from environments.runtime.values.normal import is_name, names_in, stable
from environments.runtime.views.clock_and_ids import LISTED
from synth.world.observation import History, Observation, by_tool
from synth.world.support import SEEN_SEVERAL_TIMES, SEEN_THRICE, SEEN_TWICE

MIN_HOMES: Final = SEEN_SEVERAL_TIMES
"""Episodes in which such an id was shown."""
MIN_TWINS: Final = SEEN_TWICE
"""Records of different episodes that are equal but for the id, each time another one."""
MIN_ABSENT: Final = SEEN_THRICE
"""Ids shown by calls that were answered without any such id at some other time."""
MIN_IDS: Final = 2**20
MAX_TAKEN: Final = 5_000
HASH_RANGE: Final = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sight:
    seen: Observation
    value: str
    rest: str
    """The record without it."""


def listed_ids(histories: Sequence[History]) -> Iterator[tuple[str, str, ValueForm]]:
    """Tool, place and format of every such id."""
    homes: dict[str, set[int]] = defaultdict(set)
    asked: set[str] = set()
    for history in histories:
        for seen in history.observations:
            asked |= names_in(seen.arguments)
            for name in seen.names:
                homes[name].add(history.index)
    for tool, calls in sorted(by_tool(histories).items()):
        for field, sights in _sights(calls).items():
            new = {s.value for s in sights if _is_new(s, homes, asked, histories)}
            form = _form(sights, new)
            if form is not None:
                yield tool, LISTED + field, form


def number_of(seen: Observation, value: Json) -> int:
    """A number for the record of a list that has an id, from all else that it names: one record, one number."""
    records = seen.value if isinstance(seen.value, list) else []
    about = next((r for r in records if isinstance(r, dict) and value in r.values()), {})
    names = sorted(names_in(about) - {str(value)})
    return int(short_digest(stable(names)), 16) % HASH_RANGE + 1


def _sights(calls: Sequence[Observation]) -> dict[str, list[_Sight]]:
    """Per field of the records of a tool's lists, what stood there."""
    out: dict[str, list[_Sight]] = defaultdict(list)
    for seen in calls:
        records = seen.value if isinstance(seen.value, list) else []
        for record in (r for r in records if isinstance(r, dict)):
            for field, value in record.items():
                if isinstance(value, str) and is_name(value):
                    rest = stable({k: v for k, v in record.items() if k != field})
                    out[field].append(_Sight(seen=seen, value=value, rest=rest))
    return out


def _is_new(
    sight: _Sight, homes: dict[str, set[int]], asked: set[str], histories: Sequence[History]
) -> bool:
    """Whether nobody had named an id, no other episode shows it, and nobody asks for it."""
    if sight.value in asked or len(homes[sight.value]) > 1:
        return False
    past = histories[sight.seen.episode].observations[: sight.seen.position]
    first = next((o for o in past if sight.value in o.names), sight.seen)
    return first.tool == sight.seen.tool


def _form(sights: Sequence[_Sight], new: set[str]) -> ValueForm | None:
    """The format of new ids where they are dice's; None where they are not, or any other is in the same format."""
    mine = [s for s in sights if s.value in new]
    if len({s.seen.episode for s in mine}) < MIN_HOMES:
        return None
    form = id_format(sorted(new))
    if form is None or freedom(form) < MIN_IDS:
        return None
    if any(fits(form, s.value) for s in sights if s.value not in new):
        return None
    if _twins(mine) < MIN_TWINS or _absent(sights, mine) < MIN_ABSENT:
        return None
    return replace(
        form,
        kept=True,
        says="an id in the recorded alphabet and length, drawn anew",
        seen=len(new),
        taken=frozenset(sorted(map(short_digest, new))[:MAX_TAKEN]),
    )


def _twins(mine: Sequence[_Sight]) -> int:
    """Records of different episodes that differ in nothing but the id."""
    ordered = sorted(mine, key=lambda s: s.rest)
    groups = (list(group) for _, group in groupby(ordered, key=lambda s: s.rest))
    return sum(len({s.seen.episode for s in group}) - 1 for group in groups)


def _absent(sights: Sequence[_Sight], mine: Sequence[_Sight]) -> int:
    """New ids whose call was answered with such records and without any new one at some other time."""
    with_new = {(s.seen.episode, s.seen.position) for s in mine}
    without = {s.seen.key for s in sights if (s.seen.episode, s.seen.position) not in with_new}
    return len({s.value for s in mine if s.seen.key in without})
