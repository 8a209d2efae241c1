"""A command of the product as a process of its own. Not a test module."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent


def tracegym(*arguments: object, code: int = 0) -> str:
    """Run a command; its stdout, or its stderr where it is to fail with that code. A traceback, or a fault that it went on without, is never right."""
    done = subprocess.run(
        [sys.executable, "-m", "dagster_project.cli.main", *map(str, arguments)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code, done.stderr[-3000:]
    assert "Traceback" not in done.stderr
    assert "left out: " not in done.stderr
    return done.stderr if code else done.stdout


def as_json(*arguments: object) -> Any:  # noqa: ANN401 - whatever the command prints
    """Run a command with --json."""
    return json.loads(tracegym(*arguments, "--json"))
