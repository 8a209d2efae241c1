"""Independence: which tools' earlier calls cannot matter to an answer, weighed from all that speaks for and against.

Comes from the evidence on every tool (`trials`). Comes out, per tool and suspect: whether the suspect's calls matter though
they share no name, and whether they never do though they share one. Evidence is pooled: a tool that changed nothing for other
tools' answers, or before other arguments, is likely to change nothing here. Not here: comparing pairs of calls (`trials`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from synth.world.influence.trials import Evidence
from synth.world.support import (
    A_TRACE,
    A_TRIAL,
    CLEAR,
    FAINT,
    SEEN_OFTEN,
    SEEN_TWICE,
    STRONG,
)

LIMIT: Final = STRONG
"""From it on a suspect matters from afar. Log-odds by their order, not calibrated: measured as the highest with under 0.5 % wrong."""
BASE: Final = -CLEAR
NAMED: Final = FAINT
"""For a tool whose name says that it changes something; as much against where it says that it looks."""
SELF: Final = CLEAR
"""What changes anything mostly changes its own next answer."""
PAIR: Final = STRONG + FAINT
"""Convicted of changing this tool's answers where names are shared."""
GUILTY: Final = CLEAR + FAINT
"""Convicted of changing another tool's answers from afar."""
AGAIN: Final = FAINT
MAX_AGAIN: Final = 4
"""For each further tool: what switches a mode changes all that follows."""
MOVED: Final = A_TRIAL
"""Something else is known to change this tool's answers from afar."""
UNTRIED: Final = CLEAR
"""A known writer that no trial of this tool's answers had."""
WIDE: Final = STRONG
"""The same for any suspect, before answers to calls without arguments: no name that is shared says what those show."""
ALWAYS: Final = STRONG
"""The same for what came before every success: nobody knows how it is without."""
TRIAL: Final = A_TRIAL
"""Against, per trial of this very answer that changed nothing."""
CALM: Final = 3 * A_TRACE
MAX_CALM: Final = 20
"""Against, per such trial of other tools' answers."""
STILL: Final = A_TRACE
MAX_STILL: Final = 40
"""Against, per trial of other suspects with this answer, where nobody ever changed it from afar."""
MIN_TRIALS: Final = SEEN_TWICE
"""Trials that changed nothing before calls that share a name are taken not to matter."""
MIN_STEADY: Final = SEEN_OFTEN
"""Trials that changed nothing before it counts as known which writers an answer hangs on."""

Found = Mapping[str, Evidence]
States = Mapping[str, frozenset[str]]


def matters_far(found: Found, suspect: str, name: str, *, states: States) -> bool:
    """Whether a tool's calls may matter to another's answers though they share no name."""
    if (suspect, False) in found[name].convicted:
        return True
    is_likely = _log_odds(found, suspect, name) >= LIMIT
    return is_likely and not _acts_elsewhere(found, suspect, name, states)


def states_of(found: Found) -> States:
    """Per tool whose answers were seen to change: all writers of the state that it shows.

    Answers that one writer changes show one state, and so do others that share a writer with any of these.
    """
    states: list[frozenset[str]] = []
    for evidence in found.values():
        mine = frozenset(tool for tool, _ in evidence.convicted)
        if mine:
            shared = [state for state in states if not state.isdisjoint(mine)]
            states = [state for state in states if state.isdisjoint(mine)]
            states.append(mine.union(*shared))
    return {
        name: next(state for state in states if tool in state)
        for name, evidence in found.items()
        for tool, _ in list(evidence.convicted)[:1]
    }


def _acts_elsewhere(found: Found, suspect: str, name: str, states: States) -> bool:
    """Whether all that a tool was seen to change is another state than the one that these answers show.

    Its own later answers always count as changed: of those it was asked too seldom without them. Of what came before every
    success (a login) nobody knows how it is without.
    """
    if suspect == name or suspect in found[name].always:
        return False
    if not any(suspect in state for state in states.values()):
        return False
    if sum(len(t) for t in found[name].unchanged.values()) < MIN_STEADY:
        return False
    return suspect not in states.get(name, ())


def never_matters(
    found: Found, suspect: str, name: str, *, states: States, certain: bool = True
) -> bool:
    """Whether a tool's calls do not matter to another's answers though they share a name.

    What acts elsewhere is taken not to act here too, though no trial had both, save where only what is `certain` counts.
    """
    evidence = found[name]
    # What came before every success may be what makes it one: that refusals stayed refusals says nothing of it.
    if (suspect, True) in evidence.convicted or suspect in evidence.always:
        return False
    near, far = (len(evidence.unchanged.get((suspect, n), ())) for n in (True, False))
    if near >= MIN_TRIALS:
        return True
    tried = near or (name in states and (far or not certain))
    return bool(tried) and _acts_elsewhere(found, suspect, name, states)


def left_alone(found: Found) -> Counter[str]:
    """In how many different calls each tool's calls changed nothing."""
    calm: Counter[str] = Counter()
    for evidence in found.values():
        for suspect in evidence.unchanged:
            calm[suspect[0]] += len(evidence.calls_tried(suspect))
    return calm


def _log_odds(found: Found, tool: str, name: str) -> float:
    """How much speaks for a suspect not convicted of anything with this tool: that its calls matter from afar."""
    evidence, suspect = found[name], (tool, False)
    tried = len(evidence.unchanged.get(suspect, ()))
    guilty = sum(suspect in e.convicted for e in found.values())
    is_writer = guilty or any((tool, True) in e.convicted for e in found.values())
    odds = BASE + NAMED * evidence.stated.get(tool, 0.0) - TRIAL * tried
    odds += SELF * (tool == name) + PAIR * ((tool, True) in evidence.convicted)
    if not tried:
        odds += (
            ALWAYS * (tool in evidence.always) + WIDE * evidence.wide + UNTRIED * bool(is_writer)
        )
    if guilty:
        odds += GUILTY + AGAIN * min(MAX_AGAIN, guilty - 1)
    elif tried or not is_writer:
        others = (len(e.unchanged.get(suspect, ())) for n, e in found.items() if n != name)
        odds -= CALM * min(MAX_CALM, sum(others))
    if any(not near for _, near in evidence.convicted):
        return odds + MOVED
    still = sum(len(t) for (s, near), t in evidence.unchanged.items() if not near and s != tool)
    return odds - STILL * min(MAX_STILL, still)
