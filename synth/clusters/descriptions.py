"""What a cluster claims of its members, with how many of them it holds for, so that anybody can check it.

Comes in: the failures of a cluster. Goes out: sentences without any text of the conversations. Not here: names (`names`).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

from synth.failures.detection import Failure
from synth.failures.judging.opinion import LABELS, MODEL, PERSON

LEAST: Final = 0.25
"""The share of members that a sentence must hold for."""
MOST: Final = 3
"""Sentences of one description."""
_NUMBER: Final = re.compile(r"\d+")
_NAMED: Final = {
    PERSON: "people say so",
    MODEL: "a model says so",
    LABELS: "people call it so where they labelled the like",
}


def description_of(members: Sequence[Failure]) -> str:
    """What the evidence at the critical step says of how many members, and how many others named; numbers that differ are left out."""
    holds: Counter[str] = Counter()
    weight: Counter[str] = Counter()
    words: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for member in members:
        pieces = {p.name: p for p in reversed(member.evidence) if p.step == member.step}
        holds.update(pieces.keys())
        for name, piece in pieces.items():
            weight[name] = max(weight[name], round(100 * piece.weight))
            words[name][_sentence(piece.says)] += 1
    told = [
        (count, words[name].most_common(1)[0][0])
        for name, count in sorted(holds.items(), key=lambda one: (-weight[one[0]], one[0]))
        if count >= LEAST * len(members)
    ][:MOST]
    by = Counter(member.named_by for member in members)
    told += [(by[who], _sentence(f"{says}.")) for who, says in _NAMED.items() if by[who]]
    return " ".join(f"{count} of {len(members)}: {says}" for count, says in told)


def _sentence(text: str) -> str:
    plain = _NUMBER.sub("several", text)
    return plain[:1].upper() + plain[1:]
