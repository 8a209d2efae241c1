"""Right answers as a share of what could be known of held-out calls of real data (`TRACEGYM_REAL_DATA`).

Run: `TRACEGYM_REAL_DATA=... python -m benchmarks knowable [--split TEXT] [--unknown N] [--cases N] [--strict N] [--wrong]`: a row per
split of `benchmarks.recordings.backtest`, recordings as they are, and cases of each class. Not here: what could be known (`shown_before`).
"""

from __future__ import annotations

import argparse
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.recordings.backtest import SPLITS, Split
from benchmarks.recordings.shown_before import unknowables
from benchmarks.testbeds.chat_logs import to_episode
from benchmarks.worlds.suites import recorded
from environments.fidelity import JudgedCall, RecordedCall, RecordedEpisode, judge, replay
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import parse_arguments, parse_literal, unwrap
from environments.runtime.world.world import World
from synth.world.observation import histories
from synth.world.views.callers import learn_envelopes
from synth.worlds import WorldSettings, learn_world

RIGHT: Final = frozenset({"exact", "equivalent"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One held-out call: what the world said, and why nobody could know (None where somebody could)."""

    judged: JudgedCall
    unknowable: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """All held-out calls of a split, twice."""

    alone: tuple[Asked, ...]
    """The world follows its own answers, as it does for a policy."""
    told: tuple[Asked, ...]
    """After each call it is told the true answer."""


def measure(split: Split, data: Path) -> Measured:
    """Every held-out call of a split."""
    lines = (data / "tau" / f"{split.file}.train.jsonl").read_text().splitlines()
    chats = [json.loads(line) for line in lines]
    kept = [to_episode(c) for c in chats if not split.holds_out(c)]
    held = [to_episode(c) for c in chats if split.holds_out(c)]
    envelopes = learn_envelopes(histories([*kept, *held]))
    world = World.from_json(learn_world(kept, WorldSettings()).document.to_json())
    train = [plain(recorded(e), envelopes) for e in kept]
    asked = [plain(recorded(e), envelopes) for e in held]
    recordings = [recorded(e) for e in held]
    alone = replay(world, recordings, envelopes=envelopes).judged
    told = [j for e in recordings for j in _follow(world, e, envelopes.get(e.caller or ""))]

    def both(judged: Iterable[JudgedCall], *, told: bool) -> tuple[Asked, ...]:
        whys = unknowables(train, asked, told=told)
        return tuple(Asked(judged=j, unknowable=w) for j, w in zip(judged, whys, strict=True))

    return Measured(alone=both(alone, told=False), told=both(told, told=True))


def _follow(
    world: World, episode: RecordedEpisode, envelope: Mapping[str, Json] | None
) -> Iterator[JudgedCall]:
    """Each call asked of a copy; the session itself is told what really came."""
    session = world.session(episode.start, started_at=episode.started_at, caller=episode.caller)
    for position, call in enumerate(episode.calls):
        truth = unwrap(call.content, envelope)
        result = session.fork().call(call.name, call.arguments)
        yield JudgedCall(
            episode_id=episode.episode_id,
            position=position,
            call=call,
            result=result,
            tool=world.part_name(call.name, call.arguments),
            asked=call.arguments,
            verdict=judge(result, truth),
        )
        session.observe(call.name, call.arguments, truth)


def plain(episode: RecordedEpisode, envelopes: Mapping[str, Mapping[str, Json]]) -> RecordedEpisode:
    """An episode without its caller's ways of writing arguments and wrapping results."""
    form = envelopes.get(episode.caller or "")
    calls = [
        RecordedCall(name=c.name, arguments=_literal(c.arguments), content=unwrap(c.content, form))
        for c in episode.calls
    ]
    return RecordedEpisode(episode_id=episode.episode_id, calls=calls)


def _literal(arguments: str) -> str:
    """Arguments with lists that a caller writes as text read as lists."""
    parsed = parse_arguments(arguments)
    if parsed is None:
        return arguments
    out = {name: _value(value) for name, value in parsed.items()}
    return json.dumps(out)


def _value(value: Json) -> Json:
    if not isinstance(value, str) or value[:1] not in {"[", "{"}:
        return value
    try:
        return parse_literal(value)
    except ValueError:
        return value


def main() -> None:
    """A row per split; the calls that somebody could know and the world does not, where asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--split", default="")
    parser.add_argument("--unknown", type=int, default=0)
    parser.add_argument("--cases", type=int, default=0)
    parser.add_argument("--strict", type=int, default=0)
    parser.add_argument("--wrong", action="store_true")
    options = parser.parse_args()
    folder = os.environ.get("TRACEGYM_REAL_DATA")
    if not folder:
        print("knowable: TRACEGYM_REAL_DATA does not name a folder with real recordings")
        return
    for split in SPLITS:
        if options.split not in split.name:
            continue
        found = measure(split, Path(folder))
        for name, asked in (("", found.alone), (", earlier answers told", found.told)):
            print(row(split.name + name, asked), flush=True)
            _print_cases(asked, options)


def row(name: str, asked: Sequence[Asked]) -> str:
    """One line of the table, and the reasons why calls are unknowable."""
    right = [a for a in asked if a.judged.verdict in RIGHT]
    knowable = [a for a in asked if a.unknowable is None]
    both = sum(a.unknowable is None for a in right)
    reasons = Counter(a.unknowable for a in asked if a.unknowable).most_common()
    return (
        f"| {name} | {len(asked)} | {len(right) / len(asked):.1%} "
        f"| {len(knowable)} ({len(knowable) / len(asked):.1%}) "
        f"| {both} ({both / len(knowable):.1%}) | {len(right) - both} "
        f"| {sum(a.judged.verdict == 'wrong' for a in asked)} "
        f"| {'; '.join(f'{n} {why}' for why, n in reasons)} |"
    )


def _print_cases(asked: Sequence[Asked], options: argparse.Namespace) -> None:
    """Calls of one class, evenly picked."""
    classes = (
        ("knowable, not known", False, False, options.unknown),
        ("unknowable", True, False, options.cases),
        ("unknowable, but right", True, True, options.strict),
    )
    for a in asked:
        if a.judged.verdict == "wrong" and options.wrong:
            _print_case("wrong", a)
    for label, unknowable, right, limit in classes:
        cases = [
            a
            for a in asked
            if (a.unknowable is not None) is unknowable and (a.judged.verdict in RIGHT) is right
        ]
        for a in cases[:: max(1, len(cases) // limit)] if limit else ():
            _print_case(label, a)


def _print_case(label: str, asked: Asked) -> None:
    j = asked.judged
    print(f"  {label} {j.episode_id}#{j.position} {j.call.name} {j.call.arguments}")
    print(f"     true: {j.call.content}")
    print(f"     said: {j.result.content} / {asked.unknowable}")


if __name__ == "__main__":
    main()
