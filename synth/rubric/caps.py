"""Caps: what no honest attempt needs, so that telling or calling everything earns nothing.

In: the accepted ends of one task. Out: required negative checks for reward. The cap on new numbers stands only where telling
them earns something: where a fact is to be told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from environments.runtime.task.rubric import REWARD, Check
from synth.recordings.attempt_facts import Facts
from synth.rubric.ends import End
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
    checks = [_cap("calls", "calls_at_most", most=calls)]
    quoted = max(QUOTED, SLACK * max(a.told_facts.quoted for a in good))
    fields = max(a.told_facts.fields for a in good)
    checks.append(_cap("quoted", "quoted_at_most", most=quoted, fields=SLACK * fields))
    if told:
        total = spread.most_told(max(a.total_told for a in good))
        checks.append(
            _cap(
                "numbers_told",
                "numbers_told",
                total=total,
                choices=max(a.told_facts.choices for a in good),
            )
        )
    longest = max(CHARACTERS_PER_MESSAGE, SLACK * max(a.longest for a in good))
    spoken = max(CHARACTERS, SLACK * max(a.spoken for a in good))
    checks.append(_cap("words_told", "words_told", per_message=longest, total=spoken))
    return checks


def _cap(check_id: str, fn: str, **args: int) -> Check:
    return Check(
        check_id=check_id,
        fn=fn,
        args=dict(args),
        role=REWARD,
        required=True,
        positive=False,
    )
