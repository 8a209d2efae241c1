"""Calls that an agent writes as prose, in the ReAct form, and what a user said inside a prompt that is a template."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ingest.assembly.assemble import assemble
from ingest.dialects.table import read_span
from ingest.records.span import Span
from ingest.records.text import Json
from tests.unit.ingest_emitters import APP, span

PROMPT = "You sell ferry tickets. Answer in the form:\nThought: …\nFinal Answer: …"
TEMPLATE = "Earlier:\n{history}\n\nThe customer writes: {message}\n\nBegin!\n\nThought:"
LOOK = 'Thought: I look it up.\nAction: find\nAction Input: {"ship": "A"}'
DONE = "Thought: I know it.\nFinal Answer: It is late."
CALL = ("find", '{"ship": "A"}')

Told = list[tuple[str, str | None, list[tuple[str, str]]]]


def turn(number: int, inputs: dict[str, Json], *answers: str) -> list[Span]:
    """A function that fills a template in, with the model calls and the tool runs below it."""
    root = f"{number:016x}"
    filled = TEMPLATE.format(history=inputs.get("chat_history"), message=inputs.get("message"))
    given: list[dict[str, Any]] = [
        {"role": "system", "content": PROMPT},
        {"role": "user", "content": filled},
    ]
    above = {"session.id": "s1", "openinference.span.kind": "CHAIN"}
    spans = [span(number, {**above, "crew_inputs": json.dumps(inputs)})]
    for at, answer in enumerate(answers, start=number + 1):
        attributes: dict[str, Json] = {
            "openinference.span.kind": "LLM",
            "session.id": "s1",
            "input.value": json.dumps({"messages": given}),
            "output.value": answer,
        }
        spans.append(span(2 * at, attributes, parent_id=root))
        if answer == LOOK:
            ran = {"openinference.span.kind": "TOOL", "tool.name": "find", "session.id": "s1"}
            asked = json.dumps({"calling": {"tool_name": "find", "arguments": {"ship": "A"}}})
            told = {"input.value": asked, "output.value": "late"}
            spans.append(span(2 * at + 1, {**ran, **told}, parent_id=root))
            given = [*given, {"role": "assistant", "content": f"{answer}\nObservation: late"}]
    return spans


def told(spans: list[Span]) -> Told:
    """The one episode's messages after the prompt."""
    (episode,) = assemble(spans, app=APP).episodes
    return [
        (s.role, s.content, [(c.name, c.arguments) for c in s.tool_calls]) for s in episode.steps
    ][1:]


def test_calls_results_and_answers_in_prose_are_what_they_are() -> None:
    """Turn by turn, each with the past as text in its template: the episode holds what was said, once."""
    first: dict[str, Json] = {"message": "Is the ferry late?", "chat_history": "(none)"}
    second: dict[str, Json] = {
        "message": "And B?",
        "chat_history": "Is the ferry late? It is late.",
    }
    spans = [*turn(1, first, LOOK, DONE), *turn(20, second, DONE)]
    assert told(spans) == [
        ("user", "Is the ferry late?", []),
        ("assistant", None, [CALL]),
        ("tool", "late", []),
        ("assistant", "It is late.", []),
        ("user", "And B?", []),
        ("assistant", "It is late.", []),
    ]


OTHERS: list[dict[str, Json]] = [
    {"message": "Is it late?"},
    {"message": "Is it late?", "chat_history": "(none)", "page": "Begin!"},
    {"theme": "Is it late?", "chat_history": "(none)"},
]


@pytest.mark.parametrize("inputs", OTHERS)
def test_a_prompt_that_holds_more_than_words_and_their_past_stays(inputs: dict[str, Json]) -> None:
    """A page that the answer is made from, or instructions alone, would be lost."""
    filled = TEMPLATE.format(history=inputs.get("chat_history"), message=inputs.get("message"))
    assert told(turn(1, inputs, DONE))[0] == ("user", filled, [])


PLAIN = [
    "Thought: Action: none",
    "Action: find\nAction Input: the ferry A",
    'To call one, write:\nAction: find\nAction Input: {"ship": "A"}',
    "Final Answer: 42",
]


@pytest.mark.parametrize("text", PLAIN)
def test_other_prose_stays(text: str) -> None:
    """Arguments that are no object, a text about the form, an answer without its thought."""
    inputs: dict[str, Json] = {"message": "Is it late?", "chat_history": "(none)"}
    assert told(turn(1, inputs, text))[-1] == ("assistant", text, [])


def test_an_observation_that_the_next_message_brings_is_a_result() -> None:
    """As LlamaIndex's agent sends it."""
    asked: Json = {"role": "user", "content": "Is it late?"}
    past: list[Json] = [{"role": "assistant", "content": LOOK}]
    past.append({"role": "user", "content": "Observation: late"})
    kind = {"openinference.span.kind": "LLM"}
    spans = [
        span(n, {**kind, "input.value": json.dumps({"messages": given}), "output.value": made})
        for n, given, made in (
            (1, [asked], LOOK),
            (2, [asked, *past], "Thought: I can answer.\nAnswer: It is late."),
        )
    ]
    (episode,) = assemble(spans, app=APP).episodes
    assert [(s.role, s.content) for s in episode.steps] == [
        ("user", "Is it late?"),
        ("assistant", None),
        ("tool", "late"),
        ("assistant", "It is late."),
    ]
    assert "reasoning_left_out" in episode.completeness


def test_a_first_turn_has_an_empty_past() -> None:
    """Its words are found as those of the turns after it are."""
    inputs: dict[str, Json] = {"message": "Is it late?", "chat_history": ""}
    assert told(turn(1, inputs, DONE))[0] == ("user", "Is it late?", [])


def test_arguments_of_a_tool_may_be_called_calling() -> None:
    """They are CrewAI's record of a call only where they name a tool and what it is given."""
    given = json.dumps({"calling": {"number": "+1"}, "note": "x"})
    kind = {"openinference.span.kind": "TOOL", "tool.name": "ring", "input.value": given}
    assert json.loads(read_span(span(1, kind)).arguments or "") == json.loads(given)
