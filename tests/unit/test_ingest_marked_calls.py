"""Calls that models write behind marks of their own, in the texts of messages: each mark once, in a small invented conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.formats.records.text_calls import calls_in, listed_tools
from ingest.formats.records.written_calls import written_call
from tests.unit.test_ingest_harnesses import ANSWER, ASKED, Record, only, said, told

FIND: list[tuple[str, Any]] = [("find_boat", {"boat": "7"})]
STEPS = [
    ("user", ASKED, []),
    ("assistant", "I look.", FIND),
    ("tool", "free", []),
    ("assistant", ANSWER, []),
]
GIVEN = '{"name": "find_boat", "arguments": {"boat": "7"}}'
MARKED = {
    "a tag that does not end": f"<functioncall> {GIVEN} <|endoftext|>",
    "arguments in quotes": """<function_call> {"name": "find_boat", "arguments": '{"boat": "7"}'}""",
    "quotes in quotes": """<functioncall> {"name": "find_boat", "arguments": '{"boat": "7 'Gull'\\n"}'}""",
    "a word in brackets": f"[TOOL_CALLS] [{GIVEN}]",
    "a token": '<|python_tag|>{"name": "find_boat", "parameters": {"boat": "7"}}<|eom_id|>',
    "tags with names": "<function=find_boat>\n<parameter=boat>7</parameter>\n</function>",
    "the same in a tag": "<tool_call>\n<function=find_boat>\n<parameter=boat>\n7\n</parameter>\n</function>\n</tool_call>",
    "an object in such a tag": '<function=find_boat>{"boat": "7"}</function>',
    "names as attributes": '<function_calls>\n<invoke name="find_boat">\n<parameter name="boat">7</parameter>\n</invoke>\n</function_calls>',
}


@pytest.mark.parametrize("text", MARKED.values(), ids=MARKED)
def test_calls_behind_the_marks_of_models(tmp_path: Path, text: str) -> None:
    """Whatever a model's template puts around a call; what is said before it stays."""
    turns = [said("user", ASKED), said("assistant", f"I look.\n\n{text}"), said("tool", "free"), said("assistant", ANSWER)]  # fmt: skip
    steps = told(only(tmp_path, {"id": "7", "messages": turns}).episode.steps)
    made = [("find_boat", {"boat": "7 'Gull'\n"})] if "Gull" in text else FIND
    assert steps == [STEPS[0], ("assistant", "I look.", made), *STEPS[2:]]


@pytest.mark.parametrize("mark", ["OBSERVATION:\n", "EXECUTION RESULT of [find_boat]:\n"])
def test_calls_in_tags_with_names_may_be_answered_from_the_users_side(
    tmp_path: Path, mark: str
) -> None:
    """What the file does not mark as a result is the user's."""
    text = f"I look.\n\n{MARKED['tags with names']}"
    turns = [said("user", ASKED), said("assistant", text), said("user", f"{mark}free"), said("assistant", ANSWER), said("user", "Thanks."), said("assistant", "<function=leave>\n</function>")]  # fmt: skip
    prompt = "You may call:\n\n---- BEGIN FUNCTION #1: find_boat ----\nDescription: Find one.\n---- END FUNCTION #1 ----\n\n---- BEGIN FUNCTION #2: leave ----\n"
    chat = only(tmp_path, {"id": "7", "messages": [said("system", prompt), *turns]})
    assert told(chat.episode.steps)[1:] == [
        *STEPS,
        ("user", "Thanks.", []),
        ("assistant", None, [("leave", {})]),
    ]
    assert [json.loads(one)["function"]["name"] for one in chat.episode.tools] == [
        "find_boat",
        "leave",
    ]


@pytest.mark.parametrize(
    "text",
    ["Write <tool_call> to call.", "<function=find_boat>the boat</function>", "<function_call> soon", "[TOOL_CALLS] are marks"],
)  # fmt: skip
def test_marks_without_a_call_stay_text(text: str) -> None:
    """A text about such a mark is no call."""
    assert calls_in(text) is None


