"""Figures over all conversations of an app, which few more hardly move: until when they stand, and when they are taken anew.

Comes in: the clean lake, an app, the name of a figure, and what else decides about it. Goes out: whether the figure of before stands. The
larger an app, the more rarely: each conversation then pays for a figure a few times, not once a day for ever.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from dagster_project.lake.documents import Document, records, to_rows
from dagster_project.lake.learnt_tables import FIGURES
from dagster_project.lake.store import Lake

SMALL: Final = 100
"""Conversations up to which a figure is taken anew whenever anything changed: fewer say little, and take seconds."""
GROWTH: Final = 0.25
"""The share of new or otherwise ended conversations up to which a figure of a larger app stands: an interval of 95 % is ± 8 points wide at 100, ± 1 at
1,000, before as after."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """The conversations of a day, as far as figures look at them."""

    conversations: int
    outcomes: str
    """A digest of how they ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureBasis:
    """What a figure was taken of."""

    of: str
    """A digest of everything it was made of."""
    said: str
    """A digest of what people said: policies, settings, reviews."""
    days: Mapping[str, Day]
    """The conversations of each day."""


def stands(lake: Lake, app: str, figure: str, *, said: str) -> FigureBasis | None:
    """What a figure was taken of, where it stands for the app of today; None where it has to be taken anew."""
    taken = records(lake, FIGURES, app, FigureBasis).get(figure)
    if taken is None or taken.said != said:
        return None
    before = sum(one.conversations for one in taken.days.values())
    if before <= SMALL:
        return None
    return taken if _count_changes(taken.days, _days(lake, app)) <= GROWTH * before else None


def keep(lake: Lake, app: str, figure: str, *, of: str, said: str) -> None:
    """Note that a figure was taken of what there is now."""
    known = records(lake, FIGURES, app, FigureBasis)
    known[figure] = FigureBasis(of=of, said=said, days=_days(lake, app))
    _replace(lake, app, known)


def forget(lake: Lake, app: str, figure: str) -> None:
    """A figure that could not be taken whole stands for nothing."""
    known = records(lake, FIGURES, app, FigureBasis)
    if known.pop(figure, None) is not None:
        _replace(lake, app, known)


def _replace(lake: Lake, app: str, known: Mapping[str, FigureBasis]) -> None:
    rows = to_rows(
        Document(app=app, id=name, version="", content=one) for name, one in known.items()
    )
    lake.replace(FIGURES, rows, [(app,)])


def _days(lake: Lake, app: str) -> dict[str, Day]:
    outcomes = lake.stamps("clean_outcomes")
    return {
        day: Day(
            conversations=stamp.rows,
            outcomes=outcomes[of, day].digest if (of, day) in outcomes else "",
        )
        for (of, day), stamp in lake.stamps("clean_episodes").items()
        if of == app
    }


def _count_changes(before: Mapping[str, Day], now: Mapping[str, Day]) -> int:
    """Conversations that came, went, or belong to a day of which people have said something else since."""
    nothing = Day(conversations=0, outcomes="")
    moved = 0
    for day in before.keys() | now.keys():
        one, other = before.get(day, nothing), now.get(day, nothing)
        same = one.outcomes == other.outcomes
        lengths = (one.conversations, other.conversations)
        moved += max(lengths) - min(lengths) if same else max(lengths)
    return moved
