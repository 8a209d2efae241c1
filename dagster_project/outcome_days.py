"""Outcomes joined to their episodes, by the episode's day.

Comes in: every outcome that has arrived for an app, whenever and from wherever, and the episodes as the lake has them.
Goes out: outcomes by partition; those that no episode answers to yet stay with the day they were said, unjoined, and
are tried again on every build. Not here: reading outcome tables (`ingest.outcome_table`), good or bad (`synth.labels`).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from dagster_project.lake import Lake, digest_of, once
from dagster_project.rows import from_rows, to_table
from dagster_project.tables import ARRIVED_OUTCOMES, EPISODES, OUTCOMES
from ingest.moments import day_of
from ingest.outcome import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class _Episode:
    """What an outcome's target may name."""

    episode_id: str
    day: str
    started_at: int


def outcomes_by_day(lake: Lake, app: str) -> dict[str, list[Outcome]]:
    """All outcomes of an app, by the partition they belong to."""
    arrived = once(lake.read(ARRIVED_OUTCOMES, app=app), ARRIVED_OUTCOMES)
    said = {o.outcome_id: o for o in from_rows(Outcome, arrived.to_pylist())}
    index = _Index(lake, app)
    days: dict[str, list[Outcome]] = {}
    for outcome in said.values():
        episode = index.find(outcome)
        day = episode.day if episode else day_of(outcome.at or 0)
        joined = replace(outcome, episode_id=episode.episode_id if episode else None)
        days.setdefault(day, []).append(joined)
    return {day: sorted(days[day], key=lambda o: o.outcome_id) for day in sorted(days)}


def outcome_digests(lake: Lake, app: str) -> dict[str, str]:
    """What each day's outcomes say, as a text that changes with them."""
    return {
        day: digest_of(to_table(group, OUTCOMES.schema, day=lambda _, day=day: day))
        for day, group in outcomes_by_day(lake, app).items()
    }


class _Index:
    """The app's episodes by everything an outcome may name."""

    def __init__(self, lake: Lake, app: str) -> None:
        columns = ("episode_id", "day", "started_at", "conversation_id", "trace_ids", "subject", "task_key")
        self._by: dict[str, dict[str, list[_Episode]]] = {}
        for row in lake.read(EPISODES, app=app, columns=columns).to_pylist():
            episode = _Episode(
                episode_id=row["episode_id"], day=row["day"], started_at=row["started_at"]
            )
            self._add("episode", row["episode_id"], episode)
            self._add("conversation", row["conversation_id"], episode)
            self._add("user", row["subject"], episode)
            self._add("task_key", row["task_key"], episode)
            for trace in row["trace_ids"] or ():
                self._add("trace", trace, episode)

    def _add(self, kind: str, target: str | None, episode: _Episode) -> None:
        if target is not None:
            self._by.setdefault(kind, {}).setdefault(target, []).append(episode)

    def find(self, outcome: Outcome) -> _Episode | None:
        """The one episode the outcome is about; None when nobody or several could be meant."""
        if outcome.episode_id is not None:
            found = self._by.get("episode", {}).get(outcome.episode_id, [])
            if found:
                return found[0]
        pick = _PICK.get(outcome.target_kind, _only)
        targets = self._by.get(outcome.target_kind, {})
        if outcome.target_kind == "episode" and outcome.target_id not in targets:
            targets = self._by.get("conversation", {})
        return pick(targets.get(outcome.target_id, []), outcome.at)


def _only(found: list[_Episode], at: int | None) -> _Episode | None:
    """Several episodes of one target: a doubtful join is not made."""
    del at
    return found[0] if len(found) == 1 else None


def _latest_before(found: list[_Episode], at: int | None) -> _Episode | None:
    """A user's outcome is about the last episode they had before they said it."""
    if at is None:
        return _only(found, at)
    before = [episode for episode in found if episode.started_at <= at]
    return max(before, key=lambda e: (e.started_at, e.episode_id)) if before else None


_PICK: Mapping[str, Callable[[list[_Episode], int | None], _Episode | None]] = {
    "user": _latest_before,
    "conversation": _latest_before,
}
