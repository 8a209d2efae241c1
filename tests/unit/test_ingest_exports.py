"""Files of other tools: LangSmith runs and feedback, the Agents SDK's export, Claude Code sessions, ATIF."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.assemble import assemble
from ingest.decode import Decoded, decode
from ingest.episode import Episode, Step
from ingest.files import read_file
from ingest.span import LogEvent
from ingest.text import canonical_arguments
from ingest.wal import StoredRecord, WalRecord
from tests.unit.ingest_emitters import APP, CALL, MODEL_CALLS, TOOL, TURNS, _langchain

ARGUMENTS = json.loads(CALL["function"]["arguments"])  # type: ignore[index]  # a dict by construction


def read(folder: Path, lines: list[dict[str, Any]]) -> Decoded:
    """Everything in a file of JSON lines."""
    path = folder / "export.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    whole = Decoded()
    for seq, record in enumerate(read_file(path, app=APP), start=1):
        assert isinstance(record, WalRecord)
        found = decode(
            StoredRecord(
                seq=seq,
                kind=record.kind,
                app=record.app,
                source=record.source,
                body=record.body,
                received_at=record.received_at,
                encoding=record.encoding,
                position=record.position,
            )
        )
        for name in ("spans", "chats", "outcomes", "rejected"):
            getattr(whole, name).extend(getattr(found, name))
    return whole


def told(step: Step) -> tuple[object, ...]:
    """What a step says, without its time and tokens."""
    calls = tuple((c.name, canonical_arguments(c.arguments)) for c in step.tool_calls)
    return step.role, step.content, calls


EXPECTED = [
    ("system", "Be kind.", ()),
    ("user", "Where is my order A1?", ()),
    ("assistant", None, (("find_order", canonical_arguments(json.dumps(ARGUMENTS))),)),
    ("tool", '{"state": "sent"}', ()),
    ("assistant", "It was sent.", ()),
]


def only_episode(found: Decoded) -> Episode:
    """The one episode that the file holds."""
    assert found.rejected == []
    episodes = [chat.episode for chat in found.chats]
    episodes += assemble(found.spans, app=APP).episodes
    assert len(episodes) == 1
    return episodes[0]


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


def test_an_atif_trajectory_is_the_same_episode(tmp_path: Path) -> None:
    """Steps with calls and observations become messages; reasoning that has no room is named."""
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
                "observation": {
                    "results": [{"source_call_id": "call_1", "content": '{"state": "sent"}'}]
                },
                "metrics": {"prompt_tokens": 10, "completion_tokens": 5},
            },
            {"step_id": 4, "source": "agent", "message": "It was sent."},
        ],
    }
    episode = only_episode(read(tmp_path, [trajectory]))
    assert [told(step) for step in episode.steps] == EXPECTED
    assert (episode.conversation_id, episode.agent, episode.source) == ("c1", "desk", "atif")
    assert len(episode.tools) == 1
    assert "reasoning_left_out" in episode.completeness


def entry(uuid: str, parent: str | None, kind: str, message: Any, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - a session line's JSON
    """One line of a session file."""
    return {
        "uuid": uuid,
        "parentUuid": parent,
        "type": kind,
        "sessionId": "c1",
        "timestamp": f"2026-11-01T10:00:{len(uuid):02}Z",
        "message": message,
        **more,
    }


def block(message_id: str, content: dict[str, Any]) -> dict[str, Any]:
    """One content block of an answer, as a line of its own has it."""
    usage = {"input_tokens": 10, "output_tokens": 5}
    return {
        "role": "assistant",
        "id": message_id,
        "model": "m",
        "content": [content],
        "usage": usage,
    }


def result(call: str, text: str, **more: bool) -> dict[str, Any]:
    """A tool result under role user."""
    content = {"type": "tool_result", "tool_use_id": call, "content": text, **more}
    return {"role": "user", "content": [content]}


def use(call: str) -> dict[str, Any]:
    """A tool call of an answer."""
    return {"type": "tool_use", "id": call, "name": "find_order", "input": ARGUMENTS}


def session() -> list[dict[str, Any]]:
    """Two parallel calls: the second result hangs beside the chain, and so does an abandoned branch."""
    return [
        {"type": "summary", "summary": "x", "leafUuid": "6"},
        entry("1", None, "user", {"role": "user", "content": "Where is it?"}),
        entry("0", "1", "user", {"role": "user", "content": "never mind"}),
        entry("2", "1", "assistant", block("m1", {"type": "text", "text": "I look."})),
        entry("3", "2", "assistant", block("m1", use("t1"))),
        entry("4", "3", "assistant", block("m1", use("t2"))),
        entry("5", "3", "user", result("t1", "sent")),
        entry("6", "4", "user", result("t2", "no such order", is_error=True)),
        entry("7", "6", "assistant", block("m2", {"type": "thinking", "thinking": "hm"})),
        entry("8", "7", "assistant", block("m2", {"type": "text", "text": "It was sent."})),
    ]


def test_a_claude_code_session_is_put_together(tmp_path: Path) -> None:
    """Blocks of one answer are one step, parallel results are re-attached, an abandoned branch is left out."""
    episode = only_episode(read(tmp_path, session()))
    assert [(s.role, s.content, len(s.tool_calls)) for s in episode.steps] == [
        ("user", "Where is it?", 0),
        ("assistant", "I look.", 2),
        ("tool", "sent", 0),
        ("tool", "no such order", 0),
        ("assistant", "It was sent.", 0),
    ]
    assert [s.is_error for s in episode.steps if s.role == "tool"] == [None, True]
    assert [s.output_tokens for s in episode.steps if s.role == "assistant"] == [5, 5]
    assert (episode.conversation_id, episode.source, episode.model) == ("c1", "claude_code", "m")
    assert "reasoning_left_out" in episode.completeness


def test_a_session_of_many_megabytes_is_one_episode(tmp_path: Path) -> None:
    """A session's lines are never cut apart, however long the file is; a broken line is refused alone."""
    lines = session()
    lines[1]["message"]["content"] = "x" * 3_000_000
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + '\n{"broken": ')
    (record,) = read_file(path, app=APP)
    assert isinstance(record, WalRecord)
    found = decode(
        StoredRecord(
            seq=1,
            kind=record.kind,
            app=APP,
            source="s",
            body=record.body,
            received_at=1,
            encoding=record.encoding,
            position=1,
        )
    )
    assert [len(chat.episode.steps) for chat in found.chats] == [5]
    assert [(r.code, r.position) for r in found.rejected] == [("bad_line", "line 11")]


