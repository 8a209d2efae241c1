"""Names that a stranger cannot read: lone prepositions, adverbs and participles, and numbers named after themselves.

`python -m tests.house_names` lists them, and exits 1 where there is one; `make check` runs it. Comes in: the product's modules. Not here: what
a name should be instead (docs/architecture.md has the terms).
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.syntax import syntax

ROOT: Final = Path(__file__).parents[1]
FOLDERS: Final = ("ingest", "redact", "synth", "environments", "dagster_project")
_LONE: Final = """
about above across after again against alike all alone along aloof already also always among anywhere apart around asked at bare before
behind believed below beneath beside besides between beyond borrowed both broken built by chosen constructed corrected described dictated
done each either else elsewhere ever every everything everywhere explained few for found from given grounded guarded hardly heard held here
how if in injected innermost inside instead into judged just kept known last late later latest left likely listed lost made meant met more
most moved near nearest never next nothing of often old older on once one only other others otherwise outermost outside over own paired
perhaps plain plainly printed probed recorded rest rewritten said same scripted seen settled several shown simulated since skipped some
something sometimes spelt spread stayed still such supposed taken then there through to together told twice under unsettled what when where
whether which whole whose why with withheld within without worded written
acted agreed answered arrived called changed counted did doubted drawn failed gone got grouped joined keyed labelled marked named numbered
placed spoken stood taught tried withdrew wrote
"""
_NUMBERS: Final = """
both dozen eight few five four half hundred many nine one pair seven six some ten thousand three two zero
"""
LONE: Final = frozenset(_LONE.split())
"""Words that name nothing by themselves."""
NUMBERS: Final = frozenset(_NUMBERS.split())
_CHECKS: Final = frozenset(
    {"acted", "answered", "before", "called", "grounded", "said", "told", "wrote"}
)
FORMAT: Final = {
    "environments/runtime/checks/": _CHECKS,
    "environments/describe_check.py": _CHECKS,
    "environments/runtime/expr/": frozenset({"if", "either", "among", "next", "every"}),
    "environments/runtime/play/play.py": frozenset({"done"}),
    "synth/labels/policy.py": frozenset({"by"}),
}
"""By place: functions named after the check or operation that rubrics and world files name, `done` as trainers know it, and an outcome's column."""


def offenders() -> Iterator[tuple[str, str]]:
    """Each with its kind: `folder`, `file`, `constant`, `function` or `class`."""
    for path in sorted(path for name in FOLDERS for path in (ROOT / name).rglob("__init__.py")):
        if path.parent.name in LONE:
            yield "folder", str(path.parent.relative_to(ROOT))
    for path in sorted(path for name in FOLDERS for path in (ROOT / name).rglob("*.py")):
        place = str(path.relative_to(ROOT))
        if path.stem in LONE:
            yield "file", place
        for node in ast.walk(syntax(path)):
            for kind, name, line in _named(node, place):
                yield kind, f"{place}:{line} {name}"


def _named(node: ast.AST, place: str) -> Iterator[tuple[str, str, int]]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        word = node.name.strip("_").lower()
        if word in LONE and not any(word in FORMAT[at] for at in FORMAT if place.startswith(at)):
            kind = "class" if isinstance(node, ast.ClassDef) else "function"
            yield kind, node.name, node.lineno
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        value = node.value
        is_number = isinstance(value, ast.Constant) and isinstance(value.value, int | float)
        if is_number and node.target.id.strip("_").lower() in NUMBERS:
            yield "constant", node.target.id, node.lineno


def main() -> int:
    """List the offenders."""
    found = [f"{kind}: {where}\n" for kind, where in offenders()]
    sys.stdout.writelines(found)
    sys.stdout.write(f"names: {len(found)} say nothing by themselves\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
