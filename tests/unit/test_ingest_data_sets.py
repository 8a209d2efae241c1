"""Result files of data sets and benchmarks that the readers had not seen: each fault once, in a small invented conversation."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ingest.formats.conversation_record import _without_simulators
from ingest.formats.records.written_calls import listed_calls
from ingest.records.episode import Step
from tests.unit.test_ingest_harnesses import (
    ANSWER,
    ASKED,
    FIND,
    PROMPT,
    Record,
    decoded,
    only,
    said,
    told,
)

SEVEN = '{"boat": 7}'
CLOSE = [("close_boat", {"boat": 7})]


def test_a_call_in_a_frame_beside_acts_of_speech(tmp_path: Path) -> None:
    """The acts say what the sentence does; the call and what it brought stand before the sentence."""
    acts = [{"act": "INFORM", "slot": "boat", "values": ["7"]}]
    frame = {"actions": acts, "service": "Boats_1", "slots": []}
    done = {"service_call": {"method": "find_boat", "parameters": {"boat": 7}}, "service_results": [{"free": "yes"}]}  # fmt: skip
    turns = [
        {"speaker": "USER", "utterance": ASKED, "frames": [frame | {"state": {}}]},
        {"speaker": "SYSTEM", "utterance": ANSWER, "frames": [frame | done]},
        {"speaker": "USER", "utterance": "Thanks.", "frames": [frame | {"state": {}}]},
        {"speaker": "SYSTEM", "utterance": "Bye.", "frames": [frame]},
    ]
    chat = only(tmp_path, {"dialogue_id": "1_00000", "services": ["Boats_1"], "turns": turns})
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", None, FIND),
        ("tool", '[{"free": "yes"}]', []),
        ("assistant", ANSWER, []),
        ("user", "Thanks.", []),
        ("assistant", "Bye.", []),
    ]


def pairs(boat: int) -> Record:
    """An instance of a data set: steps as pairs, with what a program wrote of them."""
    given = json.dumps({"boat": boat})
    wrote = f"\nAGENT Thought: I look.\nAGENT Action: find_boat\nAGENT Action Input: {given}"
    steps = [[["find_boat", given, wrote], "free"]]
    return {"input": f"Is boat {boat} free?", "output": ANSWER, "intermediate_steps": steps}


def test_records_in_groups_below_what_is_said_of_each_group(tmp_path: Path) -> None:
    """A list of services, each with its own runs; whose turn it is stands before the labels of what the model wrote."""
    groups = [
        {"Name": "Boats", "Description": "Rents boats.", "Instances": [pairs(7), pairs(8)]},
        {"Name": "Bikes", "Description": "Rents bikes.", "Instances": [pairs(9)]},
    ]
    found = decoded(tmp_path, groups)
    assert found.rejected == []
    boats = (7, 8, 9)
    assert [told(chat.episode.steps) for chat in found.chats] == [
        [
            ("user", f"Is boat {boat} free?", []),
            ("assistant", "I look.", [("find_boat", {"boat": boat})]),
            ("tool", "free", []),
            ("assistant", ANSWER, []),
        ]
        for boat in boats
    ]


LISTING = [
    {"name": "Find Boat", "description": "Finds one.", "parameters": {"type": "dict", "properties": {"boat": {"type": "int"}}}},
    {"name": "boats.close", "parameters": {"type": "dict", "properties": {}}},
]  # fmt: skip


def listed(system: str) -> Record:
    """A conversation whose calls are lists in the text, and whose results name their tools."""
    turns = [
        ("user", ASKED),
        ("assistant", '[Find Boat(boat=7, note="a (b), c")]'),
        ("tool", '[{"name": "Find Boat", "results": {"free": true}}]'),
        ("assistant", "[Find Boat(boat=8), boats.close()]"),
        ("tool", '[{"name": "Find Boat", "results": [1]}, {"name": "boats.close", "error": "no"}]'),
        ("assistant", ANSWER),
    ]
    return {"system": system, "conversations": [{"from": who, "value": text} for who, text in turns]}  # fmt: skip


def test_tools_with_blanks_in_their_names_and_definitions_among_the_words_of_a_prompt(
    tmp_path: Path,
) -> None:
    """Each result is what the list holds under its tool's name; Python's types are JSON Schema's."""
    chat = only(tmp_path, listed(f"Use these functions: {json.dumps(LISTING)}. See [the rules]."))
    assert told(chat.episode.steps)[1:] == [
        ("user", ASKED, []),
        ("assistant", None, [("Find Boat", {"boat": 7, "note": "a (b), c"})]),
        ("tool", '{"free": true}', []),
        ("assistant", None, [("Find Boat", {"boat": 8}), ("boats.close", {})]),
        ("tool", "[1]", []),
        ("tool", '{"name": "boats.close", "error": "no"}', []),
        ("assistant", ANSWER, []),
    ]
    tools = [json.loads(tool)["function"] for tool in chat.episode.tools]
    assert {tool["name"] for tool in tools} == {"Find Boat", "boats.close"}
    assert tools[0]["parameters"]["type"] == "object"


