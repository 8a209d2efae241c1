"""Conversations as agents' runtimes, voice services, desks and benches store them: each says the same dialogue and becomes the same steps."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.formats.format import Decoded
from tests.unit.exported_lines import ARGUMENTS, EXPECTED, decoded_below, only_episode, told
from tests.unit.ingest_emitters import APP
from tests.unit.test_ingest_item_forms import ANSWER, ASKED, RESULT, SENT, SYSTEM, as_read

Record = dict[str, Any]
GIVEN = json.dumps(ARGUMENTS)
OPENAI_CALL = {
    "id": "k1",
    "type": "function",
    "function": {"name": "find_order", "arguments": GIVEN},
}
OPENAI_SAID: list[Record] = [
    {"role": "system", "content": SYSTEM},
    {"role": "user", "content": ASKED},
    {"role": "assistant", "content": None, "tool_calls": [OPENAI_CALL]},
    {"role": "tool", "tool_call_id": "k1", "content": RESULT},
    {"role": "assistant", "content": ANSWER},
]


def serialised_roles() -> Record:
    """Roles that are objects of a serialiser, parts under `contents`, results as parts of their own type."""

    def said(role: str, **part: object) -> Record:
        named = {"type": "role", "value": role}
        return {"type": "chat_message", "role": named, "contents": [part]}

    return {
        "thread": {
            "messages": [
                said("system", type="text", text=SYSTEM),
                said("user", type="text", text=ASKED),
                said("assistant", type="function_call", call_id="k1", name="find_order", arguments=GIVEN),
                said("tool", type="function_result", call_id="k1", result=RESULT),
                said("assistant", type="text", text=ANSWER),
            ]
        }
    }  # fmt: skip


def camel_kinds() -> Record:
    """Parts under `contents` that name their kind in `$type`."""

    def said(role: str, kind: str, **part: object) -> Record:
        return {"role": role, "contents": [{"$type": kind, **part}]}

    return {
        "messages": [
            said("system", "text", text=SYSTEM),
            said("user", "text", text=ASKED),
            said("assistant", "functionCall", callId="k1", name="find_order", arguments=ARGUMENTS),
            said("tool", "functionResult", callId="k1", result=SENT),
            said("assistant", "text", text=ANSWER),
        ]
    }


def typed_messages() -> list[Record]:
    """Messages that say in their type who speaks and whether they call or return."""
    call = {"name": "find_order", "arguments": GIVEN, "tool_call_id": "k1"}
    return [
        {"message_type": "system_message", "content": SYSTEM},
        {"message_type": "user_message", "content": ASKED},
        {"message_type": "reasoning_message", "reasoning": "Hm."},
        {"message_type": "tool_call_message", "tool_call": call},
        {"message_type": "tool_return_message", "tool_return": RESULT, "tool_call_id": "k1"},
        {"message_type": "assistant_message", "content": ANSWER},
    ]


def text_of_messages() -> Record:
    """A row of a store that keeps the messages as JSON text, in capitals."""
    request = {"id": "k1", "name": "find_order", "arguments": GIVEN}
    messages = [
        {"type": "SYSTEM", "text": SYSTEM},
        {"type": "USER", "contents": [{"type": "TEXT", "text": ASKED}]},
        {"type": "AI", "toolExecutionRequests": [request]},
        {"type": "TOOL_EXECUTION_RESULT", "id": "k1", "toolName": "find_order", "text": RESULT},
        {"type": "AI", "text": ANSWER},
    ]
    return {"memory": "m1", "messages": json.dumps(messages)}


def heads_and_parts() -> Record:
    """The role in a head beside the parts; a call with its result in an object that says how far it is."""
    state = {"status": "completed", "input": ARGUMENTS, "output": RESULT}
    call = {"type": "tool", "callID": "k1", "tool": "find_order", "state": state}
    ends = {"type": "step-finish", "reason": "stop"}
    return {
        "system_prompt": SYSTEM,
        "messages": [
            {"info": {"role": "user"}, "parts": [{"type": "text", "text": ASKED}]},
            {"info": {"role": "assistant"}, "parts": [{"type": "step-start"}, call, ends]},
            {"info": {"role": "assistant"}, "parts": [{"type": "text", "text": ANSWER}, ends]},
        ],
    }


def steps_of_runs() -> Record:
    """Steps whose type says who speaks, words and results alike in `output`."""
    tool = {"id": "k1", "type": "tool", "name": "find_order", "input": GIVEN, "output": RESULT}
    return {
        "system_prompt": SYSTEM,
        "steps": [
            {"id": "1", "type": "user_message", "name": "Ann", "input": "", "output": ASKED},
            {"id": "2", "type": "run", "name": "on_message", "input": ASKED, "output": ""},
            tool,
            {"id": "3", "type": "assistant_message", "name": "Desk", "input": "", "output": ANSWER},
        ],
    }


def runs_of_session() -> list[Record]:
    """A session's runs, of which each opens with the prompt and repeats what was said before."""
    named = [{"id": f"m{number}", **message} for number, message in enumerate(OPENAI_SAID)]
    runs = [
        {"session_id": "s1", "run_id": "1", "messages": named[:4]},
        {"session_id": "s1", "run_id": "2", "messages": [{**named[0], "id": "m9"}, *named[1:]]},
    ]
    return [{"session_id": "s1", "user_id": "u1", "runs": runs}]


