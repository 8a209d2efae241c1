"""Stored draws: times of its calls and ids of dice that an episode stored and a later answer shows, at any depth.

Comes from observations in which the values that a call itself tells have marks already. Leaves other marks, which nobody can tell, in place of
what is left. That a place holds such values is known from pairs: equal calls of two episodes whose answers differ in nothing else
(`drawn_values`). A time is an episode's own where it lies as far from one of its calls as those did and no other episode shows it; an id
where it stands at such a place and no other episode has it. Ids that a later call asks for are left alone. Only where every
episode starts afresh.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import median_low
from typing import Final

from environments.runtime.document.views import MarkPart, ValueForm
from environments.runtime.task.attempt import Json
from environments.runtime.values.formats import grain, read_time
from environments.runtime.values.mentions import fields_in, names_in
from environments.runtime.values.normal import is_plain
from environments.runtime.views.clock_and_ids import ANY, STYLES
from synth.world.grouping import sets_by_key
from synth.world.observation import History, Observation, every_call
from synth.world.support import SEEN_THRICE, SEEN_TWICE
from synth.world.volatile.drawn_values import (
    MAX_DRIFT,
    Homes,
    unlike_by_dice,
    unlike_by_time,
    unlike_in,
)

MIN_TIMES: Final = SEEN_THRICE
"""Pairs of answers that differ by times of their calls, before the app has a clock."""
MIN_PAIRS: Final = SEEN_TWICE
"""Pairs that differ at a place by dice, before it holds ids of dice."""
NOBODYS: Final = "stored by an episode that drew it, which nobody can tell"
FORMS: Final = {
    kind: MarkPart(tool=ANY, place="", form=ValueForm(kind=kind, untold=True, says=NOBODYS))
    for kind in ("time", "id")
}
"""Marks by kind: no answer of a session is read by them."""


@dataclass(slots=True)
class _PairCounts:
    """What pairs say."""

    away: list[int] = field(default_factory=list)
    """Distances of times to their calls."""
    places: dict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    """Pairs by tool and place."""

    def add(self, one: Observation, other: Observation, homes: Homes) -> None:
        """A pair of answers, of use where nothing else differs in them."""
        found = list(unlike_in(one.value, other.value))
        times = [u for u in found if u is not None and unlike_by_time(one, other, u)]
        dice = [u for u in found if u is not None and unlike_by_dice(one, other, u, homes)]
        if not found or len(times) + len(dice) < len(found):
            return
        self.away += [_moment(u.left) - one.at for u in times][:1]
        for place in {u.place for u in dice}:
            self.places[one.tool, place] += 1


def mark_stored(histories: Sequence[History], names: dict[str, str]) -> set[str]:
    """Put marks (`names`, by kind) into answers, in place; the kinds that were put anywhere."""
    homes = Homes(histories)
    known = _PairCounts()
    last: dict[tuple[str, str], Observation] = {}
    for seen in every_call(histories):
        other = last.get((seen.tool, seen.key), seen)
        last[seen.tool, seen.key] = seen
        if other.episode != seen.episode and other.is_json and seen.is_json:
            known.add(seen, other, homes)
    away = median_low(known.away) if len(known.away) >= MIN_TIMES else None
    places = {place for place, count in known.places.items() if count >= MIN_PAIRS}
    if away is None and not places:
        return set()
    found = {
        id(seen): values
        for history in histories
        for seen, values in _drawn_values(history, away, places, homes)
    }
    shown = _times_shown(histories) if away is not None else {}
    put: set[str] = set()
    for seen in every_call(histories):
        mine = {v: k for v, k in found.get(id(seen), {}).items() if len(shown.get(v, ())) < 2}
        content = _with_marks(seen, mine, names) if mine else None
        if content is not None:
            put.update(mine.values())
            seen.put_content(content)
    return put


def _moment(value: Json) -> int:
    told = read_time(value)
    return 0 if told is None else told[0]


def _times_shown(histories: Sequence[History]) -> dict[Json, set[int]]:
    """The episodes that show each time."""
    return sets_by_key(
        (value, seen.episode)
        for seen in every_call(histories)
        for _, value in _scalars(seen.value)
        if read_time(value) is not None
    )


def _drawn_values(
    history: History, away: int | None, places: set[tuple[str, str]], homes: Homes
) -> Iterator[tuple[Observation, dict[Json, str]]]:
    """The values that an episode drew, by answer, with their kinds."""
    asked = {name for seen in history.observations for name in names_in(seen.arguments)}
    given = [v for seen in history.observations for _, v in _scalars(dict(seen.arguments))]
    first = min((seen.at for seen in history.observations), default=0)
    for seen in history.observations or ():
        found: dict[Json, str] = {}
        for place, value in _scalars(seen.value):
            told = read_time(value) if away is not None and value not in given else None
            if told is not None and away is not None:
                drift = max(MAX_DRIFT, grain(told[1]) - 1)
                if first - drift <= told[0] - away <= seen.at + drift:
                    found[value] = "time"
            elif (
                isinstance(value, str)
                and (seen.tool, place) in places
                and value not in asked
                and homes.is_only_home(value, history.index)
            ):
                found[value] = "id"
        if found:
            yield seen, found


def _scalars(value: Json) -> Iterator[tuple[str, Json]]:
    """Texts and numbers at any depth, each with its place as `unlike_in` writes it."""
    for path, part in fields_in(value):
        if is_plain(part):
            yield "".join(f"/{'[]' if step is None else step}" for step in path), part


def _with_marks(seen: Observation, own: dict[Json, str], names: dict[str, str]) -> str | None:
    """An answer with marks, laid out as before; None where its layout cannot be kept."""
    style = next((s for s in STYLES if s.dumps(seen.value) == seen.content), None)
    return None if style is None else style.dumps(_mark_values(seen.value, own, names))


def _mark_values(value: Json, own: dict[Json, str], names: dict[str, str]) -> Json:
    if isinstance(value, dict):
        return {key: _mark_values(part, own, names) for key, part in value.items()}
    if isinstance(value, list):
        return [_mark_values(part, own, names) for part in value]
    if is_plain(value) and value in own:
        return f"~{own[value]}.{names[own[value]]}~"
    return value
