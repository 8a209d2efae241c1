"""Conversations in layouts that no format describes: whatever the keys are called, the same dialogue comes out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.files.chat_log import Chat, to_line
from ingest.formats.format import Decoded
from ingest.formats.records.naming import model_in_path
from ingest.formats.records.reader import read_record
from ingest.otlp.record import Arrival
from ingest.records.episode import Step
from ingest.records.text import Json, canonical_arguments
from tests.chat_line import parse_line
from tests.unit.exported_lines import decoded_below

ASKED = "Where is my order A1?"
ANSWER = "It was sent."
RESULT = '{"state": "sent"}'
ARGUMENTS = {"order": "A1"}
TOOL = {
    "type": "function",
    "function": {"name": "find_order", "parameters": {"type": "object", "properties": {}}},
}
CALLED = (("find_order", canonical_arguments(json.dumps(ARGUMENTS))),)
EXPECTED = [
    ("user", ASKED, ()),
    ("assistant", None, CALLED),
    ("tool", RESULT, ()),
    ("assistant", ANSWER, ()),
]
OPENAI: list[dict[str, Any]] = [
    {"role": "user", "content": ASKED},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "k1",
                "type": "function",
                "function": {"name": "find_order", "arguments": json.dumps(ARGUMENTS)},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "k1", "content": RESULT},
    {"role": "assistant", "content": ANSWER},
]


def read(folder: Path, value: Json, *, lines: bool = False, name: str = "runs.json") -> Decoded:
    """Everything in a file that holds a value, or one value a line."""
    path = folder / name
    text = "\n".join(json.dumps(one) for one in value) if lines else json.dumps(value, indent=1)
    path.write_text(text)
    return decoded_below(path)


def only(found: Decoded) -> Chat:
    """The one conversation of a file."""
    assert found.rejected == []
    (chat,) = found.chats
    return chat


def told(steps: tuple[Step, ...]) -> list[tuple[object, ...]]:
    """What the steps say."""
    return [
        (
            step.role,
            step.content,
            tuple((c.name, canonical_arguments(c.arguments)) for c in step.tool_calls),
        )
        for step in steps
    ]


def bound(chat: Chat) -> None:
    """Every result answers a call."""
    steps = chat.episode.steps
    calls = {call.call_id for step in steps for call in step.tool_calls}
    assert all(step.call_id in calls for step in steps if step.role == "tool")


SHAPES: dict[str, list[Any]] = {
    "OpenAI": OPENAI,
    "ShareGPT with calls of their own": [
        {"from": "human", "value": ASKED},
        {
            "from": "function_call",
            "value": json.dumps({"name": "find_order", "arguments": ARGUMENTS}),
        },
        {"from": "observation", "value": RESULT},
        {"from": "gpt", "value": ANSWER},
    ],
    "calls in tags": [
        {"from": "human", "value": ASKED},
        {
            "from": "gpt",
            "value": '<tool_call>\n{"name": "find_order", "arguments": {"order": "A1"}}\n</tool_call>',
        },
        {"from": "tool", "value": f"<tool_response>\n{RESULT}\n</tool_response>"},
        {"from": "gpt", "value": ANSWER},
    ],
    "Anthropic's blocks": [
        {"role": "user", "content": ASKED},
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "k1", "name": "find_order", "input": ARGUMENTS}],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "k1", "content": RESULT}],
        },
        {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]},
    ],
    "Gemini's contents": [
        {"role": "user", "parts": [{"text": ASKED}]},
        {
            "role": "model",
            "parts": [{"functionCall": {"name": "find_order", "args": ARGUMENTS}}],
        },
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "find_order", "response": {"result": RESULT}}}],
        },
        {"role": "model", "parts": [{"text": ANSWER}]},
    ],
    "LangChain's messages": [
        {"type": "human", "content": ASKED, "id": "m1"},
        {
            "type": "ai",
            "content": "",
            "tool_calls": [{"name": "find_order", "args": ARGUMENTS, "id": "k1"}],
        },
        {"type": "tool", "content": RESULT, "tool_call_id": "k1", "name": "find_order"},
        {"type": "ai", "content": ANSWER},
    ],
    "AutoGen's events": [
        {"source": "user", "type": "TextMessage", "content": ASKED, "models_usage": None},
        {
            "source": "desk",
            "type": "ToolCallRequestEvent",
            "content": [
                {"id": "k1", "name": "find_order", "arguments": json.dumps(ARGUMENTS)},
            ],
        },
        {
            "source": "desk",
            "type": "ToolCallExecutionEvent",
            "content": [
                {"call_id": "k1", "name": "find_order", "content": RESULT, "is_error": False}
            ],
        },
        {"source": "desk", "type": "TextMessage", "content": ANSWER},
    ],
    "calls with their results inside": [
        {"role": "user", "content": ASKED},
        {
            "role": "assistant",
            "content": "",
            "toolInvocations": [
                {
                    "state": "result",
                    "toolCallId": "k1",
                    "toolName": "find_order",
                    "args": ARGUMENTS,
                    "result": RESULT,
                }
            ],
        },
        {"role": "assistant", "content": ANSWER},
    ],
    "Responses items": [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": ASKED}]},
        {
            "type": "function_call",
            "call_id": "k1",
            "name": "find_order",
            "arguments": json.dumps(ARGUMENTS),
        },
        {"type": "function_call_output", "call_id": "k1", "output": RESULT},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": ANSWER}],
        },
    ],
    "a service that shows the newest first": [
        {**message, "created_at": 1_790_000_000 - place}
        for place, message in enumerate(reversed(OPENAI))
    ],
    "messages in envelopes": [
        {"message": message, "timestamp": f"2026-09-01T10:00:0{place}Z"}
        for place, message in enumerate(OPENAI)
    ],
    "Bedrock's blocks": [
        {"role": "user", "content": [{"text": ASKED}]},
        {
            "role": "assistant",
            "content": [{"toolUse": {"toolUseId": "k1", "name": "find_order", "input": ARGUMENTS}}],
        },
        {
            "role": "user",
            "content": [{"toolResult": {"toolUseId": "k1", "content": [{"text": RESULT}]}}],
        },
        {"role": "assistant", "content": [{"text": ANSWER}]},
    ],
    "LangChain's stored messages": [
        {"type": "human", "data": {"content": ASKED}},
        {
            "type": "ai",
            "data": {
                "content": "",
                "tool_calls": [{"name": "find_order", "args": ARGUMENTS, "id": "k1"}],
            },
        },
        {"type": "tool", "data": {"content": RESULT, "tool_call_id": "k1", "name": "find_order"}},
        {"type": "ai", "data": {"content": ANSWER}},
    ],
    "items as the load of events, some told twice": [
        {
            "at": 1,
            "type": "item",
            "payload": {"type": "message", "role": "user", "content": [{"text": ASKED}]},
        },
        {"at": 2, "type": "event", "payload": {"type": "user_message", "message": ASKED}},
        {"at": 3, "type": "item", "payload": {"type": "reasoning", "summary": []}},
        {
            "at": 4,
            "type": "item",
            "payload": {
                "type": "function_call",
                "name": "find_order",
                "arguments": json.dumps(ARGUMENTS),
                "call_id": "k1",
            },
        },
        {
            "at": 5,
            "type": "item",
            "payload": {"type": "function_call_output", "call_id": "k1", "output": RESULT},
        },
        {"at": 6, "type": "event", "payload": {"type": "agent_message", "message": ANSWER}},
        {
            "at": 7,
            "type": "item",
            "payload": {"type": "message", "role": "assistant", "content": [{"text": ANSWER}]},
        },
    ],
    "rows of an app's own event log": [
        {"ts": "2026-09-01T10:00:00Z", "event": "session_started", "device": "web"},
        {"ts": "2026-09-01T10:00:01Z", "event": "user_message", "text": ASKED},
        {
            "ts": "2026-09-01T10:00:02Z",
            "event": "tool_call",
            "tool": "find_order",
            "input": ARGUMENTS,
        },
        {
            "ts": "2026-09-01T10:00:03Z",
            "event": "tool_result",
            "tool": "find_order",
            "output": RESULT,
        },
        {"ts": "2026-09-01T10:00:04Z", "event": "agent_message", "text": ANSWER},
    ],
    "a call with its result as one message": [
        {"role": "User", "text": ASKED},
        {"role": "API", "api_name": "find_order", "param_dict": ARGUMENTS, "result": RESULT},
        {"role": "AI", "text": ANSWER},
    ],
    "a page's parts": [
        {"id": "m1", "role": "user", "parts": [{"type": "text", "text": ASKED}]},
        {
            "id": "m2",
            "role": "assistant",
            "parts": [
                {
                    "type": "tool-find_order",
                    "toolCallId": "k1",
                    "state": "output-available",
                    "input": ARGUMENTS,
                    "output": RESULT,
                },
                {"type": "text", "text": ANSWER},
            ],
        },
    ],
    "a call of the dialogue's system": [
        {"speaker": "USER", "utterance": ASKED, "frames": []},
        {
            "speaker": "SYSTEM",
            "utterance": ANSWER,
            "frames": [
                {
                    "service": "Orders_1",
                    "service_call": {"method": "find_order", "parameters": ARGUMENTS},
                    "service_results": RESULT,
                }
            ],
        },
    ],
    "actions in the text, results from the user's side": [
        {"role": "user", "content": ASKED},
        {
            "role": "assistant",
            "content": f"Action: find_order\nAction Input: {json.dumps(ARGUMENTS)}",
        },
        {"role": "user", "content": f"Observation: {RESULT}"},
        {"role": "assistant", "content": f"Thought: I know it.\nFinal Answer: {ANSWER}"},
    ],
    "actions as objects in the text": [
        {"role": "user", "content": ASKED},
        {
            "role": "assistant",
            "content": f'Action:\n{{"name": "find_order", "arguments": {json.dumps(ARGUMENTS)}}}',
        },
        {"role": "user", "content": f"API output: {RESULT}"},
        {
            "role": "assistant",
            "content": f'Action:\n{{"name": "respond", "arguments": {{"content": "{ANSWER}"}}}}',
        },
    ],
    "a voice agent's transcript": [
        {"role": "user", "content": ASKED, "words": []},
        {
            "role": "tool_call_invocation",
            "tool_call_id": "k1",
            "name": "find_order",
            "arguments": json.dumps(ARGUMENTS),
        },
        {"role": "tool_call_result", "tool_call_id": "k1", "content": RESULT},
        {"role": "agent", "content": ANSWER, "words": []},
    ],
    "calls and results in lists beside the words": [
        {"role": "user", "message": ASKED, "tool_calls": [], "tool_results": []},
        {
            "role": "agent",
            "message": None,
            "tool_calls": [
                {
                    "request_id": "k1",
                    "tool_name": "find_order",
                    "params_as_json": json.dumps(ARGUMENTS),
                }
            ],
            "tool_results": [],
        },
        {
            "role": "agent",
            "message": None,
            "tool_calls": [],
            "tool_results": [
                {"request_id": "k1", "tool_name": "find_order", "result_value": RESULT}
            ],
        },
        {"role": "agent", "message": ANSWER, "tool_calls": [], "tool_results": []},
    ],
    "one message with its call, result and last word": [
        {"sender": "human", "text": ASKED, "content": [{"type": "text", "text": ASKED}]},
        {
            "sender": "assistant",
            "text": ANSWER,
            "content": [
                {"type": "tool_use", "id": "k1", "name": "find_order", "input": ARGUMENTS},
                {"type": "tool_result", "tool_use_id": "k1", "content": RESULT},
                {"type": "text", "text": ANSWER},
            ],
        },
    ],
    "calls with their results inside a message that ends in words": [
        {"type": "user", "content": ASKED},
        {
            "type": "gemini",
            "content": ANSWER,
            "toolCalls": [
                {
                    "id": "k1",
                    "name": "find_order",
                    "args": ARGUMENTS,
                    "result": RESULT,
                    "status": "success",
                }
            ],
        },
    ],
    "a tool named by a word beside its call": [
        {"speaker": "Customer", "text": ASKED},
        {
            "speaker": "Bot",
            "text": None,
            "calls": [{"function": "find_order", "params": ARGUMENTS}],
        },
        {"speaker": "Tool", "text": RESULT},
        {"speaker": "Bot", "text": ANSWER},
    ],
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("key", ["messages", "traj", "what_was_said", None])
def test_messages_of_any_shape_are_the_same_dialogue(
    tmp_path: Path, shape: str, key: str | None
) -> None:
    """Under a key in common use, under one that nobody has heard of, or bare: structure tells messages from other lists."""
    items = SHAPES[shape]
    chat = only(read(tmp_path, items if key is None else {"n": 1, key: items}))
    assert told(chat.episode.steps) == EXPECTED
    bound(chat)


@pytest.mark.parametrize("shape", SHAPES)
def test_one_message_a_line_is_one_conversation(tmp_path: Path, shape: str) -> None:
    """A file of lines, each a message, is one conversation with the file's name."""
    chat = only(read(tmp_path, SHAPES[shape], lines=True, name="desk-7.log.jsonl"))
    assert told(chat.episode.steps) == EXPECTED
    assert chat.episode.conversation_id == "desk-7"


