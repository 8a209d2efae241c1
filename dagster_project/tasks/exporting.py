"""What `tracegym export` does: the tasks that were asked for, divided, with their difficulty, in a consumer's format.

Comes in: the clean side of a home and what was asked. Goes out: the folder, whole and looked at or not at all, and counts.
"""

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import Any

from dagster_project.build.left_out import Skips, without_those_that_fail
from dagster_project.build.left_out_rows import SkippedRow, rows_of
from dagster_project.clean_records import clusters_of
from dagster_project.difficulty.by_task import AppDifficulty
from dagster_project.difficulty.picture import picture
from dagster_project.difficulty.report import (
    app_difficulty,
    document,
    in_band,
    saturation,
)
from dagster_project.errors import InputError
from dagster_project.home.scratch import remove_abandoned, scratch_folder
from dagster_project.lake.store import Lake
from dagster_project.privacy.leaks import is_among
from dagster_project.rollouts.store import reasons_of, rewards_of
from dagster_project.tasks.card_agreement import held_out_agreement, recorded_agreement
from dagster_project.tasks.task_set_parts import TaskSetParts, parts_of
from environments.export.errors import ExportError
from environments.export.registry import FORMATS
from environments.export.splits import SplitSettings
from environments.export.taskset import (
    ACCEPTED,
    Choice,
    Entry,
    put_in_place,
    refuse_foreign,
    write_task_set,
)
from environments.export.traits import tables_of
from environments.runtime.task.attempt import Json
from environments.runtime.task.manifest import TaskSetManifest
from environments.runtime.task.share import PAYS_ALL
from environments.runtime.task.task_set import TaskSet

