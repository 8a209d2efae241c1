"""Imitation: the vocabulary is taken from good attempts, and the policy learns to make the choices that they made.

In: conversations of the `sft` export. Out: a vocabulary and weights. A message that no candidate leads to is left out.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from random import Random
from typing import Any, Final

from environments.runtime.play.tool_names import tool_name
from examples.train_small.forms import read_text
from examples.train_small.learner import Chooser
from examples.train_small.linear import Choice, Climber, Weights
from examples.train_small.shown import Message, known_values
from examples.train_small.situation import situation_of
from examples.train_small.writing import NotWritableError, Vocabulary, Writer

LEAST: Final = 2
"""Attempts that must share a form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lessons:
    """What good attempts teach."""

    vocabulary: Vocabulary
    choices: tuple[tuple[Choice, ...], ...]
    """Those of each message."""
    left_out: int
    """Messages that no candidates lead to."""


def vocabulary_of(conversations: Sequence[dict[str, Any]]) -> Vocabulary:
    """Tools that were offered, forms that were met more than once."""
    tools: dict[str, None] = {}
    said: Counter[Any] = Counter()
    for one in conversations:
        tools.update(dict.fromkeys(tool_name(tool) for tool in one["tools"]))
        found = set()
        for at, message in enumerate(one["messages"]):
            if message["role"] != "assistant":
                continue
            known = known_values(one["messages"][:at]).values()
            if message.get("content"):
                found.add(("", read_text(message["content"], known).form))
            for call in message.get("tool_calls") or ():
                shown = {str(value.value) for value in known}
                place = str(call["function"]["name"])
                for key, value in json.loads(call["function"]["arguments"]).items():
                    if isinstance(value, str) and value not in shown:
                        found.add((f"{place}.{key}", read_text(value, known).form))
        said.update(found)
    kept = [key for key, count in said.items() if count >= LEAST]
    arguments: dict[str, list[Any]] = {}
    for place, form in kept:
        if place:
            arguments.setdefault(place, []).append(form)
    return Vocabulary(sorted(tools), [form for place, form in kept if not place], arguments)


def lessons_of(conversations: Sequence[dict[str, Any]], vocabulary: Vocabulary) -> Lessons:
    """The choices that lead to each message of the good attempts."""
    blank = Weights.of(len(vocabulary.heads))
    made: list[tuple[Choice, ...]] = []
    left_out = 0
    for one in conversations:
        messages: list[Message] = one["messages"]
        heads: list[str] = []
        for at, message in enumerate(messages):
            if message["role"] != "assistant":
                continue
            chooser = Chooser(blank, None)
            writer = Writer(vocabulary, situation_of(messages[:at], heads), one["tools"], chooser)
            try:
                head, _ = writer.write(message)
            except NotWritableError:
                head, left_out = "?", left_out + 1
            else:
                made.append(tuple(chooser.choices))
            heads.append(head)
    return Lessons(vocabulary=vocabulary, choices=tuple(made), left_out=left_out)


def imitate(
    lessons: Lessons, *, epochs: int, rate: float, seed: int, batch: int = 16
) -> tuple[Weights, list[float]]:
    """Weights that make the recorded choices likely, and the mean loss of each epoch."""
    weights = Weights.of(len(lessons.vocabulary.heads))
    climber, dice, losses = Climber(weights, rate), Random(seed), []
    messages = list(lessons.choices)
    for _ in range(epochs):
        dice.shuffle(messages)
        total = 0.0
        for start in range(0, len(messages), batch):
            choices = [c for message in messages[start : start + batch] for c in message]
            total -= sum(log(climber.push(choice, 1 / batch) + 1e-12) for choice in choices)
            climber.step()
        losses.append(total / max(1, len(messages)))
    return weights, losses
