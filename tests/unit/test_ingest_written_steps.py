"""Agents whose files write an action as text in a step, a line or a log: each layout once, in a small invented conversation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingest.formats.format import Decoded
from tests.unit.exported_lines import decoded_below
from tests.unit.ingest_emitters import APP
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


def test_lines_of_several_attempts_are_a_run_each(tmp_path: Path) -> None:
    """Whether the attempt alone is named, or with its task."""
    for beside in ({}, {"task_id": "t-7"}):
        lines = [
            {**beside, "run_id": run, "thought": "I look.", "action": f"find[{boat}]", "observation": "free"}
            for run, boat in ((1, 7), (1, 8), (2, 7))
        ]  # fmt: skip
        found = decoded(tmp_path, lines, "steps.jsonl")
        assert [len(one.episode.steps) for one in found.chats] == [4, 2]
        assert len({one.episode.episode_id for one in found.chats}) == 2


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
        [{"if": "late", "action": {"type": "close", "id": 7}, "result": "ok"}],
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


@pytest.mark.parametrize(
    ("program", "tool"),
    [("print(find(7))", "python"), ("ls -la", "execute"), ("f(7)\nfind .", "execute")],
)
def test_programs_that_call_something_in_pythons_notation_are_in_python(
    tmp_path: Path, program: str, tool: str
) -> None:
    """Where the prompt names no language."""
    messages = [
        said("user", ASKED),
        said("assistant", f"<execute>\n{program}\n</execute>"),
        said("user", "Observation:\nfree"),
    ]
    chat = only(tmp_path, {"messages": messages})
    assert [one.name for one in chat.episode.steps[1].tool_calls] == [tool]


def test_such_a_tag_that_nobody_answers_with_a_result_is_said(tmp_path: Path) -> None:
    """Somebody is shown how a program would look."""
    text = "Try this:\n<execute>\nprint(7)\n</execute>"
    messages = [said("user", ASKED), said("assistant", text), said("user", "Thanks.")]
    chat = only(tmp_path, {"messages": messages})
    assert told(chat.episode.steps)[1] == ("assistant", text, [])


HOW = "Solve a task with interleaving Thought, Action, Observation steps.\n(1) Find[boat].\n(2) Finish[answer].\n"
LOG = f"""
#######
BEGIN TRIAL 0
#######
------------- BEGIN CORRECT AGENTS -------------

{HOW}Question: {ASKED}
Thought 1: I look.
Action 1: Find[7]
Observation 1: free

on Friday
Thought 2:
Action 2: Finish[yes]
Observation 2: Answer is CORRECT

Correct answer: yes

------------- BEGIN INCORRECT AGENTS -----------

{HOW}Question: Is boat 8 free?
Thought 1: I know it.
Action 1: Finish[no]
Observation 1: Answer is INCORRECT

Correct answer: yes

------------- BEGIN HALTED AGENTS --------------

