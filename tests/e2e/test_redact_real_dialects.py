"""Canaries planted in the request bodies that real client libraries sent: none survives, whatever the dialect."""

import json
import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ingest.assembly.assemble import assemble
from ingest.files.telemetry_files import read_file
from ingest.formats.format import Decoded
from ingest.otlp.decode import decode
from ingest.receiver.wal import WalRecord
from ingest.records.span import LogEvent, Span
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.operators.vault import Vault
from redact.policy import Policy
from tests.leak_hits import leaks_in
from tests.unit.canaries import CANARIES, HIDINGS, RECORD, survivors
from tests.unit.raw_conversations import SECRET, calls, episode

CLIENTS = ("genai", "genai-events", "openinference", "traceloop", "langfuse")
PLANTED = " and ".join(
    HIDINGS[hiding](CANARIES[kind])
    for kind, hiding in zip(CANARIES, list(HIDINGS)[: len(CANARIES)], strict=True)
)
"""Every type, each in another spelling."""


def bodies(folder: Path) -> Decoded:
    """What a client's bodies say, decoded."""
    found = Decoded()
    for number, record in enumerate(read_file(folder)):
        assert isinstance(record, WalRecord)
        one = decode(record.stored(number))
        found.spans += one.spans
        found.events += one.events
    return found


def planted(value: Any, planting: str) -> Any:  # noqa: ANN401 - any attribute value
    """The value with the planting after every sentence in it, also in JSON inside strings."""
    if isinstance(value, str):
        if value[:1] in "[{":
            try:
                return json.dumps(planted(json.loads(value), planting))
            except ValueError:
                pass
        return f"{value} {planting}" if value.count(" ") > 2 else value
    if isinstance(value, dict):
        return {key: planted(part, planting) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(planted(part, planting) for part in value)
    return value


def marked_span(span: Span, planting: str) -> Span:
    """A span with canaries in its name, its attributes and the keys of them, and its events."""
    plant = partial(planted, planting=planting)
    events = tuple(replace(event, attributes=plant(event.attributes)) for event in span.events)
    attributes = {**plant(span.attributes), f"note.{CANARIES['email']}": CANARIES["id"]}
    return replace(
        span,
        name=f"{span.name} for {CANARIES['name']}",
        status_message=planting,
        attributes=attributes,
        events=events,
    )


def marked_event(event: LogEvent, planting: str) -> LogEvent:
    """A log record with canaries in its body and attributes."""
    return replace(
        event, body=planted(event.body, planting), attributes=planted(event.attributes, planting)
    )


@pytest.mark.skipif(
    not os.environ.get("TRACEGYM_REAL_DATA"),
    reason="TRACEGYM_REAL_DATA does not name the folder with real request bodies",
)
@pytest.mark.parametrize("client", CLIENTS)
def test_no_canary_survives_a_real_dialect(client: str) -> None:
    """Planted in every sentence of every body; the tool that knows the person was called in another episode."""
    found = bodies(Path(os.environ["TRACEGYM_REAL_DATA"]) / "otlp" / client)
    spans = [marked_span(span, PLANTED) for span in found.spans]
    events = [marked_event(event, PLANTED) for event in found.events]
    app = found.spans[0].app
    raw = assemble(spans, events, app=app).episodes
    known = replace(episode("known", *calls("get_user", {}, RECORD)), app=app)
    policy = Policy()
    learnt = learn([*raw, known], (), policy=policy)
    done = list(scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=policy))
    texts = [
        text
        for one in done
        for step in one.clean.steps
        for text in (step.content or "", *(call.arguments for call in step.tool_calls))
    ]
    assert sum(PLANTED in (step.content or "") for e in raw for step in e.steps) > 4
    assert [kind for kind, v in CANARIES.items() for text in texts if survivors(text, v)] == []
    assert leaks_in([("", text) for text in texts], learnt=learnt) == []