def history_and_events() -> Record:
    """A report that tells its messages by events, too: the history has the calls."""
    items: list[Record] = [
        {"type": "message", "role": "user", "content": [ASKED]},
        {"type": "function_call", "call_id": "k1", "name": "find_order", "arguments": GIVEN},
        {"type": "function_call_output", "call_id": "k1", "output": RESULT},
        {"type": "message", "role": "assistant", "content": [ANSWER]},
    ]
    events = [{"type": "item_added", "item": item} for item in items if item["type"] == "message"]
    return {"system_prompt": SYSTEM, "events": events, "chat_history": {"items": items}}


def called_tools() -> Record:
    """Turns that list the tools that were called for them, with what came back."""
    call = {"name": "find_order", "inputParameters": ARGUMENTS, "output": RESULT}
    return {
        "system_prompt": SYSTEM,
        "turns": [
            {"role": "user", "content": ASKED},
            {"role": "assistant", "content": ANSWER, "toolsCalled": [call]},
        ],
    }


def tags() -> Record:
    """Calls in tags that end the agent's text, answered from the user's side; the client's tags around the user's words."""
    call = f"<find_order>\n<order>{ARGUMENTS['order']}</order>\n</find_order>"
    around = {"type": "text", "text": "<environment_details>\nIt is noon.\n</environment_details>"}
    return {
        "system_prompt": SYSTEM,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": f"<task>\n{ASKED}\n</task>"}, around]},
            {"role": "assistant", "content": [{"type": "text", "text": call}]},
            {
                "role": "user",
                "content": [{"type": "text", "text": f"[find_order] Result:\n{RESULT}"}, around],
            },
            {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]},
        ],
    }  # fmt: skip


def values_or_errors() -> Record:
    """Calls and results in objects of a serialiser that hold a value, or an error in its place; the id stands outside."""

    def part(kind: str, below: str, value: object) -> Record:
        return {"type": kind, "id": "k1", below: {"status": "success", "value": value}}

    call = part("toolRequest", "toolCall", {"name": "find_order", "arguments": ARGUMENTS})
    answer = part("toolResponse", "toolResult", [{"type": "text", "text": RESULT}])
    return {
        "system_prompt": SYSTEM,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": ASKED}]},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [answer]},
            {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]},
        ],
    }


def spoken(asked: int = 1, answered: int = 4) -> list[Record]:
    """Messages with times in seconds, and without calls."""
    return [
        {"role": "user", "content": ASKED, "created_at": 1_770_710_400 + asked},
        {"role": "assistant", "content": ANSWER, "created_at": 1_770_710_400 + answered},
    ]


def run_of_tool(at: int = 2) -> Record:
    """A row of a table of tools' runs."""
    row = {"id": 7, "tool_name": "find_order", "arguments": ARGUMENTS, "result": SENT}
    return {**row, "created_at": 1_770_710_400 + at}


