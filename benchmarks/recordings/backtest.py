"""Backtests on held-out episodes of real data, by the product's own commands, redaction on: worlds and graders.

Run: `TRACEGYM_REAL_DATA=... python -m benchmarks backtest`. Prints a Markdown table; keeps nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Line = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """One way to hold episodes out."""

    name: str
    file: str
    holds_out: Callable[[Line], bool]


def _trial(line: Line) -> int:
    return int(str(line["episode_id"]).rsplit("-", 1)[1])


def _number(line: Line) -> int:
    return int(str(line["task_key"]).rsplit("-", 1)[1])


def _fifth(line: Line) -> bool:
    """Whole tasks; neighbouring tasks may be about the same customer."""
    return _number(line) % 5 == 0


def _alternating(line: Line) -> bool:
    """One of the two agents, a different one from task to task."""
    return (str(line["agent"]) == "assertions") == (_number(line) % 2 == 0)


SPLITS = (
    Split(name="airline, trial 2 held out", file="airline", holds_out=lambda e: _trial(e) == 2),
    Split(name="airline, a fifth of the tasks held out", file="airline", holds_out=_fifth),
    Split(name="retail, one attempt a task held out", file="retail", holds_out=_alternating),
    Split(
        name="retail, one agent held out",
        file="retail",
        holds_out=lambda e: e["agent"] == "assertions",
    ),
    Split(name="retail, a fifth of the tasks held out", file="retail", holds_out=_fifth),
)


def measure(split: Split, data: Path, work: Path) -> dict[str, Any]:
    """Ingest and build without the held-out episodes, then backtest on them."""
    lines = (data / "tau" / f"{split.file}.train.jsonl").read_text().splitlines()
    parts = {True: work / "held.jsonl", False: work / "kept.jsonl"}
    for held, path in parts.items():
        path.write_text("".join(f"{t}\n" for t in lines if split.holds_out(json.loads(t)) is held))
    home, found = work / "home", work / "found.json"
    for command in (
        ["ingest", str(parts[False])],
        ["build"],
        ["backtest", str(parts[True]), "--json", str(found)],
    ):
        subprocess.run(
            [sys.executable, "-m", "dagster_project.cli.main", *command, "--home", str(home)],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    return dict(json.loads(found.read_text()))


def row(name: str, found: dict[str, Any], seconds: float) -> str:
    """One line of the table."""
    calls, graders = found["calls"], found["graders"]["all"]
    right = found["exact"] + found["equivalent"]
    kappa = "n/a" if graders["kappa"] is None else f"{graders['kappa']:.2f}"
    return (
        f"| {name} | {calls} | {found['tape']['exact'] / calls:.1%} | {right / calls:.1%} "
        f"| {found['wrong']} ({found['wrong'] / calls:.2%}) | {found['unknown'] / calls:.1%} "
        f"| {graders['graded']} of {graders['episodes']} | {kappa} "
        f"| {graders['false_pass']} / {graders['false_fail']} | {seconds:.0f} s |"
    )


def main() -> int:
    """Measure every split."""
    folder = os.environ.get("TRACEGYM_REAL_DATA")
    if not folder:
        print("set TRACEGYM_REAL_DATA to the folder of real traces", file=sys.stderr)
        return 0
    print(
        "| split | calls | tape | right | wrong | unknown | graded | kappa "
        "| false pass / fail | build + backtest |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    )
    for split in SPLITS:
        with tempfile.TemporaryDirectory() as work:
            began = time.monotonic()
            found = measure(split, Path(folder), Path(work))
            print(row(split.name, found, time.monotonic() - began), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
