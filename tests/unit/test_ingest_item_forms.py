"""Messages as frameworks and pages of chats store them: each layout says the same dialogue and becomes the same steps."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.unit.exported_lines import ARGUMENTS, EXPECTED, decoded_below, only_episode, told
from tests.unit.ingest_emitters import APP

Record = dict[str, Any]
SYSTEM, ASKED, ANSWER, SENT = "Be kind.", "Where is my order A1?", "It was sent.", {"state": "sent"}
RESULT = json.dumps(SENT)


def nested_parts() -> Record:
    """Parts that stand below their name."""
    call = {"tool_name": "find_order", "arguments": ARGUMENTS, "id": "k1", "extra": None}
    result = {"result": RESULT, "origin": call, "error": False}
    return {
        "messages": [
            {"role": "system", "content": [{"text": SYSTEM}]},
            {"role": "user", "content": [{"text": ASKED}]},
            {"role": "assistant", "name": None, "content": [{"tool_call": call}]},
            {"role": "tool", "content": [{"tool_call_result": result}]},
            {"role": "assistant", "content": [{"text": ANSWER}]},
        ]
    }


def parts_that_speak() -> list[Record]:
    """Messages without a role: each part says in its kind who speaks."""
    call = {"tool_name": "find_order", "args": json.dumps(ARGUMENTS), "tool_call_id": "k1"}
    return [
        {
            "kind": "request",
            "parts": [
                {"content": SYSTEM, "part_kind": "system-prompt"},
                {"content": ASKED, "part_kind": "user-prompt"},
            ],
        },
        {"kind": "response", "parts": [{**call, "id": None, "part_kind": "tool-call"}]},
        {
            "kind": "request",
            "parts": [
                {
                    "tool_name": "find_order",
                    "content": SENT,
                    "tool_call_id": "k1",
                    "part_kind": "tool-return",
                }
            ],
        },
        {"kind": "response", "parts": [{"content": ANSWER, "part_kind": "text"}]},
    ]


def capitals() -> list[Record]:
    """Keys in capitals, as serialisers of some languages write them; a call's arguments keep their own."""
    call = {"Id": "k1", "PluginName": "Shop", "FunctionName": "find_order", "Arguments": ARGUMENTS}
    result = {"CallId": "k1", "FunctionName": "find_order", "Result": RESULT}
    return [
        {"Role": {"Label": "system"}, "Items": [{"$type": "TextContent", "Text": SYSTEM}]},
        {"Role": {"Label": "user"}, "Items": [{"$type": "TextContent", "Text": ASKED}]},
        {"Role": {"Label": "assistant"}, "Items": [{"$type": "FunctionCallContent", **call}]},
        {"Role": {"Label": "tool"}, "Items": [{"$type": "FunctionResultContent", **result}]},
        {"Role": {"Label": "assistant"}, "Items": [{"$type": "TextContent", "Text": ANSWER}]},
    ]


def named_blocks() -> Record:
    """Blocks that name their kind under a key of their own, calls and their ids beside them, in a map of conversations."""

    def said(role: str, *texts: str, **beside: object) -> Record:
        blocks = [{"block_type": "text", "text": text} for text in texts]
        return {"role": role, "additional_kwargs": beside, "blocks": blocks}

    function = {"name": "find_order", "arguments": json.dumps(ARGUMENTS)}
    messages = [
        said("system", SYSTEM),
        said("user", ASKED),
        said("assistant", tool_calls=[{"id": "k1", "type": "function", "function": function}]),
        said("tool", RESULT, name="find_order", tool_call_id="k1"),
        said("assistant", ANSWER),
    ]
    return {"store": {"c1": messages, "c2": messages}}


def joined_results() -> Record:
    """A message of results that also holds their texts joined; who began is called an assistant, too."""
    call = {"id": "k1", "function": {"name": "find_order", "arguments": json.dumps(ARGUMENTS)}}
    return {
        "chat_history": [
            {"role": "system", "content": SYSTEM},
            {"role": "assistant", "name": "customer", "content": ASKED},
            {"role": "assistant", "name": "desk", "content": None, "tool_calls": [call]},
            {
                "role": "tool",
                "name": "customer",
                "content": RESULT,
                "tool_responses": [{"tool_call_id": "k1", "role": "tool", "content": RESULT}],
            },
            {"role": "user", "name": "desk", "content": ANSWER},
        ]
    }


