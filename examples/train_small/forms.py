"""Sentences that agents said, with slots where a value stood that the conversation had shown.

In: a text and the values known before it. Out: its form and what filled the slots, or the text that a form and fillings give.
Arguments of calls that are texts of their own (a sum, a summary) have forms too. Knows no tool and no sentence.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from examples.train_small.shown import USER, Known, Scalar

_SEPARATORS: Final = (", ", " + ", " and ", "; ")
_SHORTEST: Final = 2
_SHORT_WORD: Final = 2


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a value goes."""

    cents: bool = False
    """A number with two decimals."""
    separator: str = ""
    """Between several values; empty where there is one."""


Part = str | Slot


@dataclass(frozen=True, slots=True)
class Form:
    """A text with slots."""

    parts: tuple[Part, ...]

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots in order."""
        return tuple(part for part in self.parts if isinstance(part, Slot))

    @property
    def loose(self) -> tuple[Part, ...]:
        """The form whatever number of values stands in a slot."""
        return tuple(
            Slot(cents=part.cents) if isinstance(part, Slot) else part for part in self.parts
        )

    def before(self, number: int) -> str:
        """The word before a slot."""
        at = [at for at, part in enumerate(self.parts) if isinstance(part, Slot)][number]
        words = str(self.parts[at - 1]).casefold().split() if at else []
        return words[-1] if words else "^"

    def text(self, fillings: Sequence[Sequence[Scalar]]) -> str:
        """The text with these values in the slots."""
        rest = iter(fillings)
        return "".join(
            part
            if isinstance(part, str)
            else part.separator.join(_put(v, part) for v in next(rest))
            for part in self.parts
        )


class Read(NamedTuple):
    """A text as form and fillings."""

    form: Form
    fillings: tuple[tuple[Scalar, ...], ...]


def read_text(text: str, known: Iterable[Known], *, cents: bool = True) -> Read:
    """Put a slot wherever a known value stands; of two the longer one. With `cents` numbers are read as amounts."""
    spelt = _spellings(known, cents=cents)
    if not spelt:
        return Read(Form((text,)), ())
    longest = sorted(spelt, key=len, reverse=True)
    pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)"
    parts: list[Part] = []
    fillings: list[tuple[Scalar, ...]] = []
    before: set[str] = set()
    end = 0
    for found in re.finditer(pattern, text):
        slot, one = spelt[found[0]]
        between = text[end : found.start()]
        places = {seen.place for seen in one.seen}
        last = parts[-1] if parts else None
        if (
            between in _SEPARATORS
            and isinstance(last, Slot)
            and last.separator in {"", between}
            and places & before
        ):
            parts[-1] = Slot(cents=slot.cents, separator=between)
            fillings[-1] = (*fillings[-1], one.value)
        else:
            parts += [between, slot] if between else [slot]
            fillings.append((one.value,))
        before, end = places, found.end()
    if end < len(text):
        parts.append(text[end:])
    return Read(Form(tuple(parts)), tuple(fillings))


def _spellings(known: Iterable[Known], *, cents: bool) -> dict[str, tuple[Slot, Known]]:
    """How known values are written in a text."""
    found: dict[str, tuple[Slot, Known]] = {}
    for one in known:
        value = one.value
        if isinstance(value, bool):
            continue
        if isinstance(value, int | float):
            slot = Slot(cents=cents)
            found.setdefault(f"{value:.2f}" if cents else f"{float(value)}", (slot, one))
        text = str(value)
        by_user = all(seen.place == USER for seen in one.seen)
        if len(text) >= _SHORTEST and _is_a_name(text, by_user=by_user):
            found.setdefault(text, (Slot(), one))
    return found


def _is_a_name(text: str, *, by_user: bool) -> bool:
    """Whether a value is recognised in a text: with a digit, or in a tool's answer as a name or a word that is not short."""
    if re.search(r"[\d@]", text):
        return True
    return not by_user and (text != text.lower() or (text.isalpha() and len(text) > _SHORT_WORD))


def _put(value: Scalar, slot: Slot) -> str:
    if slot.cents and isinstance(value, int | float):
        return f"{value:.2f}"
    return str(value)
