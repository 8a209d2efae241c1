"""Records of one turn each: the turns of a conversation become one episode, with what the agent did in between."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ingest.formats.format import Decoded
from tests.unit.exported_lines import ARGUMENTS, decoded_below, only_episode, told
from tests.unit.ingest_emitters import APP

Record = dict[str, Any]
ASKED, SENT, AGAIN, LATE = "Where is A1?", "It was sent.", "And when?", "On Monday."


def turn(number: int, asked: str, answer: str, **beside: object) -> Record:
    """A turn as chat platforms list them."""
    at = 1_793_527_200 + number
    return {
        "id": f"m{number}",
        "conversation_id": "c1",
        "query": asked,
        "answer": answer,
        "created_at": at,
        **beside,
    }


def found_in(tmp_path: Path, value: object) -> Decoded:
    """What a file with one value holds."""
    path = tmp_path / "turns.json"
    path.write_text(json.dumps(value))
    return decoded_below(path, app=APP)


def test_turns_of_one_conversation_are_one_episode(tmp_path: Path) -> None:
    """In the order of their times, whichever came first in the file; a mark on the last one is the outcome."""
    page = {
        "has_more": False,
        "data": [turn(9, AGAIN, LATE, feedback={"rating": "like"}), turn(1, ASKED, SENT)],
    }
    found = found_in(tmp_path, page)
    episode = only_episode(found)
    assert [(s.role, s.content) for s in episode.steps] == [
        ("user", ASKED),
        ("assistant", SENT),
        ("user", AGAIN),
        ("assistant", LATE),
    ]
    assert episode.conversation_id == "c1"
    assert [one.label for one in found.chats[0].outcomes] == ["like"]


def test_turns_stand_one_a_line_as_well(tmp_path: Path) -> None:
    """Lines of several conversations, told apart by their ids."""
    lines = [turn(1, ASKED, SENT), turn(2, AGAIN, LATE)]
    lines += [{**line, "conversation_id": "c2"} for line in lines]
    path = tmp_path / "turns.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    chats = decoded_below(path, app=APP).chats
    assert [(c.episode.conversation_id, len(c.episode.steps)) for c in chats] == [
        ("c1", 4),
        ("c2", 4),
    ]


def test_several_answers_to_one_question_are_no_turns(tmp_path: Path) -> None:
    """Rows that ask the same of one conversation are attempts at it, and are not put one behind the other."""
    rows = [turn(1, ASKED, SENT), turn(2, ASKED, LATE)]
    assert all(len(chat.episode.steps) == 2 for chat in found_in(tmp_path, rows).chats)


def test_thoughts_that_end_in_the_answer_are_said(tmp_path: Path) -> None:
    """An agent's log lists each thought with its tools; what stands under a tool's name is that tool's, for several at once."""
    both = {"find_order": ARGUMENTS, "find_user": {"id": 7}}
    results = {"find_order": '{"state": "sent"}', "find_user": "Ada"}
    thoughts = [
        {
            "thought": "I look.",
            "tool": "find_order;find_user",
            "tool_input": json.dumps(both),
            "observation": json.dumps(results),
        },
        {"thought": SENT, "tool": "", "tool_input": "", "observation": ""},
    ]
    row = turn(1, ASKED, SENT, agent_thoughts=thoughts)
    episode = only_episode(found_in(tmp_path, {"limit": 20, "data": [row]}))
    calls = (
        ("find_order", json.dumps(ARGUMENTS, separators=(",", ":"))),
        ("find_user", '{"id":7}'),
    )
    assert [told(step) for step in episode.steps] == [
        ("user", ASKED, ()),
        ("assistant", "I look.", calls),
        ("tool", results["find_order"], ()),
        ("tool", results["find_user"], ()),
        ("assistant", SENT, ()),
    ]


def test_steps_whose_fields_are_numbered(tmp_path: Path) -> None:
    """A trajectory that is one object; its thoughts are the model's own."""
    trajectory = {
        "thought_0": "I should look.",
        "tool_name_0": "find_order",
        "tool_args_0": ARGUMENTS,
        "observation_0": {"state": "sent"},
    }
    rows = [
        {"session": "s1", "request": ASKED, "trajectory": trajectory, "reply": SENT, "solved": True},
        {"session": "s1", "request": AGAIN, "trajectory": {}, "reply": LATE, "solved": True},
    ]  # fmt: skip
    found = found_in(tmp_path, rows)
    steps = only_episode(found).steps
    assert [s.role for s in steps] == ["user", "assistant", "tool", "assistant", "user", "assistant"]  # fmt: skip
    assert (steps[1].content, steps[1].tool_calls[0].name) == (None, "find_order")
    assert "reasoning_left_out" in found.chats[0].episode.completeness
    assert [(one.name, one.value) for one in found.chats[0].outcomes] == [("solved", 1.0)]


