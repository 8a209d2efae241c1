"""Verdicts under an app's own names: on a root span, and on spans and events whose name says that somebody was asked."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ingest.assembly.assemble import assemble
from ingest.records.span import LogEvent, Span, SpanEvent, SpanLink
from ingest.records.text import Json
from tests.unit.assembled_calls import ANSWER, SYSTEM, USER, call, tool
from tests.unit.ingest_emitters import APP, START, span

Told = set[tuple[str, float | str | None, str]]


def told(*more: Span, events: tuple[LogEvent, ...] = ()) -> Told:
    """The outcomes of one conversation with these spans in it, each of which is joined to it."""
    found = assemble([call(1, [SYSTEM, USER], ANSWER), *more], events, app=APP)
    (episode,) = found.episodes
    assert {o.episode_id for o in found.outcomes} <= {episode.episode_id}
    return {(o.name, o.label if o.value is None else o.value, o.by) for o in found.outcomes}


def asked(name: str, **fields: Json) -> Span:
    """A span below the root."""
    attributes = {key.replace("__", "."): value for key, value in fields.items()}
    return span(5, attributes, name=name, parent_id="f" * 16)


ASKED: list[tuple[Span, Told]] = [
    (
        asked("customer-feedback", kiosk__csat=2, kiosk__solved=False, kiosk__channel="app"),
        {("csat", 2.0, "end_user"), ("solved", 0.0, "end_user")},
    ),
    (asked("feedback.submit", kiosk__feedback__thumb="down"), {("thumb", "down", "end_user")}),
    (
        asked("userFeedback", entity__input=json.dumps({"args": [], "kwargs": {"rating": "up"}})),
        {("userFeedback.rating", "up", "end_user")},
    ),
    (asked("save feedback", feedback__value=4), {("feedback.value", 4.0, "unknown")}),
]


@pytest.mark.parametrize(("one", "expected"), ASKED, ids=[one.name for one, _ in ASKED])
def test_a_span_that_asks_somebody_holds_verdicts(one: Span, expected: Told) -> None:
    """At any depth, also in JSON, each under its own name."""
    assert told(one) == expected


def test_an_event_that_asks_somebody_holds_verdicts() -> None:
    """On any span and in a log; what somebody wrote beside it comes along."""
    given = {"kiosk.survey.csat": 5, "kiosk.survey.comment": "Quick, thank you all."}
    event = SpanEvent(name="kiosk.survey", at=START, attributes=given)
    closed = replace(asked("conversation.close"), events=(event,))
    logged = LogEvent(
        app=APP,
        event_id="e",
        trace_id="a" * 32,
        span_id=f"{1:016x}",
        name="user.feedback",
        at=START,
    )
    logged = replace(logged, body={"solved": True}, attributes={"kiosk.page": "help"})
    assert told(closed, events=(logged,)) == {
        ("csat", 5.0, "end_user"),
        ("solved", 1.0, "end_user"),
    }
    (outcome,) = assemble([call(1, [USER], ANSWER), closed], app=APP).outcomes
    assert (outcome.text, outcome.at) == ("Quick, thank you all.", START)


SILENT = [
    asked("retrieve", kiosk__retrieval__score=0.9, kiosk__rating=4),
    asked("compliance.check", kiosk__score=0.4, kiosk__passed=True),
    asked("feedback.submit", kiosk__success=True, kiosk__result="success", kiosk__status="ok"),
    asked("create_thumb", kiosk__quality=80, kiosk__score=3),
    asked("feedback.policy.check", kiosk__score=1),
    asked("user-feedback", kiosk__risk_score=0.9, kiosk__latency__score=3, kiosk__page=2),
    replace(tool(6, "list_feedback", "{}", "[]", **{"kiosk.rating": 2}), name="list_feedback"),
]


@pytest.mark.parametrize("one", SILENT, ids=[one.name for one in SILENT])
def test_other_figures_are_no_verdicts(one: Span) -> None:
    """What was found, checked or saved, and what a tool looked up, says nothing of what the user got."""
    named = tool(6, "find", "{}", "1")
    assert not told(replace(one, parent_id="f" * 16), replace(named, span_id="7" * 16))


def test_a_resolution_on_a_root_span_is_a_verdict_in_words() -> None:
    """A screen's is none."""
    for value, expected in (
        ("not_solved", {("resolution", "not_solved", "unknown")}),
        ("4k", set()),
    ):
        root = span(5, {"langfuse.trace.metadata.resolution": value}, name="turn")
        assert told(root) == expected


def test_what_a_user_is_asked_later_is_about_the_conversation_that_it_names() -> None:
    """In a request, and so a trace, of its own; figures stand in the event's body."""
    logged = LogEvent(app=APP, event_id="e", trace_id="9" * 32, span_id="9" * 16, name="kiosk.csat")
    logged = replace(logged, at=START, body={"score": 2}, attributes={"kiosk.chat.id": "k1"})
    named = call(1, [SYSTEM, USER], ANSWER, attributes={"kiosk.chat.id": "k1"})
    found = assemble([named], [logged], app=APP)
    (outcome,) = found.outcomes
    assert (outcome.value, outcome.by) == (2.0, "end_user")
    assert outcome.episode_id == found.episodes[0].episode_id


