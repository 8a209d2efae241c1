"""What customers say afterwards, and what the ticket system sees: thumbs at once, a survey later, reopened days later.

Follows the truth; a share may be flipped, as real feedback is. Who says nothing is decided by the seed.
"""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

RATE: Final = 0.6
"""Share of customers who give a thumb."""
SURVEY_RATE: Final = 0.35
REOPEN_RATE: Final = 0.6
"""Share of unresolved conversations whose ticket is opened again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """One statement about a conversation."""

    name: str
    value: float
    by: str
    """`end_user` or `business_record`."""
    at: datetime


def give_feedback(
    *, resolved: bool, ended: datetime, rng: random.Random, noise: float = 0.0
) -> list[Feedback]:
    """Everything that is said about a conversation, in order of time."""
    felt = resolved if rng.random() >= noise else not resolved
    value = 1.0 if felt else 0.0
    given = []
    if rng.random() < RATE:
        at = ended + timedelta(seconds=rng.randrange(2, 40))
        given.append(Feedback(name="user_feedback", value=value, by="end_user", at=at))
    if rng.random() < SURVEY_RATE:
        at = ended + timedelta(hours=rng.randrange(3, 40), seconds=rng.randrange(3600))
        given.append(Feedback(name="resolved", value=value, by="end_user", at=at))
    if not felt and rng.random() < REOPEN_RATE:
        at = ended + timedelta(days=rng.randrange(2, 6), seconds=rng.randrange(86400))
        given.append(Feedback(name="ticket_reopened", value=1.0, by="business_record", at=at))
    return given
