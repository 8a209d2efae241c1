"""Erasing: both sides of a home, the log and the vault, then the search that proves it and one line of the audit.

Comes in: a home and whom to erase. Goes out: what was removed, what must be withdrawn, what was searched. The next build
makes worlds, tasks and task sets of the affected apps again, of what is left.
"""

import shutil
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from dagster_project.arrival.files import land
from dagster_project.erasure.clean_side import Withdrawn, erase_clean, withdrawn_of
from dagster_project.erasure.needles import Needles
from dagster_project.erasure.raw_side import erase_bodies, erase_rows
from dagster_project.erasure.search import Searched, search
from dagster_project.erasure.who import Erased, ErasureRequest, erased_of
from dagster_project.erasure.withdrawn import WITHDRAWN
from dagster_project.home.layout import Home
from dagster_project.home.lists import append
from dagster_project.home.locks import lock
from dagster_project.home.settings import apps_of
from dagster_project.lake.rows import from_rows
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import EPISODES
from dagster_project.privacy.audit import note
from dagster_project.privacy.gate import policy_of, texts_of, vault_of
from ingest.receiver.wal import Wal
from ingest.records.episode import Episode
from redact.apply.learn import learn
from redact.operators.vault import Vault

_DIRECT = 6
"""Shorter values are names and words that others have too."""

_UNFINISHED = "erasing"
"""Stands while rows are gone and old files may hold them: who was stopped there and asks again finds nobody, and yet goes on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """What was done."""

    episodes: int
    rows: Counter[str]
    bodies: int
    """Of the log."""
    vault_entries: int
    files: int
    """Old files of tables."""
    shared_values: int
    """Values of the erased people that others' conversations hold as well: they stay there, and are not searched for."""
    withdrawn: tuple[Withdrawn, ...]
    searched: Searched


def erase(home: Home, asked: ErasureRequest, *, secret: bytes, who: str) -> Erasure | None:
    """Remove everything of some users and episodes, and search for it; None, and nothing is touched, where the home knows none of them."""
    with lock(home, "build"), lock(home, "vault"), Wal(home.wal) as wal:
        land(home, wal)
        with lock(home, "arrival"):
            done = _erase(home, wal, vault_of(home, secret), asked)
    if done is None:
        return None
    note(
        home,
        "erase",
        who=who,
        users=len(asked.users),
        episodes=done.episodes,
        rows=sum(done.rows.values()),
        bodies=done.bodies,
        searched_files=done.searched.files,
        hits=sum(done.searched.hits.values()),
    )
    return done


def _erase(home: Home, wal: Wal, vault: Vault, asked: ErasureRequest) -> Erasure | None:
    raw, clean = Lake(home.private / "lake"), Lake(home.clean / "lake")
    erased = [
        one
        for app in apps_of(home)
        if (one := erased_of(raw, clean, vault, app, asked)) is not None
    ]
    unfinished = home.private / _UNFINISHED
    if not erased and not unfinished.exists():
        return None
    unfinished.touch()
    names = Needles(name for one in erased for name in one.names | asked.ids)
    withdrawn = tuple(withdrawn_of(clean, one) for one in erased)
    values = {one.app: _values_of(home, one) for one in erased}
    rows: Counter[str] = Counter()
    for one, gone in zip(erased, withdrawn, strict=True):
        rows += erase_rows(raw, one, names)
        rows += erase_clean(home, clean, one, gone.tasks)
    bodies = erase_bodies(wal, erased, names)
    shared = {app: _still_said(raw, app, found) for app, found in values.items()}
    own = {app: found - shared[app] for app, found in values.items()}
    entries = sum(
        vault.forget(app, _mentions(vault, found | asked.ids)) for app, found in own.items()
    )
    _keep(home, withdrawn)
    _remove_reports(home)
    files = raw.forget_history() + clean.forget_history()
    unfinished.unlink()
    sought = Needles([*names.texts, *(v for found in own.values() for v in found)])
    return Erasure(
        episodes=sum(len(one.clean) for one in erased),
        rows=+rows,
        bodies=bodies,
        vault_entries=entries,
        files=files,
        shared_values=sum(map(len, shared.values())),
        withdrawn=withdrawn,
        searched=search(home, vault, sought),
    )


def _values_of(home: Home, one: Erased) -> set[str]:
    """What names the erased people by itself, as redaction learnt it of their conversations."""
    learnt = learn(list(one.raw), (), policy=policy_of(home)).app(one.app)
    return {value for value in learnt.values if len(value) >= _DIRECT}


def _mentions(vault: Vault, own: set[str]) -> set[str]:
    """Values that nobody else's conversations hold, and what the vault knows with one of them inside: a whole address, a signature."""
    needles = Needles(own)
    return own | {value for value in vault.values() if needles.in_text(value)}


def _still_said(raw: Lake, app: str, values: set[str]) -> set[str]:
    """Of some values, those that the conversations of others hold."""
    needles = Needles(values)
    found: set[str] = set()
    for key in raw.counts(EPISODES):
        if key[0] != app or not needles.texts:
            continue
        for batch in raw.read(EPISODES, app=app, days=[key[1]]).to_batches(max_chunksize=512):
            for episode in from_rows(Episode, batch.to_pylist()):
                found |= needles.in_text("\n".join(text for _, text in texts_of(episode)))
    return found


def _keep(home: Home, withdrawn: Sequence[Withdrawn]) -> None:
    """Add to the list of what must be withdrawn; ids of tasks only."""
    stamp = time.time_ns()
    append(home.clean / WITHDRAWN, ({"at": stamp, **asdict(one)} for one in withdrawn))


def _remove_reports(home: Home) -> None:
    """What quotes conversations and is made again: the report, the account of leaks, the history of Dagster's runs."""
    for path in (home.clean / "reports", home.dagster):
        if path.is_dir():
            shutil.rmtree(path)
            path.mkdir(mode=0o700 if path == home.dagster else 0o755)
    (home.clean / "leaks.json").unlink(missing_ok=True)
