"""Evidence of what went wrong at which step: each piece names a step, a cause, and how much it weighs.

Comes in: a `Reading`, its turns and its signals. Goes out: `Evidence`, from one list of finders that know nothing of each other.
Where no other episode helps, a failure is compared with itself: what a turn says that nothing showed. Not here: the comparison
with resolved episodes (`compared`), the sum (`causes`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from environments.runtime.values.literals import parse_arguments
from environments.verification.readable_values import VisibleTexts, leaves_by_path
from synth.failures.calls import SeenCall, cause_of_refusal
from synth.failures.causes import CHANGED, DEED, FACT, Evidence
from synth.failures.compared import missed_needs, turn_that_left, unlike_resolved
from synth.failures.reading import Reading
from synth.failures.reference import succeeded
from synth.failures.signals import Signal, repeats
from synth.failures.turns import Turn
from synth.failures.words import NOT_AS_ASKED, SETTLED
from synth.tool_errors import BROKEN, TIMED_OUT

MOST_CALLS: Final = 200
"""Calls of one episode whose arguments are looked for in what stood before them."""
HEAD: Final = 4000
GROUNDED: Final = 1.5
"""What a fact without ground weighs more where tools show what agents may say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All that finders look at."""

    reading: Reading
    turns: tuple[Turn, ...]
    signals: tuple[Signal, ...]

    def signal(self, name: str) -> Signal | None:
        """A signal by its name, if the episode shows it."""
        return next((one for one in self.signals if one.name == name), None)

    def turn_before(self, step: int) -> int | None:
        """The step of the last turn before a step."""
        return max((turn.step for turn in self.turns if turn.step < step), default=None)


def evidence_of(
    reading: Reading, turns: tuple[Turn, ...], signals: tuple[Signal, ...]
) -> list[Evidence]:
    """All evidence that an episode shows, in a fixed order."""
    case = Case(reading=reading, turns=turns, signals=signals)
    own = [one for find in _FINDERS for one in find(case)]
    return [*own, *unlike_resolved(reading, turns), *missed_needs(reading)]


def _introduced(case: Case) -> Iterator[Evidence]:
    """What a turn says that nothing before it showed: the more, the likelier everything later hangs on it.

    Where tools answer, only what no tool, user, prompt or arithmetic gives counts: they show what agents may say.
    """
    signal = case.signal("told_without_ground")
    groundless = signal.steps if signal else ()
    several = len({turn.agent for turn in case.turns}) > 1
    for turn in case.turns:
        counts = not case.reading.calls or turn.step in groundless
        found = turn.introduced if counts else ()
        if found:
            yield Evidence(
                name="introduced",
                cause=_of_introduction(turn, several=several),
                step=turn.step,
                about=(FACT,),
                weight=math.log1p(len(found)) + (GROUNDED if case.reading.calls else 0.0),
                says=f"{len(found)} figures, dates, ids or names that nothing before it had shown.",
            )


def _of_introduction(turn: Turn, *, several: bool) -> str:
    """What is wrong with it: of several agents the first one lays down what the others do."""
    if turn.after_result:
        return "misread_result"
    return "wrong_plan" if several and not turn.order else "invented_claim"


def _arguments(case: Case) -> Iterator[Evidence]:
    """An argument that nothing before its call showed, gives by arithmetic, or leaves to the agent.

    A look-up that found something proves what it was asked with.
    """
    reading, steps = case.reading, case.reading.episode.steps
    shown = VisibleTexts(now=reading.episode.started_at)
    for text in reading.episode.tools:
        shown.read(text)
    read = 0
    for call in reading.calls[:MOST_CALLS]:
        for step in steps[read : call.step]:
            shown.read(step.content or "")
        read = max(read, call.step)
        found = call.error is None and not reading.tools[call.name].changes
        unknown = [] if found else _unknown(call, shown)
        shown.read(call.arguments)
        if unknown:
            yield Evidence(
                name="argument_without_ground",
                cause="wrong_argument",
                step=call.step,
                weight=1.5,
                about=(call.name, *unknown),
                says=f"{len(unknown)} arguments that nothing before the call had shown.",
            )


def _unknown(call: SeenCall, shown: VisibleTexts) -> list[str]:
    """The arguments with a value that nothing told."""
    given = parse_arguments(call.arguments) or {}
    return sorted(
        name
        for name, value in given.items()
        if not all(shown.tells(leaf) for _, leaf in leaves_by_path(value))
    )


def _failed_calls(case: Case) -> Iterator[Evidence]:
    """The first call of each tool that failed and never succeeded afterwards, unless resolved attempts met the same."""
    calls = case.reading.calls
    met = {made for attempt in case.reading.resolved for made in attempt.failed}
    last = {call.name: call for call in calls if call.result_step is not None}
    told: set[str] = set()
    for call in calls:
        if call.error is None or last[call.name].error is None or call.name in told:
            continue
        if (call.name, call.arguments) in met:
            continue
        told.add(call.name)
        yield Evidence(
            name="failed_call",
            cause=_of_error(call, call.error, case.reading.episode.tools),
            step=call.step,
            weight=1.5,
            about=(call.name,),
            says="The call failed, and that tool never succeeded afterwards.",
        )


def _of_error(call: SeenCall, message: str, definitions: Sequence[str]) -> str:
    head = message[:HEAD]
    if TIMED_OUT.search(head):
        return "tool_timeout"
    if NOT_AS_ASKED.search(head) and not BROKEN.search(head):
        return cause_of_refusal(call, definitions)
    return "tool_error"


def _loops(case: Case) -> Iterator[Evidence]:
    """The second of equal calls with equal answers, and the second of equal replies."""
    for group in repeats(case.reading):
        yield Evidence(
            name="repeated_call",
            cause="loop",
            step=group[1].step,
            weight=2.2 if len(group) > 2 else 1.0,
            about=(group[1].name,),
            says=f"The same call was made {len(group)} times and got the same answer.",
        )
    replies: Counter[str] = Counter()
    for turn in case.turns:
        text = " ".join(turn.text.split())
        replies[text] += 1
        if len(text) >= 60 and replies[text] == 2:
            yield Evidence(
                name="repeated_reply",
                cause="loop",
                step=turn.step,
                weight=0.8,
                says="The agent said the same thing again, word for word.",
            )


def _claims(case: Case) -> Iterator[Evidence]:
    """The first claim that something was done which no call did."""
    signal = case.signal("unbacked_claim")
    step = signal.steps[0] if signal else _claim_without_change(case)
    if step is not None:
        yield Evidence(
            name="unbacked_claim",
            cause="invented_claim",
            step=step,
            weight=2.5,
            about=(DEED,),
            says="The agent said that something was done, but no call had done it.",
        )


def _claim_without_change(case: Case) -> int | None:
    """The first turn that says that all is done where tools could have changed something and none did."""
    reading = case.reading
    changing = {tool.name for tool in reading.tools.values() if tool.changes}
    if not changing or any(call.name in changing for call in succeeded(reading.calls)):
        return None
    said = (turn for turn in case.turns if not turn.calls)
    return next((turn.step for turn in said if SETTLED.search(turn.text[:HEAD])), None)


def _corrected_turn(case: Case) -> Iterator[Evidence]:
    """The turn that the user said was wrong."""
    signal = case.signal("user_corrects")
    step = case.turn_before(signal.steps[0]) if signal else None
    if step is not None:
        yield Evidence(
            name="corrected",
            cause="instruction_not_followed",
            step=step,
            weight=0.8,
            says="The user said that this was not what they asked for.",
        )


def _withdrawn(case: Case) -> Iterator[Evidence]:
    """The last that the user says is that they no longer want it."""
    signal = case.signal("user_withdraws")
    if signal:
        yield Evidence(
            name="withdrawn",
            cause="user_withdrew",
            step=signal.steps[0],
            weight=3.5,
            says=signal.says,
        )


def _changes(case: Case) -> Iterator[Evidence]:
    """Where something was changed and it was not what was needed, a change is likelier wrong than a question."""
    for call in succeeded(case.reading.calls):
        if case.reading.tools[call.name].changes:
            yield Evidence(
                name="changed",
                cause=CHANGED,
                step=call.step,
                weight=0.5,
                about=(call.name,),
                says="The call changed something.",
            )


def _stopped(case: Case) -> Iterator[Evidence]:
    """The turn at which the agent stopped where tools could have changed something and none did."""
    reading = case.reading
    changing = {tool.name for tool in reading.tools.values() if tool.changes}
    done = succeeded(reading.calls)
    if not changing or any(call.name in changing for call in done):
        return
    left = turn_that_left(reading, case.turns, max((call.step for call in done), default=-1))
    if left is not None and not left.calls:
        yield Evidence(
            name="stopped",
            cause="premature_end",
            step=left.step,
            weight=1.0,
            about=(done[-1].name,) if done else (),
            says="Nothing was changed, and from here on the agent did nothing any more.",
        )


def _endings(case: Case) -> Iterator[Evidence]:
    """Where the conversation ended, and whether somebody else took it over."""
    if not case.turns:
        return
    handed = case.signal("handed_over")
    if handed:
        step = case.turn_before(handed.steps[0])
        yield Evidence(
            name="handed_over",
            cause="premature_end",
            step=case.turns[-1].step if step is None else step,
            weight=0.4,
            says="The agent handed the conversation over.",
        )
    for name in ("abandoned", "left_unanswered", "cut_off", "truncated"):
        signal = case.signal(name)
        if signal:
            yield Evidence(
                name=name,
                cause="context_lost" if name == "truncated" else "premature_end",
                step=case.turns[-1].step,
                weight=0.4,
                says=signal.says,
            )


_FINDERS: Final[tuple[Callable[[Case], Iterator[Evidence]], ...]] = (
    _introduced,
    _arguments,
    _failed_calls,
    _loops,
    _claims,
    _corrected_turn,
    _withdrawn,
    _changes,
    _stopped,
    _endings,
)
