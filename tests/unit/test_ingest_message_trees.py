"""Messages that form a tree, that are sent to tools by name, or that stand among other events: each layout says the same dialogue."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.files.outcome_table import OutcomeMapping, OutcomeRow, read_outcomes
from ingest.formats.acts_among_events import with_acts
from ingest.formats.format import Decoded
from ingest.records.text import Json
from tests.unit.exported_lines import ARGUMENTS, EXPECTED, decoded_below, only_episode, told
from tests.unit.ingest_emitters import APP
from tests.unit.test_ingest_item_forms import ANSWER, ASKED, RESULT, SENT, SYSTEM

Record = dict[str, Any]
GIVEN = json.dumps(ARGUMENTS)


def nodes(said: list[tuple[str, str | None, Record]]) -> dict[str, Record]:
    """Nodes by id, the later first: of each its own id, its parent's, and its message."""
    told_last = reversed(said)
    return {
        own: {"id": own, "parent": before, "children": [], "message": message}
        for own, before, message in told_last
    }


def text(role: str, *parts: str, **beside: object) -> Record:
    """A message whose content says what kind it is."""
    content = {"content_type": "text", "parts": list(parts)}
    return {"author": {"role": role}, "content": content, "recipient": "all", **beside}


def tree_of_nodes() -> list[Record]:
    """A question that was edited and an answer that was made anew; the call is sent to its tool."""
    thought = {"content_type": "thoughts", "thoughts": [{"content": "Hm."}]}
    code = {"content_type": "code", "language": "json", "text": GIVEN}
    hidden = {"content_type": "user_editable_context", "user_profile": "Ann"}
    mapping = nodes(
        [
            ("root", None, {}),
            ("n0", "root", text("system", SYSTEM)),
            ("n1", "n0", {"author": {"role": "user"}, "content": hidden}),
            ("x1", "n1", text("user", "Where is it?")),
            ("x2", "x1", text("assistant", "Where is what?")),
            ("n2", "n1", text("user", ASKED)),
            ("n3", "n2", {**text("assistant"), "content": thought}),
            ("n4", "n3", {**text("assistant"), "content": code, "recipient": "find_order"}),
            ("n5", "n4", {**text("tool", RESULT), "author": {"role": "tool", "name": "find_order"}}),
            ("x3", "n5", text("assistant", "No idea.")),
            ("n6", "n5", text("assistant", ANSWER)),
        ]
    )  # fmt: skip
    return [{"title": "Order", "id": "c1", "mapping": mapping, "current_node": "n6"}]


def sent_to_tools() -> Record:
    """Messages of which one is sent to the tool that answers the next."""
    return {
        "messages": [
            {"role": "system", "content": SYSTEM},
            {"role": "user", "content": ASKED},
            {"role": "assistant", "recipient": "find_order", "channel": "commentary", "content": GIVEN},
            {"role": "tool", "name": "find_order", "recipient": "assistant", "content": RESULT},
            {"role": "assistant", "channel": "final", "content": ANSWER},
        ]
    }  # fmt: skip


CALL = {"id": "k1", "name": "find_order", "args": GIVEN, "output": RESULT, "type": "tool_call"}
PARTS = [{"type": "tool_call", "tool_call": CALL}, {"type": "text", "text": ANSWER}]


def flat_branches() -> Record:
    """A list in which two messages have two versions each; the last ones were kept."""

    def said(own: str, before: str, role: str, content: object) -> Record:
        return {"messageId": own, "parentMessageId": before, "role": role, "content": content}

    return {
        "system_prompt": SYSTEM,
        "messages": [
            said("m1", "0-0", "user", "Where is it?"),
            said("m2", "m1", "assistant", "Where is what?"),
            said("m3", "0-0", "user", ASKED),
            said("m4", "m3", "assistant", "No idea."),
            said("m5", "m3", "assistant", PARTS),
        ],
    }


def map_and_current() -> Record:
    """A map of messages by id, with the id of the one that is shown."""

    def said(own: str, before: str | None, role: str, content: object) -> Record:
        return {"id": own, "parentId": before, "role": role, "content": content}

    messages = {
        "m1": said("m1", None, "user", ASKED),
        "m2": said("m2", "m1", "assistant", PARTS),
        "m3": said("m3", "m1", "assistant", "No idea."),
    }
    history = {"messages": messages, "currentId": "m2"}
    return {"chat": {"system": SYSTEM, "history": history}}


