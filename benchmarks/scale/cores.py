"""What more cores bring: whole builds with one worker and with several, in turns, and whether they write the same.

Each build is a command of its own over a copy of one home into which everything has arrived, pinned to as many cores as it has workers (where
the system can). The digest is that of everything written: clean tables and the exported task set; `outputs` is how many digests there are. On
a machine that others use as well, seconds say little; the second ratio, made of processor seconds with those of workers divided among them,
says what free cores would give. Needs Linux.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.figures import Figure, Row
from benchmarks.scale.growth import MEANINGS, SECRET
from dagster_project.arrival.files import take_in
from dagster_project.build.left_out import SKIPPED
from dagster_project.home.layout import Home, open_home
from dagster_project.home.settings import apps_of
from dagster_project.lake.learnt_tables import (
    AGREEMENT,
    CLUSTERS,
    FAILURES,
    TASKS,
    VERIFIED,
    WORLDS,
)
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_EPISODES, CLEAN_OUTCOMES
from dagster_project.privacy.account import REDACTIONS
from dagster_project.tasks.exporting import ExportRequest, export_tasks

TABLES: Final = (
    *(CLEAN_EPISODES, CLEAN_OUTCOMES, REDACTIONS, FAILURES, CLUSTERS, WORLDS, TASKS, AGREEMENT),
    *(VERIFIED, SKIPPED),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One build."""

    workers: int
    seconds: float
    own: float
    """Processor seconds of the build's own process."""
    others: float
    """Of all others: workers, and the processes that grade with another hash seed."""
    mebibytes: float
    mebibytes_of_a_worker: float
    digest: str


def options(parser: argparse.ArgumentParser) -> None:
    """What is built, and by how many."""
    parser.add_argument("--conversations", type=int, default=500)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--engine", default="local", help="of the builds with several workers")
    parser.add_argument("--data", type=Path, help="a chat log instead of the desk")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each build, and their ratios."""
    turns: list[Turn] = []
    with tempfile.TemporaryDirectory() as scratch:
        arrived = _arrived(Path(scratch), options.data, options.conversations)
        for number in range(options.rounds):
            for workers in (1, options.workers):
                turns.append(_turn(arrived, Path(scratch) / "turn", workers, options.engine))
                yield Row(case=f"round {number}, {workers} workers", figures=_shown(turns[-1]))
    seconds = [_median(turns, count, "seconds") for count in (1, options.workers)]
    busy = _median(turns, 1, "own") + _median(turns, 1, "others")
    own = _median(turns, options.workers, "own")
    free = own + _median(turns, options.workers, "others") / options.workers
    ratios: dict[str, Figure] = {
        "ratio": round(seconds[0] / seconds[1], 2),
        "ratio by processor seconds": round(busy / free, 2),
        "outputs": len({turn.digest for turn in turns}),
    }
    yield Row(case="medians", figures=ratios)


def faults(before: Sequence[Row], after: Sequence[Row]) -> Iterator[str]:
    """Whether two builds wrote something else."""
    del before
    if after[-1].figures["outputs"] != 1:
        yield "builds with one worker and with several wrote something else"


def _arrived(scratch: Path, data: Path | None, conversations: int) -> Home:
    """A home into which a season has come."""
    log = data or scratch / "desk.jsonl"
    if data is None:
        desk = [sys.executable, "-m", "examples.support_desk.app", "--quiet", "--app", "desk"]
        wanted = ["--seed", "1", "--conversations", str(conversations), "--chat-log", str(log)]
        subprocess.run([*desk, *wanted], check=True, stdout=subprocess.DEVNULL)
    home = open_home(scratch / "home", create=True)
    shutil.copy(MEANINGS, home.outcome_policy)
    take_in(home, [log], app="desk")
    return home


def _turn(arrived: Home, folder: Path, workers: int, engine: str) -> Turn:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(arrived.path, folder / "home")
    command = [sys.executable, "-m", "dagster_project.cli.main", "build", "--json"]
    command += ["--home", str(folder / "home"), "--workers", str(workers)]
    command += ["--engine", engine] if workers > 1 else []
    log = folder / "build.log"
    began = time.monotonic()
    with log.open("wb") as heard:
        child = subprocess.Popen(
            [*_pinned(workers), *command],
            env={**os.environ, "TRACEGYM_SECRET": SECRET},
            stdout=heard,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        processes = _watched(child)
    seconds = time.monotonic() - began
    if child.returncode:
        raise SystemExit(log.read_text(encoding="utf-8")[-2000:])
    own = processes.pop(child.pid)
    return Turn(
        workers=workers,
        seconds=seconds,
        own=own.seconds,
        others=sum(one.seconds for one in processes.values()),
        mebibytes=own.mebibytes,
        mebibytes_of_a_worker=max((one.mebibytes for one in processes.values()), default=0.0),
        digest=_digest(open_home(folder / "home"), folder / "taskset"),
    )


@dataclass(frozen=True, slots=True)
class _Process:
    """What a process had used when it was last seen."""

    seconds: float
    mebibytes: float
    """At most, of its own: what it shares with the server that it was forked off counts once, there."""


def _watched(child: subprocess.Popen[bytes]) -> dict[int, _Process]:
    """The processes of a build, looked at until it ends: workers are no children of the build, whose accounts lack them."""
    found: dict[int, _Process] = {}
    while child.poll() is None:
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError, IndexError, StopIteration):
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == child.pid:
                    used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
                    before = found.get(int(folder.name), _Process(0.0, 0.0)).mebibytes
                    peak = max(before, _private(folder))
                    found[int(folder.name)] = _Process(used, peak)
        time.sleep(0.2)
    return found


def _private(folder: Path) -> float:
    lines = (folder / "smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1024


def _pinned(workers: int) -> list[str]:
    """As many cores as workers, so that one worker cannot gain from another core."""
    if not shutil.which("taskset") or not hasattr(os, "sched_getaffinity"):
        return []
    cores = sorted(os.sched_getaffinity(0))[:workers]
    return ["taskset", "--cpu-list", ",".join(map(str, cores))]


def _digest(home: Home, folder: Path) -> str:
    """Of every row past the gate and every file of the task set."""
    found = hashlib.sha256()
    lake = Lake(home.clean / "lake")
    for table in TABLES:
        rows = lake.read(table).to_pylist()
        for line in sorted(json.dumps(row, sort_keys=True, default=str) for row in rows):
            found.update(line.encode())
    asked = ExportRequest(format_name="taskset", dest=folder, extra=("needs_review",))
    export_tasks(home.clean, list(apps_of(home)), asked)
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        found.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return found.hexdigest()[:16]


def _shown(turn: Turn) -> dict[str, Figure]:
    return {
        "seconds": round(turn.seconds, 1),
        "processor s: build": round(turn.own, 1),
        "processor s: others": round(turn.others, 1),
        "MiB": round(turn.mebibytes),
        "MiB of a worker": round(turn.mebibytes_of_a_worker),
        "digest": turn.digest,
    }


def _median(turns: Sequence[Turn], workers: int, name: str) -> float:
    return float(
        statistics.median(getattr(turn, name) for turn in turns if turn.workers == workers)
    )