def execution(number: int, asked: str, answer: str, steps: list[Record]) -> Record:
    """An n8n execution: what its nodes returned, by their names."""

    def node(returned: Record) -> list[Record]:
        return [{"startTime": number, "data": {"main": [[{"json": returned}]]}}]

    nodes = {
        "When chat message received": node({"sessionId": "c1", "chatInput": asked}),
        "A tool": [{"data": {"ai_tool": [[{"json": {"response": "x"}}]]}}],
        "Desk": node({"output": answer, "intermediateSteps": steps}),
    }
    return {
        "id": number,
        "startedAt": f"2026-11-01T10:00:0{number}Z",
        "data": {"resultData": {"runData": nodes}},
        "annotation": {"vote": "up"} if number else None,
    }


def test_executions_of_a_workflow_are_turns(tmp_path: Path) -> None:
    """Found by what nodes returned; the model's words stand before its calls, and once where it made two at a time."""
    said = [{"lc": 1, "kwargs": {"content": "I look."}}]
    steps = [
        {
            "action": {
                "tool": tool,
                "toolInput": {"order": "A1"},
                "toolCallId": tool,
                "messageLog": said,
            },
            "observation": tool.upper(),
        }
        for tool in ("find", "count")
    ]
    page = {"data": [execution(1, AGAIN, LATE, []), execution(0, ASKED, SENT, steps)]}
    found = found_in(tmp_path, {**page, "nextCursor": None})
    episode = only_episode(found)
    assert [(s.role, s.content, [c.name for c in s.tool_calls]) for s in episode.steps] == [
        ("user", ASKED, []),
        ("assistant", "I look.", ["find"]),
        ("tool", "FIND", []),
        ("assistant", None, ["count"]),
        ("tool", "COUNT", []),
        ("assistant", SENT, []),
        ("user", AGAIN, []),
        ("assistant", LATE, []),
    ]
    assert [(one.name, one.label) for one in found.chats[0].outcomes] == [("rating", "up")]


def test_an_execution_that_failed_is_what_its_nodes_did(tmp_path: Path) -> None:
    """Without an answer the nodes of the model and of tools tell the steps; the workflow has the prompt and the tools."""

    def ran(at: int, kind: str, returned: Record, **given: Record) -> list[Record]:
        told = {key: {kind: [[{"json": one}]]} for key, one in given.items()}
        return [{"executionIndex": at, "data": {kind: [[{"json": returned}]]}, **told}]

    asked = {"sessionId": "c1", "chatInput": ASKED}
    said = {"response": {"generations": [[{"text": "I look."}]]}}
    nodes = {
        "Find it": ran(3, "ai_tool", {"response": SENT}, inputOverride={"query": ARGUMENTS}),
        "Chat": ran(0, "main", asked),
        "Desk": [{"executionIndex": 1, "executionStatus": "error", "error": {"message": "429"}}],
        "Model": ran(2, "ai_languageModel", said),
    }
    workflow = {
        "nodes": [
            {"name": "Desk", "parameters": {"options": {"systemMessage": "=Be kind."}}},
            {"name": "Find it", "parameters": {"toolDescription": "Finds an order."}},
            {"name": "Model", "parameters": {}},
        ],
        "connections": {"Find it": {"ai_tool": [[{"node": "Desk"}]]}, "Model": {"ai_languageModel": []}},
    }  # fmt: skip
    failed = {"id": 1, "data": {"resultData": {"runData": nodes}}, "workflowData": workflow}
    episode = only_episode(found_in(tmp_path, failed))
    assert [(s.role, s.content, [c.name for c in s.tool_calls]) for s in episode.steps] == [
        ("system", "Be kind.", []),
        ("user", ASKED, []),
        ("assistant", "I look.", ["Find_it"]),
        ("tool", SENT, []),
    ]
    (tool,) = map(json.loads, episode.tools)
    assert tool["function"] == {"name": "Find_it", "description": "Finds an order."}
