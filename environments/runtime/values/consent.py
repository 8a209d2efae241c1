"""Consent in the generic words of some languages: whether a policy asked for it, and whether a user gave it.

In: texts. Out: yes or no. Not here: which calls need it, and questions that ask for it by naming the change (`checks.calls`).
"""

from __future__ import annotations

import re
from typing import Final

AGREES: Final = re.compile(
    r"\b(?:yes|yeah|yep|yup|ok|okay|sure|confirm(?:ed)?|go ahead|proceed|correct|that.?s right|agreed?|please do|do it|"
    r"sounds (?:good|right)|works for me|absolutely|definitely|of course|go for it|"
    r"s[ií]|vale|claro|de acuerdo|adelante|correcto|confirmo|h[aá]galo|proceda|ja|genau|gerne|einverstanden|passt|"
    r"oui|d.accord|bien s[uû]r|allez-y|sim|certo|isso|pode ser|va bene|certamente)\b",
    re.IGNORECASE,
)
SENTENCE: Final = re.compile(r"[^.!?\n]+[.!?]*")
CLAUSE: Final = re.compile(r"[,;:()\u2013\u2014]")
REFUSES: Final = re.compile(
    r"\W*(?:no|nope|don.?t|do not|not yet|wait|hold on|stop|never ?mind|todav[ií]a|espere?|nein|nicht|noch|warten?|non|pas|"
    r"attendez|n[aã]o|ainda|aspett[ai])\b",
    re.IGNORECASE,
)
"""How a user begins who does not agree, or not yet."""
QUESTION: Final = re.compile(r"\?|\bplease\b|\byes\b", re.IGNORECASE)
ASKS: Final = re.compile(
    r"\b(?:confirm\w*|proceed|go ahead|go on|agreed?|approve|authori[sz]e|consent|permission|yes|ok|okay|correct|right|"
    r"(?:shall|should|may|can) (?:i|we)|(?:would you like|do you want|would you want) (?:me|us|to)|"
    r"happy (?:with|for)|sounds? good|fine|"
    r"de acuerdo|lo hago|procedo|adelante|le parece|puedo|einverstanden|soll ich|darf ich|in ordnung|passt|d.accord|"
    r"puis-je|dois-je|je proc[eè]de|posso|devo|tudo bem|pode ser|va bene)\b",
    re.IGNORECASE,
)
ASKS_FOR_A_VALUE: Final = re.compile(
    r"\W*(?:(?:and|or|but|so|also|then|now|please|in|on|at|to|for|from|by|with|of|tell me|let me know)\W+)*"
    r"(?:which|what|where|who|whom|whose|why|how you|when (?:can|could|shall|should|will|would|may|do|is)|"
    r"how (?:\w+ )?(?:can|could|shall|should|will|would|may|do|does|are|is))\b",
    re.IGNORECASE,
)
"""A clause that begins so wants to be told something: nobody agrees to it, whatever words follow."""

REQUESTS: Final = re.compile(
    r"\b(?:could|can|would|will) you\b|\bdo you (?:have|know)\b|\b(?:any|some)thing else\b",
    re.IGNORECASE,
)
"""A question that yes alone does not answer."""
MOST_WORDS: Final = 5
"""Words of a reply that says no more than yes, in whatever words: who has something to say needs more."""
TELLS: Final = re.compile(r"[\d?@]")


def asks_consent(text: str) -> bool:
    """Whether a text asks the user to agree to something."""
    asked = (s for s in SENTENCE.findall(text) if QUESTION.search(s))
    clauses = (clause for sentence in asked for clause in CLAUSE.split(sentence))
    return any(ASKS.search(c) and not ASKS_FOR_A_VALUE.match(c) for c in clauses)


def offers(text: str) -> bool:
    """Whether a text asks something that yes alone may answer."""
    return "?" in text and not wants_a_value(text)


def wants_a_value(text: str) -> bool:
    """Whether the last question of a text is one that yes alone does not answer."""
    asked = [s for s in SENTENCE.findall(text) if "?" in s]
    return bool(asked) and bool(_asks_for_a_value(asked[-1]) or REQUESTS.search(asked[-1]))


def assents(text: str) -> bool:
    """Whether a user's reply agrees, or is so short that it says nothing else."""
    brief = 0 < len(text.split()) <= MOST_WORDS and not TELLS.search(text)
    return not refuses(text) and (brief or agrees(text))


def gives_consent(asked: str, said: str) -> bool:
    """Whether a question and the user's answer are one for consent and its answer, which may be a no to a question in known words."""
    return asks_consent(asked) or (agrees(said) and offers(asked) and not refuses(said))


def _asks_for_a_value(sentence: str) -> bool:
    return any(ASKS_FOR_A_VALUE.match(clause) for clause in CLAUSE.split(sentence))


def refuses(text: str) -> bool:
    """Whether a user's words say no, wait or something else instead."""
    return bool(REFUSES.match(text))


def agrees(text: str) -> bool:
    """Whether a user's words agree."""
    return bool(AGREES.search(text))
