"""Content named by URI: fetched below allowed prefixes only, never by link, redirect or `..`."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from dagster_project.arrival.assembly import assemble_days, days_of
from dagster_project.arrival.files import land, take_in
from dagster_project.arrival.late_content import SECONDS, LateContent
from dagster_project.home.layout import open_home
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import SPANS
from ingest.assembly.assemble import assemble
from ingest.assembly.stored_content import ContentPlaces, awaits, bring, elsewhere_of
from ingest.errors import SourceUnreadable
from ingest.files.telemetry_files import read_file
from ingest.receiver.wal import Wal, WalRecord
from ingest.records.span import span_of_row

MESSAGES = [{"role": "user", "parts": [{"type": "text", "content": "hi"}]}]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A folder with one stored input, and a secret beside it."""
    folder = tmp_path / "store"
    folder.mkdir()
    (folder / "in.json").write_text(json.dumps(MESSAGES))
    (tmp_path / "secret.json").write_text('["secret"]')
    return folder


def test_nothing_is_fetched_unless_a_prefix_allows_it(store: Path) -> None:
    """Off by default; below the prefix by path and by file URI, in both spellings of the attribute."""
    path = str(store / "in.json")
    named = {"gen_ai.input.messages_ref": path, "gen_ai.output.messages.ref": f"file://{path}"}
    assert not ContentPlaces().is_allowed
    assert bring(named, ContentPlaces()) == named
    brought = dict(bring(named, elsewhere_of([str(store)])))
    assert json.loads(str(brought.pop("gen_ai.input.messages"))) == MESSAGES
    assert json.loads(str(brought.pop("gen_ai.output.messages"))) == MESSAGES
    assert brought == {}


def test_senders_cannot_choose_what_is_read(store: Path, tmp_path: Path) -> None:
    """Dots, links, other schemes, devices, neighbours of the prefix and files over the limit stay closed."""
    (store / "link.json").symlink_to(tmp_path / "secret.json")
    (store / "way").symlink_to(tmp_path)
    (tmp_path / "store-other").mkdir()
    (tmp_path / "store-other" / "x.json").write_text("[]")
    allowed = elsewhere_of([str(store)])
    assert allowed.read(str(store / "in.json")) is not None
    for uri in (
        f"{store}/../secret.json", f"{store}/link.json", f"{store}/way/secret.json", "file:///etc/passwd",
        f"file://{store}/%2e%2e/secret.json", f"file://elsewhere.example{store}/in.json", f"{store}-other/x.json",
        f"ftp://localhost{store}/in.json", "http://169.254.169.254/latest", "relative.json", str(store), "",
        f"{store}/gone.json", "http://[", "file://[/x", f"{store}/\0in.json",
    ):  # fmt: skip
        assert allowed.read(uri) is None, uri
    small = ContentPlaces(folders=allowed.folders, limit=5)
    assert small.read(str(store / "in.json")) is None


@pytest.mark.parametrize("prefix", ["/", "relative", "ftp://h/x", "https://user@h/", "file://"])
def test_a_prefix_that_allows_everything_or_nothing_is_refused(prefix: str) -> None:
    """One sentence says what a prefix is."""
    with pytest.raises(SourceUnreadable, match="prefix"):
        elsewhere_of([prefix])