@pytest.mark.parametrize(
    "layout",
    [
        lambda r: [r("a"), r("b")],
        lambda r: {"info": {"agent": {"name": "desk"}}, "simulations": [r("a"), r("b")]},
        lambda r: {"results": {"runs": [r("a"), r("b")]}},
        lambda r: {"a": {"messages": r("a")["messages"]}, "b": {"messages": OPENAI}},
        lambda r: {"conversations": {"a": r("a")["messages"], "b": OPENAI}},
    ],
)
def test_records_are_found_wherever_they_are(tmp_path: Path, layout: Any) -> None:  # noqa: ANN401 - a layout
    """A list or a map of records, at the top or below a key, gives each record once and in order."""
    found = read(tmp_path, layout(lambda name: {"id": name, "messages": OPENAI}))
    assert found.rejected == []
    assert [chat.episode.conversation_id for chat in found.chats] == ["a", "b"]
    assert all(told(chat.episode.steps) == EXPECTED for chat in found.chats)


def test_a_list_of_lists_is_several_conversations(tmp_path: Path) -> None:
    """Without any id each is known by its content."""
    found = read(tmp_path, {"chats": [OPENAI, OPENAI[:1] + OPENAI[3:]]})
    assert [len(chat.episode.steps) for chat in found.chats] == [4, 2]
    assert len({chat.episode.episode_id for chat in found.chats}) == 2


