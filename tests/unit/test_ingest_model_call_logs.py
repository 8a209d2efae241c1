"""Logs of calls to a model, one record a call: each repeats the history, and all calls of a conversation become one episode."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.assembly.assemble import assemble
from ingest.formats.format import Decoded
from ingest.records.episode import Episode
from tests.unit.exported_lines import ARGUMENTS, EXPECTED, only_episode, read, told
from tests.unit.ingest_emitters import APP, CALL, MODEL_CALLS, TOOL, TURNS, _gemini

Record = dict[str, Any]
Turns = list[Record]
TOOL_CALLED: Record = CALL["function"]  # type: ignore[assignment]  # a dict by construction
LATER = "2026-11-01T10:00:2"


def openai(given: Turns, made: Record, number: int) -> Record:
    """A proxy's record; a label among the request's own names the conversation."""
    return {
        "ts": f"{LATER}{number}Z",
        "request": {
            "model": "m-1",
            "messages": given,
            "tools": [TOOL],
            "user": "u1",
            "metadata": {"session": "sess_01"},
        },
        "response": {"id": f"r{number}", "choices": [{"message": made}], "usage": {}},
    }


def gateway(given: Turns, made: Record, number: int) -> Record:
    """A gateway's record: what the app says of a call is a property under the vendor's name."""
    record = openai(given, made, number)
    return {
        "request_created_at": record["ts"],
        "request_body": {"model": "m-1", "messages": given, "tools": [TOOL]},
        "response_body": record["response"],
        "request_user_id": "u1",
        "request_properties": {"Vendor-Session-Id": "sess_01"},
    }


def unnamed(given: Turns, made: Record, number: int) -> Record:
    """A record that names no conversation: the history says which it goes on."""
    record = openai(given, made, number)
    del record["request"]["metadata"]
    return record


def gemini(given: Turns, made: Record, number: int) -> Record:
    """A cloud's record of Gemini's API; the prompt says that it is the user's."""
    contents = [_gemini(turn) for turn in given if turn["role"] != "system"]
    prompt = {"role": "user", "parts": [{"text": "Be kind."}]}
    declared = [{"functionDeclarations": [TOOL["function"]]}]
    return {
        "logging_time": f"{LATER}{number}Z",
        "full_request": {
            "contents": contents,
            "systemInstruction": prompt,
            "tools": declared,
            "labels": {"session": "sess_01", "user_id": "u1"},
        },
        "full_response": {"candidates": [{"content": _gemini(made)}], "responseId": f"r{number}"},
    }


def chained(given: Turns, made: Record, number: int) -> Record:
    """A record of an API that keeps the history: only what is new is sent, and the response that it goes on from."""
    sent: list[Record] = [{"role": "user", "content": "Where is my order A1?"}]
    if number:
        sent = [
            {"type": "function_call_output", "call_id": "call_1", "output": given[-1]["content"]}
        ]
    call: Record = {"type": "function_call", "call_id": "call_1", **TOOL_CALLED}
    said = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": made["content"]}],
    }
    return {
        "request": {
            "model": "m-1",
            "instructions": "Be kind.",
            "input": sent,
            "tools": [{"type": "function", **TOOL["function"]}],
            "previous_response_id": f"r{number - 1}" if number else None,
            "safety_identifier": "u1",
        },
        "response": {"id": f"r{number}", "object": "response", "created_at": 1793527200, "output": [said if number else call]},
    }  # fmt: skip


def columns(given: Turns, made: Record, number: int) -> Record:
    """A row of a proxy's table: what was sent stands in columns of its own."""
    record = openai(given, made, number)
    beside = {"startTime": record["ts"], "session_id": "sess_01", "end_user": "u1"}
    own = {key: record["request"][key] for key in ("model", "messages", "tools")}
    return {**beside, **own, "response": record["response"]}


def columns_of_text(given: Turns, made: Record, number: int) -> Record:
    """The same with the bodies as text, the request once more whole, and the tools only there."""
    row = columns(given, made, number)
    request = {key: row[key] for key in ("model", "messages", "tools")}
    del row["tools"]
    return {**row, "response": json.dumps(row["response"]), "proxied": json.dumps(request)}


