"""Spans under an app's own names: what their words say plainly is read, what may be two things is not."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ingest.assembly.assemble import assemble
from ingest.assembly.unread import unread
from ingest.dialects.identity import identity
from ingest.dialects.table import dialect_of
from ingest.records.episode import Episode
from ingest.records.span import STATUS_ERROR, Span
from ingest.records.text import Json
from tests.unit.ingest_emitters import APP, MODEL_CALLS, SECOND, START, otel_genai, span

CHAT = {"kiosk.chat.id": "k7"}


def turn(number: int, asked: str, replied: str, **more: Json) -> Span:
    """What a visitor said and what the desk replied, on one span that lasts ten seconds."""
    told = {**CHAT, "kiosk.visitor.text": asked, "kiosk.bot.answer": replied, **more}
    ended = START + (number + 10) * SECOND
    return span(number, told, name="kiosk.turn", trace_id=f"{number:032x}", ended_at=ended)


def below(one: Span, number: int, told: dict[str, Json], **fields: Json) -> Span:
    """A span inside of a turn."""
    return span(number, {**CHAT, **told}, trace_id=one.trace_id, parent_id=one.span_id, **fields)


def ran(one: Span, number: int, tool: str, ref: str, arguments: Json, result: str) -> Span:
    """A tool's run, named by its span in either way."""
    told = {"kiosk.tool.args_json": json.dumps(arguments), "kiosk.tool.ref": ref}
    mark = "/:"[number % 2]
    return below(one, number, {**told, "kiosk.tool.result": result}, name=f"tool{mark}{tool}")


def of(episode: Episode) -> list[tuple[str, str | None, list[str]]]:
    """An episode's messages."""
    return [(s.role, s.content, [c.name for c in s.tool_calls]) for s in episode.steps]


FIRST = turn(1, "Is the ferry late?", "Yes.", **{"kiosk.bot.instructions": "Be kind."})
SECOND_TURN = turn(20, "Book me on another.", "Booked.")


def spans() -> list[Span]:
    """Two turns in traces of their own; the model asks for two tools at once, by reference, and they start in the other order."""
    asks = {"kiosk.llm.reply": "I look.", "kiosk.llm.reply.tool_refs": ["r1", "r2"]}
    return [
        FIRST,
        below(FIRST, 2, asks, name="llm"),
        ran(FIRST, 3, "find_berth", "r2", {"ship": "A"}, "B4"),
        ran(FIRST, 4, "find_ship", "r1", {"ship": "A", "json": {}}, '{"late": true}'),
        below(FIRST, 5, {"kiosk.llm.reply": "Yes."}, name="llm"),
        SECOND_TURN,
        below(SECOND_TURN, 21, {"kiosk.llm.output.tools": ["book"], "kiosk.llm.output": ""}),
        replace(
            ran(SECOND_TURN, 22, "book", "r3", {}, "full"),
            name="work",
            attributes={
                "kiosk.tool.name": "book",
                "kiosk.tool.args": "{}",
                "kiosk.tool.error": "full",
            },
        ),
        below(SECOND_TURN, 23, {"kiosk.llm.reply": "OFFTOPIC"}, name="llm"),
    ]


def test_turns_runs_and_calls_become_one_conversation() -> None:
    """In any order of arrival; a model's text that names no tools may be a classifier's and is left out."""
    sent = spans()[::-1]
    (episode,) = assemble(sent, app=APP).episodes
    assert (episode.conversation_id, episode.source) == ("k7", "own_spans")
    assert of(episode) == [
        ("system", "Be kind.", []),
        ("user", "Is the ferry late?", []),
        ("assistant", "I look.", ["find_ship", "find_berth"]),
        ("tool", '{"late": true}', []),
        ("tool", "B4", []),
        ("assistant", "Yes.", []),
        ("user", "Book me on another.", []),
        ("assistant", None, ["book"]),
        ("tool", "full", []),
        ("assistant", "Booked.", []),
    ]
    assert [c.arguments for c in episode.steps[2].tool_calls] == [
        '{"ship": "A", "json": {}}',
        '{"ship": "A"}',
    ]
    assert [s.is_error for s in episode.steps if s.role == "tool"][-1] is True
    assert not unread(sent)