def task_and_steps() -> Record:
    """Steps behind an item that only says the task; each repeats what the model was sent."""
    sent = [{"role": "user", "content": [{"type": "text", "text": f"New task:\n{ASKED}"}]}]
    function = {"name": "find_order", "arguments": ARGUMENTS}
    calls = [{"id": "k1", "type": "function", "function": function}]
    return {
        "system_prompt": SYSTEM,
        "output": ANSWER,
        "steps": [
            {"task": ASKED, "task_images": None},
            {"step_number": 1, "model_input_messages": sent, "tool_calls": calls, "observations": RESULT, "model_output": None},
        ],
    }  # fmt: skip


def activities() -> Record:
    """Activities of a bot's channel: who sends them is a number, a call is told by events of one id."""
    bot, user = {"id": "b", "role": 0}, {"id": "u", "role": 1}

    def event(name: str, **value: object) -> Record:
        return {"type": "event", "name": name, "from": bot, "value": {"stepId": "s1", **value}}

    ended = {"type": "Engaged", "outcome": "Resolved"}
    return {
        "system_prompt": SYSTEM,
        "activities": [
            {"type": "trace", "valueType": "ConversationInfo", "from": bot, "value": {"locale": "en"}},
            {"type": "message", "from": user, "text": ASKED},
            event("StepTriggered", taskDialogId="find_order", state="inProgress"),
            event("StepBindUpdate", taskDialogId="find_order", arguments=ARGUMENTS),
            event("StepFinished", taskDialogId="find_order", observation=SENT),
            {"type": "message", "from": bot, "text": ANSWER},
            {"type": "trace", "valueType": "SessionInfo", "from": bot, "value": ended},
        ],
    }  # fmt: skip


def activities_as_text() -> Record:
    """The same in a store's row, as text, on a page with others; the row's first field is a mark of its version."""
    said = activities()
    prompt = said.pop("system_prompt")
    rows = [
        {"@etag": f'W/"{n}7"', "transcriptid": f"t-{n}", "name": "x_y", "system_prompt": prompt, "content": json.dumps(said)}
        for n in range(3)
    ]  # fmt: skip
    return {"@context": "https://x.test", "value": rows}


LAYOUTS: list[Callable[[], Any]] = [
    tree_of_nodes,
    sent_to_tools,
    flat_branches,
    map_and_current,
    task_and_steps,
    activities,
]


def found(folder: Path, value: object) -> Decoded:
    """Everything in a file that holds a value."""
    path = folder / "export.json"
    path.write_text(json.dumps(value))
    return decoded_below(path, app=APP)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_dialogue_is_read_the_same_in_each_layout(
    tmp_path: Path, layout: Callable[[], Any]
) -> None:
    """Texts, calls with name and arguments, results on their calls, in order and once; what was given up is not told."""
    episode = only_episode(found(tmp_path, layout()))
    spoken = [step for step in episode.steps if step.content or step.tool_calls]
    assert [told(step) for step in spoken] == EXPECTED
    assert spoken[3].call_id == spoken[2].tool_calls[0].call_id


def test_answers_to_one_message_from_both_sides_are_all_kept(tmp_path: Path) -> None:
    """Letters of a thread name the one that opened it: they are no versions of each other."""
    letters = [
        {"id": "1", "role": "user", "content": ASKED},
        {"id": "2", "parent_id": "1", "role": "assistant", "content": ANSWER},
        {"id": "3", "parent_id": "1", "role": "user", "content": "Thanks."},
    ]
    episode = only_episode(found(tmp_path, {"messages": letters}))
    assert [step.content for step in episode.steps] == [ASKED, ANSWER, "Thanks."]


