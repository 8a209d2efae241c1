"""A fuzzer over request bodies, guided by coverage (atheris). Not a test module: `test_ingest_fuzz_consumer` runs it.

Every body is decoded by both decoders, which must not raise and must agree on how many spans and refusals it holds. Its
first byte chooses what the body is said to be.
"""

from __future__ import annotations

import sys

import atheris

with atheris.instrument_imports(include=["ingest"]):
    from ingest.otlp.decode import decode
    from ingest.otlp.decode_batch import decode_batch
    from ingest.receiver.wal import StoredRecord

SAID = (
    ("otlp_traces", "protobuf"),
    ("otlp_traces", "json"),
    ("otlp_logs", "protobuf"),
    ("otlp_logs", "json"),
    ("chat_log", "jsonl"),
    ("langfuse_export", "json"),
    ("otlp_traces", "protobuf+gzip"),
    ("otlp_traces", "protobuf+zstd"),
)


def one_body(data: bytes) -> None:
    """Decode one body in both ways."""
    kind, encoding = SAID[data[0] % len(SAID)] if data else SAID[0]
    record = StoredRecord(
        seq=1, kind=kind, app="fuzz", source="fuzz", body=data[1:], received_at=1,
        encoding=encoding, position=1,
    )  # fmt: skip
    slow, fast = decode(record), decode_batch([record])
    if len(slow.spans) != fast.spans.num_rows or len(slow.rejected) != len(fast.rejected):
        raise AssertionError(f"the decoders differ on a body said to be {kind} {encoding}")


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_body)
    atheris.Fuzz()