@pytest.mark.parametrize(("key", "calls"), [("names", ["find_ship"]), ("ids", [])])
def test_a_tool_that_did_not_run(key: str, calls: list[str]) -> None:
    """It is a call without arguments by its name, none by its id; a run that nobody named stands where it ran."""
    asks = {"kiosk.model.output.text": "Wait.", f"kiosk.model.output.{key}": ["find_ship"]}
    other = ran(FIRST, 3, "find_berth", "r2", {"ship": "A"}, "B4")
    (episode,) = assemble([FIRST, below(FIRST, 2, asks), other], app=APP).episodes
    assert of(episode)[2:] == [
        ("assistant", "Wait.", calls),
        ("assistant", None, ["find_berth"]),
        ("tool", "B4", []),
        ("assistant", "Yes.", []),
    ]


def test_calls_that_a_model_tells_whole_stand_where_it_asked_for_them() -> None:
    """With what it said beside them, in its own order; a run is one of them by its name and arguments."""
    calls = [{"name": "find_ship", "args": {"ship": "A"}}, {"name": "find_berth", "args": {}}]
    asks = {"kiosk.llm.output.text": "I look.", "kiosk.llm.output.tool_calls": json.dumps(calls)}
    final = {"kiosk.llm.output.text": "Yes.", "kiosk.llm.output.tool_calls": "[]"}
    sent = [
        FIRST,
        below(FIRST, 2, asks),
        ran(FIRST, 3, "find_berth", "", {}, "B4"),
        ran(FIRST, 4, "find_ship", "", {"ship": "A"}, "late"),
        below(FIRST, 5, final),
    ]
    (episode,) = assemble(sent, app=APP).episodes
    assert of(episode)[2:] == [
        ("assistant", "I look.", ["find_ship", "find_berth"]),
        ("tool", "late", []),
        ("tool", "B4", []),
        ("assistant", "Yes.", []),
    ]


def test_a_turn_that_says_the_same_is_another_turn() -> None:
    """A turn of one's own holds no history: nothing before it is said again or replaced, whatever the agent is told to be by then."""
    said = [
        ("Hello?", "Hi."),
        ("Late?", "Yes."),
        ("Hello?", "Still here."),
        ("Hello?", "Still here."),
    ]
    turns = [
        turn(1 + 20 * n, *one, **{"kiosk.bot.instructions": f"It is {n} o'clock."})
        for n, one in enumerate(said)
    ]
    (episode,) = assemble(turns, app=APP).episodes
    assert [s.content for s in episode.steps] == [
        "It is 0 o'clock.",
        *(t for one in said for t in one),
    ]


UNSURE: list[dict[str, Json]] = [
    {"input": "Hello", "output": "Hi"},
    {"kiosk.visitor.text": "Hello"},
    {"kiosk.bot.answer": "Hi"},
    {"kiosk.visitor.text": "Hello", "kiosk.customer.message": "Bye", "kiosk.bot.answer": "Hi"},
    {"kiosk.visitor.id": "7", "kiosk.bot.name": "desk", "kiosk.visitor.text.length": 3},
    {"kiosk.model.input.text": "Hello", "kiosk.model.output.text": "Hi"},
    {"kiosk.tool.name": "gcc", "kiosk.tool.args": "-O2 -c"},
    {"kiosk.tool.args": "{}", "kiosk.tool.result": "1"},
    {"kiosk.tools.input": "{}", "kiosk.tools.name": "book"},
    {"http.request.body.text": "Hello", "http.response.body.text": "Hi"},
]


@pytest.mark.parametrize("told", UNSURE, ids=lambda told: next(iter(told)))
def test_what_may_be_something_else_is_not_read(told: dict[str, Json]) -> None:
    """Bare words, half a turn, two texts of one meaning, a compiler's arguments."""
    one = span(1, told, name="work")
    assert dialect_of(one) == "otel"
    assert not assemble([one], app=APP).episodes


def test_a_conventions_messages_go_before_an_apps_own() -> None:
    """Below a turn that repeats them they are told once."""
    around = span(0, {**CHAT, "kiosk.user.text": "Where?", "kiosk.agent.reply": "Sent."})
    around = replace(around, ended_at=START + 900 * SECOND)
    inside = [replace(one, parent_id=around.span_id) for one in otel_genai().spans]
    (alone,), (both,) = (
        assemble(sent, app=APP).episodes for sent in (otel_genai().spans, [around, *inside])
    )
    assert of(both) == of(alone)
    assert both.conversation_id
    assert len(MODEL_CALLS) > 1


@pytest.mark.parametrize(
    ("key", "named"),
    [
        ("kiosk.conversation.id", True),
        ("baggage.conversation_id", True),
        ("kiosk.chatId", True),
        ("kiosk.parent.conversation.id", False),
        ("messaging.message.conversation_id", False),
        ("kiosk.previous_conversation_id", False),
        ("mcp.session.id", False),
        ("thread.id", False),
    ],
)
def test_an_apps_own_name_of_a_conversation(key: str, named: bool) -> None:
    """Only where the last words say it, and not of another conversation or of a queue's message."""
    assert identity(span(1, {key: "k7"}))["conversation"] == ("k7" if named else None)


