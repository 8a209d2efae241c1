"""Corrections that name calls: what a person did in place of the agent, as JSON in an outcome.

In: an outcome's correction, in the shapes that people write calls in. Out: the calls, and one form to keep them in: a JSON list of
`{"name", "arguments"}`. Any other correction is words. Not here: what is personal in them (`learn`, `scrub`), whether they are right.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

_LISTS: Final = ("calls", "tool_calls")
"""Keys under which a correction may hold its calls."""


@dataclass(frozen=True, slots=True)
class CorrectedCall:
    """One call that a correction names."""

    name: str
    arguments: str
    """A JSON object, as agents' arguments are written."""


def calls_in(correction: str | None) -> tuple[CorrectedCall, ...] | None:
    """Return the calls that a correction names, in order; None where it says anything else."""
    value = _parsed(correction or "")
    if isinstance(value, dict):
        within = next((value[key] for key in _LISTS if key in value), None)
        value = within if isinstance(within, list) else [value]
    calls = [_call(one) for one in value] if isinstance(value, list) else []
    known = [call for call in calls if call is not None]
    # One that cannot be read may be the one that matters.
    return tuple(known) if known and len(known) == len(calls) else None


def calls_text(calls: Iterable[CorrectedCall]) -> str:
    """Return calls in the one form that is kept; what is no JSON object any more stays a text."""
    listed = []
    for call in calls:
        arguments = _parsed(call.arguments)
        given = arguments if isinstance(arguments, dict) else call.arguments
        listed.append({"name": call.name, "arguments": given})
    return json.dumps(listed, ensure_ascii=False)


def _parsed(text: str) -> Any:  # noqa: ANN401 - any JSON
    if text.lstrip()[:1] not in {"{", "["}:
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _call(value: object) -> CorrectedCall | None:
    inner = value.get("function", value) if isinstance(value, dict) else None
    if not isinstance(inner, dict):
        return None
    name, given = inner.get("name", inner.get("tool")), inner.get("arguments")
    arguments = _parsed(given or "{}") if isinstance(given, str) else given
    if not isinstance(name, str) or not name or not isinstance(arguments, dict):
        # `{"name": "Ann Lee"}` corrects a record: a call says what it was made with, if only with nothing.
        return None
    return CorrectedCall(name, json.dumps(arguments, ensure_ascii=False))
