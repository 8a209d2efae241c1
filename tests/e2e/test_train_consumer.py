"""Torch, transformers and Ray in an environment of their own: the tests that need them, and the example, once, on a CPU."""

from __future__ import annotations

import json
import sysconfig
from pathlib import Path

import pytest

from tests.consumer_venv import make_venv, sh

pytestmark = [pytest.mark.consumer, pytest.mark.timeout(1800)]
ROOT = Path(__file__).resolve().parents[2]
NEEDING = (
    "tests/unit/test_environments_rollout_torch_policy.py",
    "tests/unit/test_environments_rollout_ray_engine.py",
)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with the extras, which sees this project's own packages behind them."""
    folder = tmp_path_factory.mktemp("train")
    binaries = make_venv("train", ("torch>=2.8", "transformers>=5.2", "ray>=2.50"), folder)
    site = next((binaries.parent / "lib").glob("python3*/site-packages"))
    (site / "project.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return binaries / "python"


def test_local_policy_and_ray_engine(python: Path) -> None:
    """The tests that are skipped where the extras are missing."""
    said = sh(
        python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *NEEDING,
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
