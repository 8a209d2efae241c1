"""Result files of harnesses and products that the readers had not seen: each fault once, in a small invented conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ingest.assembly.assemble import assemble
from ingest.files.chat_log import Chat
from ingest.formats.format import Decoded
from ingest.records.episode import Step
from tests.unit.exported_lines import decoded_below, only_episode
from tests.unit.ingest_emitters import APP

Record = dict[str, Any]

PROMPT = "You rent out boats."
ASKED = "Is boat 7 free on Friday?"
ANSWER = "Boat 7 is free on Friday."


def decoded(folder: Path, value: object, name: str = "export.json") -> Decoded:
    """What a file holds: a document, or lines where the name says so."""
    (folder / "data").mkdir(exist_ok=True)
    path = folder / "data" / name
    lines = value if isinstance(value, list) and name.endswith(".jsonl") else [value]
    path.write_text("\n".join(map(json.dumps, lines)))
    return decoded_below(path, app=APP)


def only(folder: Path, value: object, name: str = "export.json") -> Chat:
    """The one conversation of a file of which nothing is refused."""
    found = decoded(folder, value, name)
    assert found.rejected == []
    (chat,) = found.chats
    return chat


def told(steps: tuple[Step, ...]) -> list[tuple[str, str | None, list[tuple[str, Any]]]]:
    """Role, text and calls of each step."""
    return [
        (s.role, s.content, [(c.name, json.loads(c.arguments)) for c in s.tool_calls])
        for s in steps
    ]


def call(number: int) -> Record:
    """A call as OpenAI's API has it."""
    function = {"name": "find_boat", "arguments": json.dumps({"boat": number})}
    return {"id": f"call_{number}", "type": "function", "function": function}


def said(role: str, text: str | None, **beside: object) -> Record:
    """A message."""
    return {"role": role, "content": text, **beside}


def answered(number: int = 7) -> list[Record]:
    """A conversation of one call."""
    return [
        said("system", PROMPT),
        said("user", ASKED),
        said("assistant", None, tool_calls=[call(number)]),
        said("tool", '{"free": true}', tool_call_id=f"call_{number}"),
        said("assistant", ANSWER),
    ]


FIND = [("find_boat", {"boat": 7})]
WHOLE = [
    ("user", ASKED, []),
    ("assistant", None, FIND),
    ("tool", '{"free": true}', []),
    ("assistant", ANSWER, []),
]

VOTES: list[Record] = [
    {"chatId": "c1", "messageId": "m1", "isUpvoted": True},
    {"chatId": "c2", "messageId": "m2", "isUpvoted": False},
]
RUN: Record = {
    "id": "r1",
    "trace_id": "r1",
    "run_type": "llm",
    "start_time": "2026-03-02T08:00:00",
    "inputs": {"messages": answered()[:2]},
    "outputs": {"choices": [{"message": said("assistant", ANSWER)}]},
    "reference_example_id": "example-3",
    "feedback_stats": {
        "correct": {"n": 2, "avg": 0.5, "values": {}, "sources": ['{"type": "model"}']},
        "tone": {"n": 1, "avg": None, "values": {"kind": 1}},
        "length": {"n": 2, "avg": None, "values": {"short": 1, "long": 1}},
    },
}
RUN_OF_STEPS: list[Record] = [
    {"task": ASKED, "task_images": None},
    {
        "step_number": 1,
        "tool_calls": [call(6)],
        "observations": None,
        "error": {"type": "ToolError", "message": "no such boat"},
    },
    {"step_number": 2, "tool_calls": [call(7)], "observations": "free", "error": None},
]
_ROWS = [
    ("SYSTEM", "EXECUTION_ENVIRONMENT", "import boats", None),
    ("SYSTEM", "AGENT", PROMPT, None),
    ("SYSTEM", "USER", "You want boat 7.", None),
    ("USER", "AGENT", ASKED, None),
    ("AGENT", "EXECUTION_ENVIRONMENT", "given = {'boat': 7}\nprint(find_boat(**given))", "find_boat"),
    ("EXECUTION_ENVIRONMENT", "AGENT", '{"free": true}', "find_boat"),
    ("AGENT", "USER", ANSWER, None),
    ("USER", "EXECUTION_ENVIRONMENT", "given = {}\nend(**given)", "end"),
    ("EXECUTION_ENVIRONMENT", "USER", "None", "end"),
]  # fmt: skip
ADDRESSED: list[Record] = [
    dict(zip(("sender", "recipient", "content", "x_function_name"), row, strict=True))
    for row in _ROWS
]


