"""What ingest does in a second, side by side: decoding, accepting, assembling.

Spans a second: of processor time for decoding and assembly (one core), of wall-clock time for accepting, which waits for the disk. The data
are made here: conversations with growing history, 512 spans a request.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import gzip
import io
import itertools
import json
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc  # type: ignore[import-untyped]  # grpcio ships no types
import httpx
import pyarrow as pa
import pyarrow.parquet as pq
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ScopeSpans

from benchmarks.figures import Row
from ingest.assembly.assemble import assemble
from ingest.assembly.assemble_stream import assemble_stream
from ingest.otlp.decode_batch import decode_batch
from ingest.otlp.protobuf import read_protobuf
from ingest.otlp.record import Arrival
from ingest.receiver.grpc_receiver import GrpcServer, GrpcSettings
from ingest.receiver.http import http_app
from ingest.receiver.intake import Intake
from ingest.receiver.server import Server, ServerSettings
from ingest.receiver.wal import StoredRecord, Wal
from ingest.records.span import SPAN_SCHEMA, Span, span_row

TOTAL = 10_240
PER_REQUEST = 512
TURNS = 12
ROUNDS = 5
CLIENTS = 8
CONTENT = ("messages", "result", "arguments", "attributes", "span_id", "response_id")
GZIP = {"content-encoding": "gzip"}
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
START = 1_760_000_000 * 10**9

ARRIVAL = Arrival(app="shop", source="bench", position="record 1", received_at=1)


class Maker:
    """Requests full of agent spans."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311 - data, not secrets
        letters = "abcdefghijklmnopqrstuvwxyz"
        self._words = [
            "".join(self._random.choices(letters, k=self._random.randint(2, 9)))
            for _ in range(3000)
        ]
        self._made = 0

    def requests(self, total: int) -> list[bytes]:
        """Bodies with `total` spans in all."""
        bodies: list[bytes] = []
        request, scope = self._new()
        for name, attributes, ids in self._spans():
            span = scope.spans.add(
                trace_id=ids[0], span_id=ids[1], parent_span_id=ids[2], name=name
            )
            span.start_time_unix_nano = START + self._made * 1_000_000
            span.end_time_unix_nano = span.start_time_unix_nano + 900_000
            for key, value in attributes.items():
                self._set(span.attributes.add(key=key).value, value)
            self._made += 1
            if self._made % PER_REQUEST == 0:
                bodies.append(bytes(request.SerializeToString()))
                request, scope = self._new()
            if self._made == total:
                return bodies
        return bodies

    @staticmethod
    def _set(value: object, given: object) -> None:
        if isinstance(given, list):
            for item in given:
                value.array_value.values.add(string_value=item)  # type: ignore[attr-defined]  # an AnyValue
            return
        kind = {str: "string_value", int: "int_value", float: "double_value"}[type(given)]
        setattr(value, kind, given)

    @staticmethod
    def _new() -> tuple[ExportTraceServiceRequest, ScopeSpans]:
        request = ExportTraceServiceRequest()
        batch = request.resource_spans.add()
        batch.resource.attributes.add(key="service.name").value.string_value = "shop"
        scope = batch.scope_spans.add()
        scope.scope.name, scope.scope.version = "opentelemetry.instrumentation.openai", "1"
        return request, scope

    def _text(self, words: int) -> str:
        return " ".join(self._random.choices(self._words, k=words))

    def _spans(self) -> Iterator[tuple[str, dict[str, object], tuple[bytes, bytes, bytes]]]:
        number = 0
        while True:
            number += 1
            trace, agent = self._random.randbytes(16), self._random.randbytes(8)
            shared: dict[str, object] = {"gen_ai.conversation.id": f"c{number}"}
            who = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk"}
            yield (
                "invoke_agent desk",
                {**shared, **who, "user.id": f"u{number}"},
                (trace, agent, b""),
            )
            history: list[dict[str, object]] = [_message("user", _said(self._text(40)))]
            for turn in range(TURNS):
                call: dict[str, object] = {
                    "type": "tool_call",
                    "id": f"k{number}_{turn}",
                    "name": "look_up",
                }
                asked = {"key": self._text(3), "page": turn}
                answer = _message("assistant", _said(self._text(30)), call | {"arguments": asked})
                own = (trace, self._random.randbytes(8), agent)
                yield "chat m", shared | self._chat(history, answer, turn), own
                result = json.dumps({"state": "ok", "text": self._text(25)})
                tool = {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": "look_up",
                    "gen_ai.tool.type": "function",
                    "gen_ai.tool.call.id": call["id"],
                    "gen_ai.tool.call.arguments": json.dumps(asked),
                    "gen_ai.tool.call.result": result,
                }
                own = (trace, self._random.randbytes(8), agent)
                yield "execute_tool look_up", shared | tool, own
                response = {"type": "tool_call_response", "id": call["id"], "response": result}
                history += [answer, _message("tool", response)]

    def _chat(
        self, history: list[dict[str, object]], answer: dict[str, object], turn: int
    ) -> dict[str, object]:
        return {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": "m",
            "gen_ai.request.temperature": 0.2,
            "gen_ai.response.model": "m-1",
            "gen_ai.response.id": self._random.randbytes(8).hex(),
            "gen_ai.response.finish_reasons": ["tool_call"],
            "gen_ai.usage.input_tokens": 500 * (turn + 1),
            "gen_ai.usage.output_tokens": 80,
            "server.address": "api.example.com",
            "server.port": 443,
            "gen_ai.input.messages": json.dumps(history),
            "gen_ai.output.messages": json.dumps([answer]),
        }


