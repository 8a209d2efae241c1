"""Recorded answers of tools that change something, where the same calls came before.

Goes in: a call in a state. Comes out: the recorded answer, if its history is the same in every way that matters. Not
here: which earlier calls matter (`world.log`), recorded reads (`answers.reads`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ..document.recordings import Recording
from ..task.attempt import Json
from ..values.normal import stable
from ..views.selected_subject import CHOSEN
from ..world.entries import DOUBT, Entry, count_empty_calls, read_call_text
from ..world.log import gives_again, history
from ..world.scope import CallContext
from ..world.tool import Tool

EMPTY: Final = ("{}", "[]")
"""Answers that show nothing at all."""
ALWAYS: Final = "every episode"
"""Where an answer comes from that was the same whoever asked."""
MAX_DOUBTS: Final = 4
"""Earlier calls with an unknown outcome, beyond which nobody counts the ways they may have ended."""


def taped(here: CallContext, tool: Tool, args: dict[str, Json]) -> tuple[str, str] | None:
    """The recorded answer to the same call after the same earlier calls that matter, and the episode that has it."""
    entries = tool.tape.get(stable(args), ())
    if not entries:
        return None
    if any(entry.after for entry in entries):
        done = {call for _, call in count_empty_calls(here.state.log)}
        entries = tuple(entry for entry in entries if entry.after <= done)
    if here.world.living:
        # It had another state in every other episode, whatever its history here.
        entries = tuple(e for e in entries if e.evidence in here.own or e.evidence == ALWAYS)
    for entry in entries:
        before = history(here, tool, args, entry.content)
        same = entry.before == before
        if not same and not _is_answer_agreed(here, entries, entry.content, before):
            continue
        if not _is_invalidated(here, tool, args, entry, before):
            return entry.content, entry.evidence
    return None


def _is_invalidated(
    here: CallContext, tool: Tool, args: dict[str, Json], entry: Recording, before: tuple[str, ...]
) -> bool:
    """Whether a call outside the answer's history may matter after all; `before` is what was done before, of what matters.

    A call that names nothing and whose answer nobody knows may undo what was done before: only its answer would say what it was
    about. Other calls that may matter are of tools that were hardly tried before this one (`untried`). Any of these may have made what
    an empty answer lacks. After any of them a call without arguments that was refused (nothing to take back) may succeed. An
    answer that depends on what was done before does not hold after a call of them that names nothing: that such calls
    mattered to nothing was seen where little was done.
    """
    calls = count_empty_calls(here.state.log)
    outside = [e for e, call in calls if e.call not in before and call not in entry.after]
    if gives_again(here, tool, entry.content, outside):
        return True
    if before and any(_aimless(e) and e.tool not in tool.influence.ignores for e in outside):
        return True
    if not tool.influence.untried:
        return False
    if not args and not tool.innocent and tool.refused(entry.content, args):
        return any(e.tool in tool.influence.makers for e in outside)
    if entry.content in EMPTY and any(e.tool in tool.influence.makers for e in outside):
        return True
    aimless = any(not e.args and e.tool in tool.influence.untried for e in outside)
    return bool(before) and tool.innocent and aimless


def _aimless(entry: Entry) -> bool:
    """Whether nobody knows what came of a call, and nothing that it was given says what it was about."""
    return entry.is_result_unknown and not entry.args.keys() - {CHOSEN}


def _is_answer_agreed(
    here: CallContext, entries: Sequence[Recording], content: str, before: tuple[str, ...]
) -> bool:
    """Whether the answer was recorded for each way in which unknown calls may have ended: done, or refused."""
    doubts = sum(call.endswith(DOUBT) for call in before)
    if not 0 < doubts <= MAX_DOUBTS:
        return False
    told = {entry.before for entry in entries if entry.content == content}
    return all(past in told for past in _endings(here, before))


def _endings(here: CallContext, before: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    ways: list[tuple[str, ...]] = [()]
    for call in before:
        if not call.endswith(DOUBT):
            ways = [(*way, call) for way in ways]
            continue
        done = [(*way, call.removesuffix(DOUBT)) for way in ways]
        tool = here.world.tools.get(read_call_text(call)[0])
        ways = [*ways, *done] if tool is None or tool.refusals else done
    return iter(ways)