def test_rows_of_several_conversations_come_apart(tmp_path: Path) -> None:
    """A table of messages, one a row, with the conversation's id in each: rows of several may be mixed."""
    rows = [{"session_id": name, "role": m["role"], **m} for m in OPENAI for name in ("s1", "s2")]
    for lines in (True, False):
        found = read(tmp_path, rows, lines=lines)
        assert [c.episode.conversation_id for c in found.chats] == ["s1", "s2"], lines
        assert all(told(c.episode.steps) == EXPECTED for c in found.chats)


def test_other_lists_are_no_messages(tmp_path: Path) -> None:
    """Settings, passages that were found, tool definitions and mails have names and texts, too."""
    value = {
        "settings": [{"name": "model", "value": "m"}, {"name": "user", "value": "u"}],
        "passages": [{"source": "handbook", "content": "x"}, {"source": "wiki", "content": "y"}],
        "tools": [TOOL],
        "mails": [{"from": "a@shop.test", "to": "b@shop.test", "body": "x"}],
    }
    found = read(tmp_path, value)
    assert found.chats == []
    assert [r.code for r in found.rejected] == ["unknown_json"]


def test_what_stands_beside_the_messages_is_read(tmp_path: Path) -> None:
    """Ids, user, model, times, tools and consent under the names in common use, also one level down."""
    record = {
        "task_id": 7,
        "trial": 2,
        "metadata": {"customerId": "u-1", "llm": {"model": "m-1"}, "do_not_train": True},
        "created_at": "2026-09-01T08:00:00Z",
        "agentName": "desk",
        "functions": [
            {"name": "find_order", "description": "x", "input_schema": {"type": "object"}}
        ],
        "systemPrompt": "Be kind.",
        "messages": OPENAI,
    }
    episode = only(read(tmp_path, record, name="shop.runs.json")).episode
    assert (episode.app, episode.conversation_id, episode.task_key) == ("shop", "7", "7")
    assert (episode.subject, episode.model, episode.agent) == ("u-1", "m-1", "desk")
    assert episode.do_not_train
    assert episode.started_at == 1_788_249_600 * 10**9
    assert json.loads(episode.tools[0])["function"]["parameters"] == {"type": "object"}
    assert told(episode.steps) == [("system", "Be kind.", ()), *EXPECTED]
    assert episode.source == "conversation_record"