def _said(text: str) -> dict[str, object]:
    return {"type": "text", "content": text}


def _message(role: str, *parts: dict[str, object]) -> dict[str, object]:
    return {"role": role, "parts": list(parts)}


def rate(work: Callable[[], object], spans: int) -> float:
    """Spans a second of processor time: the median of several rounds, after one that is not counted."""
    seconds = []
    for _ in range(ROUNDS + 1):
        gc.collect()
        started = time.process_time()
        work()
        seconds.append(time.process_time() - started)
    return spans / statistics.median(seconds[1:])


def decoding(bodies: list[bytes]) -> Iterator[tuple[str, float]]:
    """Protobuf to rows to Parquet, both decoders."""
    records = [
        StoredRecord(
            seq=seq,
            kind="otlp_traces",
            app="shop",
            source="bench",
            body=body,
            received_at=1,
            encoding="protobuf",
            position=1,
        )
        for seq, body in enumerate(bodies)
    ]

    def slow() -> pa.Table:
        rows = [span_row(s) for b in bodies for s in read_protobuf(b, "traces", ARRIVAL).spans]
        return pa.Table.from_pylist(rows, SPAN_SCHEMA)

    def write(table: pa.Table) -> None:
        # A dictionary of texts that never repeat is built in vain.
        repeats = [name for name in table.schema.names if not name.endswith(CONTENT)]
        sink = io.BytesIO()
        how: Any = {"compression": "zstd", "compression_level": 1, "use_dictionary": repeats}
        pq.write_table(table, sink, **how)

    yield "reference decoder: protobuf -> rows", rate(slow, TOTAL)
    yield "reference decoder: protobuf -> Parquet", rate(lambda: write(slow()), TOTAL)
    yield "columns: protobuf -> rows", rate(lambda: decode_batch(records), TOTAL)
    yield (
        "columns: protobuf -> Parquet (zstd 1, promoted columns)",
        rate(lambda: write(decode_batch(records).spans), TOTAL),
    )


