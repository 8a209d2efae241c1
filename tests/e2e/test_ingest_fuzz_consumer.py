"""Half a minute of fuzzing guided by coverage: bodies never crash a decoder, and memory stays bounded. Opt-in."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.consumer_venv import make_venv, sh

pytestmark = [pytest.mark.consumer, pytest.mark.timeout(300)]
ROOT = Path(__file__).resolve().parents[2]
SECONDS = 30


def _seed() -> bytes:
    request = ExportTraceServiceRequest()
    scope = request.resource_spans.add().scope_spans.add()
    span = scope.spans.add(
        trace_id=b"1" * 16, span_id=b"2" * 8, name="chat m", start_time_unix_nano=1, kind=1
    )
    span.attributes.add(key="gen_ai.conversation.id").value.string_value = "c"
    span.attributes.add(key="gen_ai.usage.input_tokens").value.int_value = 3
    span.events.add(name="e", time_unix_nano=2)
    return bytes(request.SerializeToString())


def test_no_body_crashes_a_decoder(tmp_path: Path) -> None:
    """The fuzzer finds no body on which a decoder raises, the two differ, or memory grows past a limit."""
    binaries = make_venv("atheris", ("atheris",), tmp_path)
    site = next((binaries.parent / "lib").glob("python3*/site-packages"))
    (site / "project.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "protobuf").write_bytes(b"\x00" + _seed())
    (corpus / "json").write_bytes(
        b'\x01{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"n"}]}]}]}'
    )
    (corpus / "chat").write_bytes(b'\x04{"messages":[{"role":"user","content":"hi"}]}')
    sh(
        binaries / "python", ROOT / "tests/fuzz_bodies.py", corpus, "-max_len=4096",
        f"-max_total_time={SECONDS}", "-rss_limit_mb=2048", "-timeout=20",
        cwd=tmp_path, PYTHONPATH=str(ROOT),
    )  # fmt: skip
