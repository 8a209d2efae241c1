"""The structured answer "unknown": what a world says where it does not know.

Goes in: a tool's name and a reason without anybody's data. Comes out: `ToolResult` with source `unknown`.
"""

from __future__ import annotations

from typing import Final

from .attempt import UNKNOWN, ToolResult
from .normal import stable

ONLY_RECORDED: Final = "only recorded answers are allowed for this tool"


def notice(tool: str, reason: str) -> ToolResult:
    """The answer of a tool whose result nobody knows; it marks the rollout."""
    content = stable({"error": "unknown", "tool": tool, "reason": reason})
    return ToolResult(content=content, source=UNKNOWN)
