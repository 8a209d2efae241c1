"""Worlds learnt from real traces, asked calls that no episode made; the real databases say what is true (`tau2_desks`).

Run: `TRACEGYM_OUTSIDE=FOLDER TRACEGYM_REAL_DATA=... python -m benchmarks tau2_traces [--desk NAME] [--test LETTER] [--seed N]
[--tools] [--wrong N] [--unknown N] [--replay]`. Tests: *a* random sequences of recorded tools and values; *b* the calls that the package's judges
expect, in order, and with one argument changed to another recorded value; *c* held-out attempts with a call dropped, repeated or moved.
`--replay` says how far the databases answer recorded calls as they were recorded.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.recordings.backtest import SPLITS
from benchmarks.recordings.knowable import RIGHT, plain
from benchmarks.recordings.shown_before import unknowables
from benchmarks.testbeds.chat_logs import to_episode
from benchmarks.testbeds.invented.attempts import Attempt, Made, make, recombined
from benchmarks.testbeds.invented.backend import Call, Style
from benchmarks.testbeds.published.tau2_desks import DESKS, LEFT_OUT, NO_DATABASE, tasks_of
from benchmarks.worlds.suites import recorded
from benchmarks.worlds.unseen import recorded as recording
from environments.fidelity import Fidelity, JudgedCall, RecordedEpisode, equal, replay
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.world.observation import histories
from synth.world.views.callers import learn_envelopes
from synth.worlds import WorldSettings, learn_world

HELD_OUT: Final = {
    "airline": "airline, trial 2 held out",
    "retail": "retail, one attempt a task held out",
}
"""The split of `benchmarks.recordings.backtest` whose kept part test *c* learns from."""
SEQUENCES: Final = 200
CHANGED: Final = 4
"""Times that each expected sequence is asked with one argument changed."""
BENT: Final = 3
"""Times that each held-out attempt is bent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """A desk's real episodes: to learn from, and as plain calls."""

    kept: list[CleanEpisode]
    plain: list[RecordedEpisode]
    held: list[RecordedEpisode]


def read(desk: str, folder: Path, *, hold_out: bool) -> Traces:
    """A desk's traces; some attempts are apart where asked."""
    split = next(s for s in SPLITS if s.name == HELD_OUT[desk])
    lines = (folder / "tau" / f"{desk}.train.jsonl").read_text().splitlines()
    chats = [json.loads(line) for line in lines]
    kept = [to_episode(c) for c in chats if not (hold_out and split.holds_out(c))]
    held = [to_episode(c) for c in chats if hold_out and split.holds_out(c)]
    envelopes = learn_envelopes(histories([*kept, *held]))

    seen, asked = ([plain(recorded(e), envelopes) for e in episodes] for episodes in (kept, held))
    return Traces(kept=kept, plain=seen, held=asked)


def calls_of(episode: RecordedEpisode) -> list[Call]:
    """What an episode asked a database."""
    asked = [(c.name, json.loads(c.arguments)) for c in episode.calls]
    return [c for c in asked if c[0] not in NO_DATABASE and isinstance(c[1], dict)]


def answered(desk: str, calls: Sequence[Call]) -> list[Made]:
    """Calls made on a fresh database, without those of which nobody can say what they were answered."""
    backend = DESKS[desk]()
    return told([make(backend, call) for call in calls])


def told(made: Sequence[Made]) -> list[Made]:
    """Calls without those left out."""
    return [m for m in made if m.content != LEFT_OUT]


def mixed(desk: str, traces: Traces, seed: int) -> Iterator[list[Made]]:
    """Test a: any recorded tools and values, in any order."""
    seen = [
        Attempt(
            task=0,
            number=0,
            calls=tuple(
                Made(name=n, arguments=a, content="", is_error=False) for n, a in calls_of(e)
            ),
        )
        for e in traces.plain
    ]
    style = Style(name=f"{desk}/{seed}", make=DESKS[desk], script=lambda _: [])
    yield from map(told, recombined(style, seen, SEQUENCES))


def expected(desk: str, traces: Traces, seed: int) -> Iterator[list[Made]]:
    """Test b: what the package's judges expect, as it is and with one argument changed."""
    values: dict[str, list[Any]] = defaultdict(list)
    for episode in traces.plain:
        for _, arguments in calls_of(episode):
            for name, value in arguments.items():
                values[name].append(value)
    for number, calls in enumerate(tasks_of(desk)):
        yield answered(desk, calls)
        rng = random.Random(f"{desk}/{seed}/{number}")  # noqa: S311 - dice
        for _ in range(CHANGED if calls else 0):
            at = rng.randrange(len(calls))
            name, arguments = calls[at]
            argument = rng.choice(sorted(arguments) or [""])
            changed = {**arguments, argument: rng.choice(values[argument])} if arguments else {}
            yield answered(desk, [*calls[:at], (name, changed), *calls[at + 1 :]])


def bent(desk: str, traces: Traces, seed: int) -> Iterator[list[Made]]:
    """Test c: held-out attempts with one call dropped, repeated somewhere later, or moved."""
    for episode in traces.held:
        calls = calls_of(episode)
        rng = random.Random(f"{desk}/{seed}/{episode.episode_id}")  # noqa: S311 - dice
        for way in range(BENT if len(calls) > 1 else 0):
            one = list(calls)
            at = rng.randrange(len(one))
            moved = one[at] if way == 1 else one.pop(at)
            if way:
                one.insert(rng.randrange(len(one) + 1), moved)
            yield answered(desk, one)


