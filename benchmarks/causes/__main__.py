"""Prints the tables of `benchmarks.causes` that were asked for."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import causes
from benchmarks.causes.attempts import report_attempts
from benchmarks.causes.desk import report_desk
from benchmarks.causes.judged import report_judged
from benchmarks.causes.runs import report_runs
from environments.llm import LlmJudge


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what was asked for."""
    about = causes.__doc__
    parser = argparse.ArgumentParser(prog="python -m benchmarks causes", description=about)
    parser.add_argument("--runs", type=Path, help="a folder of failed runs that people looked at")
    parser.add_argument("--attempts", type=Path, help="folders of attempts named after their fault")
    parser.add_argument("--judged", type=Path, help="a chat log whose lines have an outcome")
    parser.add_argument("--variants", default="1,2,3")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--requests", type=int, default=100)
    parser.add_argument("--judge", default="", help="a model that is asked about the runs as well")
    parser.add_argument("--judge-url", default="", help="its OpenAI-compatible endpoint")
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args(arguments)
    if options.runs:
        model = LlmJudge(model=options.judge, base_url=options.judge_url)
        report_runs(options.runs, model if options.judge else None)
    if options.judged:
        report_judged(options.judged)
    if options.attempts:
        report_attempts(options.attempts)
    if options.runs or options.judged or options.attempts:
        return 0
    variants = [int(one) for one in options.variants.split(",")]
    report_desk(variants, seed=options.seed, requests=options.requests, details=options.details)
    return 0


if __name__ == "__main__":
    sys.exit(main())
