"""Words that tell something about how a conversation went. English; other languages give no signal, never a wrong one.

Comes from general customer-service English, not from any app: tool names are only ever read as words (`cancelOrder`
is "cancel order"). Not here: which step matched and what it counts for (`failures.signals`).
"""

from __future__ import annotations

import re
from typing import Final

CORRECTION: Final = re.compile(
    r"\b(that'?s not (what|right|correct)|not what i (asked|said|meant|wanted|need)|you (misunderstood|got it wrong)"
    r"|i (already )?(said|told you)|no,? i (meant|said|want(ed)?)|that is (wrong|incorrect|not right)"
    r"|(isn'?t|is not) what i|you (forgot|missed|ignored)|as i (said|mentioned)|i meant)\b",
    re.IGNORECASE,
)
"""The user says that the agent got it wrong."""

ASKS_FOR_HUMAN: Final = re.compile(
    r"\b(speak|talk|connect|transfer|escalate)\b[^.?!]{0,40}\b(human|person|someone|representative|supervisor|manager"
    r"|agent)\b|\breal person\b|\bhuman (agent|being)\b",
    re.IGNORECASE,
)
"""The user wants somebody else."""

INABILITY: Final = re.compile(
    r"\b(i'?m (sorry|afraid)[^.]{0,60}\b(can'?t|cannot|unable|not able|not possible|don'?t have)"
    r"|i (can'?t|cannot|am unable to|am not able to)|(isn'?t|is not|not) (possible|allowed|eligible|permitted))\b",
    re.IGNORECASE,
)
"""The agent says that it cannot or may not. Often right: counted to describe, never to accuse."""

DONE: Final = re.compile(
    r"\b(?:(?:has|have) been|i(?:'ve| have)|was|were)\s+(?:now\s+|also\s+|just\s+)?(?:successfully\s+)?([a-z]{3,}(?:ed|d))\b"
    r"|\bsuccessfully\s+([a-z]{3,}(?:ed|d))\b",
    re.IGNORECASE,
)
"""The agent says that something was done; the group is the participle."""

READ_VERBS: Final = frozenset(
    {
        *("authenticate", "browse", "calculate", "check", "compare", "compute", "convert", "count"),
        *("describe", "estimate", "explain", "fetch", "find", "get", "identify", "is", "inspect"),
        *("list", "load", "locate", "look", "lookup", "plan", "preview", "query", "read", "recall"),
        *("retrieve", "return", "returns", "search", "see", "show", "summarize", "think", "track"),
        *("translate", "validate", "verify", "view"),
    }
)
"""A tool whose description begins so changes nothing as far as words can tell; `return` counts in descriptions only."""

HAND_OVER_VERBS: Final = frozenset(
    {"transfer", "escalate", "connect", "handoff", "handover", "hand", "forward", "route", "refer"}
)
HUMANS: Final = re.compile(
    r"\b(humans?|representatives?|operators?|supervisors?|live agents?|support (staff|team|agent)|specialists?"
    r"|real person|human agents?)\b",
    re.IGNORECASE,
)

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def name_words(name: str) -> tuple[str, ...]:
    """A tool or argument name as lower-case words, whatever its casing style."""
    return tuple(word.lower() for word in _WORD.findall(name))


def stem(word: str) -> str:
    """A crude English stem, equal for `cancel`, `cancelled`, `cancels`; only for comparing verbs."""
    root = word.lower()
    for ending in ("ing", "ed", "es", "s", "d"):
        if root.endswith(ending) and len(root) - len(ending) >= 3:
            root = root[: -len(ending)]
            break
    if len(root) > 3 and root[-1] == root[-2]:
        root = root[:-1]
    if len(root) > 3 and root[-1] in "ei":
        root = root[:-1]
    return root[:-1] if len(root) > 3 and root[-1] == "y" else root