def runs_beside() -> Record:
    """Calls in a list beside the messages, as an app's own tables have them."""
    return {"system_prompt": SYSTEM, "messages": spoken(), "tool_runs": [run_of_tool()]}


def steps_beside() -> Record:
    """Pages of a service, the newest first: messages in one, the calls of runs, with their results inside, in another."""
    function = {"name": "find_order", "arguments": GIVEN, "output": RESULT}
    called = {"tool_calls": [{"id": "k1", "type": "function", "function": function}]}
    made = {"message_creation": {"message_id": "m2"}}
    first, last = 1_770_710_402, 1_770_710_404
    return {
        "thread": {"id": "t1"},
        "messages": {"data": spoken()[::-1]},
        "runs": {"data": [{"id": "r1", "instructions": SYSTEM}]},
        "system_prompt": SYSTEM,
        "steps": {
            "data": [
                {"type": "message_creation", "created_at": last, "step_details": made},
                {"type": "tool_calls", "created_at": first, "step_details": called},
            ]
        },
    }


def newest_first() -> Record:
    """A page of items without times, the newest first: the result stands before its call."""
    items: list[Record] = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": ASKED}]},
        {"type": "function_call", "call_id": "k1", "name": "find_order", "arguments": GIVEN},
        {"type": "function_call_output", "call_id": "k1", "output": RESULT},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]},
    ]  # fmt: skip
    return {"system_prompt": SYSTEM, "object": "list", "data": items[::-1]}


LAYOUTS: list[Callable[[], Any]] = [
    serialised_roles,
    camel_kinds,
    typed_messages,
    text_of_messages,
    heads_and_parts,
    steps_of_runs,
    runs_of_session,
    history_and_events,
    called_tools,
    tags,
    values_or_errors,
    runs_beside,
    steps_beside,
    newest_first,
]


def pieces() -> list[Record]:
    """A stream's events: what the user said comes with the run, words and arguments in pieces."""
    given = {"threadId": "c1", "messages": [{"id": "u1", "role": "user", "content": ASKED}]}
    return [
        {"type": "RUN_STARTED", "threadId": "c1", "input": {"instructions": SYSTEM, **given}},
        {"type": "TOOL_CALL_START", "toolCallId": "k1", "toolCallName": "find_order"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "k1", "delta": GIVEN[:9]},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "k1", "delta": GIVEN[9:]},
        {"type": "TOOL_CALL_RESULT", "messageId": "r1", "toolCallId": "k1", "content": RESULT},
        {"type": "TEXT_MESSAGE_START", "messageId": "a1", "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "a1", "delta": ANSWER[:4]},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "a1", "delta": ANSWER[4:]},
        {"type": "TEXT_MESSAGE_END", "messageId": "a1"},
    ]


def items_of_session() -> list[Record]:
    """A voice session's events: an item is told as it begins and as it ends, and what was heard comes later."""
    call = {"id": "i2", "type": "function_call", "call_id": "k1", "name": "find_order"}
    result = {"id": "i3", "type": "function_call_output", "call_id": "k1", "output": RESULT}
    said = {"id": "i4", "type": "message", "role": "assistant"}
    sound = {"type": "audio", "transcript": ANSWER}
    heard = {"type": "input_audio", "transcript": None}
    created, done = "conversation.item.created", "response.output_item.done"
    return [
        {"type": "session.created", "session": {"id": "s1", "instructions": SYSTEM}},
        {"type": created, "item": {"id": "i1", "type": "message", "role": "user", "content": [heard]}},
        {"type": "conversation.item.transcription.completed", "item_id": "i1", "transcript": ASKED},
        {"type": created, "item": {**call, "arguments": ""}},
        {"type": done, "item": {**call, "arguments": GIVEN}},
        {"type": created, "item": result},
        {"type": created, "item": {**said, "content": []}},
        {"type": "response.audio_transcript.delta", "item_id": "i4", "delta": "It was"},
        {"type": done, "item": {**said, "content": [sound]}},
        {"type": "response.done", "response": {"id": "r1", "output": [{**said, "content": [sound]}]}},
    ]  # fmt: skip