def test_what_holds_for_the_file_holds_for_its_records(tmp_path: Path) -> None:
    """The model of a run stands once above all of its records; the one that plays the user is not it."""
    value = {
        "info": {"user_info": {"llm": "actor"}, "agent_info": {"llm": "m-1"}},
        "tasks": [{"id": "t1", "text": "x", "name": "y"}],
        "simulations": [
            {"id": "s1", "task_id": "t1", "reward_info": {"reward": 0.0}, "messages": OPENAI}
        ],
    }
    chat = only(read(tmp_path, value))
    assert (chat.episode.conversation_id, chat.episode.task_key) == ("s1", "t1")
    assert chat.episode.model == "m-1"
    assert [(o.name, o.value, o.by) for o in chat.outcomes] == [("reward", 0.0, "unknown")]


def test_a_question_and_an_answer_beside_the_messages_are_said_once(tmp_path: Path) -> None:
    """They become the user's first message and the agent's last where no message holds them, and nothing where one does."""
    work = OPENAI[1:3]
    record = {"question": ASKED, "response": ANSWER, "messages": work}
    assert told(only(read(tmp_path, record)).episode.steps) == EXPECTED
    record = {"question": "asked otherwise", "response": f" {ANSWER}\n", "messages": OPENAI}
    assert told(only(read(tmp_path, record)).episode.steps) == EXPECTED


