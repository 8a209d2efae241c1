"""Partitions: app and UTC day for what arrives, app for what is learnt.

Keys are dynamic: a day exists when something of it has arrived. App names are percent-encoded, so `|` never stands in
one. Measured against other layouts in docs/log/0070-partitions.md.
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import dagster as dg

APP_DAYS: Final = dg.DynamicPartitionsDefinition(name="app_day")
APPS: Final = dg.DynamicPartitionsDefinition(name="app")
# Beta in Dagster, and used on purpose: its warning is nothing that a user can act on.
warnings.filterwarnings("ignore", "Parameter `backfill_policy`", dg.BetaWarning)
ONE_RUN: Final = dg.BackfillPolicy.single_run()
_SEPARATOR: Final = "|"


@dataclass(frozen=True, slots=True, order=True)
class AppDay:
    """One partition of the assets that arrive."""

    app: str
    day: str

    @property
    def key(self) -> str:
        """As Dagster knows it."""
        return f"{self.app}{_SEPARATOR}{self.day}"


def app_days(keys: Iterable[str]) -> dict[str, list[str]]:
    """The days of each app that a run is asked for."""
    found: dict[str, list[str]] = {}
    for key in keys:
        app, _, day = key.partition(_SEPARATOR)
        found.setdefault(app, []).append(day)
    return {app: sorted(days) for app, days in sorted(found.items())}
