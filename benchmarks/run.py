"""`make bench`: runs every measurement in this folder in turn and prints their tables; measurements are never tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def main() -> int:
    """Run each benchmark as a process of its own, so that none inherits another's caches or memory."""
    failed = []
    for script in sorted(FOLDER.glob("*.py")):
        if script.name == Path(__file__).name:
            continue
        print(f"\n== {script.stem}", flush=True)
        if subprocess.run(
            [sys.executable, "-m", f"benchmarks.{script.stem}"], check=False, cwd=FOLDER.parent
        ).returncode:
            failed.append(script.stem)
    if failed:
        print(f"\nnot finished: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
