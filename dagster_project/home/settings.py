"""The settings of a home, as home.json says them: apps, redaction, risk, days, budgets.

Comes in: a home. Goes out: what it says, or home.json with another value. Not here: which names may stand there (`layout.SETTINGS`).
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from dagster_project.errors import HomeError
from dagster_project.home.layout import Home, manifest_name, read_manifest
from dagster_project.home.locks import lock
from dagster_project.storage.whole_files import write_whole
from environments.runtime.answers.recall import MOST_RISK, RISK, is_risk
from environments.runtime.values.normal import is_number, is_whole

MOST_REQUESTS: Final = 5000
"""Of an app so many go on to the expensive stages unless somebody says otherwise: ten minutes of them on two cores (docs/scale.md)."""
RAW_DAYS: Final = 30


def apps_of(home: Home) -> tuple[str, ...]:
    """The apps whose data has arrived, in alphabetical order."""
    return tuple(sorted(_listed_apps(read_manifest(home))))


def _listed_apps(manifest: dict[str, object]) -> list[str]:
    listed = manifest.get("apps")
    return [str(app) for app in listed] if isinstance(listed, list) else []


def add_apps(home: Home, apps: Iterable[str]) -> None:
    """Remember apps whose data has arrived."""
    new = set(apps) - set(apps_of(home))
    if new:
        update_manifest(home, lambda found: {**found, "apps": sorted({*_listed_apps(found), *new})})


def copy_settings(home: Home, other: Home) -> None:
    """Give another home all that this one's home.json says, but whose vault it is."""
    own = {"format", "vault", "vault_host"}
    kept = {name: value for name, value in read_manifest(home).items() if name not in own}
    update_manifest(other, lambda found: {**found, **kept})


def redaction_of(home: Home) -> str:
    """`on`, or `off` where the data was declared free of personal data."""
    return "off" if read_manifest(home).get("redaction") == "off" else "on"


def set_redaction(home: Home, mode: str) -> None:
    """Declare whether the data of this home must be redacted; everything downstream repeats it."""
    if mode != redaction_of(home):
        update_manifest(home, lambda found: {**found, "redaction": mode})


def risk_of(home: Home) -> float:
    """The share of wrong answers that worlds of this home may give, where `worlds.toml` does not say it."""
    found = read_manifest(home).get("risk")
    if found is None:
        return RISK
    if not is_number(found) or not is_risk(found):
        raise HomeError(f"{manifest_name(home)}: risk must be a share from 0 to {MOST_RISK}")
    return float(found)


def set_risk(home: Home, risk: float) -> None:
    """Keep the share of wrong answers that worlds of this home may give."""
    if risk != read_manifest(home).get("risk", RISK):
        update_manifest(home, lambda found: {**found, "risk": risk})


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """For how many days each stage of a home is kept, from when it was last written; None is for good."""

    raw: int = RAW_DAYS
    """The log and the private tables: `raw_days` of home.json."""
    quarantine: int = RAW_DAYS
    """`quarantine_days`; as long as raw data unless home.json says otherwise."""
    clean: int | None = None
    """Conversations past the gate: `clean_days`. What was learnt of them is learnt again by the next build."""
    rollouts: int | None = None
    """`rollout_days`."""


def retention_of(home: Home) -> Retention:
    """What home.json says of each stage."""
    found = read_manifest(home)
    raw = _days(home, found, "raw_days") or RAW_DAYS
    clean = _days(home, found, "clean_days")
    if clean is not None and clean < raw:
        raise HomeError(
            f"{manifest_name(home)}: clean_days must be at least raw_days ({raw}), else each build would make again what expired"
        )
    return Retention(
        raw=raw,
        quarantine=_days(home, found, "quarantine_days") or raw,
        clean=clean,
        rollouts=_days(home, found, "rollout_days"),
    )


def _days(home: Home, found: dict[str, object], name: str) -> int | None:
    days = found.get(name)
    if days is None or (is_whole(days) and days >= 1):
        return days
    raise HomeError(f"{manifest_name(home)}: {name} must be a whole number of at least 1")


def budgets_in(home: Home) -> tuple[str, ...]:
    """What stages may take, as `budgets` of home.json lists it: `["verified_tasks=5m"]`."""
    listed = read_manifest(home).get("budgets", [])
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise HomeError(
            f'{manifest_name(home)}: budgets must be a list such as ["verified_tasks=5m"]'
        )
    return tuple(map(str, listed))


def most_requests_of(home: Home) -> int:
    """How many requests of an app go on to the expensive stages: `most_requests` of home.json, else `MOST_REQUESTS`; 0 is all."""
    most = read_manifest(home).get("most_requests", MOST_REQUESTS)
    if not is_whole(most) or most < 0:
        raise HomeError(f"{manifest_name(home)}: most_requests must be a whole number; 0 is all")
    return most


def update_manifest(home: Home, change: Callable[[dict[str, object]], dict[str, object]]) -> None:
    """Write home.json anew."""
    if (place := home.place) is not None:
        from dagster_project.home.shared_manifest import change_shared  # noqa: PLC0415 - obstore

        change_shared(place, change)
        return
    with lock(home, "manifest"):
        write_whole(home.manifest, json.dumps(change(read_manifest(home)), indent=2) + "\n")
