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
