"""Outcomes among spans: judges, annotations that come late, evaluation events."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ingest.assembly.assemble import assemble
from ingest.records.span import SpanEvent, SpanLink
from tests.unit.assembled_calls import ANSWER, SYSTEM, USER, call, shape
from tests.unit.ingest_emitters import (
    APP,
    START,
    event,
    span,
)


def test_evaluators_are_kept_out() -> None:
    """A judge's model call inside the trace is no step; its verdict is an outcome of kind model or unknown."""
    judge = span(
        5,
        {
            "openinference.span.kind": "EVALUATOR",
            "annotations.0.annotation.name": "relevance",
            "annotations.0.annotation.score": 0.5,
            "annotations.0.annotation.annotator_kind": "LLM",
        },
        parent_id=f"{1:016x}",
    )
    below = call(
        6, [{"role": "system", "content": "Judge."}, USER], ANSWER, parent_id=judge.span_id
    )
    found = assemble([call(1, [SYSTEM, USER], ANSWER), judge, below], app=APP)
    assert shape(found.episodes[0]) == [
        ("system", "Be kind."),
        ("user", USER["content"]),
        ("assistant", ANSWER["content"]),
    ]
    assert found.spans_without_episode == 2
    assert [(o.name, o.value, o.by, o.episode_id) for o in found.outcomes] == [
        ("relevance", 0.5, "model", found.episodes[0].episode_id)
    ]


def test_a_carrier_span_with_a_link_names_its_target() -> None:
    """A late annotation on a span of its own is joined by its one link, not by its parent."""
    judged = call(1, [SYSTEM, USER], ANSWER)
    carrier = span(
        9,
        {
            "openinference.span.kind": "EVALUATOR",
            "annotations.0.annotation.name": "thumbs",
            "annotations.0.annotation.label": "up",
            "annotations.0.annotation.annotator_kind": "HUMAN",
        },
        trace_id="f" * 32,
        links=(SpanLink(trace_id=judged.trace_id, span_id=judged.span_id),),
    )
    found = assemble([carrier, judged], app=APP)
    assert len(found.episodes) == 1
    assert [(o.label, o.by, o.episode_id) for o in found.outcomes] == [
        ("up", "reviewer", found.episodes[0].episode_id)
    ]


def test_evaluation_events_on_spans_and_in_logs() -> None:
    """`gen_ai.evaluation.result` is an outcome wherever it is put; only a user's word is a user's."""
    said = {"gen_ai.evaluation.name": "user_feedback", "gen_ai.evaluation.score.value": 1.0}
    base = call(1, [SYSTEM, USER], ANSWER, attributes={"gen_ai.response.id": "r1"})
    on_span = replace(
        base, events=(SpanEvent(name="gen_ai.evaluation.result", at=START + 5, attributes=said),)
    )
    in_log = event(
        7,
        "gen_ai.evaluation.result",
        base.span_id,
        **{"gen_ai.evaluation.name": "correctness", "gen_ai.evaluation.score.label": "fail"},
    )
    by_response = replace(
        in_log,
        event_id="late",
        trace_id=None,
        span_id=None,
        attributes={
            "gen_ai.evaluation.name": "csat",
            "gen_ai.evaluation.score.value": 4,
            "gen_ai.response.id": "r1",
        },
    )
    found = assemble([on_span], [in_log, by_response], app=APP)
    episode_id = found.episodes[0].episode_id
    assert {(o.name, o.by, o.value, o.label, o.episode_id) for o in found.outcomes} == {
        ("user_feedback", "end_user", 1.0, None, episode_id),
        ("correctness", "unknown", None, "fail", episode_id),
        ("csat", "end_user", 4.0, None, episode_id),
    }
    assert found.responses == {"r1": episode_id}


def test_an_apps_own_attribute_of_a_root_span_is_an_outcome() -> None:
    """`app.outcome.success` on the span that begins the trace; on a span below it may be anything's."""
    own = {"app.outcome.success": 1, "shop.user.csat": "good", "http.request.size": 7}
    root = call(1, [SYSTEM, USER], ANSWER)
    root = replace(root, parent_id=None, attributes={**root.attributes, **own})
    below = span(5, {"app.outcome.success": 0}, parent_id=root.span_id)
    found = assemble([root, below], app=APP)
    (episode,) = found.episodes
    assert {(o.name, o.value, o.label, o.by, o.episode_id) for o in found.outcomes} == {
        ("success", 1.0, None, "unknown", episode.episode_id),
        ("csat", None, "good", "end_user", episode.episode_id),
    }


@pytest.mark.parametrize("named", [True, False])
def test_what_stands_on_a_span_above_one_of_several_conversations_is_about_that_one(
    *, named: bool
) -> None:
    """Each case of an evaluation has its task's name and its verdicts; all cases are one trace, also where nothing names a conversation."""
    spans = [span(1, {})]
    for number, passed in ((10, True), (20, False)):
        verdict = {"Right": {"name": "Right", "value": passed, "reason": None}}
        case = {"case_name": f"case {number}", "assertions": json.dumps(verdict), "scores": "{}"}
        above = span(number, case, parent_id=f"{1:016x}")
        run = span(number + 1, {}, parent_id=above.span_id)
        user = {**USER, "content": f"Question {number}?"}
        asked = call(number + 2, [SYSTEM, user], ANSWER, parent_id=run.span_id)
        own = {"gen_ai.conversation.id": f"c{number}"} if named else {}
        spans += [above, run, replace(asked, attributes={**asked.attributes, **own})]
    found = assemble(spans, app=APP)
    task_of = {one.episode_id: one.task_key for one in found.episodes}
    assert sorted(map(str, task_of.values())) == ["case 10", "case 20"]
    assert sorted((task_of[str(one.episode_id)], one.value) for one in found.outcomes) == [
        ("case 10", 1.0),
        ("case 20", 0.0),
    ]
