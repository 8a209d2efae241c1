"""Imitation: the vocabulary is taken from good attempts, and the policy learns to make the choices that they made.

In: conversations of the `sft` export. Out: a vocabulary and weights. A message that no candidate leads to is left out.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from random import Random
from typing import Any, Final

from environments.runtime.play.tool_names import tool_name
from examples.train_small.forms import Form, Part, read_text
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
    said: Counter[tuple[str, tuple[Part, ...]]] = Counter()
    widest: dict[tuple[str, tuple[Part, ...]], Form] = {}
    for one in conversations:
        tools.update(dict.fromkeys(tool_name(tool) for tool in one["tools"]))
        for place, form in dict.fromkeys(_texts(one["messages"])):
            said[place, form.loose] += 1
            # Of forms that differ in how many values a slot holds, the one that takes several.
            widest[place, form.loose] = max(
                widest.get((place, form.loose), form), form, key=_separators
            )
    arguments: dict[str, list[Form]] = {}
    for key, count in said.items():
        if count >= LEAST:
            arguments.setdefault(key[0], []).append(widest[key])
    return Vocabulary(sorted(tools), arguments.pop("", []), arguments)


def _texts(messages: Sequence[Message]) -> Iterator[tuple[str, Form]]:
    """Forms of an agent's sentences, under no place, and of arguments that nothing had shown, by tool and argument."""
    for at, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        known = known_values(messages[:at]).values()
        if message.get("content"):
            yield "", read_text(message["content"], known).form
        shown = {str(value.value) for value in known}
        for call in message.get("tool_calls") or ():
            for key, value in json.loads(call["function"]["arguments"]).items():
                if isinstance(value, str) and value not in shown:
                    place = f"{call['function']['name']}.{key}"
                    yield place, read_text(value, known, cents=False).form


def _separators(form: Form) -> int:
    return sum(bool(slot.separator) for slot in form.slots)


def lessons_of(conversations: Sequence[dict[str, Any]], vocabulary: Vocabulary) -> Lessons:
    """The choices that lead to each message of the good attempts.

    They are gone through twice: first to learn which sorts of values stand where.
    """
    _walk(conversations, vocabulary, learns_sorts=True)
    return _walk(conversations, vocabulary)


def _walk(
    conversations: Sequence[dict[str, Any]], vocabulary: Vocabulary, *, learns_sorts: bool = False
) -> Lessons:
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
            situation = situation_of(messages[:at], heads)
            writer = Writer(vocabulary, situation, one["tools"], chooser, learns_sorts)
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
