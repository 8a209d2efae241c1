"""Speed and memory of learnt worlds on the example support desk, beside the desk's own database.

Everything is timed in processor seconds, since the machine may be shared. The same calls go to the real backend (SQLite, in memory) and to
the world learnt from its recordings.
"""

from __future__ import annotations

import argparse
import gc
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from benchmarks.figures import Figure, Row
from benchmarks.testbeds.desk.conversations import desk_season
from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import Environment, run_actions
from environments.runtime.play.message import requests_of
from environments.runtime.task.attempt import DERIVED, RECORDED, ToolResult
from environments.runtime.task.task import Limits
from environments.runtime.world.session import Session
from environments.runtime.world.world import World
from examples.support_desk.backend.database import dump
from examples.support_desk.truth import RealBackend
from redact.records.clean_episode import CleanEpisode
from synth.labels.label import Label
from synth.tasks import derive_tasks
from synth.world.observation import paired_calls
from synth.worlds import LearntWorld, WorldSettings, learn_world

NO_LIMIT = 10**9
Calls = list[tuple[str, str]]


def options(parser: argparse.ArgumentParser) -> None:
    """How many conversations."""
    parser.add_argument("--episodes", type=int, default=300)
    parser.add_argument("--unseen", type=int, default=1000)
    parser.add_argument("--learn", default="250,500,1000", help="numbers of episodes to learn from")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each thing that takes time or memory."""
    sizes = [int(n) for n in options.learn.split(",") if n]
    count = max([options.episodes + options.unseen, *sizes])
    episodes = desk_season(count, 0, mode="reset")
    bench = Bench(
        episodes[: options.episodes], learn_world(episodes[: options.episodes], WorldSettings())
    )
    yield Row(case="recorded answers", figures=bench.answers())
    yield Row(
        case="derived answers after a write",
        figures=bench.after_writes(episodes[-options.unseen :]),
    )
    yield Row(case="open and reset", figures=bench.opening())
    yield Row(case="environments alive at once", figures=bench.memory())
    yield Row(case="whole episodes with grading", figures=bench.whole_episodes())
    for size in sizes:
        yield Row(case=f"learn from {size} episodes", figures=learning(episodes[:size]))


def tool_calls(episode: CleanEpisode) -> Calls:
    """An episode's calls as tool name and argument text."""
    return [(call.name, call.arguments) for call, _, _, _, _ in paired_calls(episode)]


