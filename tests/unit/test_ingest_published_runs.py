"""Runs as agents' frameworks and services publish them: each fault once, in a small invented conversation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingest.files.run_states import whole_runs
from ingest.files.telemetry_files import read_source, sources_in
from ingest.otlp.decode import decode
from ingest.records.quarantine import Rejected
from tests.unit.ingest_emitters import APP
from tests.unit.test_ingest_harnesses import (
    ANSWER,
    ASKED,
    FIND,
    PROMPT,
    Record,
    answered,
    call,
    decoded,
    only,
    said,
    told,
)


def step(number: int, calls: list[Record] | None, seen: str | None, **beside: object) -> Record:
    """A step of an agent's memory, with all its places."""
    return {
        "step_number": number,
        "tool_calls": calls,
        "error": None,
        "model_output": None,
        "observations": seen,
        **beside,
    }


FAILED = {"type": "ToolError", "message": "boat 7 is unknown"}


@pytest.mark.parametrize("opening", [[], [{"system_prompt": PROMPT}]])
def test_a_prompt_a_task_and_steps_of_which_one_called_nothing(
    tmp_path: Path, opening: list[Record]
) -> None:
    """A step that a model's failure ended says nothing; a failure in the place of a result is the result."""
    chat = only(
        tmp_path,
        [
            *opening,
            {"task": ASKED, "task_images": None},
            step(1, [call(7)], None, error=FAILED),
            step(2, [call(7)], "free"),
            step(3, None, None, error={"type": "ModelError", "message": "429"}),
        ],
    )
    found = told(chat.episode.steps)
    assert found == [
        *([("system", PROMPT, [])] if opening else []),
        ("user", ASKED, []),
        ("assistant", None, FIND),
        ("tool", "boat 7 is unknown", []),
        ("assistant", None, FIND),
        ("tool", "free", []),
    ]


@pytest.mark.parametrize(
    "value",
    [
        [{"task": ASKED}, step(1, None, None)],
        [{"task": ASKED}, step(1, [call(7)], "free"), {"note": "x"}],
        [{"system_prompt": PROMPT}, step(1, [call(7)], "free")],
    ],
)
def test_lists_that_are_no_run(tmp_path: Path, value: list[Record]) -> None:
    """Without a call, with something else among the steps, or without a question nothing is read."""
    assert decoded(tmp_path, value).chats == []


def test_a_question_of_a_data_set_is_no_conversation(tmp_path: Path) -> None:
    """What an annotator noted stands beside the right answer, which nobody said; so it is where nothing tells who answered."""
    rows = [
        {"task_id": str(n), "Question": ASKED, "Final answer": "7", "Annotator Notes": {"Steps": "1"}}
        for n in range(2)
    ]  # fmt: skip
    assert decoded(tmp_path, rows, "metadata.jsonl").chats == []
    plain = [{"task_id": str(n), "Question": ASKED, "Final answer": "7", "Level": 1} for n in "12"]
    assert decoded(tmp_path, plain, "metadata.jsonl").chats == []
    ran = [{**row, "model": "m-1"} for row in plain]
    assert len(decoded(tmp_path, ran, "runs.jsonl").chats) == 2
    rated = [{"prompt": ASKED, "response": ANSWER, "annotator_id": n} for n in range(2)]
    assert len(decoded(tmp_path, rated, "rated.jsonl").chats) == 2


def test_a_farewell_beside_the_call_that_ends_a_conversation(tmp_path: Path) -> None:
    """Where the agent speaks, what it gives a tool is not said, although nothing answers it."""
    hang_up = {"tool_name": "end_call", "params_as_json": '{"reason": "The caller said goodbye."}'}
    turns = [
        {"role": "user", "message": ASKED, "tool_calls": [], "tool_results": []},
        {"role": "agent", "message": ANSWER, "tool_calls": [hang_up], "tool_results": []},
    ]
    assert told(only(tmp_path, {"transcript": turns}).episode.steps) == [
        ("user", ASKED, []),
        ("assistant", ANSWER, [("end_call", {"reason": "The caller said goodbye."})]),
    ]


def happened(told: Record, callers: int = 1) -> Record:
    """An event of a trace of Bedrock's agents."""
    chain = [{"agentAliasArn": f"a{number}"} for number in range(callers)]
    return {"trace": {"callerChain": chain, "trace": {"orchestrationTrace": told}}}


def asked_for(**given: object) -> Record:
    """A call that such an agent makes."""
    return happened({"invocationInput": {"actionGroupInvocationInput": given, "traceId": "t"}})


def seen(kind: str, told: Record) -> Record:
    """What came back."""
    return happened({"observation": {kind: told, "traceId": "t", "type": "X"}})