def test_a_result_that_names_its_tool_is_what_stands_beside_the_name(tmp_path: Path) -> None:
    """Each of several, too; another name is part of what the tool gave back."""
    calls = "\n".join(f"<tool_call>{GIVEN}</tool_call>" for _ in range(2))
    back = "".join(f"<tool_response>\n{json.dumps(one)}\n</tool_response>\n" for one in ({"name": "find_boat", "content": {"free": True}}, {"name": "Gull", "content": "a boat"}))  # fmt: skip
    turns = [said("user", ASKED), said("assistant", calls), said("tool", back), said("assistant", ANSWER)]  # fmt: skip
    chat = only(tmp_path, {"id": "7", "messages": turns})
    results = [text for role, text, _ in told(chat.episode.steps) if role == "tool"]
    assert results == ['{"free": true}', '{"name": "Gull", "content": "a boat"}']


def test_a_labelled_text_with_marks_and_a_prompt_that_lists_tools(tmp_path: Path) -> None:
    """What ends a turn is nobody's words, nor is the label of the prompt; tools may follow one another without a list."""
    tools: list[Record] = [{"name": name, "description": "A boat.", "parameters": {}} for name in ("find_boat", "close_boat")]  # fmt: skip
    prompt = "You may call:\n" + "\n".join(json.dumps(one, indent=4) for one in tools)
    chat = f"USER: {ASKED}\n\n\nASSISTANT: I look. {MARKED['arguments in quotes']} <|endoftext|>\n\n\nFUNCTION RESPONSE: free\n\n\nASSISTANT: {ANSWER} <|endoftext|>\n\n\n"
    read = only(tmp_path, [{"system": f"SYSTEM: {prompt}\n", "chat": chat}], "chats.json").episode
    assert told(read.steps) == [("system", f"{prompt}\n", []), *STEPS]
    assert [json.loads(one)["function"]["name"] for one in read.tools] == ["find_boat", "close_boat"]  # fmt: skip
    assert listed_tools('{"name": "x"} and {\n"name": "y"}') == []


def test_actions_with_several_arguments_in_brackets(tmp_path: Path) -> None:
    """A name, what it is done to in brackets, and more behind a semicolon, as agents at screens write them."""
    acts = ["Click [3]", "Type [1]; a red boat", "Scroll [WINDOW]; [down]", "GoBack", "ANSWER; Boat 7 is free."]  # fmt: skip
    turns = [said("user", f"{ASKED} Observation: a page")]
    for act in acts:
        turns += [said("assistant", f"Thought: I go on.\nAction: {act}"), said("user", "Observation: a page")]  # fmt: skip
    turns[4] = said("user", "Say an action.")
    steps = told(only(tmp_path, turns[:-1], "messages.json").episode.steps)
    calls = [made for _, _, listed in steps for made in listed]
    assert calls == [
        ("Click", {"input": "3"}),
        ("Type", {"input": ["1", "a red boat"]}),
        ("Scroll", {"input": ["WINDOW", "down"]}),
        ("GoBack", {}),
    ]
    assert [role for role, *_ in steps].count("tool") == 3
    assert steps[4][:2] == ("user", "Say an action.")
    assert steps[-1][1] == "Boat 7 is free."


@pytest.mark.parametrize(
    "line", ["Wait [for it] now", "I ask [him]", "None; done", "Click [3] or [4]"]
)
def test_what_only_looks_like_such_an_action(line: str) -> None:
    """A sentence with brackets in it is none."""
    assert written_call(f"Action: {line}") is None


@pytest.mark.parametrize("form", ["<tools>\n{}\n</tools>", "<tools>{}</tools> Be kind."])
def test_tools_of_a_prompt_in_pythons_notation(form: str) -> None:
    """As templates of models show the list that they are given."""
    tools = [{"name": "find", "description": "A boat's.", "parameters": {"type": "object"}}]
    assert listed_tools(form.format([{"type": "function", "function": tools[0]}])) == tools


def test_tools_that_a_prompt_defines_as_functions() -> None:
    """Below a line that says so, as an agent that acts in programs is told of them; other code defines none."""
    code = '```python\ndef find_boat(boat: int) -> str:\n    """Finds one.\n\n    Args: boat"""\n\ndef leave() -> None:\n    """Ends it."""\n```'
    tools = listed_tools(f"You only have these tools:\n{code}\nBegin!")
    assert [one["name"] for one in tools] == ["find_boat", "leave"]
    assert tools[1]["description"] == "Ends it."
    assert listed_tools(f"Mend this file:\n{code}") == []
