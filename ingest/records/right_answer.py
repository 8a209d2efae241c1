"""The right answer as people write it beside a conversation: a text, a number, a truth, a list of several that are right.

Comes in: JSON values under `correction`, `reference` and `answer`. Goes out: one text for the column `correction`: the answer itself, or
a JSON list where several are right. Calls that a person made instead stay the JSON that they were. Nothing is judged here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

NAMES: Final = ("correction", "reference", "answer")
"""Under which an outcome may carry what would have been right, the first that says something counts."""
OTEL_NAMES: Final = tuple(f"tracegym.outcome.{name}" for name in NAMES)


def right_answer(value: object) -> str | None:
    """The text of one right answer, or of a list of them; None where it says nothing."""
    if isinstance(value, list | tuple):
        told = [one for one in value if one is not None and one not in ("", [], {})]
        if len(told) == 1 and not isinstance(told[0], dict | list):
            return right_answer(told[0])
        return json.dumps(told, ensure_ascii=False, default=str) if told else None
    if value is None or value == {} or (isinstance(value, str) and not value.strip()):
        return None
    if isinstance(value, str | bool):
        return value if isinstance(value, str) else ("yes" if value else "no")
    if isinstance(value, float) and value == value and value.is_integer() and abs(value) < 1e15:  # noqa: PLR0124 - NaN is the one value unlike itself
        return str(int(value))
    return json.dumps(value, ensure_ascii=False, default=str)


def right_answer_among(fields: Mapping[str, Any], names: Sequence[str] = NAMES) -> str | None:
    """The right answer that an outcome's fields name, or an evaluation's attributes."""
    found = (right_answer(fields.get(name)) for name in names)
    return next((text for text in found if text is not None), None)
