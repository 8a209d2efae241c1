"""The user to come: what the recorded user said, given again when it is asked for.

In: the recorded turns with the words each of them answered. Out: the next turn for what the policy said. A question
nearest to a recorded one gets that answer (one that asks for consent, an answer to such a one); anything else gets the
next turn in order; a question that nothing in the recording resembles gets one fixed sentence whose source is
`unknown`. Deterministic, no model, no randomness.
Not here: users played by a model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum, log, sqrt
from typing import Final

from .attempt import RECORDED, UNKNOWN
from .consent import asks_consent
from .task import UserTurn

NEUTRAL: Final = "I don't have anything to add to that."
"""What the user says to a question that the recording does not answer."""
NEAR: Final = 0.35
"""Similarity from which a recorded question counts as the one that was asked."""
AGAIN: Final = 0.8
"""Similarity from which a question that was already answered counts as asked again."""
CLEARLY: Final = 0.2
"""How much nearer another question must be than one for consent, where consent is asked for."""
OWN: Final = 0.3
"""Weight of a turn's own words beside the words it answered: who is asked for a zip code speaks of a zip code."""
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
        self._turns = tuple(turns)
        self._left = list(range(len(self._turns)))
        self._given: list[int] = []
        """Turns that may be said once more."""

    def reply(self, said: str) -> Reply:
        """The user's answer to what the policy said."""
        scores = _questions(self._turns).similarities(said)
        asks = "?" in said
        if not self._left:
            return self._after_the_last(scores, asks=asks)
        chosen = max(self._left, key=lambda i: (scores[i], -i))
        near = scores[chosen] >= NEAR and not self._is_farewell(chosen)
        consenting = self._consenting() if asks and asks_consent(said) else []
        if consenting:
            consent = max(consenting, key=lambda i: (scores[i], -i))
            clearer = near and scores[chosen] >= scores[consent] + CLEARLY
            if not clearer or "?" not in self._turns[chosen].asked:
                return self._give(consent)
        if near:
            return self._give(chosen)
        if asks and max(scores) < STRANGE:
            return Reply(text=NEUTRAL, source=UNKNOWN)
        again = max(self._given, key=lambda i: (scores[i], -i), default=None)
        if asks and again is not None and scores[again] >= AGAIN:
            return self._repeat(again)
        return self._give(self._next(scores))

    def _next(self, scores: Sequence[float]) -> int:
        """The turn in order where nothing is near: the better of the next two, since agents skip questions."""
        coming = [i for i in self._left if not self._is_farewell(i)][:2] or self._left[:1]
        return max(coming, key=lambda i: (scores[i], -i))

    def _consenting(self) -> list[int]:
        """Turns left that answered a question for consent: another such question gets one of them, whatever its words."""
        return [i for i in self._left if asks_consent(self._turns[i].asked)]

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


class _Questions:
    """The recorded questions of one task as weighted words; shared by all its runs."""

    def __init__(self, turns: tuple[UserTurn, ...]) -> None:
        asked = [_words(turn.asked) for turn in turns]
        own = [_words(turn.text) - words for turn, words in zip(turns, asked, strict=True)]
        pairs = list(zip(asked, own, strict=True))
        spread = Counter(word for questions, answers in pairs for word in questions | answers)
        self._new = log(1 + len(turns))
        self._rarity = {word: log(1 + len(turns) / count) for word, count in spread.items()}
        """Words that stand in few of the recorded turns tell them apart."""
        self._vectors = [
            {word: self._rarity[word] for word in questions}
            | {word: OWN * self._rarity[word] for word in answers}
            for questions, answers in pairs
        ]
        self._norms = [_norm(vector.values()) for vector in self._vectors]

    def similarities(self, said: str) -> list[float]:
        """How near what was said is to each recorded question, from 0 to 1."""
        words = _words(said)
        norm = _norm(self._rarity.get(word, self._new) for word in words)
        return [
            self._cosine(words, vector, norm * own)
            for vector, own in zip(self._vectors, self._norms, strict=True)
        ]

    def _cosine(self, words: frozenset[str], vector: dict[str, float], norms: float) -> float:
        # Exact sums: the order of a set must not decide between two turns.
        shared = fsum(vector[word] * self._rarity[word] for word in words.intersection(vector))
        return shared / norms if shared else 0.0


_questions = lru_cache(maxsize=4096)(_Questions)


def _words(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(text[-LONGEST:].casefold()))


def _norm(weights: Iterable[float]) -> float:
    return sqrt(fsum(weight * weight for weight in weights))
