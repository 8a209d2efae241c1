"""Other people's backends as a home knows them: their logs past redaction, so that what redaction costs worlds shows.

In: a backend's folder (`train.jsonl`, `heldout.jsonl`, `probes.jsonl`). Out: the same files with every text past the gate, judged by what
the training log shows. A surrogate that differs from one conversation to the next, or hides what relates two records, is a wrong
answer or an unknown one there.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.redaction.recordings import SECRET, read
from ingest.records.episode import Episode, Step, ToolCall
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.records.clean_episode import CleanEpisode

Gate = Callable[[Sequence[Episode]], list[CleanEpisode]]


def redacted_copy(folder: Path, into: Path) -> Path:
    """Write a backend's files past the gate into a folder, and return that."""
    policy, vault = Policy(), Vault(None, SECRET)
    train = read(folder / "train.jsonl")
    learnt = learn(train, (), policy=policy)

    def past(episodes: Sequence[Episode]) -> list[CleanEpisode]:
        done = scrub(episodes, learnt=learnt, vault=vault, policy=policy)
        return [item.clean for item in done]

    app = train[0].app
    for name in ("train.jsonl", "heldout.jsonl"):
        raw = [replace(one, app=app) for one in read(folder / name)]
        _write(into / name, _chats(folder / name, raw, past))
    _write(into / "probes.jsonl", _probes(folder / "probes.jsonl", train[0], past))
    return into


def _chats(path: Path, raw: Sequence[Episode], past: Gate) -> Iterator[Any]:
    clean = dict(zip((one.conversation_id for one in raw), past(raw), strict=True))
    for chat in _lines(path):
        found = clean.get(chat.get("episode_id"))
        if found is not None:  # other telemetry of the log has no messages
            for message, step in zip(chat["messages"], found.steps, strict=True):
                message["content"] = step.content
                for call, done in zip(
                    message.get("tool_calls") or (), step.tool_calls, strict=True
                ):
                    call["function"]["arguments"] = done.arguments
            if chat.get("user_id"):
                chat["user_id"] = found.subject
        yield chat


def _probes(path: Path, like: Episode, past: Gate) -> Iterator[Any]:
    """Random calls, each list as an episode of its own."""
    lists = list(_lines(path))
    clean = past([_episode(like, number, calls) for number, calls in enumerate(lists)])
    for calls, done in zip(lists, clean, strict=True):
        for number, call in enumerate(calls):
            asked, answered = done.steps[2 * number : 2 * number + 2]
            call["arguments"] = json.loads(asked.tool_calls[0].arguments)
            call["response"] = answered.content
        yield calls


def _episode(like: Episode, number: int, calls: Sequence[dict[str, Any]]) -> Episode:
    steps: list[Step] = []
    for place, call in enumerate(calls):
        made = ToolCall(
            call_id=f"c{place}", name=call["name"], arguments=json.dumps(call["arguments"])
        )
        steps.append(Step(role="assistant", tool_calls=(made,)))
        steps.append(
            Step(role="tool", content=call["response"], call_id=made.call_id, tool_name=made.name)
        )
    name = f"probe-{number}"
    return replace(
        like, episode_id=name, conversation_id=name, task_key=None, subject=None, steps=tuple(steps)
    )


def _lines(path: Path) -> Iterator[Any]:
    yield from map(json.loads, path.read_text(encoding="utf-8").splitlines())


def _write(path: Path, lines: Iterator[Any]) -> None:
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