def test_a_session_whose_lines_name_each_other_ends(tmp_path: Path) -> None:
    """A cycle of parents is walked once."""
    lines = [
        entry("1", "2", "user", {"role": "user", "content": "a"}),
        entry("2", "1", "user", {"role": "user", "content": "b"}),
    ]
    episode = only_episode(read(tmp_path, lines))
    assert [step.content for step in episode.steps] == ["a", "b"]


def test_a_sub_agents_file_is_an_episode_of_its_own(tmp_path: Path) -> None:
    """Side chains do not take the place of the session that started them."""
    lines = [
        entry(
            "1", None, "user", {"role": "user", "content": "find"}, isSidechain=True, agentId="a7"
        ),
        entry(
            "2",
            "1",
            "assistant",
            block("m9", {"type": "text", "text": "ok"}),
            isSidechain=True,
            agentId="a7",
        ),
    ]
    episode = only_episode(read(tmp_path, lines))
    assert (episode.conversation_id, episode.agent) == ("c1/a7", "a7")


def test_a_tool_decision_in_a_log_is_an_outcome_of_its_session() -> None:
    """A user's refusal is the user's, a rule's is code's; each decision is a row of its own."""
    events = [
        LogEvent(
            app=APP,
            event_id=f"e{number}",
            name="claude_code.tool_decision",
            at=number,
            attributes={
                "session.id": "c1",
                "tool_name": "Edit",
                "decision": decision,
                "source": source,
            },
        )
        for number, (decision, source) in enumerate(
            [("reject", "user_reject"), ("accept", "config"), ("reject", "user_reject")]
        )
    ]
    outcomes = assemble([], events, app=APP).outcomes
    assert [(o.name, o.label, o.by) for o in outcomes] == [
        ("tool_decision", "reject", "end_user"),
        ("tool_decision", "accept", "code"),
        ("tool_decision", "reject", "end_user"),
    ]
    assert {(o.target_kind, o.target_id) for o in outcomes} == {("conversation", "c1")}
