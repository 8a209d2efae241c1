"""The leak check over everything past the gate: rows, documents, files of task sets, the report, Dagster's metadata.

Comes in: both sides of a home and the vault. Goes out: an `AppLeaks` per app, kept in `clean/leaks.json` with what it was
true of: `export` refuses what was not checked or leaks. Counts and places, never a text. Not here: how values are
searched for (`redact.leaks`), which episodes are held back at the gate (`gate`).
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import dagster as dg

from dagster_project.commutation import commutation_of
from dagster_project.digests import hash_of
from dagster_project.freshness import digests
from dagster_project.gate import knowledge_of, policy_of, vault_of
from dagster_project.home import Home, apps_of, lock, vault_secret
from dagster_project.lake import Lake
from dagster_project.learnt_tables import (
    CLUSTERS,
    DIFFICULTY,
    FAILURES,
    TASK_SETS,
    TASKS,
    VERIFIED,
    WORLDS,
)
from dagster_project.skipped import Skips
from dagster_project.tables import CLEAN_EPISODES, CLEAN_OUTCOMES, EPISODES, REDACTIONS
from redact.judge import judge
from redact.leak_spellings import spellings
from redact.leaks import Leak, LeakSearch
from redact.standing import vocabulary_of
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
_OF_EPISODES: Final = frozenset(
    {"clean_episodes", "clean_outcomes", "failures", "tasks", "verified_tasks"}
)
"""Tables whose rows derive from the episodes they name; worlds and clusters derive from all."""
_SHARED: Final = frozenset({"tasks", "verified_tasks", "tasks.jsonl"})
_EPISODE_ID: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")
_RULES: Final = "9"
"""Raised when the check looks further: what was checked before is checked again."""
_NEAR: Final = 24
_WORD_BEFORE: Final = re.compile(r"[^\W_]+[ _.-]?$")
_WORD_AFTER: Final = re.compile(r"[ _.-]?[^\W_]+")
"""One word beside a hit: a surrogate of two words may by chance share one with what it stands for."""
_LOGS: Final = frozenset({".log", ".out", ".err"})
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
    """Hits that do not count, for the reasons in `waivers`."""
    waivers: dict[str, int] = field(default_factory=dict)
    """`surrogate`: the vault gave this very text; `ordinary`, `public`: the word stands apart from every other word of its
    subject; `apart`: likewise, in a task, whose world holds other people's records too."""
    texts: int = 0
    places: dict[str, int] = field(default_factory=dict)
    """Leaks by table or file."""
    commutation: dict[str, int] = field(default_factory=dict)
    """How recorded calls came through the gate: the counts of `Commutation`."""


def made_of(clean: Lake, app: str) -> str:
    """What of an app stands past the gate now, as one text."""
    return hash_of(_RULES, *(digests(clean, asset, app) for asset in _MADE))


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


def check_apps(
    home: Home,
    vault: Vault,
    apps: Iterable[str],
    *,
    unit: Callable[[str], AbstractContextManager[object]] = nullcontext,
) -> dict[str, AppLeaks]:
    """Check the apps in which anything changed, on either side, and remember what was found.

    Each app is searched inside a `unit`; of one whose search ended early nothing is known.
    """
    if not policy_of(home).enabled:
        return {}
    found = read_leaks(home.clean)
    for app in apps:
        now, known = made_of(Lake(home.clean / "lake"), app), _known(home, app)
        before = found.pop(app, None)
        with unit(app):
            same = before is not None and (before.made_of, before.known) == (now, known)
            found[app] = before if before and same else _check(home, vault, app, now, known)
    listed = {app: asdict(one) for app, one in sorted(found.items())}
    beside = _ledger(home.clean).with_suffix(".new")
    beside.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    beside.replace(_ledger(home.clean))
    return found


