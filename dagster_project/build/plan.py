"""The plan: which partitions a build has to touch, from stamps alone.

Comes in: both sides of a home. Goes out: the stale app-days and the stale apps. A learnt value may make old days stale
only once it is learnt, so a build plans again after it ran.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dagster_project.arrival.repetitions import SPANS_ASSET, arrivals, arrived_keys
from dagster_project.defs import (
    agreement,
    clean_outcomes,
    difficulty,
    episodes,
    failure_clusters,
    failures,
    outcomes,
    task_sets,
    tasks,
    verified_tasks,
    worlds,
)
from dagster_project.defs.partitions import AppDay, app_days
from dagster_project.defs.resources import CleanSide, PrivateSide
from dagster_project.home.locks import lock
from dagster_project.lake.digests import hash_of
from dagster_project.lake.freshness import Work, work
from dagster_project.lake.tables import ARRIVED_OUTCOMES
from dagster_project.privacy.gate import gate_ingredients, vault_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is stale."""

    known_days: tuple[str, ...]
    """Every app-day that has anything, as partition keys."""
    stale_days: tuple[str, ...]

    state: str = ""
    """What the stale partitions would be made of: another text when anything else arrives."""

    @property
    def known_apps(self) -> tuple[str, ...]:
        """Every app that has anything."""
        return tuple(app_days(self.known_days))


def plan_days(private: PrivateSide, clean: CleanSide) -> Plan:
    """Look for app-days whose rows would be different if they were made now."""
    lake = private.lake
    arrived = {*arrived_keys(lake), *lake.stamps("episodes")}
    apps = {app for app, _ in arrived}
    # Outcomes alone are no app: they wait, or are about an episode of another.
    outcomes_of = {(app, day) for app, day in lake.counts(ARRIVED_OUTCOMES) if app in apps}
    keys = sorted(arrived | outcomes_of)
    asked = app_days(AppDay(app, day).key for app, day in keys)
    todo = [
        work(lake, SPANS_ASSET, arrivals(lake, keys)),
        work(lake, "episodes", episodes.ingredients(lake, asked)),
        work(lake, "outcomes", outcomes.ingredients(lake, asked)),
        *_gate_work(private, clean, list(asked)),
        work(clean.lake, "clean_outcomes", clean_outcomes.ingredients(lake, clean.lake, asked)),
        work(clean.lake, "failures", failures.ingredients(clean, asked)),
    ]
    stale = {key for one in todo for key in one.stale}
    return Plan(
        known_days=tuple(AppDay(app, day).key for app, day in keys),
        stale_days=tuple(AppDay(app, day).key for app, day in sorted(stale)),
        state=hash_of(*(one.wanted[key] for one in todo for key in sorted(one.stale))),
    )


def _gate_work(private: PrivateSide, clean: CleanSide, apps: Sequence[str]) -> list[Work]:
    home = private.opened()
    with lock(home, "vault"):
        vault = vault_of(home, private.vault_secret())
        return [
            work(clean.lake, "clean_episodes", gate_ingredients(home, private.lake, vault, app))
            for app in apps
        ]


def stale_apps(clean: CleanSide, apps: Sequence[str]) -> tuple[str, ...]:
    """Apps whose learnt things would be different if they were made now."""
    lake = clean.lake
    wanted = {
        "failure_clusters": failure_clusters.ingredients(lake, apps, k=clean.k),
        "worlds": worlds.ingredients(clean, apps),
        "tasks": tasks.ingredients(clean, apps),
        "verified_tasks": verified_tasks.ingredients(lake, apps, asking=clean.judge is not None),
        "agreement": agreement.ingredients(clean, apps),
        "task_sets": task_sets.ingredients(lake, apps),
        "difficulty": difficulty.ingredients(lake, apps),
    }
    stale = {app for asset, made in wanted.items() for app, _ in work(lake, asset, made).stale}
    return tuple(sorted(stale))


_GAP: Final = 40
"""Fresh partitions inside a range cost 13 ms each, a run of its own 0.5 s."""


def ranges(order: Sequence[str], wanted: Sequence[str]) -> list[tuple[str, str]]:
    """Contiguous ranges of partitions that hold all wanted ones, joined over short gaps."""
    place = {key: index for index, key in enumerate(order)}
    found: list[tuple[int, int]] = []
    for index in sorted(place[key] for key in wanted):
        if found and index - found[-1][1] <= _GAP:
            found[-1] = (found[-1][0], index)
        else:
            found.append((index, index))
    return [(order[first], order[last]) for first, last in found]
