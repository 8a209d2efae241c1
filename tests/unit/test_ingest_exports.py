"""Files of other tools: LangSmith runs and feedback, the Agents SDK's export, ATIF."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ingest.assembly.assemble import assemble
from tests.unit.exported_lines import ARGUMENTS, EXPECTED, only_episode, read, told
from tests.unit.ingest_emitters import APP, MODEL_CALLS, TOOL, TURNS, _langchain


def runs() -> list[dict[str, Any]]:
    """The common dialogue as LangSmith run records: a chain, two model calls and a tool run."""
    shared = {"trace_id": "run-0", "parent_run_id": "run-0"}
    metadata = {"thread_id": "c1", "user_id": "u1", "ls_model_name": "m", "LANGSMITH_API_URL": "x"}
    root: dict[str, Any] = {
        "id": "run-0",
        "trace_id": "run-0",
        "run_type": "chain",
        "name": "desk",
        "session_id": "the-project",
        "inputs": {"question": "x"},
        "outputs": {},
        "start_time": "2026-11-01T10:00:00",
        "end_time": "2026-11-01T10:01:00",
        "extra": {"metadata": metadata},
    }
    lines = [root]
    for number, (given, made) in enumerate(MODEL_CALLS):
        lines.append(
            shared
            | {
                "id": f"llm-{number}",
                "run_type": "llm",
                "name": "model",
                "inputs": {"messages": [[_langchain(turn) for turn in given]]},
                "outputs": {"generations": [[{"text": "", "message": _langchain(made)}]]},
                "extra": {"metadata": metadata, "invocation_params": {"tools": [TOOL]}},
                "start_time": f"2026-11-01T10:00:{10 + number * 20}",
                "prompt_tokens": 10,
                "completion_tokens": 5,
            }
        )
    lines.append(
        shared
        | {
            "id": "tool-0",
            "run_type": "tool",
            "name": "find_order",
            "inputs": {"input": json.dumps(ARGUMENTS)},
            "outputs": {"output": '{"state": "sent"}'},
            "extra": {"tool_call_id": "call_1"},
            "start_time": "2026-11-01T10:00:20",
        }
    )
    return lines


def test_langsmith_runs_are_the_same_episode(tmp_path: Path) -> None:
    """Run records, one a line or nested in one another, become the dialogue; the project is no conversation."""
    flat = runs()
    nested = flat[0] | {"child_runs": [dict(run, parent_run_id=None) for run in flat[1:]]}
    for lines in (flat, [nested]):
        episode = only_episode(read(tmp_path, lines))
        assert [told(step) for step in episode.steps] == EXPECTED
        assert (episode.conversation_id, episode.subject, episode.model) == ("c1", "u1", "m")
        assert (episode.source, episode.completeness) == ("langsmith", ())
        assert [s.output_tokens for s in episode.steps if s.role == "assistant"] == [5, 5]


def test_langsmith_shows_arguments_in_pythons_notation(tmp_path: Path) -> None:
    """A tool's run that failed names no call: it is the one that the model asked for with the same arguments."""
    lines = runs()
    for line in lines:
        if line["run_type"] == "tool":
            given = line["inputs"]["input"]
            line |= {"inputs": {"input": repr(json.loads(given))}, "outputs": None, "error": "no"}
            line["extra"] = {}
    steps = only_episode(read(tmp_path, lines)).steps
    assert [told(step)[:2] for step in steps] == [one[:2] for one in EXPECTED]


def test_langsmith_keeps_no_environment_of_the_app(tmp_path: Path) -> None:
    """Metadata in capitals are environment variables and stay out."""
    assert not any("LANGSMITH" in key for s in read(tmp_path, runs()).spans for key in s.attributes)


@pytest.mark.parametrize(
    ("source", "key", "by"),
    [
        ({"type": "model"}, "user_score", "model"),
        ({"type": "app", "user_id": "r1"}, "correctness", "reviewer"),
        ({"type": "api"}, "user_feedback", "end_user"),
        ({"type": "api"}, "helpfulness", "unknown"),
    ],
)
def test_langsmith_feedback_keeps_who_judged(
    tmp_path: Path, source: dict[str, str], key: str, by: str
) -> None:
    """A model's score is never a user's outcome; the target is the run."""
    line = {
        "id": "f1",
        "run_id": "llm-0",
        "trace_id": "run-0",
        "key": key,
        "score": 1,
        "comment": "fine",
        "correction": {"answer": "x"},
        "feedback_source": source,
        "created_at": "2026-11-02T00:00:00",
    }
    (outcome,) = read(tmp_path, [line]).outcomes
    assert (outcome.name, outcome.value, outcome.by) == (key, 1.0, by)
    assert (outcome.target_kind, outcome.target_id) == ("span", "run-0:llm-0")
    assert outcome.correction is not None
    assert json.loads(outcome.correction) == {"answer": "x"}