{HOW}Question: Is boat 9 free?
Action 1: Find[9]
Observation 1: taken
"""


def text(folder: Path, body: str) -> Decoded:
    """What a log in text holds."""
    (folder / "run.txt").write_text(body)
    return decoded_below(folder / "run.txt", app=APP)


def test_a_log_in_text_of_thoughts_and_actions(tmp_path: Path) -> None:
    """Each question begins a run; the heading above says how it went, and the line behind it what was right."""
    found = text(tmp_path, LOG)
    assert found.rejected == []
    assert told(found.chats[0].episode.steps) == [
        ("system", HOW.strip(), []),
        ("user", ASKED, []),
        ("assistant", "I look.", [("Find", {"input": "7"})]),
        ("tool", "free\n\non Friday", []),
        ("assistant", None, [("Finish", {"input": "yes"})]),
        ("tool", "Answer is CORRECT", []),
    ]
    assert [[one.value for one in chat.outcomes] for chat in found.chats] == [[1.0], [0.0], []]
    tools = [json.loads(one)["function"]["name"] for one in found.chats[0].episode.tools]
    assert tools == ["Find", "Finish"]


def test_a_later_round_tells_again_what_went_well(tmp_path: Path) -> None:
    """Each attempt once, under the heading that stands above it there."""
    good, _, rest = LOG.partition("------------- BEGIN INCORRECT")
    again = rest.partition("------------- BEGIN HALTED")[0].replace("Finish[no]", "Finish[yes]")
    second = f"{good}{again.partition('-----------')[2]}"
    found = text(tmp_path, f"{LOG}\n{second}")
    assert [[one.value for one in chat.outcomes] for chat in found.chats] == [
        [1.0],
        [0.0],
        [],
        [1.0],
    ]


def test_steps_under_numbers_hold_all_that_is_said_below(tmp_path: Path) -> None:
    """The prompt stands below the last heading; a tool's name may have several words where its input has a label."""
    body = (
        "model: m-1\n======== Start ========\nYou rent out boats.\n- Find Boat:\n\n"
        f"Booking Problem: {ASKED}\n\n"
        'Step 0:\n\nPlan: 1. Look.\nThought: I look.\nAction: Find Boat\nAction Input: {\n  "boat": 7\n}\n\n'
        "Observation:\nfree\n\nStep 1:\n\nPlan: done.\nAction: Book Boat\nAction Input: {}\n\nObservation:\nok\n\n"
    )
    (chat,) = text(tmp_path, body).chats
    assert told(chat.episode.steps) == [
        ("system", "You rent out boats.\n- Find Boat:", []),
        ("user", ASKED, []),
        ("assistant", "Plan: 1. Look.\nThought: I look.", [("Find Boat", {"boat": 7})]),
        ("tool", "free", []),
        ("assistant", "Plan: done.", [("Book Boat", {})]),
        ("tool", "ok", []),
    ]


def test_examples_of_a_prompt_are_no_runs(tmp_path: Path) -> None:
    """A log of one run, which its prompt's examples precede."""
    run = "Question: Is boat {n} free?\nThought 1: I look.\nAction 1: Find[{n}]\nObservation 1: {n} is free\n\n"
    body = "Here are some examples:\n" + "".join(run.format(n=n) for n in (1, 2, 3))
    (chat,) = text(tmp_path, body).chats
    assert chat.episode.steps[0].content == "Is boat 3 free?"


def test_a_text_about_such_logs_is_none(tmp_path: Path) -> None:
    """A note with a label or two."""
    assert text(tmp_path, "Question: why?\nAnswer: because.\n\nAction: call Ann\n").chats == []


def turn(who: str, words: str) -> Record:
    """Something that somebody says, under a word of the file's own."""
    return {"type": "talk", "speaker": who, "utterance": words, "at": 1.5}


def act(name: str, given: Record) -> Record:
    """Something that somebody does, who it is the file does not say."""
    return {"type": "hand", "state": {"page": "p.html"}, "action": {"intent": name, "arguments": given}}  # fmt: skip


ACTED = [
    turn("pilot", "Hello."),
    turn("caller-in", ASKED),
    act("load", {"url": "boats"}),
    act("click", {"id": 7}),
    turn("pilot", ANSWER),
    turn("caller-in", "And boat 8?"),
    act("click", {"id": 8}),
]


def test_two_who_talk_of_whom_one_acts(tmp_path: Path) -> None:
    """Who acts when the other has spoken, and speaks when it is done, is the agent, also where it greets first."""
    chat = only(tmp_path, {"data": ACTED, "id": "r-1"})
    assert told(chat.episode.steps) == [
        ("assistant", "Hello.", []),
        ("user", ASKED, []),
        ("assistant", None, [("load", {"url": "boats"})]),
        ("assistant", None, [("click", {"id": 7})]),
        ("assistant", ANSWER, []),
        ("user", "And boat 8?", []),
        ("assistant", None, [("click", {"id": 8})]),
    ]


def test_where_both_speak_alike_around_what_is_done_nobody_is_the_agent(tmp_path: Path) -> None:
    """A log that leaves it open is refused."""
    assert decoded(tmp_path, {"data": [*ACTED[:3], turn("caller-in", "Oh."), *ACTED[3:5]]}).chats
    assert not decoded(tmp_path, {"data": [ACTED[1], ACTED[2], ACTED[1], ACTED[4]]}).chats


