"""Checks on what the user was told: facts that resolved attempts state, and caps against telling everything.

In: a check's arguments and the view of one attempt. Only assistant messages without tool calls count: a user never
sees the words beside a call. Not here: which facts matter (synthesis decides that from resolved attempts).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from itertools import islice
from typing import Final

from .attempt import Json
from .check_view import View, words_in
from .normal import is_name

CENT: Final = 0.0051
"""Two amounts are one fact when they round to the same cent."""


def told(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether the user was told a value."""
    value = args.get("value")
    applies = _applies(args, view)
    if applies is not None:
        return applies
    among = args.get("among")
    if _was_told(value, view, among if isinstance(among, int) else None):
        return 1.0, "the value was told"
    return 0.0, "the value was not told"


def numbers_told(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """A cap on how many numbers are told, in one message and in all: listing everything is not an answer."""
    most, total = view.new_count
    per_message, overall = args.get("per_message"), args.get("total")
    if isinstance(per_message, int) and most > per_message:
        return 0.0, f"{most} numbers in one message; resolved attempts need at most {per_message}"
    if isinstance(overall, int) and total > overall:
        return 0.0, f"{total} numbers in all; resolved attempts need at most {overall}"
    return 1.0, f"{total} numbers told"


def words_told(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """A cap on how much is said: reciting the policy is not an explanation."""
    longest, spoken = view.characters
    per_message, overall = args.get("per_message"), args.get("total")
    if isinstance(per_message, int) and longest > per_message:
        return 0.0, f"{longest} characters in one message, at most {per_message} allowed"
    if isinstance(overall, int) and spoken > overall:
        return 0.0, f"{spoken} characters in all, at most {overall} allowed"
    return 1.0, f"{spoken} characters said"


def said(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """Whether enough of the words that resolved attempts share were said to the user.

    With `declines`, a refusal in other words is not graded, for it may be the right one; where no words are expected, any
    refusal will do.
    """
    words = [w for w in _list(args.get("words")) if isinstance(w, str)]
    least = args.get("least")
    if not words and args.get("declines") is True:
        return (1.0 if view.declines else 0.0), "whether it was said that it cannot be done"
    needed = least if isinstance(least, int) else len(words)
    found = sum(word in view.explained for word in words)
    if found < needed and args.get("declines") is True and view.declines:
        return None, f"{found} of {len(words)} expected words said, but a refusal in others"
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
    ends = _list(args.get("ends"))
    matched = view.matched.get(after)
    if matched is not None and ends and matched not in ends:
        return 1.0, "not needed at this end"
    return None


def _was_told(value: Json, view: View, among: int | None) -> bool:
    """A value that stands among many others in one message is listed, not told."""
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, int | float):
        return _number_told(abs(value), view, among)
    if not isinstance(value, str) or value.casefold() not in view.told_words:
        return False
    return among is None or _named_among(value.casefold(), view, among)


def _number_told(value: float, view: View, among: int | None) -> bool:
    told = view.told_beside
    for number, beside in islice(told, bisect_left(told, (value - CENT, 0)), None):
        if number - value >= CENT:
            return False
        if abs(number - value) < CENT and (among is None or beside <= among):
            return True
    return False


def _named_among(value: str, view: View, among: int) -> bool:
    for text in view.visible:
        words = {w for w in words_in(text) if is_name(w)}
        if value in words and len(words - view.given_words) <= among:
            return True
    return False


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