def test_what_was_done_about_a_question_is_told_once(tmp_path: Path) -> None:
    """Before the first of several answers, wherever the item has it."""
    call = {**OPENAI[1]["tool_calls"][0], "result": RESULT}
    item = {"answer": ANSWER, "question": ASKED, "response": "Sent.", "tool_calls": [call]}
    messages = [item, {"question": "And then?", "answer": "No."}]
    steps = told(only(read(tmp_path, {"messages": messages})).episode.steps)
    assert steps[:-2] == [*EXPECTED, ("assistant", "Sent.", ())]


def test_a_model_apis_request_and_response_are_one_conversation(tmp_path: Path) -> None:
    """A log of calls to a model holds the messages on one side and the answer on the other."""
    record = {
        "request": {"model": "m-1", "messages": OPENAI[:3], "tools": [TOOL]},
        "response": {"choices": [{"message": OPENAI[3]}], "usage": {"total_tokens": 9}},
    }
    chat = only(read(tmp_path, record))
    assert told(chat.episode.steps) == EXPECTED
    assert (chat.episode.model, len(chat.episode.tools)) == ("m-1", 1)


def test_one_exchange_is_a_conversation(tmp_path: Path) -> None:
    """A prompt and its completion, without any list."""
    found = read(tmp_path, [{"prompt": ASKED, "completion": ANSWER}] * 2, lines=True)
    assert [told(chat.episode.steps) for chat in found.chats] == [[EXPECTED[0], EXPECTED[3]]] * 2


