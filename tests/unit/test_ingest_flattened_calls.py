"""Flattened messages (`gen_ai.prompt.N.*`) whose calls stand where no message of their own is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ingest.assembly.assemble import assemble
from ingest.records.episode import Episode
from ingest.records.span import Span
from ingest.records.text import Json
from tests.unit.ingest_emitters import APP, span


def flattened(number: int, fields: dict[str, dict[str, Any]], **more: Json) -> Span:
    """A model call's span."""
    told = {
        f"gen_ai.{place}.{key}": one for place, held in fields.items() for key, one in held.items()
    }
    return span(number, {"llm.request.type": "chat", **told}, **more)


def of(episode: Episode) -> list[tuple[str, str | None, list[str]]]:
    """An episode's messages."""
    return [(s.role, s.content, [c.name for c in s.tool_calls]) for s in episode.steps]


def test_completions_that_only_call_are_calls_of_one_answer() -> None:
    """LiteLLM counts the calls of an answer as answers, leaves them out of the history, and keeps the session as Python shows it."""
    asked = {"role": "user", "content": "Compare A and B."}
    called = {
        "completion.0": {
            "role": "assistant",
            "function_call.name": "find",
            "function_call.arguments": '{"ship": "A"}',
        },
        "completion.1": {"function_call.name": "find", "function_call.arguments": '{"ship": "B"}'},
    }
    past = {
        "prompt.0": asked,
        "prompt.1": {"role": "assistant"},
        "prompt.2": {"role": "tool", "content": "late"},
        "prompt.3": {"role": "tool", "content": "early"},
    }
    session = {"metadata.requester_metadata": "{'session_id': 's1', 'desk': None}"}
    spans = [
        flattened(1, {"prompt.0": asked, **called}, trace_id="b" * 32),
        flattened(2, {**past, "completion.0": {"role": "assistant", "content": "B."}}),
    ]
    spans = [replace(one, attributes={**one.attributes, **session}) for one in spans]

    (episode,) = assemble(spans, app=APP).episodes

    assert episode.conversation_id == "s1"
    assert of(episode) == [
        ("user", "Compare A and B.", []),
        ("assistant", None, ["find", "find"]),
        ("tool", "late", []),
        ("tool", "early", []),
        ("assistant", "B.", []),
    ]
    assert [c.arguments for c in episode.steps[1].tool_calls] == ['{"ship": "A"}', '{"ship": "B"}']


def test_text_and_calls_of_one_answer_are_one_message() -> None:
    """Clients of the Responses API count its items: the text of an answer, and each of its calls."""

    def calling(number: int, ship: str) -> dict[str, Any]:
        call = {"id": f"k{number}", "name": "find", "arguments": f'{{"ship": "{ship}"}}'}
        return {"role": "assistant", **{f"tool_calls.0.{key}": one for key, one in call.items()}}

    asked = {"role": "user", "content": "Compare A and B."}
    said = {"role": "assistant", "content": "I look at both."}
    items = [said, calling(1, "A"), calling(2, "B")]
    results = [{"role": "tool", "content": f"late {n}", "tool_call_id": f"k{n}"} for n in (1, 2)]
    past = {f"prompt.{n}": one for n, one in enumerate([asked, *items, *results])}
    spans = [
        flattened(
            1, {"prompt.0": asked, **{f"completion.{n}": one for n, one in enumerate(items)}}
        ),
        flattened(2, {**past, "completion.0": {"role": "assistant", "content": "Both are late."}}),
    ]
    (episode,) = assemble(spans, app=APP).episodes
    assert of(episode) == [
        ("user", "Compare A and B.", []),
        ("assistant", "I look at both.", ["find", "find"]),
        ("tool", "late 1", []),
        ("tool", "late 2", []),
        ("assistant", "Both are late.", []),
    ]


def test_no_parts_beside_calls_are_no_text() -> None:
    """A message's text blocks as JSON: an empty list of them says nothing, unless it is all that was said."""
    call = {"tool_calls.0.name": "find", "tool_calls.0.id": "k1", "tool_calls.0.arguments": "{}"}
    spans = [
        flattened(
            1,
            {
                "prompt.0": {"role": "user", "content": "Which are late?"},
                "prompt.1": {"role": "assistant", "content": "[]", **call},
                "prompt.2": {"role": "tool", "content": "[]", "tool_call_id": "k1"},
                "completion.0": {"role": "assistant", "content": "[]"},
            },
        )
    ]
    assert of(assemble(spans, app=APP).episodes[0])[1:] == [
        ("assistant", None, ["find"]),
        ("tool", "[]", []),
        ("assistant", "[]", []),
    ]


def test_langsmith_traced_by_hand_is_flattened() -> None:
    """Its documentation shows messages with a number each beside its own kinds; the thread stands in its metadata."""
    kind = {"langsmith.span.kind": "llm", "langsmith.metadata.session_id": "desk 1"}
    asked = {"role": "user", "content": "Is A late?"}
    call = {"id": "c1", "name": "find", "arguments": '{"ship": "A"}'}
    calls = {"role": "assistant", **{f"tool_calls.0.{key}": one for key, one in call.items()}}
    back = {"role": "tool", "content": "late", "tool_call_id": "c1"}
    past = {"prompt.0": asked, "prompt.1": calls, "prompt.2": back}
    spans = [
        flattened(1, {"prompt.0": asked, "completion.0": calls}),
        flattened(3, {**past, "completion.0": {"role": "assistant", "content": "Yes."}}),
    ]
    spans = [replace(one, attributes={**one.attributes, **kind}) for one in spans]
    [episode] = assemble(spans, app=APP).episodes
    assert (episode.source, episode.conversation_id) == ("langsmith", "desk 1")
    assert of(episode) == [
        ("user", "Is A late?", []),
        ("assistant", None, ["find"]),
        ("tool", "late", []),
        ("assistant", "Yes.", []),
    ]
