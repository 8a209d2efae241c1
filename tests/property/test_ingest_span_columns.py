"""The fast decoder is the slow one: same rows, same refusals, whatever is in the bodies."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span as SpanMessage

from ingest.errors import BodyRefused
from ingest.otlp.protobuf import read_protobuf
from ingest.otlp.record import Arrival
from ingest.otlp.span_columns import read_columns
from ingest.otlp.wire_columns import Room
from ingest.records.span import PROMOTED_COUNTS, PROMOTED_TEXTS, SPAN_SCHEMA, span_of_row, span_row

ARRIVAL = Arrival(app="shop", source="test", position="record 1", received_at=1)
NOW = 1_760_000_000 * 10**9

texts = st.text(max_size=40) | st.sampled_from(['"', "\\", "\n", "\x00", "é", "𝄞", "", "x" * 200])
keys = st.sampled_from([*PROMOTED_TEXTS, *PROMOTED_COUNTS, "a", "b.c", '"k"', ""]) | texts
numbers = st.integers(-(2**63), 2**63 - 1) | st.integers(0, 300)


@st.composite
def values(draw: st.DrawFn, depth: int = 0) -> AnyValue:
    """An attribute's value of any kind."""
    value = AnyValue()
    kinds = ["text", "int", "bool", "double", "bytes", "none", *(["list", "map"] * (depth < 2))]
    match draw(st.sampled_from(kinds)):
        case "text":
            value.string_value = draw(texts)
        case "int":
            value.int_value = draw(numbers)
        case "bool":
            value.bool_value = draw(st.booleans())
        case "double":
            value.double_value = draw(st.floats())
        case "bytes":
            value.bytes_value = draw(st.binary(max_size=5))
        case "list":
            value.array_value.values.extend(draw(st.lists(values(depth + 1), max_size=3)))
        case "map":
            for key, inner in draw(st.dictionaries(texts, values(depth + 1), max_size=2)).items():
                value.kvlist_value.values.add(key=key, value=inner)
    return value


@st.composite
def spans(draw: st.DrawFn) -> SpanMessage:
    """A span, mostly ordinary."""
    span = SpanMessage(
        trace_id=draw(st.binary(min_size=16, max_size=16) | st.sampled_from([b"", bytes(16)])),
        span_id=draw(st.binary(min_size=8, max_size=8) | st.sampled_from([b"1", bytes(8)])),
        parent_span_id=draw(st.sampled_from([b"", b"12345678", bytes(8), b"123"])),
        trace_state=draw(st.sampled_from(["", "a=b"])),
        name=draw(texts),
        kind=draw(st.integers(0, 5)),  # type: ignore[arg-type]  # an enum's number
        start_time_unix_nano=draw(st.sampled_from([NOW, NOW + 5, 0, 1_760_000_000, 2**64 - 1])),
        end_time_unix_nano=draw(st.sampled_from([NOW, NOW + 9, 0])),
        dropped_attributes_count=draw(st.sampled_from([0, 3, 2**31])),
        dropped_events_count=draw(st.sampled_from([0, 1])),
        dropped_links_count=draw(st.sampled_from([0, 1])),
        flags=draw(st.sampled_from([0, 257])),
    )
    if draw(st.booleans()):
        span.status.code = draw(st.integers(0, 2))  # type: ignore[assignment]  # an enum's number
        span.status.message = draw(texts)
    for key in draw(st.lists(keys, max_size=6)):
        pair = span.attributes.add(key=key)
        if draw(st.integers(0, 9)):
            pair.value.CopyFrom(draw(values()))
    if draw(st.integers(0, 9)) == 0:
        span.events.add(name=draw(texts), time_unix_nano=NOW).attributes.add(key="e")
    if draw(st.integers(0, 9)) == 0:
        span.links.add(trace_id=b"1" * 16, span_id=b"2" * 8)
    return span


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    """A request with a few resources and scopes."""
    request = ExportTraceServiceRequest()
    for _ in range(draw(st.integers(0, 2))):
        batch = request.resource_spans.add()
        if draw(st.booleans()):
            batch.resource.attributes.add(key="service.name").value.string_value = draw(texts)
        for _ in range(draw(st.integers(0, 2))):
            scope = batch.scope_spans.add(schema_url=draw(st.sampled_from(["", "s"])))
            scope.scope.name = draw(texts)
            scope.spans.extend(draw(st.lists(spans(), max_size=4)))
    return bytes(request.SerializeToString())