def test_outcomes_keep_their_names_and_nobodys_word(tmp_path: Path) -> None:
    """Numbers, truths, words and texts as they stand; a sentence about one goes with it; the right answer is a correction."""
    record = {
        "messages": OPENAI,
        "is_correct": False,
        "reward": 0.25,
        "judge": "The agent found the order.\nIt told the user so.",
        "judge_reason": "no list",
        "scores": {
            "match": {"value": 0.5, "label": "half", "explanation": "same"},
            "tone": 4,
            "kind": "C",
        },
        "ground_truth": ["the order was sent"],
        "difficulty": "hard",
    }
    outcomes = {o.name: o for o in only(read(tmp_path, record)).outcomes}
    assert {o.by for o in outcomes.values()} == {"unknown"}
    assert {name: (o.value, o.label) for name, o in outcomes.items()} == {
        "reward": (0.25, None),
        "is_correct": (0.0, None),
        "judge": (None, None),
        "match": (0.5, "half"),
        "tone": (4.0, None),
        "kind": (None, "C"),
    }
    assert str(outcomes["judge"].text).startswith("The agent")
    assert outcomes["match"].text == "same"
    assert outcomes["reward"].correction == "the order was sent"
    assert outcomes["is_correct"].correction is None


def test_a_right_answer_without_a_verdict_labels_nothing(tmp_path: Path) -> None:
    """`answer` is the right one where the agent's own stands elsewhere."""
    record = {"messages": OPENAI, "answer": 42}
    (outcome,) = only(read(tmp_path, record)).outcomes
    assert (outcome.name, outcome.value, outcome.label, outcome.correction) == (
        "answer",
        None,
        None,
        "42",
    )


def test_attempts_at_one_task_have_ids_of_their_own(tmp_path: Path) -> None:
    """An id that is there once is the conversation's; one that repeats is told apart by the trial, else by the place."""
    runs = [
        {"task_id": task, "trial": trial, "messages": OPENAI} for trial in (0, 1) for task in (3, 4)
    ]
    for lines in (True, False):
        once = read(tmp_path, runs[:2], lines=lines).chats
        assert [c.episode.conversation_id for c in once] == ["3", "4"]
        again = read(tmp_path, runs, lines=lines).chats
        assert [c.episode.conversation_id for c in again] == ["3/0", "4/0", "3/1", "4/1"]
        assert [c.episode.task_key for c in again] == ["3", "4", "3", "4"]
        bare = [{"id": "x", "messages": OPENAI} for _ in range(2)]
        named = read(tmp_path, bare, lines=lines).chats
        assert [c.episode.conversation_id for c in named] == ["x/1", "x/2"]
        assert [c.episode.task_key for c in named] == ["x", "x"]


def test_several_agents_are_assistants_and_the_human_is_the_user(tmp_path: Path) -> None:
    """A framework calls everybody `user` whose words it sends to a model; names tell who speaks."""
    history = [
        {"content": "Plan: look it up.", "role": "assistant", "name": "Planner"},
        {"content": "exitcode: 0\nCode output: 4", "role": "user", "name": "Computer_terminal"},
        {"content": "It is 4.", "role": "user", "name": "Verifier"},
    ]
    record = {
        "question": "How many?",
        "history": history,
        "system_prompt": {"Planner": "Plan.", "Verifier": "Verify."},
    }
    steps = only(read(tmp_path, record)).episode.steps
    assert [(s.role, s.agent, s.content) for s in steps] == [
        ("system", "Planner", "Plan."),
        ("system", "Verifier", "Verify."),
        ("user", None, "How many?"),
        ("assistant", "Planner", "Plan: look it up."),
        ("assistant", "Computer_terminal", "exitcode: 0\nCode output: 4"),
        ("assistant", "Verifier", "It is 4."),
    ]