@pytest.mark.parametrize(
    "prompt", [PROMPT, f"Like {json.dumps(LISTING[:1])}", 'Say [{"a": 1}] or [{']
)
def test_a_prompt_that_defines_other_things_or_less_than_was_called(
    tmp_path: Path, prompt: str
) -> None:
    """An example of a definition is not what the agent was offered."""
    assert only(tmp_path, listed(prompt)).episode.tools == ()


@pytest.mark.parametrize(
    "text", ["[Jones et al(2019)]", "[f(a=1) g(b=2)]", "[f(a=1), ]", "[f(a=1)] done"]
)
def test_what_is_no_list_of_calls(text: str) -> None:
    """A title with its year, calls without a comma, words behind the list: all of it stays text."""
    assert listed_calls(text) == []


COMMANDS = "COMMANDS:\nopen:\n  docstring: opens a file\n  signature: open <path>\n"
AT = "(Open file: n/a)\nbash-$"


def item(role: str, text: str, prompt: str | None = None) -> Record:
    """A message of a trajectory whose prompt has a field of its own."""
    return {"role": role, "system_prompt": prompt, "text": text}


def terminal(after: str = AT) -> Record:
    """A trajectory of commands in blocks, which a terminal answers from the user's side."""
    return {
        "instance_id": "boats-1",
        "target": False,
        "trajectory": [
            item("system", "", COMMANDS),
            item("user", f"{ASKED}\n{AT}"),
            item("ai", "DISCUSSION\nI look.\n```\nls -F\n```"),
            item("user", f"boats.py\n{AT}"),
            item("ai", "```\nopen boats.py\n```"),
            item("user", f"free = 7\n{after}"),
            item("ai", "DISCUSSION\nDone.\n```\nsubmit\n```"),
        ],
        "exit_status": "early_exit",
        "generated_patch": None,
    }


def test_commands_in_blocks_that_a_terminal_answers(tmp_path: Path) -> None:
    """A command that the prompt documents is a tool of its own, all others are the shell's; the truth beside the patch judges it."""
    chat = only(tmp_path, terminal())
    assert told(chat.episode.steps) == [
        ("system", COMMANDS, []),
        ("user", f"{ASKED}\n{AT}", []),
        ("assistant", "I look.", [("bash", {"command": "ls -F"})]),
        ("tool", f"boats.py\n{AT}", []),
        ("assistant", None, [("open", {"command": "open boats.py"})]),
        ("tool", f"free = 7\n{AT}", []),
        ("assistant", "Done.", [("bash", {"command": "submit"})]),
    ]
    assert [(one.name, one.value, one.correction) for one in chat.outcomes] == [
        ("success", 0.0, None)
    ]


def test_commands_as_a_table_without_its_empty_cells_keeps_them(tmp_path: Path) -> None:
    """The prompt's text is no text at all, and a run without a patch says how it ended."""
    record = terminal()
    del record["generated_patch"]
    record["trajectory"][0]["text"] = None
    chat = only(tmp_path, record)
    assert chat.episode.steps[0].content == COMMANDS
    assert [(one.name, one.value) for one in chat.outcomes] == [("success", 0.0)]


@pytest.mark.parametrize("after", ["And now?", "<p>No</p>", "And in C#", "It may cost 5$"])
def test_a_user_who_answers_a_command_in_words_asks_on(tmp_path: Path, after: str) -> None:
    """Somebody who shows commands to a person has them in blocks, too."""
    chat = only(tmp_path, terminal(after))
    assert [s.role for s in chat.episode.steps] == ["system", *["user", "assistant"] * 3]


def test_a_truth_without_a_patch_stays_the_right_answer(tmp_path: Path) -> None:
    """`target` is what the answer should have been elsewhere."""
    record = {"target": True, "messages": [said("user", ASKED), said("assistant", "Yes.")]}
    (outcome,) = only(tmp_path, record).outcomes
    assert (outcome.name, outcome.correction) == ("target", "yes")


def acting(actions: list[str], keys: str = "observation thought action") -> Record:
    """A trajectory whose steps tell what the agent saw before it acted."""
    seen = ["You are at the pier.", *(f"seen {n}" for n in range(len(actions) - 1))]
    steps = [{"observation": s, "thought": "I act.", "action": a} for s, a in zip(seen, actions, strict=True)]  # fmt: skip
    ordered = [{key: step[key] for key in keys.split()} for step in steps]
    return {"instruction": ASKED, "finished": True, "trajectory": ordered}


CALLS = [
    "find_boat(boat=7)",
    'Python(file="a.py"):\n```python\nprint(7)\n```',
    "close_boat(boat=7)",
]