@pytest.mark.parametrize(
    "layout", [openai, gateway, unnamed, gemini, chained, columns, columns_of_text]
)
def test_calls_of_one_conversation_are_one_episode(
    tmp_path: Path, layout: Callable[[Turns, Record, int], Record]
) -> None:
    """Whatever the provider and the names around the bodies: messages, calls, results, prompt, tools and user, each once."""
    lines = [layout(given, made, number) for number, (given, made) in enumerate(MODEL_CALLS)]
    episode = only_episode(read(tmp_path, lines))
    assert [told(step) for step in episode.steps] == EXPECTED
    assert (len(episode.tools), episode.subject) == (1, "u1")
    if layout not in {unnamed, chained}:
        assert episode.conversation_id == "sess_01"


@pytest.mark.parametrize("layout", [columns, columns_of_text])
def test_calls_with_an_id_each_are_one_episode_by_their_history(
    tmp_path: Path, layout: Callable[[Turns, Record, int], Record]
) -> None:
    """A proxy makes an id up for each call whose client names no conversation; others of the same beginning name theirs."""
    lines = [{**layout(given, made, n), "session_id": f"made-up-{n}"} for n, (given, made) in enumerate(MODEL_CALLS)]  # fmt: skip
    episode = only_episode(read(tmp_path, [lines[0], *lines]))
    assert [told(step) for step in episode.steps] == EXPECTED
    named = [layout(given, made, n + 5) for n, (given, made) in enumerate(MODEL_CALLS)]
    episodes = assembled(read(tmp_path, [*lines, *named]))
    assert [one.conversation_id for one in episodes] == ["made-up-0", "sess_01"]


def test_a_conversation_beside_what_a_model_made_of_it_is_no_call(tmp_path: Path) -> None:
    """Its messages hold the answer already."""
    line = {**columns(TURNS, TURNS[-1], 0)}
    found = read(tmp_path, [line, {**line, "session_id": "sess_02"}])
    assert (found.spans, len(found.chats)) == ([], 2)


def test_a_mark_on_one_call_is_the_conversations_outcome(tmp_path: Path) -> None:
    """A gateway keeps a user's mark on the last call of a conversation, under its own name, and nothing on the others."""
    lines = [gateway(given, made, number) for number, (given, made) in enumerate(MODEL_CALLS)]
    lines[0]["feedback_rating"], lines[1]["feedback_rating"] = None, False
    found = read(tmp_path, lines)
    (outcome,) = found.outcomes
    assert (outcome.name, outcome.value, outcome.target_kind) == ("feedback_rating", 0.0, "span")
    assert outcome.target_id == f"{found.spans[1].trace_id}:{found.spans[1].span_id}"


def test_attempts_with_one_beginning_are_told_apart_by_the_ids_of_their_calls(
    tmp_path: Path,
) -> None:
    """A user asks the same again and the model begins in the same way; no conversation is named."""
    lines = []
    for attempt, answer in enumerate(("It was sent.", "It is on its way.")):
        turns = json.loads(json.dumps(TURNS).replace("call_1", f"call_{attempt}"))
        turns[-1]["content"] = answer
        lines += [unnamed(turns[:2], turns[2], 4 * attempt), unnamed(turns[:4], turns[4], 4 * attempt + 1)]  # fmt: skip
    episodes = assembled(read(tmp_path, lines))
    assert [[told(s) for s in one.steps][:-1] for one in episodes] == [EXPECTED[:-1]] * 2
    assert [one.steps[-1].content for one in episodes] == ["It was sent.", "It is on its way."]


def test_a_failed_call_is_no_conversation(tmp_path: Path) -> None:
    """A request that was answered with an error and sent again adds nothing."""
    lines = [openai(given, made, number) for number, (given, made) in enumerate(MODEL_CALLS)]
    failed = {**lines[1], "ts": f"{LATER}0.5Z", "response": {"error": {"message": "too many"}}}
    episode = only_episode(read(tmp_path, [lines[0], failed, lines[1]]))
    assert [told(step) for step in episode.steps] == EXPECTED
    assert json.loads(episode.steps[2].tool_calls[0].arguments) == ARGUMENTS


def test_a_call_without_an_answer_tells_what_was_sent(tmp_path: Path) -> None:
    """The last call of a conversation was broken off: its request holds the result that nobody answered."""
    asking = gateway(TURNS[:2], TURNS[2], 0)
    broken = {**gateway(TURNS[:4], TURNS[4], 1), "response_body": None, "status": -3}
    found = read(tmp_path, [asking, broken])
    assert (found.chats, found.rejected) == ([], [])
    (episode,) = assemble(found.spans, app=APP).episodes
    assert [told(step) for step in episode.steps] == EXPECTED[:4]