def check_texts(
    home: Home, vault: Vault, apps: Iterable[str], texts: Iterable[tuple[str, str]]
) -> list[str]:
    """The identifiers of any app that stand in texts of the whole home, each by app, kind and place, never by its text."""
    if not policy_of(home).enabled:
        return []
    named, found = list(texts), []
    for app in apps:
        search = search_of(home, vault, app)
        found += [
            f"{app}: {leak.kind} in {leak.where} at {leak.offset}"
            for where, text in named
            for leak in search.find(where, text)
            if not (leak.waiver or is_surrogate(vault, app, leak, text))
        ]
    return found


def check_home_report(home: Home, secret: str | None) -> str:
    """Remove a report in which an identifier stands, or that cannot be searched; says so in a sentence, empty where it stays."""
    skips = Skips("leak_check", "report")
    found: list[str] = []
    with skips.unit("report") as searching:
        files = list(_files(home.report.parent))
        with lock(home, "vault"):
            vault = vault_of(home, vault_secret(home, secret))
            found = check_texts(home, vault, apps_of(home), files)
    skips.keep(Lake(home.clean / "lake"))
    if not (found or searching.failed):
        return ""
    for path in sorted(home.report.parent.rglob("*")):
        if path.is_file():
            path.unlink()
    if searching.failed:
        return "the report could not be searched for identifiers and was removed"
    shown = "; ".join(found[:3]) + ("; ..." if len(found) > 3 else "")
    return (
        f"the report held {len(found)} identifiers of people and was removed ({shown}); "
        "if it is none, say under [keys] of redaction.toml what its key holds and build again; "
        "else report this as a fault of tracegym"
    )


def note_leaks(instance: dg.DagsterInstance, found: Mapping[str, AppLeaks]) -> None:
    """Show in the Dagster UI, beside `clean_episodes`, what the check found in each app and what it waived and why."""
    for app, one in sorted(found.items()):
        counts = {"leaks": one.leaks, "texts_searched": one.texts, "waived": one.waived}
        counts |= {f"recorded calls: {name}": count for name, count in one.commutation.items()}
        waived = {f"waived: {reason}": count for reason, count in sorted(one.waivers.items())}
        instance.report_runless_asset_event(
            dg.AssetObservation(
                asset_key="clean_episodes",
                description=f"The leak check over everything past the gate of {app}.",
                metadata={"app": app, **counts, **waived},
            )
        )


def shown_texts(home: Home, instance: dg.DagsterInstance) -> Iterator[tuple[str, str]]:
    """What the Dagster UI shows (the latest metadata of assets, the latest run's messages and checks), and log files."""
    for key in instance.all_asset_keys():
        event = instance.get_latest_materialization_event(key)
        if event is not None and event.asset_materialization is not None:
            for name, value in event.asset_materialization.metadata.items():
                yield f"{key.to_user_string()}: {name}", str(value.value)
    for record in instance.get_run_records(limit=1):
        for entry in instance.all_logs(record.dagster_run.run_id):
            yield "log of the latest run", entry.user_message
            shown = entry.dagster_event.event_specific_data if entry.dagster_event else None
            if isinstance(shown, dg.AssetCheckEvaluation):
                yield from (
                    (f"check {shown.check_name}: {name}", str(value.value))
                    for name, value in shown.metadata.items()
                )
    for path in sorted(home.path.rglob("*")):
        if path.suffix in _LOGS and path.is_file():
            yield path.name, path.read_text(encoding="utf-8", errors="replace")


def _check(home: Home, vault: Vault, app: str, now: str, known: str) -> AppLeaks:
    search = search_of(home, vault, app)
    origins = origins_of(home, vault, app)
    places: Counter[str] = Counter()
    waivers: Counter[str] = Counter()
    texts = 0
    for where, text, of in _everything(home, app, origins):
        texts += 1
        for leak in search.find(where, text, episodes=of):
            why = leak.waiver or _waiver(vault, app, leak, text)
            if why:
                waivers[why] += 1
            else:
                places[where] += 1
    return AppLeaks(
        made_of=now,
        known=known,
        leaks=places.total(),
        waived=waivers.total(),
        waivers=dict(sorted(waivers.items())),
        texts=texts,
        places=dict(sorted(places.items())),
        commutation=asdict(commutation_of(Lake(home.private / "lake"), app)),
    )