def test_what_an_event_does_beside_its_words_is_no_call(tmp_path: Path) -> None:
    """A dump writes all fields, empty ones too; an object under `actions` that names no tool asks for nothing."""

    def part(**given: object) -> Record:
        return {"thought": None, "function_call": None, "function_response": None} | given

    def event(author: str, role: str, one: Record) -> Record:
        content = {"parts": [one], "role": role}
        actions: Record = {"skip_summarization": None, "state_delta": {}, "escalate": None}
        return {"content": content, "author": author, "actions": actions, "id": "e1"}

    asked = part(text=None, function_call={"id": "c1", "name": "find_boat", "args": {"boat": 7}})
    result = {"id": "c1", "name": "find_boat", "response": {"result": {"free": True}}}
    events = [
        event("user", "user", part(text=ASKED)),
        event("clerk", "model", asked),
        event("clerk", "user", part(function_response=result)),
        event("clerk", "model", part(text=ANSWER)),
    ]
    chat = only(tmp_path, {"id": "s1", "events": events})
    assert told(chat.episode.steps) == WHOLE


def test_a_custom_tool_takes_text(tmp_path: Path) -> None:
    """Its call and its output are items like those of functions; the text is its one argument."""
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": ASKED}]},
        {
            "type": "custom_tool_call",
            "call_id": "c1",
            "name": "edit",
            "input": "*** Begin\n-a\n+b",
        },
        {"type": "custom_tool_call_output", "call_id": "c1", "output": "Done."},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "b"}]},
    ]
    lines = [{"type": "response_item", "payload": item} for item in items]
    session = {"type": "session_meta", "payload": {"id": "s-1", "cwd": "/"}}
    episode = only_episode(decoded(tmp_path, [session, *lines], "rollout.jsonl"))
    assert told(episode.steps) == [
        ("user", ASKED, []),
        ("assistant", None, [("edit", {"input": "*** Begin\n-a\n+b"})]),
        ("tool", "Done.", []),
        ("assistant", "b", []),
    ]
    assert episode.steps[2].call_id == episode.steps[1].tool_calls[0].call_id


@pytest.mark.parametrize(
    ("told_back", "seen", "failed"),
    [
        ({"output": "a\n", "metadata": {"exit_code": 0, "duration_seconds": 0.2}}, "a\n", False),
        ({"output": "", "metadata": {"exit_code": 2}}, "", True),
        ({"output": "a", "metadata": {"exit_code": 0, "author": "Ann"}}, None, None),
        ({"output": "a", "metadata": {}}, None, None),
        ({"output": "a", "page": 1}, None, None),
    ],
)
def test_what_a_client_measures_of_a_run_is_no_result(
    tmp_path: Path, told_back: dict[str, Any], seen: str | None, *, failed: bool | None
) -> None:
    """A command's output stands beside how it ended and how long it took; any other object is the tool's own."""
    text = json.dumps(told_back)
    items = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": ASKED}]},
        {"type": "function_call", "call_id": "c1", "name": "run", "arguments": '{"command": "ls"}'},
        {"type": "function_call_output", "call_id": "c1", "output": text},
    ]
    lines = [{"type": "response_item", "payload": item} for item in items]
    session = {"type": "session_meta", "payload": {"id": "s-1", "cwd": "/"}}
    result = only_episode(decoded(tmp_path, [session, *lines], "rollout.jsonl")).steps[-1]
    assert (result.content, result.is_error) == (text if seen is None else seen, failed)


