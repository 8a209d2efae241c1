"""Folders of results that the readers had not seen: each fault once, in a small invented conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dagster_project.arrival.chat_lines import raw_lines
from dagster_project.home.layout import open_home
from ingest.formats.records.written_calls import acts_in_columns, acts_in_world
from tests.unit.test_dagster_project_verdict_files import Files, outcomes, run
from tests.unit.test_ingest_harnesses import (
    ANSWER,
    ASKED,
    FIND,
    PROMPT,
    WHOLE,
    Record,
    answered,
    call,
    decoded,
    only,
    said,
    told,
)
from tests.unit.test_ingest_parts_of_runs import taken_in, written

TRACE = 'Thought: I look.\nAction: find_boat\nAction Input: {"boat": 7}\nObservation: free\n'
PLAIN = {"name": "find_boat", "label": "$1", "arguments": {"boat": 7}}
CALLED = [("user", ASKED, []), ("assistant", None, FIND)]


@pytest.mark.parametrize("key", ["trace", "generated_text"])
def test_an_agents_thoughts_and_actions_in_a_text_of_any_name(tmp_path: Path, key: str) -> None:
    """Nobody else writes both labels; a text of which the agent says all is none."""
    text = f"{TRACE}Thought: I know.\nFinal Answer: {ANSWER}"
    record = {"question_id": "q-1", "question": ASKED, key: text}
    assert told(only(tmp_path, record).episode.steps) == [
        ("user", ASKED, []),
        ("assistant", "I look.", FIND),
        ("tool", "free", []),
        ("assistant", ANSWER, []),
    ]
    other = {"question_id": "q-1", "question": ASKED, "note": "Thought: I know."}
    assert decoded(tmp_path, other).chats == []


def test_a_run_that_a_field_holds_as_text(tmp_path: Path) -> None:
    """Its steps are read as those of a file are."""
    steps = [{"task": ASKED}, {"step": 1, "tool_calls": [call(7)], "observations": "free"}]
    chat = only(tmp_path, {"task_id": "t-1", "agent_notes": json.dumps(steps)})
    assert told(chat.episode.steps) == [*CALLED, ("tool", "free", [])]


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (json.dumps([PLAIN]), None),
        (f"So:\n```json\n{json.dumps([PLAIN])}\n```", "So:"),
        (f"<tool_call>\n{json.dumps([PLAIN])}\n</tool_call>", None),
    ],
)
def test_what_a_model_generated_may_be_a_list_of_calls(
    tmp_path: Path, made: str, words: str | None
) -> None:
    """What stands beside it under a name for an output would have been right."""
    right = json.dumps([{**PLAIN, "arguments": {"boat": 8}}])
    record = {"sample_id": "s-1", "input": ASKED, "output": right, "generated_text": made}
    steps = only(tmp_path, {**record, "win": 1.0}).episode.steps
    assert told(steps) == [("user", ASKED, []), ("assistant", words, FIND)]


@pytest.mark.parametrize("text", ['[{"name": "boat", "size": 7}]', '["a"]', "[{]"])
def test_a_list_of_anything_else_is_said(tmp_path: Path, text: str) -> None:
    """A tool has arguments."""
    steps = only(tmp_path, {"messages": [said("user", ASKED), said("assistant", text)]})
    assert told(steps.episode.steps) == [("user", ASKED, []), ("assistant", text, [])]


def test_plain_acts_that_results_answer(tmp_path: Path) -> None:
    """Marks make two of them calls, also where the agent says something else between; a number is a choice."""
    turns = [
        *(said("user", ASKED), said("assistant", "Thought: I go.\nAction: go to dock 7")),
        *(said("user", "Observation: Which one?"), said("assistant", "Let me think.")),
        *(said("user", "Observation: Act!"), said("assistant", "Action: 1")),
        said("user", "Observation: It is free."),
    ]
    assert told(only(tmp_path, {"messages": turns}).episode.steps) == [
        ("user", ASKED, []),
        ("assistant", "I go.", [("go to", {"input": "dock 7"})]),
        ("tool", "Which one?", []),
        ("assistant", "Let me think.", []),
        ("user", "Observation: Act!", []),
        ("assistant", None, [("1", {})]),
        ("tool", "It is free.", []),
    ]
    other = [*turns[:2], said("user", "Which one?"), *turns[5:6], said("user", "Why?")]
    steps = only(tmp_path, {"messages": other}).episode.steps
    assert not any(step.tool_calls for step in steps)


def test_actions_at_a_screen_beside_thoughts() -> None:
    """Nothing in the file says what was seen."""
    acts = ["<a> Boats -> CLICK", "<input> Day -> TYPE: Friday", "GOTO: boats.example", "DONE"]
    found = acts_in_columns({"action_history": acts, "thoughts": ["a", "b", "c", "d"]})
    calls = [one["tool_calls"][0]["function"] for one in found]
    assert [(one["name"], json.loads(one["arguments"])) for one in calls] == [
        ("CLICK", {"element": "<a> Boats"}),
        ("TYPE", {"element": "<input> Day", "value": "Friday"}),
        ("GOTO", {"input": "boats.example"}),
        ("DONE", {}),
    ]
    assert [one["content"] for one in found] == ["a", "b", "c", "d"]
    assert acts_in_columns({"action_history": acts, "thoughts": ["a"]}) == []


GOAL = {"Goal": ASKED}
LOOK = {"Id": 0, "Observation": "You are at the dock."}
SEEN = {"Observation": "It is free."}


@pytest.mark.parametrize(
    "items",
    [
        [GOAL, LOOK, {"Action": "look at boat 7", **SEEN, "Progress": 1}],
        [GOAL, LOOK, {"Action": "look at boat 7"}, SEEN, {"Progress": 1}],
    ],
)
def test_a_goal_and_what_was_done_in_a_world_for_it(tmp_path: Path, items: list[Record]) -> None:
    """An action and what came of it may stand together or one behind the other."""
    assert told(only(tmp_path, {"id": "w-1", "trajectory": items}).episode.steps) == [
        ("user", f"{ASKED}\n\nYou are at the dock.", []),
        ("assistant", None, [("look at", {"input": "boat 7"})]),
        ("tool", "It is free.", []),
    ]


def test_an_action_that_is_none() -> None:
    """It is what the agent says, and the world answers it; without a goal, or where nothing came of two actions, nothing is read."""
    refused = {"Action": "I am sorry, there is no such boat.", "Observation": "No such action."}
    said_so = [(one["role"], one["content"]) for one in acts_in_world([GOAL, refused])]
    assert said_so == [
        ("user", ASKED),
        ("assistant", refused["Action"]),
        ("tool", "No such action."),
    ]
    assert acts_in_world([LOOK, refused]) == []
    assert acts_in_world([GOAL, {"Action": "a b"}, {"Action": "a b"}]) == []


def evaluated(output: object, **beside: object) -> Record:
    """A row of an evaluation that keeps its prompt as text, with what a provider gave back."""
    raw = json.dumps(answered()[:2], indent=1)
    beside = {"provider": {"id": "m-1"}, "testIdx": 3, "score": 1, **beside}
    return {"prompt": {"raw": raw}, "promptId": "p", "response": {"output": output}, **beside}


@pytest.mark.parametrize(
    ("output", "last"),
    [
        ([call(7)], ("assistant", None, FIND)),
        (said("assistant", "Wait.", tool_calls=[call(7)]), ("assistant", "Wait.", FIND)),
        (ANSWER, ("assistant", ANSWER, [])),
    ],
)
def test_a_prompt_kept_as_text_in_an_object(
    tmp_path: Path, output: object, last: tuple[str, str | None, list[Any]]
) -> None:
    """An answer may be a list of calls; the tools are those of the settings that the row names; a prompt's id is no task's where a test has a number."""
    tool = {"type": "function", "function": {"name": "find_boat", "parameters": {}}}
    others = {**tool, "function": {"name": "sink_boat", "parameters": {}}}
    settings = [{"id": f"m-{n}", "config": {"tools": [one]}} for n, one in ((0, others), (1, tool))]
    value = {"config": {"providers": settings}, "results": {"results": [evaluated(output)]}}
    chat = only(tmp_path, value)
    assert told(chat.episode.steps) == [("system", PROMPT, []), ("user", ASKED, []), last]
    assert [json.loads(one)["function"]["name"] for one in chat.episode.tools] == ["find_boat"]
    assert chat.episode.task_key == "3"


def test_an_answer_that_tells_all_once_more_is_none(tmp_path: Path) -> None:
    """So a simulator prints the conversation that it kept beside."""
    talk = [said("user", ASKED), said("assistant", ANSWER), said("user", "Thanks.")]
    whole = "\n---\n".join(f"{one['role']}: {one['content']}" for one in talk)
    record = {"metadata": {"messages": talk}, "response": {"output": whole}, "score": 1}
    assert len(only(tmp_path, record).episode.steps) == 3


def test_a_models_whole_response_under_a_name_for_several(tmp_path: Path) -> None:
    """Anything else there would have been right."""
    made = {"choices": [{"message": said("assistant", ANSWER)}]}
    for outputs, answer in ((made, [ANSWER]), ([ANSWER], [])):
        record = {"inputs": {"messages": answered()[:2]}, "outputs": outputs, "id": "c"}
        found = [one for chat in decoded(tmp_path, record).chats for one in chat.episode.steps]
        assert [one.content for one in found if one.role == "assistant"] == answer


def test_a_mark_behind_one_call_that_a_framework_lists(tmp_path: Path) -> None:
    """A result needs no id there."""
    listed = f"Calling tools:\n[{call(7)!r}]"
    turns = [said("user", ASKED), said("assistant", listed), said("user", "Observation:\nfree")]
    steps = only(tmp_path, {"messages": turns}).episode.steps
    assert told(steps) == [*CALLED, ("tool", "free", [])]


def test_calls_that_are_quoted_with_other_marks(tmp_path: Path) -> None:
    """Their arguments have the names that a signature in the prompt gives them."""
    prompt = "- find_boat(name: str, day: str): finds one\n- list_boats(day: str): lists all"
    texts = ['I do find_boat("Ida", "Friday") and list_boats("Friday")', "Ida is free."]
    back = "Result of find_boat('Ida', 'Friday'):\n\nfree\nResult of list_boats('Friday'):\n\nIda"
    turns = [said("user", prompt), said("assistant", texts[0])]
    turns += [said("user", back), said("assistant", texts[1])]
    found = told(only(tmp_path, turns).episode.steps)
    assert found[1][2] == [
        ("find_boat", {"name": "Ida", "day": "Friday"}),
        ("list_boats", {"day": "Friday"}),
    ]
    assert [role for role, *_ in found] == ["user", "assistant", "tool", "tool", "assistant"]


@pytest.mark.parametrize(("feedback", "values"), [([], []), ([{"value": 0}], [0.0])])
def test_how_a_call_to_a_model_went_judges_nobody(
    tmp_path: Path, feedback: list[Record], values: list[float]
) -> None:
    """A gateway says of each call whether it was answered; what somebody thought of that says more."""
    made = {"id": "r1", "choices": [{"message": said("assistant", ANSWER)}]}
    record = {"request": {"model": "m-1", "messages": answered()[:2]}, "response": made}
    row = {**record, "created_at": "2026-04-01T10:02:02Z", "is_success": True, "feedback": feedback}
    found = decoded(tmp_path, [row, row], "log.jsonl")
    assert [one.value for one in found.outcomes[:1]] == values


def sampled(sent: list[Record], text: str, run: str = "boats.1") -> Record:
    """An event: a model was sent this, and answered that."""
    return {"sample_id": run, "type": "sampling", "data": {"prompt": sent, "sampled": [text]}}


def test_events_of_several_runs_at_once(tmp_path: Path) -> None:
    """What the model is told again of a call is that call's result; the file's own sums judge nobody."""
    begun = [said("system", PROMPT), said("user", ASKED)]
    retold = [*begun, said("assistant", "I look."), said("user", "It returned: free")]
    act = {"name": "find_boat", "arguments": {"boat": 7}, "return_value": "free"}
    events = [
        {"spec": {"eval": "boats"}},
        sampled(begun, "I look."),
        sampled(begun, "No.", "boats.2"),
        {"sample_id": "boats.1", "type": "function_call", "data": act},
        sampled(retold, ANSWER),
        {"sample_id": "boats.1", "type": "match", "data": {"correct": True}},
        {"sample_id": "boats.2", "type": "function_call", "data": act},
        {"sample_id": "boats.2", "type": "match", "data": {"correct": False}},
        {"final_report": {"accuracy": 0.5}},
    ]
    first, second = decoded(tmp_path, events, "log.jsonl").chats
    asked: list[Any] = [("system", PROMPT, []), ("user", ASKED, [])]
    result: Any = ("tool", "free", [])
    assert told(first.episode.steps) == [
        *(*asked, ("assistant", "I look.", FIND), result),
        ("assistant", ANSWER, []),
    ]
    assert told(second.episode.steps) == [*asked, ("assistant", "No.", FIND), result]
    assert [[one.value for one in chat.outcomes] for chat in (first, second)] == [[1.0], [0.0]]


def logged(number: int, folder: str) -> tuple[str, Record]:
    """A call to a model in a file that has the time in its name."""
    sent = answered()[: 2 * number]
    made = {"id": f"r{number}", "choices": [{"message": answered()[2 * number]}]}
    return f"{folder}/m-1738012{number}48.{5 * number}.json", {
        "messages": sent,
        "model": "m-1",
        "response": made,
        "timestamp": 1738012348.5,
    }


def test_calls_of_a_run_in_files_that_are_called_by_the_time(tmp_path: Path) -> None:
    """They are one run, and none where a list above tells it as well."""
    files = dict([logged(1, "calls/t-1"), logged(2, "calls/t-1")])
    (chat,) = taken_in(written(tmp_path, files)).chats
    assert told(chat.episode.steps)[1:] == WHOLE
    (tmp_path / "runs" / "all.jsonl").write_text(
        "\n".join(json.dumps({"task_id": f"t-{n}", "messages": answered(n)}) for n in (7, 8))
    )
    found = taken_in(tmp_path / "runs").chats
    assert [one.episode.task_key for one in found] == ["t-7", "t-8"]


def test_what_a_helper_is_asked_about_a_call_is_no_run(tmp_path: Path) -> None:
    """Nor is a beginning in a file of which no other folder has one by this number."""
    turns = [said("user", ASKED), said("assistant", 'find_boat("Ida")')]
    turns += [said("user", "Result of find_boat('Ida'):\nfree"), said("assistant", ANSWER)]
    helper = [said("user", 'find_boat("Ida")'), said("assistant", "{}")]
    files: dict[str, object] = {}
    for folder in "ab":
        rest = [*turns, said("user", f"Write {folder}."), said("assistant", folder)]
        files |= {f"{folder}/round_2.json": rest, f"{folder}/helper_0.json": [helper]}
    files["b/round_1.json"] = turns
    found = taken_in(written(tmp_path, files)).chats
    assert [len(one.episode.steps) for one in found] == [6, 6]


def test_a_report_that_names_all_and_says_which_went_well(tmp_path: Path) -> None:
    """A folder may be called by what was tried, and when."""
    names = ["boats__ida-7", "boats__eva-8"]
    files: Files = {f"{one}_2026-04-06_15-57-36/talk.json": run(one) for one in names}
    report = {"generated": names, "with_logs": names, "resolved": names[:1]}
    found, _ = outcomes(tmp_path, {**files, "report.json": report})
    assert found == {names[0]: {"resolved": 1.0}, names[1]: {"resolved": 0.0}}


def test_a_judges_folder_is_called_by_the_runs_that_it_judges(tmp_path: Path) -> None:
    """`north_result` judges `north`."""
    files: Files = {}
    for number, who in enumerate(("north", "south")):
        files |= {f"{who}/ida/result.json": run(who, task_id="ida")}
        row = {"task_id": "ida", "looks": [{"Score": 3}], "predicted_label": number}
        files |= {f"{who}_result/judge.json": [row]}
    found, _ = outcomes(tmp_path, files)
    assert found == {"north": {"predicted_label": 0.0}, "south": {"predicted_label": 1.0}}


def rounds(name: str, word: str = "round") -> Files:
    """What a model was sent and what it answered, round by round, and what a client noted of each."""
    sent = [f"Act in a terminal.\n\nTask:\nIs boat {name} free?\n\nNow:\nida@dock:~# "]
    sent.append("Current terminal state:\nls\nfree\nida@dock:~# ")
    acts = [{"plan": "I look.", "commands": [{"keystrokes": "ls\n", "wait": 1}]}, {"plan": ANSWER}]
    files: Files = {}
    for n, (text, act) in enumerate(zip(sent, acts, strict=True)):
        own = f"{name}/logs/{word}-{n}"
        note = {"model": "m-1", "messages": [said("user", f"{text[:20]}...")]}
        files |= {f"{own}/prompt.txt": text, f"{own}/response.txt": json.dumps(act)}
        files |= {f"{own}/debug.json": note}
    return files


def lines_of(folder: Path, files: Files) -> list[Record]:
    """The conversations of some files, as a chat log has them."""
    outcomes(folder, files)
    return [json.loads(line) for line in raw_lines(open_home(folder / "home"))]


def test_rounds_with_a_model_in_folders_of_their_own(tmp_path: Path) -> None:
    """They are one run, whose result says what was asked: the rest of the prompt is the template's."""
    files = rounds("a") | rounds("b")
    for n, name in enumerate("ab"):
        files[f"{name}/results.json"] = {"trial_name": name, "instruction": f"Is boat {name} free?", "is_resolved": bool(n)}  # fmt: skip
    found = lines_of(tmp_path, files)
    said_in = {one["messages"][1]["content"]: one for one in found}
    assert sorted(said_in) == ["Is boat a free?", "Is boat b free?"]
    talk = said_in["Is boat b free?"]["messages"]
    assert [one["role"] for one in talk] == ["system", "user", "assistant", "tool", "assistant"]
    assert talk[2]["tool_calls"][0]["function"]["name"] == "bash"
    assert talk[3]["content"] == "ls\nfree\nida@dock:~# "
    values = [said_in[one]["outcome"]["value"] for one in sorted(said_in)]
    assert values == [0.0, 1.0]


