"""Spans as tracking and evaluation platforms export them: whole traces, and rows that say their type in a word."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from ingest.assembly.assemble import assemble
from tests.unit.exported_lines import (
    ARGUMENTS,
    EXPECTED,
    decoded_below,
    only_episode,
    read,
    told,
)
from tests.unit.ingest_emitters import APP, MODEL_CALLS, TOOL, openllmetry_old

Record = dict[str, Any]
NANOSECONDS = 1_793_527_200 * 10**9


def trace() -> Record:
    """A trace with its spans; every value of an attribute is JSON text."""

    def span(number: int, kind: str, name: str, given: object, made: object) -> Record:
        attributes = {"spanType": kind, "spanInputs": given, "spanOutputs": made}
        return {
            "trace_id": "Hu45TH2JrYI=",
            "span_id": f"s{number}",
            "parent_span_id": "s0" if number else None,
            "name": name,
            "start_time_unix_nano": NANOSECONDS + number,
            "end_time_unix_nano": NANOSECONDS + number + 1,
            "status": {"code": "STATUS_CODE_OK"},
            "attributes": {f"mlflow.{key}": json.dumps(one) for key, one in attributes.items()},
        }

    asked = [
        span(2 * n + 1, "CHAT_MODEL", "model", {"messages": given, "tools": [TOOL]}, made)
        for n, (given, made) in enumerate(MODEL_CALLS)
    ]
    ran = span(2, "TOOL", "find_order", ARGUMENTS, {"state": "sent"})
    mark = {
        "assessment_name": "solved",
        "feedback": {"value": True},
        "source": {"source_type": "HUMAN"},
    }
    info = {
        "trace_id": "tr-1",
        "trace_metadata": {"mlflow.trace.session": "c1", "mlflow.trace.user": "u1"},
        "tags": {"mlflow.eval.requestId": "case-1"},
        "assessments": [mark],
    }
    return {"info": info, "data": {"spans": [span(0, "AGENT", "desk", {}, "It was sent."), *asked, ran]}}  # fmt: skip


def test_a_trace_with_its_spans(tmp_path: Path) -> None:
    """Its session and user are the conversation's, its assessments outcomes."""
    found = read(tmp_path, [trace()])
    episode = only_episode(found)
    assert [told(step) for step in episode.steps] == EXPECTED
    assert (episode.conversation_id, episode.subject, len(episode.tools)) == ("c1", "u1", 1)
    assert episode.task_key == "case-1"
    (outcome,) = assemble(found.spans, app=APP).outcomes
    assert (outcome.name, outcome.value, outcome.by) == ("solved", 1.0, "reviewer")
    # A data frame has the spans in a column beside the whole trace.
    row = {"trace_id": "tr-1", "spans": trace()["data"]["spans"], "trace": trace()}
    assert only_episode(read(tmp_path, [row])) == episode


def rows() -> list[Record]:
    """An evaluation's rows: the case, a turn, two model calls and a tool run."""

    def row(number: int, kind: str, parent: str | None, given: object, made: object) -> Record:
        return {
            "id": f"s{number}",
            "span_id": f"s{number}",
            "root_span_id": "s0",
            "span_parents": None if parent is None else [parent],
            "created": f"2026-11-01T10:00:0{number}Z",
            "span_attributes": {"name": "find_order" if kind == "tool" else kind, "type": kind},
            "input": given,
            "output": made,
            "scores": None,
            "metadata": {"user_id": "u1", "tools": [TOOL]},
            "metrics": {"start": 1_793_527_200.0 + number, "end": 1_793_527_200.5 + number},
        }

    case = {
        **row(0, "eval", None, "Where is my order A1?", "It was sent."),
        "scores": {"solved": 1},
    }
    first, last = ([given, [{"index": 0, "message": made}]] for given, made in MODEL_CALLS)
    return [
        row(5, "llm", "s1", *last),
        case,
        row(1, "task", "s0", "Where is my order A1?", "It was sent."),
        row(2, "llm", "s1", *first),
        row(3, "tool", "s1", ARGUMENTS, {"state": "sent"}),
    ]  # fmt: skip


def test_rows_that_say_their_type(tmp_path: Path) -> None:
    """In any order they are one conversation, and the scores of the case are its outcome."""
    found = read(tmp_path, rows())
    episode = only_episode(found)
    assert [told(step) for step in episode.steps] == EXPECTED
    assert (episode.subject, len(episode.tools)) == ("u1", 1)
    assert [(one.name, one.value, one.target_id) for one in found.outcomes] == [
        ("solved", 1.0, "s0:s0")
    ]


def test_a_failed_tool_run_says_so(tmp_path: Path) -> None:
    """A row with an error is a call that failed, with the error as what it returned."""
    failed = json.loads(json.dumps(rows()))
    failed[4] |= {"output": None, "error": "too slow"}
    failed[0]["input"][-1] = {**failed[0]["input"][-1], "content": "too slow"}
    steps = only_episode(read(tmp_path, failed)).steps
    assert [(s.content, s.is_error) for s in steps if s.role == "tool"] == [("too slow", True)]


def test_each_evaluator_states_what_it_found(tmp_path: Path) -> None:
    """A map of evaluators, each with its value, is so many outcomes of the span."""
    told_there = rows()
    told_there[1] |= {"scores": None, "evaluation": {"task_resolved": {"value": "resolved"}}}
    found = read(tmp_path, told_there)
    assert [(one.name, one.label) for one in found.outcomes] == [("task_resolved", "resolved")]


