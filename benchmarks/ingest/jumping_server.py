"""`tracegym` with a clock that somebody else moves: `python -m benchmarks.ingest.jumping_server OFFSET_FILE ARGUMENT...`.

The file holds how many seconds the clock is off, as text; it is read at each look at the clock.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path


def move(path: Path) -> None:
    """Let every look at the clock of this process be off by what the file says."""
    plain = time.time_ns

    def moved() -> int:
        try:
            return plain() + int(float(path.read_text(encoding="ascii")) * 1e9)
        except (OSError, ValueError):  # being written this moment
            return plain()

    time.time_ns = moved
    time.time = lambda: moved() / 1e9


if __name__ == "__main__":
    move(Path(sys.argv[1]))
    from dagster_project.cli.main import main

    sys.argv = ["tracegym", *sys.argv[2:]]
    main()