def _waiver(vault: Vault, app: str, leak: Leak, text: str) -> str:
    if is_surrogate(vault, app, leak, text):
        return "surrogate"
    return "apart" if not leak.direct and leak.where in _SHARED and not leak.beside else ""


def origins_of(home: Home, vault: Vault, app: str) -> dict[str, str]:
    """The raw episode of each clean one, by the clean id."""
    rows = Lake(home.private / "lake").read(EPISODES, app=app, columns=("episode_id",)).to_pylist()
    return {vault.episode_id(app, row["episode_id"]): row["episode_id"] for row in rows}


def search_of(home: Home, vault: Vault, app: str) -> LeakSearch:
    """A search for everything known of an app's people."""
    learnt, policy = knowledge_of(Lake(home.private / "lake"), vault, app).learnt, policy_of(home)
    known = learnt.app(app)
    public = vocabulary_of(
        known, k=policy.k, words=policy.public_values, judgement=judge(known, k=policy.k)
    )
    return LeakSearch(
        learnt,
        k=policy.k,
        is_public=lambda word: public.holds(word) or public.holds(word.upper()),
        shared=_shared_definitions(home, app, k=policy.k),
    )


def _shared_definitions(home: Home, app: str, *, k: int) -> list[str]:
    """Tool definitions that at least k subjects had alike: an example in one ("such as 'Noah'") is about none of them."""
    columns = ("episode_id", "subject", "tools")
    rows = Lake(home.clean / "lake").read(CLEAN_EPISODES, app=app, columns=columns).to_pylist()
    subjects: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for definition in row["tools"] or ():
            subjects[definition].add(row["subject"] or row["episode_id"])
    return [definition for definition, seen in subjects.items() if len(seen) >= k]


def is_surrogate(vault: Vault, app: str, leak: Leak, text: str) -> bool:
    """Whether the vault gave this very text, or a longer one around it, as somebody's surrogate."""
    return any(
        vault.original(app, leak.kind, candidate) is not None
        for reading in spellings(text, leak.encoding)
        for candidate in _around(reading, leak)
    )


def _around(text: str, leak: Leak) -> Iterator[str]:
    """The hit, and with one word more on either side."""
    end = leak.offset + leak.length
    before = _WORD_BEFORE.search(text[max(0, leak.offset - _NEAR) : leak.offset])
    after = _WORD_AFTER.match(text[end : end + _NEAR])
    for start in {leak.offset, leak.offset - len(before[0]) if before else leak.offset}:
        for stop in {end, end + len(after[0]) if after else end}:
            yield text[start:stop]


def _everything(
    home: Home, app: str, origins: Mapping[str, str]
) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Every text past the gate with its place and the raw episodes that it derives from."""
    lake = Lake(home.clean / "lake")
    for table in _TABLES:
        for row in lake.read(table, app=app).to_pylist():
            listed = list(strings_in(row))
            of = derived_from(listed, origins) if table.name in _OF_EPISODES else ()
            yield from ((table.name, text, of) for text in listed)
    for part in ("tasksets", "worlds", "tasks"):
        for where, text in _files(home.clean / part / app):
            if where != "tasks.jsonl":
                yield where, text, ()
                continue
            for line in text.split("\n"):
                yield where, line, derived_from([line], origins)


def derived_from(texts: Iterable[str], origins: Mapping[str, str]) -> tuple[str, ...]:
    """The raw episodes whose clean ids a row names."""
    named = {found for text in texts for found in _EPISODE_ID.findall(text)}
    return tuple(sorted(origins[one] for one in named & origins.keys()))


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        place = path.relative_to(folder)
        if path.is_file() and path.suffix in _READ and place.parts[0] != "runtime":
            yield place.name, str(place)
            yield place.name, path.read_text(encoding="utf-8", errors="replace")


def strings_in(value: object) -> Iterator[str]:
    """Every text in a value of lists and mappings."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings_in(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from strings_in(part)


def _known(home: Home, app: str) -> str:
    return digests(Lake(home.private / "lake"), "learnt", app)


def _ledger(clean_folder: Path) -> Path:
    return clean_folder / "leaks.json"
