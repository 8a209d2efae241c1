"""How every stage of a build grows: processor time and peak memory at several sizes, and the exponent that fits them.

Each size is a season of the example desk (or the first lines of a chat log), taken in, built, reported and exported in one process and a home
of its own: seconds (this process and its children) and MiB per size, and the exponent: 1 is linear. `--profile FOLDER` also writes a
cProfile per size; its overhead makes the seconds larger.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

from benchmarks.figures import Figure, Row
from dagster_project.arrival.files import take_in
from dagster_project.build.progress import Step
from dagster_project.build.run import build
from dagster_project.engine.choice import ONE
from dagster_project.home.layout import open_home
from dagster_project.home.settings import apps_of
from dagster_project.report.parts import write_home_report
from dagster_project.tasks.exporting import ExportRequest, export_tasks

MEANINGS: Final = Path(__file__).parents[2] / "examples" / "support_desk" / "outcomes.toml"
SECRET: Final = "5e" * 32
"""The same surrogates every time, so that task sets of two versions of tracegym can be compared."""
BETWEEN: Final = "between"
"""What no stage is charged with: Dagster's own steps, plans, locks."""


@dataclass
class Meter:
    """What each stage has cost; the stage that goes on is charged until the next one starts."""

    seconds: dict[str, float] = field(default_factory=dict)
    mebibytes: dict[str, float] = field(default_factory=dict)
    _stage: str = BETWEEN
    _since: float = 0.0

    def switch(self, stage: str) -> None:
        """Charge what was, and go on with a stage."""
        now, peak = _processor_seconds(), _peak_since_last()
        self.seconds[self._stage] = self.seconds.get(self._stage, 0.0) + now - self._since
        self.mebibytes[self._stage] = max(self.mebibytes.get(self._stage, 0.0), peak)
        self._stage, self._since = stage, now

    @staticmethod
    def started() -> Meter:
        """A meter that charges from now on."""
        return Meter(_since=_processor_seconds())

    def hear(self, step: Step) -> None:
        """Charge the stage that a build says it is at."""
        searching = step.asset == "leak_check"
        if step.says == "started" or (searching and step.done == 0):
            self.switch(step.asset)
        elif step.says in {"done", "failed"} or (searching and step.done):
            self.switch(BETWEEN)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Charge a stage with what is done inside."""
        self.switch(name)
        yield
        self.switch(BETWEEN)


def options(parser: argparse.ArgumentParser) -> None:
    """Which sizes."""
    parser.add_argument("--sizes", default="500,1000,2000")
    parser.add_argument("--task-keys", type=int, default=1, help="attempts a request")
    parser.add_argument("--data", type=Path, help="a chat log instead of the desk")
    parser.add_argument("--keep", type=Path, help="a folder where homes and exports stay")
    parser.add_argument("--profile", type=Path, help="a folder for a cProfile per size")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each stage, and one for all."""
    sizes = [int(size) for size in options.sizes.split(",")]
    with tempfile.TemporaryDirectory() as scratch:
        data = options.data or _season(Path(scratch), max(sizes), options.task_keys)
        found = [_apart(Path(scratch), data, size, options) for size in sizes]
    last = found[-1].seconds
    for stage in sorted(last, key=lambda name: -last[name]):
        yield _row(stage, sizes, found, [one.seconds.get(stage, 0.0) for one in found])
    yield _row("all", sizes, found, [sum(one.seconds.values()) for one in found])


def _row(stage: str, sizes: Sequence[int], found: Sequence[Meter], costs: Sequence[float]) -> Row:
    peaks = [
        max(one.mebibytes.values()) if stage == "all" else one.mebibytes.get(stage, 0.0)
        for one in found
    ]
    figures: dict[str, Figure] = {}
    for size, cost, peak in zip(sizes, costs, peaks, strict=True):
        figures |= {
            f"{size}: s": round(cost, 1),
            f"{size}: s each": round(cost / size, 4),
            f"{size}: MiB": round(peak),
        }
    grows = round(exponent(sizes, costs), 2) if len(sizes) > 1 else None
    return Row(case=stage, figures={**figures, "exponent": grows})


def exponent(sizes: Sequence[int], costs: Sequence[float]) -> float:
    """The power of the size that fits some costs best (least squares over logarithms)."""
    xs, ys = [math.log(size) for size in sizes], [math.log(max(cost, 1e-9)) for cost in costs]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((one - x) ** 2 for one in xs)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / spread if spread else 0.0


def _season(scratch: Path, size: int, attempts: int) -> Path:
    """One season; smaller sizes are its first conversations."""
    path = scratch / "desk.jsonl"
    desk = [sys.executable, "-m", "examples.support_desk.app", "--quiet", "--app", "desk"]
    wanted = ["--conversations", str(size), "--task-keys", str(attempts), "--chat-log", str(path)]
    subprocess.run([*desk, "--seed", "1", *wanted], check=True, stdout=subprocess.DEVNULL)
    return path


def _apart(scratch: Path, data: Path, size: int, options: argparse.Namespace) -> Meter:
    """One size in a process of its own: none inherits another's caches or memory."""
    keep = options.keep or scratch / str(size)
    command = [
        sys.executable,
        "-m",
        "benchmarks.scale.growth",
        str(size),
        "--data",
        str(data),
    ]
    command += ["--keep", str(keep)]
    command += ["--profile", str(options.profile)] if options.profile else []
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    print(f"{size}: {done.stdout.splitlines()[-1]}", file=sys.stderr, flush=True)
    return Meter(**json.loads(done.stdout.splitlines()[-1]))


def _measure(data: Path, size: int, keep: Path, profiles: Path | None) -> dict[str, object]:
    folder = keep / f"{data.stem}-{size}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    log = folder / "conversations.jsonl"
    with data.open(encoding="utf-8") as lines:
        log.write_text("".join(islice(lines, size)), encoding="utf-8")
    profile = cProfile.Profile() if profiles else None
    if profile:
        profile.enable()
    meter = _build(folder, log)
    if profile and profiles:
        profile.disable()
        profiles.mkdir(parents=True, exist_ok=True)
        profile.dump_stats(profiles / f"{data.stem}-{size}.prof")
    return {"seconds": meter.seconds, "mebibytes": meter.mebibytes}


def _build(folder: Path, log: Path) -> Meter:
    """Everything from a file to an exported task set, in this process."""
    meter = Meter.started()
    home = open_home(folder / "home", create=True)
    shutil.copy(MEANINGS, home.outcome_policy)
    with meter.stage("ingest"):
        take_in(home, [log], app="desk")

    build(home, secret=SECRET, engine=ONE, on_step=meter.hear)
    with meter.stage("report"):
        write_home_report(home)
    with meter.stage("export"):
        asked = ExportRequest(
            format_name="taskset", dest=folder / "taskset", extra=("needs_review",)
        )
        export_tasks(home.clean, list(apps_of(home)), asked)
    return meter


def _processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def _peak_since_last() -> float:
    """MiB that this process held at most since it was last asked (Linux); else since it began."""
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not (status.exists() and os.access(reset, os.W_OK)):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    lines = status.read_text(encoding="utf-8").splitlines()
    peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    reset.write_text("5", encoding="utf-8")
    return peak / 1024


if __name__ == "__main__":
    _given = argparse.ArgumentParser(description="One size, in this process.")
    _given.add_argument("size", type=int)
    for _name in ("--data", "--keep", "--profile"):
        _given.add_argument(_name, type=Path)
    _one = _given.parse_args()
    print(json.dumps(_measure(_one.data, _one.size, _one.keep, _one.profile)))
