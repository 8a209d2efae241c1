"""What both receivers do with a body: who sent it, whether it may be kept, and keeping it for good.

Comes in: bodies as sent, from `ingest.receiver.http` (HTTP) and `ingest.receiver.grpc_receiver`. Goes out: records in the write-ahead
log, or a `Refusal`. Limits and authentication come before anything is kept; bodies are not decoded here.
"""

from __future__ import annotations

import itertools
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

import orjson

from ingest.errors import BodyRefused, StorageError
from ingest.files.file_facts import FileFacts
from ingest.otlp import rpc_status, values
from ingest.otlp.limits import COMPRESSIONS, DEFAULT_LIMITS, Limits, pack, unpack
from ingest.otlp.wire import BrokenWireError, count_records, signal_of
from ingest.receiver.counters import Counters
from ingest.receiver.tokens import Sender, Tokens
from ingest.receiver.wal import Wal, WalRecord

RETRY_AFTER_SECONDS: Final = 5
CHECKS_AT_ONCE: Final = 4
"""Small bodies checked at one time; large ones, which may take the whole limit of one body each, go one by one."""
_SMALL_BYTES: Final = 4 << 20
_SMALL_JSON: Final = 200_000
"""Values of JSON that may be checked beside others: parsed they take 30 MiB at most."""
_RECORD: Final = 512
_OBJECT: Final = 256
"""Bytes that a record of protobuf, or an object of JSON, takes on its way into the lake, beside its own."""
PATIENCE_SECONDS: Final = 10.0
"""So long a large body waits for those before it."""