class Bench:
    """One learnt world and the calls that it was learnt from."""

    def __init__(self, episodes: Sequence[CleanEpisode], learnt: LearntWorld) -> None:
        labels = {e.episode_id: Label(resolved=True, confidence=1.0) for e in episodes}
        self.world = World.from_json(learnt.document.to_json())
        self.candidates = [c for c in derive_tasks(episodes, labels, learnt) if c.solution]
        wide = Limits(messages=NO_LIMIT, calls=NO_LIMIT, characters=NO_LIMIT, unknown=NO_LIMIT)
        self.task = replace(self.candidates[0].task, limits=wide, terminal_tools=())
        self.calls = [tool_calls(e) for e in episodes]
        innocent = {n for n, t in self.world.tools.items() if t.innocent}
        self.reads = sorted({c for calls in self.calls for c in calls if c[0] in innocent})
        self.writing = [calls for calls in self.calls if any(c[0] not in innocent for c in calls)]
        self.innocent = innocent

    def answers(self) -> dict[str, Figure]:
        """`env.call` of reads that were recorded, in an environment where nothing was done yet."""
        reads = [c for c in self.reads if self._ask(c).source == RECORDED]
        rate = _rate(lambda: self._repeat(reads, 20), 20 * len(reads))
        session = self.world.session()
        bare = _rate(
            lambda: [session.call(n, a) for _ in range(50) for n, a in reads], 50 * len(reads)
        )
        return {"env_calls_per_s": rate, "world_calls_per_s": bare}

    def after_writes(self, unseen: Sequence[CleanEpisode]) -> dict[str, Figure]:
        """Derived answers after a write, each asked for the first time; conversations that were not learnt from.

        Half of them go before and are not counted: a world in use has met its tools, though not these states.
        """
        seconds: Counter[tuple[str, str]] = Counter()
        counts: Counter[tuple[str, str]] = Counter()

        def ask(session: Session, name: str, arguments: str, *, turn: str) -> None:
            kind = "reads" if name in self.innocent else "writes"
            changed = bool(session.state.log)
            began = time.thread_time_ns()
            result = session.call(name, arguments)
            took = time.thread_time_ns() - began
            if result.source == DERIVED and (kind == "writes" or changed):
                counts[kind, turn] += 1
                seconds[kind, turn] += took

        half = len(unseen) // 2
        self._sessions([tool_calls(e) for e in unseen[:half]])
        for turn in ("first", *["again"] * 4):
            for calls in map(tool_calls, unseen[half:]):
                session = self.world.session()
                for at, (name, arguments) in enumerate(calls):
                    ask(session, name, arguments, turn=turn)
                    if name not in self.innocent:
                        for again in calls[:at]:
                            if again[0] in self.innocent:
                                ask(session, *again, turn=turn)
        rates = {
            f"derived_{kind}_{turn}_per_s": round(n * 1e9 / seconds[kind, turn])
            for (kind, turn), n in sorted(counts.items())
        }
        whole = _rate(lambda: self._sessions(self.writing), sum(map(len, self.writing)))
        counted = {f"derived_{kind}": n for (kind, turn), n in counts.items() if turn == "first"}
        return {
            **rates,
            **counted,
            "calls_of_writing_episodes_per_s": whole,
        }

    def opening(self) -> dict[str, Figure]:
        """Opening an environment, and resetting it."""
        tasks = [c.task for c in self.candidates]
        opened = _rate(lambda: [Environment(t, self.world) for t in tasks * 20], 20 * len(tasks))
        environment = self._environment()
        reset = _rate(lambda: [environment.reset() for _ in range(2000)], 2000)
        return {"open_us": 1e6 / opened, "reset_us": 1e6 / reset}

    def memory(self, count: int = 10_000) -> dict[str, Figure]:
        """Environments alive at once, each in the middle of its own recorded conversation."""
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        alive = []
        for index in range(count):
            candidate = self.candidates[index % len(self.candidates)]
            environment = Environment(candidate.task, self.world)
            for action in candidate.solution:
                environment.follow(action)
            alive.append(environment)
        grown = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        return {"environments": len(alive), "mib": round(grown / 2**20)}

    def whole_episodes(self, count: int = 40) -> dict[str, Figure]:
        """Whole episodes with grading: the world and its rubric, and the desk's database copied and compared."""
        chosen = self.candidates[:count]
        asked = {
            c.task.task_id: [r for a in c.solution for r in requests_of(a, first=0)] for c in chosen
        }

        def ours() -> None:
            for candidate in chosen:
                attempt = run_actions(candidate.task, self.world, candidate.solution)
                evaluate(candidate.rubric, attempt, task_version="")

        def theirs() -> None:
            for candidate in chosen:
                backend = RealBackend()
                start = dump(backend.db)
                for request in asked[candidate.task.task_id]:
                    backend.call(request.name, request.text)
                _ = dump(backend.db) == start

        ours()
        rates = _rate(ours, len(chosen)), _rate(theirs, len(chosen))
        return {
            "per_s": rates[0],
            "database_per_s": rates[1],
            "ratio": round(rates[0] / rates[1]),
            "ratio_to_2_seconds": round(rates[0] * 2),
        }

    def _environment(self) -> Environment:
        return Environment(self.task, self.world)

    def _ask(self, call: tuple[str, str]) -> ToolResult:
        return self.world.session().call(*call)

    def _repeat(self, calls: Calls, times: int) -> None:
        """A fresh environment every hundred calls: none grows without bounds."""
        for _ in range(times):
            for since in range(0, len(calls), 100):
                environment = self._environment()
                for name, arguments in calls[since : since + 100]:
                    environment.call(name, arguments)

    def _sessions(self, conversations: Sequence[Calls]) -> None:
        for calls in conversations:
            session = self.world.session()
            for name, arguments in calls:
                session.call(name, arguments)


def learning(episodes: Sequence[CleanEpisode]) -> dict[str, Figure]:
    """Learning, in processor seconds."""
    began = time.process_time()
    learn_world(episodes, WorldSettings())
    took = time.process_time() - began
    per_thousand = round(1000 * took / len(episodes), 1)
    return {
        "s": round(took, 1),
        "s_per_1000": per_thousand,
    }


def _rate(run: Callable[[], object], count: int) -> int:
    """How many a processor second; what learning left behind is collected before, not on the account of what is measured."""
    gc.collect()
    began = time.process_time()
    run()
    return round(count / (time.process_time() - began))
