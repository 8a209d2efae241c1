"""A task set that somebody changed: refused in one sentence, or the same rewards; never a traceback, never other code run."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from environments.runtime import TaskSet
from environments.runtime.task.errors import TaskSetError
from environments.runtime.values.canonical import digest, digest_bytes
from tests.environments_shop import write_shop

ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        0,
        10**30,
        1e308,
        float("nan"),
        float("inf"),
        "",
        "x" * 5_000,
        "../../etc/passwd",
    ),
    *("\ud800", [], {}, [[]] * 50, {"$ref": "#"}, {"a": {"a": {"a": []}}}),
)
"""Values that a file of this place does not expect."""


def rewards(folder: Path) -> list[float | None]:
    """What solutions and doing nothing earn, task by task."""
    task_set = TaskSet.load(folder)
    found: list[float | None] = []
    for task in task_set.tasks:
        found.append(task_set.grade(task.task_id, task_set.solution(task.task_id)).reward)
        found.append(task_set.grade(task.task_id, ()).reward)
    return found


def outcome(folder: Path) -> tuple[list[float | None], str]:
    """The rewards, or the sentence that refuses the set."""
    try:
        return rewards(folder), ""
    except TaskSetError as fault:
        return [], str(fault)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:  # noqa: ANN401 - any JSON
    """Every place in a document."""
    parts = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, part in parts:
        yield (*path, key)
        yield from places(part, (*path, key))


def changed(value: Any, chance: random.Random) -> Any:  # noqa: ANN401 - any JSON
    """The document with another value, a key less, or two exchanged."""
    every = list(places(value))
    if not every:
        return chance.choice(ODD)
    *above, last = chance.choice(every)
    holder = value
    for key in above:
        holder = holder[key]
    how = chance.randrange(3)
    if how == 0:
        holder[last] = chance.choice(ODD)
    elif how == 1:
        del holder[last]
    else:
        other = chance.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
        holder[last], holder[other] = holder[other], holder[last]
    return value


def mutate(folder: Path, chance: random.Random) -> str:
    """Change one file, as bytes or as JSON, and perhaps seal the set again as its maker would."""
    files = [p for p in folder.rglob("*") if p.suffix in {".json", ".jsonl"}]
    path = chance.choice(files)
    if chance.random() < 0.3:
        data = bytearray(path.read_bytes())
        for _ in range(chance.randint(1, 5)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        path.write_bytes(bytes(data[: chance.randint(len(data) // 2, len(data))]))
    elif path.suffix == ".jsonl":
        lines = path.read_text().splitlines()
        at = chance.randrange(len(lines))
        lines[at] = json.dumps(changed(json.loads(lines[at]), chance))
        path.write_text("\n".join(lines) + "\n")
    else:
        path.write_text(json.dumps(changed(json.loads(path.read_text()), chance)))
    if path.name != "manifest.json" and chance.random() < 0.8:
        manifest = json.loads((folder / "manifest.json").read_text())
        hashes = {name: digest_bytes((folder / name).read_bytes()) for name in manifest["files"]}
        manifest |= {"files": hashes, "task_set_version": digest(hashes)}
        (folder / "manifest.json").write_text(json.dumps(manifest))
    return path.name


@pytest.mark.parametrize("times", [120, pytest.param(1_000, marks=pytest.mark.slow)])
def test_a_changed_task_set_is_refused_or_pays_as_before(tmp_path: Path, times: int) -> None:
    """Whoever seals a set again may make it pay otherwise on purpose; what must not happen is a traceback."""
    write_shop(tmp_path / "set")
    expected = rewards(tmp_path / "set")
    chance = random.Random(times)  # noqa: S311 - a repeatable choice
    for turn in range(times):
        copy = tmp_path / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(tmp_path / "set", copy)
        name = mutate(copy, chance)
        found, said = outcome(copy)
        assert "\n" not in said, (turn, name)
        whole = said or len(found) == len(expected) or name in {"tasks.jsonl", "manifest.json"}
        assert whole, (turn, name)
