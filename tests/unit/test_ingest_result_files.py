"""Files of published harnesses and of data frames that the readers had not seen: each fault once, in a small invented conversation."""

from __future__ import annotations

import csv
import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from ingest.dialects.attributes import python_literal, python_objects
from ingest.formats.records.verdicts import outcome_of
from ingest.formats.records.written_calls import acts_in_columns, plain_act, written_call
from tests.unit.exported_lines import decoded_below
from tests.unit.ingest_emitters import APP
from tests.unit.test_ingest_harnesses import (
    ANSWER,
    ASKED,
    WHOLE,
    Record,
    answered,
    call,
    decoded,
    only,
    said,
    told,
)

FIND: list[tuple[str, Any]] = [("find_boat", {"boat": 7})]
CLOSE: list[tuple[str, Any]] = [("close_boat", {"boat": 7})]


def test_a_turn_may_hold_the_calls_between_question_and_answer(tmp_path: Path) -> None:
    """What was done about a question stands before its answer, although the item names it last."""
    called = {
        "tool_name": "find_boat",
        "args": {"boat": 7},
        "result": ["free"],
        "tool_call_id": "a",
    }
    turns = [
        {"user": ASKED, "assistant": ANSWER, "tool_calls": [called]},
        {"user": "Thanks.", "assistant": "Bye.", "tool_calls": []},
    ]
    chat = only(tmp_path, {"task_id": "t-1", "question": "Boats?", "history": turns, "score": True})
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", None, FIND),
        ("tool", '["free"]', []),
        ("assistant", ANSWER, []),
        ("user", "Thanks.", []),
        ("assistant", "Bye.", []),
    ]


def test_a_name_that_both_sides_have_is_nobodys(tmp_path: Path) -> None:
    """A log may say of each message for which agent it was kept."""
    messages = [said("user", ASKED, agent="main"), said("assistant", ANSWER, agent="main")]
    chat = only(tmp_path, {"id": "7", "messages": messages})
    assert told(chat.episode.steps) == [("user", ASKED, []), ("assistant", ANSWER, [])]


def test_calls_in_tags_may_be_written_as_python_writes_them(tmp_path: Path) -> None:
    """What stands before them in a tag of its own is said without the tag."""
    text = "<scratch_pad>\nI look.\n</scratch_pad>\n<tool_call>\n{'name': 'find_boat', 'arguments': {'boat': 7}}\n</tool_call>"
    turns = [
        {"from": "human", "value": ASKED},
        {"from": "gpt", "value": text},
        {"from": "tool", "value": '<tool_response>\n{"free": true}\n</tool_response>'},
        {"from": "gpt", "value": ANSWER},
    ]
    chat = only(tmp_path, {"id": "7", "conversations": turns})
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", "I look.", FIND),
        ("tool", '{"free": true}', []),
        ("assistant", ANSWER, []),
    ]


def test_several_calls_under_the_old_name_for_one_have_a_list_of_results(tmp_path: Path) -> None:
    """Also one call in such a list has its result in one."""
    calls = [{"name": "find_boat", "arguments": {"boat": 7}}]
    more = [*calls, {"name": "close_boat", "arguments": {"boat": 7}}]
    turns = [
        {"role": "user", "content": ASKED},
        {"role": "assistant", "function_call": calls},
        {"role": "observation", "content": [{"free": True}]},
        {"role": "assistant", "function_call": more},
        {"role": "observation", "content": [{"free": True}, {"error": "in use"}]},
        {"role": "assistant", "content": ANSWER},
    ]
    chat = only(tmp_path, {"id": "7", "turns": turns})
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", None, FIND),
        ("tool", '{"free": true}', []),
        ("assistant", None, FIND + CLOSE),
        ("tool", '{"free": true}', []),
        ("tool", '{"error": "in use"}', []),
        ("assistant", ANSWER, []),
    ]


