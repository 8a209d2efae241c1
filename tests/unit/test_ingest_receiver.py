"""The receiver's answers, request by request, on the ASGI application itself."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import zstandard
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceRequest,
)

from ingest.errors import BodyRefused, SourceUnreadable
from ingest.otlp.decode import decode
from ingest.otlp.limits import Limits, pack, unpack
from ingest.otlp.rpc_status import partial_body
from ingest.receiver.http import http_app
from ingest.receiver.intake import Intake, ReceiverLimits, SentBody
from ingest.receiver.tokens import Sender, Tokens, load_tokens
from ingest.receiver.wal import Wal
from ingest.records.text import Json

PROTOBUF = "application/x-protobuf"


@pytest.fixture
def wal(tmp_path: Path) -> Iterator[Wal]:
    """An empty log."""
    with Wal(tmp_path / "wal") as log:
        yield log


def body(spans: int = 1) -> bytes:
    """A request with spans."""
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    for number in range(spans):
        one = scope.spans.add()
        one.trace_id, one.span_id = b"\1" * 16, (number + 1).to_bytes(8, "big")
    return bytes(request.SerializeToString())


def post(
    wal: Wal,
    content: bytes,
    path: str = "/v1/traces",
    *,
    tokens: Tokens | None = None,
    limits: ReceiverLimits | None = None,
    **headers: str,
) -> httpx.Response:
    """Send one request to the application."""
    app = http_app(Intake(wal, tokens, limits))
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return send(app, "POST", path, content, {"content-type": PROTOBUF, **named})


def send(
    app: Json, method: str, path: str, content: bytes, headers: dict[str, str]
) -> httpx.Response:
    """One request over httpx's ASGI transport."""

    async def go() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            return await client.request(method, path, content=content, headers=headers)

    return asyncio.run(go())


def test_an_accepted_body_is_in_the_log(wal: Wal) -> None:
    """200 with an empty protobuf answer, the raw bytes durable."""
    answer = post(wal, body())
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"] == PROTOBUF
    (record,) = wal.pending()
    assert (record.kind, record.body, record.encoding, record.app) == (
        "otlp_traces",
        body(),
        "protobuf",
        None,
    )


def test_gzip_is_kept_as_it_came(wal: Wal) -> None:
    """The log keeps the compressed bytes and their encoding."""
    answer = post(wal, gzip.compress(body()), content_encoding="gzip")
    assert answer.status_code == 200
    (record,) = wal.pending()
    assert record.encoding == "protobuf+gzip"


def test_json_is_answered_in_json(wal: Wal) -> None:
    """The answer's encoding is the request's; parameters of the content type do not matter."""
    answer = post(wal, b'{"resourceSpans": []}', content_type="application/json; charset=utf-8")
    assert (answer.status_code, answer.json()) == (200, {})
    assert wal.pending()[0].encoding == "json"


def test_an_empty_body_is_a_success(wal: Wal) -> None:
    """Nothing to keep is no error."""
    assert post(wal, b"").status_code == 200
    assert wal.pending() == []


def test_metrics_are_answered_politely(wal: Wal) -> None:
    """200 with a warning, nothing kept, nothing rejected."""
    answer = post(wal, b"{}", "/v1/metrics", content_type="application/json")
    assert answer.status_code == 200
    assert "not kept" in answer.json()["partialSuccess"]["errorMessage"]
    assert wal.pending() == []


