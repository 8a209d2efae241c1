"""Independence: which tools' earlier calls cannot matter to an answer, weighed from all that speaks for and against.

Comes from the evidence on every tool (`contrast_pairs`). Comes out, per tool and suspect: whether the suspect's calls matter though
they share no name, and whether they never do though they share one. Evidence is pooled: a tool that changed nothing for other
tools' answers, or before other arguments, is likely to change nothing here. Not here: comparing pairs of calls (`dependencies`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from synth.world.influence.contrast_pairs import Evidence, Suspect
from synth.world.influence.purity_prior import says_done
from synth.world.model import ToolModel, Workbench, outcome_class
from synth.world.support import (
    A_TRACE,
    A_TRIAL,
    CLEAR,
    FAINT,
    SEEN_OFTEN,
    SEEN_SEVERAL_TIMES,
    SEEN_TWICE,
    STRONG,
)

LIMIT: Final = STRONG
"""From it on a suspect matters. Log-odds by their order, not calibrated: measured as the highest with under 0.5 % wrong."""
BASE: Final = -CLEAR
NAMED: Final = FAINT
"""For a tool whose name says that it changes something; as much against where it says that it looks."""
NEAR: Final = CLEAR + FAINT
"""The two calls share a name."""
SELF: Final = CLEAR
"""What changes anything mostly changes its own next answer."""
PAIR: Final = STRONG + FAINT
"""Convicted of changing this tool's answers where names are shared, or the other way round."""
GUILTY: Final = CLEAR + FAINT
"""Convicted of changing another tool's answers in the same way."""
AGAIN: Final = FAINT
MAX_AGAIN: Final = 4
"""For each further tool: what switches a mode changes all that follows."""
MOVED: Final = A_TRIAL
"""Something else is known to change this tool's answers in the same way."""
UNTRIED: Final = CLEAR
"""A known writer that was never called before one of two equal calls and not before the other."""
WIDE: Final = STRONG
"""The same for any suspect, before answers to calls without arguments: no name that is shared says what those show."""
ALWAYS: Final = STRONG
"""The same for what came before every success: nobody knows how it is without."""
TRIAL: Final = A_TRIAL
"""Against, per opportunity to change this very answer that changed nothing."""
CALM: Final = 3 * A_TRACE
MAX_CALM: Final = 20
"""Against, per such opportunity with other tools' answers."""
STILL: Final = A_TRACE
MAX_STILL: Final = 40
"""Against, per opportunity of other suspects to change this answer, where nobody ever did."""
MIN_TRIALS: Final = SEEN_TWICE
"""Opportunities before calls that share a name are taken not to matter."""
MIN_SUSPECTED: Final = SEEN_TWICE
"""Different calls answered otherwise after a suspect, before what it left alone has to be more to clear it."""
MODE: Final = SEEN_SEVERAL_TIMES
"""Tools whose answers one was seen to change from afar, before it counts as what switches a mode."""
MIN_STEADY: Final = SEEN_OFTEN
"""Opportunities to change an answer, none taken, before it counts as known which writers it hangs on."""
TEXT: Final = "text:"
SUCCESS: Final = "success"

Found = Mapping[str, Evidence]
States = Mapping[str, frozenset[str]]


def matters_far(found: Found, suspect: str, name: str, *, states: States) -> bool:
    """Whether a tool's calls may matter to another's answers though they share no name."""
    key = (suspect, False)
    evidence = found[name]
    if key in evidence.convicted:
        return True
    return (
        not _acts_elsewhere(found, suspect, name, states) and _log_odds(found, key, name) >= LIMIT
    )


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
    if sum(len(t) for t in found[name].trials.values()) < MIN_STEADY:
        return False
    return suspect not in states.get(name, ())


def never_matters(found: Found, suspect: str, name: str, *, states: States) -> bool:
    """Whether a tool's calls do not matter to another's answers though they share a name."""
    key, evidence = (suspect, True), found[name]
    # What came before every success may be what makes it one: that refusals stayed refusals says nothing of it.
    if key in evidence.convicted or suspect in evidence.always:
        return False
    near, far = (len(evidence.trials.get((suspect, n), ())) for n in (True, False))
    if not evidence.personal and _often_suspected(evidence, key):
        return False
    if near >= MIN_TRIALS and _log_odds(found, key, name) <= LIMIT:
        return True
    tried = near or (far and name in states)
    return bool(tried) and _acts_elsewhere(found, suspect, name, states)


