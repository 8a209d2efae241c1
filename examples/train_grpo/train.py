"""Train a small model on what tracegym made of production: `python examples/train_grpo/train.py --out out`.

Comes in: nothing but this repository (the support desk is the production app). Goes out: the exports, two models, the
exam's result as JSON, and curves as PNG. The same command goes on where a run was stopped. With `--smoke` everything happens once, in about a minute, on a CPU.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

import torch
from rich.console import Console

from environments.rollout.errors import RolloutError
from environments.rollout.torch_policy import TorchPolicy, TorchSettings
from environments.runtime.task.task_set import TaskSet
from examples.production import ExampleError, make_exports
from examples.train_grpo.curves import draw
from examples.train_grpo.grpo import Step, reinforce
from examples.train_grpo.imitation import imitate
from examples.train_grpo.little_model import Learner, Message, load_learner, make_learner
from examples.train_grpo.plan import FULL, SMOKE, Plan
from examples.train_grpo.real_desk import examine
from examples.train_grpo.statistics import paired

Made = TypeVar("Made")


@dataclass(slots=True, kw_only=True)
class Diary:
    """What happened when, on the screen and for the result."""

    console: Console
    started: float = field(default_factory=time.monotonic)
    seconds: dict[str, float] = field(default_factory=dict)

    def chapter(self, name: str) -> None:
        """Note that a part of the run has ended."""
        self.seconds[name] = round(time.monotonic() - self.started - sum(self.seconds.values()), 1)
        self.console.print(f"[bold]{name}[/bold] took {self.seconds[name]:.0f} s")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the example."""
    options = _parse(arguments)
    diary = Diary(console=Console())
    try:
        result = run(_plan(options), options.out, device=options.device, diary=diary)
    except (ExampleError, RolloutError) as error:
        diary.console.print(f"[red]train_grpo:[/red] {error}")
        return 1
    except KeyboardInterrupt:
        diary.console.print("train_grpo: stopped; the same command goes on from here")
        return 130
    (options.out / "result.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    diary.console.print_json(data=result["exam"])
    diary.console.print(f"everything lies in {options.out}; the curves are curves.png")
    return 0


def run(plan: Plan, out: Path, *, device: str, diary: Diary) -> dict[str, Any]:
    """All parts, in order."""
    torch.manual_seed(plan.seed)
    _require_same_plan(plan, out)
    exports = make_exports(plan.desk(), out)
    diary.chapter("production to exports")
    rows = _rows(exports.good_attempts / "train.jsonl")
    learner, losses = _imitated(plan, out, rows, device=device, console=diary.console)
    diary.chapter("imitation")
    before = _once(out / "exam-before.json", lambda: asyncio.run(_exam(learner, plan)))
    diary.console.print(f"real desk before GRPO: {sum(before)} of {len(before)} resolved")
    diary.chapter("exam before")
    task_set = TaskSet.load(exports.task_set)
    steps = asyncio.run(
        reinforce(
            learner,
            task_set,
            plan,
            on_step=lambda step: _say_step(diary.console, step),
            kept=out / "grpo-state.pt",
        )
    )
    learner.keep(out / "grpo")
    diary.chapter("GRPO")
    after = asyncio.run(_exam(learner, plan))
    diary.chapter("exam after")
    exam = paired(before, after)
    draw(out / "curves.png", losses=losses, steps=steps, exam=exam)
    return {
        "plan": asdict(plan),
        "device": _device_name(device),
        "parameters": sum(weights.numel() for weights in learner.model.parameters()),
        "tasks": len(task_set.tasks),
        "conversations": len(rows),
        "losses": losses,
        "steps": [asdict(step) for step in steps],
        "exam": exam.document(),
        "seconds": diary.seconds,
    }


async def _exam(learner: Learner, plan: Plan) -> list[bool]:
    writing = TorchSettings(
        name="exam", temperature=0, max_new_tokens=plan.max_new_tokens, batch=64, patience=0.05
    )
    async with TorchPolicy(learner.model, learner.tokenizer, writing) as policy:
        return await examine(policy, plan)


def _require_same_plan(plan: Plan, out: Path) -> None:
    """Refuse to go on with what another plan made.

    Raises:
        ExampleError: the folder holds a run of another plan.
    """
    document = json.loads(json.dumps(asdict(plan)))
    if _once(out / "plan.json", lambda: document) != document:
        raise ExampleError(f"{out} holds a run with other options; pass another --out")


def _once(path: Path, make: Callable[[], Made]) -> Made:
    """What was made before, or is made and kept now, as JSON."""
    if not path.is_file():
        made = make()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(made), encoding="utf-8")
    found: Made = json.loads(path.read_text(encoding="utf-8"))
    return found


def _imitated(
    plan: Plan, out: Path, rows: Sequence[Mapping[str, Any]], *, device: str, console: Console
) -> tuple[Learner, list[float]]:
    """The model after imitation and the losses; those of the run before where it came so far."""
    folder, kept = out / "imitation", out / "losses.json"
    if kept.is_file():
        return load_learner(str(folder), device=device), _once(kept, list[float])
    conversations: list[list[Message]] = [row["messages"] for row in rows]
    learner = (
        load_learner(plan.published, device=device)
        if plan.published
        else make_learner(conversations, plan.model, device=device)
    )
    losses = imitate(
        learner,
        conversations,
        plan.imitation,
        tools=rows[0]["tools"] if plan.published else (),
        on_step=lambda step, steps, loss: _say_loss(console, step, steps, loss),
    )
    learner.keep(folder)
    return learner, _once(kept, lambda: losses)


def _rows(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _say_loss(console: Console, step: int, steps: int, loss: float) -> None:
    if step == steps or step % max(1, steps // 20) == 0:
        console.print(f"imitation {step}/{steps}: loss {loss:.3f}")


def _say_step(console: Console, step: Step) -> None:
    console.print(
        f"GRPO {step.step}: mean reward {step.reward:.3f}, {step.spread} of {step.groups} groups "
        f"with spread, {step.masked} of {step.rollouts} masked"
    )


def _device_name(device: str) -> str:
    return torch.cuda.get_device_name(device) if device.startswith("cuda") else device


def _plan(options: argparse.Namespace) -> Plan:
    plan = SMOKE if options.smoke else FULL
    asked = {"conversations": options.conversations, "held_out": options.held_out}
    plan = replace(
        plan,
        seed=options.seed,
        published=options.model,
        **{k: v for k, v in asked.items() if v is not None},
    )
    if options.steps is not None:
        plan = replace(plan, reinforcement=replace(plan.reinforcement, steps=options.steps))
    if options.epochs is not None:
        plan = replace(plan, imitation=replace(plan.imitation, epochs=options.epochs))
    return plan


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Trains a small model on what tracegym made.")
    parser.add_argument("--out", type=Path, default=Path("train-out"), metavar="DIR")
    parser.add_argument(
        "--smoke", action="store_true", help="everything once, in a minute, on a CPU"
    )
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument(
        "--model",
        default="",
        metavar="NAME",
        help="a published model or its folder; else one from nothing",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--conversations", type=int, help="in production")
    parser.add_argument("--held-out", type=int, help="requests of the exam")
    parser.add_argument("--epochs", type=int, help="of imitation")
    parser.add_argument("--steps", type=int, help="of GRPO")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
