"""Torch, transformers and Ray in an environment of their own: the tests that need them, and the example, once, on a CPU."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.consumer_venv import extended, sh

pytestmark = [pytest.mark.consumer, pytest.mark.timeout(1800)]
ROOT = Path(__file__).resolve().parents[2]
POLICY = "tests/unit/test_environments_rollout_torch_policy.py"
ENGINE = "tests/unit/test_environments_rollout_ray_engine.py"


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with torch and transformers."""
    return extended("train", ("torch>=2.8", "transformers>=5.2"), tmp_path_factory.mktemp("train"))


def test_a_local_policy_plays_and_learns(python: Path) -> None:
    """The tests that are skipped where torch is missing."""
    said = sh(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", POLICY, cwd=ROOT)
    assert "skipped" not in said


def test_ray_workers_run_everything_once(tmp_path: Path) -> None:
    """The tests that are skipped where ray is missing."""
    python = extended("ray", ("ray>=2.50",), tmp_path)
    said = sh(
        python, "-m", "pytest", "-q", "-p", "no:cacheprovider", ENGINE,
        cwd=ROOT, RAY_USAGE_STATS_ENABLED="0",
    )  # fmt: skip
    assert "skipped" not in said


def test_the_example_runs_from_production_to_the_exam(python: Path, tmp_path: Path) -> None:
    """Every part of the training example works; whether it learns is for a GPU to show."""
    sh(
        python, ROOT / "examples/train_grpo/train.py", "--smoke", "--out", tmp_path / "out",
        cwd=tmp_path, PYTHONPATH=str(ROOT),
    )  # fmt: skip
    result = json.loads((tmp_path / "out/result.json").read_text())
    assert result["losses"][-1] < result["losses"][0]
    assert result["steps"][0]["rollouts"] == 4
    assert result["exam"]["requests"] == 4
    assert (tmp_path / "out/curves.png").stat().st_size > 10_000
    assert (tmp_path / "out/grpo/config.json").is_file()
    again = sh(
        python, ROOT / "examples/train_grpo/train.py", "--smoke", "--out", tmp_path / "out",
        cwd=tmp_path, PYTHONPATH=str(ROOT),
    )  # fmt: skip
    assert "imitation 1/" not in again, "what was learnt is not learnt again"
    assert "GRPO 1:" not in again
    sh(
        python, ROOT / "examples/train_grpo/train.py", "--smoke", "--out", tmp_path / "next",
        "--model", tmp_path / "out/grpo", cwd=tmp_path, PYTHONPATH=str(ROOT),
    )  # fmt: skip
    assert (tmp_path / "next/grpo/config.json").is_file()
