"""Asset checks that do not hold now, by app: what a build, the doctor and the report say of them until the check passes.

Dagster shows the latest evaluation of a check, which may have looked at one app of many; and a build that has nothing to make evaluates none.
So each evaluation leaves here, for every app that it looked at, whether the check failed and what it says.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import pyarrow as pa

from dagster_project.lake.freshness import Key, Work
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import Table
from environments.runtime.values.grouping import by_key
from ingest.records.columns import schema_of

Failing = Mapping[str, str]
"""The apps for which a check fails, each with a sentence: the figure beside its limit, and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCheck:
    """One check that does not hold for one app, or one of its days."""

    asset: str
    app: str
    day: str
    check: str
    says: str


FAILED_CHECKS: Final = Table(
    name="failed_checks", schema=schema_of(FailedCheck), by=("asset", "app")
)


def keep_checks(lake: Lake, todo: Work, failing: Mapping[str, Failing]) -> None:
    """Put what the checks say of the asked partitions in the place of what they said of the same ones before.

    A check that fails for an app is noted at the days that were made now: they are what it fails at.
    """
    days = by_key(sorted(todo.wanted))
    stale = todo.days()
    for app, asked in days.items():
        at = stale.get(app) or asked[:1]
        found = [
            FailedCheck(asset=todo.asset, app=app, day=day, check=check, says=apps[app])
            for check, apps in failing.items()
            if app in apps
            for day in at
        ]
        _put(lake, (todo.asset, app), asked, found)


def _put(lake: Lake, key: Key, days: Sequence[str], found: Iterable[FailedCheck]) -> None:
    def edit(before: pa.Table) -> pa.Table | None:
        rows = before.to_pylist()
        kept = [row for row in rows if (row["day"] or "") not in days]
        after = sorted([*kept, *map(asdict, found)], key=_order)
        if sorted(rows, key=_order) == after:
            return None
        return pa.Table.from_pylist(after, schema=FAILED_CHECKS.schema)

    lake.change(FAILED_CHECKS, key, edit)


def _order(row: Mapping[str, Any]) -> list[str]:
    return [row[name] or "" for name in FAILED_CHECKS.schema.names]


def failed_checks_of(lake: Lake) -> list[str]:
    """The checks that do not hold, a line each: `asset: check`, with each app and what the check says of it in brackets."""
    known = {app for app, _ in lake.stamps("clean_episodes")}
    rows = sorted(lake.read(FAILED_CHECKS).to_pylist(), key=_order)
    told = by_key(
        (f"{row['asset']}: {row['check']}", f"{row['app']}: {row['says']}")
        for row in rows
        if row["app"] in known
    )
    return [f"{check} ({'; '.join(dict.fromkeys(says))})" for check, says in sorted(told.items())]