def test_attempts_in_folders_of_their_own_are_no_rounds(tmp_path: Path) -> None:
    """Nor are what begins alike, or a folder that lacks an answer."""
    alike = {name: "Is it free? " * 9 for name in rounds("b") if name.endswith("prompt.txt")}
    cut = {name: one for name, one in rounds("c").items() if "0/response" not in name}
    files = rounds("a", "attempt") | rounds("b") | alike | cut
    assert {len(one["messages"]) for one in lines_of(tmp_path, files)} == {1}


def test_a_document_of_a_tasks_folder_tells_what_its_prompt_wraps(tmp_path: Path) -> None:
    """What the prompt does not say is told by nobody."""
    files: Files = {}
    for n, asked in (("q-1", "Is boat q-1 free?"), ("q-2", "Which boat is free?")):
        talk = run(n)["messages"]
        talk[0]["content"] = f"Act as told.\n\nTask: Is boat {n} free?"
        files |= {f"out/{n}/logs/talk.json": talk, f"in/{n}/about.json": {"instruction": asked}}
    asked_in = [one["messages"][-2]["content"] for one in lines_of(tmp_path, files)]
    assert sorted(asked_in) == ["Act as told.\n\nTask: Is boat q-2 free?", "Is boat q-1 free?"]


def test_a_verdict_on_a_conversation_that_two_files_tell(tmp_path: Path) -> None:
    """Its state and its history are one run."""
    files: Files = {}
    for n in ("1", "2"):
        state = run(n, thread_id=f"t-{n}", created_at="2026-06-10T14:00:00Z")
        files |= {f"state/t-{n}.json": state, f"history/t-{n}.json": [state]}
    files["feedback.csv"] = "thread_id,key,score\nt-1,user_score,1\nt-2,user_score,0\n"
    found, arrived = outcomes(tmp_path, files)
    assert "unclear_verdict" not in arrived.rejected
    assert [[*found[n].values()] for n in ("1", "2")] == [[1.0], [0.0]]