def test_the_list_of_events_that_openhands_saves(tmp_path: Path) -> None:
    """Without a record around it; an action's sentence for people is not what the agent said."""
    events = [
        {"id": 0, "source": "user", "message": ASKED, "action": "message", "args": {"content": ASKED}},
        {"id": 1, "source": "agent", "message": "Running command: ls", "action": "run", "args": {"command": "ls", "thought": "I look."}},
        {"id": 2, "source": "agent", "message": "It ran.", "cause": 1, "observation": "run", "content": "boats", "extras": {}},
        {"id": 3, "source": "agent", "message": "All done!", "action": "finish", "args": {"outputs": {}, "thought": ANSWER}},
    ]  # fmt: skip
    chat = only(tmp_path, events)
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", "I look.", [("run", {"command": "ls"})]),
        ("tool", "boats", []),
        ("assistant", ANSWER, [("finish", {"outputs": {}})]),
    ]


class _Shown:
    """An object that shows itself as a text of Python's."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


STEP = _Shown("AgentAction(tool='find_boat', tool_input={'boat': 7}, log='Thought: I look.\\nAction:\\n```\\n{\"action\": \"find_boat\", \"action_input\": {\"boat\": 7}}\\n```')")  # fmt: skip
CHAIN = {"input": ASKED, "output": ANSWER, "intermediate_steps": [(STEP, [{"free": True}])]}
GRAPH = {
    "messages": [
        _Shown(f"HumanMessage(content={ASKED!r}, additional_kwargs={{}}, id='h1')"),
        _Shown("AIMessage(content='I look.', tool_calls=[{'name': 'find_boat', 'args': {'boat': 7}, 'id': 'c1', 'type': 'tool_call'}])"),
        _Shown("ToolMessage(content=\"[{'free': True}]\", name='find_boat', tool_call_id='c1')"),
        _Shown(f"AIMessage(content={ANSWER!r})"),
    ]
}  # fmt: skip
PLAIN = [
    said("user", ASKED),
    said("assistant", "I look.", tool_calls=[{"id": "a", "type": "function", "function": {"name": "find_boat", "arguments": '{"boat": 7}'}}]),
    {"role": "tool", "tool_call_id": "a", "content": "[{'free': True}]"},
    said("assistant", ANSWER),
]  # fmt: skip
IN_FULL = [
    ("user", ASKED, []),
    ("assistant", "I look.", FIND),
    ("tool", "[{'free': True}]", []),
    ("assistant", ANSWER, []),
]


@pytest.mark.parametrize(
    "column", [CHAIN, GRAPH, GRAPH["messages"], PLAIN], ids=["chain", "graph", "list", "messages"]
)
def test_a_data_frames_table_holds_objects_as_python_shows_them(
    tmp_path: Path, column: object
) -> None:
    """A column of dictionaries, or of a framework's objects; a run that broke off at once costs no other row."""
    path = tmp_path / "runs.csv"
    with path.open("w", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["query", "full_response", "correct"])
        table.writerows([ASKED, str(column), str(good)] for good in (True, False, True, True))
        table.writerow([ASKED, "{'input': 'x', 'output': '', 'intermediate_steps': []}", "False"])
    found = decoded_below(path, app=APP)
    assert [told(chat.episode.steps) for chat in found.chats[:4]] == [IN_FULL] * 4
    assert [[o.value for o in chat.outcomes] for chat in found.chats[:2]] == [[1.0], [0.0]]


def test_what_an_agent_wrote_in_pythons_notation_stays_text(tmp_path: Path) -> None:
    """A cell that is a list of calls is a message's text, and its calls."""
    path = tmp_path / "runs.csv"
    with path.open("w", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["session_id", "role", "content"])
        for name in ("a", "b"):
            table.writerows(
                [name, role, text]
                for role, text in (("user", ASKED), ("assistant", "[Find(boat=7)]"), ("tool", "[{'free': True}]"), ("assistant", ANSWER))
            )  # fmt: skip
    for chat in decoded_below(path, app=APP).chats:
        assert told(chat.episode.steps) == [
            ("user", ASKED, []),
            ("assistant", None, [("Find", {"boat": 7})]),
            ("tool", "[{'free': True}]", []),
            ("assistant", ANSWER, []),
        ]


