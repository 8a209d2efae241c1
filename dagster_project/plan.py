"""The plan: which partitions a build has to touch, from stamps alone.

Comes in: both sides of a home. Goes out: the stale app-days and the stale apps. A learnt value may make old days stale
only once it is learnt, so a build plans again after it ran.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dagster_project.defs import (
    clean_outcomes,
    episodes,
    failure_clusters,
    failures,
    outcomes,
    spans,
    task_sets,
    tasks,
    verified_tasks,
    worlds,
)
from dagster_project.defs.partitions import AppDay, app_days
from dagster_project.defs.resources import CleanSide, PrivateSide
from dagster_project.freshness import Key, work
from dagster_project.gate import gate_ingredients, vault_of
from dagster_project.home import lock
from dagster_project.tables import ARRIVED_OUTCOMES


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is stale."""

    known_days: tuple[str, ...]
    """Every app-day that has anything, as partition keys."""
    stale_days: tuple[str, ...]

    @property
    def known_apps(self) -> tuple[str, ...]:
        """Every app that has anything."""
        return tuple(app_days(self.known_days))


def plan_days(private: PrivateSide, clean: CleanSide) -> Plan:
    """Look for app-days whose rows would be different if they were made now."""
    lake = private.lake
    arrived = {*spans.arrived_keys(lake), *((a, d) for a, d in lake.counts(ARRIVED_OUTCOMES))}
    keys = sorted(arrived | set(lake.stamps("episodes")))
    asked = app_days(AppDay(app, day).key for app, day in keys)
    stale: set[Key] = set()
    stale |= work(lake, "spans", spans.arrivals(lake, keys)).stale
    stale |= work(lake, "episodes", episodes.ingredients(lake, asked)).stale
    stale |= work(lake, "outcomes", outcomes.ingredients(lake, asked)).stale
    stale |= _stale_gate(private, clean, list(asked))
    clean_wanted = clean_outcomes.ingredients(lake, clean.lake, asked)
    stale |= work(clean.lake, "clean_outcomes", clean_wanted).stale
    stale |= work(clean.lake, "failures", failures.ingredients(clean, asked)).stale
    return Plan(
        known_days=tuple(AppDay(app, day).key for app, day in keys),
        stale_days=tuple(AppDay(app, day).key for app, day in sorted(stale)),
    )


def _stale_gate(private: PrivateSide, clean: CleanSide, apps: Sequence[str]) -> set[Key]:
    home, stale = private.opened(), set[Key]()
    with lock(home, "vault"):
        vault = vault_of(home, private.vault_secret())
        for app in apps:
            wanted = gate_ingredients(home, private.lake, vault, app)
            stale |= work(clean.lake, "clean_episodes", wanted).stale
    return stale


def stale_apps(clean: CleanSide, apps: Sequence[str]) -> tuple[str, ...]:
    """Apps whose learnt things would be different if they were made now."""
    lake = clean.lake
    wanted = {
        "failure_clusters": failure_clusters.ingredients(lake, apps),
        "worlds": worlds.ingredients(lake, apps),
        "tasks": tasks.ingredients(clean, apps),
        "verified_tasks": verified_tasks.ingredients(lake, apps),
        "task_sets": task_sets.ingredients(lake, apps),
    }
    stale = {app for asset, made in wanted.items() for app, _ in work(lake, asset, made).stale}
    return tuple(sorted(stale))