def test_pairs_of_who_speaks_and_what_is_said(tmp_path: Path) -> None:
    """No pairs of a question and its answer, under whatever key."""
    for key in ("history", "original"):
        chat = only(tmp_path, {"id": "r-1", key: [["customer", ASKED], ["agent", ANSWER]]})
        assert told(chat.episode.steps) == [("user", ASKED, []), ("assistant", ANSWER, [])]
    asked = [["What is a user?", "Somebody."], ["And an agent?", "Somebody, too."]]
    assert only(tmp_path, {"id": "r-1", "history": asked}).episode.steps[0].content == asked[0][0]


def test_a_document_of_parts_is_read_whole(tmp_path: Path) -> None:
    """Lists of conversations by what they are for; where something else stands beside them, they are not alike."""
    parts = {
        name: [{"id": f"{name}-1", "turns": [["customer", ASKED], ["agent", f"{ANSWER} {name}"]]}]
        for name in ("train", "dev", "test")
    }
    found = decoded(tmp_path, parts)
    assert [one.episode.conversation_id for one in found.chats] == ["train-1", "dev-1", "test-1"]


def test_a_file_that_is_the_steps(tmp_path: Path) -> None:
    """A bare list is one run, not a record a step."""
    assert told(only(tmp_path, STEPS).episode.steps) == DONE


def test_actions_that_are_objects_of_a_kind(tmp_path: Path) -> None:
    """What a hand does on a screen: its kind is the tool, the rest its arguments, and what came of it a picture; that it is a call is no kind."""
    hands = [
        {"thought": "I open it.", "action": {"action_type": "open_app", "app_name": "Boats"}, "screenshot": SHOT},
        {"thought": "", "action": {"action_type": "click", "x": 3, "text": None}, "screenshot": SHOT},
        {"thought": "", "action": {"action_type": "tool_use", "name": "press", "input": {"key": "a"}}, "screenshot": SHOT},
    ]  # fmt: skip
    chat = only(tmp_path, {"task": ASKED, "id": "r-1", "steps": hands, "success": True})
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", "I open it.", [("open_app", {"app_name": "Boats"})]),
        ("tool", "", []),
        ("assistant", None, [("click", {"x": 3})]),
        ("tool", "", []),
        ("assistant", None, [("press", {"key": "a"})]),
        ("tool", "", []),
    ]


def test_what_stands_before_an_action_was_there_before_it(tmp_path: Path) -> None:
    """The order of the fields says so; what came of the last action nobody tells."""
    steps = [
        {"observation": "a shop", "thought": "I look.", "action": "open[boats]"},
        {"observation": "boat 7: free", "thought": "I take it.", "action": "take[7]"},
    ]
    chat = only(tmp_path, {"task": ASKED, "id": "r-1", "moves": steps})
    assert told(chat.episode.steps)[1:] == [
        ("assistant", "I look.", [("open", {"input": "boats"})]),
        ("tool", "boat 7: free", []),
        ("assistant", "I take it.", [("take", {"input": "7"})]),
    ]


def browsed(number: int, act: Record, seen: Record) -> Record:
    """A step of an agent at a browser: what it put out, what came of it, what its client told it."""
    wrote = {"thinking": "Hm.", "evaluation": "Fine.", "next_goal": f"Step {number}.", "action": [act]}  # fmt: skip
    state = {"url": "https://boats.example", "tabs": [], "interacted_element": [None]}
    asked = f"<agent_state>\n<user_request>\n{ASKED}\n</user_request>\n</agent_state>"
    beside = {"state": state, "metadata": {"step_number": number}, "state_message": asked}
    return {"model_output": wrote, "result": [{"is_done": False, **seen}], **beside}


BROWSED: Record = {"history": [browsed(1, {"click": {"index": 7}}, {"extracted_content": "Clicked.", "judgement": {"verdict": True}})]}  # fmt: skip


