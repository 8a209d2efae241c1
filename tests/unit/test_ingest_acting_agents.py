"""Agents that write what they do as code, pairs or lists, and files that name tasks: each fault once, in a small invented conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.formats.records.written_calls import acts_of, listed_calls, written_call
from tests.unit.test_ingest_harnesses import (
    ANSWER,
    ASKED,
    PROMPT,
    Record,
    call,
    decoded,
    only,
    said,
    told,
)

CLOSE = [("close_boat", {"boat": 7})]
FIND = [("find_boat", {"boat": 7})]


def sent(sender: str, recipient: str, message: object) -> Record:
    """A message that says to whom it goes."""
    return {"sender": sender, "recipient": recipient, "message": message}


def test_calls_in_a_list_of_pythons_have_their_results_in_one(tmp_path: Path) -> None:
    """The tool that runs them is nobody's name; each result is its own call's, also where it is the only one."""
    chat = only(
        tmp_path,
        [
            sent("user", "agent", ASKED),
            sent("agent", "execution", "[find_boat(boat=7)]"),
            sent("execution", "agent", [[{"free": True}]]),
            sent("agent", "execution", "[find_boat(boat=7), close_boat(boat=7)]"),
            sent("execution", "agent", [{"free": True}, {"error": "in use"}]),
            sent("agent", "user", ANSWER),
        ],
    )
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", None, FIND),
        ("tool", '[{"free": true}]', []),
        ("assistant", None, FIND + CLOSE),
        ("tool", '{"free": true}', []),
        ("tool", '{"error": "in use"}', []),
        ("assistant", ANSWER, []),
    ]


@pytest.mark.parametrize(
    "text",
    ["[see](find_boat(7))", "[note(s)]", "[find_boat(boat=x)]", "[find_boat(boat=7), 3]", "[1, 2]", "[f(", "I call [f(a=1)]"],
)  # fmt: skip
def test_what_is_no_list_of_calls(text: str) -> None:
    """Links, words with a plural in brackets, names instead of values: all of it stays text."""
    assert listed_calls(text) == []


def test_actions_of_one_agent_in_four_forms(tmp_path: Path) -> None:
    """A block below a tool's name, a line in brackets, several values, a bare name; what is not marked is the user's next request."""
    record = {
        "history": [
            said("user", ASKED),
            said("agent", "Think: I look.\n\nAct: bash\n\n```bash\ncat boats | grep 7\n```"),
            said("user", "The output of the OS:\n\n7 free\n"),
            said("agent", "Act: move('a', 'b')"),
            said("user", "The output of the OS:\n\nmoved"),
            said("agent", "Act: answer(it is free)"),
            said("user", "And now close it."),
            said("agent", "Think: Done.\n\nAct: finish"),
        ]
    }
    steps = only(tmp_path, record).episode.steps
    assert told(steps) == [
        ("user", ASKED, []),
        ("assistant", "I look.", [("bash", {"input": "cat boats | grep 7"})]),
        ("tool", "The output of the OS:\n\n7 free\n", []),
        ("assistant", None, [("move", {"input": ["a", "b"]})]),
        ("tool", "The output of the OS:\n\nmoved", []),
        ("assistant", "it is free", []),
        ("user", "And now close it.", []),
        ("assistant", "Done.", [("finish", {})]),
    ]


def test_a_bare_name_is_a_call_only_of_an_agent_that_acts() -> None:
    """Elsewhere it is a word behind a colon."""
    assert written_call("Action: required") is None
    assert written_call("Action: finish", is_acting=True) is not None


def test_steps_as_pairs_of_an_action_and_what_was_observed(tmp_path: Path) -> None:
    """What the model wrote before its action is what it said; the observation may stand in an object."""
    wrote = 'I look.\nAction: find_boat\nAction Input: {"boat": 7}'
    record = {
        "input": ASKED,
        "output": ANSWER,
        "intermediate_steps": [
            [["find_boat", '{"boat": 7}', wrote], {"observation": "7 free", "log": "x"}],
            [["close_boat", {"boat": 7}, "close_boat"], "closed"],
        ],
    }
    assert told(only(tmp_path, record).episode.steps) == [
        ("user", ASKED, []),
        ("assistant", "I look.", FIND),
        ("tool", "7 free", []),
        ("assistant", "close_boat", CLOSE),
        ("tool", "closed", []),
        ("assistant", ANSWER, []),
    ]


def saw(page: str, action: str | None, *, failed: str = "", **beside: object) -> Record:
    """A step of an agent at a page."""
    return {"action": action, "reasoning": "Look.", "last_action_error": failed, "page": page, "url": "x", **beside}  # fmt: skip


ACTING: Record = {
    "goal": ASKED,
    "task_name": "boats.find",
    "seed": 3,
    "summary": {"cum_reward": 1.0, "cum_raw_reward": 0},
    "chat_messages": [said("assistant", "Hello."), said("user", ASKED)],
    "steps": [
        saw("a page of boats", "click('b7')"),
        saw("a page of boats", "fill('b8', 'seven')", failed="no b7"),
        saw("a page with boat 7", "tell('Boat 7 is free.')"),
    ],
}


def test_steps_that_say_what_the_agent_saw_before_it_acted(tmp_path: Path) -> None:
    """What it saw next, and how its action failed, is what the action gave, and the first page what none did; the reward is the outcome, the raw one is none."""
    chat = only(tmp_path, ACTING)
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", "Look.", [("click", {"input": "b7"})]),
        ("tool", "no b7\n\na page of boats", []),
        ("assistant", "Look.", [("fill", {"input": ["b8", "seven"]})]),
        ("tool", "a page with boat 7", []),
        ("assistant", "Look.", [("tell", {"input": "Boat 7 is free."})]),
    ]
    assert [(one.name, one.value) for one in chat.outcomes] == [("cum_reward", 1.0)]
    assert chat.episode.task_key == "boats.find"


def test_a_last_step_that_is_empty_tells_no_result() -> None:
    """The agent had stopped, and nobody looked any more."""
    steps = [saw("a page of boats", "click('b7')"), {"last_action_error": None, "page": None}]
    assert [one["role"] for one in acts_of(steps)] == ["assistant"]


@pytest.mark.parametrize("action", ["I would click b7", {"click": "b7"}, "click(b7(1))"])
def test_an_action_that_is_no_call_makes_none_of_its_steps_acts(action: Any) -> None:  # noqa: ANN401 - any JSON
    """One that cannot be read leaves more than one reading."""
    assert acts_of([saw("a page", "click('b7')"), saw("a page", action)]) == []


def test_states_of_one_conversation_in_a_list_of_lists(tmp_path: Path) -> None:
    """The fullest is read, with the tools and the verdict beside it; lists that part are conversations of their own."""
    asked = [said("user", ASKED)]
    whole = [*asked, said("assistant", None, tool_calls=[call(7)])]
    function = {"name": "find_boat", "description": "Find.", "parameters": {"type": "object"}}
    made = {"train": [asked, whole], "function": [function]}
    chat = only(tmp_path, {"made": made, "forward_args": {"answer": 1}})
    assert chat.outcomes == ()
    assert told(chat.episode.steps)[1:] == [("assistant", None, FIND)]
    assert [json.loads(one)["function"]["name"] for one in chat.episode.tools] == ["find_boat"]
    apart = {"made": {"train": [whole, [*asked, said("assistant", ANSWER)]]}}
    assert len(decoded(tmp_path, apart).chats) == 2


def test_a_record_whose_parts_are_json_as_text(tmp_path: Path) -> None:
    """Its tools and its verdict are read as if they were no text."""
    function = {"type": "function", "function": {"name": "find_boat", "parameters": {}}}
    rows = [
        {
            "task_name": f"boat {number}",
            "task_status": json.dumps({"running": "done", "evaluation": number == 7}),
            "tool_calls": json.dumps({"tools": [function], "tool_choice": "auto"}),
            "messages": json.dumps([said("user", ASKED), said("assistant", ANSWER)]),
        }
        for number in (7, 8)
    ]
    chats = decoded(tmp_path, rows, "rows.jsonl").chats
    assert [chat.episode.task_key for chat in chats] == ["boat 7", "boat 8"]
    assert [[(o.name, o.value) for o in chat.outcomes] for chat in chats] == [
        [("evaluation", 1.0)],
        [("evaluation", 0.0)],
    ]
    assert all(len(chat.episode.tools) == 1 for chat in chats)


def test_a_name_that_several_records_share_is_no_tasks(tmp_path: Path) -> None:
    """It may be that of a kind of tasks; with attempts that have a number each it is the task's."""
    rows = [{"task_name": "boats", "messages": [said("user", f"{ASKED} {n}"), said("assistant", ANSWER)]} for n in (1, 2)]  # fmt: skip
    assert [c.episode.task_key for c in decoded(tmp_path, rows, "a.jsonl").chats] == [None, None]
    tried = [{**row, "trial": n} for n, row in enumerate(rows)]
    found = decoded(tmp_path, tried, "b.jsonl").chats
    assert [c.episode.task_key for c in found] == ["boats", "boats"]


