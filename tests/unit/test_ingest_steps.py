"""Logs that keep an agent's work as steps or as one text: what was asked, called, returned and answered comes out of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.formats.records.speech import ROLE_NAMED, Speech, strength
from ingest.formats.records.text_calls import listed_tools, object_act
from ingest.formats.records.written_calls import written_call
from ingest.formats.records.written_results import bind_programs, with_quoted_calls
from tests.unit.test_ingest_records import (
    ANSWER,
    ARGUMENTS,
    ASKED,
    EXPECTED,
    RESULT,
    bound,
    only,
    read,
    told,
)

STEPS: dict[str, dict[str, Any]] = {
    "steps with a tool and its result": {
        "task_description": ASKED,
        "execution_results": [
            {"round": 1, "tool": "find_order", "parameters": ARGUMENTS, "result": RESULT}
        ],
        "final_solution": ANSWER,
    },
    "actions with observations, the last one an answer": {
        "instruction": ASKED,
        "trajectory": [
            {"action": {"tool": "find_order", "args": ARGUMENTS}, "observation": RESULT},
            {"action": {"tool": "respond", "args": {"message": ANSWER}}, "observation": None},
        ],
    },
    "a list of calls with observations": {
        "task": ASKED,
        "steps": [
            {
                "step_number": 1,
                "model_input_messages": [{"role": "user", "content": ASKED}],
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "find_order", "arguments": ARGUMENTS},
                    }
                ],
                "observations": RESULT,
            }
        ],
        "final_answer": ANSWER,
    },
    "thoughts of one message": {
        "query": ASKED,
        "answer": ANSWER,
        "agent_thoughts": [
            {
                "position": 1,
                "tool": "find_order",
                "tool_input": json.dumps(ARGUMENTS),
                "observation": RESULT,
            }
        ],
    },
    "one text, line by line": {
        "transcript": f"User: {ASKED}\nAssistant: Action: find_order({json.dumps(ARGUMENTS)})\n"
        f"Observation: {RESULT}\nAssistant: {ANSWER}\n"
    },
    "thoughts and actions as one text": {
        "question": ASKED,
        "trajectory": f"Action 1: find_order({json.dumps(ARGUMENTS)})\nObservation 1: {RESULT}\n"
        f"Action 2: Finish[{ANSWER}]",
    },
}


@pytest.mark.parametrize("shape", STEPS)
@pytest.mark.parametrize("lines", [True, False])
def test_steps_are_the_same_dialogue(tmp_path: Path, shape: str, lines: bool) -> None:
    """Calls stand with their results beside a question and an answer; tools' definitions beside them change nothing."""
    record = {
        **STEPS[shape],
        "available": [
            {"name": "find_order", "description": "Finds.", "parameters": {}, "response": {}}
        ],
    }
    chat = only(read(tmp_path, [record], lines=lines))
    assert told(chat.episode.steps) == EXPECTED
    bound(chat)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thought: look\nAction: find[Oslo]", ("find", {"input": "Oslo"})),
        ("Act: find(city='Oslo', days=2)", ("find", {"city": "Oslo", "days": 2})),
        ("Action 3: find()", ("find", {})),
        (
            'Action:\n```json\n{"action": "find", "action_input": {"city": "Oslo"}}\n```',
            ("find", {"city": "Oslo"}),
        ),
        ("Action: find\nAction Input: Oslo", ("find", {"input": "Oslo"})),
        ("Action: call the office tomorrow (before noon)", None),
        ("Action: find[Oslo]\nand then I shall tell you", None),
        ("Our plan of action: none(yet)", None),
        ("Action: find(__import__('os').system('x'))", None),
        ("Action: find(city=", None),
    ],
)
def test_an_action_counts_only_where_it_ends_the_message(
    text: str, expected: tuple[str, dict[str, Any]] | None
) -> None:
    """Nothing in it is carried out, and prose about an action stays prose."""
    found = written_call(text)
    if expected is None:
        assert found is None
        return
    assert found is not None
    function = found.calls[0]["function"]
    assert (function["name"], json.loads(function["arguments"])) == expected


