"""Backtests on held-out episodes of real data, by the product's own commands, redaction on: worlds and graders.

Airline and retail of `TRACEGYM_REAL_DATA`, each held out in two or three ways.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.figures import Figure, Row, percent
from benchmarks.product import require
from benchmarks.testbeds.real_data import real_data

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
        ("ingest", parts[False]),
        ("build",),
        ("backtest", parts[True], "--json", found),
    ):
        require(*command, "--home", home)
    return dict(json.loads(found.read_text()))


def options(parser: argparse.ArgumentParser) -> None:
    """Nothing is chosen."""
    del parser


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each split."""
    del options
    data = real_data()
    if data is None:
        return
    for split in SPLITS:
        with tempfile.TemporaryDirectory() as work:
            began = time.monotonic()
            found = measure(split, data, Path(work))
            seconds = round(time.monotonic() - began)
        yield Row(case=split.name, figures={**_figures(found), "build and backtest s": seconds})


def _figures(found: Line) -> dict[str, Figure]:
    calls, graders = found["calls"], found["graders"]["all"]
    return {
        "calls": calls,
        "tape %": percent(found["tape"]["exact"], calls),
        "right %": percent(found["exact"] + found["equivalent"], calls),
        "wrong": found["wrong"],
        "unknown %": percent(found["unknown"], calls),
        **{name: graders[name] for name in ("episodes", "graded", "kappa")},
        "false pass": graders["false_pass"],
        "false fail": graders["false_fail"],
    }
