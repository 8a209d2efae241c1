"""Builds a copy of `redact` whose modules are compiled by mypyc, beside the code that stays as it is.

Usage: `python -m benchmarks.shipping.compiled_redact [FOLDER] [--modules fold,apply/matcher] [--level 2]`; then `PYTHONPATH=FOLDER` before a
command of tracegym's. In: this checkout, mypy (a development dependency) and a C compiler. Out: FOLDER/redact with its sources and what
was built of them. The copy refuses to be imported once this checkout's sources are others: old code must not redact.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
INTERPRETED: Final = frozenset(
    {
        "apply/app_gate",  # its memories are cached properties, which are worked out at each use once compiled
        "apply/collector",  # a dozen steps a day
        "audit/leaks",  # an independent code path: it shares nothing with what it checks, not even how that was built
        "decisions/profile",  # its facts are cached properties, asked for once a place
        "errors",
        "lists/lexicon",  # as `apply/app_gate`
        "recognizers/presidio_engine",  # subclasses of Presidio's own
    }
)
"""Every other module is compiled: learning and scrubbing go through nearly all of them."""


def modules_of(sources: Path) -> list[str]:
    """The modules of a package, each by its path without the suffix; what only makes a folder a package is none."""
    files = (file.relative_to(sources) for file in sources.rglob("*.py"))
    return sorted(str(file.with_suffix("")) for file in files if file.stem != "__init__")


MODULES: Final = tuple(name for name in modules_of(ROOT / "redact") if name not in INTERPRETED)
_SETUP: Final = """\
from mypyc.build import mypycify
from setuptools import setup

modules = mypycify({paths!r}, opt_level={level!r}, debug_level="0", separate=True)
setup(name="redact", packages=[], py_modules=[], ext_modules=modules)
"""
_GUARD: Final = """

import hashlib as _hashlib
from pathlib import Path as _Path

_SOURCES = _Path({sources!r})
_FILES = sorted(file for file in _SOURCES.rglob("*.*") if file.suffix not in (".so", ".pyc"))
_DIGEST = _hashlib.sha256(b"".join(file.read_bytes() for file in _FILES)).hexdigest()
if _SOURCES.is_dir() and _DIGEST != {digest!r}:
    raise ImportError("this copy of redact is of other sources: run `make compile` again.")
"""


def main(arguments: list[str] | None = None) -> int:
    """Build the copy and say where it is."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / ".compiled")
    parser.add_argument("--modules", default=",".join(MODULES))
    parser.add_argument("--level", default="2", choices=("0", "1", "2", "3"))
    asked = parser.parse_args(arguments)
    build(asked.folder, asked.modules.split(","), level=asked.level)
    print(f"compiled: PYTHONPATH={asked.folder} before a command uses it")
    return 0


def build(folder: Path, modules: list[str], *, level: str) -> None:
    """Compile modules of `redact` in a copy and put the copy below a folder."""
    sources = ROOT / "redact"
    with tempfile.TemporaryDirectory() as name:
        work = Path(name)
        for package in ("redact", "ingest"):  # what redact imports is read for its types
            shutil.copytree(ROOT / package, work / package, ignore=_BUILT)
        for file in ("pyproject.toml", "LICENSE", "README.md"):
            shutil.copy(ROOT / file, work)
        paths = [f"redact/{module}.py" for module in modules]
        (work / "setup.py").write_text(_SETUP.format(paths=paths, level=level), "utf-8")
        command = [sys.executable, "setup.py", "-q", "build_ext", "--inplace", "-j2"]
        env = {**os.environ, "CFLAGS": "-g0"}  # not Python's own: its warnings would be errors here
        subprocess.run(command, cwd=work, env=env, check=True, stdout=subprocess.DEVNULL)
        bind(work / "redact", sources)
        shutil.rmtree(folder / "redact", ignore_errors=True)
        shutil.copytree(work / "redact", folder / "redact")


_BUILT: Final = shutil.ignore_patterns("__pycache__", "*.so")


def bind(package: Path, sources: Path) -> None:
    """Let a copy of a package be imported only as long as the sources are what it was made of."""
    # Of the copy, not of the sources, which may have changed while it was compiled.
    guard = _GUARD.format(sources=os.fspath(sources), digest=digest_of(package))
    with (package / "__init__.py").open("a", encoding="utf-8") as file:
        file.write(guard)


def digest_of(sources: Path) -> str:
    """Return the digest of a package's modules and lists."""
    files = sorted(file for file in sources.rglob("*.*") if file.suffix not in {".so", ".pyc"})
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
