"""Runs as evaluations keep them: what was predicted beside what is right, rounds with a model, steps with views in a file each; each layout once, invented."""

from __future__ import annotations

from pathlib import Path

from tests.unit.test_ingest_harnesses import ANSWER, ASKED, Record, decoded, only, said, told


def done(boat: int, **came: object) -> Record:
    """A call in its request, with what came of it."""
    request = {"api_name": "FindBoat", "parameters": {"boat": boat}}
    return {"request": request, "response": None, "exception": None, **came}


def test_what_was_predicted_is_what_the_agent_did(tmp_path: Path) -> None:
    """The message itself tells what would have been right; a call that failed has an exception in the place of a response."""
    turn = said("assistant", ANSWER, apis=[done(7, response={"free": True})])
    predicted = [
        {"role": "api", **done(8, exception="No boat 8."), "match": False},
        {"role": "assistant", "text": "I cannot find it."},
    ]
    record = {"id": "r-1", "conversation": [{"role": "user", "text": ASKED}, turn]}
    right = only(tmp_path, record)
    assert told(right.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", None, [("FindBoat", {"boat": 7})]),
        ("tool", '{"free": true}', []),
        ("assistant", ANSWER, []),
    ]
    turn["predictions"] = predicted
    record["metrics"] = {"ground_truths": 1, "success": False}
    chat = only(tmp_path, record)
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", None, [("FindBoat", {"boat": 8})]),
        ("tool", "No boat 8.", []),
        ("assistant", "I cannot find it.", []),
    ]
    assert [(one.name, one.value, one.correction) for one in chat.outcomes] == [
        ("success", 0.0, None)
    ]


def test_what_was_observed_stands_in_an_object_of_its_own(tmp_path: Path) -> None:
    """Beside how it was made up; an agent that answers at once has no steps."""
    act = {"tool": "find", "tool_input": '{"boat": 7}', "log": "I look.\nAction: find\nAction Input: {}"}  # fmt: skip
    seen = {"observation": "free", "log": "Thought: it is plausible.\nObservation: free"}
    chat = only(tmp_path, {"input": ASKED, "output": ANSWER, "intermediate_steps": [[act, seen]]})
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", "I look.", [("find", {"boat": 7})]),
        ("tool", "free", []),
        ("assistant", ANSWER, []),
    ]
    chat = only(tmp_path, {"input": ASKED, "output": ANSWER, "intermediate_steps": []})
    assert told(chat.episode.steps) == [("user", ASKED, []), ("assistant", ANSWER, [])]


def test_a_question_of_a_data_set_has_no_steps_either(tmp_path: Path) -> None:
    """Its answer is the right one."""
    found = decoded(tmp_path, {"question": ASKED, "answer": ANSWER, "reasoning_steps": []})
    assert found.chats == []
