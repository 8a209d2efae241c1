"""Our graders beside judges that others wrote: published tasks, every kind of agent, the whole product in between.

Firms with their tasks and judges. Per agent: what the accepted rubrics say of attempts that the home never saw, beside the package's own judge.
Attempts go in as chat logs, verdicts as a table of outcomes; redaction is on unless told otherwise. The judge sees the real backend; the
rubric sees the same actions made again in the world that was learnt. Needs `TRACEGYM_OUTSIDE`.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.figures import Row
from benchmarks.product import require
from benchmarks.rubrics import judged_agentdojo
from benchmarks.rubrics.desk import (
    FALSE_FAIL,
    FALSE_PASS,
    Confusion,
    agreed,
    kappa_of,
)
from benchmarks.testbeds.invented.backend import Call
from benchmarks.testbeds.published.errands import POLICIES, Errand, Firm
from dagster_project.home.layout import open_home
from dagster_project.home.vault_key import vault_secret
from dagster_project.worlds.backtest import backtest
from environments.verify import ACCEPTED

ATTEMPTS: Final = 6
"""Recorded attempts a task."""
LIKELY: Final = {"good": 3, "more_looks": 2, "own_words": 2}
"""How often an agent is met in production; the others once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One attempt, and what the package's judge says of it."""

    policy: str
    chat: dict[str, Any]
    right: bool
    same: bool
    """Whether the backend ended as the author's own calls leave it."""


def hold(firm: Firm, errand: Errand, policy: str, number: str) -> Held:
    """Let one agent try one errand on a fresh backend."""
    rng = random.Random(f"{firm.name}/{errand.key}/{policy}/{number}")  # noqa: S311 - dice
    plan = {p.__name__: p for p in POLICIES}[policy](firm, errand, rng)
    sitting = firm.sit(errand.key)
    messages: list[dict[str, Any]] = [{"role": "user", "content": errand.prompt}]
    for at, (name, given) in enumerate(plan.calls):
        answer = sitting.call(name, json.loads(json.dumps(given)))
        messages += _made(f"c{at}", (name, given), answer.content, is_error=answer.is_error)
    messages.append({"role": "assistant", "content": plan.words})
    begun = rng.randrange(28 * 24 * 60)
    chat = {
        "app": firm.name,
        "agent": "agent",
        "episode_id": f"{firm.name}-{errand.key}-{policy}-{number}",
        "task_key": f"{firm.name}-{errand.key}",
        "started_at": f"2026-03-{1 + begun // 1440:02d}T{begun // 60 % 24:02d}:{begun % 60:02d}:00+00:00",
        "tools": list(firm.tools),
        "messages": messages,
    }
    right = sitting.verdict(plan.words, plan.calls)
    return Held(policy=policy, chat=chat, right=right, same=sitting.state() == errand.end)


def _made(number: str, call: Call, content: str, *, is_error: bool) -> Iterator[dict[str, Any]]:
    function = {"name": call[0], "arguments": json.dumps(call[1])}
    asked = {"id": number, "type": "function", "function": function}
    yield {"role": "assistant", "content": None, "tool_calls": [asked]}
    yield {
        "role": "tool",
        "tool_call_id": number,
        "content": content,
        "tg": {"is_error": is_error},
    }


def recorded(firm: Firm, seed: int, *, attempts: int = ATTEMPTS) -> list[Held]:
    """What production saw: some agents, most of them good, at every errand."""
    names = [p.__name__ for p in POLICIES]
    weights = [LIKELY.get(name, 1) for name in names]
    found = []
    for errand in firm.errands:
        rng = random.Random(f"{firm.name}/{errand.key}/{seed}/who")  # noqa: S311 - dice
        for number, policy in enumerate(rng.choices(names, weights, k=attempts)):
            found.append(hold(firm, errand, policy, f"{seed}-{number}"))
    return found


@dataclass(slots=True)
class Beside:
    """Verdicts of one home beside the judge's."""

    predicted: Confusion = field(default_factory=Confusion)
    reward: Confusion = field(default_factory=Confusion)
    other: Confusion = field(default_factory=Confusion)
    """Predictions of tasks that were not accepted."""
    calls: dict[str, Counter[str]] = field(default_factory=dict)
    """What the learnt tools said, by agent."""
    statuses: Counter[str] = field(default_factory=Counter)
    forgiven: Counter[str] = field(default_factory=Counter)
    """Predictions that are false fails, by agent, where the judge passes an end that is not the author's."""
    errors: list[str] = field(default_factory=list)

    def add(self, other: Beside) -> None:
        """Add another home's."""
        for mine, theirs in (
            (self.predicted, other.predicted),
            (self.reward, other.reward),
            (self.other, other.other),
        ):
            for policy, counts in theirs.counts.items():
                mine.counts[policy].update(counts)
        for policy, counts in other.calls.items():
            self.calls.setdefault(policy, Counter()).update(counts)
        self.statuses.update(other.statuses)
        self.forgiven.update(other.forgiven)
        self.errors += other.errors


