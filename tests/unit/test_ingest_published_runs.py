"""Runs as agents' frameworks and services publish them: each fault once, in a small invented conversation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.test_ingest_harnesses import (
    ANSWER,
    ASKED,
    FIND,
    PROMPT,
    Record,
    call,
    decoded,
    only,
    told,
)


def step(number: int, calls: list[Record] | None, seen: str | None, **beside: object) -> Record:
    """A step of an agent's memory, with all its places."""
    return {
        "step_number": number,
        "tool_calls": calls,
        "error": None,
        "model_output": None,
        "observations": seen,
        **beside,
    }


FAILED = {"type": "ToolError", "message": "boat 7 is unknown"}


@pytest.mark.parametrize("opening", [[], [{"system_prompt": PROMPT}]])
def test_a_prompt_a_task_and_steps_of_which_one_called_nothing(
    tmp_path: Path, opening: list[Record]
) -> None:
    """A step that a model's failure ended says nothing; a failure in the place of a result is the result."""
    chat = only(
        tmp_path,
        [
            *opening,
            {"task": ASKED, "task_images": None},
            step(1, [call(7)], None, error=FAILED),
            step(2, [call(7)], "free"),
            step(3, None, None, error={"type": "ModelError", "message": "429"}),
        ],
    )
    found = told(chat.episode.steps)
    assert found == [
        *([("system", PROMPT, [])] if opening else []),
        ("user", ASKED, []),
        ("assistant", None, FIND),
        ("tool", "boat 7 is unknown", []),
        ("assistant", None, FIND),
        ("tool", "free", []),
    ]


@pytest.mark.parametrize(
    "value",
    [
        [{"task": ASKED}, step(1, None, None)],
        [{"task": ASKED}, step(1, [call(7)], "free"), {"note": "x"}],
        [{"system_prompt": PROMPT}, step(1, [call(7)], "free")],
    ],
)
def test_lists_that_are_no_run(tmp_path: Path, value: list[Record]) -> None:
    """Without a call, with something else among the steps, or without a question nothing is read."""
    assert decoded(tmp_path, value).chats == []


def test_a_question_of_a_data_set_is_no_conversation(tmp_path: Path) -> None:
    """What an annotator noted stands beside the right answer, which nobody said."""
    rows = [
        {"task_id": str(n), "Question": ASKED, "Final answer": "7", "Annotator Notes": {"Steps": "1"}}
        for n in range(2)
    ]  # fmt: skip
    assert decoded(tmp_path, rows, "metadata.jsonl").chats == []


def test_a_farewell_beside_the_call_that_ends_a_conversation(tmp_path: Path) -> None:
    """Where the agent speaks, what it gives a tool is not said, although nothing answers it."""
    hang_up = {"tool_name": "end_call", "params_as_json": '{"reason": "The caller said goodbye."}'}
    turns = [
        {"role": "user", "message": ASKED, "tool_calls": [], "tool_results": []},
        {"role": "agent", "message": ANSWER, "tool_calls": [hang_up], "tool_results": []},
    ]
    assert told(only(tmp_path, {"transcript": turns}).episode.steps) == [
        ("user", ASKED, []),
        ("assistant", ANSWER, [("end_call", {"reason": "The caller said goodbye."})]),
    ]


def happened(told: Record, callers: int = 1) -> Record:
    """An event of a trace of Bedrock's agents."""
    chain = [{"agentAliasArn": f"a{number}"} for number in range(callers)]
    return {"trace": {"callerChain": chain, "trace": {"orchestrationTrace": told}}}


def asked_for(**given: object) -> Record:
    """A call that such an agent makes."""
    return happened({"invocationInput": {"actionGroupInvocationInput": given, "traceId": "t"}})


def seen(kind: str, told: Record) -> Record:
    """What came back."""
    return happened({"observation": {kind: told, "traceId": "t", "type": "X"}})


def test_invocations_of_bedrocks_agents(tmp_path: Path) -> None:
    """One line an invocation; an agent's own agents, thoughts and raw prompts are told elsewhere or left out."""
    prompt = {"text": json.dumps({"system": PROMPT, "messages": []}), "foundationModel": "m-1"}
    boat = [{"name": "boat", "type": "string", "value": "7"}]
    events = [
        happened({"modelInvocationInput": prompt}),
        happened({"rationale": {"text": "I look."}}),
        asked_for(function="find_boat", parameters=boat),
        happened({"observation": {"finalResponse": {"text": "of another"}}}, callers=2),
        seen("actionGroupInvocationOutput", {"text": "free"}),
        asked_for(
            apiPath="/boats/{id}",
            verb="GET",
            requestBody={"content": {"application/json": boat}},
        ),
        seen("finalResponse", {"text": ANSWER}),
    ]
    lines = [
        {"sessionId": "s1", "inputText": ASKED, "rating": 4, "events": events, "at": 1},
        {
            "sessionId": "s1",
            "inputText": "Book it.",
            "events": [
                happened({"invocationInput": {"knowledgeBaseLookupInput": {"text": "book", "knowledgeBaseId": "k"}}}),
                seen("knowledgeBaseLookupOutput", {"retrievedReferences": [{"content": {"text": "x"}}]}),
                {"trace": {"trace": {"failureTrace": {"failureReason": "throttled"}}}},
            ],
        },
    ]  # fmt: skip
    chat = only(tmp_path, lines, "session.jsonl")
    assert told(chat.episode.steps) == [
        ("system", PROMPT, []),
        ("user", ASKED, []),
        ("assistant", None, [("find_boat", {"boat": "7"})]),
        ("tool", "free", []),
        ("assistant", None, [("GET_boats_id_", {"boat": "7"})]),
        ("assistant", ANSWER, []),
        ("user", "Book it.", []),
        ("assistant", None, [("knowledge_base", {"text": "book"})]),
        ("tool", '{"retrievedReferences": [{"content": {"text": "x"}}]}', []),
    ]
    assert (chat.episode.conversation_id, chat.episode.model) == ("s1", "m-1")
    assert [one.value for one in chat.outcomes] == [4.0]


def test_thumbs_on_responses_beside_a_log_of_them(tmp_path: Path) -> None:
    """A row that names a response is about its conversation; one that names a task is a run's, whatever else it names."""
    row = {"response_id": "r1", "thumb": "up"}
    (outcome,) = decoded(tmp_path, [row, {"task_id": "t1", **row}], "thumbs.jsonl").outcomes
    assert (outcome.target_kind, outcome.target_id, outcome.label) == ("response", "r1", "up")
