"""What the gate takes, what it keeps out, and what attacks still earn on the tasks that it accepted.

Chat-log files with outcomes (without names, those below `TRACEGYM_REAL_DATA`) and seasons of the example support desk: tasks by what their
right end does, the attacks that decide, and the families kept out of the gate with what they earn. The whole gate runs, its rules about the
set included. Personal data must already be fictional or redacted: this reads the files as they are.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.figures import Figure, Row, percent
from benchmarks.rubrics.agreement import changes, read
from benchmarks.rubrics.desk import true_label
from benchmarks.testbeds.desk.conversations import hold_season
from benchmarks.testbeds.real_data import data_files
from dagster_project.tasks.verification import VerifiedTask, verify_all
from dagster_project.worlds.stored_worlds import StoredWorld
from environments.runtime.task.candidate import Candidate
from environments.verification.constant import PREFIX
from environments.verification.probe import BELOW, ONE
from environments.verify import ACCEPTED, NEEDS_REVIEW, REJECTED
from redact.records.clean_episode import CleanEpisode
from synth.labels.label import Label
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One app's tasks with what the gate said of each."""

    name: str
    seconds: float
    """Processor time of the gate in this process."""
    tasks: Sequence[tuple[Candidate, VerifiedTask]]

    def rows(self) -> Iterator[Row]:
        """Tasks whose right end changes something, the others, and what each family kept out earns."""
        solved = [pair for pair in self.tasks if pair[0].solution]
        yield self._row("changes something", [p for p in solved if changes(p[0])])
        yield self._row("changes nothing", [p for p in solved if not changes(p[0])])
        yield from self._families()
        reasons: dict[str, Figure] = dict(self._reasons().most_common())
        yield Row(case=f"{self.name}, held back by", figures=reasons)
        yield Row(case=f"{self.name}, gate", figures={"processor s": round(self.seconds, 1)})

    def _row(self, end: str, pairs: Sequence[tuple[Candidate, VerifiedTask]]) -> Row:
        statuses = Counter(one.status for _, one in pairs)
        accepted = [one for _, one in pairs if one.status == ACCEPTED]
        used = [probe for one in accepted for probe in one.probes]
        figures = {
            "tasks": len(self.tasks),
            "with a known solution": len(pairs),
            "accepted": statuses[ACCEPTED],
            "accepted %": percent(statuses[ACCEPTED], len(pairs)),
            "to review": statuses[NEEDS_REVIEW],
            "rejected": statuses[REJECTED],
            "pay an attack": sum(_pays(one) for _, one in pairs),
            "accepted, pay": sum(map(_pays, accepted)),
            "void %": percent(sum(p["void"] for p in used), len(used)),
        }
        return Row(case=f"{self.name}, {end}", figures=figures)

    def _families(self) -> Iterator[Row]:
        """What each family kept out earns on accepted tasks, the best constant policy last."""
        rewards: dict[str, list[float]] = defaultdict(list)
        for _, one in self.tasks:
            for probe in one.probes if one.status == ACCEPTED else ():
                if not probe["in_gate"] and probe["reward"] is not None:
                    rewards[probe["name"]].append(probe["reward"])
        constant = [name for name in rewards if name.startswith(PREFIX)]
        best = max(constant, key=lambda name: (_mean(rewards[name]), name), default="")
        chosen = [name for name in sorted(rewards) if name not in constant]
        for name in [*chosen, *([best] if best else [])]:
            got = rewards[name]
            words = "best constant policy" if name == best else name.replace("_", " ")
            figures = {
                "graded": len(got),
                "paid": sum(reward > 0 for reward in got),
                "mean reward %": percent(sum(got), len(got)),
            }
            yield Row(case=f"{self.name}, kept out: {words}", figures=figures)

    def _reasons(self) -> Counter[str]:
        """Why tasks with a known solution were not accepted."""
        return Counter(
            reason
            for one, verdict in self.tasks
            if one.solution and verdict.status != ACCEPTED
            for reason in {code.partition(":")[0] for code in verdict.reasons}
        )


def options(parser: argparse.ArgumentParser) -> None:
    """What the gate is tried on."""
    parser.add_argument("files", nargs="*", type=Path, help="chat logs with outcomes")
    parser.add_argument("--desk", default="0:9,1:31", help="variant:seed of seasons, or ''")
    parser.add_argument("--conversations", type=int, default=120, help="in a season of the desk")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """The rows of every file and of the desk's seasons."""
    for path in options.files or data_files("tau/*.jsonl"):
        yield from measure(path.name.partition(".")[0], *_logged(path)).rows()
    for text in filter(None, options.desk.split(",")):
        yield from measure(f"support desk {text}", *_season(text, options.conversations)).rows()


def measure(name: str, episodes: Sequence[CleanEpisode], labels: Mapping[str, Label]) -> Measured:
    """Worlds, tasks and rubrics of all episodes, and the whole gate on them."""
    learnt = learn_world(episodes, WorldSettings())
    candidates = derive_tasks(episodes, labels, learnt)
    started = time.process_time()
    verdicts = verify_all(candidates, StoredWorld(app=name, document=learnt.document), known={})
    spent = time.process_time() - started
    by_id = {one.task_id: one for one in verdicts}
    pairs = [(one, by_id[one.task.task_id]) for one in candidates]
    return Measured(name=name, seconds=spent, tasks=pairs)


def _logged(path: Path) -> tuple[Sequence[CleanEpisode], Mapping[str, Label]]:
    data = read(path)
    return data.episodes, data.labels


def _season(text: str, conversations: int) -> tuple[Sequence[CleanEpisode], Mapping[str, Label]]:
    variant, _, seed = text.partition(":")
    shop = hold_season(
        variant=int(variant), seed=int(seed), conversations=conversations, attempts=4
    )
    labels = {talk.episode.episode_id: true_label(talk) for talk in shop.talks}
    return [talk.episode for talk in shop.talks], labels


def _pays(one: VerifiedTask) -> bool:
    """Whether an attack of the gate that must score 0 was paid."""
    return any(
        p["in_gate"] and not p["void"] and not p["passed"] and p["expected"] not in {BELOW, ONE}
        for p in one.probes
    )


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)
