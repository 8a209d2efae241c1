"""The goals that causes are held to, on runs that people looked at and on faults that were injected."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sklearn.metrics import adjusted_rand_score

from benchmarks.causes.desk import season
from benchmarks.causes.faults import failures_of
from benchmarks.causes.figures import BAD
from benchmarks.causes.runs import hit, named_runs
from synth.clusters.clustering import cluster
from synth.failures.detection import detect


def test_the_agent_and_the_step_that_people_named_are_found_more_often_than_by_guessing() -> None:
    """60 failed runs of several agents through ingest and redaction: half the agents, one step in six, two in five within two."""
    folder = os.environ.get("TRACEGYM_REAL_DATA")
    runs = Path(folder or ".") / "collections" / "who-and-when"
    if not folder or not runs.is_dir():
        pytest.skip("TRACEGYM_REAL_DATA does not name the folder with the real runs")
    hits = []
    for one in named_runs(runs):
        found = detect(one.episode, BAD)
        assert found is not None
        hits.append(hit(one, found.step))
    assert sum(one.agent for one in hits) >= 0.5 * len(hits)
    assert sum(one.step for one in hits) >= 0.15 * len(hits)
    assert sum(one.near for one in hits) >= 0.4 * len(hits)


@pytest.mark.parametrize("attempts", [True, False])
def test_injected_faults_are_found_at_their_step_and_apart_from_one_another(attempts: bool) -> None:
    """A variant of the desk that nothing was tuned on; resolved attempts at the same request help, and are no condition."""
    resolved, faulty = season(variant=8, seed=5, requests=40)
    found = failures_of(resolved, faulty, attempts=attempts)
    assert len({one.fault for one, _ in found}) >= 8
    right = sum(failure.step == one.step for one, failure in found)
    assert right >= 0.7 * len(found)
    clusters = cluster([failure for _, failure in found]).of_episode()
    given = [clusters[failure.episode_id] for _, failure in found]
    assert adjusted_rand_score([one.fault for one, _ in found], given) >= (0.8 if attempts else 0.7)
