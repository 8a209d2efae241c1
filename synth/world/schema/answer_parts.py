"""Answer parts: fixed text around words and numbers that differ from call to call.

Comes in: the answers to calls of one kind; goes to `search.computed`. Not here: where the numbers come from.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

MAX_LENGTH: Final = 400
"""A longer answer says more than a sum."""
TOKEN: Final = re.compile(r"((?<![\w.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[^\W\d]\w*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """One answer: what stands between its words and numbers, and these."""

    between: tuple[str, ...]
    tokens: tuple[str, ...]


def parts_of(content: str) -> Parts | None:
    """An answer in parts; None where it is too long to be one of these."""
    if len(content) > MAX_LENGTH:
        return None
    split = TOKEN.split(content)
    return Parts(between=tuple(split[::2]), tokens=tuple(split[1::2]))


def is_number_text(token: str) -> bool:
    """Whether a token is a number."""
    return token[-1].isdigit() and token.lstrip("-")[:1].isdigit()


def commonest(all_parts: Sequence[Parts | None]) -> tuple[str, ...] | None:
    """What stands between the tokens in most answers."""
    counts = Counter(parts.between for parts in all_parts if parts is not None)
    return counts.most_common(1)[0][0] if counts else None
