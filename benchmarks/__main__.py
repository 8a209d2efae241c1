"""Runs a benchmark by its name: `python -m benchmarks NAME [OPTIONS]` is `python -m benchmarks.NAME [OPTIONS]`."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Hand over to the benchmark; list them all where none of that name exists."""
    names = sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_"))
    if len(sys.argv) < 2 or sys.argv[1] not in (*names, "outside"):
        print(f"benchmarks: name one of: {', '.join((*names, 'outside'))}", file=sys.stderr)
        return 2
    name = sys.argv.pop(1)
    runpy.run_module(f"benchmarks.{name}", run_name="__main__", alter_sys=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
