"""Messages as frameworks and pages of chats store them: each layout says the same dialogue and becomes the same steps."""

from __future__ import annotations

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
