"""Runs as agents' frameworks and services publish them: each fault once, in a small invented conversation."""

from __future__ import annotations

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
    said,
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