def test_results_beside_a_kept_branch_stay(tmp_path: Path) -> None:
    """Results of parallel calls name one message before them; so do two versions of an answer."""
    calls = [{"id": k, "type": "function", "function": {"name": "find", "arguments": "{}"}} for k in "ab"]  # fmt: skip
    said = [
        {"id": "1", "role": "user", "content": ASKED},
        {"id": "2", "parentId": "1", "role": "assistant", "content": "", "tool_calls": calls},
        {"id": "3", "parentId": "2", "role": "tool", "tool_call_id": "a", "content": "1"},
        {"id": "4", "parentId": "2", "role": "tool", "tool_call_id": "b", "content": "2"},
        {"id": "5", "parentId": "2", "role": "assistant", "content": "No idea."},
        {"id": "6", "parentId": "2", "role": "assistant", "content": ANSWER},
    ]
    episode = only_episode(found(tmp_path, {"messages": said}))
    assert [step.content for step in episode.steps[2:]] == ["1", "2", ANSWER]


def test_actions_among_events_return_what_the_events_behind_them_set(tmp_path: Path) -> None:
    """An action that sets something is a call; what its framework does by itself sets nothing, and what the user's words set is no result."""
    events = [
        {"event": "action", "name": "action_listen"},
        {"event": "user", "text": ASKED},
        {"event": "slot", "name": "order", "value": "A1"},
        {"event": "action", "name": "order_form"},
        {"event": "slot", "name": "requested_slot", "value": None},
        {"event": "action", "name": "action_find_order"},
        {"event": "slot", "name": "found", "value": SENT},
        {"event": "action", "name": "utter_found"},
        {"event": "bot", "text": ANSWER},
        {"event": "action", "name": "action_listen"},
    ]
    episode = only_episode(found(tmp_path, {"sender_id": "u1", "events": events}))
    assert [told(step) for step in episode.steps] == [
        ("user", ASKED, ()),
        ("assistant", None, (("action_find_order", "{}"),)),
        ("tool", json.dumps({"found": SENT}), ()),
        ("assistant", ANSWER, ()),
    ]
    assert "odd_messages" in episode.completeness


def test_actions_that_begin_and_end_among_letters(tmp_path: Path) -> None:
    """Each end is the result of the beginning of the same action; one that never ended is a call without a result."""

    def act(kind: str, name: str, **beside: str) -> Record:
        author = {"type": "bot", "name": "Desk"}
        details = {"action": {"name": name, **beside}}
        return {"type": "part", "part_type": f"custom_action_{kind}", "body": None, "author": author, "details": details}  # fmt: skip

    parts = [
        {"part_type": "assignment", "body": None, "author": {"type": "bot", "name": "Desk"}},
        act("started", "Find order"),
        act("finished", "Find order", result="success"),
        {"part_type": "comment", "body": f"<p>{ANSWER}</p>", "author": {"type": "bot", "name": "Desk"}},
        act("started", "Find order"),
    ]  # fmt: skip
    whole = {"id": "c1", "source": {"body": f"<p>{ASKED}</p>", "author": {"type": "user", "name": "Ann"}}, "parts": parts}  # fmt: skip
    episode = only_episode(found(tmp_path, whole))
    call = (("Find order", "{}"),)
    assert [told(step)[1:] for step in episode.steps] == [
        (ASKED, ()),
        (None, call),
        ("success", ()),
        (ANSWER, ()),
        (None, call),
    ]


def test_messages_that_a_store_keeps_as_text(tmp_path: Path) -> None:
    """An object in a field of text is read as one; the tools that an event lists are those that were offered."""
    page = activities_as_text()
    tools = [{"displayName": "Find", "description": "Finds.", "schemaName": "find_order"}]
    listing = {"type": "event", "name": "Plan", "from": {"role": 0}, "value": {"toolDefinitions": tools}}  # fmt: skip
    for row in page["value"]:
        said = json.loads(row["content"])
        row["content"] = json.dumps({"activities": [listing, *said["activities"]]})
    chats = found(tmp_path, page).chats
    assert [chat.episode.conversation_id for chat in chats] == ["t-0", "t-1", "t-2"]
    for chat in chats:
        spoken = [step for step in chat.episode.steps if step.content or step.tool_calls]
        assert [told(step) for step in spoken] == EXPECTED
        (tool,) = map(json.loads, chat.episode.tools)
        assert tool["function"] == {"name": "find_order", "description": "Finds."}


def test_a_state_among_events_is_an_outcome(tmp_path: Path) -> None:
    """How a session ended stands in the load of an event."""
    (outcome,) = found(tmp_path, activities()).chats[0].outcomes
    assert (outcome.name, outcome.label) == ("outcome", "Resolved")


