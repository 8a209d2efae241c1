"""How far derived rubrics agree with outcomes they have not seen.

Chat-log files with outcomes (without names, those below `TRACEGYM_REAL_DATA`), and the example support desk. One attempt per task is held out
at a time; world, tasks and rubrics are made from the rest; the held-out attempt's actions are re-run in that world and graded. Personal data
must already be fictional or redacted: this reads the files as they are.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from benchmarks.figures import Figure, Row, percent
from benchmarks.rubrics.desk import Failed, agreement, failed_requests
from benchmarks.testbeds.chat_logs import to_episode
from benchmarks.testbeds.real_data import data_files
from dagster_project.tasks.shares import interval, kappa
from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import run_actions
from environments.runtime.task.candidate import Candidate
from environments.runtime.world.world import World
from ingest.records.right_answer import right_answer_among
from redact.records.clean_episode import CleanEpisode
from redact.records.clean_outcome import CleanOutcome
from synth.labels.label import Label, label_episodes
from synth.labels.policy import OutcomePolicy
from synth.recordings.attempt import record
from synth.rubric.references import Reference, references_of
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world

FLIPPED: Final = 0.1
HIDDEN: Final = 0.7


@dataclass(frozen=True, slots=True)
class Data:
    """One file: its episodes and the label of each."""

    name: str
    episodes: tuple[CleanEpisode, ...]
    labels: Mapping[str, Label]
    references: Mapping[str, Reference] = field(default_factory=dict)
    """What outcomes say that the right answers were."""


@dataclass(slots=True)
class Agreement:
    """What rubrics said of attempts that they have not seen."""

    pairs: list[tuple[bool, bool]] = field(default_factory=list)
    asked: int = 0
    false_joins: int = 0
    rewards: Counter[tuple[bool, str]] = field(default_factory=Counter)
    """True outcome and what training would be paid."""

    def paid(self, *, truth: bool) -> dict[str, Figure]:
        """What training would pay attempts that users called resolved, or those they called unresolved."""
        return {word: self.rewards[truth, word] for word in ("1", "0", "masked", "part")}

    def figures(self) -> dict[str, Figure]:
        """Coverage, agreement and both kinds of error."""
        graded = len(self.pairs)
        wrong_pass = sum(p and not t for p, t in self.pairs)
        return {
            "asked": self.asked,
            "graded %": percent(graded, self.asked),
            "agree %": percent(sum(p == t for p, t in self.pairs), graded),
            "kappa": kappa(self.pairs),
            "false pass": wrong_pass,
            "false pass %": percent(wrong_pass, graded),
            "at most %": round(100 * interval(wrong_pass, graded)[1], 1),
            "false fail": sum(t and not p for p, t in self.pairs),
            "false joins": self.false_joins,
        }


def options(parser: argparse.ArgumentParser) -> None:
    """What rubrics are made of."""
    parser.add_argument("files", nargs="*", type=Path, help="chat logs with outcomes")
    parser.add_argument("--quick", action="store_true", help="only the clean figures")
    parser.add_argument("--errors", action="store_true", help="list every disagreement")
    parser.add_argument(
        "--desk", default="1:31,3:32,5:33", help="variant:seed of the support desk's seasons, or ''"
    )
    parser.add_argument("--conversations", type=int, default=200, help="in a season of the desk")
    parser.add_argument("--failed", type=int, default=700, help="in a season without repetitions")
    parser.add_argument(
        "--living", action="store_true", help="that season is one shop's thirty days"
    )
    parser.add_argument(
        "--told", type=int, default=0, help="a human tells of one failed in so many"
    )


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """The rows of the desk's seasons and of every file."""
    seasons = [_season(text) for text in options.desk.split(",") if text]
    if seasons:
        yield from agreement(seasons, options.conversations, errors=options.errors)
        failed = Failed(conversations=options.failed, living=options.living, told=options.told)
        yield from failed_requests(seasons[:1], failed, errors=options.errors)
    for path in options.files or data_files("tau/*.jsonl"):
        yield from _of_file(read(path), quick=options.quick, errors=options.errors)


def _season(text: str) -> tuple[int, int]:
    variant, _, seed = text.partition(":")
    return int(variant), int(seed)


def _of_file(data: Data, *, quick: bool, errors: bool) -> Iterator[Row]:
    """One file's rows."""
    variants: list[tuple[str, Mapping[str, Label], bool]] = [("all outcomes", data.labels, True)]
    if not quick:
        variants += [
            ("10 % flipped", flipped(data.labels, seed=1), True),
            ("70 % hidden", hidden(data.labels, seed=1), True),
            ("no task_key", data.labels, False),
        ]
    for name, labels, keyed in variants:
        listed = errors and name == variants[0][0]
        every, resolved = hold_out(data, labels, keyed=keyed, errors=listed)
        case = f"{data.name}, {name}"
        yield Row(case=f"{case}, resolved exists", figures=resolved.figures())
        yield Row(case=f"{case}, all episodes", figures=every.figures())
        yield Row(case=f"{case}, resolved, paid", figures=resolved.paid(truth=True))
        yield Row(case=f"{case}, unresolved, paid", figures=resolved.paid(truth=False))


