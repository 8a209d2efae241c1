"""Does training on exported tasks make a published backend's agent better? The experiment of `examples/train_small` at a bank.

A bank whose errands are drawn (needs `TRACEGYM_OUTSIDE`). Below `--out`: exports, a file for each arm and seed, the result
as JSON and a picture. Stopped, the same command goes on.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from benchmarks.figures import Figure, Row
from benchmarks.product import require
from benchmarks.rubrics.judged import recorded, take_in
from examples.train_small.arms import Experiment
from examples.train_small.outcome import outcome_of
from examples.train_small.picture import draw
from examples.train_small.plan import FULL

if TYPE_CHECKING:
    from benchmarks.testbeds.published.errands import Firm
    from examples.train_small.practice import Act

ERRANDS: Final = 150
"""In production."""
ATTEMPTS: Final = 4
"""At each."""
MOST: Final = 20
"""Messages of an agent at one errand."""


def firm(purpose: str, count: int) -> Firm:
    """The bank with so many errands; the package is imported where one is asked for."""
    found: Firm = import_module("benchmarks.rollouts.trained_bank").bank(purpose, count)
    return found


class Outside:
    """The bank as an app to learn from."""

    name = "bank"

    def production(self, count: int) -> list[Visitor]:
        """Errands that production had."""
        return self._visitors("production", min(count, ERRANDS))

    def unseen(self, count: int) -> list[Visitor]:
        """Errands that it never had."""
        return self._visitors("unseen", count)

    @staticmethod
    def _visitors(purpose: str, count: int) -> list[Visitor]:
        held = firm(purpose, count)
        return [Visitor(held, errand.key, errand.prompt) for errand in held.errands]


@dataclass(frozen=True, slots=True)
class Visitor:
    """One errand at the real backend."""

    firm: Firm
    key: str
    prompt: str

    @property
    def task_key(self) -> str:
        """What the chat log calls the errand."""
        return f"{self.firm.name}-{self.key}"

    def play(self, act: Act) -> bool:
        """Let an agent serve it; whether the backend ended as it should and the answer was given."""
        sitting = self.firm.sit(self.key)
        messages: list[dict[str, Any]] = [{"role": "user", "content": self.prompt}]
        for _ in range(MOST):
            message = dict(act(messages, self.firm.tools))
            messages.append(message)
            if not message.get("tool_calls"):
                return sitting.verdict(str(message["content"] or ""), ())
            for call in message["tool_calls"]:
                function = call["function"]
                answer = sitting.call(function["name"], json.loads(function["arguments"]))
                said = {"role": "tool", "tool_call_id": call["id"], "content": answer.content}
                messages.append(said)
        return False


def make_exports(folder: Path) -> None:
    """Record production, take it in, build, export; what is there stays."""
    if (folder / "sft" / "train.jsonl").is_file():
        return
    folder.mkdir(parents=True, exist_ok=True)
    held = recorded(firm("production", ERRANDS), 0, attempts=ATTEMPTS)
    home = folder / "home"
    take_in(held, folder, home, app=held[0].chat["app"])
    require("build", "--home", home)
    for format_name in ("taskset", "sft"):
        require("export", format_name, folder / format_name, "--home", home)


def options(parser: argparse.ArgumentParser) -> None:
    """Which firm, and how often."""
    parser.add_argument("firm", choices=("bank",))
    parser.add_argument("--out", type=Path, default=Path("trained-out"))
    parser.add_argument("--seeds", type=int, default=FULL.seeds)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """Run the experiment at one firm: a row for each part of its outcome."""
    exports = options.out / options.firm
    make_exports(exports)
    plan = replace(FULL, seeds=options.seeds)
    found = Experiment(Outside(), exports, plan, options.out / "runs").run(print)
    outcome: dict[str, Any] = outcome_of(found).document()
    (options.out / f"{options.firm}.json").write_text(
        json.dumps(outcome, indent=1), encoding="utf-8"
    )
    draw(options.out / f"{options.firm}.png", options.firm, found)
    for name, part in outcome.items():
        figures = (
            {k: _figure(v) for k, v in part.items()}
            if isinstance(part, dict)
            else {"is": _figure(part)}
        )
        yield Row(case=f"{options.firm}, {name}", figures=figures)


def _figure(value: Any) -> Figure:  # noqa: ANN401 - a part of a JSON document
    return value if isinstance(value, int | float | str) else json.dumps(value)
