"""Statements about quality in OpenTelemetry's form: `gen_ai.evaluation.result`, on spans and in logs.

Comes in: the event's attributes. Goes out: `Statement`. The convention has no field for who judged; see `annotator`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from ingest.dialects.attributes import (
    arguments_of,
    first_text,
    first_value,
    number_of,
    parsed,
    text_of,
)
from ingest.dialects.identity import VERDICTS, identity_in
from ingest.dialects.reading import Statement
from ingest.files.chat_outcome import annotator_of
from ingest.formats.records.fields import ITEM_NAMES, Fields
from ingest.formats.records.verdicts import RawVerdict, by_words, outcome_of
from ingest.formats.records.words import NAMES, snake_case
from ingest.records.outcome_words import asks_how, is_about_else, tells_how
from ingest.records.right_answer import OTEL_NAMES, right_answer_among
from ingest.records.span import Attributes, Span

_EVENT: Final = re.compile(r"gen_ai\.evaluation(?:\.(?:result|(\w+)))?")
"""Names of events that hold an evaluation, one of which may be called after what was judged: `gen_ai.evaluation.user_voting`."""
_INLINE: Final = re.compile(
    r"(?:[a-z]+_)?(?:evals?|evaluations?)\.([^.]+)\.(score|label|explanation)"
)
"""Attributes that hold an evaluation of their span: `eval.goal_completion.score`."""
ANNOTATOR_KEYS: Final = (
    "tracegym.outcome.by",
    "gen_ai.evaluation.annotator_kind",
    "gen_ai.evaluation.source",
    "gen_ai.evaluation.annotator",
)

_GAVE_BACK: Final = (
    *("output.value", "langfuse.observation.output", "mlflow.spanOutputs"),
    "traceloop.entity.output",
)
"""What a span gave back, as the dialects name it."""
_FIGURES: Final = ("value", "score", "label", "rating")
_CONVENTIONS: Final = frozenset({"gen_ai", "tracegym"})
"""What stands before attributes with readers of their own."""
_WORDED: Final = frozenset({"resolution", "disposition"})
"""Last parts that say it too, where their value is a word that judges: `resolution` may be a screen's."""
_OF_ASKING: Final = frozenset({"success", "succeeded", "result", "status", "ok", "done", "passed"})
"""Words for how the asking itself went: `feedback.success`."""
_REPLIES: Final = ("response", "answer", "reply", "choice", "selection")
"""What the words of somebody who was asked are called."""
_BY_USERS: Final = re.compile(
    r"(^|[_.\- ])(user|customer|end_?user|thumbs?|csat|nps|ces|survey|star_?rating|user_?feedback)([_.\- ]|$)",
    re.IGNORECASE,
)


def annotator(name: str, given: str | None) -> str:
    """Who judged: what the sender says, else an outcome's name that only a user's word can have (`user_feedback`, `csat`)."""
    if given:
        return annotator_of(given)
    return "end_user" if _BY_USERS.search(name) else "unknown"


def verdicts_on(span: Span, *, works: bool) -> dict[str, Statement]:
    """What an app's own words on a span say of how it went, by name: the attributes of a root span; a span or an event that asks a user.

    `works` says that the span is a step of the agent's work: such a span asks nobody, whatever it is called.
    """
    asked = [] if works else [*asked_by(span.name, span.attributes, at=span.ended_at)]
    found = _inline(span) | {one.name: one for one in asked}
    for key, value in span.attributes.items() if span.parent_id is None and not asked else ():
        *above, name = key.lower().split(".")
        known = name in VERDICTS or (name in _WORDED and tells_how(name, value))
        if known and above and above[0] not in _CONVENTIONS:
            number = number_of(value)
            label = text_of(value) if number is None else None
            found[name] = Statement(name=name, value=number, label=label, by=annotator(key, None))
    for event in span.events:
        told = asked_by(event.name, event.attributes, at=event.at)
        found |= {f"{one.target_id}:{one.name}": one for one in told}
    return found


def _inline(span: Span) -> dict[str, Statement]:
    """The evaluations that stand on a span, each in attributes that begin alike or in an object of them, by name."""
    held: dict[str, dict[str, Any]] = {}
    for key, value in span.attributes.items():
        if found := _INLINE.fullmatch(key):
            held.setdefault(found[1], {})[found[2]] = value
    maps = (parsed(span.attributes.get(key)) for key in NAMES["maps_of_verdicts"])
    held |= {name: one for told in maps if isinstance(told, dict) for name, one in told.items()}
    told = (outcome_of(name, value) for name, value in held.items())
    return _stated(filter(None, told), "", at=span.ended_at)