TESTS: Final = {"a": mixed, "b": expected, "c": bent}


def worlds(desk: str, folder: Path, tests: str) -> Iterator[tuple[str, Traces, World]]:
    """Each test with the world that it asks: what test c asks was held out."""
    found: dict[bool, tuple[Traces, World]] = {}
    for test in tests:
        held = test == "c"
        if held not in found:
            traces = read(desk, folder, hold_out=held)
            document = learn_world(traces.kept, WorldSettings()).document.to_json()
            found[held] = traces, World.from_json(json.loads(json.dumps(document)))
        yield test, *found[held]


HEAD: Final = (
    "| desk, test | calls | right | wrong | unknown | reads | writes | could be known | of these right |\n"
    "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
)


def row(name: str, found: Fidelity, knowable: Sequence[bool]) -> str:
    """One line of the table; reads and writes as right/wrong/unknown."""
    n = len(found.judged)
    counts = Counter(j.verdict for j in found.judged)
    reads, writes = (
        Counter(j.verdict for j in found.judged if (j.tool in found.writers) is w)
        for w in (False, True)
    )
    both = sum(k and j.verdict in RIGHT for k, j in zip(knowable, found.judged, strict=True))
    return (
        f"| {name} | {n} | {counts['exact'] / n:.1%} | {counts['wrong']} ({counts['wrong'] / n:.2%}) "
        f"| {counts['unknown'] / n:.1%} | {_three(reads)} | {_three(writes)} "
        f"| {sum(knowable)} | {both} ({both / max(1, sum(knowable)):.1%}) |"
    )


def _three(counts: Mapping[str, int]) -> str:
    return f"{counts['exact']}/{counts['wrong']}/{counts['unknown']}"


def show(found: Fidelity, knowable: Sequence[bool], options: argparse.Namespace) -> None:
    """Per tool, and the calls asked for with what came before them."""
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    for judged, known in zip(found.judged, knowable, strict=True):
        groups[judged.tool][judged.verdict] += 1
        groups[judged.tool]["left"] += known and judged.verdict == "unknown"
    for name, counts in sorted(groups.items()) if options.tools else ():
        print(f"    {name}: {_three(counts)}, unknown that could be known {counts['left']}")
    for verdict, limit in (("wrong", options.wrong), ("unknown", options.unknown)):
        cases = [
            at
            for at, (j, known) in enumerate(zip(found.judged, knowable, strict=True))
            if j.verdict == verdict
            and (known or verdict == "wrong")
            and options.tool in {None, j.tool}
        ]
        for at in cases[:: max(1, len(cases) // limit)] if limit else ():
            _print(found.judged, at)


def _print(judged: Sequence[JudgedCall], at: int) -> None:
    one = judged[at]
    print(f"  {one.verdict}: {one.call.name}{one.call.arguments}")
    for before in judged[at - one.position : at]:
        said = before.call.content[:60]
        print(
            f"     after {before.call.name}{before.call.arguments[:200]} {before.verdict}: {said}"
        )
    print(f"     true: {one.call.content[:1200]}")
    print(f"     said: {one.result.content[:1200]} [{one.result.source} {one.result.evidence}]")


def as_recorded(desk: str, folder: Path) -> None:
    """How recorded calls are answered on a fresh database per episode, per tool."""
    groups: dict[str, Counter[str]] = defaultdict(Counter)
    for episode in read(desk, folder, hold_out=False).plain:
        backend = DESKS[desk]()
        for call in episode.calls:
            if call.name in NO_DATABASE:
                continue
            content = make(backend, (call.name, json.loads(call.arguments))).content
            kind = "same" if equal(content, call.content) else "other"
            groups[call.name]["left out" if content == LEFT_OUT else kind] += 1
            if kind == "other" and content != LEFT_OUT:
                print(
                    f"  {call.name}{call.arguments}\n    {call.content[:500]}\n    {content[:500]}"
                )
    for name, counts in sorted(groups.items()):
        print(f"{desk} {name}: {dict(counts)}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--desk", choices=sorted(DESKS))
    parser.add_argument("--test", default="abc")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tools", action="store_true")
    parser.add_argument("--tool")
    parser.add_argument("--wrong", type=int, default=0)
    parser.add_argument("--unknown", type=int, default=0)
    parser.add_argument("--replay", action="store_true")
    options = parser.parse_args(arguments)
    folder = os.environ.get("TRACEGYM_REAL_DATA")
    if not folder:
        print("tau2_traces: TRACEGYM_REAL_DATA does not name a folder with real recordings")
        return 0
    desks = [d for d in DESKS if options.desk in {None, d}]
    if options.replay:
        for desk in desks:
            as_recorded(desk, Path(folder))
        return 0
    print(HEAD)
    for desk in desks:
        for test, traces, world in worlds(desk, Path(folder), options.test):
            sequences = [s for s in TESTS[test](desk, traces, options.seed) if s]
            asked = [recording(s) for s in sequences]
            found = replay(world, asked)
            knowable = [why is None for why in unknowables(traces.plain, asked, told=False)]
            print(row(f"{desk}, {test}", found, knowable), flush=True)
            show(found, knowable, options)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
