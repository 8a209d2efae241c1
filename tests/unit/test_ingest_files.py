"""Files recognised by their contents."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from zipfile import ZipFile

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ingest.errors import SourceUnreadable
from ingest.files.explain import explain
from ingest.files.mapping import load_mapping
from ingest.files.telemetry_files import read_file, read_source, sources_in
from ingest.otlp.limits import Limits
from ingest.receiver.wal import WalRecord
from ingest.records.quarantine import Rejected

LINE = json.dumps({"messages": [{"role": "user", "content": "hi"}]}).encode() + b"\n"


def traces() -> bytes:
    """A request with one span."""
    request = ExportTraceServiceRequest()
    one = request.resource_spans.add().scope_spans.add().spans.add()
    one.trace_id, one.span_id, one.name = b"\1" * 16, b"\2" * 8, "chat"
    one.start_time_unix_nano = 5
    return bytes(request.SerializeToString())


def logs() -> bytes:
    """A request with one log record."""
    request = ExportLogsServiceRequest()
    one = request.resource_logs.add().scope_logs.add().log_records.add()
    one.observed_time_unix_nano, one.event_name = 5, "gen_ai.user.message"
    return bytes(request.SerializeToString())


def read(path: Path, **options: object) -> list[WalRecord | Rejected]:
    """Everything in a path."""
    return list(read_file(path, **options))  # type: ignore[arg-type]  # options by name


def written(tmp_path: Path, content: bytes, name: str = "file.bin") -> Path:
    """A file with this content."""
    path = tmp_path / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "kind", "encoding"),
    [
        (LINE * 3, "chat_log", "jsonl"),
        (b"\xef\xbb\xbf" + LINE, "chat_log", "jsonl"),
        (b'{"resourceSpans": []}\n', "otlp_traces", "jsonl"),
        (b'{"resourceLogs": []}', "otlp_logs", "jsonl"),
        (b'{"trace": {"id": "t"}, "observations": []}', "langfuse_export", "jsonl"),
        (b'{\n "trace": {"id": "t"},\n "observations": []\n}', "langfuse_export", "json"),
        (b"[\n" + LINE + b"]", "chat_log", "json"),
        (traces(), "otlp_traces", "protobuf"),
        (logs(), "otlp_logs", "protobuf"),
    ],
)
@pytest.mark.parametrize("compress", [False, True])
def test_formats_are_recognised_plain_and_gzipped(
    tmp_path: Path, content: bytes, kind: str, encoding: str, *, compress: bool
) -> None:
    """The content decides, whatever the file is called."""
    path = written(tmp_path, gzip.compress(content) if compress else content)
    (record,) = read(path)
    assert isinstance(record, WalRecord)
    assert (record.kind, record.encoding, record.source) == (kind, encoding, "file.bin")


def test_the_collectors_length_prefixed_form(tmp_path: Path) -> None:
    """Four bytes of length before each message; a message that is cut off is refused, those before are kept."""
    body = traces()
    framed = len(body).to_bytes(4, "big") + body
    records = read(written(tmp_path, framed * 2 + framed[:-3]))
    assert [getattr(r, "kind", None) or getattr(r, "code", None) for r in records] == [
        "otlp_traces",
        "otlp_traces",
        "truncated_message",
    ]
    assert isinstance(records[1], WalRecord)
    assert records[1].position == 2


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty_file"),
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "unknown_format"),
        (b"hello world\n", "unknown_format"),
        (b'{"a": 1}', "unknown_json"),
        (b'{"trace": {', "unknown_json"),
        (b"\x0a\xff\xff\xff", "not_otlp"),
        (gzip.compress(LINE * 1000, mtime=0)[:40], "damaged_gzip"),
        (b"\x07\xff\xff\xff\x0a", "bad_length_prefix"),
    ],
)
def test_what_is_no_telemetry_is_refused_with_a_sentence(
    tmp_path: Path, content: bytes, code: str
) -> None:
    """Empty, binary, foreign, damaged and cut-off files each have a code and say what to do."""
    found = read(written(tmp_path, content))
    assert [r.code for r in found if isinstance(r, Rejected)] == [code]
    assert all(r.reason.endswith(".") for r in found if isinstance(r, Rejected))


@pytest.mark.parametrize(
    "head", [b"PK\x03\x04", b"7z\xbc\xaf\x27\x1c", bytes(257) + b"ustar\x0000"]
)
def test_an_archive_is_to_be_unpacked_first(tmp_path: Path, head: bytes) -> None:
    """What is packed in a way that is not opened here is called by its name; a workbook is none of these."""
    (refused,) = read(written(tmp_path, head + bytes(500)))
    assert isinstance(refused, Rejected)
    assert refused.code == "unknown_format"
    assert "archive; unpack it first" in refused.reason
    (refused,) = read(written(tmp_path, b"PK\x03\x04 [Content_Types].xml", "a.xlsx"))
    assert isinstance(refused, Rejected)
    assert "workbook" in refused.reason


def test_damaged_gzip_says_what_was_kept_only_where_something_was(tmp_path: Path) -> None:
    """A file that is cut at its beginning held nothing; of a longer one the parts before the damage are stored."""
    packed = gzip.compress(LINE * 100_000, compresslevel=0, mtime=0)
    for size, told in ((12, "nothing of it could be read"), (len(packed) // 2, "was kept")):
        *kept, refused = read(written(tmp_path, packed[:size]))
        assert isinstance(refused, Rejected)
        assert told in refused.reason
        assert bool(kept) == (told == "was kept")


def test_whole_lines_before_the_damage_of_a_gzip_are_kept(tmp_path: Path) -> None:
    """A log that a broken upload cut: its last line is lost, the hundreds before it are not."""
    packed = gzip.compress(LINE * 400, compresslevel=0, mtime=0)
    *kept, refused = read(written(tmp_path, packed[:-200]))
    lines = sum(one.body.count(b"\n") for one in kept if isinstance(one, WalRecord))
    assert isinstance(refused, Rejected)
    assert refused.code == "damaged_gzip"
    assert 400 - 200 // len(LINE) - 3 <= lines < 400


def test_damage_of_one_member_of_an_archive_is_no_other_members(tmp_path: Path) -> None:
    """A gzip that was cut lies beside a file that is no telemetry: each is refused for what it is, also at a second reading."""
    with ZipFile(tmp_path / "runs.zip", "w") as archive:
        archive.writestr("a.jsonl.gz", gzip.compress(LINE * 1000, mtime=0)[:40])
        archive.writestr("b.json", b'{"a": 1}')
    sources = list(sources_in(tmp_path / "runs.zip"))
    for _ in range(2):
        found = [list(read_source(one, None, among_others=True)) for one in sources]
        codes = [[one.code for one in part if isinstance(one, Rejected)] for part in found]
        assert codes == [["damaged_gzip"], ["unknown_json"]]


def test_lines_keep_their_numbers_across_records(tmp_path: Path) -> None:
    """A large file becomes several records; each knows its first line."""
    line = json.dumps({"messages": [{"role": "user", "content": "x" * 50_000}]}).encode() + b"\n"
    records = [r for r in read(written(tmp_path, line * 50)) if isinstance(r, WalRecord)]
    assert len(records) > 1
    assert sum(r.body.count(b"\n") for r in records) == 50
    assert records[1].position == 1 + records[0].body.count(b"\n")


def test_a_line_without_an_end_is_refused_alone(tmp_path: Path) -> None:
    """A line over the limit is refused; the lines after it keep their numbers."""
    small = Limits(body_bytes=10_000)
    content = LINE + b'{"messages": "' + b"x" * 50_000 + b'"}\n' + LINE
    found = read(written(tmp_path, content), limits=small)
    assert [r.code for r in found if isinstance(r, Rejected)] == ["line_too_long"]
    (record,) = [r for r in found if isinstance(r, WalRecord)]
    assert record.body == LINE + b"\n" + LINE


def test_a_first_line_over_the_limit_costs_only_itself(tmp_path: Path) -> None:
    """As any other line does, also where several are too long; read by a mapping as well."""
    small = Limits(body_bytes=10_000)
    huge = b'{"messages": "' + b"x" * 50_000 + b'"}\n'
    path = written(tmp_path, b"\n" + huge * 2 + LINE * 3, "a.jsonl")
    found = read(path, limits=small)
    refused = [r for r in found if isinstance(r, Rejected)]
    assert [(r.code, r.position) for r in refused] == [
        ("line_too_long", "line 2"),
        ("line_too_long", "line 3"),
    ]
    (record,) = [r for r in found if isinstance(r, WalRecord)]
    assert (record.body.strip(), record.position) == ((LINE * 3).strip(), 2)
    draft = tmp_path / "m.toml"
    draft.write_text(
        '[conversation]\nmessages = "messages"\n[message]\nrole = "role"\ncontent = "content"\n'
    )
    mapped = read(path, limits=small, layout=load_mapping(draft))
    assert [r.code for r in mapped if isinstance(r, Rejected)] == ["line_too_long"] * 2
    assert sum(r.body.count(b"\n") for r in mapped if isinstance(r, WalRecord)) == 3


def test_messages_behind_one_that_is_too_long_are_no_conversation(tmp_path: Path) -> None:
    """A file of one message a line is read whole or not at all: its first message is missing."""
    small = Limits(body_bytes=10_000)
    lines = [{"role": "user", "content": "x" * 20_000}, *[{"role": "user", "content": "a"}] * 3]
    content = "\n".join(json.dumps(one) for one in lines).encode()
    (refused,) = read(written(tmp_path, content), limits=small)
    assert isinstance(refused, Rejected)
    assert refused.code == "file_too_large"


def test_large_documents_and_bodies_are_refused(tmp_path: Path) -> None:
    """One value that does not fit the limit is not read whole."""
    small = Limits(body_bytes=1000)
    document = b"{\n" + b" " * 5000 + b"}"
    (refused,) = read(written(tmp_path, document), limits=small)
    assert isinstance(refused, Rejected)
    assert refused.code == "document_too_large"
    (refused,) = read(written(tmp_path, b"\x0a" + bytes(5000)), limits=small)
    assert isinstance(refused, Rejected)
    assert refused.code == "body_too_large"


def test_folders_are_read_in_the_order_of_names(tmp_path: Path) -> None:
    """Every file below a folder is read; hidden and unfinished ones are not."""
    (tmp_path / "sub").mkdir()
    written(tmp_path / "sub", LINE, "b.jsonl")
    written(tmp_path, traces(), "a.pb")
    written(tmp_path, LINE, ".c.part")
    assert [r.source for r in read(tmp_path, app="x")] == ["a.pb", "sub/b.jsonl"]


def test_a_missing_file_is_an_error_of_its_own(tmp_path: Path) -> None:
    """What was asked for by name and is not there is said so."""
    with pytest.raises(SourceUnreadable, match="does not exist"):
        read(tmp_path / "nothing")


def test_links_out_of_a_folder_are_refused_and_links_within_it_read(tmp_path: Path) -> None:
    """Neither a linked file nor a file of a linked folder is read from elsewhere; quarantine keeps none of its text."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.jsonl").write_bytes(LINE)
    folder = tmp_path / "folder"
    (folder / "data").mkdir(parents=True)
    (folder / "data" / "a.jsonl").write_bytes(LINE)
    (folder / "file.jsonl").symlink_to(outside / "secret.jsonl")
    (folder / "linked").symlink_to(outside, target_is_directory=True)
    (folder / "own.jsonl").symlink_to(folder / "data" / "a.jsonl")
    found = read(folder)
    assert [one.source for one in found if isinstance(one, WalRecord)] == [
        "data/a.jsonl",
        "own.jsonl",
    ]
    refused = [one for one in found if isinstance(one, Rejected)]
    assert {one.source for one in refused} <= {"file.jsonl", "linked/secret.jsonl"}
    assert "file.jsonl" in {one.source for one in refused}
    assert all(one.code == "unreadable_file" and not one.body for one in refused)
    assert all("leads out of the folder" in one.reason for one in refused)
    assert len(read(folder / "file.jsonl")) == 1
    described = {one.file: one for one in explain(folder)}
    assert described["data/a.jsonl"].format
    assert not described["file.jsonl"].format
