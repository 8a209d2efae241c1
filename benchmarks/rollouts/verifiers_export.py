"""Rollouts/s of the verifiers export beside what verifiers itself costs, and beside a program started for every rollout.

`TRACEGYM_CONSUMER_CACHE` keeps verifiers' virtual environment (minutes to make). Three model calls a rollout against a zero-latency stand-in in
another process. Start-up (4 to 5 s of imports) counts for nothing: rollouts/s is from the first rollout's start to the last one's end,
processor time is that of a long run less a short one, of verifiers' processes without the stand-in.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.figures import Row
from benchmarks.rollouts.environments import server
from environments.export.registry import FORMATS
from tests.consumer_venv import make_venv, sh
from tests.environments_shop import write_shop

PACKAGES: Final = ("verifiers>=0.4,<0.5", "hatchling")
SIDE: Final = Path(__file__).parent / "verifiers_side"
TASKS: Final = 2
AT_ONCE: Final = 32
Way = Callable[[int, str], tuple[str | Path, ...]]
"""The command that plays so many rollouts and leaves their traces in a folder of that name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What some rollouts took."""

    seconds: float
    """From the first one's start to the last one's end."""
    cpu: float
    """Seconds of processor time of the command and all that it started, start-up included."""


def measure(way: Way, count: int, name: str, work: Path, paths: str) -> Cost:
    """Run a command to its end; every rollout must have gone well."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    sh(*way(count, name), cwd=work, PYTHONPATH=paths, TASKS=str(TASKS), KEY="none")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    lines = (work / "out" / name / "traces.jsonl").read_text().splitlines()
    traces = [trace for line in lines for trace in json.loads(line)["traces"]]
    solved = sum(trace["rewards"]["reward"]["score"] == 1.0 for trace in traces)
    if solved != count:
        raise SystemExit(f"{name}: {solved} of {count} rollouts went well")
    times = [trace["timing"] for trace in traces]
    return Cost(
        seconds=max(t["scoring"]["end"] for t in times) - min(t["start"] for t in times),
        cpu=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
    )


def evaluated(consumer: Path, taskset: str, url: str) -> Way:
    """`vf-eval`: one event loop in one process."""

    def command(count: int, name: str) -> tuple[str | Path, ...]:
        return (
            *(consumer / "vf-eval", taskset, "--env.agent.runtime.type", "subprocess"),
            *("--client.base-url", url, "--client.api-key-var", "KEY", "-m", "m", "-o", "out"),
            *("--no-push", "--no-rich", "--clean", "--run.name", name, "-c", str(AT_ONCE)),
            *("-r", str(count // TASKS)),
        )

    return command


def served(consumer: Path, taskset: str, url: str, *, program: Path, workers: int = 2) -> Way:
    """Verifiers' served environments."""

    def command(count: int, name: str) -> tuple[str | Path, ...]:
        numbers = (str(workers), str(count), str(AT_ONCE * workers))
        return (consumer / "python", program, taskset, url, *numbers, f"out/{name}")

    return command


def options(parser: argparse.ArgumentParser) -> None:
    """How many rollouts, which way."""
    parser.add_argument("--rollouts", type=int, default=400)
    parser.add_argument("--only", default="", help="ways whose names hold these words")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each way."""
    count: int = options.rollouts
    with tempfile.TemporaryDirectory() as name, server() as url:
        folder = Path(name)
        consumer = make_venv("verifiers", PACKAGES, folder)
        write_shop(folder / "set")
        FORMATS["verifiers"].write(folder / "set", folder / "out", name="shop_tasks")
        (folder / "side").mkdir()
        for path in SIDE.glob("*.py.txt"):
            shutil.copy(path, folder / "side" / path.stem)
        paths = f"{folder / 'out'}{os.pathsep}{folder / 'side'}"
        (folder / "work").mkdir()
        program = folder / "side" / "served.py"
        ways: dict[str, tuple[Way, int]] = {
            "the export, `vf-eval`": (evaluated(consumer, "shop_tasks", url), count),
            "an empty taskset, `vf-eval`": (evaluated(consumer, "bench_empty", url), count),
            "the export, 2 workers": (served(consumer, "shop_tasks", url, program=program), count),
            "an empty taskset, 2 workers": (
                served(consumer, "bench_empty", url, program=program),
                count,
            ),
            "a program a rollout": (evaluated(consumer, "bench_program", url), max(8, count // 20)),
        }
        ways = {label: way for label, way in ways.items() if options.only in label}
        for number, (label, (way, many)) in enumerate(ways.items()):
            load, few = os.getloadavg()[0], max(TASKS, many // 10)
            short = measure(way, few, f"short{number}", folder / "work", paths)
            long = measure(way, many, f"long{number}", folder / "work", paths)
            steady = 1000 * (long.cpu - short.cpu) / (many - few)
            rate = many / long.seconds
            figures = {"processor ms": steady, "rollouts/s": rate, "load before": load}
            yield Row(case=label, figures={name: round(one, 1) for name, one in figures.items()})
