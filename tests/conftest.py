"""What every test shares: where the real data lie, hypothesis settings that hold on a busy machine, and that no fault goes unnoticed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from benchmarks.worlds.fidelity import at_risk
from dagster_project.build.left_out import SkippedUnit, listen_to_skips

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "yes")

settings.register_profile(
    "repository", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repository")


@pytest.fixture(scope="session")
def heard() -> Iterator[list[SkippedUnit]]:
    """Every unit of work that this process left out because of a fault, since the last test."""
    found: list[SkippedUnit] = []
    with listen_to_skips(found.append):
        yield found


@pytest.fixture(autouse=True)
def no_fault_unnoticed(heard: list[SkippedUnit], request: pytest.FixtureRequest) -> Iterator[None]:
    """A build goes on when its own code fails; a test does not, unless it is about that and says so."""
    yield
    left_out, heard[:] = list(heard), []
    if request.node.get_closest_marker("leaves_out") is None:
        assert left_out == []


@pytest.fixture(scope="module")
def certain() -> Iterator[None]:
    """Every world of a module's tests tells only what learnt behaviour says: the risk is 0."""
    with at_risk(0.0):
        yield


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real traces; tests that need it skip without it, and say why."""
    folder = os.environ.get("TRACEGYM_REAL_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("set TRACEGYM_REAL_DATA to the folder of real traces to run this test")
    return Path(folder)
