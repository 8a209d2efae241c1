"""One of few values, by the words that users say only with it.

In: resolved calls with what their users said. Out: a source that is sure where all telling words of a user mean one value.
A word tells only if so many users of one value said it that accident is unlikely. Not here: which element of a record is
meant (`element_words`), which end (`which_end`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from environments.runtime.task.attempt import Json
from synth.recordings.known_values import Example, KnownValues

MOST_VALUES: Final = 8
"""Different values up to which an argument is a choice among few."""
SAID_BY: Final = 2
"""Users of a value who said a word that tells it."""
ACCIDENT: Final = 0.13
"""How probable it may be that all who said a word have the same value by accident."""
VOCABULARY: Final = 0.01
"""The same for words that agents use: one is enough to tell, so that many are tried."""
WORD: Final = re.compile(r"[^\W\d_]{2,}")


Words = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class WordedValue:
    """One of few values, by words that users say only with it."""

    said: Words = field(hash=False)
    """What users say."""
    agreed: Words = field(hash=False)
    """What they said yes to."""
    values: Mapping[str, Json] = field(hash=False)
    last: bool = False
    """Whether what was said last counts, where a user said words of several values."""

    def find(self, known: KnownValues, others: Sequence[Json]) -> Json:  # noqa: ARG002 - the protocol's arguments
        """The value that all telling words of the user mean."""
        turns = [
            {words[w] for w in (*WORD.findall(heard.text), *grams(heard.text)) if w in words}
            for heard in known.meant_texts
            for words in [self.said if heard.by_user else self.agreed]
        ]
        turns = [votes for votes in turns if votes]
        votes = turns[-1] if turns and self.last else set[str]().union(*turns)
        return self.values[next(iter(votes))] if len(votes) == 1 else None

    def meaning(self, turn: str) -> set[str]:
        """The values that a user's words in one turn tell."""
        return {self.said[w] for w in (*WORD.findall(turn), *grams(turn)) if w in self.said}


def worded_of(examples: Sequence[Example], *, last: bool = False) -> WordedValue | None:
    """The fewest neighbouring words that users said with one value only, and every other user of that value not at all."""
    values = {str(e.value): e.value for e in examples if isinstance(e.value, str)}
    if not 2 <= len(values) <= MOST_VALUES or len(examples) < 2 * len(values):
        return None
    said, agreed = (_covering(examples, values, by_user=by_user) for by_user in (True, False))
    return WordedValue(said, agreed, values, last) if said or agreed else None


def vocabulary_of(examples: Sequence[Example]) -> WordedValue | None:
    """The words that agents read one value back with; users call the same things by them. What they said last counts."""
    values = {str(e.value): e.value for e in examples if isinstance(e.value, str)}
    if not 2 <= len(values) <= MOST_VALUES:
        return None
    meaning = [str(e.value) for e in examples]
    share = {value: n / len(examples) for value, n in Counter(meaning).items()}
    spoken: dict[str, set[int]] = defaultdict(set)
    for index, e in enumerate(examples):
        for heard in e.known.meant_texts:
            for word in () if heard.by_user else WORD.findall(heard.text):
                spoken[word].add(index)
    words = {
        word: meaning[min(at)]
        for word, at in spoken.items()
        if len({meaning[i] for i in at}) == 1
        and meaning[min(at)] in values
        and share[meaning[min(at)]] ** len(at) <= VOCABULARY
    }
    return WordedValue(words, words, values, last=True) if words else None


def _covering(examples: Sequence[Example], values: Collection[str], *, by_user: bool) -> Words:
    """Telling words, until nobody is left who said any."""
    spoken: dict[str, set[int]] = defaultdict(set)
    for index, e in enumerate(examples):
        for heard in e.known.meant_texts:
            for gram in set(grams(heard.text)) if heard.by_user == by_user else ():
                spoken[gram].add(index)
    meaning = [str(e.value) for e in examples]
    share = {value: n / len(examples) for value, n in Counter(meaning).items()}
    telling = {
        g: at
        for g, at in spoken.items()
        # Lists and numbers are no words' meaning.
        if len(at) >= SAID_BY
        and len({meaning[i] for i in at}) == 1
        and meaning[min(at)] in values
        and share[meaning[min(at)]] ** len(at) <= ACCIDENT
    }
    words: dict[str, str] = {}
    open_ones = set(range(len(examples)))
    while telling:
        gram = max(telling, key=lambda g: (len(telling[g] & open_ones), len(telling[g]), g))
        covered = telling.pop(gram) & open_ones
        if len(covered) < SAID_BY:
            break
        words[gram] = meaning[next(iter(covered))]
        open_ones -= covered
    return words


def grams(turn: str) -> list[str]:
    """Neighbouring words of a turn, two and three at a time."""
    words = WORD.findall(turn)
    pairs = [" ".join(p) for p in pairwise(words)]
    return pairs + [" ".join(p) for p in zip(words, words[1:], words[2:], strict=False)]
