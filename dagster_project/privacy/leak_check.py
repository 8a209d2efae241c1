"""The leak check over everything past the gate: rows, documents, files of task sets, the report, Dagster's metadata.

Comes in: both sides of a home and the vault. Goes out: an `AppLeaks` per app, which is kept. Counts and places, never a text.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, TypeVar

import dagster as dg

from dagster_project.build.left_out import Skips
from dagster_project.home.layout import Home
from dagster_project.home.locks import lock
from dagster_project.home.settings import apps_of
from dagster_project.home.vault_key import vault_secret
from dagster_project.lake.clean_files import bring
from dagster_project.lake.freshness import digests
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import EPISODES
from dagster_project.privacy.consistency import commutation_of
from dagster_project.privacy.gate import policy_of, raw_episodes, vault_of
from dagster_project.privacy.gate_leaks import mark_phrases
from dagster_project.privacy.leak_search import (
    Searcher,
    TaughtPlaces,
    is_app_name,
    is_surrogate,
    searcher_of,
    words_of,
)
from dagster_project.privacy.leaks import SEARCHED, AppLeaks, keep_leaks, made_of, read_leaks
from environments.runtime.values.literals import parse_json
from redact.audit.leaks import Leak
from redact.operators.vault import Vault

_OF_EPISODES: Final = frozenset(
    {"clean_episodes", "clean_outcomes", "failures", "tasks", "verified_tasks"}
)
"""Tables whose rows derive from the episodes they name; worlds and clusters derive from all."""
_SHARED: Final = frozenset({"tasks", "verified_tasks", "tasks.jsonl"})
_EPISODE_ID: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")
_OURS: Final = frozenset({"app", "role", "completeness", "redaction", "withheld"})
"""Columns that hold names of the operator's and of tracegym's, none of the data."""
_PICTURE: Final = re.compile(r"data:image/[\w.+-]+;base64,[\w+/=]*")
"""Bytes as letters: a short id stands there by chance."""
_LOGS: Final = frozenset({".log", ".out", ".err"})
_Origin = TypeVar("_Origin", str, tuple[str, str])
_READ: Final = frozenset({".json", ".jsonl", ".md", ".html", ".toml", ".txt", ".csv"})


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
        now, known = (
            made_of(Lake(home.clean / "lake"), app),
            digests(Lake(home.private / "lake"), "learnt", app),
        )
        before = found.pop(app, None)
        with unit(app):
            same = before is not None and (before.made_of, before.known) == (now, known)
            found[app] = before if before and same else _check(home, vault, app, now, known)
    keep_leaks(home.clean, found)
    return found


def check_texts(
    home: Home, vault: Vault, apps: Iterable[str], texts: Iterable[tuple[str, str]]
) -> list[str]:
    """The identifiers of any app that stand in texts of the whole home, each by app, kind and place, never by its text."""
    if not policy_of(home).enabled:
        return []
    named = list(texts)
    searches = [searcher_of(home, vault, app) for app in apps]
    return [
        f"{search.app}: {leak.kind} in {where} at {leak.offset}"
        for search in searches
        for where, text in named
        for leak in search.hits(where, text)
    ]


def check_home_report(home: Home, secret: str | None) -> str:
    """Take what the search finds out of the report; says so in a sentence, empty where nothing was found.

    A report that cannot be searched, or of which a hit cannot be taken out, is removed: nothing is shown that nobody looked at.
    """
    if not policy_of(home).enabled:
        return ""
    skips = Skips("leak_check", "report")
    taken = left = 0
    with skips.unit("report") as searching, lock(home, "vault"):
        vault = vault_of(home, vault_secret(home, secret))
        searches = [searcher_of(home, vault, app) for app in apps_of(home)]
        for path in _readable(home.report.parent):
            text = path.read_text(encoding="utf-8", errors="replace")
            hits = [leak for search in searches for leak in search.hits(path.name, text)]
            if not hits:
                continue
            text = mark_phrases(text, [words_of(leak, text) for leak in hits])
            path.write_text(text, encoding="utf-8")
            taken += len(hits)
            left += sum(len(search.hits(path.name, text)) for search in searches)
    skips.keep(Lake(home.clean / "lake"))
    if searching.failed or left:
        _remove_files(home.report.parent)
    if searching.failed:
        return "the report could not be searched for identifiers and was removed"
    if left:
        return (
            f"the report held {taken} identifiers of people, {left} of them in a form that cannot be taken out, and was removed; "
            "report this as a fault of tracegym"
        )
    return f"{taken} identifiers of people were taken out of the report" if taken else ""


def _remove_files(folder: Path) -> None:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            path.unlink()


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
                text = _PICTURE.sub("", str(value.value))
                yield f"{key.to_user_string()}: {name}", text
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
    searcher = searcher_of(home, vault, app)
    search = searcher.search
    origins = origins_of(home, vault, app)
    found: list[tuple[_Text, Leak]] = []
    waivers: Counter[str] = Counter()
    texts = 0
    for one in _texts_past_gate(home, app, origins):
        texts += 1
        for leak in search.find(one.where, one.text, episodes=one.of):
            why = leak.waiver or _waiver(searcher, leak, one.text)
            if why:
                waivers[why] += 1
            else:
                found.append((one, leak))
    return AppLeaks(
        made_of=now,
        known=known,
        leaks=len(found),
        waived=waivers.total(),
        waivers=dict(sorted(waivers.items())),
        texts=texts,
        places=dict(sorted(Counter(one.where for one, _ in found).items())),
        pieces=sorted({one.piece for one, _ in found if one.piece}),
        shared=sum(not one.piece for one, _ in found),
        taught=_count_taught(home, app, found) if found else {},
        commutation=asdict(commutation_of(Lake(home.private / "lake"), app)),
    )


def _count_taught(home: Home, app: str, found: Iterable[tuple["_Text", Leak]]) -> dict[str, int]:
    """How many leaks each key and tool taught, the most first."""
    lake = Lake(home.private / "lake")
    days = [day for of, day in lake.stamps("episodes") if of == app]
    taught = TaughtPlaces(e for some in raw_episodes(lake, app, days).values() for e in some)
    counts = Counter(taught.source_of(leak, one.text) for one, leak in found)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _waiver(searcher: Searcher, leak: Leak, text: str) -> str:
    if is_surrogate(searcher.vault, searcher.app, leak, text):
        return "surrogate"
    if text in searcher.agents or is_app_name(searcher.app, leak, text):
        return "public"
    return "apart" if not leak.direct and leak.where in _SHARED and not leak.beside else ""


def origins_of(home: Home, vault: Vault, app: str) -> dict[str, str]:
    """The raw episode of each clean one, by the clean id."""
    rows = Lake(home.private / "lake").read(EPISODES, app=app, columns=("episode_id",)).to_pylist()
    return {vault.episode_id(app, row["episode_id"]): row["episode_id"] for row in rows}


@dataclass(frozen=True, slots=True)
class _Text:
    """A text past the gate."""

    where: str
    text: str
    of: tuple[str, ...] = ()
    """The raw episodes that it derives from."""
    piece: str = ""
    """Our id of the one episode or task that it is part of; empty for what all tasks share."""


def _texts_past_gate(home: Home, app: str, origins: Mapping[str, str]) -> Iterator[_Text]:
    """Every text past the gate."""
    lake = Lake(home.clean / "lake")
    for table in SEARCHED:
        for row in lake.read(table, app=app).to_pylist():
            listed = list(strings_in(_of_people(row)))
            of = derived_from(listed, origins) if table.name in _OF_EPISODES else ()
            piece = _piece(row) if table.name in _OF_EPISODES else ""
            yield from (_Text(table.name, text, of, piece) for text in listed)
    for part in ("tasksets", "worlds", "tasks"):
        for where, text in _files(bring(home.clean, f"{part}/{app}")):
            if where != "tasks.jsonl":
                named = _EPISODE_ID.fullmatch(where.partition(".")[0])
                yield _Text(where, text, (), named[0] if named else "")
                continue
            for line in text.split("\n"):
                read = parse_json(line)
                task = read.value if read is not None and isinstance(read.value, dict) else {}
                yield _Text(where, line, derived_from([line], origins), _piece(task))


def _of_people(value: object) -> object:
    """A row without what are tracegym's words or the operator's, whoever is called `assistant` or as the app."""
    if isinstance(value, dict):
        return {key: _of_people(part) for key, part in value.items() if key not in _OURS}
    return [_of_people(part) for part in value] if isinstance(value, list) else value


def _piece(row: Mapping[str, object]) -> str:
    """Our id of the episode or task that a row is about."""
    found = (row.get(name) for name in ("task_id", "episode_id", "id"))
    return next((one for one in found if isinstance(one, str) and one), "")


def derived_from(texts: Iterable[str], origins: Mapping[str, _Origin]) -> tuple[_Origin, ...]:
    """The raw episodes, by themselves or with their apps, whose clean ids a row names."""
    named = {found for text in texts for found in _EPISODE_ID.findall(text)}
    return tuple(sorted(origins[one] for one in named & origins.keys()))


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    """The names and texts of a folder's files."""
    for path in _readable(folder):
        yield path.name, str(path.relative_to(folder))
        yield path.name, path.read_text(encoding="utf-8", errors="replace")


def _readable(folder: Path) -> list[Path]:
    """A folder's files that hold text of the data."""
    return [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and path.suffix in _READ
        and path.relative_to(folder).parts[0] != "runtime"
    ]


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