def test_an_event_on_another_requests_span_is_about_the_conversation_that_it_names() -> None:
    """Under a bare name, with a thumb and a figure; two conversations' thumbs on one span stay apart."""
    given = [("k1", "-1", "down"), ("k2", "1", "up")]
    events = [
        SpanEvent(
            name="user_feedback",
            at=START,
            attributes={"sessionId": chat, "feedback.score": score, "feedback.thumbs": thumb},
        )
        for chat, score, thumb in given
    ]
    later = replace(span(7, {}, name="POST /thumbs", trace_id="9" * 32), events=tuple(events))
    chats = [
        call(n, [SYSTEM, USER], ANSWER, attributes={"sessionId": chat}, trace_id=f"{n:032x}")
        for n, (chat, *_) in enumerate(given, start=1)
    ]
    found = assemble([*chats, later], app=APP)
    named = {episode.episode_id: episode.conversation_id for episode in found.episodes}
    assert sorted(
        (named[o.episode_id or ""] or "", o.name, o.label or o.value) for o in found.outcomes
    ) == [
        ("k1", "feedback.score", -1.0),
        ("k1", "thumbs", "down"),
        ("k2", "feedback.score", 1.0),
        ("k2", "thumbs", "up"),
    ]


def test_a_later_requests_span_is_about_the_conversation_that_it_names() -> None:
    """Its rating is told once; a parameter in its route says nothing."""
    given = {"kiosk.conv.id": "k1", "feedback.rating": "negative", "feedback.comment": "No help."}
    later = span(7, given, name="POST /chats/{id}/feedback", trace_id="9" * 32)
    chats = [
        call(n, [SYSTEM, USER], ANSWER, attributes={"kiosk.conv.id": f"k{n}"}, trace_id=f"{n:032x}")
        for n in (1, 2)
    ]
    found = assemble([*chats, later], app=APP)
    named = {episode.conversation_id: episode.episode_id for episode in found.episodes}
    (outcome,) = found.outcomes
    assert (outcome.label, outcome.text) == ("negative", "No help.")
    assert outcome.episode_id == named["k1"]


@pytest.mark.parametrize("named", [True, False])
def test_a_rating_is_the_users_where_it_names_the_conversation(*, named: bool) -> None:
    """Elsewhere it may be that of anything."""
    given = {"kiosk.rating.thumb": "up", **({"kiosk.chat.id": "k1"} if named else {})}
    rated = span(7, given, name="kiosk.rating", trace_id="9" * 32, parent_id="f" * 16)
    asked_of = call(1, [SYSTEM, USER], ANSWER, attributes={"kiosk.chat.id": "k1"})
    found = assemble([asked_of, rated], app=APP)
    assert [(o.episode_id, o.label, o.by) for o in found.outcomes] == (
        [(found.episodes[0].episode_id, "up", "end_user")] if named else []
    )


EVALUATORS = [
    ("openinference.span.kind", "EVALUATOR", "output.value"),
    ("langfuse.observation.type", "evaluator", "langfuse.observation.output"),
    ("mlflow.spanType", "EVALUATOR", "mlflow.spanOutputs"),
]
EVALUATED: list[tuple[Json, tuple[float | None, str | None, str | None] | None]] = [
    ({"score": 1, "label": "resolved", "explanation": "All done."}, (1.0, "resolved", "All done.")),
    (0.25, (0.25, None, None)),
    ("unresolved", (None, "unresolved", None)),
    ({"prompt_tokens": 7, "answer": {"score": 1}}, None),
    ("A long text that a judge wrote and in which there is no verdict of its own at all.", None),
    (None, None),
]


@pytest.mark.parametrize(("output", "expected"), EVALUATED)
def test_what_an_evaluator_gave_back_is_a_verdict(
    output: Json, expected: tuple[float | None, str | None, str | None] | None
) -> None:
    """On its conversation, whichever dialect it speaks; it hangs on that by a session, by a link or by the span above it."""
    named = call(1, [SYSTEM, USER], ANSWER, attributes={"session.id": "s1"})
    link = SpanLink(trace_id=named.trace_id, span_id=named.span_id)
    text = output if isinstance(output, str) else json.dumps(output)
    for kind, word, gave in EVALUATORS:
        told = {kind: word, gave: text}
        below = span(8, told, name="resolution", parent_id=named.span_id)
        linked = replace(below, trace_id="e" * 32, parent_id=None, links=(link,))
        by_session = replace(linked, links=(), attributes={**told, "session.id": "s1"})
        for judge in (below, linked, by_session):
            found = assemble([named, judge], app=APP)
            said = [(o.value, o.label, o.text) for o in found.outcomes]
            assert said == ([expected] if expected else [])
            assert {o.episode_id for o in found.outcomes} <= {found.episodes[0].episode_id}


@pytest.mark.parametrize(
    ("value", "said"),
    [(True, ("helpful", 1.0)), (False, ("helpful", 0.0)), ("no", ("helpful", "no")), (None, None)],
)
def test_a_verdict_may_stand_beside_its_name(value: Json, said: tuple[str, Json] | None) -> None:
    """Whose value counts: that something is called helpful says nothing of how it was found."""
    held = {"kiosk__feedback__name": "helpful", "kiosk__feedback__value": value}
    given = {key: one for key, one in held.items() if one is not None}
    found = {(name, told) for name, told, _ in told_in_feedback(given)}
    assert found == ({said} if said else set())


def told_in_feedback(given: dict[str, Json]) -> Told:
    """What is told on a span that asks."""
    return told(asked("user-feedback", **given))
