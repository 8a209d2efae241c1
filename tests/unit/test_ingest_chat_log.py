"""Chat-log lines in and out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ingest.files.chat_log import Chat, to_line
from ingest.records.episode import episode_id_of
from ingest.records.quarantine import Rejected
from ingest.records.text import Json
from tests.chat_line import parse_line

USER = {"role": "user", "content": "hi"}


def parse(line: Json, app: str | None = None) -> Chat | Rejected:
    """Parse one line."""
    text = line if isinstance(line, str | bytes) else json.dumps(line)
    return parse_line(text, source="file.jsonl", position="line 7", app=app)


def good(line: Json, app: str | None = None) -> Chat:
    """Parse a line that must be read."""
    found = parse(line, app)
    assert isinstance(found, Chat)
    return found


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", "not_json"),
        (b"\xff\xfe\x00", "not_json"),
        ("[1, 2]", "not_an_episode"),
        ("{}", "not_an_episode"),
        ('"text"', "not_an_episode"),
        ({"messages": []}, "no_messages"),
        ({"messages": [{"role": "robot", "content": "x"}]}, "unknown_role"),
        ({"messages": [{"content": "x"}]}, "bad_field"),
        ({"messages": "text"}, "bad_field"),
        ({"messages": [USER], "tools": "x"}, "bad_field"),
    ],
)
def test_what_cannot_be_used_is_refused_with_a_code(line: Json, code: str) -> None:
    """Every kind of bad line has its own code, a sentence, its place and its bytes."""
    found = parse(line)
    assert isinstance(found, Rejected)
    assert (found.code, found.source, found.position) == (code, "file.jsonl", "line 7")
    assert found.reason.endswith(".")
    assert found.body


def test_a_reason_never_holds_the_users_text() -> None:
    """Neither a role nor a value of the line is repeated in the reason."""
    found = parse({"messages": [{"role": "secret-role", "content": "secret-text"}]})
    assert isinstance(found, Rejected)
    assert "secret" not in found.reason


def test_only_messages_are_required() -> None:
    """A bare line is an episode whose id follows from its content, without a time."""
    one, again = good({"messages": [USER]}), good({"messages": [USER]})
    assert one == again
    assert one.episode.app == "unknown"
    assert one.episode.conversation_id is None
    assert one.episode.started_at == 0
    assert one.episode.completeness == ("no_time",)
    assert one.outcomes == ()


def test_the_lines_own_app_wins_and_is_made_safe() -> None:
    """`--app` fills in where the line names no app; a name never becomes a path."""
    assert good({"messages": [USER]}, app="given").episode.app == "given"
    assert good({"messages": [USER], "app": "own"}, app="given").episode.app == "own"
    assert good({"messages": [USER], "app": "../a/b"}).episode.app == "%2E.%2Fa%2Fb"


def test_identity_is_of_app_and_given_id() -> None:
    """The source's own id is kept beside ours."""
    episode = good({"messages": [USER], "app": "a", "episode_id": 7}).episode
    assert (episode.conversation_id, episode.episode_id) == ("7", episode_id_of("a", "7"))


def test_everything_a_line_may_carry_is_read() -> None:
    """Times, errors, usage, agents, consent, task and user arrive in their fields."""
    line = {
        "episode_id": "e",
        "app": "a",
        "agent": "g",
        "model": "m",
        "task_key": "t",
        "started_at": "2026-09-01T08:00:00Z",
        "user_id": "u",
        "do_not_train": True,
        "tools": [{"type": "function", "function": {"name": "f"}}],
        "messages": [
            {"role": "developer", "content": "rules"},
            {
                "role": "user",
                "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
            },
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": {"x": 1}}}],
                "tg": {
                    "usage": {"prompt_tokens": 3, "completion_tokens": 4},
                    "agent": "sub",
                    "parent": "0",
                },
            },
            {
                "role": "tool",
                "tool_call_id": "1",
                "content": "r",
                "tg": {"time": "2026-09-01T08:00:01.5Z", "is_error": True, "completeness": "odd"},
            },
        ],
    }
    episode = good(line).episode
    system, user, call, result = episode.steps
    assert (system.role, user.content) == ("system", "a\nb")
    assert call.tool_calls[0].arguments == '{"x": 1}'
    assert (call.input_tokens, call.output_tokens, call.agent, call.parent) == (3, 4, "sub", "0")
    assert (result.tool_name, result.is_error, result.call_id) == ("f", True, "1")
    assert result.at == episode.started_at + 1_500_000_000
    assert (episode.task_key, episode.subject, episode.do_not_train) == ("t", "u", True)
    assert episode.completeness == ("odd",)


