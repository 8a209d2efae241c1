"""Files of coding agents and evaluation frameworks: every action is one call, what was observed is its result."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.files.chat_log import Chat
from ingest.records.episode import Step
from tests.unit.exported_lines import decoded_below


def only(folder: Path, value: Any, name: str = "run-1.traj") -> Chat:  # noqa: ANN401 - a file's JSON
    """The one conversation of a file."""
    (folder / name).write_text(json.dumps(value))
    found = decoded_below(folder / name)
    assert found.rejected == []
    (chat,) = found.chats
    return chat


def told(steps: tuple[Step, ...]) -> list[tuple[str, str | None, list[tuple[str, str]]]]:
    """Role, text and calls of each step."""
    return [(s.role, s.content, [(c.name, c.arguments) for c in s.tool_calls]) for s in steps]


def command(text: str) -> str:
    """The arguments of an action that is a text."""
    return json.dumps({"command": text})


PROMPT = "COMMANDS:\nopen:\n  docstring: opens a file\n  signature: open <path>\n"


def swe_agent(*, calls: bool = False) -> dict[str, Any]:
    """A trajectory of three actions; the history lacks the second, and the last one's observation."""

    def said(thought: str, action: str, number: int) -> dict[str, Any]:
        message: dict[str, Any] = {
            "role": "assistant",
            "thought": thought,
            "action": f"{action}\n",
            "content": thought if calls else f"{thought}\n```\n{action}\n```",
            "agent": "main",
        }
        if calls:
            name, _, rest = action.partition(" ")
            function = {"name": name, "arguments": json.dumps({"x": rest})}
            message["tool_calls"] = [{"id": f"k{number}", "type": "function", "function": function}]
        return message

    def step(thought: str, action: str, observation: str) -> dict[str, Any]:
        return {"thought": thought, "action": action, "observation": observation, "response": ""}

    seen: dict[str, Any] = {"role": "user", "content": "1: x\n(Open file: a)"}
    if calls:
        seen = {"role": "tool", "content": "1: x\n(Open file: a)", "tool_call_ids": ["k0"]}
    return {
        "environment": "env",
        "history": [
            {"role": "system", "content": PROMPT, "agent": "main"},
            {"role": "user", "content": "Here is a demonstration.", "is_demo": True},
            {"role": "user", "content": "Fix it."},
            said("I look.", "open a", 0),
            seen,
            said("I am done.", "submit", 2),
        ],
        "trajectory": [
            step("I look.", "open a", "1: x"),
            step("I try.", "ls", "a"),
            step("I am done.", "submit", "a patch"),
        ],
        "info": {"exit_status": "submitted"},
        "replay_config": {
            "agent": {"model": {"name": "m-1"}, "tools": {"command_docs": ""}},
            "problem_statement": {"id": "repo-7", "text": "Fix it."},
        },
    }


def test_swe_agents_text_actions_become_calls(tmp_path: Path) -> None:
    """Commands of its own interface are tools by their name, the others the shell's; both lists are told once, in order."""
    chat = only(tmp_path, swe_agent())
    assert told(chat.episode.steps) == [
        ("system", PROMPT, []),
        ("system", "Here is a demonstration.", []),
        ("user", "Fix it.", []),
        ("assistant", "I look.", [("open", command("open a"))]),
        ("tool", "1: x\n(Open file: a)", []),
        ("assistant", "I try.", [("bash", command("ls"))]),
        ("tool", "a", []),
        ("assistant", "I am done.", [("bash", command("submit"))]),
        ("tool", "a patch", []),
    ]
    assert chat.episode.source == "swe_agent"
    assert (chat.episode.task_key, chat.episode.model) == ("repo-7", "m-1")
    assert "missing_results" not in chat.episode.completeness


def test_swe_agents_function_calls_stay_as_they_were_made(tmp_path: Path) -> None:
    """Ids, names and arguments are the model's own; the result is what its message shows."""
    steps = only(tmp_path, swe_agent(calls=True)).episode.steps
    calls = [(c.call_id, c.name, c.arguments) for s in steps for c in s.tool_calls]
    assert calls[0] == ("k0", "open", '{"x": "a"}')
    assert calls[2] == ("k2", "submit", '{"x": ""}')
    assert [(s.call_id, s.content) for s in steps if s.role == "tool"] == [
        ("k0", "1: x\n(Open file: a)"), ("action_1", "a"), ("k2", "a patch"),
    ]  # fmt: skip


def test_swe_agents_trajectory_alone_and_history_alone(tmp_path: Path) -> None:
    """Older files have only one of the two lists; the issue is then the user's first message."""
    whole = swe_agent()
    alone = {k: v for k, v in whole.items() if k != "history"}
    steps = only(tmp_path, alone).episode.steps
    assert [s.content for s in steps if s.role == "user"] == ["Fix it."]
    assert [s.content for s in steps if s.role == "tool"] == ["1: x", "a", "a patch"]
    steps = only(tmp_path, {"history": whole["history"]}).episode.steps
    assert [c.name for s in steps for c in s.tool_calls] == ["open", "bash"]