@pytest.mark.parametrize(
    ("content", "headers", "status", "code"),
    [
        (b"\xff\xff", {}, 400, 3),
        (b"{", {"content_type": "application/json"}, 400, 3),
        (b"[]", {"content_type": "application/json"}, 400, 3),
        (b"abc", {"content_encoding": "gzip"}, 400, 3),
        (gzip.compress(b"abc" * 1000, mtime=0)[:-9], {"content_encoding": "gzip"}, 400, 3),
        (b"x", {"content_type": "text/plain"}, 415, 3),
        (b"x", {"content_encoding": "br"}, 415, 12),
        (bytes(200_000), {}, 413, 8),
        (gzip.compress(bytes(50_000_000), mtime=0), {"content_encoding": "gzip"}, 413, 8),
        (body(60), {}, 413, 8),
    ],
)
def test_permanent_refusals(
    wal: Wal, content: bytes, headers: dict[str, str], status: int, code: int
) -> None:
    """Undecodable, unsupported and too large bodies are refused for good, with a status in the request's encoding."""
    limits = ReceiverLimits(body=Limits(body_bytes=100_000, records=50))
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    app = http_app(Intake(wal, None, limits))
    answer = send(app, "POST", "/v1/traces", content, {"content-type": PROTOBUF, **named})
    assert answer.status_code == status
    assert "retry-after" not in answer.headers
    if answer.headers["content-type"] == "application/json":
        assert answer.json()["code"] == code
    else:
        assert answer.content[:2] == bytes([8, code])
    assert wal.pending() == []


def test_zstd_is_read_and_bounded(wal: Wal) -> None:
    """A zstd body is kept as sent and read later; bombs, cut and over-wide frames are refused."""
    packed = zstandard.compress(body(3))
    assert post(wal, packed, content_encoding="zstd").status_code == 200
    (record,) = wal.pending()
    assert (record.encoding, record.body) == ("protobuf+zstd", packed)
    assert len(decode(record).spans) == 3
    limits = ReceiverLimits(body=Limits(body_bytes=1_000_000))
    bomb = zstandard.compress(bytes(200_000_000))
    assert post(wal, bomb, limits=limits, content_encoding="zstd").status_code == 413
    assert post(wal, packed[:-3], content_encoding="zstd").status_code == 400
    assert post(wal, b"abc", content_encoding="zstd").status_code == 400
    wide = zstandard.ZstdCompressionParameters(window_log=27)
    stream = zstandard.ZstdCompressor(compression_params=wide).compressobj()
    hungry = stream.compress(body(3)) + stream.flush()
    assert post(wal, hungry, content_encoding="zstd").status_code == 400


@pytest.mark.parametrize("compression", ["gzip", "zstd"])
def test_a_body_of_endless_members_costs_no_square(compression: str) -> None:
    """A few members one after the other are one body; a million empty ones are refused at once."""
    pack = gzip.compress if compression == "gzip" else zstandard.compress
    assert unpack(pack(b"a") + pack(b"b"), compression, limit=100) == b"ab"
    with pytest.raises(BodyRefused) as caught:
        unpack(pack(b"") * 1_000_000, compression, limit=100)
    assert caught.value.code == "too_many_members"


def test_the_wrong_path_is_named(wal: Wal) -> None:
    """Traces sent to the logs' path are refused with the right path."""
    answer = post(wal, body(), "/v1/logs")
    assert answer.status_code == 400
    assert b"/v1/traces" in answer.content


def test_a_busy_receiver_asks_for_patience(wal: Wal) -> None:
    """Beyond the memory budget the answer is 429 with Retry-After."""
    answer = post(wal, body(40), limits=ReceiverLimits(waiting_bytes=10))
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "5")


def test_an_unwritable_log_is_503_and_recovers(tmp_path: Path) -> None:
    """While the log cannot be written the sender is told to come back; then the same process takes it."""
    blocked = tmp_path / "wal"
    blocked.write_text("in the way")
    wal = Wal(blocked)
    app = http_app(Intake(wal))
    headers = {"content-type": PROTOBUF}
    refused = send(app, "POST", "/v1/traces", body(), headers)
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "5")
    assert send(app, "GET", "/ready", b"", {}).status_code == 503
    assert send(app, "GET", "/health", b"", {}).status_code == 200
    blocked.unlink()
    assert send(app, "POST", "/v1/traces", body(), headers).status_code == 200
    assert send(app, "GET", "/ready", b"", {}).status_code == 200
    wal.close()


