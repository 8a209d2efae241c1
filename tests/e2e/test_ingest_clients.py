"""One dialogue, many emitters: the real client libraries against a stand-in for the model and the real receiver.

Each library runs in a virtual environment of its own, so these are consumer tests. The programs are in
tests/data/emitters; what they send becomes the same episode, and what a library does not send is named.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from ingest.assembly.assemble import assemble
from ingest.otlp.decode import decode
from ingest.receiver.http import http_app
from ingest.receiver.intake import Intake
from ingest.receiver.server import Server, ServerSettings
from ingest.receiver.tokens import Tokens
from ingest.receiver.wal import Wal
from ingest.records.episode import Episode, Step
from ingest.records.text import canonical_arguments
from tests.consumer_venv import make_venv, sh
from tests.openai_server import serving

APPS = Path(__file__).resolve().parent.parent / "data" / "emitters"
STOCK = ("opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-http")
CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
LATEST = {"OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental"}


@dataclass(frozen=True, kw_only=True)
class Client:
    """One way in which an app is instrumented."""

    app: str
    packages: tuple[str, ...]
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    source: str
    subject: str | None = "u1"
    """None where the library has no field for the user."""
    missing: tuple[str, ...] = ()
    """What the episode says that the library did not send."""


OPENINFERENCE = Client(
    app="openinference",
    packages=(*STOCK, "openai", "openinference-instrumentation-openai"),
    source="openinference",
)
OPENLLMETRY = Client(
    app="openllmetry",
    packages=("openai", "traceloop-sdk", "opentelemetry-instrumentation-openai", "httpx"),
    source="openllmetry",
)
LANGFUSE = Client(app="langfuse", packages=("langfuse", "openai"), source="langfuse")
# The release of openai-v2 that reads util-genai's older interface.
OTEL = (*STOCK, "openai", "opentelemetry-instrumentation-openai-v2", "httpx", "opentelemetry-util-genai<1")  # fmt: skip


def otel(source: str, env: Mapping[str, str], *args: str) -> Client:
    """OpenTelemetry's own instrumentation, which sends no tool definitions."""
    missing = ("no_tool_definitions",)
    return Client(
        app="otel_genai", packages=OTEL, source=source, env=env, args=args, missing=missing
    )


CLIENTS = {
    "openinference": OPENINFERENCE,
    "openinference-stream": replace(OPENINFERENCE, args=("stream",)),
    "openllmetry": OPENLLMETRY,
    "openllmetry-stream": replace(OPENLLMETRY, args=("stream",)),
    "langfuse": LANGFUSE,
    "langfuse-stream": replace(LANGFUSE, args=("stream",)),
    "otel-log-events": otel("otel_genai_events", {CONTENT: "true"}),
    "otel-spans": otel("otel_genai", {**LATEST, CONTENT: "SPAN_ONLY"}),
    "otel-details": otel("otel_genai", {**LATEST, CONTENT: "EVENT_ONLY"}),
    "otel-both-stream": otel("otel_genai", {**LATEST, CONTENT: "SPAN_AND_EVENT"}, "stream"),
    "langsmith": Client(
        app="langsmith",
        packages=("langsmith[otel]", "openai"),
        env={f"LANGSMITH_{name}": "true" for name in ("OTEL_ENABLED", "TRACING", "OTEL_ONLY")},
        source="langsmith",
    ),
    "pydantic-ai": Client(
        app="pydantic",
        packages=(*STOCK, "pydantic-ai-slim[openai]", "logfire"),
        source="pydantic_ai",
    ),
    "openai-agents": Client(
        app="openai_agents",
        packages=(*STOCK, "openai-agents", "openinference-instrumentation-openai-agents"),
        source="openinference",
        missing=("tools_from_runs",),
    ),
    "agent-framework": Client(
        app="agent_framework",
        packages=(*STOCK, "agent-framework-core", "agent-framework-openai"),
        env={"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"},
        source="microsoft_agent",
    ),
    "google-adk-1": Client(
        app="adk", packages=(*STOCK, "google-adk<2", "openai"), source="google_adk", subject=None
    ),
    "google-adk-2": Client(
        app="adk",
        packages=(*STOCK, "google-adk>=2", "openai"),
        env={**LATEST, CONTENT: "SPAN_ONLY"},
        source="google_adk",
        subject=None,
    ),
}


def model(body: Mapping[str, Any]) -> dict[str, Any]:
    """Asks for both orders at once, then says what it found."""
    last = body["messages"][-1]
    if last["role"] == "tool":
        return {"content": "A1 was sent. B2 is unknown."}
    if "Thanks" in str(last["content"]):
        return {"content": "Goodbye."}
    return {"tool_calls": [call(order) for order in ("A1", "B2")]}


