"""Clean records from table rows: the lake stores them, and only this folder may construct them.

In: rows of the tables `clean_episodes` and `clean_outcomes` (what pyarrow's `to_pylist` returns). Out: the records. Reads
and writes no files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final

from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from redact.records.clean_outcome import CleanOutcome

_STEP: Final = tuple(field.name for field in fields(CleanStep))
_EPISODE: Final = tuple(field.name for field in fields(CleanEpisode))
_OUTCOME: Final = tuple(field.name for field in fields(CleanOutcome))


def clean_episode_from_row(row: Mapping[str, Any]) -> CleanEpisode:
    """Return the clean episode of a table row; columns that a later version added are ignored."""
    known = {name: row[name] for name in _EPISODE if name in row}
    steps = tuple(_step_from_row(step) for step in known.pop("steps", None) or ())
    for listed in ("tools", "completeness", "withheld"):
        known[listed] = tuple(known.get(listed) or ())
    return CleanEpisode(**known, steps=steps)


def _step_from_row(row: Mapping[str, Any]) -> CleanStep:
    known = {name: row[name] for name in _STEP if name in row}
    calls = tuple(
        CleanToolCall(call_id=call["call_id"], name=call["name"], arguments=call["arguments"])
        for call in known.pop("tool_calls", None) or ()
    )
    return CleanStep(**known, tool_calls=calls)


def clean_outcome_from_row(row: Mapping[str, Any]) -> CleanOutcome:
    """Return the clean outcome of a table row."""
    return CleanOutcome(**{name: row[name] for name in _OUTCOME if name in row})
