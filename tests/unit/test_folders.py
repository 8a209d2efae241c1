"""The house stays one that a newcomer can walk through: no folder with more modules than fit one look."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST = 15
FOLDERS = sorted(
    folder
    for top in ("synth/world", "environments/runtime")
    for folder in [ROOT / top, *(p for p in (ROOT / top).rglob("*") if p.is_dir())]
    if folder.name != "__pycache__"
)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_no_folder_has_more_modules_than_fit_one_look(folder: Path) -> None:
    """Fifteen files, the folder's own included."""
    assert len(list(folder.glob("*.py"))) <= MOST
