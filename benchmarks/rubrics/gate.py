"""What the gate takes, what it keeps out, and what attacks still earn on the tasks that it accepted.

In: chat-log files with outcomes (`python -m benchmarks gate FILE...`; without names, those below `TRACEGYM_REAL_DATA`)
and seasons of the example support desk. Out: Markdown tables: tasks by what their right end does, the attacks that decide,
and the families kept out of the gate with what they earn. The whole gate runs, its rules about the set included.
Personal data must already be fictional or redacted: this reads the files as they are.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.rubrics.agreement import changes, read
from benchmarks.rubrics.desk import true_label
from benchmarks.testbeds.desk.conversations import hold_season
from dagster_project.tasks.verification import VerifiedTask, verify_all
from dagster_project.worlds.stored_worlds import StoredWorld
from environments.runtime.task.candidate import Candidate
from environments.verification.constant import PREFIX
from environments.verification.probe import BELOW, ONE
from environments.verify import ACCEPTED, NEEDS_REVIEW, REJECTED
from redact.records.clean_episode import CleanEpisode
from synth.labels import Label
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world

TASKS: Final = (
    "| recordings | right end | tasks | with a known solution | accepted | to review | rejected "
    "| pay an attack, all / accepted | void |\n|---|---|--:|--:|--:|--:|--:|--:|--:|"
)
FAMILIES: Final = "| recordings | family kept out of the gate | graded | paid | mean reward |\n|---|---|--:|--:|--:|"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One app's tasks with what the gate said of each."""

    name: str
    seconds: float
    """Processor time of the gate in this process."""
    tasks: Sequence[tuple[Candidate, VerifiedTask]]

    def rows(self) -> Iterator[str]:
        """One line for tasks whose right end changes something, one for the others."""
        solved = [pair for pair in self.tasks if pair[0].solution]
        yield self._row("changes something", [p for p in solved if changes(p[0])])
        yield self._row("changes nothing", [p for p in solved if not changes(p[0])])

    def _row(self, end: str, pairs: Sequence[tuple[Candidate, VerifiedTask]]) -> str:
        statuses = Counter(one.status for _, one in pairs)
        accepted = [one for _, one in pairs if one.status == ACCEPTED]
        loose = sum(_pays(one) for _, one in pairs)
        used = [probe for one in accepted for probe in one.probes]
        return (
            f"| {self.name} | {end} | {len(self.tasks)} | {len(pairs)} | {statuses[ACCEPTED]}"
            f" ({_share(statuses[ACCEPTED], len(pairs))}) | {statuses[NEEDS_REVIEW]} | {statuses[REJECTED]}"
            f" | {loose} / {sum(map(_pays, accepted))} | {_share(sum(p['void'] for p in used), len(used))} |"
        )

    def families(self) -> Iterator[str]:
        """What each family kept out earns on accepted tasks, the best constant policy last."""
        rewards: dict[str, list[float]] = defaultdict(list)
        for _, one in self.tasks:
            for probe in one.probes if one.status == ACCEPTED else ():
                if not probe["in_gate"] and probe["reward"] is not None:
                    rewards[probe["name"]].append(probe["reward"])
        for name, got in sorted(rewards.items()):
            if not name.startswith(PREFIX):
                yield self._family(name, got)
        constant = [name for name in rewards if name.startswith(PREFIX)]
        if constant:
            best = max(constant, key=lambda name: (_mean(rewards[name]), name))
            yield self._family(f"best constant policy ({best.removeprefix(PREFIX)})", rewards[best])

    def _family(self, name: str, got: Sequence[float]) -> str:
        paid = sum(reward > 0 for reward in got)
        words = name.replace("_", " ")
        return f"| {self.name} | {words} | {len(got)} | {paid} | {100 * _mean(got):.1f} % |"

    def reasons(self) -> str:
        """Why tasks with a known solution were not accepted."""
        found = Counter(
            reason
            for one, verdict in self.tasks
            if one.solution and verdict.status != ACCEPTED
            for reason in {code.partition(":")[0] for code in verdict.reasons}
        )
        return (
            f"{self.name}: {dict(found.most_common())}; gate {self.seconds:.1f} s of processor time"
        )


def main() -> int:
    """Measure every file named on the command line and the desk's seasons."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--desk", default="0:9,1:31", help="variant:seed of seasons, or ''")
    parser.add_argument("--conversations", type=int, default=120, help="in a season of the desk")
    options = parser.parse_args()
    folder = os.environ.get("TRACEGYM_REAL_DATA")
    files = options.files or (sorted(Path(folder).glob("tau/*.jsonl")) if folder else [])
    found = [measure(path.name.partition(".")[0], *_logged(path)) for path in files]
    seasons = filter(None, options.desk.split(","))
    found += [measure(f"support desk {s}", *_season(s, options.conversations)) for s in seasons]
    print(TASKS)
    print("\n".join(row for one in found for row in one.rows()))
    print(f"\n{FAMILIES}")
    print("\n".join(row for one in found for row in one.families()))
    print("\n" + "\n".join(one.reasons() for one in found))
    return 0


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


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


if __name__ == "__main__":
    sys.exit(main())