@pytest.mark.parametrize("result", [True, {"result": True}])
def test_a_bare_truth_beside_the_messages_says_that_it_went_well(
    tmp_path: Path, result: object
) -> None:
    """Under `result`, where the messages stand; not one that a tool returned."""
    record = {"output": {"result": result, "history": [said("user", ASKED), said("agent", ANSWER)]}}
    chat = only(tmp_path, record)
    assert [(one.name, one.value) for one in chat.outcomes] == [("success", 1.0)]


def test_one_part_of_mcp_in_the_place_of_a_result_is_its_text(tmp_path: Path) -> None:
    """Where it carries what only a client writes, also in the whole result; an object of the tool's own stays."""
    part = {"type": "text", "text": "7 free", "annotations": None, "meta": None}
    own = {"type": "text", "text": "7 free"}
    whole = {"content": [part], "isError": False, "meta": None, "structuredContent": None}
    results = [{"type": "function_call_output", "call_id": f"c{n}", "output": json.dumps(one)} for n, one in enumerate((part, own, whole))]  # fmt: skip
    asked = [{"type": "function_call", "call_id": f"c{n}", "name": "find_boat", "arguments": "{}"} for n in range(3)]  # fmt: skip
    steps = only(tmp_path, [said("user", ASKED), *asked, *results]).episode.steps
    assert [s.content for s in steps if s.role == "tool"] == ["7 free", json.dumps(own), "7 free"]