def test_an_exported_run_says_its_marks_and_its_example(tmp_path: Path) -> None:
    """LangSmith's runs hold the feedback that they got, and the example of which they are attempts."""
    found = decoded(tmp_path, [RUN], "runs.jsonl")
    assert [(one.name, one.value, one.label, one.target_id) for one in found.outcomes] == [
        ("correct", 0.5, None, "r1:r1"),
        ("tone", None, "kind", "r1:r1"),
    ]
    (episode,) = assemble(found.spans, app=APP).episodes
    assert episode.task_key == "example-3"
    assert [one.by for one in found.outcomes] == ["model", "unknown"]


def test_json_that_was_written_twice(tmp_path: Path) -> None:
    """A file that is one string with JSON in it is read as that JSON; any other string is none."""
    record = {"session_id": "s1", "messages": answered()}
    chat = only(tmp_path, json.dumps(record))
    assert told(chat.episode.steps)[1:] == WHOLE
    for text in ("[no json", '{"a": 1'):
        (refused,) = decoded(tmp_path, text).rejected
        assert refused.code in {"unknown_json", "unknown_format"}


def turn(number: int, answer: str, thoughts: list[Record], **beside: object) -> Record:
    """One turn as a row, with what the model was sent in it."""
    sent = [{"role": "system", "text": PROMPT}, {"role": "user", "text": ASKED}]
    return {
        "id": f"m{number}",
        "conversation_id": "c1",
        "query": f"{ASKED} {number}",
        "message": sent,
        "answer": answer,
        "created_at": 1_760_000_000 + number,
        "agent_thoughts": thoughts,
        **beside,
    }


def test_turns_whose_answer_is_all_thoughts(tmp_path: Path) -> None:
    """Each thought is said where it was thought; the prompt stands in what was sent; a mark on an early turn counts."""
    done: Record = {"thought": "I look.", "tool": "find_boat", "tool_input": {"boat": 7}}
    thoughts: list[Record] = [
        {**done, "observation": "free"},
        {"thought": ANSWER, "tool": "", "observation": ""},
    ]
    marks = [{"rating": "dislike", "content": None}, {"rating": "like", "content": None}]
    rows = [
        turn(1, "I look." + ANSWER, thoughts, feedbacks=marks),
        turn(2, "Bye.", [{"thought": "Bye.", "tool": ""}], feedbacks=[]),
    ]
    chat = only(tmp_path, {"limit": 20, "data": rows})
    assert told(chat.episode.steps) == [
        ("system", PROMPT, []),
        ("user", f"{ASKED} 1", []),
        ("assistant", "I look.", FIND),
        ("tool", "free", []),
        ("assistant", ANSWER, []),
        ("user", f"{ASKED} 2", []),
        ("assistant", "Bye.", []),
    ]
    assert [(one.name, one.label) for one in chat.outcomes] == [("feedback", "like")]


def session_line(number: int, parent: int | None, kind: str, content: object, **beside: object) -> Record:  # fmt: skip
    """A line of a coding agent's session."""
    message: Record = {"role": kind, "content": content}
    if kind == "assistant":
        message["id"] = f"msg_{number}"
    return {
        "sessionId": "s1",
        "uuid": f"u{number}",
        "parentUuid": None if parent is None else f"u{parent}",
        "type": kind,
        "message": message,
        **beside,
    }


