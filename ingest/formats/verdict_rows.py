"""Rows that only say how a conversation went: votes, ratings, answers to a survey, as an app's own tables keep them beside its messages.

Comes in: an object that names a conversation, or a span of one, and holds a verdict and nothing that anybody said. Goes out: an outcome for that conversation.
"""

from __future__ import annotations

from typing import Any, Final

from ingest.dialects.parts import first_of
from ingest.files.chat_outcome import annotator_of
from ingest.files.file_facts import stem_of
from ingest.formats.format import Decoded, Format
from ingest.formats.records.fields import CONVERSATION, STARTED, TASK, Fields
from ingest.formats.records.speech import is_withdrawn
from ingest.formats.records.verdicts import (
    REASONS,
    RawVerdict,
    outcome_about,
    outcome_of,
    outcomes_of,
)
from ingest.formats.records.words import NAMES, snake_case
from ingest.otlp.record import Arrival
from ingest.records.app_name import UNNAMED
from ingest.records.moments import from_any
from ingest.records.outcome_words import tells_how
from ingest.records.text import Json

NAME: Final = "verdict_rows"
_RESPONSE: Final = ("response_id", "completion_id")
SPAN: Final = ("trace_id", "span_id")
_NAMES: Final = NAMES["names_of_verdicts"]
_OF_JUDGES: Final = frozenset(_NAMES) - {"metric", "metric_name"}
"""A metric may be a program's own, unless it has a score: its name has to say that it judges."""
_FIGURES: Final = ("score", "label", "value")
_JUDGES: Final = ("annotator_kind", "source_type")
_SENTENCE: Final = 3
"""Words from which a text is something that was said, unless its name says that it is a reason."""


def claims(value: Json) -> bool:
    """Whether a value is such a row."""
    value = _flat(value)
    if value is None:
        return False
    said = [one for key, one in value.items() if last_part(key) not in REASONS]
    # An object as text holds what else was noted.
    if any(
        isinstance(one, str) and one[:1] != "{" and len(one.split()) >= _SENTENCE for one in said
    ):
        return False
    told = verdicts_in(value) if _target(value) else []
    return any("value" in one or "label" in one for one in told)


def read(value: Json, arrival: Arrival) -> Decoded:
    """Read one row."""
    row = _flat(value) or {}
    target, at = _target(row), from_any(Fields(row).time(STARTED))
    app = arrival.app or UNNAMED
    about = target or ("", "")
    # A data frame of what one evaluator found is called by it, if anything is.
    file = stem_of(arrival.source).rpartition("/")[2]
    named = row | {_NAMES[0]: file} if _is_frame(row) else row
    found = verdicts_in(named) if target and not is_withdrawn(row) else []
    return Decoded(
        outcomes=[outcome_about(about, one, app=app, source=NAME, at=at) for one in found]
    )


def _flat(value: Json) -> dict[str, Any] | None:
    """A row with the figures of an object in it as columns (`result.score`) and without notes; None where it holds anything else in objects or lists."""
    row: dict[str, Any] = {}
    for key, one in value.items() if isinstance(value, dict) else ():
        if isinstance(one, dict) and not one.keys().isdisjoint(_FIGURES):
            row |= {f"{key}.{name}": figure for name, figure in one.items()}
        elif key != "metadata":
            row[key] = one
    return None if any(one for one in row.values() if isinstance(one, dict | list)) else row


def _is_frame(row: dict[str, Any]) -> bool:
    """Whether a row is a data frame's of what an evaluator found: a span with a figure and a word or a reason, and no name."""
    parts = {*map(last_part, row)}
    is_told = {SPAN[1], "score"} <= parts and not parts.isdisjoint(("label", *REASONS))
    return is_told and name_of_verdict(row) is None


def verdicts_in(row: dict[str, Any]) -> list[RawVerdict]:
    """What a row says, and who said it."""
    by = annotator_of(Fields(row).top_text(_JUDGES))
    return [{**one, "by": by} for one in _said_in(row)]


def _said_in(row: dict[str, Any]) -> list[RawVerdict]:
    """The verdict of which a field of its own is the name (`metric: solved, score: 1`), else those under their names."""
    parts = {last_part(key): one for key, one in row.items()}
    name = name_of_verdict(row)
    if name is None:
        return outcomes_of(Fields(row), answered=False)
    told = outcome_of(name, {key: parts[key] for key in (*_FIGURES, *REASONS) if key in parts})
    if told is None:
        return []
    is_judged = "score" in parts or not {*_OF_JUDGES, *_JUDGES}.isdisjoint(map(snake_case, row))
    return [told] if is_judged or tells_how(name, told.get("value", told.get("label"))) else []


def name_of_verdict(row: dict[str, Any]) -> str | None:
    """What a field of a row calls its verdict."""
    told = {snake_case(key): one for key, one in row.items()}
    # A bare name is the verdict's where somebody is said to have judged.
    name = first_of(told, *_NAMES, *(("name",) if first_of(told, *_JUDGES) else ()))
    return name if isinstance(name, str) else None


def is_on_span(row: dict[str, Any]) -> bool:
    """Whether a row is a verdict with a name of its own, on a trace or a span."""
    return claims(row) and (_target(row) or ("",))[0] in {"span", "trace", "attribute"}


def last_part(key: str) -> str:
    """The last part of a path that is a column: `score` of `result.score`."""
    return snake_case(key.rpartition(".")[2])


def _target(row: dict[str, Any]) -> tuple[str, str] | None:
    """What a row is about: a conversation, a response of a model's API in one, or, where the verdict has a name of its own, a span or a trace."""
    fields = Fields(row)
    name = fields.top_text(CONVERSATION)
    # What names a task is a run's, whatever else it names.
    response = fields.top_text(_RESPONSE) if fields.top_text(TASK) is None else None
    if name or response:
        return ("conversation", name) if name else ("response", response or "")
    ids = Fields({last_part(key): one for key, one in row.items()})
    trace, span = (ids.top_text((one,)) for one in SPAN)
    if name_of_verdict(row) is None and not _is_frame(row):
        return None
    if trace is None:
        return ("attribute", f"{SPAN[1]}={span}") if span else None
    return ("span", f"{trace}:{span}") if span else ("trace", trace)


FORMAT: Final = Format(
    name=NAME,
    title="verdicts on conversations",
    keys=("conversation_id", "rating"),
    claims=claims,
    read=read,
)
