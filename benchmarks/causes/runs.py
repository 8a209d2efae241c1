"""Failed runs that people looked at: agent and step right, step within two, beside a random turn, the first and the last.

Comes in: a folder of runs with what people named beside the messages (`mistake_agent`, `mistake_step`); each file goes through ingest and redaction. With a
model, its opinion stands beside the evidence's.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.causes.figures import BAD, share
from benchmarks.figures import Figure, Row
from environments.llm import LlmJudge
from ingest.files.telemetry_files import read_file
from ingest.otlp.decode import decode
from ingest.receiver.wal import WalRecord
from ingest.records.episode import Episode
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.records.clean_episode import CleanEpisode
from synth.failures.detection import detect
from synth.failures.judging.judge import CauseJudge
from synth.failures.judging.question import CauseQuestion
from synth.failures.reading import read
from synth.failures.turns import turns_of

SECRET: Final = b"of a benchmark, which keeps nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A failed run and what people named."""

    episode: CleanEpisode
    agents: tuple[str | None, ...]
    """Who speaks at each step, before redaction."""
    agent: str
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """How close a guess came."""

    agent: bool
    step: bool
    near: bool


def named_runs(folder: Path) -> list[Named]:
    """All runs of a folder, past ingest and redaction."""
    said: list[dict[str, Any]] = []
    raw: list[Episode] = []
    for path in sorted(folder.glob("*.json")):
        said.append(json.loads(path.read_text("utf-8")))
        raw += [one for record in read_file(path, app="runs") for one in _episodes(record)]
    learnt = learn(raw, (), policy=Policy())
    vault = Vault(None, SECRET)
    done = scrub(raw, learnt=learnt, vault=vault, policy=Policy())
    found = []
    for told, one, scrubbed in zip(said, raw, done, strict=True):
        before = len(one.steps) - len(told["history"])
        found.append(
            Named(
                episode=scrubbed.clean,
                agents=tuple(step.agent for step in one.steps),
                agent=told["mistake_agent"],
                step=int(told["mistake_step"]) + before,
            )
        )
    return found


def _episodes(record: object) -> Iterator[Episode]:
    if not isinstance(record, WalRecord):
        raise SystemExit(f"a run cannot be read: {record}")
    yield from (chat.episode for chat in decode(record.stored(1)).chats)


def hit(one: Named, step: int | None) -> Hit:
    """How close a step comes to what people named."""
    if step is None:
        return Hit(agent=False, step=False, near=False)
    agent = one.agents[step] or ""
    right = agent == one.agent or agent.startswith(f"{one.agent} (")
    return Hit(agent=right, step=step == one.step, near=abs(step - one.step) <= 2)


def _asked(runs: list[Named], model: LlmJudge) -> list[Hit]:
    """What a model says of each run; where it says nothing it is wrong."""
    judge = CauseJudge(model=model.model, complete=model)
    said = judge.opinions([CauseQuestion(episode=one.episode) for one in runs])
    print(f"{model.model}: {judge.counts.batches} requests, {model.spent.tokens} tokens\n")
    return [
        hit(one, opinion.step if opinion else None) for one, opinion in zip(runs, said, strict=True)
    ]


def runs_rows(folder: Path, model: LlmJudge | None = None) -> Iterator[Row]:
    """A row for each way to guess over a folder of runs; a model's opinion beside the evidence's if there is a model."""
    runs = named_runs(folder)
    found = [detect(one.episode, BAD) for one in runs]
    chance = random.Random(1)  # noqa: S311 - a repeatable draw, not a secret

    def turns(one: Named) -> list[int]:
        return [turn.step for turn in turns_of(read(one.episode))] or [0]

    ways: dict[str, list[Hit]] = {
        "found": [hit(o, f.step if f else None) for o, f in zip(runs, found, strict=True)],
        **({} if model is None else {f"model {model.model}": _asked(runs, model)}),
        "a random turn": [hit(o, chance.choice(turns(o))) for o in runs for _ in range(50)],
        "the first turn": [hit(o, turns(o)[0]) for o in runs],
        "the second turn": [hit(o, turns(o)[:2][-1]) for o in runs],
        "the last turn": [hit(o, turns(o)[-1]) for o in runs],
    }
    for name, hits in ways.items():
        shares: dict[str, Figure] = {"runs": len(runs)}
        for part in ("agent", "step", "near"):
            right = [getattr(one, part) for one in hits]
            shares |= share(f"{part} %", right, interval=len(hits) == len(runs))
        yield Row(case=name, figures=shares)
