"""Logs in a company's own layout: each fault once, in a small invented conversation."""

from __future__ import annotations

import json
from pathlib import Path

from tests.unit.test_ingest_harnesses import (
    ANSWER,
    ASKED,
    FIND,
    WHOLE,
    Record,
    decoded,
    only,
    told,
)


def events(session: str) -> list[Record]:
    """What happens in one session, under short names."""
    happened: list[Record] = [
        {"ev": "session_opened", "bot": "dock/1.2"},
        {"ev": "user_said", "text": ASKED},
        {"ev": "tool_started", "call": "c1", "tool": "find_boat", "input": {"boat": 7}},
        {"ev": "tool_finished", "call": "c1", "ok": True, "output": {"free": True}},
        {"ev": "bot_said", "text": ANSWER, "final": True},
        {"ev": "session_closed", "reason": "goal_reached", "turns": 1},
    ]
    return [
        {"ts": f"2026-03-02T08:00:0{n}Z", "sid": session, **one} for n, one in enumerate(happened)
    ]


def test_events_under_short_names_are_sessions(tmp_path: Path) -> None:
    """The sessions are told apart where their events alternate, and why each ended is its outcome."""
    mixed = [one for both in zip(events("s1"), events("s2"), strict=True) for one in both]
    found = decoded(tmp_path, mixed, "events.jsonl")
    assert found.rejected == []
    assert [chat.episode.conversation_id for chat in found.chats] == ["s1", "s2"]
    assert all(told(chat.episode.steps) == WHOLE for chat in found.chats)
    assert [[(o.name, o.label) for o in chat.outcomes] for chat in found.chats] == [
        [("outcome", "goal_reached")]
    ] * 2


def test_results_of_parallel_calls_name_their_call(tmp_path: Path) -> None:
    """The second call's result comes first: `call` is the call's id where it is a word."""
    first, *rest = events("s1")
    started = {**rest[1], "call": "c2", "input": {"boat": 8}}
    late = {**rest[2], "call": "c2", "output": {"free": False}}
    chat = only(tmp_path, [first, *rest[:2], started, late, *rest[2:]], "events.jsonl")
    calls = {c.call_id: json.loads(c.arguments) for s in chat.episode.steps for c in s.tool_calls}
    results = [(calls[s.call_id or ""], s.content) for s in chat.episode.steps if s.role == "tool"]
    assert results == [({"boat": 8}, '{"free": false}'), ({"boat": 7}, '{"free": true}')]


def test_arguments_that_a_table_keeps_as_json_text(tmp_path: Path) -> None:
    """Their name says so."""
    kept = {"id": "c1", "name": "find_boat", "args_json": '{"boat": 7}'}
    chat = only(
        tmp_path,
        {
            "turns": [
                {"role": "user", "content": ASKED},
                {"role": "assistant", "content": None, "tool_calls": [kept]},
                {"role": "tool", "content": '{"free": true}', "tool_call_id": "c1"},
                {"role": "assistant", "content": ANSWER},
            ]
        },
    )
    assert told(chat.episode.steps) == WHOLE


def test_the_step_without_an_action_is_the_answer(tmp_path: Path) -> None:
    """A run of steps ends with what the agent says."""
    action = {"tool": "find_boat", "args": {"boat": 7}}
    steps: list[Record] = [
        {"step": 0, "thought": "", "action": action, "observation": "free"},
        {"step": 1, "thought": None, "action": None, "final": ANSWER},
    ]
    chat = only(tmp_path, {"task": "find-boat", "run": 0, "prompt": ASKED, "steps": steps})
    assert chat.episode.task_key == "find-boat"
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", None, FIND),
        ("tool", "free", []),
        ("assistant", ANSWER, []),
    ]