def asked_by(name: str, attributes: Attributes, *, at: int | None) -> Iterator[Statement]:
    """What a span or an event says that asks somebody: users are asked later, in a request of its own, and so about the conversation that it names."""
    named = identity_in(attributes, {})["conversation"]
    for said in asked_in(name, attributes, at=at, is_named=bool(named)).values():
        yield replace(said, target_kind="conversation", target_id=named) if named else said


def found_by(evaluator: Span) -> dict[str, Statement]:
    """What an evaluator's span gave back, under the span's name: a figure, a truth or a word, alone or in an object with its reason."""
    said = outcome_of(evaluator.name, parsed(first_value(evaluator.attributes, _GAVE_BACK)))
    judges = said is not None and not {"value", "label"}.isdisjoint(said)
    gave = _stated([said] if said and judges else (), evaluator.name, at=evaluator.ended_at)
    return _inline(evaluator) or gave


def asked_in(
    name: str, attributes: Attributes, *, at: int | None, is_named: bool
) -> dict[str, Statement]:
    """What stands on a span or an event whose name says that somebody was asked, read by its words as in files, also inside JSON; `is_named` says that it names a conversation."""
    if not asks_how(name, of_conversation=is_named):
        return {}
    held: dict[str, Any] = {}
    for key, value in attributes.items():
        above, _, last = key.rpartition(".")
        told = parsed(arguments_of(value))
        holder = above.rpartition(".")[2]
        if not _OF_ASKING & {*last.lower().split("_")} and not is_about_else(above):
            inner = told if isinstance(told, dict) else {last: told}
            held.setdefault(holder if asks_how(holder) else name, {}).update(inner)
    told = {asker: _under_its_name(_with_reply(asker, said)) for asker, said in held.items()}
    return _stated(by_words(Fields(own=told)).values(), name, at=at)


def _with_reply(asker: str, said: dict[str, Any]) -> dict[str, Any]:
    """What somebody said, a word that answers the question under the name of the asking: `survey`, `response: good`."""
    words = (key for key in _REPLIES if isinstance(said.get(key), str))
    reply = next((key for key in words if tells_how(asker, said[key])), None)
    rest = {key: value for key, value in said.items() if key != reply}
    return {snake_case(asker): said[reply], **rest} if reply else said


def _under_its_name(said: dict[str, Any]) -> dict[str, Any]:
    """What somebody said, a figure under the name that stands beside it: the name alone is no verdict."""
    key = next((one for one in ITEM_NAMES if isinstance(said.get(one), str)), "")
    figure = next((one for one in _FIGURES if one in said), "")
    named, rest = said.get(key, ""), {k: value for k, value in said.items() if k != key}
    if named and figure and tells_how(named, said[figure]):
        return {named: rest.pop(figure), **rest}
    return rest if tells_how(key, named) else said


def _stated(told: Iterable[RawVerdict], asker: str, *, at: int | None) -> dict[str, Statement]:
    """Verdicts as statements, by name."""
    return {
        said["name"]: Statement(
            name=said["name"],
            value=number_of(said.get("value")),
            label=said.get("label"),
            text=said.get("comment"),
            by=annotator(f"{asker} {said['name']}", None),
            at=at,
        )
        for said in told
    }


def read_evaluation(event: str, attributes: Attributes, *, at: int | None) -> Statement | None:
    """The statement of an event of this name; None where it is no evaluation, or names nothing."""
    found = _EVENT.fullmatch(event)
    name = first_text(attributes, ("gen_ai.evaluation.name", "name")) or (found and found[1])
    if found is None or name is None:
        return None
    keys = ("gen_ai.evaluation.score.value", "gen_ai.evaluation.score")
    value: Any = first_value(attributes, keys)
    response = text_of(attributes.get("gen_ai.response.id"))
    return Statement(
        name=name,
        value=number_of(value),
        label=first_text(attributes, ("gen_ai.evaluation.score.label",))
        or (text_of(value) if number_of(value) is None else None),
        text=first_text(attributes, ("gen_ai.evaluation.explanation", "gen_ai.evaluation.comment")),
        correction=right_answer_among(attributes, OTEL_NAMES),
        by=annotator(name, first_text(attributes, ANNOTATOR_KEYS)),
        author=first_text(attributes, ("tracegym.outcome.author",)),
        at=at,
        target_kind="response" if response else "span",
        target_id=response,
    )
