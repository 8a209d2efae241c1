"""What a new day costs on top of a quarter, beside what a first day costs; and whether it ends as a build from scratch.

Days of the example desk are taken in and built: the first one, then those up to the last (`--step` days a build: 1 is a build a day), then
one day more. Another home gets all days at once; tasks, verdicts and the task set have to be equal to its, byte for byte (1). Processor seconds.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from benchmarks.figures import Figure, Row
from benchmarks.scale.growth import MEANINGS, SECRET, Meter
from dagster_project.arrival.files import take_in
from dagster_project.build.run import build
from dagster_project.engine.choice import ONE
from dagster_project.home.layout import Home, open_home
from dagster_project.lake.learnt_tables import TASKS, VERIFIED
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import Table
from environments.runtime.task.task_set import TaskSet

APP: Final = "desk"
PAUSE: Final = timedelta(minutes=12)
"""Between two conversations of the desk as it writes them."""


def options(parser: argparse.ArgumentParser) -> None:
    """How many days."""
    parser.add_argument("--days", type=int, default=90)
    parser.add_argument("--per-day", type=int, default=20)
    parser.add_argument("--step", type=int, default=89, help="days a build between first and last")
    parser.add_argument("--keep", type=Path, help="a folder where the homes stay")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """Simulate the quarter: a row for each stage, and one for what is equal to a build from scratch."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        days = _days(folder, options.days + 1, options.per_day)
        home = _home(folder / "day by day")
        first = _build(home, days[:1])
        for start in range(1, options.days, options.step):
            _build(home, days[start : min(start + options.step, options.days)])
        more = _build(home, days[options.days :])
        other = _home(folder / "at once")
        whole = _build(other, days)
        same: dict[str, Figure] = {
            "tasks": int(_rows(home, TASKS) == _rows(other, TASKS)),
            "verdicts": int(_rows(home, VERIFIED) == _rows(other, VERIFIED)),
            "task set": int(_version(home) == _version(other)),
        }
    stages = sorted(more.seconds, key=lambda stage: -more.seconds[stage])
    for stage in [*stages, "all"]:
        one, new, every = (
            sum(m.seconds.values()) if stage == "all" else m.seconds.get(stage, 0.0)
            for m in (first, more, whole)
        )
        seconds = {"first day s": one, "new day s": new, "all days at once s": every}
        ratio: dict[str, Figure] = {"first days": round(new / max(one, 0.05), 1)}
        yield Row(case=stage, figures={k: round(v, 1) for k, v in seconds.items()} | ratio)
    yield Row(case="equal to a build from scratch", figures=same)


def faults(before: Sequence[Row], after: Sequence[Row]) -> Iterator[str]:
    """What is not equal to a build from scratch."""
    del before
    same = after[-1].figures
    yield from (f"{name} differs from a build from scratch" for name in same if not same[name])


def _days(folder: Path, days: int, per_day: int) -> list[Path]:
    """A chat log a day: the desk's conversations in their order, moved to their day."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "desk.jsonl"
    desk = [sys.executable, "-m", "examples.support_desk.app", "--quiet", "--app", APP]
    wanted = ["--conversations", str(days * per_day), "--chat-log", str(path), "--task-keys", "1"]
    subprocess.run([*desk, "--seed", "1", *wanted], check=True, stdout=subprocess.DEVNULL)
    lines = path.read_text(encoding="utf-8").splitlines()
    found: list[Path] = []
    for day in range(days):
        moved = timedelta(days=day) - PAUSE * per_day * day
        mine = lines[day * per_day : (day + 1) * per_day]
        found.append(folder / f"day-{day:03}.jsonl")
        text = "".join(json.dumps(_moved(json.loads(line), moved)) + "\n" for line in mine)
        found[-1].write_text(text, encoding="utf-8")
    return found


def _moved(value: Any, by: timedelta) -> Any:  # noqa: ANN401 - a chat log's line
    """The line with its own times moved, and nothing that was said."""
    if isinstance(value, list):
        return [_moved(one, by) for one in value]
    if not isinstance(value, dict):
        return value
    times = {"started_at", "time", "at"}
    return {
        key: _later(one, by) if key in times and isinstance(one, str) else _moved(one, by)
        for key, one in value.items()
        if key != "tools"
    } | ({"tools": value["tools"]} if "tools" in value else {})


def _later(text: str, by: timedelta) -> str:
    moved = datetime.fromisoformat(text) + by
    return moved.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _home(path: Path) -> Home:
    shutil.rmtree(path, ignore_errors=True)
    home = open_home(path, create=True)
    shutil.copy(MEANINGS, home.outcome_policy)
    return home


def _build(home: Home, days: Sequence[Path]) -> Meter:
    meter = Meter.started()
    with meter.stage("ingest"):
        take_in(home, list(days), app=APP)
    build(home, secret=SECRET, engine=ONE, on_step=meter.hear)
    meter.switch("after")
    print(f"{len(days)} days: {sum(meter.seconds.values()):.1f} s", file=sys.stderr, flush=True)
    return meter


def _rows(home: Home, table: Table) -> list[dict[str, Any]]:
    rows = Lake(home.clean / "lake").read(table, app=APP).to_pylist()
    return sorted(rows, key=lambda row: str(row["id"]))


def _version(home: Home) -> str:
    return TaskSet.load(home.clean / "tasksets" / APP).manifest.task_set_version
