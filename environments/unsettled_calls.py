"""Unsettled calls: what kinds of calls end in `unknown`, and which recording would settle them.

Goes in: judged calls. Comes out: counts by the names of their arguments and the world's reason, never a value. Not here:
the judgement (`fidelity`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from environments.runtime.values.json_text import json_or_none
from environments.runtime.values.literals import parse_arguments

NO_ARGUMENTS: Final = "without arguments"
NOT_AN_OBJECT: Final = "with arguments that are not a JSON object"
OTHER: Final = "Record more calls of this shape with their results."
SETTLES: Final[Mapping[str, str]] = {
    "never seen": "Record one call that shows this record, before anything changes it.",
    "an earlier call may have changed this": "Record a look at the record after the call that came before.",
    "an earlier call may have changed what this finds": "Record the same search again after a write.",
    "an earlier call may have counted": "Record the calls before it: one of them may have used up a number.",
    "a counter beyond what was seen": "Record one episode that makes more of these.",
    "more calls than were ever seen in one episode": "Record one episode that makes this call more often.",
    "when this succeeds is not known well enough": "Record more calls of this tool, refused ones included: too many refusals are unexplained.",
    "what it asks for was only ever seen with another subject": "Record this call in a session of this subject, refused or not.",
    "success was never seen under this condition": "Record one call under this condition, whether it succeeds or is refused.",
    "no behaviour was learnt for this case": "Record this call again with other arguments, and a look at the record before and after.",
    "no behaviour was learnt": "Record this call again with other arguments.",
    "what has to come first may have been undone": "Record this call again after the calls that came before it.",
    "the arguments lack the key": "Record a call with exactly these arguments.",
    "no call of this tool was ever recorded": "Record one call of this tool.",
}
"""By the reason that the world gives, up to its first colon."""


class UnsettledCall(NamedTuple):
    """A kind of call that nobody can answer yet."""

    tool: str
    shape: str
    """The call in words: its arguments by name, no values."""
    reason: str
    times: int
    settle: str
    """What recording would settle it."""


def unsettled_calls(by_tool: Mapping[str, Mapping[str, Any]]) -> list[UnsettledCall]:
    """The kinds of calls that end in `unknown`, most frequent first, from the counts by tool of a fidelity."""
    rows = [
        UnsettledCall(tool, shape, reason, count, settle(reason))
        for tool, found in by_tool.items()
        for shape, reasons in found.get("unknowns", {}).items()
        for reason, count in reasons.items()
    ]
    return sorted(rows, key=lambda row: (-row.times, row.tool, row.shape, row.reason))


def shape_of(arguments: str) -> str:
    """A call in words: its arguments by name."""
    parsed = parse_arguments(arguments)
    if parsed is None:
        return NOT_AN_OBJECT
    return "with " + ", ".join(sorted(parsed)) if parsed else NO_ARGUMENTS


def reason_of(content: str) -> str:
    """Why an answer is unknown, without anything that names data."""
    notice = json_or_none(content)
    reason = notice.get("reason") if isinstance(notice, dict) else None
    return str(reason or "no reason given").split(":", 1)[0]


def settle(reason: str) -> str:
    """What recording would settle calls that end for this reason."""
    return SETTLES.get(reason, OTHER)
