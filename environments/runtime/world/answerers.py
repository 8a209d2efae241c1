"""Where answers come from: the sources of one tool, in the order in which they are asked.

Goes in: a call of a tool in the state of a session. Comes out: the answer of the first source that has one. Around these stand, in
this order: the recordings of a task's own path (`sessions.recorded_session`) before them; after them recalled answers
(`world.session`), the call in another wording (`sessions.prose_session`) and a model's reply (`sessions.simulated_session`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from ..answers.protocol_preconditions import UNDONE, read_early, said_early, undone
from ..answers.reads import select, show_computed
from ..answers.tape import taped
from ..answers.writes import derive_change, follow_change, repeated
from ..expr.gaps import NoValueError
from ..task.attempt import RECORDED, UNKNOWN, Json, ToolResult
from .log import log_unknown
from .notice import ONLY_RECORDED, notice
from .scope import CallContext
from .tool import STRICT, Tool


@dataclass(slots=True, kw_only=True)
class ToolCall:
    """One call that is to be answered."""

    context: CallContext
    tool: Tool
    args: dict[str, Json]
    """In normal form."""
    why: str = ONLY_RECORDED
    """Why nobody knows, as far as the sources asked so far say."""


@dataclass(slots=True, kw_only=True)
class LookUp(ToolCall):
    """One call of a tool that changes nothing."""

    shown: ToolResult
    """What the record says, or a constant; else why nobody knows."""


Writer = Callable[[ToolCall], ToolResult | None]
"""A source of answers of tools that may change something; None where it has none."""
Reader = Callable[[LookUp], ToolResult | None]
"""The same of tools that change nothing."""


def change(call: ToolCall) -> ToolResult:
    """The answer of a tool that may change something; what it does is in the state afterwards."""
    for writer in WRITERS:
        told = writer(call)
        if told is not None:
            return told
    log_unknown(call.context, call.tool.name, call.args, "")
    return notice(call.tool.name, call.why)


def read(call: LookUp) -> ToolResult:
    """The answer of a tool that changes nothing; what a recording says is not followed yet."""
    for reader in READERS:
        told = reader(call)
        if told is not None:
            return told
    return call.shown


def _is_strict(call: ToolCall) -> bool:
    return call.tool.policy == STRICT


def _undone_protocol(call: ToolCall) -> ToolResult | None:
    """What a writer says where something may have undone what has to come first, unless a recording says the same."""
    context, tool = call.context, call.tool
    again = undone(tool.part.early, context.state.log) if tool.part.early else None
    recorded = None if again is None else taped(context, tool, call.args)
    if again is None or (recorded is not None and recorded[0] == again.says):
        return None
    said = said_early((again,), tool.name, context.state.log, call.args)
    if said is not None and not _is_strict(call):
        return said
    log_unknown(context, tool.name, call.args, "")
    return notice(tool.name, UNDONE)


def _replay(call: ToolCall) -> ToolResult | None:
    """What the same call was answered after the same earlier calls that matter."""
    recorded = taped(call.context, call.tool, call.args)
    if recorded is None:
        return None
    follow_change(call.context, call.tool, call.args, recorded[0])
    return _recorded_result(call, *recorded)


def _recorded_result(call: ToolCall, content: str, episode: str) -> ToolResult:
    is_error = bool(call.tool.refused(content, call.args))
    return ToolResult(content=content, source=RECORDED, is_error=is_error, evidence=episode)


def _perform(call: ToolCall) -> ToolResult | None:
    """What learnt refusals and effects say."""
    if _is_strict(call):
        return None
    try:
        return derive_change(call.context, call.tool, call.args)
    except NoValueError as fault:
        call.why = str(fault) or "no behaviour was learnt for this case"
        return None


def _protocol(call: ToolCall) -> ToolResult | None:
    """What a writer says to everybody before anybody called what has to come first."""
    if _is_strict(call):
        return None
    return said_early(call.tool.part.early, call.tool.name, call.context.state.log, call.args)


def _echo(call: ToolCall) -> ToolResult | None:
    """What a tool says that repeats what it is given."""
    return None if _is_strict(call) else repeated(call.context, call.tool, call.args)


def _read_protocol(call: LookUp) -> ToolResult | None:
    """The same of a tool that changes nothing: in place of what nobody knows, or of what may have been undone."""
    tool = call.tool
    if not tool.part.early or _is_strict(call):
        return None
    log = call.context.state.log
    return read_early(tool.part.early, tool.name, log, call.args, call.shown)


def _computed(call: LookUp) -> ToolResult | None:
    """What a tool computes from its arguments as they were sent."""
    if call.tool.part.computes is None or _is_strict(call):
        return None
    told = show_computed(call.context, call.tool)
    # What was recorded for `5.0` is told for `5` elsewhere: here they may be written differently.
    return None if told is None or told.content == call.shown.content else told


def _read_replay(call: LookUp) -> ToolResult | None:
    """A recording: where nobody knows, and of the task's own episode before what others saw or a record says."""
    own, is_unknown = call.context.own, call.shown.source == UNKNOWN
    if not call.tool.tape or not (own or is_unknown):
        return None
    recorded = taped(call.context, call.tool, call.args)
    if recorded is None or not (is_unknown or recorded[1] in own):
        return None
    return _recorded_result(call, *recorded)


def _selected(call: LookUp) -> ToolResult | None:
    """The records that meet the call, where nobody knows otherwise."""
    if call.shown.source != UNKNOWN or _is_strict(call):
        return None
    return select(call.context, call.tool, call.args)


def _read_echo(call: LookUp) -> ToolResult | None:
    """What a tool says that repeats what it is given, where nobody knows otherwise."""
    if call.shown.source != UNKNOWN or _is_strict(call):
        return None
    return repeated(call.context, call.tool, call.args)


WRITERS: Final[tuple[Writer, ...]] = (_undone_protocol, _replay, _protocol, _perform, _echo)
"""Of tools that may change something; where none has an answer, nobody knows."""
READERS: Final[tuple[Reader, ...]] = (
    _read_protocol,
    _computed,
    _read_replay,
    _selected,
    _read_echo,
)
"""Of tools that change nothing; where none has an answer, a look-up has it."""