def expected(sent: list[bytes]) -> tuple[pa.Table, list[object]]:
    """What the reference decoder makes of the bodies."""
    found = [read_protobuf(body, "traces", ARRIVAL) for body in sent]
    rows = [span_row(span) for one in found for span in one.spans]
    refused: list[object] = [rejected for one in found for rejected in one.rejected]
    return pa.Table.from_pylist(rows, SPAN_SCHEMA), refused


def compare(sent: list[bytes]) -> None:
    """Both decoders agree, on rows and on refusals."""
    table, refused = expected(sent)
    read = read_columns([(body, ARRIVAL) for body in sent])
    assert read.table.to_pylist() == table.to_pylist()
    assert read.table.schema.equals(SPAN_SCHEMA)
    assert read.rejected == refused
    read.table.validate(full=True)


@given(st.lists(bodies(), max_size=3))
def test_both_decoders_make_the_same_rows(sent: list[bytes]) -> None:
    """Any spans, any attributes, any number of bodies."""
    compare(sent)


@given(bodies(), st.integers(0, 2**20), st.integers(1, 255))
def test_damaged_bodies_are_read_alike(body: bytes, place: int, change: int) -> None:
    """One byte flipped anywhere: the same rows and refusals, or the same refusal of the whole body."""
    if not body:
        return
    at = place % len(body)
    broken = body[:at] + bytes([body[at] ^ change]) + body[at + 1 :]
    if (why := refusal(broken, slow=True)) is None:
        compare([broken])
    assert refusal(broken, slow=False) == why


def refusal(body: bytes, *, slow: bool) -> str | None:
    """Why a decoder refuses a whole body."""
    try:
        if slow:
            read_protobuf(body, "traces", ARRIVAL)
        else:
            read_columns([(body, ARRIVAL)])
    except BodyRefused as error:
        return error.code
    return None


def test_an_attribute_is_promoted_or_kept_never_both() -> None:
    """Text and whole numbers get their column; the same key with another type stays among the attributes."""
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    for number, value in enumerate([AnyValue(string_value="c1"), AnyValue(int_value=7)], start=1):
        span = scope.spans.add(trace_id=b"1" * 16, span_id=number.to_bytes(8, "big"), name="x")
        span.start_time_unix_nano = span.end_time_unix_nano = NOW
        span.attributes.add(key="gen_ai.conversation.id").value.CopyFrom(value)
    body = request.SerializeToString()
    compare([body])
    first, second = read_columns([(body, ARRIVAL)]).table.to_pylist()
    assert (first["gen_ai_conversation_id"], first["attributes"]) == ("c1", "{}")
    assert second["attributes"] == '{"gen_ai.conversation.id":7}'
    assert span_of_row(first).attributes == {"gen_ai.conversation.id": "c1"}


def test_ten_repeated_fields_beside_the_records_are_read_and_a_flood_is_refused() -> None:
    """Unknown fields of a scope are passed over; more than any version can have is no OTLP body."""
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    span = scope.spans.add(trace_id=b"1" * 16, span_id=b"2" * 8)
    span.start_time_unix_nano = span.end_time_unix_nano = NOW
    inner = bytes(scope.SerializeToString())

    def wrapped(count: int) -> bytes:
        extra = inner + b"\x78\x01" * count
        outer = bytes(b"\x12" + _varint(len(extra)) + extra)
        return b"\x0a" + _varint(len(outer)) + outer

    compare([wrapped(10)])
    with pytest.raises(BodyRefused):
        read_columns([(wrapped(1000), ARRIVAL)])


def _varint(value: int) -> bytes:
    return bytes([value & 0x7F | 0x80, value >> 7]) if value > 0x7F else bytes([value])


@given(bodies(), bodies())
def test_a_table_does_not_change_when_its_room_is_used_again(first: bytes, second: bytes) -> None:
    """Rows are copies: the next batch may be put where the first one lay."""
    room = Room()
    table = read_columns([(first, ARRIVAL)], room=room).table
    before = table.to_pylist()
    read_columns([(second, ARRIVAL)], room=room)
    assert table.to_pylist() == before