@pytest.mark.parametrize("judged", [True, False, None])
def test_actions_under_the_names_of_their_tools(tmp_path: Path, judged: bool | None) -> None:
    """What a client tells the model holds the question; what a judge says of the last step is the outcome, what the agent claims is none."""
    verdict = {} if judged is None else {"judgement": {"reasoning": "Seen.", "verdict": judged}}
    steps = [
        browsed(1, {"click": {"index": 7}}, {"extracted_content": "Clicked.", "memory": "Then"}),
        browsed(2, {"input": {"index": 8, "text": "x"}}, {"error": "No field 8."}),
        {"model_output": None, "result": [{"is_done": False, "error": "It did not answer."}]},
        browsed(3, {"done": {"text": ANSWER, "success": True}}, {"success": True, **verdict, "extracted_content": ANSWER}),
    ]  # fmt: skip
    chat = only(tmp_path, {"history": steps})
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", "Fine.\nStep 1.", [("click", {"index": 7})]),
        ("tool", "Clicked.", []),
        ("assistant", "Fine.\nStep 2.", [("input", {"index": 8, "text": "x"})]),
        ("tool", "No field 8.", []),
        ("assistant", "Fine.\nStep 3.", [("done", {"text": ANSWER, "success": True})]),
        ("tool", ANSWER, []),
    ]
    assert [one.is_error for one in chat.episode.steps if one.role == "tool"] == [None, True, None]
    outcomes = [(one.name, one.value) for one in chat.outcomes]
    assert outcomes == ([] if judged is None else [("judgement", float(judged))])


FEEDBACK = "He has an opinion.\n<feedback>\nAnd boat 8?\n</feedback>"


@pytest.mark.parametrize("is_native", [True, False])
def test_what_comes_back_from_a_tool_only_from_the_user_is_the_users(
    tmp_path: Path, *, is_native: bool
) -> None:
    """An agent that shows its answers by calls in tags, or as a model makes them, whose second one nobody answers; a remark on another call stays its result."""

    def called(number: int, name: str, key: str, value: str) -> Record:
        text = {"type": "text", "text": f"Well.\n\n<{name}>\n<{key}>{value}</{key}>\n</{name}>"}
        call = {"type": "tool_use", "id": f"t{number}", "call_id": "", "name": name, "input": {key: value}}  # fmt: skip
        parts = [{"type": "text", "text": "Well."}, call] if is_native else [text]
        return {"role": "assistant", "content": parts}

    def back(number: int, name: str, text: str) -> Record:
        head = {"type": "text", "text": f"[{name}] Result:"}
        part = {"type": "text", "text": text}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": [part]}
        return {"role": "user", "content": [result] if is_native else [head, part]}

    messages: list[Record] = [
        {"role": "user", "content": [{"type": "text", "text": f"<task>\n{ASKED}\n</task>"}]},
        called(1, "find_boat", "id", "7"),
        back(1, "find_boat", "free"),
        called(2, "show_answer", "text", ANSWER),
        back(2, "show_answer", FEEDBACK),
        called(3, "find_boat", "id", "8"),
        back(3, "find_boat", FEEDBACK),
        called(4, "show_answer", "text", "No."),
    ]
    chat = only(tmp_path, messages, "history.json")
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", "Well.", [("find_boat", {"id": "7"})]),
        ("tool", "free", []),
        ("assistant", "Well.", [("show_answer", {"text": ANSWER})]),
        ("user", "And boat 8?", []),
        ("assistant", "Well.", [("find_boat", {"id": "8"})]),
        ("tool", FEEDBACK, []),
        ("assistant", "Well.", [("show_answer", {"text": "No."})]),
    ]