_HOLDS: Final = {"traces": "resourceSpans", "logs": "resourceLogs", "metrics": "resourceMetrics"}
_TOO_MUCH: Final = frozenset({"body_too_large", "too_many_records", "too_many_values"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiverLimits:
    """What the receiver takes on at once."""

    body: Limits = DEFAULT_LIMITS
    waiting_bytes: int = 128 << 20
    """Bodies being received or written; beyond it senders are told to come back, so that memory stays bounded."""
    seconds: float = 60.0
    """In which a body has to arrive: a sender that crawls gives back what it holds of the memory."""
    free_bytes: int = 128 << 20
    """Below it the receiver is not ready: a body stands in the log's journal and in the log."""


class Refusal(Exception):  # noqa: N818 - an answer on its way, not a fault
    """An answer other than success, in both protocols' words."""

    def __init__(self, http: int, code: int, message: str, *, retry: bool = False) -> None:
        super().__init__(message)
        self.http = http
        self.code = code
        """`google.rpc.Code`."""
        self.message = message
        self.retry = retry
        """Whether the same body may be sent again later."""


class BudgetShare:
    """What one request holds of the budget: it grows with what has arrived, so an idle sender costs nothing."""

    def __init__(self, budget: _Budget) -> None:
        self._budget = budget
        self._size = 0

    def take(self, size: int) -> None:
        """Reserve bytes that have arrived, or refuse."""
        self._budget.take(size)
        self._size += size

    def give_back(self) -> None:
        """Free everything."""
        self._budget.give_back(self._size)
        self._size = 0


class _Budget:
    """How many bytes of bodies are in memory, over both receivers."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self.held = 0

    def take(self, size: int) -> None:
        """Reserve bytes or refuse."""
        with self._lock:
            if self.held + size > self._limit:
                raise busy()
            self.held += size

    def give_back(self, size: int) -> None:
        """Free what was taken."""
        with self._lock:
            self.held -= size


@dataclass(frozen=True, slots=True, kw_only=True)
class SentBody:
    """One body as it came over the wire."""

    signal: str
    """`traces`, `logs` or `metrics`."""
    content_type: str
    sent: bytes
    compression: str = ""
    """A name of `ingest.otlp.limits.COMPRESSIONS`, or nothing."""


class Intake:
    """One receiver's state, shared by its protocols: the log, the tokens, the memory budget, the counters."""

    def __init__(
        self, wal: Wal, tokens: Tokens | None = None, limits: ReceiverLimits | None = None
    ) -> None:
        self._wal = wal
        self._tokens = tokens or Tokens()
        self.limits = limits or ReceiverLimits()
        self.counters = Counters()
        self._budget = _Budget(self.limits.waiting_bytes)
        self._checks = threading.BoundedSemaphore(CHECKS_AT_ONCE)
        self._large = threading.Lock()
        self._numbers = itertools.count(1)
        self._run = uuid.uuid4().hex[:8]

    def sender_of(self, authorization: str | None) -> Sender:
        """Who sends; anybody where no tokens are asked for."""
        if not self._tokens.required:
            return Sender()
        sender = self._tokens.sender_of(authorization)
        if sender is None:
            raise Refusal(
                401,
                rpc_status.UNAUTHENTICATED,
                "Send `Authorization: Bearer TOKEN` with a known token.",
            )
        return sender

    @contextmanager
    def hold(self) -> Iterator[BudgetShare]:
        """Room for one request's bytes, given back at the end whatever happens."""
        held = BudgetShare(self._budget)
        try:
            yield held
        finally:
            held.give_back()

    def check(self, body: SentBody) -> int:
        """Refuse what could not be decoded later: nothing of it would ever be more than quarantine; the room that it takes."""
        small = self.check_small(body)
        return self.check_large(body) if small is None else small

    def check_small(self, body: SentBody) -> int | None:
        """Check a body if it is a small one; the room that it takes, or None where it is none."""
        limits = self.limits.body
        small = replace(limits, body_bytes=min(limits.body_bytes, _SMALL_BYTES))
        most = min(limits.values, _SMALL_JSON)
        try:
            with self._checks:
                return _check(body, small, replace(small, values=most))
        except BodyRefused as error:
            if error.code in _TOO_MUCH:
                return None
            raise _refusal(error) from error

    def check_large(self, body: SentBody) -> int:
        """Check a body of any size: one at a time, so that memory stays bounded; the room that it takes."""
        if not self._large.acquire(timeout=PATIENCE_SECONDS):
            raise busy()
        try:
            return _check(body, self.limits.body, self.limits.body)
        except BodyRefused as error:
            raise _refusal(error) from error
        finally:
            self._large.release()

    def store(self, body: SentBody, sender: Sender, *, room: int = 0) -> None:
        """Keep the body, which takes so much room once it is read; returns once it is on the disk."""
        if body.signal == "metrics" or not body.sent:
            return
        encoding = "json" if body.content_type == rpc_status.JSON else "protobuf"
        # A plain body is bound by the disk: 27,000 spans a second as it came, 95,000 and more packed.
        packed = pack(body.sent) if not body.compression else None
        compression = "zstd" if packed is not None else body.compression
        record = WalRecord(
            kind=f"otlp_{body.signal}",
            app=sender.app,
            facts=FileFacts(judges_as=sender.judges_as, room=room),
            source=f"receiver {self._run}, request {next(self._numbers)}",
            body=body.sent if packed is None else packed,
            received_at=time.time_ns(),
            encoding=f"{encoding}+{compression}" if compression else encoding,
        )
        try:
            appended = self._wal.append([record])
        except StorageError as error:
            raise Refusal(503, rpc_status.UNAVAILABLE, str(error), retry=True) from error
        self.counters.add("bodies_stored", appended.stored, signal=body.signal)
        self.counters.add("bodies_repeated", appended.repeated, signal=body.signal)
        self.counters.add("body_bytes_stored", len(record.body), signal=body.signal)

    def check_ready(self) -> None:
        """Raise `StorageError` where the log cannot be written, or has no room for a body."""
        self._wal.check_writable()
        self._wal.check_room(self.limits.free_bytes)

    def metrics(self) -> str:
        """The counters in Prometheus' text format."""
        self.counters.put("waiting_bytes", self._budget.held)
        self.counters.put("waiting_bytes_limit", self.limits.waiting_bytes)
        return self.counters.text()


def busy() -> Refusal:
    """The refusal of a body that there is no room for now."""
    return Refusal(
        429, rpc_status.UNAVAILABLE, "The receiver is busy; send again later.", retry=True
    )


def too_large(limit: int) -> Refusal:
    """The refusal of a body that is too large, packed or unpacked."""
    return Refusal(
        413,
        rpc_status.RESOURCE_EXHAUSTED,
        f"The body is larger than {limit} bytes after decompression; send smaller batches.",
    )


def compression_of(name: str) -> str:
    """A content encoding as `SentBody.compression` has it, or a refusal of one that nobody here can read."""
    plain = name.strip().lower()
    if plain in {"identity", "none", ""}:
        return ""
    if plain in COMPRESSIONS:
        return plain
    raise Refusal(
        415,
        rpc_status.UNIMPLEMENTED,
        f"Send the body plain or with Content-Encoding {' or '.join(COMPRESSIONS)}.",
    )


def _refusal(error: BodyRefused) -> Refusal:
    if error.code in _TOO_MUCH:
        return Refusal(413, rpc_status.RESOURCE_EXHAUSTED, error.reason)
    return Refusal(400, rpc_status.INVALID_ARGUMENT, error.reason)


def too_slow(seconds: float) -> Refusal:
    """The refusal of a body that did not arrive in time."""
    return Refusal(
        408,
        rpc_status.DEADLINE_EXCEEDED,
        f"The body did not arrive within {seconds:g} seconds; send smaller batches.",
    )


def _check(body: SentBody, limits: Limits, of_json: Limits) -> int:
    plain = unpack(body.sent, body.compression, limit=limits.body_bytes)
    if body.content_type == rpc_status.JSON:
        _check_json(plain, body.signal, of_json)
        return len(plain) + _OBJECT * plain.count(b"{")
    return len(plain) + _RECORD * _check_protobuf(plain, body.signal, limits)


def _check_json(plain: bytes, signal: str, limits: Limits) -> None:
    values.check_json(plain, limits)
    try:
        value = orjson.loads(plain) if plain else {}
    except orjson.JSONDecodeError as error:
        raise BodyRefused(
            "not_json", "The body is not JSON, is cut off, or is nested deeper than any telemetry."
        ) from error
    if not isinstance(value, dict):
        raise BodyRefused("not_otlp", "The body is no OTLP request.")
    held = [name for name, key in _HOLDS.items() if key in value]
    if not value or signal == "metrics" or signal in held:
        return
    if held:
        raise BodyRefused("wrong_path", f"The body holds {held[0]}; send it to /v1/{held[0]}.")
    raise BodyRefused("not_otlp", f"The body is no OTLP request: it has no `{_HOLDS[signal]}`.")


def _check_protobuf(plain: bytes, signal: str, limits: Limits) -> int:
    """Refuse what could not be decoded; how many records there are."""
    try:
        count = count_records(plain, limit=limits.records)
        found = signal_of(plain) if count else None
        if signal != "metrics":  # which nobody parses
            values.check_protobuf(plain, signal, limits)
    except BrokenWireError as error:
        raise BodyRefused("not_protobuf", "The body cannot be decoded as OTLP protobuf.") from error
    if count > limits.records:
        raise BodyRefused(
            "too_many_records",
            f"The body holds more than {limits.records} records; send smaller batches.",
        )
    if found not in {None, signal} and signal != "metrics":
        raise BodyRefused("wrong_path", f"The body holds {found}; send it to /v1/{found}.")
    return count