def test_mini_swe_agents_blocks_become_calls(tmp_path: Path) -> None:
    """The one block of an answer is the command; an answer with none or two was never run and stays text."""
    items = [
        {"role": "system", "content": "One block."},
        {"role": "user", "content": "Solve it."},
        {"role": "assistant", "content": "THOUGHT: look\n\n```bash\nls -a\n```"},
        {"role": "user", "content": "<returncode>0</returncode>\n<output>\na\n</output>"},
        {"role": "assistant", "content": "Two:\n```bash\na\n```\n```bash\nb\n```"},
        {"role": "user", "content": "Write exactly one block."},
        {"role": "assistant", "content": "```bash\ncat <<'EOF'\n```\nEOF\n```\nDone."},
        {"role": "user", "content": ""},
    ]
    for value in (items, {"messages": items, "info": {}, "trajectory_format": "mini-swe-agent-1"}):
        chat = only(tmp_path, value)
        assert told(chat.episode.steps)[2:6] == [
            ("assistant", "THOUGHT: look", [("bash", command("ls -a"))]),
            ("tool", "<returncode>0</returncode>\n<output>\na\n</output>", []),
            ("assistant", items[4]["content"], []),
            ("user", "Write exactly one block.", []),
        ]
        assert [s.role for s in chat.episode.steps[6:]] == ["assistant", "tool"]
        assert chat.episode.conversation_id == "run-1"


def test_a_chat_about_commands_is_no_trajectory(tmp_path: Path) -> None:
    """An assistant that shows somebody a command has called nothing."""
    items = [
        {"role": "user", "content": "How do I list files?"},
        {"role": "assistant", "content": "```bash\nls\n```"},
        {"role": "user", "content": "Thanks."},
    ]
    chat = only(tmp_path, items)
    assert [s.role for s in chat.episode.steps] == ["user", "assistant", "user"]
    assert not any(s.tool_calls for s in chat.episode.steps)


def openhands(*, pairs: bool = False) -> dict[str, Any]:
    """A record of the first generation: fields beside the action, no ids."""
    events: list[dict[str, Any]] = [
        {"action": "message", "content": "Add a licence.", "wait_for_response": False},
        {"action": "run", "command": "ls", "thought": "I look.", "keep_prompt": True},
        {"observation": "run", "content": "a", "command": "ls", "exit_code": 0},
        {"action": "finish", "outputs": {}, "thought": "Done."},
    ]
    history: list[Any] = events
    if pairs:
        nothing = {"observation": "null", "content": "", "extras": {}}
        history = [[events[0], nothing], [events[1], events[2]], [events[3], nothing]]
    return {
        "instance_id": "i-1",
        "instruction": "Add a licence.",
        "history": history,
        "success": True,
        "result_explanation": "It is there.",
    }


@pytest.mark.parametrize("pairs", [False, True])
def test_openhands_first_generation(tmp_path: Path, *, pairs: bool) -> None:
    """The action's name is the tool's, its own fields are the arguments, the next observation the result."""
    chat = only(tmp_path, openhands(pairs=pairs), "output.jsonl")
    assert told(chat.episode.steps) == [
        ("user", "Add a licence.", []),
        ("assistant", "I look.", [("run", command("ls"))]),
        ("tool", "a", []),
        ("assistant", "Done.", [("finish", '{"outputs": {}}')]),
    ]
    assert (chat.episode.conversation_id, chat.episode.source) == ("i-1", "openhands")
    assert [(o.name, o.value, o.text) for o in chat.outcomes] == [("success", 1.0, "It is there.")]


