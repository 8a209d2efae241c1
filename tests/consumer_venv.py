"""A virtual environment per consumer of an export, and programs run in it. Not a test module.

It is made once in the folder that TRACEGYM_CONSUMER_CACHE names, else anew under the folder that is handed in.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "DO_NOT_TRACK": "1"}


def sh(*command: str | Path, cwd: Path, **env: str) -> str:
    """A program's output; the test fails with it if the program does."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **OFFLINE, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def make_venv(name: str, packages: tuple[str, ...], folder: Path, *bare: str) -> Path:
    """The `bin` of a virtual environment with some packages, and others without their dependencies."""
    cache = os.environ.get("TRACEGYM_CONSUMER_CACHE")
    venv = (Path(cache) if cache else folder) / name
    if not (venv / "ready").exists():
        venv.parent.mkdir(parents=True, exist_ok=True)
        sh(sys.executable, "-m", "venv", venv, cwd=venv.parent)
        # Of libraries whose releases disagree pip tries every one; uv, which `make setup` brings, says at once which fit.
        uv = Path(sys.executable).parent / "uv"
        install = (uv, "pip", "install", "--quiet", "--python", venv / "bin" / "python")
        sh(*install, *packages, cwd=venv.parent)
        if bare:
            # uv cannot be told to install for another Python than it finds.
            sh(venv / "bin" / "pip", "install", "--quiet", "--no-deps", *bare, cwd=venv.parent)
        (venv / "ready").touch()
    return venv / "bin"


def extended(name: str, packages: tuple[str, ...], folder: Path) -> Path:
    """A Python with an extra, which sees this project's own packages behind it."""
    try:
        binaries = make_venv(name, packages, folder)
    except AssertionError:
        pytest.skip(f"{', '.join(packages)} cannot be installed here")
    site = next((binaries.parent / "lib").glob("python3*/site-packages"))
    (site / "project.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return binaries / "python"
