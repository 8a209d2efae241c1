"""Caps: what no honest attempt needs, so that telling or calling everything earns nothing.

In: the accepted ends of one task. Out: required negative checks for reward. The cap on new numbers stands only where telling
them earns something: where a fact is to be told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.task.rubric import Check
from synth.recordings.attempt_facts import Facts
from synth.rubric.ends import End
from synth.rubric.evidence import required_check
from synth.rubric.facts.amounts import SLACK, AmountSpread

CHARACTERS_PER_MESSAGE: Final = 1500
CHARACTERS: Final = 5000
CALLS: Final = 20
QUOTED: Final = 200
"""Characters that an honest attempt may copy from results and instructions: a sentence of a document, not records or the policy."""


def cap_checks(
    accepted: Sequence[End], *, told: bool, spread: AmountSpread, also: Sequence[Facts] = ()
) -> list[Check]:
    """Caps on calls, and where telling earns something, on numbers and words.

    `spread` says how many new numbers an honest attempt may tell; `also` are attempts that show how much such a request takes.
    """
    good = [*(a for end in accepted for a in end.good), *also]
    calls = max(CALLS, (SLACK + 1) * max(len(a.recorded.attempt.calls) for a in good))
    quoted = max(QUOTED, SLACK * max(a.told_facts.quoted for a in good))
    fields = SLACK * max(a.told_facts.fields for a in good)
    total = spread.most_told(max(a.total_told for a in good))
    choices = max(a.told_facts.choices for a in good)
    longest = max(CHARACTERS_PER_MESSAGE, SLACK * max(a.longest for a in good))
    spoken = max(CHARACTERS, SLACK * max(a.spoken for a in good))
    caps: list[tuple[str, str, dict[str, Json]]] = [
        ("calls", "calls_at_most", {"most": calls}),
        ("quoted", "quoted_at_most", {"most": quoted, "fields": fields}),
        *([("", "numbers_told", {"total": total, "choices": choices})] if told else ()),
        ("", "words_told", {"per_message": longest, "total": spoken}),
    ]
    return [required_check(fn, args, (), check_id=name, positive=False) for name, fn, args in caps]