def invocations() -> list[Record]:
    """Two invocations of one session: a function, an operation of an API, a knowledge base, an agent's own agent, a failure."""
    prompt = {"text": json.dumps({"system": PROMPT, "messages": []}), "foundationModel": "m-1"}
    boat = [{"name": "boat", "type": "string", "value": "7"}]
    events = [
        happened({"modelInvocationInput": prompt}),
        happened({"rationale": {"text": "I look."}}),
        asked_for(function="find_boat", parameters=boat),
        happened({"observation": {"finalResponse": {"text": "of another"}}}, callers=2),
        seen("actionGroupInvocationOutput", {"text": "free"}),
        asked_for(
            apiPath="/boats/{id}",
            verb="GET",
            requestBody={"content": {"application/json": boat}},
        ),
        seen("finalResponse", {"text": ANSWER}),
    ]
    return [
        {"sessionId": "s1", "inputText": ASKED, "rating": 4, "events": events, "at": 1},
        {
            "sessionId": "s1",
            "inputText": "Book it.",
            "events": [
                happened({"invocationInput": {"knowledgeBaseLookupInput": {"text": "book", "knowledgeBaseId": "k"}}}),
                seen("knowledgeBaseLookupOutput", {"retrievedReferences": [{"content": {"text": "x"}}]}),
                {"trace": {"trace": {"failureTrace": {"failureReason": "throttled"}}}},
            ],
        },
    ]  # fmt: skip


def test_invocations_of_bedrocks_agents(tmp_path: Path) -> None:
    """One line an invocation; an agent's own agents, thoughts and raw prompts are told elsewhere or left out."""
    chat = only(tmp_path, invocations(), "session.jsonl")
    assert told(chat.episode.steps) == [
        ("system", PROMPT, []),
        ("user", ASKED, []),
        ("assistant", None, [("find_boat", {"boat": "7"})]),
        ("tool", "free", []),
        ("assistant", None, [("GET_boats_id_", {"boat": "7"})]),
        ("assistant", ANSWER, []),
        ("user", "Book it.", []),
        ("assistant", None, [("knowledge_base", {"text": "book"})]),
        ("tool", '{"retrievedReferences": [{"content": {"text": "x"}}]}', []),
    ]
    assert (chat.episode.conversation_id, chat.episode.model) == ("s1", "m-1")
    assert [one.value for one in chat.outcomes] == [4.0]


def test_a_trace_that_is_broken(tmp_path: Path) -> None:
    """Odd parts are passed over, and what came back empty is empty."""
    odd = [
        happened({"invocationInput": "x", "observation": [], "rationale": 3}),
        {"trace": 1},
        {"chunk": {}},
    ]
    call_ = asked_for(function="f", parameters="x", requestBody={"content": "x"})
    events = [*odd, call_, seen("actionGroupInvocationOutput", {"text": ""})]
    chat = only(tmp_path, {"sessionId": "s1", "inputText": ASKED, "events": events}, "s.jsonl")
    assert told(chat.episode.steps)[1:] == [("assistant", None, [("f", {})]), ("tool", "", [])]
    assert decoded(tmp_path, {"sessionId": "s1", "events": events}).chats == []


def test_cases_of_an_evaluation_are_tasks(tmp_path: Path) -> None:
    """Each record of a file names another case; where all name one, it may be the evaluation's."""
    cases = [
        {"eval_id": f"case-{n}", "session_id": f"s{n}", "messages": answered(n)} for n in range(2)
    ]
    for ids, expected in ((["a", "b"], {"a", "b"}), (["a", "a"], {None})):
        rows = [{**case, "eval_id": one} for case, one in zip(cases, ids, strict=True)]
        chats = decoded(tmp_path, {"results": rows}).chats
        assert {chat.episode.task_key for chat in chats} == expected


def test_thumbs_on_responses_beside_a_log_of_them(tmp_path: Path) -> None:
    """A row that names a response is about its conversation; one that names a task is a run's, whatever else it names."""
    row = {"response_id": "r1", "thumb": "up"}
    (outcome,) = decoded(tmp_path, [row, {"task_id": "t1", **row}], "thumbs.jsonl").outcomes
    assert (outcome.target_kind, outcome.target_id, outcome.label) == ("response", "r1", "up")


def shown(number: int) -> Record:
    """A program as the agent writes it."""
    return said("assistant", f"I look.\n```python\nprint(find_boat({number}))\n```")


def printed(text: str, mark: str = "Output:\n") -> Record:
    """What came of it, from the user's side."""
    return said("user", f"{mark}```\n{text}\n```\n")


ACTED = [
    said("user", ASKED),
    shown(6),
    printed("taken"),
    shown(7),
    printed("free"),
    shown(8),
]
PROGRAMS = [
    ("user", ASKED, []),
    ("assistant", "I look.", [("python", {"command": "print(find_boat(6))"})]),
    ("tool", "taken", []),
    ("assistant", "I look.", [("python", {"command": "print(find_boat(7))"})]),
    ("tool", "free", []),
    ("assistant", "I look.", [("python", {"command": "print(find_boat(8))"})]),
]