STREAMS = [pieces, items_of_session]


def is_the_dialogue(found: Decoded) -> bool:
    """Whether a file holds the one dialogue, with the result on its call."""
    steps = only_episode(found).steps
    answered = [step.call_id for step in steps if step.role == "tool"]
    return [as_read(told(step)) for step in steps] == [
        as_read(one) for one in EXPECTED
    ] and answered == [call.call_id for step in steps for call in step.tool_calls]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_dialogue_is_read_the_same_in_each_layout(
    tmp_path: Path, layout: Callable[[], Any]
) -> None:
    """Texts, calls with name and arguments, results on their calls, in order and once."""
    path = tmp_path / "export.json"
    path.write_text(json.dumps(layout()))
    assert is_the_dialogue(decoded_below(path, app=APP))


def lines(path: Path, events: list[Record]) -> Decoded:
    """Everything in a file of these lines."""
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return decoded_below(path, app=APP)


@pytest.mark.parametrize("stream", STREAMS)
def test_a_streams_events_become_the_messages_that_they_build(
    tmp_path: Path, stream: Callable[[], list[Record]]
) -> None:
    """One episode, not one for each event that holds something."""
    assert is_the_dialogue(lines(tmp_path / "events.jsonl", stream()))


def test_each_thread_of_a_stream_is_a_conversation(tmp_path: Path) -> None:
    """Events belong to the run that began last."""
    later = [json.loads(json.dumps(event).replace("c1", "c2")) for event in pieces()]
    found = lines(tmp_path / "events.jsonl", [*pieces(), *later])
    assert [chat.episode.conversation_id for chat in found.chats] == ["c1", "c2"]


def test_events_of_an_analytics_service_are_the_spans_in_their_properties(tmp_path: Path) -> None:
    """All fields begin with the vendor's word; each repeats the history, and they are one conversation."""

    def event(number: int, before: int) -> Record:
        own = {
            "$ai_trace_id": "t1", "$ai_span_id": f"g{number}", "$ai_parent_id": "t1", "$ai_session_id": "c1",
            "$ai_input": OPENAI_SAID[:before], "$ai_output_choices": [OPENAI_SAID[before]],
        }  # fmt: skip
        at = f"2026-11-01T10:00:0{number}Z"
        return {"event": "$ai_generation", "distinct_id": "u1", "timestamp": at, "properties": own}

    assert is_the_dialogue(lines(tmp_path / "events.jsonl", [event(1, 2), event(2, 4)]))


def test_a_page_of_a_services_spans_is_read_span_by_span(tmp_path: Path) -> None:
    """Spans below `data`, their fields in `attributes`; results are listed in the tool's message."""
    result = {"role": "tool", "content": "", "tool_results": [{"result": RESULT, "tool_id": "k1"}]}
    call = {"name": "find_order", "arguments": ARGUMENTS, "tool_id": "k1"}
    asked = {"role": "assistant", "content": "", "tool_calls": [call]}
    said = [*OPENAI_SAID[:2], asked, result, OPENAI_SAID[4]]

    def span(number: int, before: int) -> Record:
        own = {
            "span_id": f"s{number}", "trace_id": "t1", "parent_id": "s0", "span_kind": "llm", "session_id": "c1",
            "start_ns": (1_790_000_000 + number) * 10**9,
            "input": {"messages": said[:before]}, "output": {"messages": [said[before]]},
        }  # fmt: skip
        return {"type": "span", "id": str(number), "attributes": own}

    path = tmp_path / "page.json"
    path.write_text(json.dumps({"data": [span(1, 2), span(2, 4)], "meta": {"page": {}}}))
    assert is_the_dialogue(decoded_below(path, app=APP))