@pytest.mark.parametrize(
    ("history", "expected"),
    [
        (
            [("human", None), ("Orchestrator (thought)", None), ("WebSurfer", None)],
            [("user", None), ("assistant", "Orchestrator (thought)"), ("assistant", "WebSurfer")],
        ),
        (
            [("user", "Admin"), ("user", "Planner"), ("user", "Coder")],
            [("user", None), ("assistant", "Planner"), ("assistant", "Coder")],
        ),
        (
            [("user", "ann"), ("assistant", None), ("user", "ann")],
            [("user", None), ("assistant", None), ("user", None)],
        ),
        (
            [("user", "user_proxy"), ("assistant", "coder"), ("user", "user_proxy")],
            [("user", None), ("assistant", "coder"), ("user", None)],
        ),
        (
            [("Customer 12", None), ("customer_support", None)],
            [("user", None), ("assistant", "customer_support")],
        ),
        (
            [("support_user", None), ("client_bot", None)],
            [("user", None), ("assistant", "client_bot")],
        ),
        (
            [("customer_to_agent", None), ("agent_to_customer", None), ("reply_for_user", None)],
            [("user", None), ("assistant", "agent_to_customer"), ("user", None)],
        ),
    ],
)
def test_who_the_human_is(
    tmp_path: Path,
    history: list[tuple[str, str | None]],
    expected: list[tuple[str, str | None]],
) -> None:
    """A role word, a name that says so, or whoever begins and is never an assistant."""
    items = [
        {"role": role, "content": "x"} | ({"name": name} if name else {}) for role, name in history
    ]
    steps = only(read(tmp_path, {"history": items})).episode.steps
    assert [(s.role, s.agent) for s in steps] == expected


def test_fields_of_the_wrong_type_cost_only_themselves(tmp_path: Path) -> None:
    """A record is read although half of what stands beside it is not what its name says."""
    record = {
        "episode_id": {"a": 1},
        "task_key": ["x"],
        "user_id": 1.5,
        "tools": "none",
        "started_at": "yesterday",
        "model": True,
        "outcome": {"name": 3},
        "tg": "x",
        "messages": OPENAI,
    }
    episode = only(read(tmp_path, record)).episode
    assert told(episode.steps) == EXPECTED
    assert (episode.task_key, episode.subject, episode.model, episode.tools) == (
        None,
        None,
        None,
        (),
    )
    assert "odd_fields" in episode.completeness


def test_messages_of_the_wrong_type_are_named(tmp_path: Path) -> None:
    """What is no message in a list of messages is left out, and the episode says so."""
    episode = only(read(tmp_path, {"messages": [*OPENAI, 5, None, "x"]})).episode
    assert told(episode.steps) == EXPECTED
    assert "odd_messages" in episode.completeness


def test_a_valid_line_of_a_chat_log_means_what_it_meant(tmp_path: Path) -> None:
    """What stands beside its documented fields only adds: the log's own words go first."""
    line = {
        "episode_id": "e",
        "app": "a",
        "task_key": "t",
        "messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}],
        "outcome": {"name": "reward", "value": 1},
    }
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(line))
    plain = only(decoded_below(path, app="other"))
    assert plain == parse_line(json.dumps(line), source="log.jsonl", position="line 1", app="other")
    path.write_text(json.dumps(line | {"task_id": 9, "reward": 0, "trial": 3, "ticket": "T"}))
    more = only(decoded_below(path, app="other"))
    assert more.episode.episode_id == plain.episode.episode_id
    assert more.episode.steps == plain.episode.steps
    assert more.episode.task_key == "t"
    assert more.outcomes == plain.outcomes


