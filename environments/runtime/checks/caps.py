"""Caps: no more than so much is called, copied, told or said, so that doing or telling everything is no answer.

In: a check's arguments, of which each names a limit, and the view of one attempt. Not here: which limits (synthesis takes them from resolved
attempts).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from itertools import permutations
from typing import Final

from ..task.attempt import Json
from ..task.verdict import count_text
from ..values.facts import Fact, folded, places_in
from .view import View, whole_of

MOST_OPEN: Final = 12
"""Facts of a message of which each two may be a choice; more are a list, which other caps are for."""
FIELD: Final = re.compile(r"[\"']([\w .-]{1,40})[\"']\s*:")
"""A name and a colon, as records have them and sentences do not."""
OR: Final = re.compile(
    r"[^\w\n]{1,4}(?:[^\W\d]+[^\w\n]{1,3})?(?:or|oder|ou|eller|lub|o|или|または|或)[^\w\n]{1,3}(?:[^\W\d]+[^\w\n]{1,3})?"
)
"""What stands between two choices: the word for it, and a word beside it at most. Words that mean another thing in another language (`of`, `u`) are left out."""
MOST_BETWEEN: Final = 100
"""Characters of that."""
LEAST_RUN: Final = 32
"""Characters of a shared run that are looked for; shorter ones are names and phrases."""
STRIDE: Final = 16
"""Runs of a result that are looked for begin so many characters apart."""

Cap = tuple[str, int, str]
"""The argument that names a limit, how many there are, and of what: `call`, `character in all`."""


def _capped(
    args: Mapping[str, Json], *caps: Cap, unlimited: bool = False
) -> tuple[float | None, str]:
    """Whether there are no more of anything than the limit that an argument names; the first has to be named, unless it may be `unlimited`."""
    if whole_of(args, caps[0][0]) is None and not unlimited:
        return None, "the check names no limit"
    kept: list[str] = []
    for name, count, what in caps:
        limit = whole_of(args, name)
        if limit is not None:
            noun, space, rest = what.partition(" ")
            kept.append(f"{count_text(count, noun)}{space}{rest}, at most {limit} allowed")
            if count > limit:
                return 0.0, kept[-1]
    return 1.0, "; ".join(kept) or "the check names no limit"


def calls_at_most(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """A cap on the policy's calls."""
    return _capped(args, ("most", len(view.own_calls), "call"))


def repeats_at_most(
    args: Mapping[str, Json], view: View, _check_id: str
) -> tuple[float | None, str]:
    """A cap on making one and the same call again and again."""
    return _capped(args, ("most", view.most_repeated, "time the same call"))


def words_told(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """A cap on how much is said: reciting the policy is not an explanation."""
    longest, spoken = view.characters
    return _capped(
        args,
        ("per_message", longest, "character in one message"),
        ("total", spoken, "character in all"),
        unlimited=True,
    )


def numbers_told(args: Mapping[str, Json], view: View, _check_id: str) -> tuple[float | None, str]:
    """A cap on how many numbers are told, in one message and in all: listing everything is not an answer.

    With `choices`, on answers that leave open which of two facts it is as well (`12.50 or 14.00`).
    """
    most, total = view.new_count
    return _capped(
        args,
        ("choices", choices_told(view), "answer leaving open which of two facts it is"),
        ("per_message", most, "number in one message"),
        ("total", total, "number in all"),
        unlimited=True,
    )


def quoted_at_most(
    args: Mapping[str, Json], view: View, _check_id: str
) -> tuple[float | None, str]:
    """That neither tool results nor instructions are copied: no more characters than that stand in messages as long runs of one.

    With `fields`, no more names of fields either: a short record is no answer, however few its characters are.
    """
    copied = characters_copied(view)
    return _capped(
        args,
        ("most", copied, "character of tool results or instructions copied"),
        ("fields", fields_copied(view), "field of tool results copied"),
    )


def fields_copied(view: View) -> int:
    """How many names of fields, as records write them, messages take over from tool results."""
    told = [name for text in view.said_folded for name in FIELD.findall(text)]
    if not told:
        return 0
    shown = {name for c in view.attempt.calls for name in FIELD.findall(folded(c.result.content))}
    return sum(name in shown for name in told)


def characters_copied(view: View) -> int:
    """Characters of all messages that stand in runs of at least `LEAST_RUN` + `STRIDE` that some tool result, or the instructions, have as well."""
    sources = (*(c.result.content for c in view.attempt.calls), *view.instructions)
    windows = {
        text[start : start + LEAST_RUN]
        for text in (" ".join(folded(source).split()) for source in sources)
        for start in range(0, len(text) - LEAST_RUN + 1, STRIDE)
    }
    if not windows:
        return 0
    return sum(_covered(" ".join(message.split()), windows) for message in view.said_folded)


def _covered(text: str, windows: Collection[str]) -> int:
    """Characters of a text that lie in one of the windows."""
    covered = end = 0
    for start in range(len(text) - LEAST_RUN + 1):
        if text[start : start + LEAST_RUN] in windows:
            covered += start + LEAST_RUN - max(start, end)
            end = start + LEAST_RUN
    return covered


def choices_told(view: View) -> int:
    """How many pairs of facts of one kind the messages after the last call leave open: a question before it may well ask which."""
    messages = [*zip(view.said_folded, view.facts, strict=True)]
    last = messages[view.closing_from :]
    return sum(_count_choices(text, facts) for text, facts in last)


def _count_choices(text: str, facts: Iterable[Fact]) -> int:
    told = list(dict.fromkeys(facts))[:MOST_OPEN]
    return sum(
        one.kind == other.kind and _are_choices(one.text, other.text, text)
        for one, other in permutations(told, 2)
    )


def _are_choices(one: str, other: str, text: str) -> bool:
    """Whether a text says one fact or the other somewhere."""
    behind = (text[end : end + MOST_BETWEEN + len(other)] for _, end in places_in(one, text))
    return any(OR.fullmatch(part, 0, at) for part in behind for at, _ in places_in(other, part))