def test_pictures_are_named_not_dropped_silently() -> None:
    """Content that is no text leaves its name in `completeness`."""
    content = [{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "x"}}]
    episode = good({"messages": [{"role": "user", "content": content}]}).episode
    assert episode.steps[0].content == "see"
    assert "non_text_content" in episode.completeness


def calls(*ids: str) -> dict[str, Any]:
    """An assistant's message with calls of these ids."""
    asked = [{"id": i, "function": {"name": f"f{i}", "arguments": "{}"}} for i in ids]
    return {"role": "assistant", "content": None, "tool_calls": asked}


def test_calls_without_results_and_results_without_calls_are_kept() -> None:
    """Both stay in the episode, both are named, and neither is bound to the other."""
    messages = [
        calls("1"),
        {"role": "tool", "tool_call_id": "1", "content": "r"},
        calls("2"),
        {"role": "tool", "tool_call_id": None, "name": None, "content": "# stray"},
    ]
    episode = good({"messages": messages}).episode
    assert [s.call_id for s in episode.steps if s.role == "tool"] == ["1", None]
    assert episode.completeness == ("missing_results", "no_time", "orphan_results")


def test_results_without_any_ids_are_bound_by_name_then_order() -> None:
    """A log that has no result ids at all is joined within the turn."""
    messages = [
        calls("1", "2"),
        {"role": "tool", "name": "f2", "content": "two"},
        {"role": "tool", "content": "one"},
    ]
    steps = good({"messages": messages}).episode.steps
    assert [(s.call_id, s.content) for s in steps[1:]] == [("2", "two"), ("1", "one")]


def test_results_whose_ids_no_call_has_are_bound_where_the_calls_alone_came_without() -> None:
    """By name, else in order where there are as many; not where a result of another turn knows a call."""

    def results(*ids: str) -> list[str | None]:
        told = [{"role": "tool", "tool_call_id": one, "content": one} for one in ids]
        steps = good({"messages": [calls("1", "2"), *told]}).episode.steps
        return [step.call_id for step in steps if step.role == "tool"]

    assert results("a", "b") == ["1", "2"]
    assert results("a") == [None]
    assert results("a", "2") == [None, "2"]
    named = {"role": "tool", "tool_call_id": "b", "name": "f2", "content": "two"}
    assert good({"messages": [calls("1", "2"), named]}).episode.steps[1].call_id == "2"


def test_the_old_function_call_form_is_read() -> None:
    """`function_call` and role `function` are OpenAI's older names."""
    messages = [
        {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "r"},
    ]
    steps = good({"messages": messages}).episode.steps
    assert steps[1].call_id == steps[0].tool_calls[0].call_id


def test_outcomes_are_read_with_who_said_so() -> None:
    """One outcome or several; the end user is meant unless the line says otherwise."""
    line = {
        "episode_id": "e",
        "messages": [USER],
        "outcome": {"name": "resolved", "value": True},
        "outcomes": [
            {"name": "quality", "value": 0.25, "by": "llm"},
            {"name": "kind", "value": "billing", "by": "Human", "at": "2026-09-02T00:00:00Z"},
            {"name": "late", "value": 1, "target": {"kind": "response", "id": "r1"}},
        ],
    }
    chat = good(line)
    assert [(o.name, o.value, o.label, o.by) for o in chat.outcomes] == [
        ("resolved", 1.0, None, "end_user"),
        ("quality", 0.25, None, "model"),
        ("kind", None, "billing", "reviewer"),
        ("late", 1.0, None, "end_user"),
    ]
    assert {o.episode_id for o in chat.outcomes} == {chat.episode.episode_id}
    assert len({o.outcome_id for o in chat.outcomes}) == 4
    assert chat.outcomes[3].target_id == "r1"


def test_a_line_survives_the_round_trip() -> None:
    """Reading what was written gives the same episode and the same outcomes."""
    line = {
        "episode_id": "e",
        "app": "a",
        "started_at": "2026-09-01T08:00:00.000000001Z",
        "do_not_train": True,
        "messages": [USER, calls("1"), {"role": "tool", "tool_call_id": "1", "content": ""}],
        "outcome": {"name": "x", "value": "label", "by": "code"},
    }
    chat = good(line)
    again = good(to_line(chat.episode, chat.outcomes))
    assert again == chat
    assert json.loads(to_line(chat.episode, chat.outcomes))["episode_id"] == "e"


def test_lone_surrogates_do_not_break_a_line() -> None:
    """JSON may hold half a surrogate pair; the text is kept in a form that can be written."""
    episode = good('{"messages": [{"role": "user", "content": "a\\ud800b"}]}').episode
    assert episode.steps[0].content == "a?b"
    to_line(episode).encode()