def test_the_app_comes_from_the_token(wal: Wal, tmp_path: Path) -> None:
    """With a token file no sender is believed without a token, and the token says which app it is."""
    file = tmp_path / "tokens"
    file.write_text("# ours\nsecret-one shop\nsecret-two  desk # the help desk\n")
    tokens = load_tokens(file)
    assert post(wal, body(), tokens=tokens).status_code == 401
    assert post(wal, body(), tokens=tokens, authorization="Bearer wrong-one").status_code == 401
    assert post(wal, body(), tokens=tokens, authorization="Basic secret-one").status_code == 401
    assert post(wal, body(), tokens=tokens, authorization="bearer secret-two").status_code == 200
    assert [record.app for record in wal.pending()] == ["desk"]


@pytest.mark.parametrize(
    "line", ["only-one-word", "short app", "a-token app extra", "a-token-of-ours app reviewer,code"]
)
def test_a_token_file_with_a_bad_line_is_refused(tmp_path: Path, line: str) -> None:
    """A line that would lock a sender out silently is an error with its number."""
    file = tmp_path / "tokens"
    file.write_text(f"good-token app\n{line}\n")
    with pytest.raises(SourceUnreadable, match="Line 2"):
        load_tokens(file)


def test_hand_written_answers_are_real_protobuf() -> None:
    """The partial success that is written by hand parses as OTLP's own message."""
    message = "x" * 300
    parsed = ExportTracePartialSuccess.FromString(
        partial_body(7, message, "rejectedSpans", PROTOBUF)[3:]
    )
    assert (parsed.rejected_spans, parsed.error_message) == (7, message)
    assert json.loads(partial_body(7, "m", "rejectedSpans", "application/json")) == {
        "partialSuccess": {"rejectedSpans": "7", "errorMessage": "m"}
    }


def test_a_token_file_without_tokens_does_not_open_the_receiver(tmp_path: Path) -> None:
    """An empty token file is an error, not a receiver for everybody."""
    file = tmp_path / "tokens"
    file.write_text("# nobody yet\n")
    with pytest.raises(SourceUnreadable, match="holds no token"):
        load_tokens(file)


def test_a_plain_body_is_stored_packed_and_reads_back_equal(tmp_path: Path) -> None:
    """A plain body is bound by the disk; what is short, or does not become smaller, stays as it came."""
    noise = bytes(os.urandom(8 << 10))
    assert pack(noise) is None
    assert pack(b"x" * 100) is None
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    for number in range(1, 200):
        scope.spans.add(trace_id=b"t" * 16, span_id=number.to_bytes(8, "big"), name="n")
    sent = bytes(request.SerializeToString())
    with Wal(tmp_path) as wal:
        intake = Intake(wal)
        body = SentBody(signal="traces", content_type="application/x-protobuf", sent=sent)
        intake.store(body, Sender(app="shop"))
        intake.store(body, Sender(app="shop"))
        (record,) = wal.pending()
        assert record.encoding == "protobuf+zstd"
        assert len(record.body) < len(sent) // 2
        assert len(decode(record).spans) == 199


@pytest.mark.parametrize(
    ("content", "path", "said"),
    [
        (b'{"messages": [{"role": "user", "content": "hi"}]}', "/v1/traces", "resourceSpans"),
        (b'{"resourceSpans": []}', "/v1/logs", "send it to /v1/traces"),
        (b"[" * 5000 + b"]" * 5000, "/v1/traces", "nested deeper"),
    ],
)
def test_json_that_is_no_export_of_the_path_is_refused(
    wal: Wal, content: bytes, path: str, said: str
) -> None:
    """A chat log, another signal or nested brackets over the wire are answered with what is wrong, not with 200."""
    answer = post(wal, content, path, content_type="application/json")
    assert answer.status_code == 400
    assert said in answer.json()["message"]
    assert wal.pending() == []


def test_an_empty_json_export_is_an_export_of_nothing(wal: Wal) -> None:
    """`{}` is valid OTLP: it is answered with 200, and nothing is quarantined for it."""
    assert post(wal, b"{}", content_type="application/json").status_code == 200
    decoded = [decode(record) for record in wal.pending()]
    assert not [one for one in decoded if one.rejected or one.spans or one.chats]