@pytest.mark.parametrize("kind", ["user", "system"])
def test_a_session_with_a_local_command_and_a_sub_agent(tmp_path: Path, kind: str) -> None:
    """What the program answered itself, in the user's name or its own, is nobody's word; a chain aside is a conversation of its own."""
    printed = "<local-command-stdout></local-command-stdout>"
    answered = session_line(2, 1, kind, printed)
    if kind == "system":
        answered |= {"message": None, "content": printed}
    text = [{"type": "text", "text": ANSWER}]
    lines = [
        session_line(1, None, "user", "<command-name>/clear</command-name>"),
        answered,
        session_line(
            3, 2, "user", "<command-name>/book</command-name>\n<command-args>7</command-args>"
        ),
        session_line(4, None, "user", "Look for boats.", isSidechain=True),
        session_line(5, 4, "assistant", text, isSidechain=True),
        session_line(6, 3, "assistant", text),
    ]
    found = decoded(tmp_path, lines, "s1.jsonl")
    assert [(c.episode.conversation_id, told(c.episode.steps)) for c in found.chats] == [
        (
            "s1",
            [
                ("user", "<command-name>/book</command-name>\n<command-args>7</command-args>", []),
                ("assistant", ANSWER, []),
            ],
        ),
        ("s1/sidechain u4", [("user", "Look for boats.", []), ("assistant", ANSWER, [])]),
    ]


def test_a_call_of_a_page_that_was_cut_off(tmp_path: Path) -> None:
    """A part whose output never came is a call without a result."""
    parts = [
        {"type": "text", "text": "I look."},
        {
            "type": "tool-find_boat",
            "toolCallId": "c1",
            "state": "input-available",
            "input": {"boat": 7},
        },
    ]
    messages = [{"role": "user", "parts": [{"type": "text", "text": ASKED}]}]
    chat = only(tmp_path, {"messages": [*messages, {"role": "assistant", "parts": parts}]})
    assert told(chat.episode.steps) == [("user", ASKED, []), ("assistant", "I look.", FIND)]
    assert "missing_results" in chat.episode.completeness


def logged(identity: str, task: str, said_so_far: list[Record]) -> Record:
    """A call to a model, logged with the whole history."""
    *given, answer = said_so_far
    return {
        "id": identity,
        "started_at": "2026-03-02T08:00:00Z",
        "app_task_id": task,
        "task_id": task,
        "inputs": {"model": "m", "messages": given},
        "output": {"id": f"r-{identity}", "choices": [{"index": 0, "message": answer}]},
    }


def test_calls_to_a_model_in_one_document_are_states_of_their_conversations(tmp_path: Path) -> None:
    """Of calls of one task the longest history is told; another attempt stays; what the file says by the task's name is its outcome."""
    other = answered(8)
    calls = [
        logged("a2", "t1", answered()),
        logged("a1", "t1", answered()[:3]),
        logged("b1", "t1", other[:3]),
        logged("b2", "t1", other),
        logged("c1", "t2", [said("user", "Hello."), said("assistant", "Good day.")]),
    ]
    verdicts = {"t1": {"score": 1, "explanation": "right"}, "t2": {"score": 0}}
    found = decoded(tmp_path, {"config": {"run": "r"}, "by_task": verdicts, "raw_calls": calls})
    assert found.rejected == []
    got = [(c.episode.conversation_id, c.episode.task_key, [o.value for o in c.outcomes]) for c in found.chats]  # fmt: skip
    assert got == [("a2", "t1", [1.0]), ("b2", "t1", [1.0]), ("c1", "t2", [0.0])]
    assert told(found.chats[0].episode.steps)[1:] == WHOLE


def test_rows_that_only_judge_conversations(tmp_path: Path) -> None:
    """An app's table of votes says how conversations went that another file holds; a row in which somebody speaks says nothing of the kind."""
    found = decoded(tmp_path, VOTES, "votes.jsonl")
    assert found.rejected == []
    assert [(o.target_kind, o.target_id, o.name, o.value) for o in found.outcomes] == [
        ("conversation", "c1", "is_upvoted", 1.0),
        ("conversation", "c2", "is_upvoted", 0.0),
    ]
    for row in (
        {"chatId": "c1", "line": "Is boat 7 free?", "rating": 5},
        {"chatId": "c1", "title": "boats"},
        {"boat": "c1", "rating": 5},
    ):
        assert decoded(tmp_path, [row, row], "votes.jsonl").outcomes == []


