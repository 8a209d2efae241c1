"""What a user was never asked and never said, as an alike user said it: a choice that the task's user is given.

In: what one unresolved episode lets anybody know, and alike resolved cases. Out: what would be known had its user answered as
an alike one did, with the turns that say it. Nothing is taken over that holds a number or id: those are the other user's
own. The real user may have chosen otherwise; which arguments rest on it is said. Not here: which end it is (`constructed_ends`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from environments.runtime.task.task import UserTurn
from synth.recordings.known_values import HeardText, KnownValues, plain_text
from synth.solutions.cases import Case
from synth.solutions.fillers.borrowed_turns import answers_of

MOST_DONORS: Final = 8
"""Alike users whose answers are tried."""


@dataclass(frozen=True, slots=True)
class SupposedTurns:
    """Turns that the user might have said too, and whose they are."""

    turns: tuple[UserTurn, ...]
    donor: Case


def suppose_turns(
    known: KnownValues, alike: Sequence[Case], *, name: str
) -> Iterator[SupposedTurns]:
    """What this user might have answered: the answers of one alike user after the other.

    `name` decides who comes first, so that the users of many tasks do not all choose alike.
    """
    said = set(known.plain_turns)
    tried: set[tuple[str, ...]] = set()
    for case in sorted(alike, key=lambda c: _dice(name, c.facts.episode_id)):
        turns = tuple(t for t in answers_of(case) if plain_text(t.text) not in said)
        texts = tuple(t.text for t in turns)
        if texts and texts not in tried and len(tried) < MOST_DONORS:
            tried.add(texts)
            yield SupposedTurns(turns, case)


def saying(known: KnownValues, turns: Sequence[UserTurn]) -> KnownValues:
    """What would be known if the user had said these turns too."""
    texts = tuple(turn.text for turn in turns)
    heard = tuple(HeardText(plain_text(text), by_user=True) for text in texts)
    return replace(known, said=(*known.said, *texts), heard=(*known.meant_texts, *heard))


def _dice(name: str, other: str) -> str:
    return hashlib.sha256(f"{name} {other}".encode()).hexdigest()