ARRIVAL = Arrival(app="a", source="s", position="line 1", received_at=1)
WORDS = st.text(min_size=1, max_size=20)
CALL = st.builds(
    lambda identity, name, arguments: {
        "id": identity,
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(arguments)},
    },
    st.sampled_from(["a", "b", "c"]),
    WORDS,
    st.dictionaries(WORDS, WORDS, max_size=3),
)
MESSAGE = st.one_of(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "user", "assistant"]), "content": st.text()}
    ),
    st.fixed_dictionaries(
        {
            "role": st.sampled_from(["assistant", "user"]),
            "content": st.text(min_size=1),
            "tool_calls": st.lists(CALL, min_size=1, max_size=3),
        }
    ),
    st.fixed_dictionaries(
        {
            "role": st.just("tool"),
            "content": st.text(),
            "tool_call_id": st.sampled_from(["a", "b", "z", None]),
        }
    ),
)


@given(st.lists(MESSAGE, min_size=1, max_size=8))
def test_the_general_way_reads_plain_messages_as_the_chat_log_does(
    messages: list[dict[str, Any]],
) -> None:
    """Messages in the chat log's own form mean the same whether or not unknown keys stand in them."""
    (plain,) = read_record({"messages": messages}, ARRIVAL).chats
    odd = [{**message, "latency_ms": 3} for message in messages]
    (general,) = read_record({"messages": odd}, ARRIVAL).chats
    assert general.episode.steps == plain.episode.steps


@pytest.mark.parametrize("shape", SHAPES)
def test_what_was_read_is_written_and_read_again_without_a_difference(
    tmp_path: Path, shape: str
) -> None:
    """The canonical form keeps everything that the reading found."""
    record = {"task_id": 3, "reward": 1, "target": "x", "messages": SHAPES[shape]}
    chat = only(read(tmp_path, record))
    again = parse_line(to_line(chat.episode, chat.outcomes), source="s", position="line 1")
    assert isinstance(again, Chat)
    assert (again.episode, again.outcomes) == (chat.episode, chat.outcomes)


@pytest.mark.parametrize(
    "beside",
    [
        {"start_timestamp": 1_788_249_600_000, "end_timestamp": 1_788_249_660_000},
        {"metadata": {"start_time_unix_secs": 1_788_249_600, "end_time_unix_secs": 1_788_249_660}},
        {"start_time": "2026-09-01T08:00:00Z", "end_time": "2026-09-01T08:01:00Z"},
    ],
)
def test_when_a_conversation_began_and_ended(tmp_path: Path, beside: dict[str, Any]) -> None:
    """As calls of voice platforms and others name it."""
    for chat in read(tmp_path, [{"id": n, "messages": OPENAI} | beside for n in "ab"]).chats:
        assert chat.episode.started_at == 1_788_249_600 * 10**9
        assert chat.episode.ended_at == 1_788_249_660 * 10**9


def test_a_column_without_a_name_is_no_id(tmp_path: Path) -> None:
    """The index that a table was written with names no conversation."""
    rows = [{"#": 5, "": n, "messages": OPENAI} for n in range(2)]
    found = read(tmp_path, rows, lines=True)
    assert [one.episode.task_key for one in found.chats] == [None, None]
    assert not [one for one in found.chats if one.episode.conversation_id in {"5", "0", "1"}]


@pytest.mark.parametrize(
    ("folder", "is_model"),
    [
        ("gpt-4o-2024-11-20", True),
        ("meta-llama_Llama-3.3-70B-Instruct", True),
        ("claude_sonnet_4", True),
        ("Pilot-7b-chat", True),
        ("claude-code-2", False),
        ("llama-index-0.10", False),
        ("gpt-runs", False),
        ("boats-2024", False),
    ],
)
def test_a_folder_that_is_called_by_a_model_says_whose_runs_lie_in_it(
    folder: str, *, is_model: bool
) -> None:
    """By a family and a number, or by a size; other names with such words are projects'."""
    assert model_in_path(f"runs/{folder}/a/run.json") == (folder if is_model else None)
    assert model_in_path(folder) is None
