"""Spans of an app's own: counted and named, and read once they have the attributes that the guide names."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from ingest.assembly.assemble import assemble
from ingest.assembly.unread import UNNAMED, unread
from ingest.records.span import Span
from tests.unit.ingest_emitters import APP, MODEL_CALLS, TURNS, otel_genai, span

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "dialects.md"


def own() -> list[Span]:
    """The common dialogue under names that no convention has."""
    calls = [
        span(
            1 + 2 * number,
            {"input": json.dumps(given), "output": json.dumps(made)},
            name="llm.call",
        )
        for number, (given, made) in enumerate(MODEL_CALLS)
    ]
    run = {"tool": "find_order", "input": '{"order": "A1"}', "output": '{"state": "sent"}'}
    return [*calls, span(2, run, name="tool.run")]


def test_spans_of_no_convention_are_counted_by_name() -> None:
    """Nothing is made of them; a name that a person may have written is not shown."""
    texts = {"input": "Where is A1?", "output": "Sent."}
    bare = [replace(one, attributes=texts) for one in own()]
    assert not assemble(bare, app=APP).episodes
    said = span(4, {"http.request.body.text": "hello"}, name="call Ann Smith 42")
    written = span(7, {"acme.llm.prompt_json": "[]"}, name="llm.complete")
    assert unread([written]) == {"llm.complete": 1}
    plain = [span(5, {"http.method": "GET"}, name="GET"), span(6, {"input": 3}, name="sum")]
    found = unread([*bare, said, *plain, *otel_genai().spans])
    assert found == {"llm.call": 2, "tool.run": 1, UNNAMED: 1}


def test_messages_that_name_their_speakers_are_a_model_call_under_any_names() -> None:
    """The results stand in the next call's input; a tool's own span says nothing of whose words it holds."""
    (episode,) = assemble(own(), app=APP).episodes
    assert [(s.role, s.content) for s in episode.steps] == [
        (t["role"], t["content"]) for t in TURNS
    ]
    assert unread(own()) == {"tool.run": 1}


def test_the_guides_configuration_makes_them_an_episode() -> None:
    """Each statement of the guide's example, carried out: the dialogue is the one that was held."""
    rules = re.findall(
        r'conditions: \[span.name == "([^"]+)"\]|- set\(span.attributes\["([^"]+)"\], (.+)\)',
        GUIDE.read_text(),
    )
    spans = own()
    name = ""
    for condition, key, value in rules:
        name = condition or name
        copied = re.fullmatch(r'span.attributes\["([^"]+)"\]', value)
        for one in spans:
            if key and one.name == name:
                target = cast("dict[str, Any]", one.attributes)
                target[key] = target[copied[1]] if copied else json.loads(value)
    (episode,) = assemble(spans, app=APP).episodes
    assert [(s.role, s.content) for s in episode.steps] == [
        (t["role"], t["content"]) for t in TURNS
    ]
    assert [c.name for s in episode.steps for c in s.tool_calls] == ["find_order"]
    assert not unread(spans)
