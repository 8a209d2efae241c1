"""`python -m benchmarks SUITE [--json OUT] [--against BASE] [OPTIONS]` runs one benchmark.

The rows of figures are printed as a table; `--json` keeps them, `--against` prints what differs from rows that were kept. A benchmark is a
module with `options(parser)` and `rows(options)`; `faults(before, after)`, where it has that, says what must not be: the exit code is then 1.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol, cast

from benchmarks.figures import Row, differences, printed, read, write
from benchmarks.suites import SUITES


class Suite(Protocol):
    """What the module of a benchmark has."""

    __doc__: str | None

    def options(self, parser: argparse.ArgumentParser) -> None:
        """Name the benchmark's own options."""

    def rows(self, options: argparse.Namespace) -> Iterable[Row]:
        """Measure."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one benchmark; say what each of them measures where none of that name exists."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given or given[0] not in SUITES:
        asked = not given or given[0] in {"-h", "--help"}
        _list_suites(file_descriptor=1 if asked else 2)
        return 0 if asked else 2
    name = given.pop(0)
    suite = cast("Suite", import_module(SUITES[name].module))
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks {name}",
        description=suite.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", type=Path, metavar="OUT", help="keep the rows here")
    parser.add_argument("--against", type=Path, metavar="BASE", help="compare with rows kept here")
    suite.options(parser)
    options = parser.parse_args(given)
    try:
        before = None if options.against is None else read(options.against, name)
    except (OSError, ValueError) as fault:
        parser.error(str(fault))
    found = list(printed(suite.rows(options)))
    if options.json:
        write(options.json, name, found)
    if before is not None:
        print("", *(list(differences(before, found)) or ["nothing differs"]), sep="\n")
    faults = getattr(suite, "faults", None)
    wrong = [] if faults is None else list(faults(before or [], found))
    for one in wrong:
        print(f"fault: {one}")
    return 1 if wrong else 0


def _list_suites(*, file_descriptor: int) -> None:
    out = sys.stdout if file_descriptor == 1 else sys.stderr
    width = max(map(len, SUITES))
    out.writelines(f"{name:{width}}  {measures(one.module)}\n" for name, one in SUITES.items())
    out.write("\npython -m benchmarks SUITE --help says what it takes.\n")


def measures(module: str) -> str:
    """The first sentence of what a benchmark says of itself, without running it."""
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    text = Path(spec.origin).read_text(encoding="utf-8")
    return (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]


if __name__ == "__main__":
    raise SystemExit(main())