def test_a_record_may_hold_such_a_text(tmp_path: Path) -> None:
    """The same in a line of JSON."""
    chat = only(tmp_path, {"query": ASKED, "result": str(CHAIN)})
    assert told(chat.episode.steps) == IN_FULL


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Point(x=1, y=[None, True])", {"type": "Point", "x": 1, "y": [None, True]}),
        ("{'at': datetime.datetime(2026, 9, 1)}", {"at": "datetime.datetime(2026, 9, 1)"}),
        ("[(P(x=1), {'a': 'b'}), (P(x=2), 'c')]", [[{"type": "P", "x": 1}, "{'a': 'b'}"], [{"type": "P", "x": 2}, "c"]]),
        ("{'a': nan}", None),
        ("[{'x': {[1]}}]", None),
        ("{'x': b'hello', 'y': {1}, 'z': 1j, 'e': ...}", {"x": "b'hello'", "y": "{1}", "z": "1j", "e": "..."}),
        (r"{'x': '\d'}", {"x": r"\d"}),
        ("{**x}", None),
        ("P(**x)", None),
        ("{'a': ", None),
        ("(" * 10_000, None),
    ],
)  # fmt: skip
def test_what_python_shows(text: str, value: object) -> None:
    """Nothing of it is carried out, and all of it is JSON."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert python_objects(text) == value


@pytest.mark.parametrize("text", ["{[1]}", "{{}: 1}"])
def test_what_python_could_not_make_shows_nothing(text: str) -> None:
    """A list in a set, an object as a key."""
    assert python_literal(text, "kept") == "kept"


def test_requests_to_a_web_service_are_calls(tmp_path: Path) -> None:
    """The method is the tool; a call alone in its message is one where the agent acts in this way, and its record is no answer."""
    history = [
        said("user", ASKED),
        said("agent", "GET http://localhost/boats?name=Sea Cat"),
        said("user", "Here is the response: []"),
        said("agent", 'POST http://localhost/boats\n{"boat": 7}'),
        said("user", "Accepted."),
        said("agent", "FINISH([7])"),
    ]
    record = {"index": 7, "output": {"index": 7, "result": "[7]", "history": history}}
    assert told(only(tmp_path, record).episode.steps) == [
        ("user", ASKED, []),
        ("assistant", None, [("GET", {"url": "http://localhost/boats?name=Sea Cat"})]),
        ("tool", "Here is the response: []", []),
        ("assistant", None, [("POST", {"url": "http://localhost/boats", "body": {"boat": 7}})]),
        ("tool", "Accepted.", []),
        ("assistant", None, [("FINISH", {"input": [7]})]),
    ]


def test_a_tool_may_stand_before_its_input_on_one_line() -> None:
    """With or without a word between; a request without an object keeps its text."""
    for between in (" with Action Input: ", "\nAction Input: ", " Action Input:"):
        found = written_call(f'Thought: I look.\n\nAction: find_boat{between}{{"boat": 7}}')
        assert found is not None
        assert (found.text, json.loads(found.calls[0]["function"]["arguments"])) == ("I look.", {"boat": 7})  # fmt: skip


@pytest.mark.parametrize("form", ["Code:\n```py\n{}\n```<end_code>", "<code>\n{}\n</code>"])
def test_a_program_that_is_told_twice_is_one_call(tmp_path: Path, form: str) -> None:
    """In the agent's text, and as the bare text that its interpreter is called with; what it gave back last is the answer."""
    programs = ("boats = find_boats()\nprint(boats)", "final_answer('7')")
    messages = [said("user", ASKED)]
    for number, program in enumerate(programs):
        function = {"name": "python_interpreter", "arguments": program}
        call = {"id": f"c{number}", "type": "function", "function": function}
        messages.append(said("assistant", f"I look.\n{form.format(program)}"))
        messages.append(said("tool-call", f"Calling tools:\n{[call]}"))
        messages.append(said("tool-response", "Boat 7"))
    chat = only(tmp_path, {"id": "7", "messages": messages, "prediction": "7"})
    runs = [("assistant", "I look.", [("python", {"command": one})]) for one in programs]
    steps = told(chat.episode.steps)
    assert steps == [("user", ASKED, []), runs[0], ("tool", "Boat 7", []), runs[1], ("tool", "Boat 7", [])]  # fmt: skip