def measure(firm: Firm, seed: int, work: Path, *, redaction: str) -> Beside:
    """Record, build a home, and hold fresh attempts of every agent against it."""
    before = recorded(firm, seed)
    home = work / "home"
    take_in(before, work, home, app=firm.name)
    require("build", "--redaction", redaction, "--home", home)
    solved = {one.chat["task_key"] for one in before if one.right}
    found = Beside()
    statuses: dict[str, str] = {}
    opened = open_home(home)
    for policy in (p.__name__ for p in POLICIES):
        held = [hold(firm, errand, policy, f"{seed}-fresh") for errand in firm.errands]
        path = work / f"{policy}.jsonl"
        write_chats(path, held, told=True)
        said = backtest(opened, [path], secret=vault_secret(opened, None))
        counts = {name: said[name] for name in ("calls", "exact", "equivalent", "wrong", "unknown")}
        found.calls[policy] = Counter(counts)
        right = {one.chat["episode_id"]: one for one in held}
        for one in said["episodes"]:
            truth = right[one["episode_id"]]
            key = truth.chat["task_key"]
            statuses[key] = one["status"]
            if key not in solved:
                continue
            chosen = found.predicted if one["status"] == ACCEPTED else found.other
            words = [chosen.add(policy, one["predicted"], truth=truth.right)]
            if one["status"] == ACCEPTED:
                words.append(found.reward.add(policy, one["reward"], truth=truth.right))
            if one["status"] == ACCEPTED and words[0] == FALSE_FAIL and not truth.same:
                found.forgiven[policy] += 1
            if {FALSE_PASS, FALSE_FAIL} & set(words):
                end = "" if truth.same else ", another end than the author's"
                line = f"{one['status']} {one['episode_id']}: {', '.join(words)}{end}"
                found.errors.append(line)
    found.statuses = Counter(
        status if key in solved else f"unsolved, {status}" for key, status in statuses.items()
    )
    return found


def write_chats(path: Path, held: Sequence[Held], *, told: bool = False) -> None:
    """Attempts as chat logs, with the judge's verdict where `told`."""
    lines = [
        {**one.chat, "outcome": {"name": "resolved", "value": int(one.right)}} if told else one.chat
        for one in held
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")


def take_in(held: Sequence[Held], work: Path, home: Path, *, app: str) -> None:
    """Attempts into a home: chat logs, and the judge's verdicts as a table of outcomes."""
    write_chats(work / "chats.jsonl", held)
    with (work / "outcomes.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(("key", "resolved"))
        rows.writerows((one.chat["episode_id"], int(one.right)) for one in held)
    require("ingest", work / "chats.jsonl", "--home", home)
    told = ("--key", "key", "--value", "resolved", "--outcome", "resolved", "--target", "episode")
    require("outcomes", work / "outcomes.csv", *told, "--app", app, "--home", home)


def _of_firm(name: str, found: Beside) -> Iterator[Row]:
    """One firm's rows."""
    yield Row(case=f"{name}, tasks", figures=dict(found.statuses))
    for label, confusion in (
        ("accepted, predicted", found.predicted),
        ("accepted, reward", found.reward),
        ("others, predicted", found.other),
    ):
        total = confusion.total()
        figures = {**agreed(total), "kappa": kappa_of(total)}
        yield Row(case=f"{name}, {label}", figures=figures)
    forgiven = {"another end than the author's": found.forgiven.total()}
    yield Row(case=f"{name}, false fails", figures=forgiven)
    for policy, counts in found.calls.items():
        yield Row(case=f"{name}, calls, {policy}", figures=dict(counts))
    yield from found.predicted.rows(f"{name}, predicted")
    yield from found.reward.rows(f"{name}, reward")


def options(parser: argparse.ArgumentParser) -> None:
    """Which firms."""
    parser.add_argument("--firm", default="", help="names, with commas between")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--redaction", choices=("on", "off"), default="on")
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--keep", type=Path, help="a folder where homes stay")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """The rows of every firm, and of all together."""
    wanted = options.firm.split(",") if options.firm else None
    total = Beside()
    for firm in judged_agentdojo.firms():
        if wanted is not None and firm.name not in wanted:
            continue
        with (
            nullcontext(str(options.keep / firm.name))
            if options.keep
            else TemporaryDirectory() as work
        ):
            Path(work).mkdir(parents=True, exist_ok=True)
            found = measure(firm, options.seed, Path(work), redaction=options.redaction)
        yield from _of_firm(firm.name, found)
        if options.errors:
            print("\n".join(f"  {line}" for line in found.errors))
        total.add(found)
    if total.statuses and not wanted:
        yield from _of_firm("all", total)
