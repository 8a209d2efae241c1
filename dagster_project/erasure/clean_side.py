"""Past the gate: rows of what is erased, and everything that was made of its app, which the next build makes again.

Comes in: what is erased of an app. Goes out: counts, and what must be withdrawn of task sets that have left the home.
"""

import shutil
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

from dagster_project.causes.replies import CAUSE_REPLIES
from dagster_project.erasure.raw_side import drop_rows, rows_among
from dagster_project.erasure.who import Erased
from dagster_project.home.layout import Home
from dagster_project.lake.digests import digest_of
from dagster_project.lake.documents import contents
from dagster_project.lake.learnt_tables import (
    AGREEMENT,
    CLUSTERS,
    DIFFICULTY,
    FAILURES,
    FIGURES,
    ROLLOUTS,
    SAMPLES,
    TASK_SETS,
    TASKS,
    VERDICT_READS,
    VERIFIED,
    WORLDS,
)
from dagster_project.lake.rows import canonical_text
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_EPISODES, CLEAN_OUTCOMES, Table
from dagster_project.review.tables import REVIEWS, VERDICTS
from dagster_project.tasks.found_cheats import FOUND_CHEATS
from dagster_project.tasks.judge_replies import REPLIES
from dagster_project.worlds.simulated_replies import SIMULATED_REPLIES

_OF_EPISODES: tuple[Table, ...] = (CLEAN_EPISODES, CLEAN_OUTCOMES, FAILURES, REVIEWS)
_OF_TASKS: tuple[Table, ...] = (ROLLOUTS, VERDICTS, FOUND_CHEATS, REVIEWS)
_OF_APPS: tuple[Table, ...] = (
    CLUSTERS,
    WORLDS,
    TASKS,
    VERIFIED,
    SAMPLES,
    VERDICT_READS,
    FIGURES,
    AGREEMENT,
    TASK_SETS,
    DIFFICULTY,
    REPLIES,
    SIMULATED_REPLIES,
    CAUSE_REPLIES,
)
"""Made of all of an app's episodes: what of one person is in them cannot be told apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawn:
    """What of task sets that were exported before must not be used any more."""

    app: str
    tasks: tuple[str, ...]
    """Made of an erased conversation; the world of every other task of the app was learnt of it too."""


def withdrawn_of(clean: Lake, one: Erased) -> Withdrawn:
    """What tasks there are, before they go."""
    tasks: set[str] = set()
    for table in (TASKS, VERIFIED):
        for name, content in contents(clean, table, one.app).items():
            text = canonical_text(content)
            if any(episode in text for episode in one.clean):
                tasks.add(name)
    return Withdrawn(app=one.app, tasks=tuple(sorted(tasks)))


def erase_clean(home: Home, clean: Lake, one: Erased, tasks: Iterable[str]) -> Counter[str]:
    """Remove rows of the episodes and their tasks, and all that was made of the app; how many rows, by table."""
    gone: Counter[str] = Counter()
    for table in _OF_EPISODES:
        drop = partial(rows_among, "episode_id", one.clean)
        gone[table.name] += drop_rows(clean, table, one.app, ("episode_id",), drop)
    own = frozenset(tasks)
    for table in _OF_TASKS:
        drop = partial(rows_among, "task_id", own)
        gone[table.name] += drop_rows(clean, table, one.app, ("task_id",), drop)
    for table in (CLEAN_EPISODES, CLEAN_OUTCOMES, FAILURES):
        _stamp_anew(clean, table, one.app)
    for table in _OF_APPS:
        held = [key for key in clean.counts(table) if key[0] == one.app]
        gone[table.name] += sum(n for key, n in clean.counts(table).items() if key[0] == one.app)
        clean.replace(table, table.schema.empty_table(), held)
        clean.forget(table.name, [key for key in clean.stamps(table.name) if key[0] == one.app])
    for folder in ("tasksets", "worlds"):
        for path in (home.clean / folder).glob(f"{one.app}*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return gone


def _stamp_anew(clean: Lake, table: Table, app: str) -> None:
    """Note what is left of days whose raw data has expired: nothing makes them again, and what follows has to."""
    fresh = []
    for (of_app, day), stamp in clean.stamps(table.name).items():
        if of_app == app:
            rows = clean.read(table, app=app, days=[day])
            if rows.num_rows != stamp.rows:
                fresh.append(replace(stamp, digest=digest_of(rows), rows=rows.num_rows))
    clean.stamp(table.name, fresh)