def world(*acts: str) -> list[Record]:
    """A conversation with a world of text."""
    turns = [said("user", "You may act."), said("assistant", "OK."), said("user", ASKED)]
    for act in acts:
        turns += [
            said("assistant", f"Thought:\nI look.\n\nAction:\n{act}"),
            said("user", "A pier."),
        ]
    return turns


def test_actions_in_words_are_calls_where_an_agent_does_nothing_else(tmp_path: Path) -> None:
    """The verb is the tool, of one word or two; the last one may have had no answer."""
    acts = ("go to pier 1", "look around", "take rope 2 from pier 1", "wait1")
    chat = only(tmp_path, {"item_id": "w-1", "messages": world(*acts)[:-1]})
    steps = told(chat.episode.steps)
    assert steps[1:3] == [("assistant", "OK.", []), ("user", ASKED, [])]
    assert [calls for role, _, calls in steps[3:] if role == "assistant"] == [
        [("go to", {"input": "pier 1"})],
        [("look around", {})],
        [("take", {"input": "rope 2 from pier 1"})],
        [("wait1", {})],
    ]
    assert [role for role, _, _ in steps[3:]] == ["assistant", "tool"] * 3 + ["assistant"]


@pytest.mark.parametrize(
    "messages",
    [
        world("go to pier 1", "look"),
        world("go to pier 1", "look", "I think that nobody is here.", "look", "look"),
        [*world("go to pier 1", "look"), said("assistant", "Hm."), *world("look", "look")[3:]],
        [
            said("user", ASKED),
            said("assistant", "GET http://localhost/boats"),
            said("user", "Thanks."),
            said("assistant", "Bye."),
        ],
        [said("user", ASKED), said("assistant", "GET http://localhost/boats")],
    ],
)
def test_what_is_only_said_under_such_a_label_stays_said(
    tmp_path: Path, messages: list[Record]
) -> None:
    """Two such lines, or others between, are an agent's plan."""
    chat = only(tmp_path, {"id": "7", "messages": messages})
    assert not any(step.tool_calls for step in chat.episode.steps)


def test_what_was_done_and_seen_in_lists_side_by_side(tmp_path: Path) -> None:
    """An action without a tool's name is the input of `action`; the last reward counts."""
    runs = {
        str(number): {
            "task_id": number,
            "query": ASKED,
            "turn_history": {
                "thoughts": ["I look.", "Done."],
                "actions": ["SHOW BOATS", "submit"],
                "observations": ["[(7,)]", "[(7,)]"],
                "rewards": [0, float(number == 1)],
            },
        }
        for number in (1, 2)
    }
    found = decoded(tmp_path, runs).chats
    assert [[o.value for o in chat.outcomes] for chat in found] == [[1.0], [0.0]]
    assert told(found[0].episode.steps) == [
        ("user", ASKED, []),
        ("assistant", "I look.", [("action", {"input": "SHOW BOATS"})]),
        ("tool", "[(7,)]", []),
        ("assistant", "Done.", [("submit", {})]),
        ("tool", "[(7,)]", []),
    ]


@pytest.mark.parametrize(
    "value",
    [
        {"actions": ["a b", "c d"], "observations": ["x"]},
        {"actions": [{"a": 1}], "observations": ["x"]},
        {"actions": [], "observations": []},
        {"actions": ["a b"], "observations": ["x"], "thoughts": ["t", "u"]},
        {"observations": ["x"]},
    ],
)
def test_lists_that_are_not_side_by_side(value: Record) -> None:
    """Of different lengths, of objects, or empty."""
    assert acts_in_columns(value) == []