def accepting(bodies: list[bytes]) -> Iterator[tuple[str, float]]:
    """Requests until the last one is on the disk and answered, client and server on this machine."""
    numbers = itertools.count()
    with tempfile.TemporaryDirectory() as folder, Wal(Path(folder)) as wal:
        intake = Intake(wal)
        server = Server(http_app(intake), ServerSettings(port=0))
        url = f"http://127.0.0.1:{server.start()}/v1/traces"
        rpc = GrpcServer(intake, GrpcSettings(port=0))
        port = rpc.start()
        ways: tuple[tuple[str, bool, Callable[[list[bytes]], None]], ...] = (
            ("HTTP accept and fsync, plain", False, lambda sent: _post_all(url, sent, {})),
            ("HTTP accept and fsync, gzip", True, lambda sent: _post_all(url, sent, GZIP)),
            ("gRPC accept and fsync, plain", False, lambda sent: _call_all(port, sent)),
            ("gRPC accept and fsync, gzip", True, lambda sent: _call_all(port, sent)),
        )
        rates: dict[str, list[float]] = {what: [] for what, _, _ in ways}
        for _ in range(ROUNDS + 1):
            for what, packed, send in ways:
                rates[what].append(_accept(_distinct(bodies, numbers, packed=packed), send))
        for what, found in rates.items():
            yield f"{what} (wall clock)", statistics.median(found[1:])
        server.stop()
        rpc.stop()


def _distinct(bodies: list[bytes], numbers: Iterator[int], *, packed: bool) -> list[bytes]:
    """The same spans in bodies that the log has not seen: it stores equal bodies once."""
    sent = []
    for copy in (next(numbers), next(numbers)):
        # An empty resource at the end, with an unknown field that counts.
        mark = b"\x0a\x06\x9d\x06" + copy.to_bytes(4, "little")
        sent += [body + mark for body in bodies]
    return [gzip.compress(body, 6) for body in sent] if packed else sent


def _accept(bodies: list[bytes], send: Callable[[list[bytes]], None]) -> float:
    started = time.perf_counter()
    send(bodies)
    return len(bodies) * PER_REQUEST / (time.perf_counter() - started)


def _post_all(url: str, bodies: list[bytes], more: dict[str, str]) -> None:
    waiting = iter(bodies)
    headers = {"content-type": "application/x-protobuf", **more}

    async def send(client: httpx.AsyncClient) -> None:
        for body in waiting:
            (await client.post(url, content=body, headers=headers)).raise_for_status()

    async def send_all() -> None:
        async with httpx.AsyncClient(timeout=60) as client:
            await asyncio.gather(*(send(client) for _ in range(CLIENTS)))

    asyncio.run(send_all())


def _call_all(port: int, bodies: list[bytes]) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        call = channel.unary_unary(EXPORT)
        for at in range(0, len(bodies), CLIENTS):
            for answer in [call.future(body) for body in bodies[at : at + CLIENTS]]:
                answer.result()


def assembling(spans: list[Span]) -> Iterator[tuple[str, float]]:
    """Spans to episodes, at once and in parts."""
    started = time.process_time()
    whole = assemble(spans, app="shop")
    yield "assembly at once", len(spans) / (time.process_time() - started)
    table = pa.Table.from_pylist([span_row(span) for span in spans], SPAN_SCHEMA)
    with tempfile.TemporaryDirectory() as folder:
        started = time.process_time()
        parts = list(assemble_stream(lambda: [table], app="shop", scratch=Path(folder)))
        took = time.process_time() - started
    assert sum(len(part.episodes) for part in parts) == len(whole.episodes)  # noqa: S101 - a benchmark must measure the right thing
    yield "assembly in parts", len(spans) / took


def options(parser: argparse.ArgumentParser) -> None:
    """Nothing is chosen."""
    del parser


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each thing that is done with spans."""
    del options
    bodies = Maker(7).requests(TOTAL)
    size = sum(map(len, bodies)) / TOTAL
    spans = [s for b in bodies for s in read_protobuf(b, "traces", ARRIVAL).spans]
    for measured in (decoding(bodies), accepting(bodies), assembling(spans)):
        for what, rate_of in measured:
            figures = {"spans/s": round(rate_of), "MB/s": round(rate_of * size / 1e6, 1)}
            yield Row(case=what, figures=figures)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    yield Row(case="this process", figures={"peak MiB": peak, "bytes a span": round(size)})