@pytest.mark.parametrize(
    ("asks", "back", "is_users"),
    [
        ("Which day?", "<answer>Monday</answer>", True),
        ("Which day?", "<answer>\nMonday\n</answer>\n", True),
        ("the day", "<user_message>Monday</user_message>", True),
        ("the day", "<answer>Monday</answer>", False),
        ("Which day?", "Found: <answer>Monday</answer>", False),
        ("Which day?", "Monday", False),
    ],
)
@pytest.mark.parametrize("mark", ["", "Observation: "])
def test_a_user_answers_where_a_result_stands_in_a_log_in_text(
    tmp_path: Path, asks: str, back: str, mark: str, *, is_users: bool
) -> None:
    """Actions in text, whose calls have no ids: a tag with the user's words is the user's message, whatever marks results."""
    spoken = [
        "Book boat 7.",
        "Action: find(id=7)",
        f"{mark}free",
        f"Action: ask(text={asks!r})",
        f"{mark}{back}",
        "Action: book(id=7)",
        f"{mark}ok",
        "Booked.",
    ]
    roles = ("user", "assistant")
    messages = [{"role": roles[n % 2], "content": text} for n, text in enumerate(spoken)]
    steps = told(only(tmp_path, {"messages": messages}).episode.steps)
    assert steps[4] == (("user", "Monday", []) if is_users else ("tool", back, []))
    assert [role for role, *_ in steps if role == "tool"] == ["tool"] * (3 - is_users)


def test_what_was_heard_and_seen(tmp_path: Path) -> None:
    """Contents of several media hold texts, transcripts beside sounds, and addresses of pictures, which nobody says; a thumb may have notes as an object in text."""
    heard = {"content_type": "audio_transcription", "text": "Draw a boat.", "direction": "in"}
    sound = {"content_type": "audio_asset_pointer", "asset_pointer": "file://a", "size_bytes": 9}
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "file://b", "width": 8}
    said: list[tuple[str, str, object, str]] = [
        ("user", "", {"content_type": "multimodal_text", "parts": [heard, sound]}, "all"),
        ("assistant", "", {"content_type": "code", "text": '{"prompt": "a boat"}'}, "draw"),
        ("tool", "draw", {"content_type": "multimodal_text", "parts": [picture, "Shown."]}, "all"),
        ("assistant", "", {"content_type": "text", "parts": ["Here it is."]}, "all"),
    ]
    messages = [
        {"id": f"m{n}", "author": {"role": role, "name": name or None}, "content": content, "recipient": to}
        for n, (role, name, content, to) in enumerate(said)
    ]  # fmt: skip
    chat = only(tmp_path, {"conversation_id": "c-1", "messages": messages})
    assert told(chat.episode.steps) == [
        ("user", "Draw a boat.", []),
        ("assistant", None, [("draw", {"prompt": "a boat"})]),
        ("tool", "Shown.", []),
        ("assistant", "Here it is.", []),
    ]
    row = {"id": "f-1", "conversation_id": "c-1", "rating": "thumbs_down", "content": '{"text": "not what I asked"}'}  # fmt: skip
    found = decoded(tmp_path, [row], "feedback.json")
    assert [(one.target_id, one.label) for one in found.outcomes] == [("c-1", "thumbs_down")]


@pytest.mark.parametrize("is_judges", [True, False])
def test_what_only_a_judge_says_is_no_conversation(tmp_path: Path, *, is_judges: bool) -> None:
    """A file that names its judge and holds that one's answer alone; one that holds the conversation, too, stays one."""
    response = {
        "choices": [{"message": {"role": "assistant", "content": "It did what was asked."}}]
    }
    talk = [{"role": "user", "content": ASKED}, {"role": "assistant", "content": ANSWER}]
    record = {"goal": ASKED, "judge": "strict", "judge_model_name": "m-1", "response": response}
    found = decoded(tmp_path, record if is_judges else {**record, "messages": talk})
    assert [len(one.episode.steps) for one in found.chats] == ([] if is_judges else [2])


def test_what_a_judge_was_asked_beside_its_answer_is_no_conversation(tmp_path: Path) -> None:
    """Whatever the judge's model is called; a verdict beside it tells of a run."""
    asked = [{"role": "system", "content": "You judge."}, {"role": "user", "content": ASKED}]
    response = {"choices": [{"message": {"role": "assistant", "content": "It went well."}}]}
    record = {"judge_model_name": "m-1", "messages": asked, "response": response}
    assert decoded(tmp_path, record).chats == []
    assert len(decoded(tmp_path, {**record, "reward": 1}).chats) == 1
    named = {"judge": "strict", "messages": asked, "response": response}
    assert len(decoded(tmp_path, named).chats) == 1