@pytest.mark.parametrize("own", ["messages", "history"])
def test_programs_whose_output_the_users_side_tells(tmp_path: Path, own: str) -> None:
    """All the agent's messages end in one block, and all that is answered is marked: the last block is a call, too."""
    assert told(only(tmp_path, {own: ACTED}).episode.steps) == PROGRAMS


def test_the_question_may_stand_once_more_beside_a_list_that_begins_with_it(
    tmp_path: Path,
) -> None:
    """The list is the run, prompt and all."""
    steps = [{"system_prompt": PROMPT}, {"task": ASKED, "images": None}, step(1, [call(7)], "free")]
    run = {"task": ASKED, "memory": steps, "final_answer": ANSWER}
    assert told(only(tmp_path, run).episode.steps) == [
        ("system", PROMPT, []),
        ("user", ASKED, []),
        ("assistant", None, FIND),
        ("tool", "free", []),
        ("assistant", ANSWER, []),
    ]


def test_a_prompt_may_say_that_programs_are_run(tmp_path: Path) -> None:
    """One result is enough then."""
    prompt = said("system", "You act in a Python REPL.")
    assert (
        told(only(tmp_path, {"messages": [prompt, *ACTED[:4]]}).episode.steps)[1:] == PROGRAMS[:4]
    )


@pytest.mark.parametrize(
    "messages",
    [
        ACTED[:3],
        [*ACTED[:4], said("user", "It prints nothing."), shown(8)],
        [*ACTED[:4], printed("free"), said("assistant", ANSWER), said("user", "Thanks."), said("assistant", "Bye.")],
    ],
)  # fmt: skip
def test_programs_that_somebody_is_shown(tmp_path: Path, messages: list[Record]) -> None:
    """One answer, one without a mark, several messages without a block: all of it stays what was said."""
    steps = only(tmp_path, {"messages": messages}).episode.steps
    assert [(s.role, s.content) for s in steps] == [(m["role"], m["content"]) for m in messages]


def test_calls_to_a_model_in_a_file_a_run(tmp_path: Path) -> None:
    """Runs that begin with the same words are kept apart by their files, and what they repeat is told once; a log beside the calls may show what came of the last program."""
    for run in ("a", "b"):
        for task in ("t1", "t2"):
            lines = [
                {
                    "id": f"{run}{task}{end}",
                    "input": {"model": "m-1", "messages": ACTED[:end]},
                    "output": {"id": f"x{run}{task}{end}", "choices": [{"message": ACTED[end]}]},
                }
                for end in (1, 3, 5)
            ]
            folder = tmp_path / "data" / run / task
            folder.mkdir(parents=True)
            text = "\n".join(map(json.dumps, lines))
            (folder / "calls.jsonl").write_text(text)
    (tmp_path / "data" / "all.jsonl").write_text(text)
    shown = "# 3\n```python\n{}\n```\n\n```\nseen\n```\n"
    (tmp_path / "data" / "a" / "t1" / "log.md").write_text(shown.format("print(find_boat(8))"))
    (tmp_path / "data" / "b" / "t1" / "log.md").write_text(shown.format("print(find_boat(9))"))
    sources = whole_runs(sources_in(tmp_path / "data", app=APP))
    parts = [one for source in sources for one in read_source(source, None, among_others=True)]
    found = [decode(one.stored(1)) for one in parts if not isinstance(one, Rejected)]
    chats = [chat for one in found for chat in one.chats]
    runs = [told(chat.episode.steps) for chat in chats]
    assert runs == [[*PROGRAMS, ("tool", "seen", [])], PROGRAMS, PROGRAMS, PROGRAMS]
    assert len({chat.episode.conversation_id for chat in chats}) == 4
    assert {chat.episode.task_key for chat in chats} == {None}
    assert sum(len(one.spans) for one in found) == 3


def test_an_example_that_the_prompt_before_it_announces(tmp_path: Path) -> None:
    """What is asked in earnest may come late in the text behind it."""
    rules = f"Rules: {'be brief, ' * 30}and now go on with the actual task:\n{ASKED}"
    shown = [said("user", "You rent out boats. What follows is only an example."), *answered(8)[2:]]
    turns = [*shown, said("user", rules), *answered()[2:]]
    found = told(only(tmp_path, turns).episode.steps)
    assert [role for role, *_ in found] == ["system", "user", "assistant", "tool", "assistant"]
    assert found[1] == ("user", rules, [])
    plain = [said("user", "You rent out boats."), *turns[1:]]
    assert len(only(tmp_path, plain).episode.steps) == len(plain)


