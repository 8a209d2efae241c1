"""Measures learnt worlds on held-out episodes of real data (`TRACEGYM_REAL_DATA`), split by trial, agent and task.

Run: `TRACEGYM_REAL_DATA=... python -m benchmarks.worlds [--misses N] [--split NAME]`.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.chat_logs import read_episodes
from environments.fidelity import Fidelity, RecordedCall, RecordedEpisode, record_tape, replay
from environments.runtime.world import World
from redact.clean_episode import CleanEpisode
from synth.world.callers import learn_envelopes
from synth.world.observation import histories, paired_calls
from synth.worlds import WorldSettings, learn_world


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """One way to hold episodes out, in folds."""

    name: str
    file: str
    fold_of: Callable[[CleanEpisode], str]


def _trial(episode: CleanEpisode) -> str:
    return episode.episode_id.rsplit("-", 1)[-1]


def _fifth(episode: CleanEpisode) -> str:
    return str(int((episode.task_key or "0").rsplit("-", 1)[-1]) % 5)


SPLITS = (
    Split(name="airline/trial", file="airline", fold_of=_trial),
    Split(name="airline/task", file="airline", fold_of=_fifth),
    Split(name="retail/agent", file="retail", fold_of=lambda e: e.agent or ""),
    Split(name="retail/task", file="retail", fold_of=_fifth),
)


def recorded(episode: CleanEpisode, *, unpaired: bool) -> RecordedEpisode:
    """An episode's calls as `fidelity` takes them."""
    return RecordedEpisode(
        episode_id=episode.episode_id,
        caller=episode.agent,
        started_at=episode.started_at,
        calls=[
            RecordedCall(name=c.name, arguments=c.arguments, content=content)
            for c, content, _, _, paired in paired_calls(episode)
            if paired or unpaired
        ],
    )


def measure(split: Split, data: Path, *, unpaired: bool) -> Iterator[tuple[str, Fidelity, float]]:
    """Each fold held out once: its name, its fidelity, and the seconds learning took."""
    episodes = read_episodes(data / "tau" / f"{split.file}.train.jsonl")
    for fold in sorted({split.fold_of(e) for e in episodes}):
        train = [e for e in episodes if split.fold_of(e) != fold]
        test = [e for e in episodes if split.fold_of(e) == fold]
        started = time.perf_counter()
        world = World.from_json(
            json.loads(json.dumps(learn_world(train, WorldSettings()).document))
        )
        seconds = time.perf_counter() - started
        fidelity = replay(
            world,
            [recorded(e, unpaired=unpaired) for e in test],
            tape=record_tape(recorded(e, unpaired=unpaired) for e in train),
            envelopes=learn_envelopes(histories(test)),
        )
        yield fold, fidelity, seconds


def _row(name: str, parts: Sequence[tuple[str, Fidelity, float]]) -> str:
    judged = [j for _, f, _ in parts for j in f.judged]
    n = len(judged)

    def count(verdict: str, *, writes: bool | None = None) -> int:
        return sum(
            j.verdict == verdict and (writes is None or writes is (j.call.name in f.writers))
            for _, f, _ in parts
            for j in f.judged
        )

    tape = sum(f.tape_exact for _, f, _ in parts), sum(f.tape_wrong for _, f, _ in parts)
    reads = "/".join(str(count(v, writes=False)) for v in ("exact", "wrong", "unknown"))
    writes = "/".join(str(count(v, writes=True)) for v in ("exact", "wrong", "unknown"))
    return (
        f"{name:15s} {n:5d} calls  exact {100 * count('exact') / n:5.1f}  wrong {count('wrong'):3d}"
        f" ({100 * count('wrong') / n:.2f} %)  unknown {count('unknown'):4d}"
        f"  reads {reads}  writes {writes}"
        f"  tape {100 * tape[0] / n:.1f}/{100 * tape[1] / n:.1f}"
        f"  learn {sum(s for _, _, s in parts):.1f} s"
    )


def _print_reasons(parts: Sequence[tuple[str, Fidelity, float]]) -> None:
    reasons = Counter(
        (j.call.name, json.loads(j.result.content)["reason"], j.call.content[:40])
        for _, f, _ in parts
        for j in f.judged
        if j.verdict == "unknown"
    )
    grouped: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for (tool, reason, truth), n in reasons.most_common():
        grouped.setdefault((tool, reason), []).append((truth, n))
    for (tool, reason), truths in sorted(grouped.items(), key=lambda g: -sum(n for _, n in g[1])):
        print(f"  {sum(n for _, n in truths):4d} {tool}: {reason}   {truths[:4]}")


def main() -> None:
    """Print one line per split, and misses where asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--split")
    parser.add_argument("--misses", type=int, default=0)
    parser.add_argument("--tool")
    parser.add_argument("--width", type=int, default=200)
    parser.add_argument("--reasons", action="store_true")
    parser.add_argument("--wrong", action="store_true")
    parser.add_argument("--paired-only", action="store_true")
    options = parser.parse_args()
    if not os.environ.get("TRACEGYM_REAL_DATA"):
        print("worlds: TRACEGYM_REAL_DATA does not name a folder with real recordings")
        return
    data = Path(os.environ["TRACEGYM_REAL_DATA"])
    for split in SPLITS:
        if options.split and options.split != split.name:
            continue
        parts = list(measure(split, data, unpaired=not options.paired_only))
        print(_row(split.name, parts), flush=True)
        if options.reasons:
            _print_reasons(parts)
        left = options.misses
        shown = {"wrong"} if options.wrong else {"wrong", "unknown"}
        for _, fidelity, _ in parts:
            for j in sorted(fidelity.judged, key=lambda j: j.verdict != "wrong"):
                if j.verdict in shown and left > 0:
                    if options.tool and j.call.name != options.tool:
                        continue
                    left -= 1
                    print(
                        f"  {j.verdict} {j.episode_id}#{j.position} {j.call.name} {j.call.arguments[: options.width]}"
                    )
                    print(f"     true: {j.call.content[: options.width]}")
                    print(f"     said: {j.result.content[: options.width]}  [{j.result.evidence}]")


if __name__ == "__main__":
    main()
