"""Outcomes joined to their episodes, by the episode's day.

Comes in: every outcome that has arrived for an app, whenever and from wherever, and the episodes as the lake has them. Goes out: outcomes
by partition; those that no episode answers to yet stay with the day they were said, unjoined, and are tried again on every build.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from dagster_project.lake.digests import digest_of
from dagster_project.lake.rows import constant_column, from_rows, to_table
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import (
    ARRIVED_AT,
    ARRIVED_OUTCOMES,
    EPISODES,
    OUTCOMES,
    RESPONSES,
    SPANS,
    deduplicate,
)
from ingest.dialects.attributes import parsed, text_of
from ingest.files.outcome_table import OutcomeRow, attach
from ingest.records.app_name import UNNAMED
from ingest.records.episode import Episode
from ingest.records.moments import day_of
from ingest.records.outcome import Outcome
from ingest.records.span import column_of

_NAMES = (
    "app", "day", "episode_id", "conversation_id", "source", "started_at", "ended_at", "trace_ids",
    "subject", "task_key",
)  # fmt: skip
"""What an outcome may call an episode; its steps are not read."""


def outcomes_by_day(lake: Lake, app: str) -> dict[str, list[Outcome]]:
    """All outcomes of an app, by the partition they belong to."""
    # A table that names no app may be about this one; what joins nothing stays with the unnamed.
    every = arrived_outcomes(lake, *dict.fromkeys((app, UNNAMED)))
    strangers = [outcome for outcome in every if outcome.app == UNNAMED]
    apps = [app]
    if app == UNNAMED:
        apps = sorted({of_app for of_app, _ in lake.counts(EPISODES)} | {app}) if strangers else []
    episodes, home = known_episodes_of(lake, apps)
    responses = responses_of(lake, apps)
    attributes = traces_by_attribute(lake, apps, (o for o in every if not o.episode_id))
    joined = attach(every, episodes, responses=responses, attributes=attributes)
    unnamed = {outcome.outcome_id for outcome in strangers}
    days: dict[str, list[Outcome]] = {}
    for outcome in joined:
        waits = outcome.episode_id not in home
        stays = outcome.app == app and not (
            app != UNNAMED and waits and outcome.outcome_id in unnamed
        )
        if stays:
            day = day_of(outcome.at or 0) if waits else home[outcome.episode_id or ""]
            days.setdefault(day, []).append(outcome)
    return {day: sorted(days[day], key=lambda o: o.outcome_id) for day in sorted(days)}


def attach_arrived(
    lake: Lake,
    app: str,
    told: Iterable[Outcome],
    episodes: Iterable[Episode],
    *,
    responses: Mapping[str, str],
) -> list[Outcome]:
    """What arrived for an app and what its telemetry tells, joined to episodes just assembled as a build would join them.

    What named no app is among them where it joins.
    """
    every = [*arrived_outcomes(lake, *dict.fromkeys((app, UNNAMED))), *told]
    attributes = traces_by_attribute(lake, [app], (o for o in every if not o.episode_id))
    known = list(episodes)
    ids = {episode.episode_id for episode in known}
    joined = attach(every, known, responses=responses, attributes=attributes)
    return [o for o in joined if o.app == app or o.episode_id in ids]


def arrived_outcomes(lake: Lake, *apps: str) -> list[Outcome]:
    """Outcomes as they came, each of an app once, in the order of arrival: of two equal ones the later counts."""
    rows = [
        row
        for app in apps
        for row in deduplicate(lake.read(ARRIVED_OUTCOMES, app=app), ARRIVED_OUTCOMES).to_pylist()
    ]
    rows.sort(key=lambda row: row[ARRIVED_AT] or 0)
    latest: dict[tuple[str, str], Outcome] = {}
    for outcome in from_rows(Outcome, rows):
        key = outcome.app, outcome.outcome_id
        latest.pop(key, None)  # so that it stands where it came last
        latest[key] = outcome
    return list(latest.values())


def responses_of(lake: Lake, apps: Iterable[str]) -> dict[str, str]:
    """Which episode each response of some apps belongs to."""
    columns = ("response_id", "episode_id")
    return {
        row["response_id"]: row["episode_id"]
        for app in apps
        for row in lake.read(RESPONSES, app=app, columns=columns).to_pylist()
    }


def traces_by_attribute(
    lake: Lake, apps: Iterable[str], told: Iterable[Outcome | OutcomeRow]
) -> dict[str, list[str]]:
    """The traces whose spans carry each `NAME=VALUE` that some outcomes name; `span_id` counts as an attribute."""
    wanted = {one.target_id.strip() for one in told if one.target_kind == "attribute"}
    found: dict[str, set[str]] = {}
    names = {named.partition("=")[0] for named in wanted}
    promoted = {name: column_of(name) for name in names if column_of(name) in SPANS.schema.names}
    columns = ["trace_id", *promoted.values()]
    if names - set(promoted):
        columns.append("attributes")
    for app in apps if names else ():
        table = lake.read(SPANS, app=app, columns=columns)
        for batch in table.to_batches(max_chunksize=10_000):
            for row in batch.to_pylist():
                for name in names:
                    value = _attribute(row, name, promoted.get(name))
                    named = f"{name}={value}".strip()
                    if value is not None and named in wanted:
                        found.setdefault(named, set()).add(row["trace_id"])
    return {named: sorted(traces) for named, traces in found.items()}


def _attribute(row: Mapping[str, Any], name: str, column: str | None) -> str | None:
    if column is not None and row[column] is not None:
        return str(row[column])
    text = row.get("attributes") or ""
    if f'"{name}"' not in text:
        return None
    return text_of(parsed(text).get(name))


def known_episodes_of(lake: Lake, apps: Iterable[str]) -> tuple[list[Episode], dict[str, str]]:
    """Episodes by everything an outcome may call them, without their steps, and the day that each lives in."""
    read = (lake.read(EPISODES, app=app, columns=_NAMES).to_pylist() for app in apps)
    rows = [row for some in read for row in some]
    return from_rows(Episode, rows), {row["episode_id"]: row["day"] for row in rows}


def outcome_digests(lake: Lake, app: str) -> dict[str, str]:
    """What each day's outcomes say, as a text that changes with them."""
    return {
        day: digest_of(to_table(group, OUTCOMES.schema, day=constant_column(day)))
        for day, group in outcomes_by_day(lake, app).items()
    }
