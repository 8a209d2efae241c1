"""Who signed for the data past the gate: a person, a day, and the policy and the data that were looked at.

Comes in: a home. Goes out: a `Signed` per app, as long as policy and data are those that were signed. Nothing here decides whether
somebody may sign; that is the organisation's.
"""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from shlex import quote
from typing import Final

from dagster_project.errors import HomeError, InputError
from dagster_project.home.layout import Home
from dagster_project.home.lists import append, rows_in
from dagster_project.lake.digests import hash_of
from dagster_project.lake.freshness import digests
from dagster_project.lake.store import Lake
from dagster_project.privacy.gate import policy_digest

SIGNED: Final = "signed.jsonl"
_ASSETS: Final = ("clean_episodes", "clean_outcomes")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """One signature."""

    app: str
    who: str
    at: str
    policy: str
    """Digest of `redaction.toml`, and of whether redaction is on."""
    data: str
    """Digest of everything past the gate that was there."""
    note: str = ""


def sign(home: Home, apps: Sequence[str], *, who: str, note: str = "") -> tuple[Signed, ...]:
    """Sign for some apps as they are now."""
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    policy = policy_digest(home)
    made = tuple(
        Signed(app=app, who=who, at=stamp, policy=policy, data=data_digest(home, app), note=note)
        for app in apps
    )
    if not made or any(one.data == _empty_hash(one.app) for one in made):
        raise InputError(
            f"nothing has passed the gate of {home.path} yet: tracegym build --home {quote(str(home.path))}"
        )
    append(home.clean / SIGNED, map(asdict, made))
    return made


def data_digest(home: Home, app: str) -> str:
    """What stands past the gate of an app, as a text that changes with it."""
    clean = Lake(home.clean / "lake")
    return hash_of(app, *(digests(clean, asset, app) for asset in _ASSETS))


def _empty_hash(app: str) -> str:
    return hash_of(app, *(hash_of() for _ in _ASSETS))


def signatures(home: Home, app: str) -> tuple[Signed, ...]:
    """Every signature for an app, the first one first."""
    path = home.clean / SIGNED
    try:
        return tuple(one for one in (Signed(**row) for row in rows_in(path)) if one.app == app)
    except TypeError as fault:
        raise HomeError(f"{path} is damaged; restore it from a backup or sign again") from fault


def signed_now(home: Home, app: str) -> Signed | None:
    """The last signature that holds: given for this policy and these data."""
    policy, data = policy_digest(home), data_digest(home, app)
    holding = [one for one in signatures(home, app) if (one.policy, one.data) == (policy, data)]
    return holding[-1] if holding else None


def says(home: Home, app: str) -> str:
    """Who answers for an app, or why nobody does, in one sentence."""
    holding = signed_now(home, app)
    if holding is not None:
        return f"Signed by {holding.who} on {holding.at[:10]}, for this policy and these conversations."
    given = signatures(home, app)
    if not given:
        return "Nobody has signed for it: tracegym redact sample, then tracegym redact sign."
    last = given[-1]
    changed = "the policy" if last.policy != policy_digest(home) else "the data"
    return f"The signature of {last.who} on {last.at[:10]} has lapsed: {changed} changed since."
