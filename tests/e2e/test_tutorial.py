"""The tutorial's commands, as they stand on the page: a reader who copies them gets a task set and two policies compared."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_the_tutorial_runs_from_top_to_bottom(tmp_path: Path) -> None:
    """In one folder, in one shell, with nothing but what the page says."""
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    commands = "\n".join(re.findall(r"^```bash\n(.*?)^```", page, re.DOTALL | re.MULTILINE))
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
        text=True,
        timeout=900,
    )

    assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / "home/clean/reports/index.html").exists()
    assert "B is better than A" in done.stdout.splitlines()[-1]
