"""The task set: a folder of tasks with their worlds and rubrics, verified against its manifest.

In: a path. Out: tasks, environments, verdicts, solutions. Reads only; changes nothing. Not here: writing the folder
(`environments.export.taskset`), the commands over it (`main`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from ..checks.table import evaluate
from ..play.environment import Environment, run_actions
from ..sessions.simulated import SimulatedWorld
from ..values.canonical import digest_bytes
from ..world.world import World
from .attempt import Attempt, Json
from .candidate import Action, RecordedAttempt
from .errors import ChangedFileError, NoSuchTaskError, NotATaskSetError, WrongVersionError
from .manifest import MANIFEST, RECORDINGS, TASKS, TaskEntry, TaskSetManifest
from .rubric import Rubric
from .task import Task
from .verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedTask(Task):
    """A task of a task set: with its version, and where its world and rubric are."""

    task_version: str
    task_set: TaskSet = field(repr=False, compare=False)


class TaskSet:
    """An opened task set."""

    def __init__(self, path: Path, manifest: TaskSetManifest) -> None:
        self.path = path
        self.manifest = manifest
        self._entries = {entry.task_id: entry for entry in manifest.tasks}
        self._worlds: dict[str, World] = {}
        self._graded: dict[str, _Graded] = {}

    @classmethod
    def load(cls, path: Path | str) -> TaskSet:
        """Open a folder; every file must be what the manifest says."""
        folder = Path(path)
        manifest = TaskSetManifest.from_json(_read_json(folder, MANIFEST))
        for name, expected in manifest.files.items():
            if digest_bytes(_read(folder, name)) != expected:
                raise ChangedFileError(
                    f"{folder / name} is not the file that was exported: export the task set again"
                )
        return cls(folder, manifest)

    @cached_property
    def tasks(self) -> tuple[PackedTask, ...]:
        """All tasks, in the order of the folder."""
        lines = filter(None, _read(self.path, TASKS).decode().split("\n"))
        return tuple(self._pack(Task.from_json(json.loads(line))) for line in lines)

    def split(self, name: str) -> tuple[PackedTask, ...]:
        """The tasks of one split: `train`, `validation` or `held_out`."""
        return tuple(t for t in self.tasks if self.manifest.split_of(t.task_id) == name)

    @cached_property
    def recordings(self) -> Mapping[str, Json]:
        """What judges said of attempts at this set's tasks, by question key; whoever grades may add to it."""
        return _read_json(self.path, RECORDINGS) if RECORDINGS in self.manifest.files else {}

    @cached_property
    def _by_id(self) -> dict[str, PackedTask]:
        return {task.task_id: task for task in self.tasks}

    def task(self, task_id: str) -> PackedTask:
        """One task."""
        self.entry(task_id)
        return self._by_id[task_id]

    def entry(self, task_id: str) -> TaskEntry:
        """What the manifest says of one task."""
        entry = self._entries.get(task_id)
        if entry is None:
            raise NoSuchTaskError(
                f"{self.path} has no task {task_id!r}: `validate` lists its tasks"
            )
        return entry

    def world(self, task_id: str) -> World:
        """The world that answers one task's calls; shared by all its runs."""
        name = self.entry(task_id).world
        if name not in self._worlds:
            try:
                self._worlds[name] = World.from_json(_read_json(self.path, name))
            except ValueError as fault:
                raise WrongVersionError(f"{self.path / name} cannot be used: {fault}") from fault
        return self._worlds[name]

    def rubric(self, task_id: str) -> Rubric:
        """One task's rubric; the policy must never see it."""
        return self._grading(task_id).rubric

    def solution(self, task_id: str) -> tuple[Action, ...]:
        """Actions that score 1, empty when none is known; the policy must never see them."""
        return self._grading(task_id).solution

    def attempts(self, task_id: str) -> tuple[RecordedAttempt, ...]:
        """What agents really did at this task, with a known outcome; the policy must never see it."""
        return self._grading(task_id).attempts

    def verification(self, task_id: str) -> Mapping[str, Json]:
        """What verification found when the task was exported."""
        return self._grading(task_id).verification

    def environment(
        self,
        task_id: str,
        seed: int = 0,
        *,
        recordings: Mapping[str, Json] | None = None,
    ) -> Environment:
        """A fresh, isolated run of one task."""
        task = self.task(task_id)
        grader = partial(self.verdict, task_id, recordings=recordings)
        return Environment(task, self._backend(task_id, recordings), seed=seed, grader=grader)

    def verdict(
        self, task_id: str, attempt: Attempt, *, recordings: Mapping[str, Json] | None = None
    ) -> Verdict:
        """The verdict on an attempt that was already run."""
        version = self.entry(task_id).task_version
        known = {**self.recordings, **recordings} if recordings else self.recordings
        return evaluate(
            self.rubric(task_id),
            attempt,
            task_version=version,
            recordings=known,
            pays=self.manifest.reward,
        )

    def grade(
        self,
        task_id: str,
        actions: Iterable[object],
        seed: int = 0,
        recordings: Mapping[str, Json] | None = None,
    ) -> Verdict:
        """Re-run actions in a fresh world and grade them."""
        world = self._backend(task_id, recordings)
        attempt = run_actions(self.task(task_id), world, actions, seed)
        return self.verdict(task_id, attempt, recordings=recordings)

    def _backend(
        self, task_id: str, recordings: Mapping[str, Json] | None
    ) -> World | SimulatedWorld:
        """The world, with recorded replies for the tools that may be simulated."""
        world = self.world(task_id)
        return SimulatedWorld(world, recordings) if recordings and world.simulates else world

    def _pack(self, task: Task) -> PackedTask:
        values = {f.name: getattr(task, f.name) for f in fields(Task)}
        version = self.entry(task.task_id).task_version
        return PackedTask(**values, task_version=version, task_set=self)

    def _grading(self, task_id: str) -> _Graded:
        if task_id not in self._graded:
            document = _read_json(self.path, self.entry(task_id).rubric)
            self._graded[task_id] = _Graded(
                rubric=Rubric.from_json(document["rubric"]),
                solution=tuple(document["solution"]),
                verification=document["verification"],
                attempts=tuple(map(RecordedAttempt.from_json, document.get("attempts", ()))),
            )
        return self._graded[task_id]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Graded:
    """The half of a task that the policy must never reach."""

    rubric: Rubric
    solution: tuple[Action, ...]
    verification: Mapping[str, Json]
    attempts: tuple[RecordedAttempt, ...]


def grade(
    task: PackedTask,
    actions: Iterable[object],
    seed: int = 0,
    recordings: Mapping[str, Json] | None = None,
) -> Verdict:
    """Re-run actions in a fresh world and grade them; pure, and never calls a model."""
    return task.task_set.grade(task.task_id, actions, seed, recordings)


def _read(folder: Path, name: str) -> bytes:
    if not _inside(name):
        raise NotATaskSetError(f"{folder / MANIFEST} names a file outside the task set")
    try:
        return (folder / name).read_bytes()
    except OSError as fault:
        raise NotATaskSetError(
            f"{folder} is not a whole task set: {name} cannot be read ({fault.strerror})"
        ) from fault


def _inside(name: str) -> bool:
    return bool(name) and not name.startswith("/") and ".." not in name.split("/")


def _read_json(folder: Path, name: str) -> dict[str, Any]:
    try:
        value = json.loads(_read(folder, name))
    except (ValueError, RecursionError) as fault:
        raise NotATaskSetError(f"{folder / name} is not JSON: export the task set again") from fault
    if not isinstance(value, dict):
        raise NotATaskSetError(f"{folder / name} is not a JSON object: export it again")
    return value