def test_the_letter_that_opens_a_conversation_is_its_first_message(tmp_path: Path) -> None:
    """A desk keeps it beside the parts that followed; pages become text, and a part without words is none."""
    parts = [
        {"part_type": "comment", "body": "<p>It &amp; its box<br>were sent.</p>", "author": {"type": "bot"}},
        {"part_type": "close", "body": None, "author": {"type": "bot"}},
    ]  # fmt: skip
    source = {"type": "conversation", "body": f"<p>{ASKED}</p>", "author": {"type": "user"}}
    record = {"id": "c1", "source": source, "conversation_parts": {"conversation_parts": parts}}
    found = lines(tmp_path / "desk.jsonl", [record, {**record, "id": "c2"}])
    assert [told(step) for step in found.chats[0].episode.steps] == [
        ("user", ASKED, ()),
        ("assistant", "It & its box\nwere sent.", ()),
    ]


def test_results_answer_calls_that_stood_in_messages_of_their_own(tmp_path: Path) -> None:
    """Two calls one after the other without ids, then their two results: in order, also under one name."""

    def call(order: str) -> Record:
        function = {"name": "find_order", "arguments": json.dumps({"order_id": order})}
        return {"role": "assistant", "content": "", "function_call": function}

    results = [{"role": "function", "name": "find_order", "content": one} for one in ("a", "b")]
    said = [{"role": "user", "content": ASKED}, call("A1"), call("B2")]
    both = lines(tmp_path / "two.jsonl", [{"messages": [*said, *results]}])
    alone = lines(tmp_path / "one.jsonl", [{"messages": [*said, results[1]]}])
    assert pairs(both) == [('{"order_id": "A1"}', "a"), ('{"order_id": "B2"}', "b")]
    assert pairs(alone) == [('{"order_id": "B2"}', "b")]


def pairs(found: Decoded) -> list[tuple[str, str | None]]:
    """Arguments and results of each answered call."""
    steps = only_episode(found).steps
    given = {call.call_id: call.arguments for step in steps for call in step.tool_calls}
    return [(given[step.call_id or ""], step.content) for step in steps if step.role == "tool"]


def test_tags_that_nobody_answers_stay_text(tmp_path: Path) -> None:
    """An agent that was asked for markup has not called a tool, whatever the user says next."""
    text = "Here it is:\n<order_list><order>A1</order></order_list>"
    said = [
        {"role": "user", "content": "As markup, please.", "name": "Ann"},
        {"role": "assistant", "content": text},
        {"role": "user", "content": "Thanks.", "name": "Ann"},
    ]
    steps = only_episode(lines(tmp_path / "log.jsonl", [{"dialogue": said}])).steps
    assert [step.content for step in steps] == ["As markup, please.", text, "Thanks."]


def test_a_result_that_repeats_its_calls_arguments_is_no_second_call(tmp_path: Path) -> None:
    """Only a step that says it is a tool's run is a call and its result at once."""
    call = {"type": "tool_call", "tool": "find_order", "input": ARGUMENTS}
    result = {"type": "tool_result", "tool": "find_order", "input": ARGUMENTS, "output": RESULT}
    asked = {"type": "user_message", "text": ASKED}
    steps = only_episode(lines(tmp_path / "log.jsonl", [{"events": [asked, call, result]}])).steps
    assert [len(step.tool_calls) for step in steps] == [0, 1, 0]


def test_one_message_alone_is_refused_with_what_to_do(tmp_path: Path) -> None:
    """A store with a file for each message: alone, none of them is a conversation."""
    path = tmp_path / "message_0.json"
    message = {"role": "user", "content": [{"text": ASKED}]}
    path.write_text(json.dumps({"message": message, "message_id": 0}, indent=2))
    found = decoded_below(path, app=APP)
    assert [one.code for one in found.rejected] == ["lone_message"]
    assert "one a line and in order" in found.rejected[0].reason
    assert found.chats == []


@pytest.mark.parametrize(
    ("times", "run"),
    [((1, 1), 3), ((4, 4), 2), ((1, 4), 5), ((1, 4), 0)],
    ids=[
        "rows of one moment",
        "rows written at the end",
        "behind the answer",
        "before the question",
    ],
)
def test_a_call_that_the_times_do_not_place_is_left_out_and_named(
    tmp_path: Path, times: tuple[int, int], run: int
) -> None:
    """A call in the wrong turn would be told wrongly; one that is missing is named."""
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"messages": spoken(*times), "tool_runs": [run_of_tool(run)]}))
    episode = only_episode(decoded_below(path, app=APP))
    assert [step.content for step in episode.steps] == [ASKED, ANSWER]
    assert "calls_left_out" in episode.completeness


