"""Rows that only say how a conversation went: votes, ratings, answers to a survey, as an app's own tables keep them beside its messages.

Comes in: an object that names a conversation and holds a verdict and nothing that anybody said. Goes out: an outcome for that conversation.
"""

from __future__ import annotations

from typing import Final

from ingest.formats.format import Decoded, Format
from ingest.formats.records.fields import CONVERSATION, STARTED, TASK, Fields
from ingest.formats.records.verdicts import REASONS, outcomes_of, outcomes_on
from ingest.formats.records.words import snake_case
from ingest.otlp.record import Arrival
from ingest.records.app_name import UNNAMED
from ingest.records.moments import from_any
from ingest.records.text import Json

NAME: Final = "verdict_rows"
_RESPONSE: Final = ("response_id", "completion_id")
_SENTENCE: Final = 3
"""Words from which a text is something that was said, unless its name says that it is a reason."""


def claims(value: Json) -> bool:
    """Whether a value is such a row."""
    if not isinstance(value, dict) or any(isinstance(one, dict | list) for one in value.values()):
        return False
    said = [one for key, one in value.items() if snake_case(key) not in REASONS]
    if any(isinstance(one, str) and len(one.split()) >= _SENTENCE for one in said):
        return False
    fields = Fields(value)
    told = outcomes_of(fields, answered=False) if _target(fields) else []
    return any("value" in one or "label" in one for one in told)


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read one row."""
    fields = Fields(value)
    target, at = _target(fields), from_any(fields.time(STARTED))
    app = arrival.app or UNNAMED
    found = outcomes_on(target, fields, app=app, source=NAME, at=at) if target else []
    return Decoded(outcomes=found)


def _target(fields: Fields) -> tuple[str, str] | None:
    """What a row is about: a conversation, or a response of a model's API in one."""
    name = fields.top_text(CONVERSATION)
    # What names a task is a run's, whatever else it names.
    response = fields.top_text(_RESPONSE) if fields.top_text(TASK) is None else None
    return ("conversation", name) if name else ("response", response) if response else None


FORMAT: Final = Format(
    name=NAME,
    title="verdicts on conversations",
    keys=("conversation_id", "rating"),
    claims=claims,
    read=read,
)
