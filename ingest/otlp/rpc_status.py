"""OTLP's answers: `google.rpc.Status` and the empty export response, in the encoding of the request.

Two fields of a message do not need a dependency: the bytes are written here.
"""

from __future__ import annotations

from typing import Final

import orjson

PROTOBUF: Final = "application/x-protobuf"
JSON: Final = "application/json"

INVALID_ARGUMENT: Final = 3
DEADLINE_EXCEEDED: Final = 4
RESOURCE_EXHAUSTED: Final = 8
UNIMPLEMENTED: Final = 12
UNAVAILABLE: Final = 14
UNAUTHENTICATED: Final = 16

NO_METRICS: Final = "Metrics are not kept: tracegym reads traces and logs."
_RETRY_INFO: Final = b"type.googleapis.com/google.rpc.RetryInfo"


def status_body(code: int, message: str, content_type: str) -> bytes:
    """A `google.rpc.Status` with a code and a message."""
    if content_type == JSON:
        return orjson.dumps({"code": code, "message": message})
    text = message.encode()
    return bytes([0x08, code, 0x12]) + _varint(len(text)) + text


def retry_status(code: int, message: str, seconds: int) -> bytes:
    """A protobuf `google.rpc.Status` with `RetryInfo`: to gRPC clients what `Retry-After` is to HTTP's."""
    duration = b"\x08" + _varint(seconds)
    retry = b"\x0a" + _varint(len(duration)) + duration
    packed = (
        b"\x0a" + _varint(len(_RETRY_INFO)) + _RETRY_INFO + b"\x12" + _varint(len(retry)) + retry
    )
    return status_body(code, message, PROTOBUF) + b"\x1a" + _varint(len(packed)) + packed


def success_body(content_type: str) -> bytes:
    """An export response without `partial_success`: everything was taken."""
    return b"{}" if content_type == JSON else b""


def partial_body(rejected: int, message: str, field: str, content_type: str) -> bytes:
    """An export response that names what was refused; `field` is `rejectedSpans` or its kin."""
    if content_type == JSON:
        return orjson.dumps({"partialSuccess": {field: str(rejected), "errorMessage": message}})
    text = message.encode()
    inner = b"\x08" + _varint(rejected) if rejected else b""
    inner += b"\x12" + _varint(len(text)) + text
    return b"\x0a" + _varint(len(inner)) + inner


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