def test_where_results_are_marked_other_words_are_the_users(tmp_path: Path) -> None:
    """An agent that talks by a call is answered by the user, and by a tool only where the log says so."""
    messages = [
        {"role": "user", "content": ASKED},
        {
            "role": "assistant",
            "content": 'Action: {"name": "respond", "arguments": {"content": "Which order do you mean?"}}',
        },
        {"role": "user", "content": "A1, the blue one."},
        {
            "role": "assistant",
            "content": f'Action: {{"name": "find_order", "arguments": {json.dumps(ARGUMENTS)}}}',
        },
        {"role": "user", "content": f"API output: {RESULT}"},
    ]
    steps = told(only(read(tmp_path, {"messages": messages})).episode.steps)
    assert [step[0] for step in steps] == ["user", "assistant", "user", "assistant", "tool"]
    assert steps[1][1] == "Which order do you mean?"
    assert steps[2][1] == "A1, the blue one."


def test_a_tool_named_after_a_customer_is_not_the_user(tmp_path: Path) -> None:
    """The name of a message that is a call is its tool's, and says nothing of who speaks."""
    transcript = [
        {"role": "user", "content": ASKED},
        {
            "role": "tool_call_invocation",
            "tool_call_id": "k1",
            "name": "find_customer",
            "arguments": json.dumps(ARGUMENTS),
        },
        {"role": "tool_call_result", "tool_call_id": "k1", "content": RESULT},
        {"role": "agent", "content": ANSWER},
    ]
    steps = only(read(tmp_path, {"transcript": transcript})).episode.steps
    assert [step.role for step in steps] == ["user", "assistant", "tool", "assistant"]


def test_verdicts_among_the_events_of_a_log_are_outcomes(tmp_path: Path) -> None:
    """A rating that is an event of its conversation is that conversation's outcome, and nothing that anybody said."""
    rows = [
        row
        for name, stars in (("a", 5), ("b", 1))
        for row in (
            {"conversation_id": name, "event": "user_message", "text": ASKED},
            {"conversation_id": name, "event": "agent_message", "text": ANSWER},
            {"conversation_id": name, "event": "rating", "value": stars},
        )
    ]
    found = read(tmp_path, rows, lines=True)
    assert [chat.outcomes[0].value for chat in found.chats] == [5.0, 1.0]
    assert [len(chat.episode.steps) for chat in found.chats] == [2, 2]


@pytest.mark.parametrize(
    ("beside", "expected"),
    [
        ({"task_success": True}, [("task_success", 1.0)]),
        ({"call_analysis": {"call_successful": False}}, [("call_successful", 0.0)]),
        ({"analysis": {"success_evaluation": "true"}}, [("success_evaluation", 1.0)]),
        ({"feedback_rating": 2}, [("feedback_rating", 2.0)]),
        ({"passed_tests": 3, "resolved_at": 1_790_000_000}, []),
        ({"task_success": True, "user_rating": 4}, [("task_success", 1.0), ("user_rating", 4.0)]),
        ({"success": False, "user_rating": 4}, [("success", 0.0)]),
    ],
)
def test_the_one_verdict_of_a_record_is_known_by_a_part_of_its_name(
    tmp_path: Path, beside: dict[str, Any], expected: list[tuple[str, float]]
) -> None:
    """Counts and dates are none; of two both are kept, and the outcome policy says which one counts."""
    messages = [{"role": "user", "content": ASKED}, {"role": "assistant", "content": ANSWER}]
    chat = only(read(tmp_path, {"messages": messages, **beside}))
    assert [(one.name, one.value) for one in chat.outcomes] == expected


