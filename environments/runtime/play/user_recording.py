"""The recorded turns of one user as weighted words: what a policy's words ask for, and which sentences answer that.

In: recorded turns with the words each of them answered. Out: similarities and shares from 0 to 1; sentences of turns.
Made once per task and shared by all its runs. Not here: what the user then says (`user`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum, log, sqrt
from typing import Final

from ..task.task import UserTurn

OWN: Final = 0.3
"""Weight of a turn's own words beside the words it answered: who is asked for a zip code speaks of a zip code."""
WORD: Final = re.compile(r"[^\W_]+")
LONGEST: Final = 20_000
"""Characters of the policy's text that are looked at, from its end: where the question stands."""
BREAK: Final = re.compile(r"(?<=[.!?])\s+(?![\d\sa-z])|(?<=[\u3002\uff01\uff1f])|\n+")
"""Between sentences. A full stop before a digit or a small letter is an abbreviation's ("No. 5")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence of a recorded turn."""

    text: str
    words: frozenset[str]


class Recording:
    """The recorded turns of one task, as words weighted by how few of the turns have them."""

    def __init__(self, turns: tuple[UserTurn, ...]) -> None:
        self._turns = turns
        self._asked = [words_of(turn.asked) for turn in turns]
        own = [words_of(t.text) - words for t, words in zip(turns, self._asked, strict=True)]
        pairs = list(zip(self._asked, own, strict=True))
        spread = Counter(word for questions, answers in pairs for word in questions | answers)
        self._new = log(1 + max(1, len(turns)))
        self._rarity = {word: log(1 + len(turns) / count) for word, count in spread.items()}
        """Words that stand in few of the recorded turns tell them apart."""
        self._vectors = [
            {word: self._rarity[word] for word in questions}
            | {word: OWN * self._rarity[word] for word in answers}
            for questions, answers in pairs
        ]
        self._norms = [_norm(vector.values()) for vector in self._vectors]
        self._sentences: dict[int, tuple[Sentence, ...]] = {}

    def similarities(self, said: frozenset[str]) -> list[float]:
        """How near what was said is to each recorded question, from 0 to 1."""
        norm = _norm(map(self._weight, said))
        return [
            self._cosine(said, vector, norm * own)
            for vector, own in zip(self._vectors, self._norms, strict=True)
        ]

    def asked_besides(self, first: int, other: int, said: frozenset[str]) -> float:
        """How much of the other turn's question was asked in words that the first turn does not account for."""
        first_words = self._asked[first] | words_of(self._turns[first].text)
        shared = (said & self._asked[other]) - first_words
        whole = _norm(self._rarity[word] for word in self._asked[other])
        return _norm(self._rarity[word] for word in shared) / whole if shared else 0.0

    def sentences(self, index: int) -> tuple[Sentence, ...]:
        """The sentences of a turn, in order; none of them is empty."""
        if index not in self._sentences:
            self._sentences[index] = sentences_of(self._turns[index].text)
        return self._sentences[index]

    def nearness(self, sentence: frozenset[str], said: frozenset[str]) -> float:
        """How near a sentence of the user's is to what was said, from 0 to 1."""
        norms = [_norm(map(self._weight, words)) for words in (sentence, said)]
        shared = fsum(self._weight(word) ** 2 for word in sentence & said)
        return shared / (norms[0] * norms[1]) if shared else 0.0

    def _weight(self, word: str) -> float:
        return self._rarity.get(word, self._new)

    def share_asked(self, words: Iterable[str], said: frozenset[str]) -> float:
        """How much of some words of a recorded turn the policy used, by weight."""
        weights = {word: self._rarity.get(word, 0.0) for word in words}
        whole = fsum(weights.values())
        return fsum(weights[word] for word in said.intersection(weights)) / whole if whole else 0.0

    def _cosine(self, words: frozenset[str], vector: dict[str, float], norms: float) -> float:
        # Exact sums: the order of a set must not decide between two turns.
        shared = fsum(vector[word] * self._rarity[word] for word in words.intersection(vector))
        return shared / norms if shared else 0.0


_recording = lru_cache(maxsize=4096)(Recording)


def recording_of(turns: Sequence[UserTurn]) -> Recording:
    """The recording of some turns; the same object for equal turns."""
    return _recording(tuple(turns))


def sentences_of(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text, in order; none of them is empty."""
    texts = (one for one in BREAK.split(text) if one.strip())
    return tuple(Sentence(text=one, words=words_of(one)) for one in texts)


def words_of(text: str) -> frozenset[str]:
    """The words of a text, of its end if it is very long."""
    return frozenset(WORD.findall(text[-LONGEST:].casefold()))


def is_specific(word: str) -> bool:
    """Whether a word names something: it has a digit, as ids, amounts and dates have in every language."""
    return any(character.isdigit() for character in word)


def _norm(weights: Iterable[float]) -> float:
    return sqrt(fsum(weight * weight for weight in weights))