def test_a_question_of_one_turn_is_no_conversation(tmp_path: Path) -> None:
    """A data set keeps what users ask in lists, one a turn."""
    rows = [{"id": f"q-{n}", "question": [[said("user", ASKED)]]} for n in (1, 2)]
    assert decoded(tmp_path, rows, "questions.jsonl").chats == []


def test_what_failed_beside_a_conversation_is_no_conversation(tmp_path: Path) -> None:
    """A state lists the tasks that were to come next, the one that failed with its error."""
    failed = {"id": "t-1", "name": "tools", "error": "The limit was reached.", "result": None}
    state = {"values": {"messages": answered()}, "next": ["tools"], "tasks": [failed]}
    assert len(only(tmp_path, state).episode.steps) == len(answered())


@pytest.mark.parametrize(
    ("text", "is_short"),
    [
        (f"Do your best.\nHere is your task:\n{ASKED}\n\nFiles: boats.csv", True),
        (f"Do your best.\n\nTask: {ASKED}", True),
        (f"Do your best, and tell me: {ASKED}", False),
        (f"Here is your task:\n{ASKED} Or on Sunday?", False),
    ],
)
def test_a_template_announces_the_question(tmp_path: Path, text: str, *, is_short: bool) -> None:
    """The record has the question in a field of its own; the rest is a prompt, of which nothing is lost."""
    turns = [said("user", text), *answered()[2:]]
    steps = only(tmp_path, {"question": ASKED, "messages": turns}).episode.steps
    asked = [(s.role, s.content) for s in steps if s.role in {"system", "user"}]
    around = text.replace(ASKED, "").strip()
    assert asked == ([("system", around), ("user", ASKED)] if is_short else [("user", text)])
    beside = {"question": ASKED, "messages": [said("system", PROMPT), *turns]}
    assert told(only(tmp_path, beside).episode.steps)[1] == ("user", text, [])


def test_a_result_that_names_its_call_in_its_text(tmp_path: Path) -> None:
    """So a framework writes it that has roles for calls and results."""
    turns = [
        *(said("user", ASKED), said("tool-call", f"Calling tools:\n[{call(7)!r}]")),
        *(said("tool-response", "Call id: call_7\nObservation:\nfree"), said("assistant", ANSWER)),
    ]
    steps = only(tmp_path, {"messages": turns}).episode.steps
    assert [one.content for one in steps] == [ASKED, None, "free", ANSWER]
    assert steps[2].call_id == "call_7"


TALK = [
    *(["agent", "Hello, how can I help?"], ["customer", ASKED]),
    *(["action", "Boat 7: free."], ["agent", ANSWER]),
]


@pytest.mark.parametrize(
    ("targets", "called"),
    [
        (["rent", "act", "find-boat", ["7", "Friday"], -1], ("find-boat", {"input": ["7", "Friday"]})),
        (["rent", "act", "find-boat", [], -1], ("find-boat", {})),
        (["rent"], ("action", {})),
    ],
)  # fmt: skip
def test_what_a_screen_showed_among_what_was_said(
    tmp_path: Path, targets: list[object], called: tuple[str, object]
) -> None:
    """Pairs tell the words; a list beside them, item by item, what was called."""
    beside: list[Record] = [
        {"speaker": who, "text": text.lower(), "targets": ["rent", None]} for who, text in TALK
    ]
    beside[2]["targets"] = targets
    steps = only(tmp_path, {"convo_id": 7, "original": TALK, "delexed": beside}).episode.steps
    assert told(steps) == [
        *(("assistant", TALK[0][1], []), ("user", ASKED, [])),
        *(("assistant", None, [called]), ("tool", "Boat 7: free.", []), ("assistant", ANSWER, [])),
    ]


def test_what_a_client_writes_itself_from_the_users_side(tmp_path: Path) -> None:
    """A message of nothing else is the client's, as an event's load, too."""
    context = "<environment_context>\n<cwd>/boats</cwd>\n</environment_context>"
    parts = [[{"type": "input_text", "text": text}] for text in (context, ASKED)]
    turns = [{"type": "message", "role": "user", "content": one} for one in parts]
    turns.append(said("assistant", ANSWER))
    for lines in (turns, [{"type": "response_item", "payload": one} for one in turns]):
        steps = only(tmp_path, lines, "session.jsonl").episode.steps
        assert [(one.role, one.content) for one in steps] == [
            *(("system", context), ("user", ASKED), ("assistant", ANSWER)),
        ]


def test_a_tool_that_the_models_maker_runs(tmp_path: Path) -> None:
    """Its type is its name, and nothing comes back."""
    search = {"type": "web_search_call", "action": {"type": "search", "query": "boats"}}
    turns = [said("user", ASKED), search, said("assistant", ANSWER)]
    (made,) = [one for one in told(only(tmp_path, turns).episode.steps) if one[2]]
    assert made[2] == [("web_search", {"query": "boats"})]