@pytest.mark.parametrize("key", ["kiosk.test_case.id", "desk.experiment.item.id"])
def test_a_case_that_is_tried_is_the_task(key: str) -> None:
    """An app's own words for it, and those of a platform's experiments."""
    assert identity(span(1, {key: "k7", "desk.experiment.id": "e"}))["task_key"] == "k7"


def test_a_run_that_failed_says_so() -> None:
    """By the span's own status or by a truth; one that did not fail and gave nothing back has no result."""
    run = ran(FIRST, 3, "book", "r1", {}, "no")
    bare = {key: one for key, one in run.attributes.items() if not key.endswith("result")}
    for one, results in (
        (replace(run, status=STATUS_ERROR), [("no", True)]),
        (replace(run, attributes={**run.attributes, "kiosk.tool.is_error": True}), [("no", True)]),
        (replace(run, attributes={**bare, "kiosk.tool.is_error": False}), []),
    ):
        (episode,) = assemble([FIRST, one], app=APP).episodes
        assert [(s.content, s.is_error) for s in episode.steps if s.role == "tool"] == results


ASKED = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "Late?"}]
SAYS = {"role": "assistant", "content": [{"text": "Yes."}]}
OFFERED = [{"type": "desk.Tool", "data": {"name": "find_ship", "parameters": {"type": "object"}}}]
FORMS: list[tuple[dict[str, Json], bool]] = [
    (
        {"kiosk.input": {"messages": ASKED, "tools": OFFERED}, "kiosk.output": {"replies": [SAYS]}},
        True,
    ),
    ({"request": {"messages": ASKED, "tools": OFFERED}, "response": SAYS, "page.input": "3"}, True),
    ({"kiosk.prompt.messages": ASKED, "kiosk.completion.json": [SAYS]}, True),
    ({"kiosk.input": ASKED, "kiosk.output": [*ASKED, SAYS]}, False),
    ({"kiosk.input": ASKED, "kiosk.output": "Yes."}, False),
    ({"kiosk.input": ASKED, "kiosk.output": SAYS, "other.input": ASKED}, False),
    ({"kiosk.input": {"past": ASKED, "now": ASKED}, "kiosk.output": SAYS}, False),
    ({"kiosk.input": [{"role": "admin", "content": "x"}], "kiosk.output": SAYS}, False),
    ({"kiosk.output": SAYS}, False),
]


@pytest.mark.parametrize(("told", "reads"), FORMS)
def test_messages_in_and_the_agents_out_are_a_model_call(
    told: dict[str, Json], reads: bool
) -> None:
    """Under any names, as objects or as JSON; not where more comes out than the agent's own, or which went in is open."""
    held = {key: json.dumps(value) for key, value in told.items()}
    found = assemble([span(1, held, name="component.run")], app=APP).episodes
    assert len(found) == reads
    for episode in found:
        assert [s.content for s in episode.steps] == ["Be kind.", "Late?", "Yes."]
        assert any("find_ship" in tool for tool in episode.tools) is (
            "messages" not in str(list(told))
        )


def test_an_agents_own_messages_are_those_of_the_calls_below_it() -> None:
    """What went into its work and what came out of it; calls stand below their kind's name, and so do results."""
    call = {"tool_call": {"id": "c1", "tool_name": "find_ship", "arguments": {"ship": "A"}}}
    result = {"result": "late", "origin": {"id": "c1", "tool_name": "find_ship"}, "error": True}
    asks = {"role": "assistant", "content": [call]}
    gave = {"role": "tool", "content": [{"tool_call_result": result}]}
    work = span(1, {"run.input": json.dumps(ASKED), "run.output": json.dumps(SAYS)})
    sent = [work]
    for number, given, made in ((2, ASKED, asks), (4, [*ASKED, asks, gave], SAYS)):
        told = {"part.input": json.dumps({"messages": given}), "part.output": json.dumps([made])}
        sent.append(span(number, told, parent_id=work.span_id))
    (episode,) = assemble(sent, app=APP).episodes
    assert [(s.role, s.content, s.is_error) for s in episode.steps[2:]] == [
        ("assistant", None, None),
        ("tool", "late", True),
        ("assistant", "Yes.", None),
    ]
    assert episode.steps[2].tool_calls[0].name == "find_ship"