def test_the_agents_sdk_export_is_the_same_episode(tmp_path: Path) -> None:
    """Generations and function runs become the dialogue; `group_id` names the conversation."""
    trace = {"object": "trace", "id": "trace_1", "workflow_name": "desk", "group_id": "c1"}
    shared = {"object": "trace.span", "trace_id": "trace_1"}
    lines: list[dict[str, Any]] = [
        shared
        | {
            "id": "span_a",
            "parent_id": None,
            "started_at": "2026-11-01T10:00:01Z",
            "span_data": {"type": "agent", "name": "desk", "tools": ["find_order"]},
        },
        shared
        | {
            "id": "span_t",
            "parent_id": "span_a",
            "started_at": "2026-11-01T10:00:20Z",
            "span_data": {
                "type": "function",
                "name": "find_order",
                "input": json.dumps(ARGUMENTS),
                "output": '{"state": "sent"}',
            },
        },
    ]
    for number, (given, made) in enumerate(MODEL_CALLS):
        data: dict[str, Any] = {
            "type": "generation",
            "input": given,
            "output": [made],
            "model": "m",
        }
        data["usage"] = {"input_tokens": 10, "output_tokens": 5}
        at = f"2026-11-01T10:00:{10 + number * 20}Z"
        lines.append(
            shared
            | {"id": f"span_{number}", "parent_id": "span_a", "started_at": at, "span_data": data}
        )
    episode = only_episode(read(tmp_path, [trace, *lines]))
    assert [told(step) for step in episode.steps] == EXPECTED
    assert (episode.conversation_id, episode.agent, episode.model) == ("c1", "desk", "m")
    assert [s.output_tokens for s in episode.steps if s.role == "assistant"] == [5, 5]


def test_responses_without_content_are_not_made_up(tmp_path: Path) -> None:
    """The Responses API's spans carry an id and tokens only; the episode says so."""
    line = {
        "object": "trace.span",
        "id": "span_1",
        "trace_id": "trace_1",
        "started_at": "2026-11-01T10:00:01Z",
        "span_data": {"type": "response", "response_id": "resp_1", "usage": {"output_tokens": 5}},
    }
    found = read(tmp_path, [line])
    (episode,) = assemble(found.spans, app=APP).episodes
    assert "no_content" in episode.completeness
    assert [step.content for step in episode.steps if step.content] == []


def test_a_span_whose_type_is_no_word_costs_nothing_else(tmp_path: Path) -> None:
    """It is read as a span of no known kind."""
    line = {
        "object": "trace.span",
        "id": "span_1",
        "trace_id": "trace_1",
        "started_at": "2026-11-01T10:00:01Z",
        "span_data": {"type": ["agent"], "name": "desk"},
    }
    assert [span.span_id for span in read(tmp_path, [line]).spans] == ["span_1"]


@pytest.mark.parametrize("named", [True, False])
def test_an_atif_trajectory_is_the_same_episode(tmp_path: Path, *, named: bool) -> None:
    """Steps with calls and observations become messages, also where as many do not name each other; reasoning that has no room is named."""
    whose = {"source_call_id": "call_1"} if named else {}
    trajectory = {
        "schema_version": "ATIF-v1.7",
        "trajectory_id": "c1",
        "agent": {"name": "desk", "version": "1", "model_name": "m", "tool_definitions": [TOOL]},
        "steps": [
            {"step_id": 1, "source": "system", "message": "Be kind."},
            {"step_id": 2, "source": "user", "message": TURNS[1]["content"]},
            {
                "step_id": 3,
                "source": "agent",
                "message": None,
                "timestamp": "2026-11-01T10:00:00Z",
                "reasoning_content": "hm",
                "tool_calls": [
                    {
                        "tool_call_id": "call_1",
                        "function_name": "find_order",
                        "arguments": ARGUMENTS,
                    }
                ],
                "observation": {"results": [{**whose, "content": '{"state": "sent"}'}]},
                "metrics": {"prompt_tokens": 10, "completion_tokens": 5},
            },
            {
                "step_id": 4,
                "source": "agent",
                "message": "It was sent.",
                "tool_calls": [
                    {"tool_call_id": "call_end", "function_name": "finish", "arguments": {}}
                ],
            },
        ],
    }
    episode = only_episode(read(tmp_path, [trajectory]))
    ends = episode.steps[-1].tool_calls
    assert [(one.call_id, one.name) for one in ends] == [("call_end", "finish")]
    steps = (*episode.steps[:-1], replace(episode.steps[-1], tool_calls=()))
    assert [told(step) for step in steps] == EXPECTED
    assert (episode.conversation_id, episode.agent) == ("c1", "desk")
    assert len(episode.tools) == 1
    assert (episode.steps[2].input_tokens, episode.steps[2].output_tokens) == (10, 5)
    assert "reasoning_left_out" in episode.completeness