def event(number: int, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - fields of an event
    """One event of the second generation."""
    return {"id": number, "source": "agent", "timestamp": f"2026-09-01T10:00:0{number}", **fields}


def test_openhands_second_generation(tmp_path: Path) -> None:
    """The model's own calls, two of one response in one message; what the framework does for itself is named and no call."""

    def made(call: str, response: str = "r1") -> dict[str, Any]:
        calls = [
            {
                "id": k,
                "type": "function",
                "function": {"name": "bash", "arguments": f'{{"n": "{k}"}}'},
            }
            for k in ("k1", "k2")
        ]
        message = {"role": "assistant", "content": "I look.", "tool_calls": calls}
        return {
            "function_name": "bash",
            "tool_call_id": call,
            "model_response": {"id": response, "choices": [{"message": message}]},
            "total_calls_in_response": 2,
        }

    tool = {"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}
    history = [
        event(0, action="system", args={"content": "Be kind.", "tools": [tool]}),
        event(1, source="user", action="message", args={"content": "Fix it."}),
        event(2, source="user", action="recall", args={"query": "Fix it."}),
        event(3, source="environment", observation="recall", cause=2, content="x", extras={}),
        event(4, action="run", args={"command": "a"}, tool_call_metadata=made("k1")),
        event(5, action="run", args={"command": "b"}, tool_call_metadata=made("k2")),
        event(6, observation="run", cause=5, content="B", tool_call_metadata=made("k2")),
        event(7, observation="run", cause=4, content="A", success=False),
        event(8, observation="error", content="no such tool"),
    ]
    record = {
        "instance_id": "i-2",
        "history": history,
        "metadata": {"agent_class": "CodeActAgent", "llm_config": {"model": "m-1"}},
        "test_result": {"report": {"resolved": False}},
    }
    chat = only(tmp_path, record, "output.jsonl")
    episode = chat.episode
    assert told(episode.steps) == [
        ("system", "Be kind.", []),
        ("user", "Fix it.", []),
        ("assistant", "I look.", [("bash", '{"n": "k1"}'), ("bash", '{"n": "k2"}')]),
        ("tool", "B", []),
        ("tool", "A", []),
        ("tool", "no such tool", []),
    ]
    assert [(s.call_id, s.is_error) for s in episode.steps[3:]] == [
        ("k2", None), ("k1", True), (None, True),
    ]  # fmt: skip
    assert (episode.model, episode.agent, len(episode.tools)) == ("m-1", "CodeActAgent", 1)
    assert {"side_events_left_out", "orphan_results"} <= set(episode.completeness)
    assert [(o.name, o.value) for o in chat.outcomes] == [("resolved", 0.0)]
    assert episode.steps[1].at is not None


def inspect_log(samples: list[Any]) -> dict[str, Any]:
    """A log with these samples."""
    header = {"task": "desk", "model": "m-1", "created": "2026-09-01T10:00:00Z"}
    return {"version": 2, "status": "success", "eval": header, "samples": samples}


def sample(identity: int, epoch: int = 1) -> dict[str, Any]:
    """A sample with a call, its question kept among the attachments."""
    call = {"id": "k1", "function": "find_order", "arguments": {"order": "A1"}, "type": "function"}
    return {
        "id": identity,
        "epoch": epoch,
        "input": "attachment://abc",
        "target": ["sent"],
        "messages": [
            {"id": "m1", "role": "user", "content": "attachment://abc", "source": "input"},
            {
                "id": "m2",
                "role": "assistant",
                "content": [
                    {"type": "reasoning", "reasoning": "hm"},
                    {"type": "text", "text": "I look."},
                ],
                "tool_calls": [call],
            },
            {
                "id": "m3",
                "role": "tool",
                "content": "",
                "tool_call_id": "k1",
                "function": "find_order",
                "error": {"type": "timeout", "message": "too slow"},
            },
            {"id": "m4", "role": "assistant", "content": "It was sent."},
        ],
        "output": {"model": "m-1-0901", "choices": [{"message": {"role": "assistant", "content": "It was sent."}}]},
        "scores": {
            "match": {"value": "P", "answer": "sent", "explanation": "nearly"},
            "parts": {"value": {"tone": 1, "facts": 0.5}},
        },
        "events": [
            {"event": "model", "tools": [{"name": "find_order", "parameters": {"type": "object"}}]}
        ],
        "attachments": {"abc": "Where is A1?"},
    }  # fmt: skip


def test_inspect_logs(tmp_path: Path) -> None:
    """Samples with their texts put back, calls, failures, tools, scores and targets; epochs are attempts at one task."""
    chat = only(tmp_path, inspect_log([sample(1)]), "log.json")
    episode = chat.episode
    assert told(episode.steps) == [
        ("user", "Where is A1?", []),
        ("assistant", "I look.", [("find_order", '{"order": "A1"}')]),
        ("tool", "too slow", []),
        ("assistant", "It was sent.", []),
    ]
    assert (episode.steps[2].is_error, episode.steps[2].call_id) == (True, "k1")
    assert (episode.conversation_id, episode.task_key, episode.model) == ("1", "desk/1", "m-1")
    assert json.loads(episode.tools[0])["function"]["name"] == "find_order"
    assert "reasoning_left_out" in episode.completeness
    assert [(o.name, o.value, o.label, o.text, o.correction) for o in chat.outcomes] == [
        ("match", 0.5, "P", "nearly", "sent"),
        ("parts.tone", 1.0, None, None, None),
        ("parts.facts", 0.5, None, None, None),
    ]
    (tmp_path / "two.json").write_text(json.dumps(inspect_log([sample(1), sample(1, 2), 5])))
    found = decoded_below(tmp_path / "two.json")
    assert [c.episode.conversation_id for c in found.chats] == ["1/1", "1/2"]
    assert {c.episode.task_key for c in found.chats} == {"desk/1"}
    assert [(r.position, r.code) for r in found.rejected] == [("record 3", "not_an_episode")]
