"""Runs as evaluations keep them: what was predicted beside what is right, rounds with a model, steps with views in a file each; each layout once, invented."""

from __future__ import annotations

from pathlib import Path

from ingest.formats.format import Decoded
from ingest.formats.run_questions import tasks_beside
from tests.unit.exported_lines import decoded_below
from tests.unit.ingest_emitters import APP
from tests.unit.test_ingest_harnesses import ANSWER, ASKED, Record, decoded, only, said, told
from tests.unit.test_ingest_parts_of_runs import taken_in, written


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
    record: Record = {"id": "r-1", "conversation": [{"role": "user", "text": ASKED}, turn]}
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


def view(number: int, action: str | None, seen: str, *, failed: str = "") -> Record:
    """A step of an agent at a page: what it saw and all that was said so far, what it thought, what it did."""
    talk = [
        {"role": "assistant", "message": "Hello, I am at your service."},
        {"role": "user", "message": ASKED},
    ]
    obs = {"chat": talk, "last_action": "x", "last_action_error": failed, "page": seen}
    prompt = [said("system", "You act at pages."), said("user", f"{ASKED}\n{seen}")]
    own = {"step": number, "reward": 0.0, "action": action}
    return {"obs": obs, **own, "info": {"think": action and f"At {number}.", "chat": prompt}}


def test_a_view_a_file_is_a_step_of_one_run(tmp_path: Path) -> None:
    """Also where each file holds all that was said, and the folder's name has a dot; the run lies in its folder."""
    steps = [
        view(0, "click('b7')", "a page of boats"),
        view(1, "say('free')", "a page of boat 7", failed="Error: slow"),
        view(2, None, "a page that is done"),
    ]
    files = {f"on_boats.7_0/step_{n}.json": one for n, one in enumerate(steps)}
    folder = written(tmp_path, {**files, "on_boats.8_1/config.json": {"args": {}}})
    found = taken_in(folder)
    (chat,) = found.chats
    assert chat.episode.conversation_id == "on_boats.7_0"
    assert told(chat.episode.steps) == [
        ("assistant", "Hello, I am at your service.", []),
        ("user", ASKED, []),
        ("assistant", "At 0.", [("click", {"input": "b7"})]),
        ("tool", "Error: slow\n\na page of boat 7", []),
        ("assistant", "At 1.", [("say", {"input": "free"})]),
        ("tool", "a page that is done", []),
    ]


def test_a_document_in_the_folder_that_is_the_run_names_its_task() -> None:
    """As it does beside the run's file."""
    run = ("runs", "on_boats.7_0")
    assert tasks_beside([run], [((*run, "config.json"), "boats.7")]) == {0: "boats.7"}


def rounds(asked: str, *made: tuple[str, object]) -> list[Record]:
    """Rounds with a model, each of which sends all that was before it."""
    sent, found = asked, []
    for wrote, came in made:
        found.append({"model_input": {"value": sent, "error": False}, "model_response": {"value": wrote}, "execution_output": came})  # fmt: skip
        sent = f"{sent}\n{wrote}\nObservation: {came}"
    return found


RAN = {"command": "ls boats", "stdout": "7\n8", "stderr": "slow", "return_code": 0}


def test_rounds_with_a_model_are_one_run(tmp_path: Path) -> None:
    """A command that the result names is a call of the shell; parts of a run that is judged as a whole follow each other."""
    first = rounds(ASKED, ("I look.\nCommand: ls boats\n<END>", RAN), (f"Answer: {ANSWER}\n<END>", None))  # fmt: skip
    second = rounds("And boat 8?", ("Action: find[8]", "taken"), ("It is taken.", None))
    both = [
        ("user", ASKED, []),
        ("assistant", "I look.", [("bash", {"command": "ls boats"})]),
        ("tool", "7\n8\nslow", []),
        ("assistant", f"Answer: {ANSWER}", []),
        ("user", "And boat 8?", []),
        ("assistant", None, [("find", {"input": "8"})]),
        ("tool", "taken", []),
        ("assistant", "It is taken.", []),
    ]
    assert told(only(tmp_path, {"id": "r-1", "rounds": first}).episode.steps) == both[:4]
    parts = [{"question": "Look.", "iterations": first}, {"iterations": second}]
    chat = only(tmp_path, {"run": {"mode": "guided", "parts": parts, "score": 0.5}})
    assert told(chat.episode.steps) == both
    assert [one.value for one in chat.outcomes] == [0.5]


