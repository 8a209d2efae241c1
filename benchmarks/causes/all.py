"""How often the cause of a failure is found: the agent and the step that people named, and faults that are known because they were injected.

Without an option it is the example desk with injected faults. `--runs` takes failed runs that people looked at, `--attempts` recorded attempts
whose agents are named after their fault, `--judged` a chat log whose outcomes are partly hidden.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from benchmarks.causes.attempts import attempts_rows
from benchmarks.causes.desk import desk_rows
from benchmarks.causes.judged import judged_rows
from benchmarks.causes.runs import runs_rows
from benchmarks.figures import Row
from environments.llm import LlmJudge


def options(parser: argparse.ArgumentParser) -> None:
    """What causes are looked for in."""
    parser.add_argument("--runs", type=Path, help="a folder of failed runs that people looked at")
    parser.add_argument("--attempts", type=Path, help="folders of attempts named after their fault")
    parser.add_argument("--judged", type=Path, help="a chat log whose lines have an outcome")
    parser.add_argument("--variants", default="1,2,3")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--requests", type=int, default=100)
    parser.add_argument("--judge", default="", help="a model that is asked about the runs as well")
    parser.add_argument("--judge-url", default="", help="its OpenAI-compatible endpoint")
    parser.add_argument("--details", action="store_true")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """The rows that were asked for."""
    if options.runs:
        model = LlmJudge(model=options.judge, base_url=options.judge_url)
        yield from runs_rows(options.runs, model if options.judge else None)
    if options.judged:
        yield from judged_rows(options.judged)
    if options.attempts:
        yield from attempts_rows(options.attempts)
    if not (options.runs or options.judged or options.attempts):
        variants = [int(one) for one in options.variants.split(",")]
        yield from desk_rows(
            variants, seed=options.seed, requests=options.requests, details=options.details
        )