def test_what_is_no_call_beside_messages_is_none(tmp_path: Path) -> None:
    """Runs of a model and rows without a tool's name are no calls, and nothing is missing without them."""
    row = {
        "name": "ChatModel",
        "input": {"q": ASKED},
        "output": ANSWER,
        "created_at": 1_770_710_402,
    }
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"messages": spoken(), "observations": [row]}))
    episode = only_episode(decoded_below(path, app=APP))
    assert [step.content for step in episode.steps] == [ASKED, ANSWER]
    assert "calls_left_out" not in episode.completeness


def test_an_error_in_the_place_of_a_value_is_the_result_of_a_call_that_failed(
    tmp_path: Path,
) -> None:
    """It is what the tool said, and the call failed."""
    record = values_or_errors()
    failed = {"status": "error", "error": "No such order."}
    record["messages"][2]["content"][0]["toolResult"] = failed
    path = tmp_path / "export.json"
    path.write_text(json.dumps(record))
    [answer] = [s for s in only_episode(decoded_below(path, app=APP)).steps if s.role == "tool"]
    assert (answer.content, answer.is_error) == ("No such order.", True)


def test_calls_that_name_no_tool_are_refused_with_what_to_do(tmp_path: Path) -> None:
    """A layout that keeps names where nobody looks tells nothing about tools, and says so."""
    record = {
        "turns": [
            {"role": "user", "content": ASKED},
            {"role": "assistant", "content": [{"type": "tool_call", "id": "k1", "spec": ["find", "A1"]}]},
            {"role": "assistant", "content": ANSWER},
        ]
    }  # fmt: skip
    path = tmp_path / "export.json"
    path.write_text(json.dumps(record))
    found = decoded_below(path, app=APP)
    assert (found.chats, [one.code for one in found.rejected]) == ([], ["nameless_calls"])
    assert "--map" in found.rejected[0].reason


def test_a_failure_s_words_are_unwrapped_where_every_text_is_wrapped(tmp_path: Path) -> None:
    """A client that gives Gemini each text as `output` gives it each failure as `error`; alone the object may be the tool's own."""
    told_in: list[Record] = [{"output": "sent"}, {"error": "No."}, {"error": "No.", "code": 4}]
    for responses in (told_in, told_in[1:]):
        calls: list[Record] = [
            {"id": f"k{n}", "name": "find_order", "args": ARGUMENTS, "result": [{"functionResponse": {"id": f"k{n}", "response": one}}]}
            for n, one in enumerate(responses)
        ]  # fmt: skip
        said: list[Record] = [
            {"type": "user", "content": ASKED},
            {"type": "gemini", "content": "", "toolCalls": calls},
            {"type": "gemini", "content": ANSWER},
        ]
        path = tmp_path / f"export{len(responses)}.json"
        path.write_text(json.dumps({"sessionId": "s1", "messages": said}))
        steps = only_episode(decoded_below(path, app=APP)).steps
        results = [(s.content, s.is_error) for s in steps if s.role == "tool"]
        words = "No." if len(responses) == len(told_in) else json.dumps(told_in[1])
        assert results[-2:] == [(words, True), (json.dumps(told_in[2]), None)]


@pytest.mark.parametrize(
    ("response", "content", "is_error"),
    [
        ({"output": SENT}, RESULT, None),
        ({"output": SENT, "more": 1}, json.dumps({"output": SENT, "more": 1}), None),
        ({"error": "No."}, json.dumps({"error": "No."}), True),
    ],
)
def test_a_response_under_gemini_s_own_word_is_what_the_tool_returned(
    tmp_path: Path, response: Record, content: str, is_error: bool | None
) -> None:
    """The API documents `output` for results and `error` for failures, whose words stay as the model saw them."""
    answer = {"functionResponse": {"id": "k1", "name": "find_order", "response": response}}
    call = {"id": "k1", "name": "find_order", "args": ARGUMENTS, "result": [answer]}
    said: list[Record] = [
        {"type": "user", "content": ASKED},
        {"type": "gemini", "content": "", "toolCalls": [call]},
        {"type": "gemini", "content": ANSWER},
    ]
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"sessionId": "s1", "messages": said}))
    [told_] = [s for s in only_episode(decoded_below(path, app=APP)).steps if s.role == "tool"]
    assert (json.loads(told_.content or ""), told_.is_error) == (json.loads(content), is_error)


