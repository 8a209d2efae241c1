"""The structured answer "unknown": what a world says where it does not know.

Goes in: a tool's name and a reason without anybody's data, or an answer that holds what redaction left in place of a part.
Comes out: `ToolResult` with source `unknown`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from ..task.attempt import UNKNOWN, Json, ToolResult
from ..values.literals import parse_json
from ..values.normal import stable

ONLY_RECORDED: Final = "only recorded answers are allowed for this tool"
NEVER_DONE: Final = "success was never seen under this condition: "
NEVER_SO: Final = "this was never refused so under such conditions: "
"""What a call breaks, or what it was refused for, stands behind these: the words alone are not known."""
NOT_ELSE: Final = "never seen otherwise in a success"
"""Behind `NEVER_DONE` where no call that was refused had it otherwise either."""
SELDOM_RIGHT: Final = "answers of this tool were too often wrong on held-out calls"
ONCE_ONLY: Final = "what the same call says when it is made again was never seen"
NOT_MADE: Final = "what it names is made by another call, which nobody made"
WITHHELD: Final = "[withheld]"
"""What redaction leaves in place of a part that it withheld: no tool answers so."""


def notice(tool: str, reason: str) -> ToolResult:
    """The answer of a tool whose result nobody knows; it marks the rollout."""
    content = stable({"error": "unknown", "tool": tool, "reason": reason})
    return ToolResult(content=content, source=UNKNOWN)


def objected(content: str) -> bool:
    """Whether a notice says that the call breaks what every success met and some refusal broke."""
    parsed = parse_json(content)
    notes = parsed.value if parsed is not None else None
    reason = str(notes.get("reason", "")) if isinstance(notes, dict) else ""
    return reason.startswith(NEVER_SO) or (
        reason.startswith(NEVER_DONE) and reason != NEVER_DONE + NOT_ELSE
    )


def notice_for(tool: str, result: ToolResult) -> ToolResult:
    """A notice under the tool's own name: a version's is nobody's to call."""
    if result.source != UNKNOWN:
        return result
    return notice(tool, str(json.loads(result.content)["reason"]))


def notice_if_withheld(tool: str, arguments: Mapping[str, Json], result: ToolResult) -> ToolResult:
    """An answer, unless redaction withheld a part of it that the call itself does not hold."""
    if WITHHELD not in result.content or WITHHELD in stable(arguments):
        return result
    return notice(tool, "redaction withheld a part of the answer")
