"""A minute of everything at once: nothing that was acknowledged is lost or there twice, memory and latency stay bounded."""

from __future__ import annotations

import sys

import pytest

from benchmarks.ingest.endurance import soak


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="sets limits of another process")
def test_a_minute_of_everything_at_once() -> None:
    """Kills, restarts, full disks and clocks that jump, beside honest, crawling, damaged and hostile senders."""
    found = soak(minutes=1, seed=7)
    assert found.acknowledged > 10_000
    assert sum(found.faults.values()) > 5
    assert (found.lost, found.twice, found.died, found.tracebacks) == (0, 0, 0, 0)
    assert found.peak_mib < 1024
    assert found.p99_ms < 2_000
    assert not any(answer.endswith(" 500") for answer in found.answers)
