"""Spans as JSON objects: whatever exporter wrote them down, they are the spans that the client sent."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ingest.assembly.assemble import assemble
from ingest.formats.records.words import snake_case
from ingest.records.episode import Episode
from ingest.records.span import Span
from tests.unit.exported_lines import decoded_below
from tests.unit.ingest_emitters import APP, EMITTERS, Emitted, openinference


def iso(nanoseconds: int | None) -> str | None:
    """A time as exporters write it."""
    if nanoseconds is None:
        return None
    moment = datetime.fromtimestamp(nanoseconds // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{moment}.{nanoseconds % 10**9 // 1000:06}Z"


def console(span: Span) -> dict[str, Any]:
    """The span as OpenTelemetry's console exporter prints it."""
    return {
        "name": span.name,
        "context": {
            "trace_id": f"0x{span.trace_id}",
            "span_id": f"0x{span.span_id}",
            "trace_state": "[]",
        },
        "kind": "SpanKind.CLIENT",
        "parent_id": f"0x{span.parent_id}" if span.parent_id else None,
        "start_time": iso(span.started_at),
        "end_time": iso(span.ended_at),
        "status": {"status_code": {0: "UNSET", 1: "OK", 2: "ERROR"}[span.status]},
        "attributes": dict(span.attributes),
        "events": [
            {"name": e.name, "timestamp": iso(e.at), "attributes": dict(e.attributes)}
            for e in span.events
        ],
        "links": [],
        "resource": {"attributes": {"service.name": APP}, "schema_url": ""},
        "instrumentation_scope": {"name": span.scope},
    }


def nested(flat: dict[str, Any]) -> Any:  # noqa: ANN401 - a tree of attributes
    """Attributes as a tree, with lists where the keys are numbers."""
    tree: dict[str, Any] = {}
    for key, value in flat.items():
        node = tree
        *path, leaf = key.split(".")
        for part in path:
            node = node.setdefault(part, {})
        node[leaf] = value
    return listed(tree)


def listed(node: Any) -> Any:  # noqa: ANN401 - a tree of attributes
    """Objects with numbers for keys as lists."""
    if not isinstance(node, dict):
        return node
    if node and all(key.isdigit() for key in node):
        return [listed(node[key]) for key in sorted(node, key=int)]
    return {key: listed(value) for key, value in node.items()}


def phoenix(span: Span) -> dict[str, Any]:
    """The span as Phoenix exports it, its attributes a tree."""
    return {
        "name": span.name,
        "context": {"trace_id": span.trace_id, "span_id": span.span_id},
        "span_kind": span.attributes.get("openinference.span.kind"),
        "parent_id": span.parent_id,
        "start_time": iso(span.started_at),
        "end_time": iso(span.ended_at),
        "status_code": "OK",
        "status_message": "",
        "attributes": nested(
            {k: v for k, v in span.attributes.items() if k != "openinference.span.kind"}
        ),
        "events": [],
    }


def data_frame(span: Span) -> dict[str, Any]:
    """The span as a row of a data frame: lists of messages below dotted names."""
    tree = nested(dict(span.attributes))
    row: dict[str, Any] = {
        "context.trace_id": span.trace_id,
        "context.span_id": span.span_id,
        "parent_id": span.parent_id,
        "name": span.name,
        "span_kind": span.attributes.get("openinference.span.kind"),
        "start_time": span.started_at // 1_000_000,
        "end_time": (span.ended_at or 0) // 1_000_000,
        "attributes.llm.tools": tree["llm"].pop("tools", None),
        "attributes.retrieval.documents": None,
    }
    for key in ("input_messages", "output_messages"):
        row[f"attributes.llm.{key}"] = [dotted(one) for one in tree["llm"].pop(key)]
    for key, value in flattened(tree).items():
        row[f"attributes.{key}"] = value
    return row


def dotted(message: dict[str, Any]) -> dict[str, Any]:
    """A message with dotted names, its calls still a list."""
    calls = message["message"].pop("tool_calls", None)
    row = flattened(message)
    if calls:
        row["message.tool_calls"] = [flattened(call) for call in calls]
    return row


def flattened(tree: dict[str, Any], before: str = "") -> dict[str, Any]:
    """A tree as dotted names."""
    found: dict[str, Any] = {}
    for key, value in tree.items():
        name = f"{before}{key}"
        found |= flattened(value, f"{name}.") if isinstance(value, dict) else {name: value}
    return found


def stored_row(span: Span) -> dict[str, Any]:
    """The span as OpenTelemetry's exporter for ClickHouse stores it."""
    return {
        "Timestamp": iso(span.started_at),
        "TraceId": span.trace_id,
        "SpanId": span.span_id,
        "ParentSpanId": span.parent_id or "",
        "SpanName": span.name,
        "SpanKind": "Internal",
        "ResourceAttributes": {"service.name": APP},
        "ScopeName": span.scope,
        "SpanAttributes": dict(span.attributes),
        "StatusCode": {0: "Unset", 1: "Ok", 2: "Error"}[span.status],
        "StatusMessage": "",
        "Links": [{"TraceId": span.trace_id, "SpanId": "x", "Attributes": {}}],
    }