def test_rows_that_each_ask_something_else_are_no_rounds(tmp_path: Path) -> None:
    """A table of prompts with what models wrote and put out."""
    row = {"prompt": ASKED, "response": ANSWER, "output": "x"}
    other = {**row, "prompt": "And boat 8?"}
    assert all(len(one.episode.steps) < 4 for one in decoded(tmp_path, {"rows": [row, other]}).chats)  # fmt: skip


def talked(folder: Path, body: str) -> Decoded:
    """What a log in text holds."""
    (folder / "console_log").write_text(body)
    return decoded_below(folder / "console_log", app=APP)


def test_a_log_of_blocks_below_who_speaks(tmp_path: Path) -> None:
    """What a terminal shows is the result of the program before it; the log's own lines are nobody's."""
    body = (
        "installing\nRUN STARTS #!#\n---------- user ----------\n"
        f"{ASKED}\n---------- Lead ----------\n\nPlease look.\n"
        "---------- Helper ----------\nI look.\n\n```python\nprint(find(7))\n```\n"
        "---------- Lead ----------\nPlease run it.\n---------- ShopTerminal ----------\nfree\n"
        f"---------- Lead ----------\n{ANSWER}\n\nRUN ENDS #!#\nTIME: 7 #!#\n"
    )
    (chat,) = talked(tmp_path, body).chats
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", "Please look.", []),
        ("assistant", "I look.\n\n```python\nprint(find(7))\n```", [("python", {"code": "print(find(7))"})]),
        ("assistant", "Please run it.", []),
        ("tool", "free", []),
        ("assistant", ANSWER, []),
    ]  # fmt: skip


def test_events_that_a_console_prints_are_calls_and_results(tmp_path: Path) -> None:
    """In Python's notation, below a kind with the name of who speaks."""
    body = (
        f"---------- TextMessage (user) ----------\n{ASKED}\n"
        "---------- ToolCallRequestEvent (helper) ----------\n"
        "[FunctionCall(id='c1', arguments='{\"boat\": 7}', name='find')]\n"
        "---------- ToolCallExecutionEvent (helper) ----------\n"
        "[FunctionExecutionResult(content='free', name='find', call_id='c1', is_error=False)]\n"
        f"---------- TextMessage (helper) ----------\n{ANSWER}\n"
    )
    (chat,) = talked(tmp_path, body).chats
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", None, [("find", {"boat": 7})]),
        ("tool", "free", []),
        ("assistant", ANSWER, []),
    ]


def test_a_log_that_says_to_whom_it_is_said(tmp_path: Path) -> None:
    """Below a line of dashes; what ran a program answers as the user's side."""
    rule = "-" * 80
    body = (
        f"user_proxy (to assistant):\n\n{ASKED}\n\n{rule}\n"
        f"assistant (to user_proxy):\n\nI look.\n```python\nprint(find(7))\n```\n\n{rule}\n\n"
        ">>>>>>>> EXECUTING CODE BLOCK 0 (inferred language is python)...\n"
        f"user_proxy (to assistant):\n\nexitcode: 0 (execution succeeded)\nfree\n\n{rule}\n"
        f"assistant (to user_proxy):\n\n{ANSWER}\n\n{rule}\n"
    )
    (chat,) = talked(tmp_path, body).chats
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", "I look.", [("python", {"command": "print(find(7))"})]),
        ("tool", "exitcode: 0 (execution succeeded)\nfree", []),
        ("assistant", ANSWER, []),
    ]


def test_headings_of_other_texts_are_nobodys(tmp_path: Path) -> None:
    """A report with rules, and a note of one who speaks alone."""
    for body in (
        "---------- Results ----------\nfine\n---------- Costs ----------\n7\n",
        "---------- user ----------\nHello.\n---------- user ----------\nIs anybody there?\n",
    ):
        assert talked(tmp_path, body).chats == []
