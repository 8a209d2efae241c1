"""What every test shares: where the real data lie, and hypothesis settings that hold on a busy machine."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("DAGSTER_DISABLE_TELEMETRY", "yes")

settings.register_profile(
    "repository", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("repository")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real traces; tests that need it skip without it, and say why."""
    folder = os.environ.get("TRACEGYM_REAL_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("set TRACEGYM_REAL_DATA to the folder of real traces to run this test")
    return Path(folder)
