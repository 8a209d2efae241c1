"""Writes a task set: records and world documents in, a folder that carries its own runtime out.

The same records give the same bytes: no clock, no random, sorted files. The folder is written beside its destination
and moved there when whole; the manifest is its last file. Where the answers are: `rubrics/` (rubric and solution) and
`worlds/` (the whole backend). Neither is ever part of an observation; give a policy that can read files a copy of
nothing but the messages and tools. Not here: verification, other formats (they are written from this folder).
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from environments.export.card import card
from environments.export.errors import ExportError
from environments.export.split_proof import prove
from environments.export.splits import Splits, SplitSettings, split_tasks
from environments.export.traits import traits_of, written_tables
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Action, Candidate, RecordedAttempt
from environments.runtime.task.manifest import (
    MANIFEST,
    RECORDINGS,
    TASKS,
    TaskEntry,
    TaskSetManifest,
)
from environments.runtime.task.rubric import Rubric
from environments.runtime.task.share import PAYS_ALL
from environments.runtime.task.task import Task
from environments.runtime.values.canonical import canonical, digest, digest_bytes, task_version

ACCEPTED: Final = "accepted"
DIFFICULTY: Final = "difficulty.json"
RUNTIME: Final = Path(__file__).parent.parent / "runtime"
SAFE_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}")
MAIN: Final = '''"""`python DIR validate|run`: the commands of this task set."""

import sys

if sys.version_info < (3, 11):
    sys.exit("this task set needs Python 3.11 or later")
sys.dont_write_bytecode = True  # the folder stays as exported
# What lies beside this file never stands for a module of Python's own.
sys.path.pop(0)
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
RUNTIME = FOLDER / "runtime"
SPEC = spec_from_file_location("runtime", RUNTIME / "__init__.py", submodule_search_locations=[str(RUNTIME)])
sys.modules["runtime"] = module_from_spec(SPEC)
SPEC.loader.exec_module(sys.modules["runtime"])
from runtime.play.main import main

sys.exit(main(sys.argv[1:], FOLDER))
'''


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One task on its way into a task set."""

    task: Task
    rubric: Rubric
    solution: tuple[Action, ...]
    status: str = ACCEPTED
    """`accepted`, `needs_review` or `rejected`."""
    reasons: tuple[str, ...] = ()
    verification: Mapping[str, Json] = field(default_factory=dict)
    """What verification found (probes, agreement): for people."""
    recordings: Mapping[str, Json] = field(default_factory=dict)
    """What judges said, by question key: grading elsewhere gives the same verdict. Numbers only, never a judge's words."""
    attempts: tuple[RecordedAttempt, ...] = ()
    """What agents really did at this task, good and bad: `sft` and `dpo` are written from them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Which entries come in, and what is said about them."""

    statuses: Sequence[str] = (ACCEPTED,)
    splits: SplitSettings | None = field(default_factory=SplitSettings)
    """None for a part of a task set, whose tasks were divided as a whole."""
    before: Mapping[str, str] | None = None
    """The splits of an earlier version: a task never moves from train into a held-out split."""
    only: str = ""
    """Write the tasks of this split only."""
    wanted: frozenset[str] | None = None
    """Write these tasks only (a band of difficulty); the splits are made before, so they do not move with the band."""
    difficulty: Mapping[str, Json] = field(default_factory=dict)
    """What `difficulty.json` says; see docs/task_sets.md."""
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    """PNG files beside the card, by name."""
    reward: str = PAYS_ALL
    """What the set pays: all or nothing, or the weighted share (`environments.runtime.task.share.PAYS`)."""


def entry_of(
    candidate: Candidate,
    *,
    status: str,
    reasons: Sequence[str] = (),
    verification: Mapping[str, Json] | None = None,
) -> Entry:
    """The entry of a verified candidate."""
    return Entry(
        task=candidate.task,
        rubric=candidate.rubric,
        solution=candidate.solution,
        status=status,
        reasons=tuple(reasons),
        verification=verification or {},
        attempts=candidate.attempts,
    )


