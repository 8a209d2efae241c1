"""The yield: of each collection's conversations, how many become exported tasks, and where the others are lost.

Defaults only: each file or folder (else those below `TRACEGYM_REAL_DATA`) goes through `tracegym ingest`, `build` and `export taskset` in a
home of its own; no policy, no outcomes file, nothing declared. `good` are conversations with tool calls and a good outcome, `exported good`
those of them in the exported task set.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.figures import Figure, Row, percent
from benchmarks.product import tracegym
from benchmarks.testbeds.real_data import data_files
from dagster_project.clean_records import clean_episodes_of, labels_of
from dagster_project.defs.resources import CleanSide
from dagster_project.home.layout import open_home
from dagster_project.home.settings import apps_of
from environments.runtime.task.task_set import TaskSet

PLACES: Final = ("collections/*", "backends/*/train.jsonl", "tau/*.jsonl", "langfuse", "otlp")
TIMED: Final = ("/usr/bin/time", "-v")
PEAK: Final = re.compile(r"Maximum resident set size \(kbytes\): (\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Yield:
    """What came of one collection."""

    name: str
    stages: Sequence[Mapping[str, Any]]
    good: int
    exported_good: int
    tasks: int
    seconds: float
    """Of the build, on the wall."""
    peak: int
    """Megabytes that the build held at most."""
    fault: str = ""
    """The last line of a command that failed."""

    def figures(self) -> dict[str, Figure]:
        """Conversations by how far they came, and what the build cost."""
        if self.fault:
            return {"failed": self.fault}
        return {
            **{str(stage["stage"]): int(stage["count"]) for stage in self.stages},
            "tasks": self.tasks,
            "good": self.good,
            "exported good": self.exported_good,
            "exported good %": percent(self.exported_good, self.good),
            "build s": round(self.seconds),
            "peak MB": self.peak,
        }


def options(parser: argparse.ArgumentParser) -> None:
    """Which data."""
    parser.add_argument("paths", nargs="*", type=Path, help="files or folders of telemetry")
    parser.add_argument("--details", action="store_true", help="what is lost, and what frees most")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each collection."""
    for path in options.paths or data_files(*PLACES):
        found = measure(path)
        yield Row(case=found.name, figures=found.figures())
        if options.details:
            _print_losses(found)


def measure(path: Path) -> Yield:
    """One collection through the whole product."""
    name = path.parent.name if path.name == "train.jsonl" else path.name
    with tempfile.TemporaryDirectory() as scratch:
        home, out = Path(scratch) / "home", Path(scratch) / "out"
        run = tracegym("ingest", path, "--home", home)
        started = time.monotonic()
        if run.returncode == 0:
            run = tracegym("build", "--home", home, "--json", before=TIMED)
        seconds = time.monotonic() - started
        if run.returncode != 0:
            return Yield(
                name=name,
                stages=(),
                good=0,
                exported_good=0,
                tasks=0,
                seconds=seconds,
                peak=0,
                fault=(run.stderr.strip().splitlines() or [""])[-1][:200],
            )
        stages = json.loads(run.stdout)["yield"]
        peak = PEAK.search(run.stderr)
        tracegym("export", "taskset", out, "--home", home)
        tasks = TaskSet.load(out).tasks if (out / "manifest.json").exists() else ()
        good = _good(home)
        taken = {str(one) for task in tasks for one in _episodes(task.provenance)}
        return Yield(
            name=name,
            stages=stages,
            good=len(good),
            exported_good=len(good & taken),
            tasks=len(tasks),
            seconds=seconds,
            peak=int(peak[1]) // 1000 if peak else 0,
        )


def _good(home: Path) -> set[str]:
    """Our ids of the episodes with calls that went well, past the gate."""
    clean = CleanSide(home=str(home))
    found: set[str] = set()
    for app in apps_of(open_home(home)):
        labels = labels_of(clean.lake, app, clean.outcome_policy)
        found |= {
            e.episode_id
            for e in clean_episodes_of(clean.lake, app)
            if any(step.tool_calls for step in e.steps)
            and (label := labels.get(e.episode_id)) is not None
            and label.resolved
        }
    return found


def _episodes(provenance: Mapping[str, Any]) -> list[Any]:
    listed = provenance.get("episodes")
    return listed if isinstance(listed, list) else []


def _print_losses(found: Yield) -> None:
    for stage in found.stages:
        for reason, count in stage["lost"].items():
            action = stage["actions"].get(reason, "")
            print(f"  - {stage['stage']}: {count} {reason}{': ' + action if action else ''}")