def test_what_a_user_asks_in_turns_is_no_conversation(tmp_path: Path) -> None:
    """A benchmark's report holds the questions of each turn, and nothing of the agent's that is known."""
    turns = [[{"role": "user", "content": ASKED}], [{"role": "user", "content": "Thanks."}]]
    read = found(tmp_path, [{"id": "t1", "valid": False, "prompt": {"question": turns}}])
    assert read.chats == []
    assert len(read.rejected) == 1


def test_one_text_about_several_calls_is_parted_by_lines_or_nobodys(tmp_path: Path) -> None:
    """As many lines as calls are a result each; otherwise nobody knows whose what is."""

    def results(observed: str) -> list[tuple[str | None, str | None]]:
        calls = [{"id": k, "function": {"name": "find", "arguments": {"id": k}}} for k in "ab"]
        steps = [{"task": ASKED}, {"tool_calls": calls, "observations": observed}]
        episode = only_episode(found(tmp_path, {"steps": steps}))
        return [(s.call_id, s.content) for s in episode.steps if s.role == "tool"]

    assert results("sent\nlost\n") == [("a", "sent"), ("b", "lost")]
    assert results("sent\nto Ann\nlost") == [(None, "sent\nto Ann\nlost")]


def gemini(response: Record) -> Record:
    """A result in the words of Gemini's API."""
    return {"functionResponse": {"id": "k1", "name": "find", "response": response}}


@pytest.mark.parametrize(
    ("part", "content"),
    [
        ({"type": "tool_call_response", "id": "k1", "result": None}, "null"),
        (gemini({"result": None}), "null"),
        (gemini({"content": {"state": "sent"}}), RESULT),
    ],
)
def test_a_result_is_what_its_model_read(tmp_path: Path, part: Record, content: str) -> None:
    """A tool that returned nothing returned null; an object around a result is its API's."""
    call = {"type": "tool_call", "id": "k1", "name": "find", "arguments": "{}"}
    said = [
        {"role": "user", "content": ASKED},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [part]},
    ]
    episode = only_episode(found(tmp_path, {"messages": said}))
    assert [step.content for step in episode.steps if step.role == "tool"] == [content]


def test_outcomes_come_as_a_list_of_rows(tmp_path: Path) -> None:
    """One JSON document, as pages of chats export what their users rated."""
    path = tmp_path / "feedback.json"
    path.write_text(json.dumps([{"conversation_id": "c1", "rating": "thumbs_up"}, 7]))
    columns = OutcomeMapping(key="conversation_id", value="rating", fixed_name="rating")
    rated, other = read_outcomes(path, columns)
    assert isinstance(rated, OutcomeRow)
    assert (rated.target_id, rated.label) == ("c1", "thumbs_up")
    assert not isinstance(other, OutcomeRow)


def test_actions_that_are_messages_already_stay_as_they_are(tmp_path: Path) -> None:
    """A call that its message tells, or that names its tool, is no event of an action."""
    call = {"id": "k1", "type": "function", "function": {"name": "find_order", "arguments": GIVEN}}
    bot = {"type": "action", "name": "Bot"}
    messages: list[Record] = [
        {"role": "user", "content": ASKED},
        {"role": "assistant", **bot, "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "k1", "content": RESULT},
        {"role": "assistant", "content": ANSWER},
    ]
    episode = only_episode(found(tmp_path, {"messages": messages}))
    assert [told(step) for step in episode.steps] == EXPECTED[1:]
    result = {"type": "action_result", "name": "search", "output": "r"}
    for act in ({**bot, "tool": "search", "input": "x"}, {**bot, "tool_name": "search"}):
        assert with_acts([act, result]) == [act, result]
    result["tool_call_id"] = "k1"
    assert with_acts([result]) == [result]


def test_what_stands_behind_an_action_is_not_copied() -> None:
    """A log may hold thousands of actions."""
    log = [{"event": "action", "name": "act"}, {"event": "slot", "name": "x", "value": 1}] * 5

    class Uncut(list[Json]):
        def __getitem__(self, place: Any) -> Any:  # noqa: ANN401 - as of a list
            assert not isinstance(place, slice)
            return super().__getitem__(place)

    assert with_acts(Uncut(log)) == with_acts(log)
