"""Runs a benchmark by its name: `python -m benchmarks SUITE [OPTIONS]`."""

from __future__ import annotations

import ast
import runpy
import sys
from importlib.util import find_spec

from benchmarks.suites import SUITES


def main() -> int:
    """Hand over to the benchmark; say what each of them measures where none of that name exists."""
    if len(sys.argv) < 2 or sys.argv[1] not in SUITES:
        width = max(map(len, SUITES))
        asked = len(sys.argv) < 2 or sys.argv[1] in {"-h", "--help"}
        out = sys.stdout if asked else sys.stderr
        out.writelines(f"{name:{width}}  {_measures(where)}\n" for name, where in SUITES.items())
        out.write("\npython -m benchmarks SUITE --help says what it takes.\n")
        return 0 if asked else 2
    module = SUITES[sys.argv.pop(1)]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
    return 0


def _measures(module: str) -> str:
    """The first sentence of what a benchmark says of itself."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    with open(spec.origin, encoding="utf-8") as file:  # noqa: PTH123 - an origin is text
        return (ast.get_docstring(ast.parse(file.read())) or "").partition("\n")[0]


if __name__ == "__main__":
    raise SystemExit(main())
