"""Does training on exported tasks make the real thing better? `python -m examples.train_small.train --out out`.

Comes in: nothing but this repository (the support desk is production). Goes out: exports, a JSON file for each arm and seed, the
result as JSON, and a picture. Stopped at any moment, the same command goes on. Needs numpy alone, no model and no GPU.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from examples.production import ExampleError, make_exports
from examples.train_small.arms import Experiment
from examples.train_small.desk import Desk
from examples.train_small.outcome import outcome_of
from examples.train_small.picture import draw
from examples.train_small.plan import DESK, QUICK


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiment at one support desk."""
    options = _parse(arguments)
    console = Console()
    plan = QUICK if options.quick else DESK
    desk = Desk(
        mode=options.mode,
        variant=options.variant,
        conversations=options.conversations or plan.conversations,
    )
    steps = plan.schedule.steps if options.steps is None else options.steps
    schedule = replace(plan.schedule, steps=steps)
    plan = replace(plan, seeds=options.seeds or plan.seeds, schedule=schedule)
    try:
        exports = make_exports(desk.arguments(), options.exports or options.out / desk.name)
    except ExampleError as error:
        console.print(f"[red]train_small:[/red] {error}")
        return 1
    try:
        found = Experiment(desk, exports.folder, plan, options.out / "runs").run(console.print)
    except KeyboardInterrupt:
        console.print("train_small: stopped; the same command goes on")
        return 130
    outcome = outcome_of(found).document()
    (options.out / f"{desk.name}.json").write_text(
        json.dumps(outcome, indent=1) + "\n", encoding="utf-8"
    )
    draw(options.out / f"{desk.name}.png", desk.name, found)
    console.print_json(data=outcome)
    console.print(outcome["says"])
    return 0


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Trains a linear policy on what tracegym made.")
    parser.add_argument("--out", type=Path, default=Path("train-small-out"), metavar="DIR")
    parser.add_argument("--exports", type=Path, metavar="DIR", help="where taskset/ and sft/ are")
    parser.add_argument("--mode", choices=("reset", "living"), default="reset")
    parser.add_argument("--variant", type=int, default=0)
    parser.add_argument("--conversations", type=int, help="default: 2400, with --quick 400")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--steps", type=int, help="of GRPO after the rounds, in either arm")
    parser.add_argument("--quick", action="store_true", help="every part once, in minutes")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