@contextmanager
def web() -> Iterator[tuple[str, list[str]]]:
    """A server with one stored answer and a redirect to it."""
    asked: list[str] = []

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """One answer."""
            asked.append(self.path)
            moved = self.path.endswith("moved")
            self.send_response(302 if moved else 200)
            if moved:
                self.send_header("Location", "/private/in.json")
            self.end_headers()
            self.wfile.write(b"" if moved else json.dumps(MESSAGES).encode())

        def log_message(self, *_: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", asked
    finally:
        server.shutdown()
        server.server_close()


def test_addresses_are_fetched_without_redirects() -> None:
    """Only below the prefix, which ends at a slash; a redirect is an answer that nobody follows."""
    with web() as (host, asked):
        allowed = elsewhere_of([f"{host}/store"])
        assert json.loads(allowed.read(f"{host}/store/in.json") or b"") == MESSAGES
        asked.clear()
        for path in (
            "/private/in.json",
            "/store/../private/in.json",
            "/store/%2e%2e/private/x",
            "/storeroom/x",
        ):
            assert allowed.read(host + path) is None, path
        assert asked == []
        assert allowed.read(f"{host}/store/moved") is None
        assert asked == ["/store/moved"]


def test_json_lines_become_the_list_they_are(store: Path) -> None:
    """The upload hook's other format: one message a line with its index."""
    lines = [json.dumps({"index": n, "role": "user", "content": str(n)}) for n in (1, 0)]
    (store / "in.jsonl").write_text("\n".join(lines))
    (store / "bad.json").write_text("not json")
    allowed = elsewhere_of([f"file://{store}"])
    named = {"gen_ai.input.messages_ref": str(store / "in.jsonl")}
    found = json.loads(str(bring(named, allowed)["gen_ai.input.messages"]))
    assert [line["content"] for line in found] == ["0", "1"]
    bad = {"gen_ai.input.messages_ref": str(store / "bad.json")}
    assert bring(bad, allowed) == bad


def test_landing_brings_the_content_of_allowed_places(store: Path, tmp_path: Path) -> None:
    """An episode whose content lies elsewhere is whole with the prefix, and says what is missing without it."""
    keys = {"gen_ai.operation.name": "chat", "gen_ai.input.messages_ref": str(store / "in.json")}
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in keys.items()]
    span = {"traceId": "a" * 32, "spanId": "b" * 16, "name": "chat", "attributes": attributes}
    span |= {"startTimeUnixNano": "1790000000000000000", "endTimeUnixNano": "1790000001000000000"}
    other = {**span, "spanId": "c" * 16, "name": "other", "attributes": []}
    sent = tmp_path / "t.jsonl"
    sent.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span, other]}]}]}))
    for prefixes, said, missing in (([], [], True), ([str(store)], ["hi"], False)):
        home = open_home(tmp_path / f"home-{len(prefixes)}", create=True)
        take_in(home, [sent], app="shop", elsewhere=elsewhere_of(prefixes))
        rows = Lake(home.private / "lake").read(SPANS, app="shop").to_pylist()
        assert len(rows) == 2
        (episode,) = assemble(map(span_of_row, rows), app="shop").episodes
        assert [s.content for s in episode.steps if s.role == "user"] == said
        assert ("content_elsewhere" in episode.completeness) is missing
        with Wal(home.wal) as wal:
            assert land(home, wal).spans == 0


def test_content_that_comes_after_its_span_is_put_in_place_while_its_time_lasts(
    store: Path, tmp_path: Path
) -> None:
    """A file that is written late, or is half written at first, fills the span; after ten minutes it stays named."""
    home = open_home(tmp_path / "home", create=True)
    sent = tmp_path / "t.jsonl"
    spans = [_naming(1, f"{store}/later.json"), _naming(2, f"{store}/never.json")]
    sent.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}))
    clock = [0.0]
    late = LateContent(elsewhere_of([str(store)]), now=lambda: clock[0])
    with Wal(home.wal) as wal:
        for record in read_file(sent, app="shop"):
            assert isinstance(record, WalRecord)
            wal.append([record])
        assert land(home, wal, late=late).spans == 2
        assert late.count == 2
        (store / "later.json").write_text('[{"role": "us')
        land(home, wal, late=late)
        assert late.count == 2
        (store / "later.json").write_text(json.dumps(MESSAGES))
        assert land(home, wal, late=late).spans == 0
        assert late.count == 1
        clock[0] = SECONDS
        land(home, wal, late=late)
        assert late.count == 0
        (store / "never.json").write_text(json.dumps(MESSAGES))
        land(home, wal, late=late)
    lake = Lake(home.private / "lake")
    assembly = assemble_days(lake, "shop", days_of(lake, "shop")["shop"])
    assert assembly.spans == 2
    first, second = sorted(
        (e for group in assembly.episodes.values() for e in group), key=lambda e: e.started_at
    )
    assert [step.content for step in first.steps] == ["hi"]
    assert "content_elsewhere" not in first.completeness
    assert "content_elsewhere" in second.completeness


def test_only_files_below_a_prefix_are_waited_for(store: Path) -> None:
    """The web is asked once, and what no prefix allows will never come."""
    allowed = elsewhere_of([str(store), "https://store.example"])
    uris = [
        f"{store}/x.json", f"file://{store}/x.json", "https://store.example/x.json", "/etc/x.json",
        f"{store}/../x.json", "x.json", "http://[", f"{store}/x\0.json",
    ]  # fmt: skip
    waits = [awaits({"gen_ai.input.messages_ref": uri}, allowed) for uri in uris]
    assert waits == [True, True, *[False] * 6]


def _naming(number: int, uri: str) -> dict[str, object]:
    at = (1_790_000_000 + number) * 10**9
    said = {"gen_ai.operation.name": "chat", "gen_ai.input.messages_ref": uri}
    return {
        "traceId": f"{number:032x}",
        "spanId": f"{number:016x}",
        "name": "chat",
        "startTimeUnixNano": str(at),
        "endTimeUnixNano": str(at + 1),
        "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in said.items()],
    }