def test_a_first_call_that_failed_is_the_beginning_of_the_one_that_was_sent_again(
    tmp_path: Path,
) -> None:
    """Nothing names the conversation; another one that asks the same is no third try."""
    sent = unnamed(TURNS[:2], TURNS[2], 0)
    failed = {**sent, "response": None, "error": {"type": "overloaded"}}
    tries = [{**failed, "ts": f"{LATER}{n}Z"} for n in (1, 2)]
    later = [{**sent, "ts": f"{LATER}{n}Z", "response": {**sent["response"], "id": f"r{n}"}} for n in (3, 4)]  # fmt: skip
    episodes = assembled(read(tmp_path, [*tries, *later]))
    assert [[told(step) for step in one.steps] for one in episodes] == [EXPECTED[:3]] * 2


def test_a_session_whose_failed_call_has_an_empty_response(tmp_path: Path) -> None:
    """A gateway keeps the request under one name and nothing under the response's: that call is no conversation of its own."""
    lines: list[Record] = [
        {"request_id": f"q{n}", "startTime": f"{LATER}{n}Z", "session_id": "s1", "status": "success", "messages": {}, "response": one["response"], "proxied_request": one["request"]}
        for n, one in enumerate(openai(given, made, n) for n, (given, made) in enumerate(MODEL_CALLS))
    ]  # fmt: skip
    failed = {**lines[1], "startTime": f"{LATER}0.5Z", "status": "failure", "response": {}}
    episode = only_episode(read(tmp_path, [lines[0], failed, lines[1]]))
    assert [told(step) for step in episode.steps] == EXPECTED


def test_equal_beginnings_under_two_tasks_are_two_conversations(tmp_path: Path) -> None:
    """The same was asked and answered at once for two tasks: the next calls go on with their own."""
    lines = []
    for number, task in enumerate(("t-1", "t-2")):
        turns = json.loads(json.dumps(TURNS[:2] + TURNS[4:] + TURNS[1:2] + TURNS[4:]))
        lines += [{**unnamed(turns[:2], turns[2], number), "task_id": task}, {**unnamed(turns[:4], turns[4], number + 2), "task_id": task}]  # fmt: skip
    episodes = assembled(read(tmp_path, lines))
    assert sorted((one.task_key or "", len(one.steps)) for one in episodes) == [("t-1", 5), ("t-2", 5)]  # fmt: skip


def assembled(found: Decoded) -> list[Episode]:
    """The episodes of the spans that a file holds, by their beginning."""
    assert found.rejected == []
    return sorted(assemble(found.spans, app=APP).episodes, key=lambda one: one.started_at)


@pytest.mark.parametrize("results_first", [False, True])
def test_a_batchs_requests_and_results_are_one_conversation(
    tmp_path: Path, *, results_first: bool
) -> None:
    """Two files, joined by the app's own id of the call, whichever is read first."""
    request: Record = {
        "custom_id": "case-1",
        "method": "POST",
        "body": {"model": "m-1", "messages": TURNS[:4], "tools": [TOOL]},
    }
    body = {"id": "r1", "choices": [{"message": TURNS[4]}]}
    result: Record = {
        "custom_id": "case-1",
        "response": {"status_code": 200, "body": body},
        "error": None,
    }
    spans = []
    for line in [result, request] if results_first else [request, result]:
        found = read(tmp_path, [line])
        assert found.rejected == []
        spans += found.spans
    (episode,) = assemble(spans, app=APP).episodes
    assert [told(step) for step in episode.steps] == EXPECTED
    assert (episode.conversation_id, len(episode.tools)) == ("case-1", 1)


def test_programs_that_a_model_wrote_are_calls(tmp_path: Path) -> None:
    """Where whoever runs them answers with what the program ended with; one is enough, as nobody else says that."""
    said: Turns = [
        {"role": "user", "content": "How many boats?"},
        {"role": "assistant", "content": "I count.\n```python\nprint(3 + 4)\n```"},
        {"role": "user", "content": "exitcode: 0 (execution succeeded)\nCode output: \n7\n"},
        {"role": "assistant", "content": "There are 7 boats."},
    ]
    calls = [openai(said[:n], said[n], n) for n in (1, 3)]
    episode = only_episode(read(tmp_path, calls))
    assert [told(step) for step in episode.steps] == [
        ("user", "How many boats?", ()),
        ("assistant", "I count.", (("python", '{"command":"print(3 + 4)"}'),)),
        ("tool", said[2]["content"], ()),
        ("assistant", "There are 7 boats.", ()),
    ]
