"""What LiteLLM's own OpenTelemetry callback sends, driven here: two requests of one conversation, each in a trace of its own."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import litellm
import pytest
from litellm.integrations.opentelemetry import OpenTelemetry, OpenTelemetryConfig
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ingest.assembly.assemble import assemble
from tests.openai_server import serving
from tests.unit.exported_lines import decoded_below

ASKED = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where is A1?"}]
CALL: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {
            "id": "k1",
            "type": "function",
            "function": {"name": "find_order", "arguments": '{"order": "A1"}'},
        }
    ],
}
RESULT = {"role": "tool", "tool_call_id": "k1", "content": '{"state": "sent"}'}
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "find_order",
            "description": "Finds.",
            "parameters": {"type": "object", "properties": {"order": {"type": "string"}}},
        },
    }
]


def answer(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """A model that looks the order up, then says what it found."""
    if body["messages"][-1]["role"] == "user":
        return CALL
    return {"role": "assistant", "content": "It was sent."}


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[ReadableSpan]:
    """The spans of both requests."""
    kept = InMemorySpanExporter()
    callback = OpenTelemetry(config=OpenTelemetryConfig(exporter=kept))
    monkeypatch.setattr(litellm, "callbacks", [callback])
    with serving(answer) as server:
        for messages in (ASKED, [*ASKED, CALL, RESULT]):
            litellm.completion(
                model="openai/some-model",
                messages=messages,
                tools=TOOLS,
                user="u1",
                api_base=server.url,
                api_key="none",
            )
            _wait_for(kept, f"chatcmpl-{len(server.requests)}")
    return list(kept.get_finished_spans())


def _wait_for(kept: InMemorySpanExporter, response: str) -> None:
    """LiteLLM writes its spans in a thread of its own."""
    for _ in range(200):
        attributes = [span.attributes or {} for span in kept.get_finished_spans()]
        if any(one.get("gen_ai.response.id") == response for one in attributes):
            return
        time.sleep(0.05)
    raise AssertionError("LiteLLM sent no span within ten seconds")


def test_a_conversation_by_way_of_litellm_is_whole(
    sent: list[ReadableSpan], tmp_path: Path
) -> None:
    """It keeps the calls of an answer, and the tools, beside its messages, and names no conversation: history joins its requests."""
    body = tmp_path / "body.pb"
    body.write_bytes(encode_spans(sent).SerializeToString())

    (episode,) = assemble(decoded_below(body, app="shop").spans, app="shop").episodes

    assert [(s.role, s.content or None, [c.name for c in s.tool_calls]) for s in episode.steps] == [
        ("system", "Be brief.", []),
        ("user", "Where is A1?", []),
        ("assistant", None, ["find_order"]),
        ("tool", RESULT["content"], []),
        ("assistant", "It was sent.", []),
    ]
    assert [json.loads(tool)["function"]["name"] for tool in episode.tools] == ["find_order"]
    assert episode.subject == "u1"
