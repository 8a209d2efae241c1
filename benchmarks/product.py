"""The product's own commands, run as a person runs them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence


def tracegym(*arguments: object, before: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """What a command printed and how it ended; `before` stands in front of it."""
    command = [*before, sys.executable, "-m", "dagster_project.cli.main", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def require(*arguments: object) -> None:
    """Run a command that has to go well; raises `SystemExit` with the last that it said."""
    done = tracegym(*arguments)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or [""])[-1]
        raise SystemExit(f"tracegym {arguments[0]} ended with {done.returncode}: {said}")
