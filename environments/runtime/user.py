"""The user to come: what the recorded user said, given again when it is asked for.

In: the recorded turns with the words each of them answered. Out: the next turn for what the policy said. A question
nearest to a recorded one gets that answer; anything else gets the next turn in order; a question that nothing in the
recording resembles gets one fixed sentence whose source is `unknown`. Deterministic, no model, no randomness.
Not here: users played by a model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from typing import Final

from .attempt import RECORDED, UNKNOWN
from .task import UserTurn

NEUTRAL: Final = "I don't have anything to add to that."
"""What the user says to a question that the recording does not answer."""
NEAR: Final = 0.35
"""Similarity from which a recorded question counts as the one that was asked."""
AGAIN: Final = 0.8
"""Similarity from which a question that was already answered counts as asked again."""
STRANGE: Final = 0.02
"""Similarity to every recorded question below which nothing in the recording answers this one."""
WORD: Final = re.compile(r"[^\W_]+")
LONGEST: Final = 20_000
"""Characters of the policy's text that are looked at, from its end: where the question stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the user does after the policy spoke."""

    text: str = ""
    source: str = RECORDED
    """`RECORDED`, or `UNKNOWN` for the neutral sentence."""
    ended: bool = False
    """The user leaves: after these words, or without any when `text` is empty."""
    turn: int | None = None
    """Which recorded turn it is."""


class ScriptedUser:
    """Plays one recorded user for one run."""

    def __init__(self, turns: Sequence[UserTurn]) -> None:
        self._turns = turns
        self._left = list(range(len(turns)))
        self._given: list[int] = []
        """Turns that may be said once more."""
        self._vectors: list[dict[str, float]] = []
        self._rarity: dict[str, float] = {}

    def reply(self, said: str) -> Reply:
        """The user's answer to what the policy said."""
        scores = self._similarities(said)
        asks = "?" in said
        if not self._left:
            return self._after_the_last(scores, asks=asks)
        chosen = max(self._left, key=lambda i: (scores[i], -i))
        if scores[chosen] >= NEAR and not self._is_farewell(chosen):
            return self._give(chosen)
        if asks and max(scores) < STRANGE:
            return Reply(text=NEUTRAL, source=UNKNOWN)
        again = max(self._given, key=lambda i: (scores[i], -i), default=None)
        if asks and again is not None and scores[again] >= AGAIN:
            return self._repeat(again)
        return self._give(self._left[0])

    def _after_the_last(self, scores: Sequence[float], *, asks: bool) -> Reply:
        """Everything was said: answer a known question once more, own up to a new one, else leave."""
        again = max(self._given, key=lambda i: (scores[i], -i), default=None)
        if not asks or again is None:
            return Reply(ended=True)
        if scores[again] >= NEAR:
            return self._repeat(again)
        return Reply(text=NEUTRAL, source=UNKNOWN)

    def _repeat(self, index: int) -> Reply:
        self._given.remove(index)
        return Reply(text=self._turns[index].text, turn=index)

    def _give(self, index: int) -> Reply:
        self._left.remove(index)
        self._given.append(index)
        turn = self._turns[index]
        return Reply(text=turn.text, turn=index, ended=turn.ends and not self._left)

    def _is_farewell(self, index: int) -> bool:
        """The turn that ended the recording waits until everything else was said."""
        return self._turns[index].ends and len(self._left) > 1

    def _similarities(self, said: str) -> list[float]:
        if not self._vectors:
            self._learn()
        asked = self._vector(said)
        return [_cosine(asked, vector) for vector in self._vectors]

    def _learn(self) -> None:
        """Words that stand in few of the recorded questions tell them apart."""
        spread = Counter(word for turn in self._turns for word in set(_words(turn.asked)))
        total = len(self._turns)
        self._rarity = {word: log(1 + total / count) for word, count in spread.items()}
        self._vectors = [self._vector(turn.asked) for turn in self._turns]

    def _vector(self, text: str) -> dict[str, float]:
        new = log(1 + len(self._turns))
        return {word: self._rarity.get(word, new) for word in _words(text)}


def _words(text: str) -> list[str]:
    return WORD.findall(text[-LONGEST:].casefold())


def _cosine(left: dict[str, float], right: dict[str, float]) -> float:
    shared = sum(weight * right[word] for word, weight in left.items() if word in right)
    if not shared:
        return 0.0
    return shared / sqrt(sum(w * w for w in left.values()) * sum(w * w for w in right.values()))
