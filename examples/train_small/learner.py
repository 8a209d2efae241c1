"""The policy that learns: a linear one that writes messages by choices, for rollouts and for the real backend alike.

In: messages and tools. Out: an assistant's message, and the choices that were made, kept under the run they belong to.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

import numpy as np

from environments.rollout.policy import Message, Run, Turn
from examples.train_small.candidates import Candidate, Place
from examples.train_small.linear import (
    Choice,
    HeadChoice,
    ValueChoice,
    Weights,
    head_row,
    value_rows,
)
from examples.train_small.situation import Situation, situation_of
from examples.train_small.writing import Vocabulary, Writer

RunKey = tuple[str, int]


@dataclass(slots=True)
class Chooser:
    """Chooses by the weights and keeps every choice that was one."""

    weights: Weights
    dice: Random | None
    """None: the likeliest each time."""
    choices: list[Choice] = field(default_factory=list)

    def head(self, situation: Situation, allowed: Sequence[int], told: int | None) -> int:
        """One of the allowed heads."""
        rows = np.fromiter((head_row(name) for name in situation.features), np.int32)
        columns = np.asarray(allowed, np.int32)
        target = None if told is None else list(allowed).index(told)
        choice = HeadChoice(rows, columns, self._pick(HeadChoice(rows, columns, 0), target))
        self.choices.append(choice)
        return int(columns[choice.chosen])

    def value(self, place: Place, offered: Sequence[Candidate], told: int | None) -> int:
        """The place of one of the candidates."""
        if len(offered) == 1:
            return 0
        sizes = [len(one.traits) for one in offered]
        traits = np.concatenate([one.traits for one in offered])
        starts = np.cumsum([0, *sizes[:-1]]).astype(np.int32) * 3
        rows = np.empty(3 * len(traits), np.int32)
        rows[0::3] = value_rows(traits, place.name)
        rows[1::3] = value_rows(traits, f"~{place.context}")
        rows[2::3] = value_rows(traits, "")
        made = rows, starts
        chosen = self._pick(ValueChoice(*made, 0), told)
        self.choices.append(ValueChoice(*made, chosen))
        return chosen

    def _pick(self, choice: Choice, told: int | None) -> int:
        if told is not None:
            return told
        if self.dice is None:
            return int(self.weights.scores(choice).argmax())
        reached = np.cumsum(self.weights.chances(choice))
        return min(int(np.searchsorted(reached, self.dice.random())), len(reached) - 1)


@dataclass(slots=True)
class LinearPolicy:
    """Plays runs, many side by side."""

    name: str
    vocabulary: Vocabulary
    weights: Weights
    salt: str | None = None
    """Names the dice; None: the likeliest choice each time."""
    choices: dict[RunKey, list[Choice]] = field(default_factory=dict)
    _heads: dict[RunKey, list[str]] = field(default_factory=dict)

    async def act(self, messages: Sequence[Message], tools: Sequence[Message], *, run: Run) -> Turn:
        """The next message of a run."""
        return Turn(message=self.write(messages, tools, key=(run.task_id, run.seed)))

    def write(
        self, messages: Sequence[Message], tools: Sequence[Message], *, key: RunKey
    ) -> Message:
        """The same, without an event loop."""
        heads = self._heads.setdefault(key, [])
        dice = None if self.salt is None else Random(f"{self.salt} {key} {len(heads)}")
        chooser = Chooser(self.weights, dice)
        writer = Writer(self.vocabulary, situation_of(messages, heads), tools, chooser)
        head, message = writer.write()
        heads.append(head)
        if self.salt is not None:
            self.choices.setdefault(key, []).extend(chooser.choices)
        return message