@pytest.mark.parametrize(
    ("beside", "expected"),
    [
        ({"answer_assessment": '{"tone": {"score": 2}, "overall_score": 3.5}'}, [("overall_score", 3.5)]),
        ({"question_assessment": '{"difficulty": {"score": 2}}'}, []),
        ({"metric_results": [{"metric_name": "match", "score": 1.0, "threshold": 0.8}, {"metric_name": "tools", "score": 0.0}]}, [("match", 1.0), ("tools", 0.0)]),
        ({"metrics": [{"name": "latency", "value": 3}]}, []),
        ({"note": '{"overall_score": 3.5}'}, []),
    ],
)  # fmt: skip
def test_figures_under_a_name_that_judges(
    tmp_path: Path, beside: Record, expected: list[tuple[str, float]]
) -> None:
    """An assessment may be JSON as text, or a list of metrics with a score each; what only measures is no verdict."""
    chat = only(tmp_path, {"session_id": "s1", "messages": answered(), **beside})
    assert [(one.name, one.value) for one in chat.outcomes] == expected


def test_calls_that_a_text_lists(tmp_path: Path) -> None:
    """A message of a call's role may hold the calls in Python's notation behind a line that announces them."""
    listed = f"Calling tools:\n{[call(7)]!r}"
    messages = [
        said("user", ASKED),
        said("assistant", "I look."),
        said("tool-call", listed),
        said("tool-response", "free"),
        said("assistant", ANSWER),
    ]
    for content in (listed, [{"type": "text", "text": listed}]):
        messages[2] = {"role": "tool-call", "content": content}
        chat = only(tmp_path, {"steps": messages})
        assert [one for step in told(chat.episode.steps) for one in step[2]] == FIND
        result = next(step for step in chat.episode.steps if step.role == "tool")
        assert (result.content, result.tool_name) == ("free", "find_boat")


def test_a_bare_list_of_steps_behind_what_was_asked(tmp_path: Path) -> None:
    """A run's memory is a list alone: the task, then steps; a step that failed says so in the place of a result."""
    chat = only(tmp_path, RUN_OF_STEPS)
    assert told(chat.episode.steps) == [
        ("user", ASKED, []),
        ("assistant", None, [("find_boat", {"boat": 6})]),
        ("tool", "no such boat", []),
        ("assistant", None, FIND),
        ("tool", "free", []),
    ]
    (refused,) = decoded(tmp_path, [{"task": "one"}, {"task": "two"}]).rejected
    assert refused.code == "unknown_json"


def test_messages_between_others_are_not_the_agents(tmp_path: Path) -> None:
    """A simulator's log says to whom each message goes; a program that calls the tool named beside it is that call."""
    chat = only(tmp_path, ADDRESSED)
    assert told(chat.episode.steps) == [("system", PROMPT, []), *WHOLE]


def test_a_failure_beside_an_empty_result_is_the_result(tmp_path: Path) -> None:
    """Also where the result is a list of blocks that say nothing."""
    messages = answered()
    messages[3] |= {"content": [{"type": "text", "content": ""}], "error": "ValueError: no boat"}
    chat = only(tmp_path, {"suite": "boats", "messages": messages})
    assert chat.episode.steps[3].content == "ValueError: no boat"


def test_attempts_at_one_task_in_files_of_their_own(tmp_path: Path) -> None:
    """Files that name only the task that they are attempts at keep the names of their places, though the same was said."""
    for model in ("a", "b"):
        (tmp_path / model).mkdir()
        record = {"user_task_id": "user_task_0", "messages": answered()}
        (tmp_path / model / "none.json").write_text(json.dumps(record))
    chats = decoded_below(tmp_path, app=APP).chats
    assert [(c.episode.conversation_id, c.episode.task_key, c.shares_id) for c in chats] == [
        ("a/none", "user_task_0", True),
        ("b/none", "user_task_0", True),
    ]