def test_steps_that_tell_first_what_was_seen_before_the_action(tmp_path: Path) -> None:
    """What an action brought is in the next step; actions that all are calls in Python's notation are those tools'."""
    assert told(only(tmp_path, acting(CALLS)).episode.steps) == [
        ("user", ASKED, []),
        ("assistant", "I act.", FIND),
        ("tool", "seen 0", []),
        ("assistant", "I act.", [("Python", {"file": "a.py", "code": "print(7)"})]),
        ("tool", "seen 1", []),
        ("assistant", "I act.", CLOSE),
    ]


def test_sorted_fields_say_nothing_of_their_order_and_one_command_makes_all_the_shells(
    tmp_path: Path,
) -> None:
    """Elsewhere a step holds its action and what this brought."""
    record = acting([*CALLS[:1], "ls -F"], "action observation thought")
    assert told(only(tmp_path, record).episode.steps) == [
        ("user", ASKED, []),
        ("assistant", "I act.", [("bash", {"command": "find_boat(boat=7)"})]),
        ("tool", "You are at the pier.", []),
        ("assistant", "I act.", [("bash", {"command": "ls -F"})]),
        ("tool", "seen 0", []),
    ]


def test_what_a_scenario_says_of_itself_is_no_verdict(tmp_path: Path) -> None:
    """Whether a scenario is of the happy kind was known before anybody spoke."""
    record = {"scenario": {"happy": True}, "messages": [said("user", ASKED), said("assistant", ANSWER)]}  # fmt: skip
    assert only(tmp_path, record).outcomes == ()


def model_call(task: str, messages: list[Record], answer: Record | None) -> Record:
    """A call to a model that names the task which it is about."""
    output = None if answer is None else {"id": "r1", "choices": [{"message": answer}]}
    return {
        "id": f"{task}-{len(messages)}-{messages[0]['content'][:9]}",
        "task_id": task,
        "started_at": "2026-03-02T08:00:00Z",
        "inputs": {"model": "m", "temperature": 0, "messages": messages},
        "output": output,
    }


def simulated(task: str, broken: bool) -> list[Record]:
    """The calls of an agent and of the model that plays its user."""
    asks, agent = f"{ASKED} ({task})", f"{ANSWER} ({task})"
    plays = [said("system", "You are a user."), said("user", "How can I help?")]
    works = [said("system", PROMPT), said("user", asks)]
    made = {"id": "c1", "type": "function", "function": {"name": "find_boat", "arguments": "{}"}}
    act = said("assistant", None, tool_calls=[made])
    seen = [*works, act, said("tool", "free", tool_call_id="c1")]
    whole = [*plays, said("assistant", asks), said("user", agent)]
    return [
        model_call(task, plays, said("assistant", asks)),
        model_call(task, works, act),
        model_call(task, seen, None if broken else said("assistant", agent)),
        *([] if broken else [model_call(task, whole, said("assistant", "STOP"))]),
    ]


def test_a_model_that_plays_the_user_is_no_agent(tmp_path: Path) -> None:
    """Its calls stand among the agent's, about the same task, with the roles turned round; of one whose run was broken off the sentence that begins it tells."""
    calls = [*simulated("1", broken=False), *simulated("2", broken=True)]
    found = decoded(tmp_path, {"config": {}, "calls": calls})
    assert found.rejected == []
    assert sorted((c.episode.task_key, len(c.episode.steps)) for c in found.chats) == [
        ("1", 5),
        ("2", 4),
    ]


def test_an_agent_that_greets_as_a_user_does_is_an_agent(tmp_path: Path) -> None:
    """A greeting in common makes nobody a model that plays the user."""
    greets = [said("user", "Good day"), said("assistant", "Hello"), said("user", "Boats?")]
    calls = simulated("1", broken=False)
    calls[1]["inputs"]["messages"].insert(1, said("user", "Hello"))
    calls = [*calls, model_call("1", greets, said("assistant", "We have seven."))]
    found = decoded(tmp_path, {"config": {}, "calls": calls})
    assert "We have seven." in [chat.episode.steps[-1].content for chat in found.chats]


def test_many_calls_about_a_task_are_compared_soon(tmp_path: Path) -> None:
    """The time does not grow with the square of their number."""
    calls = [call for n in range(2) for call in simulated(str(n), broken=False)]
    acts, _ = decoded(tmp_path, {"config": {}, "calls": calls}).chats
    plain = replace(acts, episode=replace(acts.episode, steps=acts.episode.steps[:2]))
    began = time.process_time()
    more = ((*acts.episode.steps, Step(role="user", content=str(n))) for n in range(20_000))
    many = [replace(acts, episode=replace(acts.episode, steps=steps)) for steps in more]
    assert len([*_without_simulators([*many, *[plain] * 20_000])]) == 40_000
    assert time.process_time() - began < 3


FILES: dict[str, list[Any]] = {
    "groups": [[{"Name": "Boats", "Instances": [pairs(7), pairs(8)]}]],
    "terminal": [terminal()],
    "acting": [acting(CALLS)],
    "listed": [listed(f"Use {json.dumps(LISTING)}")],
}
"""The same as files, for the test of odd values."""