def call(order: str) -> dict[str, Any]:
    """One tool call as OpenAI writes it."""
    function = {"name": "find_order", "arguments": json.dumps({"order": order})}
    return {"id": f"call_{order}", "type": "function", "function": function}


def sent_by(client: Client, folder: Path, venvs: Path) -> list[Episode]:
    """The episodes of what the client library sent while the dialogue took place."""
    name = f"ingest-{client.app}" + ("-2" if "google-adk>=2" in client.packages else "")
    python = make_venv(name, client.packages, venvs) / "python"
    with Wal(folder) as wal, serving(model) as stand_in:
        server = Server(http_app(Intake(wal, Tokens())), ServerSettings(port=0))
        told = {
            "MODEL_URL": stand_in.url,
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{server.start()}",
            "OTEL_SERVICE_NAME": "shop",
            **client.env,
        }
        sh(python, APPS / f"{client.app}_app.py", *client.args, cwd=folder, **told)
        server.stop()
        arrived = [decode(record) for record in wal.pending()]
    assert not [record for one in arrived for record in one.rejected]
    spans = [span for one in arrived for span in one.spans]
    (app,) = {span.app for span in spans}
    return assemble(spans, [e for one in arrived for e in one.events], app=app).episodes


def told(step: Step) -> tuple[object, ...]:
    """What a step says; a kit's own words after the system prompt are left out."""
    content = (step.content or "").partition("\n")[0] if step.role == "system" else step.content
    calls = tuple((c.call_id, c.name, canonical_arguments(c.arguments)) for c in step.tool_calls)
    return step.role, content, calls, step.call_id, step.tool_name


def result(order: str, state: str) -> tuple[object, ...]:
    """What the tool answered."""
    return "tool", json.dumps({"order": order, "state": state}), (), f"call_{order}", "find_order"


EXPECTED: list[tuple[object, ...]] = [
    ("system", "Be kind.", (), None, None),
    ("user", "Where are my orders A1 and B2?", (), None, None),
    (
        "assistant",
        None,
        tuple((f"call_{o}", "find_order", canonical_arguments(json.dumps({"order": o}))) for o in ("A1", "B2")),
        None,
        None,
    ),
    result("A1", "sent"),
    result("B2", "unknown"),
    ("assistant", "A1 was sent. B2 is unknown.", (), None, None),
    ("user", "Thanks, bye.", (), None, None),
    ("assistant", "Goodbye.", (), None, None),
]  # fmt: skip


@pytest.fixture(scope="session")
def venvs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where virtual environments are made when no cache is named."""
    return tmp_path_factory.mktemp("venvs")


@pytest.mark.consumer
@pytest.mark.timeout(900)
@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS.keys())
def test_every_client_library_sends_the_same_episode(
    client: Client, tmp_path: Path, venvs: Path
) -> None:
    """Messages, calls, results, order, tool definitions, ids and tokens are the same whichever library sent them."""
    (episode,) = sent_by(client, tmp_path, venvs)
    assert [told(step) for step in episode.steps] == EXPECTED
    assert (episode.source, episode.conversation_id, episode.model) == (client.source, "c1", "m")
    assert episode.subject == client.subject
    assert episode.completeness == client.missing
    assert not any(step.is_error for step in episode.steps)
    assert [
        (step.input_tokens, step.output_tokens)
        for step in episode.steps
        if step.role == "assistant"
    ] == [(10, 5)] * 3
    functions = [json.loads(tool)["function"] for tool in episode.tools]
    if "no_tool_definitions" in client.missing:
        assert not functions
        return
    (function,) = functions
    assert (function["name"], function["parameters"]["required"]) == ("find_order", ["order"])
    assert function["parameters"]["properties"]["order"]["type"] == "string"


FAILING = (
    "openinference",
    "openllmetry",
    "langfuse",
    "langsmith",
    "openai-agents",
    "agent-framework",
)
"""Set-ups with a span for the tool, on which a failure shows."""


@pytest.mark.consumer
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", FAILING)
def test_a_tool_that_raises_is_an_error_from_every_client_library(
    name: str, tmp_path: Path, venvs: Path
) -> None:
    """The call that raised has failed, the other has not; the text is the library's own."""
    client = CLIENTS[name]
    failing = replace(client, env={**client.env, "TOOL_FAILS": "1"})
    (episode,) = sent_by(failing, tmp_path, venvs)
    results = {step.call_id: step for step in episode.steps if step.role == "tool"}
    assert results["call_A1"].is_error is not True
    assert results["call_B2"].is_error is True
    assert results["call_B2"].content
    assert len(episode.steps) == len(EXPECTED)
    assert episode.completeness == client.missing
