"""tracegym's own traces: counts only, to where they were asked for, never about themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from dagster_project.arrival.files import ArrivalCounts
from dagster_project.build.own_traces import SERVICE, own_traces
from dagster_project.errors import InputError
from ingest.otlp.decode import decode
from ingest.receiver.http import http_app
from ingest.receiver.intake import Intake
from ingest.receiver.server import Server, ServerSettings
from ingest.receiver.wal import Wal
from ingest.records.span import Span


def reported(folder: Path, *rounds: ArrivalCounts) -> list[Span]:
    """What another receiver got about some rounds."""
    with Wal(folder) as wal:
        server = Server(http_app(Intake(wal)), ServerSettings(port=0))
        with own_traces(f"http://127.0.0.1:{server.start()}", ports=frozenset({4318})) as own:
            for arrived in rounds:
                own.landed(arrived, started=1_790_000_000_000_000_000)
            own.note_failure(ValueError("a user's words"), started=1_790_000_000_000_000_000)
        server.stop()
        return [span for record in wal.pending() for span in decode(record).spans]


def test_a_round_is_one_span_of_counts(tmp_path: Path) -> None:
    """Rounds without anything, and rounds of these spans alone, are not reported."""
    busy = ArrivalCounts(spans=3, log_events=1, apps={"shop"})
    found = reported(tmp_path, busy, ArrivalCounts(), ArrivalCounts(spans=1, apps={SERVICE}))
    assert [span.name for span in found] == ["land", "land"]
    done, broken = sorted(found, key=lambda span: span.status)
    assert done.attributes["tracegym.spans"] == 3
    assert broken.attributes["error.type"] == "ValueError"
    assert "words" not in str(found)


def test_nothing_is_reported_without_an_endpoint() -> None:
    """Off unless asked for."""
    with own_traces(None, ports=frozenset()) as own:
        own.landed(ArrivalCounts(spans=3, apps={"shop"}), started=1)


@pytest.mark.parametrize(
    "endpoint", ["http://127.0.0.1:4318", "https://me.example:4318/v1/traces", "x"]
)
def test_the_receiver_never_reports_to_itself(endpoint: str) -> None:
    """Its own address would be fed by every round that it feeds."""
    with (
        pytest.raises(InputError, match="own traces"),
        own_traces(endpoint, ports=frozenset({4318})),
    ):
        pass