def acted(*actions: Record, **beside: object) -> Record:
    """A turn of a service's log, with what was said and done in it far below."""
    traced = {"generativeInfo": {"actionTracingInfo": {"actions": list(actions)}}}
    answer = {"queryResult": {"responseMessages": [{"text": {"text": ["twice told"]}}], **traced}}
    return {"response": answer, "createTime": "2026-03-02T08:00:00Z", **beside}


def test_turns_that_list_what_was_said_and_done(tmp_path: Path) -> None:
    """Each item stands under the word for what it is; items of other kinds say nothing, a turn's mark is the conversation's."""
    used = {
        "tool": "t1",
        "action": "find_boat",
        "inputActionParameters": {"boat": 7},
        "outputActionParameters": {"200": {"free": True}},
    }
    turns = [
        acted({"agentUtterance": {"text": "Hello."}}, {"flowTransition": {"to": "start"}}),
        acted(
            {"userUtterance": {"text": ASKED}},
            {"toolUse": {**used, "tool": "projects/p/tools/" + "t" * 64}},
            {"agentUtterance": {"text": ANSWER}},
            answerFeedback={"rating": "THUMBS_UP"},
        ),
    ]
    chat = only(tmp_path, {"name": "projects/p/conversations/c1", "interactions": turns})
    assert told(chat.episode.steps) == [
        ("assistant", "Hello.", []),
        ("user", ASKED, []),
        ("assistant", None, FIND),
        ("tool", '{"200": {"free": true}}', []),
        ("assistant", ANSWER, []),
    ]
    assert [(one.name, one.label) for one in chat.outcomes] == [("rating", "THUMBS_UP")]


def test_a_list_in_which_nobody_writes_to_the_agent_is_read_as_before(tmp_path: Path) -> None:
    """A recipient that is no word for the agent says nothing about who is whose."""
    messages = [
        {"sender": "user", "recipient": "system", "content": ASKED},
        {"sender": "bot", "recipient": "user", "content": ANSWER},
    ]
    chat = only(tmp_path, {"messages": messages})
    assert told(chat.episode.steps) == [("user", ASKED, []), ("assistant", ANSWER, [])]


def test_a_rating_among_rows_of_messages_leaves_them_a_table(tmp_path: Path) -> None:
    """One row that could be a verdict alone does not make the file a file of verdicts."""
    rows = [
        {"conversation_id": f"c{n}", "actor": actor, "text": text, "rating": rating}
        for n in (1, 2, 3)
        for actor, text, rating in (
            ("customer", ASKED, None),
            ("bot", ANSWER, None),
            ("customer", "Thanks!", 5),
        )
    ]
    found = decoded(tmp_path, rows, "rows.jsonl")
    assert [len(chat.episode.steps) for chat in found.chats] == [3, 3, 3]


FILES: dict[str, list[Any]] = {
    "verdicts": VOTES,
    "marks": [RUN],
    "steps alone": [RUN_OF_STEPS],
    "addressed": [ADDRESSED],
    "acted": [{"interactions": [acted({"userUtterance": {"text": ASKED}}, {"agentUtterance": {"text": ANSWER}}, answerFeedback={"rating": "UP"})]}],
    "states": [{"by_task": {"t1": {"score": 1}}, "raw_calls": [logged("a1", "t1", answered()[:3]), logged("a2", "t1", answered())]}],
    "all thoughts": [{"data": [turn(1, "b", [{"thought": "b", "tool": ""}], feedbacks=[{"rating": "like"}]), turn(2, "c", [])]}],
}  # fmt: skip
"""The same as files, for the test of odd values."""
