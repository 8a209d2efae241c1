"""A failure beside resolved episodes: where it left what they did, and what its changes lack.

Comes in: a `Reading` with resolved attempts at the same request and with what changes need. Goes out: `Evidence`. A step from which
the failure came back to what resolved attempts did is recovered, and no evidence. Not here: how the resolved side is learnt (`reference`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from environments.runtime.task.attempt import Json
from environments.runtime.values.literals import NotLiteralError, parse_arguments, parse_literal
from environments.runtime.values.normal import stable
from synth.failures.calls import SeenCall
from synth.failures.causes import Evidence
from synth.failures.reading import Reading
from synth.failures.reference import AGREED, Attempt, done_before, succeeded
from synth.failures.turns import Turn, turns_of
from synth.failures.words import SETTLED

OTHERWISE: Final = 4.0
"""Weight of a change that no resolved attempt made."""
LEFT: Final = 2.0
"""Weight of the turn with which a failure leaves what resolved attempts did."""
LACKS_YES: Final = 5.0
"""Weight of a change without the user's yes where nearly every resolved one had it: a change that is also wrong was never read back."""
LACKS: Final = 2.0
"""The same of calls that are missing before it."""

Made = tuple[str, str]
"""A tool and its arguments."""


def unlike_resolved(reading: Reading, turns: Sequence[Turn]) -> Iterator[Evidence]:
    """Changes that no resolved attempt at the same request made, and the turn that left what they did."""
    attempts = reading.resolved
    if not attempts:
        return
    changes = [c for c in succeeded(reading.calls) if reading.tools[c.name].changes]
    right = {_call_text(call) for attempt in attempts for call in attempt.changes}
    wrong = [call for call in changes if _call_text(call) not in right]
    for call in wrong:
        yield _other_call(call, reading)
    missing = _missing(attempts, changes)
    if missing and not {call.name for call in wrong} & {name for name, _ in missing}:
        yield from _leaving(reading, turns, sorted({name for name, _ in missing}))


def steps_unlike_resolved(reading: Reading) -> tuple[int, ...]:
    """The steps at which the failure is unlike resolved attempts at the same request."""
    if not reading.resolved:
        return ()
    return tuple(sorted({piece.step for piece in unlike_resolved(reading, turns_of(reading))}))


def missed_needs(reading: Reading) -> Iterator[Evidence]:
    """Changes that lack what nearly every resolved call of their tool had before it."""
    done = succeeded(reading.calls)
    for call in done:
        needs = reading.needs.get(call.name, frozenset())
        lacks = needs - done_before(reading.episode, done, call) if needs else needs
        if lacks:
            agreed = AGREED in lacks
            yield Evidence(
                name="lacks",
                cause="instruction_not_followed" if agreed else "missed_step",
                step=call.step,
                weight=LACKS_YES if agreed else LACKS,
                about=(AGREED,) if agreed else (call.name, *sorted(lacks)),
                says="Nearly every resolved call of this tool came after "
                + ("the user's yes." if agreed else "calls that are missing here."),
            )


def _other_call(call: SeenCall, reading: Reading) -> Evidence:
    """A call is one that resolved attempts made with other arguments where theirs is not here; else it is one too many."""
    mine = {_call_text(one) for one in succeeded(reading.calls)}
    theirs = (one for attempt in reading.resolved for one in attempt.calls)
    same = [one for one in theirs if one.name == call.name and _call_text(one) not in mine]
    differing = min((_differing(call, one) for one in same), key=len, default=())
    return Evidence(
        name="unlike_resolved",
        cause="wrong_argument" if same else "wrong_tool",
        step=call.step,
        weight=OTHERWISE,
        about=(call.name, *differing),
        says="Resolved attempts at the same request "
        + ("made this change with other arguments." if same else "did not make this change."),
    )


def _differing(call: SeenCall, other: SeenCall) -> tuple[str, ...]:
    mine, theirs = _arguments(call), _arguments(other)
    names = sorted(mine.keys() | theirs.keys())
    return tuple(n for n in names if stable(mine.get(n)) != stable(theirs.get(n)))


def _missing(attempts: Sequence[Attempt], changes: Sequence[SeenCall]) -> set[Made]:
    """Changes that all resolved attempts made and this one did not."""
    shared = set.intersection(*({_call_text(c) for c in attempt.changes} for attempt in attempts))
    return shared - {_call_text(call) for call in changes}


def _leaving(reading: Reading, turns: Sequence[Turn], missing: Sequence[str]) -> Iterator[Evidence]:
    """The turn that left what resolved attempts did; one that makes a call which only failed left nothing."""
    attempts = reading.resolved
    known = {_call_text(call) for attempt in attempts for call in attempt.calls}
    seen: set[Made] = set()
    progress = -1
    for call in reading.calls:
        if _call_text(call) in known and _call_text(call) not in seen:
            seen.add(_call_text(call))
            progress = call.step
    failed = {call.step for call in reading.calls if call.error is not None}
    left = turn_that_left(reading, turns, progress)
    if left is not None and progress not in failed:
        yield Evidence(
            name="left_resolved",
            cause=_of_leaving(reading, left),
            step=left.step,
            weight=LEFT,
            about=_other_call(left.calls[0], reading).about if left.calls else (),
            says=f"From here on nothing that resolved attempts did; {len(missing)} of their changes are missing.",
        )


def _of_leaving(reading: Reading, left: Turn) -> str:
    if left.calls:
        return _other_call(left.calls[0], reading).cause
    return "missed_step" if changed_anything(reading) else "premature_end"


def turn_that_left(reading: Reading, turns: Sequence[Turn], progress: int) -> Turn | None:
    """The first turn after a step that does not only ask for something, else the last one."""
    after = [turn for turn in turns if turn.step > progress]
    return next((turn for turn in after if not _asks(reading, turn)), after[-1] if after else None)


def changed_anything(reading: Reading) -> bool:
    """Whether the episode changed anything."""
    return any(reading.tools[call.name].changes for call in succeeded(reading.calls))


def _asks(reading: Reading, turn: Turn) -> bool:
    """Whether a turn asks something that the user answers and the agent then goes on with."""
    later = reading.episode.steps[turn.step + 1 :]
    return (
        not turn.calls
        and turn.text.rstrip().endswith("?")
        and not SETTLED.search(turn.text)
        and any(step.role == "assistant" for step in later)
        and bool(later)
        and later[0].role == "user"
    )


def _call_text(call: SeenCall) -> Made:
    return call.name, stable(_arguments(call))


def _arguments(call: SeenCall) -> dict[str, Json]:
    """What a call was made with, lists that were sent as text as lists."""
    given = parse_arguments(call.arguments) or {}
    return {name: _plain_value(value) for name, value in given.items()}


def _plain_value(value: Json) -> Json:
    if not isinstance(value, str) or value[:1] not in {"[", "{"}:
        return value
    try:
        return parse_literal(value)
    except NotLiteralError:
        return value