def episodes(folder: Path, rows: list[dict[str, Any]], *, how: str) -> list[Episode]:
    """The episodes of a file of spans."""
    path = folder / "spans.json"
    match how:
        case "list":
            path.write_text(json.dumps(rows))
        case "lines":
            path.write_text("\n".join(json.dumps(row) for row in rows))
        case _:
            path.write_text("\n".join(json.dumps(row, indent=4) for row in rows))
    found = decoded_below(path)
    assert found.rejected == []
    assert found.chats == []
    return assemble(found.spans, app=APP).episodes


BY_SPANS = {name: emit for name, emit in EMITTERS.items() if not emit().events}


@pytest.mark.parametrize("emit", BY_SPANS.values(), ids=BY_SPANS.keys())
@pytest.mark.parametrize("how", ["list", "lines", "documents"])
def test_the_console_exporters_spans_are_the_same_episode(
    tmp_path: Path, emit: Callable[[], Emitted], how: str
) -> None:
    """Every dialect, printed and read back: a list, a line each, or one indented object after the other."""
    sent = emit()
    (expected,) = assemble(sent.spans, app=APP).episodes
    (found,) = episodes(tmp_path, [console(span) for span in sent.spans], how=how)
    assert found == expected


@pytest.mark.parametrize("written", [phoenix, data_frame])
@pytest.mark.parametrize("how", ["list", "lines"])
def test_phoenix_spans_are_the_same_episode(
    tmp_path: Path, written: Callable[[Span], dict[str, Any]], how: str
) -> None:
    """Attributes as a tree or as columns of a data frame are those that OpenInference flattens."""
    sent = openinference()
    (expected,) = assemble(sent.spans, app=APP).episodes
    rows = [written(span) for span in sent.spans]
    for row in rows:
        row["resource"] = {"attributes": {"service.name": APP}}
    (found,) = episodes(tmp_path, rows, how=how)
    assert [(s.role, s.content, s.tool_calls) for s in found.steps] == [
        (s.role, s.content, s.tool_calls) for s in expected.steps
    ]
    assert (found.conversation_id, found.tools, found.model) == ("c1", expected.tools, "m")


def test_stored_rows_and_spans_within_spans_are_the_same_episode(tmp_path: Path) -> None:
    """A row each, or each span in a list of the one above it; links of a span are none of these."""
    sent = openinference()
    (expected,) = assemble(sent.spans, app=APP).episodes
    rows = [stored_row(span) for span in sent.spans]
    ends = {span.span_id: span.ended_at for span in sent.spans}
    whole = [{snake_case(key): one for key, one in row.items()} for row in rows]
    for row in whole:
        row["child_spans"] = [one for one in whole if one["parent_span_id"] == row["span_id"]]
    tops = [row for row in whole if row["parent_span_id"] not in ends]
    for number, value in enumerate((rows, {"trace_id": "t", "spans": tops})):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(value))
        read = decoded_below(path)
        spans = [replace(one, ended_at=ends[one.span_id]) for one in read.spans]
        (found,) = assemble(spans, app=APP).episodes
        assert (found.steps, found.tools) == (expected.steps, expected.tools)


def test_values_that_are_objects_stay_one_attribute(tmp_path: Path) -> None:
    """A request kept as an object is what the client sent as JSON text, not a tree of attributes."""
    row = {
        "name": "llm",
        "context": {"trace_id": "a" * 32, "span_id": "b" * 16},
        "attributes": {
            "openinference": {"span": {"kind": "LLM"}},
            "input": {"value": {"messages": [{"role": "user", "content": "hi"}]}},
            "output": {"value": "yo"},
            "metadata": {"a": {"b": 1}},
        },
    }
    (tmp_path / "s.json").write_text(json.dumps([row]))
    (span,) = decoded_below(tmp_path / "s.json", app=APP).spans
    assert span.attributes["metadata"] == '{"a": {"b": 1}}'
    (episode,) = assemble([span], app=APP).episodes
    assert [(s.role, s.content) for s in episode.steps] == [("user", "hi"), ("assistant", "yo")]


@pytest.mark.parametrize(
    "change",
    [
        {"attributes": 5},
        {"context": None},
        {"context": {"trace_id": {}, "span_id": 3}},
        {"start_time": "never", "end_time": []},
        {"events": [5, {"name": 3, "attributes": "x"}], "links": "x", "resource": 7, "status": []},
    ],
)
def test_fields_of_the_wrong_type_cost_no_more_than_their_span(
    tmp_path: Path, change: dict[str, Any]
) -> None:
    """A span without ids is refused; one with odd times, events or attributes is read without them."""
    good = console(openinference().spans[0])
    (tmp_path / "s.json").write_text(json.dumps([good, good | change]))
    found = decoded_below(tmp_path / "s.json")
    assert len(found.spans) + len(found.rejected) == 2
    assert found.spans