def test_calls_beside_messages_that_say_nothing_are_left_out(tmp_path: Path) -> None:
    """Nobody's turn is theirs, and the episode says so."""
    nothing = [{**spoken()[0], "content": None}, None]
    path = tmp_path / "export.json"
    path.write_text(json.dumps({**runs_beside(), "messages": nothing}))
    assert "calls_left_out" in only_episode(decoded_below(path, app=APP)).completeness


def test_messages_that_were_taken_back_are_left_out(tmp_path: Path) -> None:
    """In a list as in a table, by a time or a truth; the episode says so."""
    for name, mark, plain in (("time", "2026-09-01T08:00:09Z", None), ("truth", True, False)):
        rows = [{"conversation_id": "c1", **one, "deleted_at": plain} for one in OPENAI_SAID]
        wrong = {**rows[-1], "content": "It was lost.", "deleted_at": mark}
        said = [*rows[:-1], wrong, rows[-1]]
        (tmp_path / f"{name}.json").write_text(json.dumps({"messages": said}))
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in said))
        for ending in ("json", "jsonl"):
            episode = only_episode(decoded_below(tmp_path / f"{name}.{ending}", app=APP))
            assert [told(step) for step in episode.steps] == EXPECTED
            assert "other_messages_left_out" in episode.completeness


def test_pieces_of_an_answer_before_the_whole_one_are_left_out(tmp_path: Path) -> None:
    """A runtime keeps a stream as it came; pieces that make up no message behind them stay."""
    pieces = [ANSWER[:7], ANSWER[7:9], ANSWER[9:]]
    told_in = [{"role": "assistant", "content": text} for text in pieces]
    path = tmp_path / "export.json"
    path.write_text(json.dumps({"history": [*OPENAI_SAID[:-1], *told_in, OPENAI_SAID[-1]]}))
    episode = only_episode(decoded_below(path, app=APP))
    assert [told(step) for step in episode.steps] == EXPECTED
    path.write_text(json.dumps({"history": [*OPENAI_SAID[:-1], *told_in]}))
    episode = only_episode(decoded_below(path, app=APP))
    assert [step.content for step in episode.steps[-3:]] == pieces


def test_a_truth_says_whose_a_message_is(tmp_path: Path) -> None:
    """Of a message that names no speaker; one that names him is asked for the name."""
    path = tmp_path / "chats.json"
    said = [{"isUser": True, "text": "Where is A1?"}, {"isUser": False, "text": "It was sent."}]
    path.write_text(json.dumps([{"id": name, "messages": said} for name in ("c1", "c2")]))
    chats = decoded_below(path, app=APP).chats
    assert [[s.role for s in chat.episode.steps] for chat in chats] == [["user", "assistant"]] * 2
    named = [{"role": "user", "is_bot": True, "text": "Hi"}, {**said[1], "role": "assistant"}]
    path.write_text(json.dumps({"history": named}))
    episode = only_episode(decoded_below(path, app=APP))
    assert [step.role for step in episode.steps] == ["user", "assistant"]


def test_a_record_that_is_there_twice_numbers_no_others(tmp_path: Path) -> None:
    """It counts once, and all keep the ids by which a table of outcomes knows them; two attempts are told apart."""
    rows = [{"id": f"row-{n}", "history": OPENAI_SAID, "note": n} for n in range(11)]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in (*rows, rows[0])))
    found = decoded_below(path, app=APP)
    assert {chat.episode.conversation_id for chat in found.chats} == {one["id"] for one in rows}
    other = {**rows[0], "note": 3}
    path.write_text("".join(json.dumps(one) + "\n" for one in (*rows, rows[0], other)))
    found = decoded_below(path, app=APP)
    assert len({chat.episode.conversation_id for chat in found.chats}) == 13
