"""Clients that use a call id more than once: each turn once, in order, every result with its call."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.assembly.assemble import assemble
from ingest.files.chat_log import Chat, to_line
from ingest.records.episode import Episode
from ingest.records.text import canonical_arguments
from tests.chat_line import parse_line
from tests.unit.ingest_emitters import APP, EMITTERS, Emitted, Turns

Call = tuple[str, str, dict[str, Any], str]
"""Id, tool, arguments, result."""


def user(text: str) -> Turns:
    """A message of the user."""
    return [{"role": "user", "content": text}]


def says(text: str) -> Turns:
    """An answer in words."""
    return [{"role": "assistant", "content": text}]


def asks(*calls: Call) -> Turns:
    """Calls of one answer, and their results in order."""
    made = [
        {
            "id": identity,
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for identity, name, arguments, _ in calls
    ]
    asked: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": made}
    results = [
        {"role": "tool", "tool_call_id": identity, "name": name, "content": result}
        for identity, name, _, result in calls
    ]
    return [asked, *results]


SYSTEM: Turns = [{"role": "system", "content": "Be kind."}]
DIALOGUES: dict[str, Turns] = {
    "numbered anew in every turn": [
        *SYSTEM,
        *user("Where is A1?"),
        *asks(("call_0", "find_order", {"order": "A1"}, '{"state": "sent"}')),
        *says("It was sent."),
        *user("And A2?"),
        *asks(("call_0", "find_order", {"order": "A2"}, '{"state": "open"}')),
        *says("It is open."),
        *user("Cancel it."),
        *asks(("call_0", "cancel_order", {"order": "A2"}, '{"state": "gone"}')),
        *says("Done."),
    ],
    "numbered anew in every step of one turn": [
        *SYSTEM,
        *user("Cancel what is open."),
        *asks(("call_0", "list_orders", {}, '["A1", "A2"]')),
        *asks(("call_0", "find_order", {"order": "A1"}, '{"state": "sent"}')),
        *asks(("call_0", "find_order", {"order": "A2"}, '{"state": "open"}')),
        *asks(("call_0", "cancel_order", {"order": "A2"}, '{"state": "gone"}')),
        *says("A2 is cancelled."),
    ],
    "two calls of one answer": [
        *SYSTEM,
        *user("Where are A1 and A2?"),
        *asks(
            ("call_0", "find_order", {"order": "A1"}, '{"state": "sent"}'),
            ("call_0", "find_order", {"order": "A2"}, '{"state": "open"}'),
        ),
        *says("One is sent, one is open."),
    ],
    "two calls of one answer to two tools": [
        *SYSTEM,
        *user("Who am I, and where is A1?"),
        *asks(
            ("0", "whoami", {}, '{"name": "Ann"}'),
            ("0", "find_order", {"order": "A1"}, '{"state": "sent"}'),
        ),
        *says("You are Ann."),
        *user("Thanks."),
        *says("Bye."),
    ],
    "an id that comes back later": [
        *SYSTEM,
        *user("A1?"),
        *asks(("x", "find_order", {"order": "A1"}, '{"state": "sent"}')),
        *says("Sent."),
        *user("A2?"),
        *asks(("y", "find_order", {"order": "A2"}, '{"state": "open"}')),
        *says("Open."),
        *user("A3?"),
        *asks(("z", "find_order", {"order": "A3"}, '{"state": "new"}')),
        *says("New."),
        *user("A1 again?"),
        *asks(("x", "find_order", {"order": "A9"}, '{"state": "lost"}')),
        *says("Lost."),
    ],
    "the same call again with another result": [
        *SYSTEM,
        *user("Wait until A1 is sent."),
        *asks(("call_0", "find_order", {"order": "A1"}, '{"state": "open"}')),
        *asks(("call_0", "find_order", {"order": "A1"}, '{"state": "open"}')),
        *asks(("call_0", "find_order", {"order": "A1"}, '{"state": "sent"}')),
        *says("It was sent."),
    ],
    "the same turn again, word for word": [
        *SYSTEM,
        *user("Where is A1?"),
        *asks(("call_0", "find_order", {"order": "A1"}, '{"state": "open"}')),
        *says("It is open."),
        *user("Where is A1?"),
        *asks(("call_0", "find_order", {"order": "A1"}, '{"state": "open"}')),
        *says("It is open."),
        *user("Where is A1?"),
        *asks(("call_0", "find_order", {"order": "A1"}, '{"state": "sent"}')),
        *says("It was sent."),
    ],
}


def told(episode: Episode) -> list[tuple[object, ...]]:
    """What was said and called, in order."""
    return [
        (
            step.role,
            step.content or None,
            tuple((c.name, canonical_arguments(c.arguments)) for c in step.tool_calls),
        )
        for step in episode.steps
    ]


def expected(turns: Turns) -> list[tuple[object, ...]]:
    """The same of a dialogue."""
    return [
        (
            turn["role"],
            turn["content"] or None,
            tuple(
                (c["function"]["name"], canonical_arguments(c["function"]["arguments"]))
                for c in turn.get("tool_calls", [])
            ),
        )
        for turn in turns
    ]


def bound(episode: Episode) -> list[tuple[str, str, str | None]]:
    """Each result with the call that carries its id and waits for it: name, arguments, text."""
    waiting: dict[str, list[tuple[str, str]]] = {}
    found: list[tuple[str, str, str | None]] = []
    for step in episode.steps:
        for call in step.tool_calls:
            waiting.setdefault(call.call_id, []).append((call.name, call.arguments))
        if step.role == "tool":
            open_calls = waiting[step.call_id or ""]
            # Whoever reads the episode sees one open call with this id, whichever end they look from.
            assert len(open_calls) == 1
            name, arguments = open_calls.pop()
            found.append((name, canonical_arguments(arguments), step.content))
            assert step.tool_name == name
    return found


def answered(turns: Turns) -> list[tuple[str, str, str]]:
    """Each result of a dialogue with its call; results stand in the order of their calls."""
    found: list[tuple[str, str, str]] = []
    waiting: list[tuple[str, str]] = []
    for turn in turns:
        for call in turn.get("tool_calls", []):
            function = call["function"]
            waiting.append((function["name"], canonical_arguments(function["arguments"])))
        if turn["role"] == "tool":
            name, arguments = waiting.pop(0)
            found.append((name, arguments, turn["content"]))
    return found


def check(episode: Episode, turns: Turns) -> None:
    """Each turn once, in order, every result with its call."""
    assert told(episode) == expected(turns)
    assert bound(episode) == answered(turns)
    assert not {"missing_results", "orphan_results"} & set(episode.completeness)


@pytest.mark.parametrize("name", DIALOGUES)
@pytest.mark.parametrize("emit", EMITTERS.values(), ids=EMITTERS.keys())
def test_every_dialect_tells_each_turn_once(emit: Callable[..., Emitted], name: str) -> None:
    """Every model call repeats the whole history; tools' spans stand beside it where a client has them."""
    sent = emit(DIALOGUES[name])
    (episode,) = assemble(sent.spans, sent.events, app=APP).episodes
    check(episode, DIALOGUES[name])


