"""Agents whose files write an action as text in a step, a line or a log: each layout once, in a small invented conversation."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.test_ingest_harnesses import ANSWER, ASKED, Record, decoded, only, said, told

OPEN = "ui.click(3, 7)\nui.write('boat 7')"
SHOT = "step_1.png"


def line(number: int, action: str, wrote: str) -> Record:
    """A line of a run at a screen: nothing was observed but a picture."""
    beside = {"reward": 0, "done": False, "info": {}, "screenshot_file": SHOT}
    return {"step_num": number, "action": action, "response": wrote, **beside}


def test_steps_a_line_are_one_run(tmp_path: Path) -> None:
    """Lines of one answer are several calls; a reward of nothing in each step judges nobody; a last line that did nothing is passed over."""
    both = f"I look.\n```python\n{OPEN}\n```\n\n```python\nui.press('enter')\n```"
    lines = [
        line(1, OPEN, both),
        line(1, "ui.press('enter')", both),
        line(2, "DONE", "It is free.\n```DONE```"),
        {"Error": "time is up"},
    ]
    chat = only(tmp_path, lines, "steps.jsonl")
    calls = [("python", {"input": OPEN}), ("python", {"input": "ui.press('enter')"})]
    assert told(chat.episode.steps) == [
        ("assistant", "I look.", calls),
        ("tool", "", []),
        ("tool", "", []),
        ("assistant", "It is free.", [("DONE", {})]),
        ("tool", "", []),
    ]
    assert chat.outcomes == ()


def test_lines_of_several_tasks_are_a_run_each(tmp_path: Path) -> None:
    """What names a task on every line tells the runs apart."""
    lines = [
        {"task_id": f"t-{boat}", "thought": "I look.", "action": f"find[{boat}]", "observation": "free"}
        for boat in (7, 7, 8)
    ]  # fmt: skip
    found = decoded(tmp_path, lines, "steps.jsonl")
    assert [len(one.episode.steps) for one in found.chats] == [4, 2]
    assert [one.episode.task_key for one in found.chats] == ["t-7", "t-8"]


STEPS = [
    {"step": 1, "thought": "Thought 1: I look.", "action": "FindBoat[7, Friday]", "observation": "free"},
    {"step": 2, "thought": "", "action": "Finish[it is free]", "observation": "ok"},
]  # fmt: skip
DONE = [
    ("assistant", "I look.", [("FindBoat", {"input": "7, Friday"})]),
    ("tool", "free", []),
    ("assistant", None, [("Finish", {"input": "it is free"})]),
    ("tool", "ok", []),
]


def test_steps_with_written_actions_under_any_key(tmp_path: Path) -> None:
    """A list of steps is what an agent did, whatever the list is called."""
    chat = only(tmp_path, {"question": ASKED, "action_log": STEPS, "answer": ANSWER})
    assert told(chat.episode.steps) == [("user", ASKED, []), *DONE, ("assistant", ANSWER, [])]


def test_runs_of_several_models_in_one_object(tmp_path: Path) -> None:
    """Keys that begin with whose run it is part the object into runs."""
    value = {
        "m-1_two_log": STEPS,
        "m-1_two_plan": "Take boat 7.",
        "m-2_two_log": STEPS[:1],
        "m-2_two_plan": "Take boat 8.",
    }
    found = decoded(tmp_path, [value])
    assert [told(one.episode.steps) for one in found.chats] == [DONE, DONE[:2]]


@pytest.mark.parametrize(
    "steps",
    [
        [{"step": 1, "action": "Open the page", "expected": "a page", "result": "pass"}],
        [{"action": "up", "reward": 0.0}, {"action": "down", "reward": 1.0}],
        [{"action": "find[7]", "reward": 0.0}],
    ],
)
def test_what_is_no_agents_step(tmp_path: Path, steps: list[Record]) -> None:
    """A tester's sheet, and actions of which nothing tells what came of them."""
    assert decoded(tmp_path, {"name": "boats", "steps": steps}).chats == []


def test_programs_in_tags_of_an_agent(tmp_path: Path) -> None:
    """One marked answer is enough, as the tag says that it is run; what is said without one stays said, and so does what answers it."""
    prompt = "Solve the task. You may run Python in <execute> tags."
    messages = [
        said("user", f"{prompt}\n\n{ASKED}"),
        said("assistant", "<thought> I look. </thought>\n<execute>\nprint(find(7))\n</execute>"),
        said("user", "Observation:\nfree"),
        said("assistant", "The answer is <solution> yes </solution>."),
        said("user", "Your answer is wrong."),
        said("assistant", "<execute>\nprint(find(8))"),
    ]
    chat = only(tmp_path, {"messages": messages})
    assert told(chat.episode.steps) == [
        ("user", f"{prompt}\n\n{ASKED}", []),
        ("assistant", "I look.", [("python", {"command": "print(find(7))"})]),
        ("tool", "free", []),
        ("assistant", "The answer is <solution> yes </solution>.", []),
        ("user", "Your answer is wrong.", []),
        ("assistant", None, [("python", {"command": "print(find(8))"})]),
    ]


def test_such_a_tag_that_nobody_answers_with_a_result_is_said(tmp_path: Path) -> None:
    """Somebody is shown how a program would look."""
    text = "Try this:\n<execute>\nprint(7)\n</execute>"
    messages = [said("user", ASKED), said("assistant", text), said("user", "Thanks.")]
    chat = only(tmp_path, {"messages": messages})
    assert told(chat.episode.steps)[1] == ("assistant", text, [])
