"""What a stranger's body may cost is known before it is parsed: values are counted, memory and time stay bounded."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ingest.errors import BodyRefused
from ingest.otlp.decode import decode
from ingest.otlp.decode_batch import decode_batch
from ingest.otlp.limits import Limits
from ingest.otlp.values import check_json, check_protobuf
from ingest.otlp.wire import BrokenWireError, count_records, signal_of
from ingest.receiver.wal import StoredRecord
from ingest.records.text import NOT_JSON, load_json

MANY: Final = 5_000_000
CHILD: Final = """
import resource, sys, time
from pathlib import Path
from ingest.receiver.intake import Intake, Refusal, SentBody
from ingest.receiver.wal import Wal

resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
folder = Path(sys.argv[1])
intake = Intake(Wal(folder / "wal"))
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for signal, kind, compression in (line.split() for line in (folder / "bodies").read_text().splitlines()):
    sent = (folder / f"{signal}-{kind}").read_bytes()
    body = SentBody(signal=signal, content_type=f"application/{kind}", sent=sent, compression=compression)
    try:
        intake.check(body)
        print("taken")
    except Refusal as refusal:
        print(refusal.http)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def field(number: int, value: bytes) -> bytes:
    """One length-delimited field."""
    size = len(value)
    length = b""
    while size > 0x7F:
        length += bytes([size & 0x7F | 0x80])
        size >>= 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + value


def span_body(inside: bytes) -> bytes:
    """A request of one span with some more fields."""
    span = field(1, b"\1" * 16) + field(2, b"\1" * 8) + inside
    return field(1, field(2, field(2, span)))


def stored(body: bytes, encoding: str) -> StoredRecord:
    """A body as the log has it."""
    return StoredRecord(
        seq=1, kind="otlp_traces", app="a", source="s", body=body, received_at=1,
        encoding=encoding, position=1,
    )  # fmt: skip


def test_bodies_of_millions_of_values_are_refused_within_bounded_memory(tmp_path: Path) -> None:
    """Lists of nothing, attributes of nothing and lists in attributes, packed: 413 each; with the most that is taken 400 MiB."""
    empty = b'{"resourceSpans":[' + b"{}," * MANY + b"{}]}"
    attributes = span_body(field(9, b"") * MANY)
    listed = span_body(field(9, field(1, b"a") + field(2, field(5, field(1, b"") * MANY))))
    taken = b",".join(b'{"k%d":"v%d"}' % (n, n) for n in range(490_000))
    wide = f'"{"a" * (20 << 20)}\N{GRINNING FACE}",'.encode()
    cases = [
        ("traces", "json", "gzip", gzip.compress(empty, 1)),
        ("traces", "x-protobuf", "gzip", gzip.compress(attributes, 1)),
        ("logs", "x-protobuf", "gzip", gzip.compress(field(1, field(2, field(2, field(6, b"") * MANY))), 1)),
    ]  # fmt: skip
    body = b'{"resourceLogs":[' + wide + taken + b"]}"
    cases.append(("logs", "json", "gzip", gzip.compress(body, 1)))
    for signal, kind, _, sent in cases:
        (tmp_path / f"{signal}-{kind}").write_bytes(sent)
    lines = [f"{signal} {kind} {compression}" for signal, kind, compression, _ in cases]
    (tmp_path / "bodies").write_text("\n".join(lines))
    command = [sys.executable, "-c", CHILD, str(tmp_path)]
    *answers, grown = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[2]
    ).stdout.split()
    assert answers == ["413"] * 3 + ["taken"]
    assert int(grown) < 400 << 10
    with pytest.raises(BodyRefused):
        check_protobuf(listed, "traces", Limits())


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        (json.dumps([{}] * 400).encode(), False),
        (json.dumps({str(n): n for n in range(400)}).encode(), False),
        (json.dumps(['[{,\\"' * 400]).encode(), True),
        (json.dumps({"a": [{"b": 1}] * 30, "c": "," * 5000}).encode(), True),
        (b'"' + b"\\" * 3000 + b'"', True),
    ],
)  # fmt: skip
def test_values_of_json_are_counted_outside_its_texts(text: bytes, *, fits: bool) -> None:
    """Commas and brackets that a text quotes cost nothing."""
    if fits:
        check_json(text, Limits(values=200))
    else:
        with pytest.raises(BodyRefused, match="more than 200 values"):
            check_json(text, Limits(values=200))


@given(st.recursive(st.none() | st.text('a"\\,[{'), lambda c: st.lists(c) | st.dictionaries(st.text('a"\\,'), c), max_leaves=40))  # fmt: skip
def test_json_is_refused_from_one_value_more_than_the_limit_on(value: object) -> None:
    """Whatever texts hold, what is counted is what a parser finds."""
    text = json.dumps(value).encode()
    count = openers(value)
    check_json(text, Limits(values=count))
    if count:
        with pytest.raises(BodyRefused):
            check_json(text, Limits(values=count - 1))


def openers(value: object) -> int:
    """Commas and opening brackets that JSON needs for a value."""
    if isinstance(value, list | dict):
        inner = list(value.values()) if isinstance(value, dict) else value
        return 1 + max(0, len(inner) - 1) + sum(openers(one) for one in inner)
    return 0


def test_what_is_stored_already_is_refused_when_it_is_decoded() -> None:
    """A log of before these limits costs no more than one that is written now."""
    limits = Limits(values=1000, fields=1000)
    heavy = span_body(field(9, b"") * 3000)
    text = b'{"resourceSpans":[' + b"{}," * 3000 + b"{}]}"
    for record in (stored(heavy, "protobuf"), stored(text, "json")):
        for found in (decode(record, limits=limits), decode_batch([record], limits=limits)):
            assert [one.code for one in found.rejected] == ["too_many_values"]
    assert load_json(b"[" + b"[]," * 1_000_000 + b"[]]") is NOT_JSON


def test_a_dense_body_that_real_senders_write_is_taken() -> None:
    """8,192 spans, a Collector's batch, with 25 attributes each, in both encodings."""
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    one = scope.spans.add(trace_id=b"\1" * 16, span_id=b"\1" * 8)
    for number in range(25):
        one.attributes.add(key=f"gen_ai.key.{number}").value.string_value = "a value"
    record = bytes(one.SerializeToString())
    check_protobuf(field(1, field(2, field(2, record) * 8192)), "traces", Limits())
    pair = {"key": "gen_ai.key", "value": {"stringValue": "a value"}}
    span = json.dumps({"spanId": "01" * 8, "attributes": [pair] * 25}).encode()
    check_json(b"[" + b",".join([span] * 8192) + b"]", Limits())


def test_fields_around_the_records_cost_no_more_than_records() -> None:
    """Millions of empty batches or unknown fields are refused after a part of a second."""
    for body in (
        field(1, b"") * 2_000_000,
        b"\x10\x00" * 2_000_000,
        field(1, field(2, b"") * 2_000_000),
    ):
        started = time.process_time()
        with pytest.raises(BrokenWireError):
            count_records(body, limit=100_000)
        assert time.process_time() - started < 3
    started = time.process_time()
    assert signal_of(span_body(field(9, b"") * 2_000_000)) == "traces"
    assert time.process_time() - started < 1
