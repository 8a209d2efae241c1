"""What speaks for a hypothesis, and when that is enough: the one place that accepts, with all statistical constants of learning a world.

Comes in: how many different cases a hypothesis was tried on, and how many spoke against it. Comes out: whether it is believed.
Every finder counts cases of its own (calls, tasks, records, tools: each says which, beside the name that it gives the bound), and takes
the bound from here. Not here: bounds on how much is searched (`MAX_...` in each finder), and how sure a recalled answer has to
be (`influence.recall`, calibrated on left-out episodes). What is learnt for rubrics and solutions has bounds of its own, beside what
they decide (`recordings.repeats`, `recordings.tool_kinds`, `solutions.fillers.value_words`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import comb
from typing import Final

SEEN_TWICE: Final = 2
"""Different cases that rule out an accident, where nothing else would make them alike."""
SEEN_THRICE: Final = 3
"""The same where the hypothesis was chosen among several."""
SEEN_FOUR_TIMES: Final = 4
"""The same where the first of the cases suggested it, so that only the others try it."""
SEEN_SEVERAL_TIMES: Final = 5
"""The same where it was chosen among many, or where agents and clocks make cases alike now and then."""
SEEN_OFTEN: Final = 8
"""Cases in which something never happened, before it is believed that it does not happen."""
SEEN_MANY_TIMES: Final = 12
"""The same where other causes hide it in some cases."""
SEEN_VERY_OFTEN: Final = 20
"""The same where one in ten would be otherwise by chance."""
SEEN_ALL_THE_TIME: Final = 30
"""The same against what a tool's name or answers say."""

HARDLY_EVER: Final = 0.08
"""Share of cases that slips of agents, faults and other people's calls account for."""
SELDOM: Final = 0.25
"""Share of cases that is more than slips make, where something is only asked to happen now and then."""
HALF_OF_CASES: Final = 0.5
"""Share of cases from which on more speaks for than against."""
MORE_THAN_HALF: Final = 0.6
"""Share of fields in common from which on two records are of one kind."""
USUALLY: Final = 0.7
"""Share of cases in which something has to be there to be worth a hypothesis."""
MOSTLY: Final = 0.8
"""Share of cases from which on the others are exceptions: what was changed in between, another notation."""
NEARLY_ALWAYS: Final = 0.9
"""The same where only slips make exceptions."""

CHANCE: Final = 0.05
"""How likely it may be by accident, of a hypothesis that was stated before the cases were looked at."""
CHANCE_AMONG_SOME: Final = 1e-3
"""The same of one among dozens that are tried in one app."""
CHANCE_AMONG_MANY: Final = 1e-6
"""The same of one among thousands."""
CHANCE_AMONG_RANGES: Final = 1e-8
"""The same of a range, chosen among many for each of these."""

STRONG: Final = 2.0
"""Log-odds of what decides by itself that one call changes another's answer."""
CLEAR: Final = 1.0
"""The same of what makes it nearly three times as likely, and does not decide alone."""
FAINT: Final = 0.5
"""The same of a hint, which two others outweigh."""
A_TRIAL: Final = 0.7
"""Log-odds of one case in which a call could have changed an answer and did, or did not."""
A_TRACE: Final = 0.05
"""The same of a case that was about other answers."""
FAVOUR: Final = 1.5
"""How much likelier a known writer is to have made a change than a tool that seems to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """What speaks for a hypothesis, and against it."""

    cases: int
    """Different cases in which it held: calls, tasks, records or tools."""
    against: int = 0
    """Cases in which it did not."""


def chance_of_so_few(held: int, *, among: int, of: int, total: int) -> float:
    """How probable it is by accident that at most `held` of the `of` cases among `total` fall `among` so many (hypergeometric)."""
    if not among:
        return 1.0
    ways = sum(comb(of, k) * comb(total - of, among - k) for k in range(held + 1))
    return ways / comb(total, among)


def accept(support: Support, *, least: int, share: float = 1.0) -> bool:
    """Whether enough different cases speak for a hypothesis: at least so many, and at least this share of all."""
    return support.cases >= least and support.cases >= share * (support.cases + support.against)


def accept_counts(held: Counter[bool], *, least: int, share: float) -> bool:
    """The same of cases that are counted by whether the hypothesis held in them."""
    return accept(Support(cases=held[True], against=held[False]), least=least, share=share)