def ignored(
    bench: Workbench, found: Found, name: str, suspects: Iterable[str], *, states: States
) -> set[str]:
    """Those whose calls do not matter to a tool's answers though they share a name."""
    trials = found[name].trials
    return {
        suspect
        for suspect in suspects
        if never_matters(found, suspect, name, states=states)
        and not _half_tried(
            bench.tools[suspect], {call for _, call in trials.get((suspect, True), ())}
        )
    }


def left_alone(bench: Workbench, found: Found) -> Counter[str]:
    """In how many different calls each tool's calls changed nothing; of what seems to change something, whichever sentence it said."""
    calm: Counter[str] = Counter()
    for evidence in found.values():
        for (name, _), keys in evidence.calm.items():
            calm[name] += len(keys)
    for name, tool in bench.tools.items():
        said = _sentences(tool) if tool.stated > 0 or says_done(tool) else {}
        if len(said) > 1:
            tried = {
                sentence: sum(
                    len({key for key, call in trials if call in calls})
                    for evidence in found.values()
                    for (suspect, _), trials in evidence.trials.items()
                    if suspect == name
                )
                for sentence, calls in said.items()
            }
            calm[name] = min(calm[name], *tried.values())
    return calm


def _half_tried(tool: ToolModel, calls: AbstractSet[str]) -> bool:
    """Whether the calls that left answers alone said one sentence (`was off already`), and the tool's others say another.

    What a sentence without values says is all that happened: the calls that switched something off were never tried.
    """
    found = [not calls.isdisjoint(said) for said in _sentences(tool).values()]
    return any(found) and not all(found)


def _sentences(tool: ToolModel) -> dict[str, set[str]]:
    """The texts by which a tool says that it did something, with the calls that were told each."""
    said: dict[str, set[str]] = defaultdict(set)
    for seen in tool.observations:
        name = outcome_class(seen)
        if name.startswith(TEXT) and tool.outcomes.get(name) == SUCCESS:
            said[name].add(seen.key)
    return said


def _often_suspected(evidence: Evidence, suspect: Suspect) -> bool:
    """Whether unequal answers may be a suspect's doing in at least as many calls as it left alone.

    Somebody else explains them too, and was convicted; that does not acquit a call about the very same thing.
    """
    changed = {event.key for event in evidence.changes if suspect in event.suspects}
    calm = {key for key, _ in evidence.trials.get(suspect, ())}
    return len(changed) >= max(MIN_SUSPECTED, len(calm))


def _log_odds(found: Found, suspect: Suspect, name: str) -> float:
    """How much speaks for a suspect not convicted of anything with this tool."""
    tool, near = suspect
    evidence = found[name]
    tried = len(evidence.trials.get(suspect, ()))
    odds = BASE + NAMED * evidence.stated.get(tool, 0.0)
    odds += NEAR * near + SELF * (tool == name)
    odds += PAIR * ((tool, not near) in evidence.convicted)
    odds += ALWAYS * (not tried and tool in evidence.always)
    odds += WIDE * (not tried and evidence.wide)
    odds += _of_tool(found, suspect, name, tried=tried > 0)
    odds += _of_answers(evidence, suspect)
    return odds - TRIAL * tried


def _of_tool(found: Found, suspect: Suspect, name: str, *, tried: bool) -> float:
    """What the suspect did, or did not do, to all other tools' answers."""
    tool = suspect[0]
    convicted = [e.convicted for e in found.values()]
    known = any((tool, near) in c for c in convicted for near in (False, True))
    odds = UNTRIED if known and not tried else 0.0
    guilty = sum(suspect in c for c in convicted)
    if guilty:
        return odds + GUILTY + AGAIN * min(MAX_AGAIN, guilty - 1)
    if known and not tried:
        return odds
    trials = sum(len(e.trials.get(suspect, ())) for n, e in found.items() if n != name)
    return odds - CALM * min(MAX_CALM, trials)


def _of_answers(evidence: Evidence, suspect: Suspect) -> float:
    """Whether anything at all was seen to change these answers in this way."""
    tool, near = suspect
    if any(n is near for _, n in evidence.convicted):
        return MOVED
    trials = sum(len(t) for (s, n), t in evidence.trials.items() if n is near and s != tool)
    return -STILL * min(MAX_STILL, trials)
