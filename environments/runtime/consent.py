"""Consent in generic English: whether a policy asked for it, and whether a user gave it.

In: texts. Out: yes or no. A yes to any other question is no consent. Not here: which calls need it (`check_calls`).
"""

from __future__ import annotations

import re
from typing import Final

AGREES: Final = re.compile(
    r"\b(?:yes|yeah|yep|yup|ok|okay|sure|confirm(?:ed)?|go ahead|proceed|correct|that.?s right|agreed?|please do|do it|"
    r"sounds good|works for me|absolutely|definitely|of course)\b",
    re.IGNORECASE,
)
SENTENCE: Final = re.compile(r"[^.!?\n]+[.!?]*")
QUESTION: Final = re.compile(r"\?|\bplease\b|\byes\b", re.IGNORECASE)
ASKS: Final = re.compile(
    r"\b(?:confirm\w*|proceed|go ahead|agree|approve|authori[sz]e|consent|permission|yes|ok|okay|correct|right|"
    r"(?:shall|should|may|can) (?:i|we)|(?:would you like|do you want|would you want) (?:me|us|to)|"
    r"happy (?:with|for)|sounds? good|fine)\b",
    re.IGNORECASE,
)


def asks_consent(text: str) -> bool:
    """Whether a text asks the user to agree to something."""
    return any(QUESTION.search(s) and ASKS.search(s) for s in SENTENCE.findall(text))


def agrees(text: str) -> bool:
    """Whether a user's words agree."""
    return bool(AGREES.search(text))
