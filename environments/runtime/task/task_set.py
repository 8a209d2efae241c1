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
from typing import Any, Final

from ..checks.table import evaluate
from ..play.environment import Environment, run_actions
from ..sessions.simulated_session import SimulatedWorld
from ..values.canonical import digest_bytes
from ..world.world import World
from .attempt import Attempt, Json
from .candidate import Action, RecordedAttempt
from .errors import ChangedFileError, NoSuchTaskError, NotATaskSetError, WrongVersionError
from .manifest import MANIFEST, RECORDINGS, TASKS, TaskEntry, TaskSetManifest
from .rubric import Rubric
from .task import Task
from .typed import messages
from .verdict import Verdict

_CODE: Final = frozenset({".py", ".so", ".pyd", ".dll", ".zip", ".pth"})
_DAMAGE: Final = (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)
"""What reading values of other types than an export writes raises."""


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
        self._graded: dict[str, _GradingHalf] = {}

    @classmethod
    def load(cls, path: Path | str) -> TaskSet:
        """Open a folder; every file must be what the manifest says."""
        folder = Path(path)
        manifest = TaskSetManifest.from_json(_object(folder, MANIFEST, _read(folder, MANIFEST)))
        for name in manifest.files:
            _read_listed(folder, name, manifest)
        _refuse_foreign_code(folder, manifest)
        return cls(folder, manifest)

    @cached_property
    def tasks(self) -> tuple[PackedTask, ...]:
        """All tasks, in the order of the folder."""
        text = _read_listed(self.path, TASKS, self.manifest)
        try:
            lines = text.decode().split("\n")
            tasks = [Task.from_json(_json(line)) for line in lines if line]
        except _DAMAGE as fault:
            raise _damaged(self.path, TASKS) from fault
        return tuple(map(self._pack, tasks))

    def split(self, name: str) -> tuple[PackedTask, ...]:
        """The tasks of one split: `train`, `validation` or `held_out`."""
        return tuple(t for t in self.tasks if self.manifest.split_of(t.task_id) == name)

    @cached_property
    def recordings(self) -> Mapping[str, Json]:
        """What judges said of attempts at this set's tasks, by question key; whoever grades may add to it."""
        return (
            _listed_json(self.path, RECORDINGS, self.manifest)
            if RECORDINGS in self.manifest.files
            else {}
        )

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
                self._worlds[name] = World.from_json(_listed_json(self.path, name, self.manifest))
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

    def _grading(self, task_id: str) -> _GradingHalf:
        if task_id not in self._graded:
            name = self.entry(task_id).rubric
            document = _listed_json(self.path, name, self.manifest)
            try:
                self._graded[task_id] = _read_grading(document)
            except _DAMAGE as fault:
                raise _damaged(self.path, name) from fault
        return self._graded[task_id]


@dataclass(frozen=True, slots=True, kw_only=True)
class _GradingHalf:
    """The half of a task that the policy must never reach."""

    rubric: Rubric
    solution: tuple[Action, ...]
    verification: Mapping[str, Json]
    attempts: tuple[RecordedAttempt, ...]


def _read_grading(document: Mapping[str, Any]) -> _GradingHalf:
    return _GradingHalf(
        rubric=Rubric.from_json(document["rubric"]),
        solution=messages(document["solution"]),
        verification=document["verification"],
        attempts=tuple(map(RecordedAttempt.from_json, document.get("attempts", ()))),
    )


def grade(
    task: PackedTask,
    actions: Iterable[object],
    seed: int = 0,
    recordings: Mapping[str, Json] | None = None,
) -> Verdict:
    """Re-run actions in a fresh world and grade them; pure, and never calls a model."""
    return task.task_set.grade(task.task_id, actions, seed, recordings)


def _read(folder: Path, name: str) -> bytes:
    if not _is_inside(name):
        raise NotATaskSetError(f"{folder / MANIFEST} names a file outside the task set")
    path = folder / name
    try:
        # Neither a link, which leads to what nobody hashed, nor a pipe, which never ends.
        steps = [
            folder.joinpath(*path.relative_to(folder).parts[:n])
            for n in range(1, name.count("/") + 2)
        ]
        if any(step.is_symlink() for step in steps) or (path.exists() and not path.is_file()):
            raise NotATaskSetError(
                f"{path} is no plain file: copy the set with its links followed (cp -RL), or export it again"
            )
        return path.read_bytes()
    except OSError as fault:
        raise NotATaskSetError(
            f"{folder} is not a whole task set: {name} cannot be read ({fault.strerror})"
        ) from fault


def _read_listed(folder: Path, name: str, manifest: TaskSetManifest) -> bytes:
    """A file as it was exported; what the manifest does not list is no part of the set."""
    if name not in manifest.files:
        raise NotATaskSetError(
            f"{folder / MANIFEST} uses a file that it does not list: export the task set again"
        )
    data = _read(folder, name)
    if digest_bytes(data) != manifest.files[name]:
        raise ChangedFileError(
            f"{folder / name} is not the file that was exported: export the task set again"
        )
    return data


def _refuse_foreign_code(folder: Path, manifest: TaskSetManifest) -> None:
    """Code that the manifest does not list would run before or instead of the set's own."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.suffix in _CODE and name not in manifest.files:
            raise ChangedFileError(f"{path} is no part of the exported task set: remove it")


def _is_inside(name: object) -> bool:
    return (
        isinstance(name, str)
        and bool(name)
        and not name.startswith("/")
        and ".." not in name.split("/")
    )


def _damaged(folder: Path, name: str) -> NotATaskSetError:
    return NotATaskSetError(
        f"{folder / name} holds values that no export writes: export the task set again"
    )


def _json(text: str | bytes) -> Any:
    return json.loads(text, parse_constant=_no_constant)


def _no_constant(name: str) -> None:
    raise ValueError(name)


def _listed_json(folder: Path, name: str, manifest: TaskSetManifest) -> dict[str, Any]:
    return _object(folder, name, _read_listed(folder, name, manifest))


def _object(folder: Path, name: str, data: bytes) -> dict[str, Any]:
    try:
        value = _json(data)
    except (ValueError, RecursionError) as fault:
        raise NotATaskSetError(f"{folder / name} is not JSON: export the task set again") from fault
    if not isinstance(value, dict):
        raise NotATaskSetError(f"{folder / name} is not a JSON object: export it again")
    return value