PICTURE = "difficulty.png"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequest:
    """What an export was asked for."""

    format_name: str
    dest: Path
    name: str | None = None
    extra: tuple[str, ...] = ()
    """Further statuses beside accepted."""
    splits: SplitSettings = field(default_factory=SplitSettings)
    like: Path | None = None
    """An earlier version of the task set, whose splits stay."""
    split: str = ""
    cluster: str = ""
    """The start of a failure cluster's id: only tasks with an attempt in it."""
    band: tuple[float, float] | None = None
    band_policy: str = ""
    backtest: Path | None = None
    """What `tracegym backtest` wrote: the card then shows the agreement on held-out episodes."""
    license: str = ""
    reward: str = PAYS_ALL
    """What the task set pays: all or nothing, or the weighted share."""
    signed: tuple[Mapping[str, Json], ...] = ()
    """Who signed for the policy and the data of each app, as they are now; apps that nobody signed for are missing."""
    leaking: frozenset[str] = frozenset()
    """Our ids of episodes and tasks in which the leak check found somebody: their tasks are not written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """What was written."""

    manifest: TaskSetManifest
    """Of the task set that it was written from."""
    left_out: tuple[SkippedRow, ...] = ()
    """Tasks that could not be written because tracegym itself failed at them."""


def export_tasks(
    clean: Path,
    apps: Sequence[str],
    asked: ExportRequest,
    *,
    look: Callable[[Path], None] = lambda _: None,
) -> Exported:
    """Write the export, without the tasks at which that fails; `look` is given the folder before it takes its place, and may refuse it."""
    lake = Lake(clean / "lake")
    parts = parts_of(lake, apps, name=asked.name)
    kept = tuple(e for e in parts.entries if not is_among(asked.leaking, e.task))
    parts = replace(parts, entries=_of_cluster(lake, apps, kept, asked.cluster))
    _require_tasks(parts, asked, clean.parent)
    _require_tables(parts, asked.splits.shared)
    ids = {e.task.task_id for e in parts.entries if e.status in {ACCEPTED, *asked.extra}}
    hard = [_restrict_difficulty(app_difficulty(lake, app), ids) for app in sorted(apps)]
    choice = _choice(lake, apps, hard, asked)
    agreed = (
        held_out_agreement(asked.backtest)
        if asked.backtest is not None
        else recorded_agreement(parts, choice.statuses)
    )
    provenance = {**parts.provenance, "agreement": agreed}
    if asked.signed:
        provenance["signed"] = [dict(one) for one in asked.signed]
    if asked.license:
        provenance["license"] = asked.license
    skips = Skips("export", " + ".join(sorted(apps)))
    parts = replace(parts, provenance=provenance)
    with _in_place_of(asked) as folder:
        manifest = without_those_that_fail(
            parts.entries,
            lambda some: _write(replace(parts, entries=tuple(some)), choice, asked, folder),
            lambda entry, fault: skips.note(fault, "task", entry.task.task_id),
        )
        look(folder)
    return Exported(manifest=manifest, left_out=rows_of(skips.found))


def _of_cluster(
    lake: Lake, apps: Sequence[str], entries: Sequence[Entry], start: str
) -> tuple[Entry, ...]:
    """The tasks with an attempt in one failure cluster, or all."""
    if not start:
        return tuple(entries)
    known = (one for app in apps for one in clusters_of(lake, app))
    found = [one for one in known if one.cluster_id.startswith(start)]
    if len(found) != 1:
        raise InputError(
            f"{len(found)} failure clusters have an id that starts with {start!r}; see tracegym failures"
        )
    episodes = {member.episode_id for member in found[0].members}
    kept = tuple(e for e in entries if episodes & {a.episode_id for a in e.attempts})
    if not kept:
        raise InputError(
            f"no task has an attempt in the failure cluster {found[0].cluster_id}; tracegym report says what became of its episodes"
        )
    return kept


@contextmanager
def _in_place_of(asked: ExportRequest) -> Iterator[Path]:
    """A path beside the destination: what is written there takes its place where nothing is raised."""
    dest = asked.dest
    with _as_input_errors():
        if asked.format_name == "taskset":
            refuse_foreign(dest)
        else:
            FORMATS[asked.format_name].refuse_foreign(dest)
    prefix = f".{dest.name}.tracegym-"
    dest.parent.mkdir(parents=True, exist_ok=True)
    remove_abandoned(dest.parent, (prefix,))
    with scratch_folder(dest.parent, prefix) as scratch:
        yield scratch / dest.name
        put_in_place(scratch / dest.name, dest, scratch / "before")


@contextmanager
def _as_input_errors() -> Iterator[None]:
    """A sentence for a person, such as that the folder holds something else: no task is to blame."""
    try:
        yield
    except ExportError as fault:
        raise InputError(str(fault)) from fault


def _write(
    parts: TaskSetParts, choice: Choice, asked: ExportRequest, dest: Path
) -> TaskSetManifest:
    with tempfile.TemporaryDirectory() as scratch, _as_input_errors():
        plain = asked.format_name == "taskset"
        folder = dest if plain else Path(scratch) / "task_set"
        manifest = write_task_set(
            folder, parts.entries, parts.worlds, provenance=parts.provenance, choice=choice
        )
        if not plain:
            FORMATS[asked.format_name].write(folder, dest, name=asked.name or "")
    return manifest


def _restrict_difficulty(found: AppDifficulty, ids: Collection[str]) -> AppDifficulty:
    return replace(found, tasks=tuple(task for task in found.tasks if task.task_id in ids))


def _choice(
    lake: Lake, apps: Sequence[str], hard: Sequence[AppDifficulty], asked: ExportRequest
) -> Choice:
    tasks = [task for one in hard for task in one.tasks]
    rows = (r for app in sorted(apps) for group in rewards_of(lake, app).values() for r in group)
    versions = {task.task_id: task.task_version for task in tasks}
    said = document(
        hard,
        saturation(rows),
        band=asked.band,
        policy=asked.band_policy,
        policies=reasons_of(lake, versions, apps),
    )
    if asked.band_policy and not any(asked.band_policy in task.policies for task in tasks):
        known = sorted({name for task in tasks for name in task.policies})
        raise InputError(
            f"no rollout of {asked.band_policy!r} is in the home; policies with rollouts: {', '.join(known) or 'none'}"
        )
    wanted = in_band(tasks, asked.band, asked.band_policy) if asked.band else None
    if wanted is not None and not wanted:
        raise InputError("no task is in that band; see difficulty.json of an export without --band")
    return Choice(
        statuses=(ACCEPTED, *asked.extra),
        splits=asked.splits,
        before=_splits_before(asked.like),
        only=asked.split,
        wanted=wanted,
        difficulty=said,
        reward=asked.reward,
        pictures={PICTURE: picture(said)},
    )


def _splits_before(like: Path | None) -> dict[str, str] | None:
    if like is None:
        return None
    tasks: Any = TaskSet.load(like).manifest.splits.get("tasks")
    if not isinstance(tasks, Mapping) or not tasks:
        raise InputError(
            f"{like} has no splits to keep: export it again, or leave out --splits-like"
        )
    return {str(task_id): str(split) for task_id, split in tasks.items()}


def _require_tables(parts: TaskSetParts, shared: Collection[str]) -> None:
    known = tables_of(parts.worlds)
    if unknown := sorted(set(shared) - known):
        raise InputError(
            f"no world has a table {unknown[0]!r}; --shared takes one of: {', '.join(sorted(known)) or 'none, there are no tables'}"
        )


def _require_tasks(parts: TaskSetParts, asked: ExportRequest, home: Path) -> None:
    if any(entry.status in {ACCEPTED, *asked.extra} for entry in parts.entries):
        return
    found = Counter(entry.status for entry in parts.entries)
    why = (
        f"none of its {len(parts.entries)} tasks is accepted ({json.dumps(found)}); "
        "see the report for the reasons, or pass --include needs_review"
        if parts.entries
        else f"make tasks with: tracegym build --home {quote(str(home))}"
    )
    raise InputError(f"there is nothing to export from {home}: {why}")
