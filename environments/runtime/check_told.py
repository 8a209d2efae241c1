"""Checks on what the user was told: facts that resolved attempts state, and caps against telling everything.

In: a check's arguments and the view of one attempt. Only assistant messages without tool calls count: a user never
sees the words beside a call. Not here: which facts matter (synthesis decides that from resolved attempts).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .attempt import Json
from .check_view import View

CENT: Final = 0.0051
"""Two amounts are one fact when they round to the same cent."""


def told(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether the user was told a value; a fact with one witness is not graded when it is missing."""
    value = args.get("value")
    applies = _applies(args, view)
    if applies is not None:
        return applies
    if _was_told(value, view):
        return 1.0, "the value was told"
    if args.get("on_missing") == "null":
        return None, "the value was not told, and only one resolved attempt shows that it matters"
    return 0.0, "the value was not told"


def numbers_told(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """A cap on how many numbers are told, in one message and in all: listing everything is not an answer."""
    given = view.given
    messages = [{n for n in numbers if n not in given} for numbers in view.told_numbers]
    most = max((len(numbers) for numbers in messages), default=0)
    total = len(set().union(*messages)) if messages else 0
    per_message, overall = args.get("per_message"), args.get("total")
    if isinstance(per_message, int) and most > per_message:
        return 0.0, f"{most} numbers in one message; resolved attempts need at most {per_message}"
    if isinstance(overall, int) and total > overall:
        return 0.0, f"{total} numbers in all; resolved attempts need at most {overall}"
    return 1.0, f"{total} numbers told"


def said(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether enough of the words that resolved attempts share were said to the user."""
    words = [w for w in _list(args.get("words")) if isinstance(w, str)]
    least = args.get("least")
    needed = least if isinstance(least, int) else len(words)
    found = sum(word in view.told_words for word in words)
    return (1.0 if found >= needed else 0.0), f"{found} of {len(words)} expected words said"


def spoke(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether the user was told anything at all."""
    least = args.get("messages")
    needed = least if isinstance(least, int) else 1
    count = len(view.visible)
    return (1.0 if count >= needed else 0.0), f"{count} messages to the user"


def _applies(args: Mapping[str, Json], view: View) -> tuple[float | None, str] | None:
    """A fact that belongs to an end is looked at where that end was reached; elsewhere the end decides."""
    after = args.get("after")
    if not isinstance(after, str):
        return None
    if view.scores.get(after) == 0.0:
        return 0.0, "not looked at: the end is wrong"
    ends = _list(args.get("ends"))
    matched = view.matched.get(after)
    if matched is not None and ends and matched not in ends:
        return 1.0, "not needed at this end"
    return None


def _was_told(value: Json, view: View) -> bool:
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, int | float):
        return any(abs(number - abs(value)) < CENT for number in view.told)
    return isinstance(value, str) and value.casefold() in view.told_words


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
