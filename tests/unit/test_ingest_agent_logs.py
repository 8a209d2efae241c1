"""Coding agents that send log events and no spans: a session's prompts and calls become one episode."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ingest.assembly.assemble import Assembled, assemble
from ingest.assembly.ties import Ties
from ingest.records.span import LogEvent
from tests.unit.ingest_emitters import APP, SECOND, START, span

_SESSION = {
    "claude": ("session.id", "", "tool_input", "tool_use_id"),
    "codex": ("conversation.id", "codex.", "arguments", "call_id"),
    "gemini": ("session.id", "gemini_cli.", "function_args", "call_id"),
}


def _event(number: int, name: str, *, trace: str | None = None, **said: Any) -> LogEvent:  # noqa: ANN401 - attributes
    return LogEvent(
        app=APP,
        event_id=f"log-{number}",
        trace_id=trace,
        name="event src/otel.rs:219",
        at=START + number * SECOND,
        attributes={"event.name": name, "model": "m-1", **said},
    )


def _session(client: str, *, trace: str | None = None) -> list[LogEvent]:
    key, before, arguments, call_id = _SESSION[client]
    tool = "function_name" if client == "gemini" else "tool_name"
    ran = "tool_call" if client == "gemini" else "tool_result"
    told: list[tuple[str, dict[str, Any]]] = [
        ("user_prompt", {"prompt": "mend the gate"}),
        ("api_request", {}),
        ("tool_decision", {tool: "mcp_tool", "decision": "accept", call_id: "c1"}),
        (
            ran,
            {
                tool: "Shell",
                call_id: "c1",
                arguments: '{"cmd": "ls"}',
                "success": "true",
                "output": "gate.py",
            },
        ),
        (ran, {tool: "Edit", call_id: "c2", "success": "false", "error": "no such file"}),
        ("user_prompt", {"prompt": "mend the gate"}),
        ("user_prompt", {"prompt": "<REDACTED>"}),
        ("tool_decision", {tool: "Edit", "decision": "reject"}),
    ]
    return [
        _event(n, before + name, trace=trace, **{key: "s-1", **said})
        for n, (name, said) in enumerate(told)
    ]


def _roles(found: Assembled) -> list[tuple[str, str | None, list[tuple[str, str]]]]:
    (episode,) = found.episodes
    return [
        (step.role, step.content, [(call.name, call.arguments) for call in step.tool_calls])
        for step in episode.steps
    ]


@pytest.mark.parametrize("client", sorted(_SESSION))
def test_a_session_in_log_events_is_one_episode(client: str) -> None:
    """Prompts, calls and results in order; the same prompt twice is said twice; a call that never ran is known from its decision."""
    found = assemble([], _session(client)[::-1], app=APP)
    assert _roles(found) == [
        ("user", "mend the gate", []),
        ("assistant", None, [("Shell", '{"cmd": "ls"}')]),
        ("tool", "gate.py", []),
        ("assistant", None, [("Edit", "")]),
        ("tool", "no such file", []),
        ("user", "mend the gate", []),
        ("assistant", None, [("Edit", "")]),
    ]
    (episode,) = found.episodes
    assert (episode.conversation_id, episode.source, episode.model) == ("s-1", "agent_logs", "m-1")
    assert {"no_content", "missing_results"} <= set(episode.completeness)
    assert [step.is_error for step in episode.steps if step.role == "tool"] == [False, True]


def test_a_session_that_spans_tell_is_not_told_again() -> None:
    """With traces the same events come beside the spans."""
    call = span(
        1,
        {
            "gen_ai.operation.name": "chat",
            "session.id": "s-1",
            "gen_ai.input.messages": '[{"role": "user", "content": "mend the gate"}]',
            "gen_ai.output.messages": '[{"role": "assistant", "content": "Done."}]',
        },
    )
    found = assemble([call], _session("claude", trace="a" * 32), app=APP)
    assert _roles(found) == [("user", "mend the gate", []), ("assistant", "Done.", [])]


def test_events_without_a_session_make_nothing() -> None:
    """An app's own `user_prompt` that names no session is nobody's conversation."""
    events = [
        _event(1, "user_prompt", prompt="hi"),
        _event(2, "api_request", **{"session.id": "s"}),
    ]
    assert assemble([], events, app=APP).episodes == []


def test_events_of_one_session_are_one_group() -> None:
    """A stream of groups keeps a session together."""
    ties = Ties()
    for one in _session("claude"):
        ties.add_event(one)
    assert len(set(ties.group().values())) == 1


def test_calls_stand_where_they_were_decided() -> None:
    """Calls that a model makes together end in any order; the client counts what it tells of one moment."""
    told = [
        ("tool_decision", 2, 4, "c2"),
        ("tool_decision", 2, 2, "c1"),
        ("tool_result", 3, 5, "c2"),
        ("tool_result", 4, 3, "c1"),
    ]
    events = [_event(1, "user_prompt", prompt="look", **{"session.id": "s"})]
    for name, at, count, call in told:
        said: dict[str, Any] = {"tool_name": "Find", "tool_use_id": call, "event.sequence": count}
        event = _event(count * 10, name, **{"session.id": "s"}, **said)
        events.append(replace(event, at=START + at * SECOND))
    (episode,) = assemble([], events, app=APP).episodes
    assert [c.call_id for step in episode.steps for c in step.tool_calls] == ["c1", "c2"]
