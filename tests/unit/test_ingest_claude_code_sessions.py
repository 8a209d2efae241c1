"""Sessions of Claude Code: lines that name each other become one episode, logs its outcomes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.files.telemetry_files import read_file
from ingest.otlp.decode import decode
from ingest.receiver.wal import StoredRecord, WalRecord
from tests.unit.exported_lines import ARGUMENTS, only_episode, read
from tests.unit.ingest_emitters import APP


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


@pytest.mark.parametrize("named", [{"logicalParentUuid": "3"}, {}])
def test_what_the_program_notes_and_sums_up_is_nothing_that_was_said(
    tmp_path: Path, named: dict[str, Any]
) -> None:
    """A note behind the last answer ends nothing; what stands before a compaction, which may not name it, takes the place of its summary; a failed request is no answer."""
    note: dict[str, Any] = {"type": "system", "sessionId": "c1", "subtype": "turn_duration"}
    cut: dict[str, Any] = {**note, "subtype": "compact_boundary", **named}
    said = {"role": "user", "content": [{"type": "text", "text": "[Request interrupted by user]"}]}
    failed = block("m9", {"type": "text", "text": "API Error: 529"})
    lines = [
        entry("1", None, "user", {"role": "user", "content": "Where is it?"}),
        entry("2", "1", "user", said),
        entry("9", "2", "assistant", failed, isApiErrorMessage=True),
        entry("3", "9", "user", {"role": "user", "content": "A1, I mean."}),
        cut | {"uuid": "4", "parentUuid": None},
        entry("5", "4", "user", {"role": "user", "content": "They asked."}, isCompactSummary=True),
        entry("6", "5", "assistant", block("m1", {"type": "text", "text": "It was sent."})),
        note | {"uuid": "7", "parentUuid": "6"},
    ]
    episode = only_episode(read(tmp_path, lines))
    assert [s.content for s in episode.steps] == ["Where is it?", "A1, I mean.", "It was sent."]
    assert "compacted" in episode.completeness


def test_lines_that_name_no_parent_follow_each_other(tmp_path: Path) -> None:
    """Sessions that were written down without `parentUuid`, or without any id, or as the program prints them while it runs."""
    spoken = [
        ("user", {"role": "user", "content": "Where is it?"}),
        ("assistant", block("m1", {"type": "text", "text": "I look."})),
        ("assistant", block("m1", use("k1"))),
        ("user", result("k1", "sent")),
        ("assistant", block("m2", {"type": "text", "text": "It was sent."})),
    ]
    with_ids: list[dict[str, Any]] = [
        {"type": kind, "sessionId": "c1", "uuid": f"u{n}", "message": message}
        for n, (kind, message) in enumerate(spoken)
    ]
    without = [{k: v for k, v in one.items() if k != "uuid"} for one in with_ids]
    printed: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "session_id": "c1", "tools": ["find_order"]},
        *({"type": kind, "session_id": "c1", "message": message} for kind, message in spoken),
        {"type": "result", "subtype": "success", "session_id": "c1", "result": "It was sent."},
    ]
    for lines in (with_ids, without, printed):
        episode = only_episode(read(tmp_path, lines))
        assert episode.conversation_id == "c1"
        assert [(s.role, s.content) for s in episode.steps] == [
            ("user", "Where is it?"), ("assistant", "I look."), ("tool", "sent"),
            ("assistant", "It was sent."),
        ]  # fmt: skip
        assert episode.steps[1].tool_calls[0].name == "find_order"
        assert "missing_results" not in episode.completeness


def test_a_session_whose_model_numbers_its_calls_anew(tmp_path: Path) -> None:
    """Other models behind the program give every answer's call the same id: each is kept with its own result."""
    lines = [entry("1", None, "user", {"role": "user", "content": "Both?"})]
    for number in (1, 2):
        asked = block(f"m{number}", use("call_0") | {"input": {"order": f"A{number}"}})
        told = result("call_0", f"state {number}")
        for kind, message in (("assistant", asked), ("user", told)):
            for again in ("", "+"):  # lines are told twice where a session was resumed
                uuid = f"{kind}{number}{again}"
                lines.append(entry(uuid, lines[-1]["uuid"], kind, message))
    episode = only_episode(read(tmp_path, lines))
    calls = [c.arguments for s in episode.steps for c in s.tool_calls]
    assert [json.loads(one)["order"] for one in calls] == ["A1", "A2"]
    assert [s.content for s in episode.steps if s.role == "tool"] == ["state 1", "state 2"]


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
