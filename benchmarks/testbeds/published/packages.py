"""Where a published package is found that no part of the project depends on.

Comes in: a package's name and the folder that `TRACEGYM_OUTSIDE` names (made by `pip install --target FOLDER PACKAGE`).
Comes out: its module, or one sentence that says how to get it. Not here: what the package offers.
"""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType

FOLDER = "TRACEGYM_OUTSIDE"


def outside(module: str, requirement: str) -> ModuleType:
    """A module of a published package; the folder stands last on the path, so nothing of ours is replaced.

    Raises:
        SystemExit: the package is in no folder; the sentence says which command makes one.
    """
    folder = os.environ.get(FOLDER, "")
    if folder and folder not in sys.path:
        sys.path.append(folder)
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as missing:
        raise SystemExit(
            f"{missing.name} is not installed: run `pip install --target FOLDER '{requirement}'` "
            f"and set {FOLDER}=FOLDER"
        ) from None