def test_what_a_model_wrote_where_no_tool_is_named_is_its_answer(tmp_path: Path) -> None:
    """Steps that name their tool, and a last one that names none."""
    steps = [
        {"type": "tool_call", "tool_name": "find_boat", "arguments": '{"boat": 7}', "output": "free"},
        {"type": "output_text", "tool_name": None, "arguments": None, "output": ANSWER},
    ]  # fmt: skip
    chat = only(tmp_path, {"query_id": "7", "query": ASKED, "result": steps})
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", None, FIND),
        ("tool", "free", []),
        ("assistant", ANSWER, []),
    ]


def test_item_ids_that_come_again_are_a_tasks(tmp_path: Path) -> None:
    """Attempts that say the same are told apart by their place."""
    lines = [{"item_id": f"b-{n % 2}", "messages": [said("user", ASKED), said("assistant", ANSWER)]} for n in range(4)]  # fmt: skip
    chats = decoded(tmp_path, lines, "runs.jsonl").chats
    assert [chat.episode.task_key for chat in chats] == ["b-0", "b-1", "b-0", "b-1"]
    assert len({chat.episode.episode_id for chat in chats}) == 4


@pytest.mark.parametrize(
    ("value", "share"),
    [
        ({"result": 1, "total": 4}, 0.25),
        ({"total": 2, "result": 2}, 1.0),
        ({"score": 0, "max_score": 3}, 0.0),
        ({"result": 5, "total": 4}, 5.0),
        ({"result": 1, "total": 0}, 1.0),
    ],
)
def test_a_figure_that_has_its_whole_beside_it_is_a_share(value: Record, share: float) -> None:
    """More than the whole, or a whole of nothing, is no share."""
    assert outcome_of("final_score", value) == {"name": "final_score", "by": "unknown", "value": share}  # fmt: skip


def test_plain_acts() -> None:
    """Sentences with stops, capitals or more than ten words are what somebody says; a request stands alone."""
    sent = plain_act("PUT http://localhost/boats\nseven")
    assert sent is not None
    assert json.loads(sent.calls[0]["function"]["arguments"])["body"] == "seven"
    assert plain_act("I GET http://localhost/boats") is None
    assert plain_act("find_boat(boat=7)") is not None
    assert plain_act("print(x)") is None
    assert plain_act("Action: Go to pier 1") is None
    assert plain_act("Action: look around.") is None
    assert plain_act("Action: " + "a " * 11 + "b") is None
    assert plain_act("I look") is None


@pytest.mark.parametrize(
    ("complete", "correct", "names"),
    [(2, 0, {"correct"}), (2, 2, {"correct", "score"})],
)
def test_figures_of_several_judges_under_one_bare_name_are_nobodys(
    tmp_path: Path, complete: int, correct: int, names: set[str]
) -> None:
    """Where they differ nothing says whose counts; what has a name of its own does."""
    judged = {"complete": {"score": complete}, "correct": {"score": correct}}
    record = {"id": "7", "messages": [said("user", ASKED), said("assistant", ANSWER)]}
    chat = only(tmp_path, {**record, "judged": judged})
    assert {o.name for o in chat.outcomes} == names


@pytest.mark.parametrize("apart", [True, False])
@pytest.mark.parametrize("mark", ["Observation", "Error"])
def test_calls_that_a_framework_lists_behind_what_its_agent_says(
    tmp_path: Path, *, apart: bool, mark: str
) -> None:
    """The agent's program, the call that it became and its result by the call's id are one call, whoever tells them."""
    program = "print(find_boat(7))"
    own = f"I look.\nCode:\n```py\n{program}\n```<end_code>"
    function = {"name": "python_interpreter", "arguments": program}
    listed = f"Calling tools:\n{[{'id': 'c1', 'type': 'function', 'function': function}]}"
    made = [own, listed] if apart else [f"{own}\n{listed}"]
    messages = [
        said("user", ASKED),
        *(said("assistant", one) for one in made),
        said("user", f"Call id: c1\n{mark}:\nfree"),
        said("assistant", ANSWER),
    ]
    chat = only(tmp_path, {"id": "7", "messages": messages})
    ran = [("python", {"command": program})]
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", "I look.", ran),
        ("tool", "free", []),
        ("assistant", ANSWER, []),
    ]
    assert chat.episode.steps[2].is_error is (True if mark == "Error" else None)


