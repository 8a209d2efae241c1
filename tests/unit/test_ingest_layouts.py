"""The same conversations of a support desk in layouts that other clients write: each is read as the chat log is."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from examples.support_desk.app import main
from ingest.files.chat_log import Chat
from ingest.records.text import canonical_arguments
from tests.unit.exported_lines import decoded_below

Record = dict[str, Any]
Layout = Callable[[Record], Iterator[Record]]
CONVERSATIONS = 24


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> list[Record]:
    """What the desk's chat log holds."""
    path = tmp_path_factory.mktemp("desk") / "desk.jsonl"
    main(["--conversations", str(CONVERSATIONS), "--chat-log", str(path), "--quiet"])
    return [json.loads(line) for line in path.read_text().splitlines()]


def calls_of(message: Record) -> list[Record]:
    """The calls of a message: id, name, arguments as text."""
    return [{"id": c["id"], **c["function"]} for c in message.get("tool_calls") or ()]


def actions_in_text(record: Record) -> Iterator[Record]:
    """ReAct: a call is the last lines of what the agent says, its result comes from the user's side."""
    said: list[Record] = []
    for message in record["messages"]:
        calls = calls_of(message)
        words = message["content"] or ""
        if message["role"] == "tool":
            said.append({"role": "user", "content": f"Observation: {words}"})
        elif not calls:
            said.append({"role": message["role"], "content": words})
        for call in calls:
            action = f"Action: {call['name']}\nAction Input: {call['arguments']}"
            said.append({"role": "assistant", "content": f"{words}\n{action}"})
    yield {"conversation_id": record["episode_id"], "history": said}


def voice(record: Record) -> Iterator[Record]:
    """A voice agent's transcript: calls and results are lines of their own."""
    said: list[Record] = []
    for message in record["messages"]:
        if message["role"] == "tool":
            answered = message["tool_call_id"]
            said.append(
                {
                    "role": "tool_call_result",
                    "tool_call_id": answered,
                    "content": message["content"],
                }
            )
            continue
        role = {"assistant": "agent"}.get(message["role"], message["role"])
        if message["content"]:
            said.append({"role": role, "content": message["content"]})
        said += [
            {
                "role": "tool_call_invocation",
                "tool_call_id": c["id"],
                "name": c["name"],
                "arguments": c["arguments"],
            }
            for c in calls_of(message)
        ]
    yield {"call_id": record["episode_id"], "transcript": said}


def blocks(record: Record) -> Iterator[Record]:
    """Bedrock's Converse API: parts without types."""
    said: list[Record] = []
    for message in record["messages"]:
        if message["role"] == "tool":
            told = {"toolUseId": message["tool_call_id"], "content": [{"text": message["content"]}]}
            said.append({"role": "user", "content": [{"toolResult": told}]})
        elif message["role"] != "system":
            parts: list[Record] = [{"text": message["content"]}] if message["content"] else []
            parts += [
                {
                    "toolUse": {
                        "toolUseId": c["id"],
                        "name": c["name"],
                        "input": json.loads(c["arguments"]),
                    }
                }
                for c in calls_of(message)
            ]
            said.append({"role": message["role"], "content": parts})
    system = [m["content"] for m in record["messages"] if m["role"] == "system"]
    yield {"conversation_id": record["episode_id"], "system_prompt": system[0], "messages": said}


def stored(record: Record) -> Iterator[Record]:
    """LangChain's messages as its histories store them."""
    kinds = {"user": "human", "assistant": "ai"}
    said = [
        {
            "type": kinds.get(message["role"], message["role"]),
            "data": {
                "content": message["content"] or "",
                "tool_call_id": message.get("tool_call_id"),
                "tool_calls": [
                    {"id": c["id"], "name": c["name"], "args": json.loads(c["arguments"])}
                    for c in calls_of(message)
                ],
            },
        }
        for message in record["messages"]
    ]
    yield {"session_id": record["episode_id"], "messages": said}


def event_rows(record: Record) -> Iterator[Record]:
    """An app's own log: one event a line, conversations among each other."""
    words = {"user": "user_message", "assistant": "agent_message", "system": "system_message"}
    names: dict[str, str] = {}
    row = {"conversation_id": record["episode_id"]}
    for message in record["messages"]:
        if message["role"] == "tool":
            tool = names[message["tool_call_id"]]
            yield {
                **row,
                "event": "tool_result",
                "tool": tool,
                "call_id": message["tool_call_id"],
                "result": message["content"],
            }
            continue
        if message["content"]:
            yield {**row, "event": words[message["role"]], "text": message["content"]}
        for call in calls_of(message):
            names[call["id"]] = call["name"]
            given = json.loads(call["arguments"])
            yield {
                **row,
                "event": "tool_call",
                "tool": call["name"],
                "call_id": call["id"],
                "arguments": given,
            }


def lists_beside_words(record: Record) -> Iterator[Record]:
    """Calls and results in lists of their own beside what was said."""
    said: list[Record] = []
    for message in record["messages"]:
        if message["role"] == "tool":
            result = {"request_id": message["tool_call_id"], "result_value": message["content"]}
            said.append({"role": "agent", "message": None, "tool_results": [result]})
            continue
        calls = [
            {"request_id": c["id"], "tool_name": c["name"], "params_as_json": c["arguments"]}
            for c in calls_of(message)
        ]
        said.append({"role": message["role"], "message": message["content"], "tool_calls": calls})
    yield {"conversation_id": record["episode_id"], "transcript": said}


LAYOUTS: dict[str, Layout] = {
    "actions in text": actions_in_text,
    "a voice agent's transcript": voice,
    "Bedrock's blocks": blocks,
    "LangChain's stored messages": stored,
    "rows of an event log": event_rows,
    "lists beside the words": lists_beside_words,
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_of_another_client_is_the_same_conversation(
    tmp_path: Path, logged: list[Record], name: str
) -> None:
    """Whoever speaks, every word, call, argument and result: whether they stand in one message or in several."""
    path = tmp_path / "log.jsonl"
    lines = [row for record in logged for row in LAYOUTS[name](record)]
    path.write_text("\n".join(map(json.dumps, lines)))
    plain = tmp_path / "plain.jsonl"
    plain.write_text(
        "\n".join(
            json.dumps({"messages": r["messages"], "conversation_id": r["episode_id"]})
            for r in logged
        )
    )

    found, expected = decoded_below(path), decoded_below(plain)

    assert found.rejected == []
    assert [*map(said_in, found.chats)] == [*map(said_in, expected.chats)]


def said_in(chat: Chat) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """Who said what and called which tools, turn by turn."""
    turns: list[tuple[str, str, list[tuple[str, str]]]] = []
    for step in chat.episode.steps:
        words = (step.content or "").strip()
        calls = [(c.name, canonical_arguments(c.arguments)) for c in step.tool_calls]
        if turns and turns[-1][0] == step.role == "assistant":
            turns[-1] = (step.role, f"{turns[-1][1]}{words}", [*turns[-1][2], *calls])
        else:
            turns.append((step.role, words, calls))
    return turns