def functions() -> list[Record]:
    """Runs of functions that a decorator logs: an agent, its model's calls, a tool, and what only helps."""

    def run(number: int, name: str, parent: str | None, given: Record, made: object) -> Record:
        return {
            "id": f"s{number}",
            "op_name": f"log:///team/app/op/{name}:x0kPq0Zt",
            "trace_id": "t1",
            "parent_id": parent,
            "started_at": f"2026-11-01T10:00:0{number}Z",
            "attributes": {"task_id": "where"},
            "inputs": given,
            "output": made,
            "summary": {"log": {"feedback": []}},
        }

    first, last = (
        ({"model": "m-1", "messages": given, "tools": [TOOL]}, {"choices": [{"message": made}]})
        for given, made in MODEL_CALLS
    )
    passed = {"feedback_type": "log.scorer.state_check", "payload": {"output": {"passed": True}}}
    thumb = {"feedback_type": "log.reaction.1", "payload": {"emoji": "👍"}}
    agent = run(0, "Desk.run", None, {"question": "Where is my order A1?"}, "It was sent.")
    return [
        agent | {"summary": {"log": {"feedback": [passed, thumb]}}},
        run(1, "client.create", "s0", *first),
        run(2, "find_order", "s0", ARGUMENTS, {"state": "sent"}),
        run(3, "shorten", "s0", {"text": "It was sent, I think."}, "It was sent."),
        run(4, "client.create", "s0", *last),
    ]


def test_runs_of_functions_say_what_they_are_by_what_went_in(tmp_path: Path) -> None:
    """What a model was sent is its call; of other functions those are tools that a model asked for."""
    found = read(tmp_path, functions())
    episode = only_episode(found)
    assert [told(step) for step in episode.steps] == EXPECTED
    assert (episode.task_key, len(episode.tools)) == ("where", 1)
    assert {(one.name, one.value, one.label) for one in found.outcomes} == {("state_check.passed", 1.0, None), ("reaction", None, "👍")}  # fmt: skip


def test_a_tool_whose_result_no_model_saw_is_there(tmp_path: Path) -> None:
    """A run that was broken off behind a tool's run ends with its result."""
    episode = only_episode(read(tmp_path, functions()[:3]))
    assert [told(step) for step in episode.steps] == EXPECTED[:4]


def test_runs_of_functions_in_a_document_that_judges_them(tmp_path: Path) -> None:
    """Where each call names its task and the document says how that went, it is read with its verdict."""
    calls = [
        {**one, "parent_id": None, "attributes": {}, "user_task_id": "case-7"}
        for one in functions()
    ]
    document = {"eval_results": {"case-7": {"score": 1}}, "calls": [calls[1], calls[4]]}
    found = read(tmp_path, [document])
    assert [told(step) for step in only_episode(found).steps] == EXPECTED
    (chat,) = found.chats
    assert [(one.name, one.value) for one in chat.outcomes] == [("score", 1.0)]
    assert chat.episode.task_key == "case-7"


def table(path: Path, rows: list[Record]) -> Path:
    """A table whose cells hold JSON where a value is more than a word."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        for row in rows:
            cells = {k: json.dumps(v) if isinstance(v, dict | list) else v for k, v in row.items()}
            writer.writerow(cells)
    return path


def test_a_table_of_spans(tmp_path: Path) -> None:
    """A page's export as CSV: each row is a model call, and the history joins the traces of a conversation."""
    exported = [
        {
            "id": f"g{number}",
            "traceId": f"t{number}",
            "type": "GENERATION",
            "startTime": f"2026-11-01T10:00:0{number}Z",
            "parentObservationId": f"t{number}",
            "model": "m-1",
            "input": {"messages": given, "tools": [TOOL]},
            "output": made,
        }
        for number, (given, made) in enumerate(MODEL_CALLS)
    ]
    episode = only_episode(decoded_below(table(tmp_path / "generations.csv", exported), app=APP))
    assert [told(step) for step in episode.steps] == EXPECTED
    assert len(episode.tools) == 1


def test_a_table_of_events_is_still_refused(tmp_path: Path) -> None:
    """Rows that mean nothing without each other, of which only some are messages, are no conversations of their own."""
    events = [
        {"sender": "c1", "type": "action", "data": {"event": "action", "name": "listen"}},
        {"sender": "c1", "type": "user", "data": {"event": "user", "text": "Where is A1?"}},
    ]
    found = decoded_below(table(tmp_path / "events.csv", events), app=APP)
    assert [one.code for one in found.rejected] == ["unknown_format"]
    assert not found.chats


def test_an_association_property_names_the_conversation() -> None:
    """An app that ties its traces by a chat's id finds its conversations under it."""
    spans = openllmetry_old().spans
    named = {"traceloop.association.properties.chat_id": "chat-7"}
    left_out = ("session", "thread", "conversation")
    tied = [
        replace(
            span,
            attributes={
                **{k: v for k, v in span.attributes.items() if not any(w in k for w in left_out)},
                **named,
            },
        )
        for span in spans
    ]
    (episode,) = assemble(tied, app=APP).episodes
    assert episode.conversation_id == "chat-7"
