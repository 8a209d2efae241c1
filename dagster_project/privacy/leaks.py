"""What the leak check found in each app, kept in `clean/leaks.json` with what it was true of.

`export` refuses what was not checked or leaks. Counts and places, never a text.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from dagster_project.lake.clean_files import bring, publish
from dagster_project.lake.digests import hash_of
from dagster_project.lake.freshness import digests
from dagster_project.lake.learnt_tables import (
    CLUSTERS,
    DIFFICULTY,
    FAILURES,
    TASK_SETS,
    TASKS,
    VERIFIED,
    WORLDS,
)
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_EPISODES, CLEAN_OUTCOMES
from dagster_project.privacy.account import REDACTIONS
from dagster_project.privacy.leak_search import IN_TEXT
from dagster_project.storage.whole_files import write_whole
from environments.runtime.task.task import Task

SEARCHED: Final = (
    CLEAN_EPISODES,
    CLEAN_OUTCOMES,
    REDACTIONS,
    FAILURES,
    CLUSTERS,
    WORLDS,
    TASKS,
    VERIFIED,
    TASK_SETS,
    DIFFICULTY,
)
_MADE: Final = tuple(table.name for table in SEARCHED if table is not REDACTIONS)
_LEDGER: Final = "leaks.json"
_RULES: Final = "13"
"""Raised when the check looks further: what was checked before is checked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppLeaks:
    """What the check found in one app."""

    made_of: str
    """What stood past the gate when the check ran."""
    known: str = ""
    """What was known of people when the check ran."""
    leaks: int = 0
    waived: int = 0
    """Hits that do not count, for the reasons in `waivers`."""
    waivers: dict[str, int] = field(default_factory=dict)
    """`surrogate`: the vault gave this very text; `ordinary`, `public`: the word stands apart from every other word of its
    subject; `apart`: likewise, in a task, whose world holds other people's records too."""
    texts: int = 0
    places: dict[str, int] = field(default_factory=dict)
    """Leaks by table or file."""
    pieces: list[str] = field(default_factory=list)
    """Our ids of the episodes and tasks that hold a leak: no task of theirs is exported."""
    shared: int = 0
    """Leaks in what all tasks of the app share, such as its world."""
    taught: dict[str, int] = field(default_factory=dict)
    """Leaks by the tool and key that taught the value (`get_user.plate`)."""
    commutation: dict[str, int] = field(default_factory=dict)
    """How recorded calls came through the gate: the counts of `Commutation`."""


def made_of(clean: Lake, app: str) -> str:
    """What of an app stands past the gate now, as one text."""
    return hash_of(_RULES, *(digests(clean, asset, app) for asset in _MADE))


def read_leaks(clean_folder: Path) -> dict[str, AppLeaks]:
    """What the last check of each app found; apps never checked are not there."""
    path = bring(clean_folder, _LEDGER)
    try:
        listed = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        return {app: AppLeaks(**found) for app, found in listed.items()}
    except (ValueError, TypeError, AttributeError):
        return {}  # a damaged account is no account: the next build checks again, until then nothing is exported


def leaks_of(clean_folder: Path, app: str) -> AppLeaks | None:
    """What the check found in an app as it stands now; None when it has not run since something changed."""
    found = read_leaks(clean_folder).get(app)
    current = found is not None and found.made_of == made_of(Lake(clean_folder / "lake"), app)
    return found if current else None


def keep_leaks(clean_folder: Path, found: Mapping[str, AppLeaks]) -> None:
    """Remember what a check found; the file is whole at any time."""
    listed = {app: asdict(one) for app, one in sorted(found.items())}
    path = clean_folder / _LEDGER
    write_whole(path, json.dumps(listed, indent=1) + "\n")
    publish(clean_folder, _LEDGER)


def is_among(pieces: Collection[str], task: Task) -> bool:
    """Whether a task, or an episode that it was made of, is one of the pieces that hold a leak: it is not exported then."""
    made_of = task.provenance.get("episodes")
    episodes = made_of if isinstance(made_of, list) else []
    return not frozenset(pieces).isdisjoint((task.task_id, *map(str, episodes)))


def to_settle(leaks: AppLeaks) -> str:
    """Where the values that leak come from, and the line of `redaction.toml` that settles it, as one sentence."""
    if not leaks.taught:
        return "report this as a fault of tracegym"
    place = next((p for p in leaks.taught if p != IN_TEXT), "")
    if not place:
        return "no key taught them, they stand in text: report this as a fault of tracegym"
    return (
        f"{leaks.taught[place]} of them were learnt from the key {place}; if that key names nobody, add under [keys] of "
        f'redaction.toml: {json.dumps(place.lower(), ensure_ascii=False)} = "public", and build again'
    )