@pytest.mark.parametrize("name", DIALOGUES)
@pytest.mark.parametrize("emit", EMITTERS.values(), ids=EMITTERS.keys())
def test_the_order_of_arrival_does_not_matter(emit: Callable[..., Emitted], name: str) -> None:
    """Spans come in any order, some of them twice."""
    sent = emit(DIALOGUES[name])
    mix = random.Random(5)  # noqa: S311 - mixes, and always alike
    spans, events = sent.spans + sent.spans[::2], sent.events + sent.events[::2]
    mix.shuffle(spans)
    mix.shuffle(events)
    (episode,) = assemble(spans, events, app=APP).episodes
    check(episode, DIALOGUES[name])


@pytest.mark.parametrize("name", DIALOGUES)
def test_a_chat_log_binds_results_to_their_calls(name: str) -> None:
    """A line of a chat log with such ids, read, written and read again."""
    line = json.dumps({"episode_id": "c1", "messages": DIALOGUES[name]})
    chat = parse_line(line, source="s", position="line 1")
    assert isinstance(chat, Chat)
    check(chat.episode, DIALOGUES[name])
    again = parse_line(to_line(chat.episode), source="s", position="line 1")
    assert isinstance(again, Chat)
    assert again.episode.steps == chat.episode.steps


def windowed(size: int) -> Callable[[Turns], Turns]:
    """A client that sends the last few messages only."""

    def cut(given: Turns) -> Turns:
        prompt = [turn for turn in given if turn["role"] == "system"]
        return [*prompt, *[turn for turn in given if turn["role"] != "system"][-size:]]

    return cut


