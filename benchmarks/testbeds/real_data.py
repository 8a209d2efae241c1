"""Recordings of real agents: what lies below the folder that `TRACEGYM_REAL_DATA` names."""

from __future__ import annotations

import os
from pathlib import Path


def real_data() -> Path | None:
    """The folder; None where nobody names one."""
    folder = os.environ.get("TRACEGYM_REAL_DATA")
    return Path(folder) if folder else None


def data_files(*places: str) -> list[Path]:
    """What lies in these places of it, in order; nothing without the folder."""
    folder = real_data()
    return [path for place in places for path in sorted(folder.glob(place))] if folder else []