def used_tools() -> Record:
    """A page's export that lists the tools of a turn beside its last words."""
    used = {"tool": "find_order", "toolInput": ARGUMENTS, "toolOutput": RESULT}
    return {
        "system_prompt": SYSTEM,
        "messages": [
            {"role": "userMessage", "content": ASKED},
            {"role": "apiMessage", "content": ANSWER, "usedTools": [used]},
        ],
    }


def content_as_text() -> Record:
    """A table's dump: the content of a message is JSON text of an object with parts."""
    invocation = {
        "state": "result",
        "toolCallId": "k1",
        "toolName": "find_order",
        "args": ARGUMENTS,
        "result": RESULT,
    }
    parts = [
        {"type": "step-start"},
        {"type": "tool-invocation", "toolInvocation": invocation},
        {"type": "text", "text": ANSWER},
    ]
    asked = {"format": 2, "parts": [{"type": "text", "text": ASKED}], "content": ASKED}
    return {
        "system_prompt": SYSTEM,
        "messages": [
            {"role": "user", "content": json.dumps(asked)},
            {"role": "assistant", "content": json.dumps({"format": 2, "parts": parts})},
        ],
    }


def answers_inside() -> Record:
    """An export in which an answer stands inside the message that it answers; of two answers the later one counts."""
    call = {"id": "k1", "name": "find_order", "args": json.dumps(ARGUMENTS), "output": RESULT}
    content = [{"type": "tool_call", "tool_call": call}, {"type": "text", "text": ANSWER}]
    last = {"sender": "Desk", "isCreatedByUser": False, "text": "", "content": content}
    first = {"sender": "Desk", "text": "I cannot say.", "children": []}
    asked = {"sender": "User", "text": ASKED, "children": [first, {**last, "children": []}]}
    return {"system_prompt": SYSTEM, "messages": [asked]}


def content_below() -> Record:
    """Events of which each holds a provider's message; the author says who speaks."""

    def event(author: str, part: Record) -> Record:
        return {"author": author, "content": {"role": "user", "parts": [part]}, "id": author}

    return {
        "system_prompt": SYSTEM,
        "events": [
            event("user", {"text": ASKED}),
            event("desk", {"functionCall": {"id": "k1", "name": "find_order", "args": ARGUMENTS}}),
            event("desk", {"functionResponse": {"id": "k1", "name": "find_order", "response": SENT}}),
            event("desk", {"text": ANSWER}),
        ],
    }  # fmt: skip


def folded_blocks() -> Record:
    """A page that writes thoughts, calls and their results into the text, as blocks that fold."""

    def quoted(value: object) -> str:
        return html.escape(json.dumps(value))

    call = f'id="k1" name="find_order" arguments="{quoted(json.dumps(ARGUMENTS))}"'
    block = f'<details type="tool_calls" {call} result="{quoted(RESULT)}">\n<summary>Done</summary>\n</details>'
    thought = (
        '<details type="reasoning" done="true">\n<summary>Thought</summary>\n&gt; Hm.\n</details>'
    )
    return {
        "system_prompt": SYSTEM,
        "messages": [
            {"role": "user", "content": ASKED},
            {"role": "assistant", "content": f"{thought}\n{block}\n{ANSWER}"},
        ],
    }


LAYOUTS: list[Callable[[], Any]] = [
    nested_parts,
    parts_that_speak,
    capitals,
    named_blocks,
    joined_results,
    used_tools,
    content_as_text,
    answers_inside,
    content_below,
    folded_blocks,
]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_dialogue_is_read_the_same_in_each_form(
    tmp_path: Path, layout: Callable[[], Any]
) -> None:
    """Texts, calls with name and arguments, results on their calls, in order and once."""
    path = tmp_path / "export.json"
    path.write_text(json.dumps(layout()))
    found = decoded_below(path, app=APP)
    if layout is named_blocks:
        assert [chat.episode.conversation_id for chat in found.chats] == ["c1", "c2"]
        found.chats.pop()
    episode = only_episode(found)
    assert [as_read(told(step)) for step in episode.steps] == [as_read(one) for one in EXPECTED]
    answered = [step.call_id for step in episode.steps if step.role == "tool"]
    assert answered == [call.call_id for step in episode.steps for call in step.tool_calls]


