"""Runs a benchmark by its name: `python -m benchmarks NAME [OPTIONS]` is `python -m benchmarks.NAME [OPTIONS]`."""

from __future__ import annotations

import ast
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    """Hand over to the benchmark; say what each of them measures where none of that name exists."""
    known = dict(suites())
    if len(sys.argv) < 2 or sys.argv[1] not in known:
        width = max(map(len, known))
        asked = len(sys.argv) < 2 or sys.argv[1] in {"-h", "--help"}
        out = sys.stdout if asked else sys.stderr
        out.writelines(f"{name:{width}}  {says}\n" for name, says in known.items())
        out.write("\npython -m benchmarks NAME --help says what it takes.\n")
        return 0 if asked else 2
    name = sys.argv.pop(1)
    runpy.run_module(f"benchmarks.{name}", run_name="__main__", alter_sys=True)
    return 0


def suites() -> Iterator[tuple[str, str]]:
    """Every benchmark that can be run, by name, with the first sentence of what it says of itself."""
    for path in [
        *sorted(HERE.glob("*.py")),
        *(HERE / name / "__init__.py" for name in ("causes", "outside")),
    ]:
        text = path.read_text(encoding="utf-8")
        package = path.stem == "__init__" and path.parent != HERE
        if (path.stem.startswith("_") and not package) or (not package and "__main__" not in text):
            continue
        first = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
        yield (path.parent.name if package else path.stem), first


if __name__ == "__main__":
    raise SystemExit(main())