def hold_out(
    data: Data, labels: Mapping[str, Label], *, keyed: bool, errors: bool
) -> tuple[Agreement, Agreement]:
    """Hold out one attempt per task at a time; the true label judges, `labels` teach."""
    every, resolved = Agreement(), Agreement()
    for held in folds(data.episodes):
        rest = [e for e in data.episodes if e.episode_id not in held]
        taught = rest if keyed else [replace(e, task_key=None) for e in rest]
        learnt = learn_world(taught, WorldSettings())
        candidates = derive_tasks(taught, labels, learnt, references=data.references)
        world = World(learnt.document)
        keys = {e.episode_id: e.task_key for e in rest}
        every.false_joins += sum(_mixed(c, keys) for c in candidates)
        by_key: dict[str | None, list[Candidate]] = defaultdict(list)
        for candidate in candidates:
            by_key[keys[candidate.attempts[0].episode_id]].append(candidate)
        for episode in data.episodes:
            if episode.episode_id in held:
                chosen = by_key[episode.task_key]
                _grade(_Held(episode, data, chosen), world, (every, resolved), errors=errors)
    return every, resolved


@dataclass(frozen=True, slots=True)
class _Held:
    """One held-out episode with the tasks that have its key."""

    episode: CleanEpisode
    data: Data
    candidates: Sequence[Candidate]


def _grade(held: _Held, world: World, tables: tuple[Agreement, Agreement], *, errors: bool) -> None:
    """Grade one held-out attempt with the task that has its key (the one with a resolved attempt first)."""
    every, resolved = tables
    episode, data = held.episode, held.data
    truth = data.labels[episode.episode_id].resolved
    ranked = sorted(held.candidates, key=lambda c: (not c.solution, c.task.task_id))
    if truth is None or not ranked:
        return
    chosen = ranked[0]
    has_good = any(data.labels[a.episode_id].resolved for c in ranked for a in c.attempts)
    attempt = run_actions(chosen.task, world, record(episode).actions)
    verdict = evaluate(chosen.rubric, attempt, task_version="held out")
    for table in (every, resolved) if has_good else (every,):
        table.asked += 1
        table.rewards[truth, _word(verdict.reward)] += 1
        if verdict.predicted is not None:
            table.pairs.append((verdict.predicted >= 0.5, truth))
    if errors and has_good and (verdict.predicted is None or (verdict.predicted >= 0.5) != truth):
        why = [(c.check_id, c.score, c.evidence) for c in verdict.checks if c.score != 1.0]
        print(f"  {episode.episode_id} predicted {verdict.predicted} truth {truth}: {why[:3]}")


def _word(reward: float | None) -> str:
    if reward is None:
        return "masked"
    return f"{reward:g}" if reward in {0.0, 1.0} else "part"


def changes(candidate: Candidate) -> bool:
    """Whether the first accepted end changes something."""
    check = next(c for c in candidate.rubric.checks if c.fn == "end_state")
    ends: Any = check.args["ends"]
    return bool(ends and ends[0]["writes"])


def folds(episodes: Sequence[CleanEpisode]) -> list[frozenset[str]]:
    """The n-th attempt of every task, for each n; tasks with one attempt are never held out."""
    grouped: dict[str, list[str]] = defaultdict(list)
    for episode in episodes:
        grouped[episode.task_key or episode.episode_id].append(episode.episode_id)
    most = max(len(group) for group in grouped.values())
    return [
        frozenset(g[n] for g in grouped.values() if n < len(g) and len(g) > 1) for n in range(most)
    ]


def flipped(labels: Mapping[str, Label], *, seed: int) -> dict[str, Label]:
    """A tenth of the labels say the opposite; the policy is told that much noise."""
    chance = random.Random(seed)  # noqa: S311 - a repeatable sample, not a secret
    turned = {}
    for name, label in sorted(labels.items()):
        wrong = chance.random() < FLIPPED and label.resolved is not None
        turned[name] = replace(
            label, resolved=not label.resolved if wrong else label.resolved, confidence=1 - FLIPPED
        )
    return turned


def hidden(labels: Mapping[str, Label], *, seed: int) -> dict[str, Label]:
    """Only three tenths of the labels are known."""
    chance = random.Random(seed)  # noqa: S311 - a repeatable sample, not a secret
    return {name: label for name, label in sorted(labels.items()) if chance.random() >= HIDDEN}


def read(path: Path) -> Data:
    """Chat-log lines as clean episodes, unchanged."""
    episodes: list[CleanEpisode] = []
    outcomes: list[CleanOutcome] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        value = json.loads(line)
        episodes.append(to_episode(value))
        outcomes += _outcomes(value)
    labels = label_episodes(outcomes, OutcomePolicy())
    references = references_of(outcomes, OutcomePolicy())
    return Data(path.name, tuple(episodes), labels, references)


def _outcomes(value: Mapping[str, Any]) -> Iterable[CleanOutcome]:
    listed = [*value.get("outcomes", ()), *([value["outcome"]] if value.get("outcome") else ())]
    for number, outcome in enumerate(listed):
        yield CleanOutcome(
            app=str(value.get("app", "app")),
            outcome_id=f"{value['episode_id']}:{number}",
            episode_id=str(value["episode_id"]),
            name=str(outcome["name"]),
            value=None if outcome.get("value") is None else float(outcome["value"]),
            correction=right_answer_among(outcome),
            by=str(outcome.get("by", "unknown")),
        )


def _mixed(candidate: Candidate, keys: Mapping[str, str | None]) -> bool:
    return len({keys[a.episode_id] for a in candidate.attempts}) > 1