def test_an_example_that_a_prompt_plays_through_is_left_out(tmp_path: Path) -> None:
    """The user says where it is over, at once or behind what was wrong with the example; the prompt before it stays as the client's, and so does what two people said of a task."""
    example = [said("user", PROMPT), said("assistant", "I look."), said("user", "free")]
    asks = f"Now write what solves the actual task:\n{ASKED}"
    for begins in ("", f"Of the example above: {'names differ. ' * 30}"):
        messages = [*example, said("user", begins + asks), said("assistant", ANSWER)]
        episode = only(tmp_path, messages).episode
        assert [(one.role, one.content) for one in episode.steps] == [
            ("system", PROMPT),
            ("user", begins + asks),
            ("assistant", ANSWER),
        ]
        assert "other_messages_left_out" in episode.completeness
    late = [*example, said("user", "names differ. " * 30 + asks), said("assistant", ANSWER)]
    assert len(only(tmp_path, late).episode.steps) == 5
    talk = [*example, said("user", "Now tell me of it."), said("assistant", ANSWER)]
    assert len(only(tmp_path, talk).episode.steps) == 5


FILES: dict[str, list[Any]] = {
    "acting": [ACTING],
    "pairs": [{"input": ASKED, "intermediate_steps": [[["find_boat", "{}", "find_boat"], "x"]]}],
    "lists": [[sent("user", "agent", ASKED), sent("agent", "execution", "[find_boat(boat=7)]"), sent("execution", "agent", [1])]],
    "states": [{"train": [[said("user", ASKED)], [said("user", ASKED), said("assistant", ANSWER)]]}],
}  # fmt: skip
"""The same as files, for the test of odd values."""


