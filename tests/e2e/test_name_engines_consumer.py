"""Transformers and GLiNER in an environment of their own: what is skipped where they are missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.consumer_venv import extended, sh

pytestmark = [pytest.mark.consumer, pytest.mark.timeout(1800)]
ROOT = Path(__file__).resolve().parents[2]
ENGINES = "tests/unit/test_redact_neural_engines.py"


def test_names_are_found_by_a_users_own_model(tmp_path: Path) -> None:
    """A token classifier and a span model, each from a folder, through the policy."""
    python = extended("names", ("torch>=2.8", "transformers>=5.2", "gliner>=0.2.29"), tmp_path)
    said = sh(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", ENGINES, cwd=ROOT)
    assert "skipped" not in said
