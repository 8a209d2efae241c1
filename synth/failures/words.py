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

WITHDRAWS: Final = re.compile(
    r"\b(never ?mind|forget (about )?it|changed my mind|(don'?t|do not) (need|want) (it|that|this|anything) (any ?more|after all)"
    r"|(leave|keep) it as it is|i'?ll (leave|keep) it)\b",
    re.IGNORECASE,
)
"""The user no longer wants what they came for."""

SETTLED: Final = re.compile(
    r"\b(all done|(i(?:'ve| have)|it(?:'s| is| has been)|that(?:'s| is)|everything is|this is)\s+(?:now\s+|all\s+|been\s+)*"
    r"(?:taken care of|done|settled|sorted|completed?|finished|processed|fixed)"
    r"|i(?:'ve| have) (?:now )?(?:taken care of|done|made|sent|put|set) (?:that|it|this|the))\b",
    re.IGNORECASE,
)
"""The agent says that everything is done, without saying what."""

NOT_AS_ASKED: Final = re.compile(
    r"\b(unexpected keyword|unknown (argument|parameter|field|tool|function)|no (tool|function) (named|called)"
    r"|missing \d* ?(required|positional)|unrecogni[sz]ed|deprecated|no longer (supported|available|exists))\b",
    re.IGNORECASE,
)
"""The tool is another one than the agent knows."""

MACHINES: Final = frozenset({"terminal", "executor", "interpreter", "console", "shell", "sandbox"})
"""Words in the name of a participant that runs what others write."""

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