def write_task_set(
    dest: Path,
    entries: Iterable[Entry],
    worlds: Mapping[str, Mapping[str, Any]],
    *,
    provenance: Mapping[str, Json],
    choice: Choice | None = None,
) -> TaskSetManifest:
    """Write a folder with the chosen entries; `worlds` are documents by the id that tasks name.

    `provenance` is kept as handed in; its `name`, `redaction`, `license`, `agreement` and `period` also stand on the card.
    """
    choice = choice or Choice()
    refuse_foreign(dest)
    everything = sorted(entries, key=lambda entry: entry.task.task_id)
    allowed = [entry for entry in everything if _left_out(entry, choice) is None]
    _refuse_doubles(allowed)
    _require_worlds(allowed, worlds)
    splits, divided = _divide(allowed, worlds, choice)
    reasons = Counter(filter(None, (_left_out(entry, choice, splits) for entry in everything)))
    chosen = [entry for entry in allowed if _left_out(entry, choice, splits) is None]
    content = _Content(provenance=provenance, left_out=reasons, splits=divided, choice=choice)
    dest.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=dest.parent, prefix=f".{dest.name}-") as scratch:
        folder = Path(scratch) / "task_set"
        folder.mkdir()
        manifest = _write(folder, chosen, worlds, content)
        put_in_place(folder, dest, Path(scratch) / "before")
    return manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class _Content:
    """What is written beside the entries."""

    provenance: Mapping[str, Json]
    left_out: Mapping[str, int]
    splits: Mapping[str, Json]
    choice: Choice


def _divide(
    entries: Sequence[Entry], worlds: Mapping[str, Mapping[str, Any]], choice: Choice
) -> tuple[Splits | None, dict[str, Json]]:
    """The splits, and what the manifest says of them: how they were made, and the proof."""
    if choice.splits is None:
        return None, {}
    traits = traits_of(entries, worlds)
    found = split_tasks(traits, choice.splits, written=written_tables(worlds), before=choice.before)
    return found, {
        "by": found.by,
        "seed": found.seed,
        "shares": dict[str, Json](choice.splits.shares),
        "tasks": dict[str, Json](found.tasks),
        "groups": found.groups,
        "largest_group": found.largest,
        "kept_apart": list[Json](found.isolating),
        "shared_by_all": list[Json](found.shared),
        "moved": dict[str, Json](found.moved),
        "notes": list[Json](found.notes),
        "proof": prove(traits, found.tasks, isolating=found.isolating, by=found.by),
    }


def _left_out(entry: Entry, choice: Choice, splits: Splits | None = None) -> str | None:
    """Why an entry does not come in; consent stands above every status."""
    task = entry.task
    if task.provenance.get("do_not_train"):
        return "do_not_train"
    if entry.status not in choice.statuses:
        return entry.status
    if choice.wanted is not None and task.task_id not in choice.wanted:
        return "outside the band of difficulty"
    if splits is not None and choice.only and splits.tasks.get(task.task_id) != choice.only:
        return f"in split {splits.tasks.get(task.task_id, 'none')}"
    return None