def one_by_one(given: Turns) -> Turns:
    """A client that repeats parallel calls one after the other, each with its result."""
    told: Turns = []
    waiting: Turns = []
    for turn in given:
        if turn["role"] == "tool" and waiting:
            told += [waiting.pop(0), turn]
            continue
        told += waiting
        waiting = [{**turn, "tool_calls": [call]} for call in turn.get("tool_calls", [])]
        told += [] if waiting else [turn]
    return [*told, *waiting]


def without_calls(given: Turns) -> Turns:
    """A client that repeats messages without the calls that were in them."""
    return [{k: v for k, v in turn.items() if k != "tool_calls"} for turn in given]


CLIENTS: dict[str, Callable[[Turns], Turns]] = {
    "the last 2": windowed(2),
    "the last 3": windowed(3),
    "the last 5": windowed(5),
    "calls one by one": one_by_one,
    "without calls": without_calls,
}


@pytest.mark.parametrize("name", DIALOGUES)
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("emit", EMITTERS.values(), ids=EMITTERS.keys())
def test_clients_that_retell_the_past_in_their_own_way(
    emit: Callable[..., Emitted], client: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A window, calls one by one, or no calls at all: the same id elsewhere in the past is not taken for the call that is meant."""
    turns = DIALOGUES[name]
    asked = [n for n, turn in enumerate(turns) if turn["role"] == "assistant"]
    told_again = [(CLIENTS[client](turns[:n]), turns[n]) for n in asked]
    monkeypatch.setattr("tests.unit.ingest_emitters.model_calls", lambda _: told_again)
    sent = emit(turns)
    (episode,) = assemble(sent.spans, sent.events, app=APP).episodes
    assert told(episode) == expected(turns)


IDS = st.sampled_from(["0", "call_0", "x"])
CALL = st.tuples(
    IDS,
    st.sampled_from(["a", "b"]),
    st.fixed_dictionaries({}, optional={"k": st.integers(0, 2)}),
    st.sampled_from(["1", "2", "x"]),
)
TURN = st.one_of(
    st.lists(CALL, min_size=1, max_size=3).map(lambda calls: asks(*calls)),
    st.sampled_from(["ok", "no"]).map(lambda text: [*says(text), *user(text)]),
)


@given(st.lists(TURN, max_size=5))
def test_any_dialogue_in_a_chat_log(turns: list[Turns]) -> None:
    """Ids, tools, arguments and results drawn from so few that all of them come again."""
    dialogue = [*SYSTEM, *user("hi"), *(turn for group in turns for turn in group)]
    chat = parse_line(json.dumps({"messages": dialogue}), source="s", position="line 1")
    assert isinstance(chat, Chat)
    check(chat.episode, dialogue)


@pytest.mark.parametrize("dialect", ["otel_genai", "openinference", "langfuse", "langsmith"])
@given(turns=st.lists(TURN, max_size=5))
def test_any_dialogue_in_spans(dialect: str, turns: list[Turns]) -> None:
    """The same in telemetry, where every call tells the past again."""
    dialogue = [
        *SYSTEM, *user("hi"), *(turn for group in turns for turn in group), *says("bye"),
    ]  # fmt: skip
    sent = EMITTERS[dialect](dialogue)
    (episode,) = assemble(sent.spans, sent.events, app=APP).episodes
    check(episode, dialogue)
