"""What most probably became of a call that the world cannot answer, for predicting an outcome and never for paying.

In: the view of one attempt and one of its calls. Out: True (it was refused), False (it succeeded) or None. The evidence
is what the world says of rules that the call breaks, and what the policy did next: it calls again with nearly the same
values after a refusal, and tells the user what happened. Words are generic English; where they say nothing, how often the tool refuses decides. Not here: how ends are compared (`end_state`).
"""

from __future__ import annotations

import re
from typing import Final

from ...task.attempt import Call, Json
from ...values.mentions import leaves
from ...values.normal import stable
from ...world.notice import objected
from ..view import View, text_of

REFUSED: Final = re.compile(
    r"\b(?:unfortunately|unable|cannot|can.?t|could ?n.?t|could not|did ?n.?t|error|issue|problem|apologi[sz]e|"
    r"sorry|failed|fails|not (?:available|possible|found|allowed|eligible|enough|sufficient|valid)|"
    r"unavailable|invalid|insufficient|declined|rejected)\b",
    re.IGNORECASE,
)
SUCCEEDED: Final = re.compile(
    r"\b(?:success(?:fully)?|(?:has|have) (?:now )?been|completed?|processed|confirmed|is now|are now|all set|done)\b",
    re.IGNORECASE,
)
ALIKE: Final = 0.5
"""Share of a call's values that a later call repeats when it is a second try at the same thing."""


def was_refused(view: View, index: int, changing: frozenset[str]) -> bool | None:
    """Whether the policy acted as if this call had been refused."""
    calls = view.attempt.calls
    call = calls[index]
    if any(_second_try(call, later) for later in calls[index + 1 :] if later.name in changing):
        return True
    if objected(call.result.content):
        return (
            True  # no success broke what this call breaks: the next words may be about another call
        )
    said = _next_words(view, call)
    refused, succeeded = bool(REFUSED.search(said)), bool(SUCCEEDED.search(said))
    if refused == succeeded:
        return None
    return refused


def _second_try(call: Call, later: Call) -> bool:
    """Most values again, but not the very same call: that one repeats, it does not correct."""
    mine, others = _values(call), _values(later)
    same = call.name == later.name and mine == others
    return bool(mine) and not same and len(mine & others) / len(mine) > ALIKE


def _values(call: Call) -> set[str]:
    arguments: Json = dict(call.arguments)
    return {stable(value).casefold() for value in leaves(arguments) if value is not None}


def _next_words(view: View, call: Call) -> str:
    """The policy's first words after the message that made the call."""
    for message in view.attempt.messages[call.message + 1 :]:
        if message.get("role") == "assistant" and text_of(message).strip():
            return text_of(message)
    return ""