def _write(
    folder: Path,
    entries: Sequence[Entry],
    worlds: Mapping[str, Mapping[str, Any]],
    content: _Content,
) -> TaskSetManifest:
    files: dict[str, bytes] = {"__main__.py": MAIN.encode()}
    files |= {
        f"runtime/{path.relative_to(RUNTIME).as_posix()}": path.read_bytes()
        for path in RUNTIME.rglob("*.py")
    }
    world_files = _world_files(entries, worlds)
    files |= dict(world_files.values())
    rows: list[TaskEntry] = []
    for entry in entries:
        path, data = world_files[entry.task.world]
        rubric_path = f"rubrics/{_file_name(entry.task.task_id)}.json"
        files[rubric_path] = _grading_bytes(entry)
        version = task_version(
            entry.task,
            entry.rubric,
            world_digest=digest_bytes(data),
            pays=content.choice.reward,
        )
        rows.append(
            TaskEntry(
                task_id=entry.task.task_id,
                task_version=version,
                app=entry.task.app,
                world=path,
                rubric=rubric_path,
                status=entry.status,
                reasons=entry.reasons,
            )
        )
    lines = [canonical(entry.task.to_json()) for entry in entries]
    files[TASKS] = "".join(f"{line}\n" for line in lines).encode()
    provenance = content.provenance
    draft = TaskSetManifest(
        name=str(provenance.get("name", "tracegym task set")),
        task_set_version="",
        tasks=tuple(rows),
        files={},
        redaction=str(provenance.get("redaction", "unknown")),
        provenance=provenance,
        left_out=dict(sorted(content.left_out.items())),
        splits=content.splits,
        reward=content.choice.reward,
    )
    recordings = {key: said for entry in entries for key, said in entry.recordings.items()}
    if recordings:
        files[RECORDINGS] = (canonical(recordings) + "\n").encode()
    difficulty = content.choice.difficulty
    if difficulty:
        files[DIFFICULTY] = (canonical(difficulty) + "\n").encode()
    files |= content.choice.pictures
    files["README.md"] = card(draft, [entry.task for entry in entries], difficulty).encode()
    return _seal(folder, files, draft)


def _seal(folder: Path, files: Mapping[str, bytes], draft: TaskSetManifest) -> TaskSetManifest:
    """Write all files, then the manifest with their hashes."""
    for name, data in sorted(files.items()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    hashes: dict[str, Json] = {name: digest_bytes(data) for name, data in sorted(files.items())}
    named = hashes if draft.reward == PAYS_ALL else {**hashes, "reward": draft.reward}
    value = draft.to_json() | {"files": hashes, "task_set_version": digest(named)}
    (folder / MANIFEST).write_text(canonical(value) + "\n", encoding="utf-8")
    return TaskSetManifest.from_json(value)


def _world_files(
    entries: Sequence[Entry], worlds: Mapping[str, Mapping[str, Any]]
) -> dict[str, tuple[str, bytes]]:
    found: dict[str, tuple[str, bytes]] = {}
    for world in sorted({entry.task.world for entry in entries}):
        text = canonical(worlds[world])
        found[world] = (f"worlds/{_file_name(world)}.json", text.encode("utf-8"))
    return found


def _require_worlds(entries: Sequence[Entry], worlds: Mapping[str, Mapping[str, Any]]) -> None:
    for world in sorted({entry.task.world for entry in entries}):
        if world not in worlds:
            raise ExportError(f"a task names the world {world!r}, which was not handed in")


def _grading_bytes(entry: Entry) -> bytes:
    value: dict[str, object] = {
        "rubric": entry.rubric.to_json(),
        "solution": [dict(action) for action in entry.solution],
        "verification": dict(entry.verification),
    }
    attempts = [attempt.to_json() for attempt in entry.attempts if attempt.resolved is not None]
    if attempts:
        value["attempts"] = attempts
    return (canonical(value) + "\n").encode()


def _file_name(name: str) -> str:
    """The id where a file may be called so, else its hash: ids come from data, paths must not."""
    return name if SAFE_NAME.fullmatch(name) else digest(name)


def _refuse_doubles(entries: Sequence[Entry]) -> None:
    for task_id, times in Counter(entry.task.task_id for entry in entries).items():
        if times > 1:
            raise ExportError(f"the task {task_id!r} was handed in {times} times")


def refuse_foreign(dest: Path) -> None:
    """Raise `ExportError` where a task set would be written over something else."""
    if dest.is_dir() and any(dest.iterdir()) and not (dest / MANIFEST).is_file():
        raise ExportError(f"{dest} holds something that is not a task set: name another folder")
    if dest.exists() and not dest.is_dir():
        raise ExportError(f"{dest} is a file: name a folder")


def put_in_place(folder: Path, dest: Path, before: Path) -> None:
    """Put the new folder in place of the old one, which is moved to `before`: it goes with the scratch folder."""
    if dest.exists():
        shutil.move(dest, before)
    folder.rename(dest)