def as_read(said: tuple[object, ...]) -> tuple[object, ...]:
    """What a step says; a result that is JSON without its spaces."""
    role, content, calls = said
    return role, str(content).replace(" ", "") if role == "tool" else content, calls


def test_an_apps_own_keys_in_capitals_stay(tmp_path: Path) -> None:
    """The arguments of a call and a result are the app's, whatever the serialiser does around them."""
    record = capitals()
    record[2]["Items"][0]["Arguments"] = {"OrderNo": {"Value": "A1"}}
    path = tmp_path / "export.json"
    path.write_text(json.dumps(record))
    (call,) = only_episode(decoded_below(path, app=APP)).steps[2].tool_calls
    assert json.loads(call.arguments) == {"OrderNo": {"Value": "A1"}}


def test_states_of_one_conversation_are_one_conversation(tmp_path: Path) -> None:
    """A framework keeps the messages as they were after each step, the newest first: the fullest says all of it."""
    states = [
        {
            "values": {"messages": joined_results()["chat_history"][:count]},
            "metadata": {"thread_id": "t1"},
            **({"outcome": "ok"} if count == 1 else {}),
        }
        for count in range(5, 0, -1)
    ]
    path = tmp_path / "thread.json"
    path.write_text(json.dumps(states))
    found = decoded_below(path, app=APP)
    (chat,) = found.chats
    assert [told(step) for step in chat.episode.steps] == EXPECTED
    assert [one.label for one in chat.outcomes] == ["ok"]


def test_parallel_results_in_one_list_stand_on_their_calls(tmp_path: Path) -> None:
    """A template writes the calls of a turn as one list, and their results as another."""
    calls = [{"name": "find_order", "arguments": {"order": order}} for order in ("A1", "A2")]
    results = [{"state": "sent"}, ["lost", "twice"]]
    record = {
        "conversations": [
            {"from": "human", "value": ASKED},
            {"from": "function_call", "value": json.dumps(calls)},
            {"from": "observation", "value": json.dumps(results)},
            {"from": "gpt", "value": ANSWER},
        ]
    }
    path = tmp_path / "train.json"
    path.write_text(json.dumps([record]))
    steps = only_episode(decoded_below(path, app=APP)).steps
    assert [json.loads(s.content or "") for s in steps if s.role == "tool"] == results
    assert [s.call_id for s in steps if s.role == "tool"] == [
        call.call_id for call in steps[1].tool_calls
    ]


def test_a_clients_own_context_is_not_what_the_user_says(tmp_path: Path) -> None:
    """A log that tells each of the user's messages by two events tells the context only once; the first line names the session."""

    def item(role: str, text: str) -> Record:
        part = {"type": "input_text" if role == "user" else "output_text", "text": text}
        return {
            "type": "response_item",
            "payload": {"type": "message", "role": role, "content": [part]},
        }

    lines = [
        {"type": "session_meta", "payload": {"id": "s-1", "cwd": "/"}},
        item("user", "<context>\n/srv\n</context>"),
        item("user", ASKED),
        {"type": "event_msg", "payload": {"type": "user_message", "message": ASKED}},
        {"type": "event_msg", "payload": {"type": "agent_message", "message": ANSWER}},
        item("assistant", ANSWER),
    ]
    path = tmp_path / "rollout-1.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    episode = only_episode(decoded_below(path, app=APP))
    assert [(step.role, step.content) for step in episode.steps] == [
        ("system", "<context>\n/srv\n</context>"),
        ("user", ASKED),
        ("assistant", ANSWER),
    ]
    assert episode.conversation_id == "s-1"


def test_a_mark_on_an_answer_is_an_outcome_and_a_count_is_none(tmp_path: Path) -> None:
    """Pages of chats keep a user's mark on the message, with reasons beside it; how many steps succeeded is no verdict."""
    record = used_tools()
    record["messages"][1]["feedback"] = {"rating": "thumbsDown", "text": "too late"}
    record["summary"] = {"status_counts": {"success": 1, "error": 0}}
    path = tmp_path / "export.json"
    path.write_text(json.dumps(record))
    (chat,) = decoded_below(path, app=APP).chats
    assert [(one.name, one.label, one.by) for one in chat.outcomes] == [
        ("rating", "thumbsDown", "unknown")
    ]
