"""What more cores bring: whole builds with one worker and with several, in turns, and whether they write the same.

Run: `python -m benchmarks.cores [--conversations 500] [--workers 2] [--rounds 2] [--data FILE]`. Each build is a command of its own over a
copy of one home into which everything has arrived, pinned to as many cores as it has workers (where the system can). Printed: seconds
a build, processor seconds with those of its workers, the peak memory of its largest process, the ratio of the medians,
and the digest of everything it wrote: clean tables and the exported task set.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.growth import MEANINGS, SECRET
from dagster_project.arrival import take_in
from dagster_project.exporting import Asked, export_tasks
from dagster_project.home import Home, apps_of, open_home
from dagster_project.lake import Lake
from dagster_project.learnt_tables import AGREEMENT, CLUSTERS, FAILURES, TASKS, VERIFIED, WORLDS
from dagster_project.tables import CLEAN_EPISODES, CLEAN_OUTCOMES, REDACTIONS, SKIPPED

TABLES: Final = (
    *(CLEAN_EPISODES, CLEAN_OUTCOMES, REDACTIONS, FAILURES, CLUSTERS, WORLDS, TASKS, AGREEMENT),
    *(VERIFIED, SKIPPED),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One build."""

    workers: int
    seconds: float
    processor: float
    mebibytes: float
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
    before, began = _used(), time.monotonic()
    done = subprocess.run(
        [*_pinned(workers), *command],
        env={**os.environ, "TRACEGYM_SECRET": SECRET},
        check=False,
        capture_output=True,
        text=True,
    )
    seconds = time.monotonic() - began
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Turn(
        workers=workers,
        seconds=seconds,
        processor=_used() - before,
        mebibytes=usage.ru_maxrss / 1024,
        digest=_digest(open_home(folder / "home"), folder / "taskset"),
    )


def _pinned(workers: int) -> list[str]:
    """As many cores as workers, so that one worker cannot gain from another core."""
    if not shutil.which("taskset") or not hasattr(os, "sched_getaffinity"):
        return []
    cores = sorted(os.sched_getaffinity(0))[:workers]
    return ["taskset", "--cpu-list", ",".join(map(str, cores))]


def _used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def _digest(home: Home, folder: Path) -> str:
    """Of every row past the gate and every file of the task set."""
    found = hashlib.sha256()
    lake = Lake(home.clean / "lake")
    for table in TABLES:
        rows = lake.read(table).to_pylist()
        for line in sorted(json.dumps(row, sort_keys=True, default=str) for row in rows):
            found.update(line.encode())
    asked = Asked(format_name="taskset", dest=folder, extra=("needs_review",))
    export_tasks(home.clean, list(apps_of(home)), asked)
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        found.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return found.hexdigest()[:16]


def _shown(turn: Turn) -> dict[str, object]:
    return {
        "workers": turn.workers,
        "seconds": round(turn.seconds, 1),
        "processor_seconds": round(turn.processor, 1),
        "mebibytes": round(turn.mebibytes),
        "digest": turn.digest,
    }


def _print(turns: Sequence[Turn], workers: int) -> int:
    print("| workers | seconds | processor seconds | MiB of the largest process | digest |")
    print("|---:|---:|---:|---:|---|")
    for turn in turns:
        print("| " + " | ".join(map(str, _shown(turn).values())) + " |")
    medians = [
        statistics.median(turn.seconds for turn in turns if turn.workers == count)
        for count in (1, workers)
    ]
    same = len({turn.digest for turn in turns}) == 1
    print(f"ratio: {medians[0] / medians[1]:.2f}; outputs {'equal' if same else 'DIFFER'}")
    return 0 if same else 1


if __name__ == "__main__":
    raise SystemExit(main())