def test_a_gateways_log_ends_with_the_answer_in_its_body(tmp_path: Path) -> None:
    """The request holds the history, the body of the response what the model said last."""
    request = {"messages": [{"role": "user", "content": ASKED}]}
    bodies = [
        {
            "request_body": request,
            "response_body": {"choices": [{"message": {"role": "assistant", "content": ANSWER}}]},
        },
        {
            "input": {
                "inputBodyJson": {"messages": [{"role": "user", "content": [{"text": ASKED}]}]}
            },
            "output": {
                "outputBodyJson": {
                    "output": {"message": {"role": "assistant", "content": [{"text": ANSWER}]}},
                    "stopReason": "end_turn",
                }
            },
        },
    ]
    for body in bodies:
        steps = told(only(read(tmp_path, body)).episode.steps)
        assert steps == [EXPECTED[0], EXPECTED[3]]


def test_hostile_nests_and_blanks_cost_what_they_are_long() -> None:
    """Envelopes in envelopes, and blanks where a pattern looks twice: a file may hold them as deep and as long as it likes."""
    nested: dict[str, Any] = {"role": "user", "content": ASKED}
    for _ in range(60):
        nested = {"data": nested}
    assert strength(nested) == ROLE_NAMED
    blanks = " " * 200_000
    for text in (
        f"Action: find{blanks}x",
        f"Action: ```{blanks}x",
        f"Action: find({blanks}-1{blanks}x",
    ):
        assert written_call(text) is None
    for text in (
        "{" + blanks,
        f"```json\n{blanks}",
        "```{" * 50_000,
        "}" * 200_000,
        f"{{{blanks}}}x",
    ):
        assert object_act(text) is None
    begun = f'tools:\n```python\ndef f(x):\n    """{blanks}'
    assert listed_tools(f"{begun}\n```") == listed_tools("tools:" * 30_000) == []
    said = [
        Speech(role="assistant", message={"content": "<execute>x</execute>"}),
        Speech(role="user", message={"content": "Output: 7"}),
        Speech(role="assistant", message={"content": "<x><y>" * 30_000}),
        Speech(role="user", message={"content": "f(" * 100_000}),
    ]
    bind_programs(said)
    assert len(with_quoted_calls(said)) == len(said)


def test_what_a_message_counts_is_counted_once(tmp_path: Path) -> None:
    """A message that is cut around its results keeps its usage with its first piece."""
    parts = [
        {"type": "tool_use", "id": "k1", "name": "find_order", "input": ARGUMENTS},
        {"type": "tool_result", "tool_use_id": "k1", "content": RESULT},
        {"type": "text", "text": ANSWER},
    ]
    usage = {"input_tokens": 7, "output_tokens": 3}
    messages = [
        {"role": "user", "content": ASKED},
        {"role": "assistant", "content": parts, "usage": usage},
    ]
    steps = only(read(tmp_path, {"messages": messages})).episode.steps
    assert told(steps) == EXPECTED
    assert sum(step.output_tokens or 0 for step in steps) == 3


@pytest.mark.parametrize("thumb", ["thumbs_up", "👎"])
def test_a_thumb_is_a_verdict_whatever_its_field_is_called(tmp_path: Path, thumb: str) -> None:
    """No list has a language's word for it, and its value says what it is."""
    messages = [{"role": "user", "content": ASKED}, {"role": "assistant", "content": ANSWER}]
    chat = only(read(tmp_path, {"messages": messages, "retour": {"pouce": thumb}}))
    assert [(one.name, one.label) for one in chat.outcomes] == [("pouce", thumb)]


def test_a_name_of_several_words_under_a_key_that_is_a_tools(tmp_path: Path) -> None:
    """The server stands before its tool's name; a sentence names none."""
    step = {"tool": "Order desk:find order", "parameters": ARGUMENTS, "result": RESULT}
    record = {"task_description": ASKED, "execution_results": [step], "final_solution": ANSWER}
    steps = only(read(tmp_path, record)).episode.steps
    assert [call.name for one in steps for call in one.tool_calls] == ["Order desk:find order"]
    assert [one.content for one in steps] == [ASKED, None, RESULT, ANSWER]
    said = {**record, "execution_results": [{**step, "tool": "I find the order."}]}
    assert not any(
        one.tool_calls for chat in read(tmp_path, said).chats for one in chat.episode.steps
    )
