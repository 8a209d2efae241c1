"""What the rows of a table are about: the episodes that have arrived, and the column that names them.

Comes in: the private lake and rows. Goes out: outcomes with the episodes that a build has assembled, how many are about nothing that has
arrived, and which column holds the keys. Not here: reading tables (`ingest.files.outcome_table`), and storing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from dagster_project.arrival.assembly import Findings, collect_days
from dagster_project.arrival.outcome_days import (
    known_episodes_of,
    responses_of,
    traces_by_attribute,
)
from dagster_project.arrival.repetitions import SPANS_ASSET, arrivals, arrived_keys
from dagster_project.build.left_out import Skips
from dagster_project.lake.freshness import work
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import EPISODES
from environments.runtime.values.grouping import by_key
from ingest.files.outcome_table import OutcomeMapping, OutcomeRow, attach, join
from ingest.records.episode import Episode
from ingest.records.outcome import Outcome

Row = Mapping[str, Any]

_SHORTEST_NUMBER: Final = 6
"""A number with fewer digits may count anything: a mark of 1 to 5 is no conversation 1 to 5."""
_LONGEST_NAME: Final = 500
"""Characters; a longer cell is text."""


class KnownEpisodes:
    """The episodes that rows can be about: those that a build has assembled and, once asked for, those that the next one will."""

    def __init__(self, lake: Lake) -> None:
        self._lake = lake
        apps = {app for app, _ in lake.counts(EPISODES)} | {app for app, _ in arrived_keys(lake)}
        self._apps = sorted(apps)
        self._episodes, self.days = known_episodes_of(lake, self._apps)
        self._responses = responses_of(lake, self._apps)

    def join(self, rows: Sequence[OutcomeRow]) -> list[Outcome]:
        """Outcomes of rows, with the episodes that a build has assembled."""
        attributes = traces_by_attribute(self._lake, self._apps, rows)
        return join(rows, self._episodes, responses=self._responses, attributes=attributes)

    def count_strangers(self, waiting: Sequence[Outcome]) -> int:
        """How many outcomes are about nothing that has arrived, assembled or not."""
        if not waiting:
            return 0
        episodes, responses = self._all_episodes
        attributes = traces_by_attribute(self._lake, self._apps, waiting)
        found = attach(waiting, episodes, responses=responses, attributes=attributes)
        return sum(outcome.episode_id is None for outcome in found)

    def key_column(
        self, rows: Sequence[Row | bytes], mapping: OutcomeMapping, *, app: str | None
    ) -> str | None:
        """The column whose values name the most episodes; None where none does, or where another names others in the same row."""
        episodes, responses = self._all_episodes
        named = _names_by_column(rows, mapping, app)
        joined = join(named, episodes, responses=responses)
        found: dict[str, dict[str, str]] = {}
        for outcome in joined:
            if outcome.episode_id is not None:
                found.setdefault(outcome.name, {})[outcome.target_id] = outcome.episode_id
        best = max(found, key=lambda column: len(found[column]), default=None)
        if best is None or any(_differ(row, best, found) for row in rows if isinstance(row, dict)):
            return None
        return best

    @cached_property
    def _all_episodes(self) -> tuple[list[Episode], dict[str, str]]:
        """Every episode, and the episode of each response; of an app at which our own code fails, as the last build has them."""
        by_id = {episode.episode_id: episode for episode in self._episodes}
        responses = dict(self._responses)
        stale = work(self._lake, SPANS_ASSET, arrivals(self._lake, arrived_keys(self._lake))).stale
        for app, days in by_key(sorted(stale)).items():
            keeper = _NameKeeper()
            with Skips("arrival", app).unit("app"):
                found: Findings = collect_days(self._lake, app, days, keeper)
                by_id |= keeper.episodes
                responses |= found.responses
        return list(by_id.values()), responses


class _NameKeeper:
    """Episodes without their steps: what outcomes call them."""

    def __init__(self) -> None:
        self.episodes: dict[str, Episode] = {}

    def clear(self) -> None:
        self.episodes.clear()

    def add(self, day: str, episode: Episode) -> None:
        del day
        self.episodes[episode.episode_id] = replace(episode, steps=(), tools=())


def _names_by_column(
    rows: Sequence[Row | bytes], mapping: OutcomeMapping, app: str | None
) -> list[OutcomeRow]:
    """Every value that may name an episode, once for its column, as a row about it."""
    said = {
        mapping.name, mapping.value, mapping.at, mapping.by, mapping.comment, mapping.correction,
        mapping.author,
    }  # fmt: skip
    cells = {
        (column, text): None
        for row in rows
        if isinstance(row, dict)
        for column, value in row.items()
        if column not in said and _may_name(text := _name(value))
    }
    kind = mapping.target.partition(":")[0]
    return [
        OutcomeRow(
            app=app, target_kind=kind, target_id=text, name=column, value=None, label=None,
            comment=None, by="unknown", author=None, at=None,
        )
        for column, text in cells
    ]  # fmt: skip


def _name(value: object) -> str:
    return str(value).strip() if isinstance(value, str | int) else ""


def _may_name(text: str) -> bool:
    is_short_number = text.isdecimal() and len(text) < _SHORTEST_NUMBER
    return 0 < len(text) <= _LONGEST_NAME and not is_short_number


def _differ(row: Row, best: str, found: Mapping[str, Mapping[str, str]]) -> bool:
    """Whether another column of a row names another episode than the best one does."""
    own = found[best].get(_name(row.get(best)))
    others = {named.get(_name(row.get(column))) for column, named in found.items()}
    return own is not None and bool(others - {own, None})
