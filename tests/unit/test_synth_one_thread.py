"""Clusters and calibrations come out the same on machines with other numbers of cores."""

from __future__ import annotations

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from synth.clusters import clustering
from synth.clusters.texts import Vectors, embed
from synth.one_thread import one_thread
from tests.unit.failed_readers import refused


def _threads() -> set[int]:
    return {int(pool["num_threads"]) for pool in threadpool_info()}


def test_linear_algebra_keeps_to_one_thread_inside_and_to_what_it_had_outside() -> None:
    """Each library that scikit-learn loads."""
    with threadpool_limits(limits=2):
        with one_thread():
            assert _threads() == {1}
        assert _threads() == {2}


def test_failures_are_clustered_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """The digits of vectors depend on the number of threads, and with them who is whose neighbour."""
    seen: list[set[int]] = []

    def embedded(facets: list[str]) -> Vectors:
        seen.append(_threads())
        return embed(facets)

    monkeypatch.setattr(clustering, "embed", embedded)
    with threadpool_limits(limits=2):
        clustering.cluster([refused(number) for number in range(4)])
    assert seen
    assert all(one == {1} for one in seen)
