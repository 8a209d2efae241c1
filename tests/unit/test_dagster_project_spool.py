"""The exporter's folder is read while it fills: nothing lost, nothing twice, no links followed."""

from __future__ import annotations

from pathlib import Path

import pytest
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from tracegym_exporter.spool import SpoolExporter
from typer.testing import CliRunner

from dagster_project.arrival.files import land, quarantined
from dagster_project.arrival.spool import take_spool
from dagster_project.cli.main import app as cli
from dagster_project.home.layout import Home, open_home
from dagster_project.lake.store import Lake
from ingest.receiver.wal import Wal


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty home."""
    return open_home(tmp_path / "home", create=True)


def emit(folder: Path, *names: str) -> None:
    """One batch a span, as the exporter writes them."""
    provider = TracerProvider(resource=Resource.create({"service.name": "shop"}))
    provider.add_span_processor(SimpleSpanProcessor(SpoolExporter(folder)))
    for name in names:
        provider.get_tracer("app").start_span(name).end()
    provider.shutdown()


def test_batches_are_taken_once_and_make_room_for_the_next(home: Home, tmp_path: Path) -> None:
    """A file goes when it is durable; batches written in between come with the next round."""
    folder = tmp_path / "spool"
    with Wal(home.wal) as wal:
        assert take_spool(home, wal, folder) == 0
        emit(folder, "one", "two")
        assert take_spool(home, wal, folder) == 2
        assert not list(folder.glob("*.pb"))
        emit(folder, "three")
        (folder / ".unfinished.traces.pb.part").write_bytes(b"half")
        assert take_spool(home, wal, folder) == 1
        arrived = land(home, wal)
    assert (arrived.spans, arrived.apps) == (3, {"shop"})
    assert (folder / ".unfinished.traces.pb.part").exists()


def test_what_cannot_be_read_is_set_aside_and_links_are_left_alone(
    home: Home, tmp_path: Path
) -> None:
    """A damaged file is quarantined and stays for a person; a link names a file of somebody else's choosing."""
    folder = tmp_path / "spool"
    folder.mkdir()
    (folder / "0.traces.pb").write_bytes(b"not telemetry at all")
    secret = tmp_path / "secret.pb"
    secret.write_bytes(b"\x0a\x00")
    (folder / "1.traces.pb").symlink_to(secret)
    emit(folder, "fine")
    with Wal(home.wal) as wal:
        assert take_spool(home, wal, folder) == 2
        assert land(home, wal).spans == 1
    assert [path.name for path in folder.glob("*.refused")] == ["0.traces.refused"]
    assert secret.exists()
    assert [r.code for r in quarantined(Lake(home.private / "lake"))] == ["unknown_format"]


def test_serve_beyond_this_machine_asks_for_tokens(tmp_path: Path) -> None:
    """Only authenticated sources may label: an open port without tokens is refused."""
    told = ["serve", "--home", str(tmp_path / "h"), "--host", "0.0.0.0", "--port", "0"]  # noqa: S104 - what is refused
    done = CliRunner().invoke(cli, told)
    assert done.exit_code != 0
    assert "--token-file" in str(done.output) + str(done.exception)
