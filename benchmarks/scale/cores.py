"""What more cores bring: whole builds with one worker and with several, in turns, and whether they write the same.

Run: `python -m benchmarks cores [--conversations 500] [--workers 2] [--rounds 2] [--data FILE]`. Each build is a command of its own over a
copy of one home into which everything has arrived, pinned to as many cores as it has workers (where the system can). Printed: seconds
a build, processor seconds of its own process and of all others, their private memory at most, the ratio of the medians, and the digest of
everything that was written: clean tables and the exported task set. On a machine that others use as well, seconds say little; the second
ratio, made of processor seconds with those of workers divided among them, says what free cores would give. Needs Linux.
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
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.scale.growth import MEANINGS, SECRET
from dagster_project.arrival.files import take_in
from dagster_project.home.layout import Home, apps_of, open_home
from dagster_project.lake.learnt_tables import (
    AGREEMENT,
    CLUSTERS,
    FAILURES,
    TASKS,
    VERIFIED,
    WORLDS,
)
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_EPISODES, CLEAN_OUTCOMES, REDACTIONS, SKIPPED
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


def main() -> int:
    """Build in turns and print; exit code 1 where two builds wrote something else."""
    options = _parse()
    with tempfile.TemporaryDirectory() as scratch:
        arrived = _arrived(Path(scratch), options.data, options.conversations)
        turns: list[Turn] = []
        for _ in range(options.rounds):
            for workers in (1, options.workers):
                turns.append(_turn(arrived, Path(scratch) / "turn", workers, options.engine))
                print(json.dumps(_shown(turns[-1])), file=sys.stderr, flush=True)
    return _print(turns, options.workers)


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=500)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--engine", default="local", help="of the builds with several workers")
    parser.add_argument("--data", type=Path, help="a chat log instead of the desk")
    return parser.parse_args()


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


def _shown(turn: Turn) -> dict[str, object]:
    return {
        "workers": turn.workers,
        "seconds": round(turn.seconds, 1),
        "own": round(turn.own, 1),
        "others": round(turn.others, 1),
        "mebibytes": round(turn.mebibytes),
        "mebibytes_of_a_worker": round(turn.mebibytes_of_a_worker),
        "digest": turn.digest,
    }


def _print(turns: Sequence[Turn], workers: int) -> int:
    print(
        "| workers | seconds | processor: build | processor: others | MiB | MiB of a worker | digest |"
    )
    print("|---:|" + "---:|" * 5 + "---|")
    for turn in turns:
        print("| " + " | ".join(map(str, _shown(turn).values())) + " |")
    seconds = [_median(turns, count, "seconds") for count in (1, workers)]
    busy = _median(turns, 1, "own") + _median(turns, 1, "others")
    free = _median(turns, workers, "own") + _median(turns, workers, "others") / workers
    same = len({turn.digest for turn in turns}) == 1
    print(f"ratio: {seconds[0] / seconds[1]:.2f}; outputs {'equal' if same else 'DIFFER'}")
    print(f"ratio by processor seconds, as on cores that nobody else uses: {busy / free:.2f}")
    return 0 if same else 1


def _median(turns: Sequence[Turn], workers: int, name: str) -> float:
    return float(
        statistics.median(getattr(turn, name) for turn in turns if turn.workers == workers)
    )


if __name__ == "__main__":
    raise SystemExit(main())
