"""The leak check over everything past the gate: rows, documents, files of task sets, the report, Dagster's metadata.

Comes in: both sides of a home and the vault. Goes out: an `AppLeaks` per app, kept in `clean/leaks.json` with what it was
true of: `export` refuses what was not checked or leaks. Counts and places, never a text. Not here: how values are
searched for (`redact.leaks`), which episodes are held back at the gate (`gate`).
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import dagster as dg

from dagster_project.errors import StageError
from dagster_project.freshness import digests
from dagster_project.gate import knowledge_of, policy_of, vault_of
from dagster_project.home import Home, apps_of, lock, vault_secret
from dagster_project.lake import Lake, hash_of
from dagster_project.learnt_tables import (
    CLUSTERS,
    DIFFICULTY,
    FAILURES,
    TASK_SETS,
    TASKS,
    VERIFIED,
    WORLDS,
)
from dagster_project.tables import CLEAN_EPISODES, CLEAN_OUTCOMES, REDACTIONS
from redact.leaks import Leak, LeakSearch
from redact.vault import Vault

_TABLES: Final = (
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
_MADE: Final = tuple(table.name for table in _TABLES if table is not REDACTIONS)
_READ: Final = frozenset({".json", ".jsonl", ".md", ".html", ".toml", ".txt", ".csv"})


@dataclass(frozen=True, slots=True, kw_only=True)
class AppLeaks:
    """What the check found in one app."""

    made_of: str
    """What stood past the gate when the check ran."""
    known: str = ""
    """What was known of people when the check ran."""
    leaks: int = 0
    waived: int = 0
    """Hits that are surrogates: somebody else happens to be called so."""
    texts: int = 0
    places: dict[str, int] = field(default_factory=dict)
    """Leaks by table or file."""


def made_of(clean: Lake, app: str) -> str:
    """What of an app stands past the gate now, as one text."""
    return hash_of(*(digests(clean, asset, app) for asset in _MADE))


def read_leaks(clean_folder: Path) -> dict[str, AppLeaks]:
    """What the last check of each app found; apps never checked are not there."""
    path = _ledger(clean_folder)
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


def check_apps(home: Home, vault: Vault, apps: Iterable[str]) -> dict[str, AppLeaks]:
    """Check the apps in which anything changed, on either side, and remember what was found."""
    if not policy_of(home).enabled:
        return {}
    found = read_leaks(home.clean)
    for app in apps:
        now, known = made_of(Lake(home.clean / "lake"), app), _known(home, app)
        before = found.get(app)
        if before is None or (before.made_of, before.known) != (now, known):
            found[app] = _check(home, vault, app, now, known)
    listed = {app: asdict(one) for app, one in sorted(found.items())}
    beside = _ledger(home.clean).with_suffix(".new")
    beside.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    beside.replace(_ledger(home.clean))
    return found


def check_texts(
    home: Home, vault: Vault, apps: Iterable[str], texts: Iterable[tuple[str, str]]
) -> int:
    """How many identifiers of any app stand in texts that belong to the whole home."""
    if not policy_of(home).enabled:
        return 0
    named, found = list(texts), 0
    for app in apps:
        search = _search(home, vault, app)
        found += sum(
            not _is_surrogate(vault, app, leak, text)
            for where, text in named
            for leak in search.find(where, text)
        )
    return found


def check_home_report(home: Home, secret: str | None) -> None:
    """Remove a report in which an identifier stands, and say so."""
    files = list(_files(home.report.parent))
    with lock(home, "vault"):
        found = check_texts(home, vault_of(home, vault_secret(home, secret)), apps_of(home), files)
    if found:
        for path in sorted(home.report.parent.rglob("*")):
            if path.is_file():
                path.unlink()
        raise StageError(
            "the report held an identifier of a person and was removed; "
            "run the build again, and report this as a fault of tracegym"
        )


def metadata_texts(instance: dg.DagsterInstance) -> Iterator[tuple[str, str]]:
    """The latest metadata of every asset, as the Dagster UI shows it."""
    for key in instance.all_asset_keys():
        event = instance.get_latest_materialization_event(key)
        if event is not None and event.asset_materialization is not None:
            for name, value in event.asset_materialization.metadata.items():
                yield f"{key.to_user_string()}: {name}", str(value.value)


def _check(home: Home, vault: Vault, app: str, now: str, known: str) -> AppLeaks:
    search = _search(home, vault, app)
    places: Counter[str] = Counter()
    texts = waived = 0
    for where, text in _everything(home, app):
        texts += 1
        for leak in search.find(where, text):
            if _is_surrogate(vault, app, leak, text):
                waived += 1
            else:
                places[where] += 1
    return AppLeaks(
        made_of=now,
        known=known,
        leaks=places.total(),
        waived=waived,
        texts=texts,
        places=dict(sorted(places.items())),
    )


def _search(home: Home, vault: Vault, app: str) -> LeakSearch:
    learnt = knowledge_of(Lake(home.private / "lake"), vault, app).learnt
    return LeakSearch(learnt, k=policy_of(home).k)


def _is_surrogate(vault: Vault, app: str, leak: Leak, text: str) -> bool:
    """Whether the vault gave this very text as somebody's surrogate."""
    if leak.encoding != "plain" or not text.isascii():
        return False
    mention = text[leak.offset : leak.offset + leak.length]
    return vault.original(app, leak.kind, mention) is not None


def _everything(home: Home, app: str) -> Iterator[tuple[str, str]]:
    lake = Lake(home.clean / "lake")
    for table in _TABLES:
        for row in lake.read(table, app=app).to_pylist():
            yield from ((table.name, text) for text in _strings(row))
    for part in ("tasksets", "worlds", "tasks"):
        yield from _files(home.clean / part / app)


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        if path.is_file() and path.suffix in _READ and place.parts[0] != "runtime":
            yield place.name, str(place)
            yield place.name, path.read_text(encoding="utf-8", errors="replace")


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _strings(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _strings(part)


def _known(home: Home, app: str) -> str:
    return digests(Lake(home.private / "lake"), "learnt", app)


def _ledger(clean_folder: Path) -> Path:
    return clean_folder / "leaks.json"