def test_a_list_of_calls_that_somebody_shows_names_no_result(tmp_path: Path) -> None:
    """A user who quotes an id that nobody called by is the user."""
    messages = [said("user", "Call id: c1\nObservation:\nfree"), said("assistant", ANSWER)]
    chat = only(tmp_path, {"id": "7", "messages": messages})
    assert [one.role for one in chat.episode.steps] == ["user", "assistant"]


def test_a_step_that_failed_has_an_error_in_the_place_of_a_result(tmp_path: Path) -> None:
    """Of the calls of a run one has no result at all."""
    steps: list[Record] = [
        {"tool": "find_boat", "parameters": {"boat": 7}, "result": "free"},
        {"tool": "find_boat", "parameters": {"boat": 7}, "error": "HTTP 429"},
    ]
    run = {"task_id": "t1", "task_description": ASKED, "execution_results": steps}
    chat = only(tmp_path, {**run, "final_solution": ANSWER})
    assert [(one.content, one.is_error) for one in chat.episode.steps if one.role == "tool"] == [
        ("free", None),
        ("HTTP 429", True),
    ]


def test_of_two_lists_the_one_in_which_somebody_asks_is_what_happened(tmp_path: Path) -> None:
    """A list of calls that would have been right stands beside it, under the likelier name."""
    right = [
        said("assistant", None, tool_calls=[call(8)]),
        said("tool", "…", tool_call_id="call_8"),
    ]
    row = {"id": "7", "prompt": ASKED, "trajectory": right, "raw_history": answered()}
    assert told(only(tmp_path, row).episode.steps)[1:] == WHOLE
    sent = [*answered(), said("user", "And boat 8?")]
    row = {"id": "7", "question": ASKED, "trajectory": answered()[2:], "sent": sent}
    assert told(only(tmp_path, row).episode.steps) == WHOLE


def test_verdicts_on_parts_are_none_on_the_whole(tmp_path: Path) -> None:
    """Each is about a sentence of its own; a list of ratings ends with the one that counts."""
    claims = [{"claim": f"Boat {n} is free.", "outcome": word} for n, word in ((7, "fulfilled"), (8, "not fulfilled"))]  # fmt: skip
    record = {"id": "7", "messages": [said("user", ASKED), said("assistant", ANSWER)]}
    assert only(tmp_path, {**record, "claim_scores": claims}).outcomes == ()
    rated = [{"by": "Kim", "outcome": word} for word in ("not fulfilled", "fulfilled")]
    assert len(only(tmp_path, {**record, "claim_scores": rated}).outcomes) == 1


def test_what_ends_a_log_under_a_word_of_its_own_came_back_from_the_last_call(
    tmp_path: Path,
) -> None:
    """Nobody else has no role."""
    ended = [*answered()[:3], said("exit", "patch 7")]
    steps = only(tmp_path, {"id": "7", "messages": ended}).episode.steps
    assert (steps[-1].role, steps[-1].content, steps[-1].call_id) == ("tool", "patch 7", "call_7")
    for text, role in (("TimeoutExpired", "system"), (ANSWER, "assistant")):
        ended = [*answered()[:4], said("exit", text)]
        steps = only(tmp_path, {"id": "7", "messages": ended}).episode.steps
        assert (steps[-1].role, steps[-1].content) == (role, text)


def test_a_question_that_stands_apart_is_not_all_that_was_said(tmp_path: Path) -> None:
    """What a file of verdicts repeats of a run holds the question once more, in a list of its own."""
    asked = said("user", ASKED)
    turns = [{"asked": [asked], "step_0": [said("assistant", ANSWER)]}]
    row = {"id": "b-7", "valid": False, "prompt": {"question": [[asked]]}, "log": turns}
    assert told(only(tmp_path, row).episode.steps) == [
        ("user", ASKED, []),
        ("assistant", ANSWER, []),
    ]