def acting(commands: list[object], **words: object) -> Record:
    """An agent's message that is an object."""
    return said("assistant", json.dumps({**words, "commands": commands}))


def test_an_agent_that_answers_with_objects(tmp_path: Path) -> None:
    """Its commands are calls of the shell, its texts what it says, what the terminal shows is their result; also of one that names tools, in a block."""
    steps = only(
        tmp_path,
        [
            said("user", ASKED),
            acting([{"keystrokes": "cat boats\n", "duration": 0.5}, "pwd"], plan="I look."),
            said("user", "New Terminal Output:\n7 free\n/srv"),
            acting([], plan="Done.", task_complete=True),
            said("user", "Are you sure?"),
            said("assistant", '```json\n{"thought": "Yes.", "task_complete": true, "commands": []}\n```'),
        ],
    ).episode.steps  # fmt: skip
    assert told(steps) == [
        ("user", ASKED, []),
        ("assistant", "I look.", [("bash", {"command": "cat boats\n"}), ("bash", {"command": "pwd"})]),
        ("tool", "7 free\n/srv", []),
        ("assistant", "Done.", []),
        ("user", "Are you sure?", []),
        ("assistant", "Yes.", []),
    ]  # fmt: skip
    found = only(
        tmp_path,
        [
            said("user", ASKED),
            said("assistant", 'I look.\n```json\n{"action": "find_boat", "action_input": {"boat": 7}}\n```'),
            said("user", "Boat database result: free"),
            said("assistant", ANSWER),
        ],
    ).episode.steps  # fmt: skip
    assert told(found) == [
        ("user", ASKED, []),
        ("assistant", "I look.", FIND),
        ("tool", "Boat database result: free", []),
        ("assistant", ANSWER, []),
    ]


def test_objects_that_a_person_answers_stay_what_the_agent_said(tmp_path: Path) -> None:
    """A form that is filled in holds commands, too, and nobody carried them out."""
    record = [said("user", ASKED), acting(["open"], to="boat 7"), said("user", "Thanks!")]
    steps = only(tmp_path, record).episode.steps
    assert [one.role for one in steps] == ["user", "assistant", "user"]
    assert not any(one.tool_calls for one in steps)


def test_a_program_in_a_tag_is_answered_by_what_is_named(tmp_path: Path) -> None:
    """What answered is named in front of the result, which stays whole; the last answer is without its tags."""
    steps = only(
        tmp_path,
        [
            said("user", ASKED),
            said("assistant", "I look. <execute>SELECT 7</execute>"),
            said("user", "Boat database output: [7]"),
            said("assistant", f"<thought>Done.</thought>\n<respond> {ANSWER} </respond>"),
        ],
    ).episode.steps
    assert told(steps)[1:] == [
        ("assistant", "I look.", [("execute", {"command": "SELECT 7"})]),
        ("tool", "Boat database output: [7]", []),
        ("assistant", f"Done.\n{ANSWER}", []),
    ]


def test_calls_that_what_is_answered_quotes(tmp_path: Path) -> None:
    """The agent only mentions them; the results of several stand below a line each. One that it did not mention is none."""
    asks = "I need:\n1. `find_boat(boat=7)`\n2. `close_boat(boat=7)`"
    back = "Result of find_boat(boat=7):\n\nfree\n\nResult of close_boat(boat=7):\n\nclosed\n"
    record = [said("user", ASKED), said("assistant", asks), said("user", back)]
    steps = only(tmp_path, [*record, said("assistant", ANSWER)]).episode.steps
    assert told(steps) == [
        ("user", ASKED, []),
        ("assistant", asks, FIND + CLOSE),
        ("tool", "Result of find_boat(boat=7):\n\nfree", []),
        ("tool", "Result of close_boat(boat=7):\n\nclosed", []),
        ("assistant", ANSWER, []),
    ]
    other = [*record[:2], said("user", "Result of sell_boat(boat=7):\n\nsold"), said("assistant", ANSWER)]  # fmt: skip
    assert not any(one.tool_calls for one in only(tmp_path, other).episode.steps)
