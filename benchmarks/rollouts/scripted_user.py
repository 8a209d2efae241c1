"""The scripted user beside real ones: does it give what is asked for, and nothing before it is asked.

Recordings of `TRACEGYM_REAL_DATA` and the example desk. Every ordered pair of attempts at one task: the script is one attempt (and what its
user said in those that are neither), the questions are those of the other. Facts are words that stand in short call arguments or have digits. *Recall*: facts that the real user gave at that
point and the script knows, given by then. *Too early*: of the facts said, those that the real user gave only later.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import permutations
from typing import Any

from benchmarks.figures import Figure, Row
from benchmarks.testbeds.real_data import data_files
from environments.runtime.play.user import ScriptedUser
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.task.task import UserTurn
from examples.support_desk.records import chat_log_line
from examples.support_desk.season import Plan, reset_season
from examples.support_desk.telemetry import Telemetry
from examples.support_desk.variant import make_variant
from synth.attempts.user_turns import turns_of_other_recordings

Line = dict[str, Any]
WORD = re.compile(r"[^\W_]+")
SHORT = 60
"""Characters: longer arguments are prose, not facts."""
COMMON = frozenset({
    "a", "an", "the", "i", "to", "of", "and", "is", "it", "in", "on", "for", "my", "me", "you",
    "your", "with", "be", "as", "at", "this", "that", "would", "like", "no", "yes", "not", "or",
    "are", "do", "can", "please", "one",
})  # fmt: skip


@dataclass(slots=True)
class Counts:
    """What a whole file adds up to."""

    asked: int = 0
    given: int = 0
    said: int = 0
    early: int = 0
    turns: int = 0
    unknown: int = 0

    def figures(self) -> dict[str, Figure]:
        """Shares, and what they are of."""
        return {
            "recall": round(self.given / max(1, self.asked), 3),
            "too early": round(self.early / max(1, self.said), 3),
            "facts said": self.said,
            "turns": self.turns,
            "unknown turns": self.unknown,
        }


@dataclass(frozen=True, slots=True)
class Talk:
    """One attempt as its user saw it."""

    opening: str
    turns: tuple[UserTurn, ...]
    words: frozenset[str]
    """Words of its short call arguments."""


def talk_of(line: Line) -> Talk:
    """The user's side of a chat log."""
    messages = [m for m in line["messages"] if m["role"] != "system"]
    speaks = [i for i, m in enumerate(messages) if m["role"] == "assistant"]
    first, last = (speaks[0], speaks[-1]) if speaks else (len(messages), -1)
    turns: list[UserTurn] = []
    asked = ""
    for index, message in enumerate(messages):
        if message["role"] == "assistant" and message.get("content"):
            asked = message["content"]
        elif message["role"] == "user" and index > first:
            text = message.get("content") or ""
            turns.append(UserTurn(text=text, asked=asked, ends=index > last))
    opening = " ".join(m.get("content") or "" for m in messages[:first] if m["role"] == "user")
    calls = [call for m in messages for call in m.get("tool_calls") or ()]
    values = [v for call in calls for v in _scalars(_parsed(call["function"]["arguments"]))]
    words = {w.casefold() for v in values if len(v) <= SHORT for w in WORD.findall(v)}
    return Talk(opening, tuple(turns), frozenset(words))


def play(script: Talk, others: Sequence[Talk], real: Talk, counts: Counts) -> None:
    """Put the real conversation's questions to the script of another attempt, which knows what the user said in the others."""
    words = (script.words | real.words) - COMMON

    def facts(text: str) -> set[str]:
        found = {w.casefold() for w in WORD.findall(text)}
        return {w for w in found if w in words or any(c.isdigit() for c in w)} - COMMON

    knows = facts(script.opening).union(*(facts(turn.text) for turn in script.turns))
    told, heard = facts(script.opening), facts(real.opening)
    known = " ".join((script.opening, *script.words))
    turns = (
        *script.turns,
        *turns_of_other_recordings(script.turns, [t.turns for t in others], known),
    )
    user, ended = ScriptedUser(turns, opening=script.opening), False
    for index, turn in enumerate(real.turns):
        new = facts(turn.text) - heard
        if not ended:
            reply = user.reply(turn.asked)
            ended = reply.ended
            later = set[str]().union(*(facts(t.text) for t in real.turns[index + 1 :]))
            fresh = facts(reply.text) - told
            counts.turns += 1
            counts.unknown += reply.source == UNKNOWN
            counts.said += len(fresh)
            counts.early += len(fresh & (later - heard - new))
            told |= fresh
        counts.asked += len(new & knows)
        counts.given += len(new & knows & told)
        heard |= new


def measure(lines: Sequence[Line]) -> Counts:
    """Every ordered pair of attempts at one task."""
    tasks: dict[str, list[Talk]] = defaultdict(list)
    for line in lines:
        tasks[line["task_key"]].append(talk_of(line))
    counts = Counts()
    for talks in tasks.values():
        for script, real in permutations(talks, 2):
            play(script, [t for t in talks if t is not script and t is not real], real, counts)
    return counts


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _scalars(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _scalars(part)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield str(value)


def desk() -> list[Line]:
    """Conversations of the example support desk, three attempts at each request, in three variants of its names."""
    lines: list[Line] = []
    for number in range(3):
        variant = make_variant(number)
        plan = Plan(app="desk", variant=variant, seed=5, conversations=120, attempts=3)
        for held in reset_season(plan, Telemetry()):
            line = json.loads(json.dumps(chat_log_line(held, held.feedback)))
            lines.append({**line, "task_key": f"{number} {line['task_key']}"})
    return lines


def options(parser: argparse.ArgumentParser) -> None:
    """Nothing is chosen."""
    del parser


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for every chat-log file of the real data, what they come to together, and the example desk."""
    del options
    real = Counts()
    for path in data_files("tau/*.jsonl"):
        found = measure([json.loads(line) for line in path.read_text().splitlines()])
        yield Row(case=path.name.split(".")[0], figures=found.figures())
        for field in fields(Counts):
            setattr(real, field.name, getattr(real, field.name) + getattr(found, field.name))
    if real.said:
        yield Row(case="together", figures=real.figures())
    yield Row(case="example desk", figures=measure(desk()).figures())
