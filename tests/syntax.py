"""The syntax tree of a source file, for tests of the house rules. Not a test module."""

import ast
import gc
from pathlib import Path


def syntax(path: Path) -> ast.Module:
    """The parsed file.

    CPython 3.11.7 raises SystemError when the collector runs in the middle of a parse (its issue 106905).
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(path.read_text(encoding="utf-8"))
    finally:
        if collects:
            gc.enable()
