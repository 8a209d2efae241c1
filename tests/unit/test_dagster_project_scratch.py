"""Folders of raw data in between: gone with their work, and found again after a process was killed."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dagster_project.arrival.staging import StagedEpisodes
from dagster_project.home import scratch
from dagster_project.home.layout import open_home
from dagster_project.home.scratch import remove_abandoned, scratch_folder
from dagster_project.home.tidy import tidy
from tests.command import ROOT

HOLD = """
import sys, time
from pathlib import Path
from dagster_project.home.scratch import scratch_folder
with scratch_folder(Path(sys.argv[1]), sys.argv[2]) as folder:
    (folder / "rows.arrow").write_text("raw")
    print("ready", flush=True)
    time.sleep(600)
"""


def held_by_another(parent: Path, prefix: str) -> subprocess.Popen[str]:
    """A process that holds a scratch folder until it is ended."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(parent), prefix],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize("prefix", [scratch.ASSEMBLE, scratch.EPISODES, scratch.REKEY])
def test_what_a_killed_process_left_is_removed_at_the_next_start(
    tmp_path: Path, prefix: str
) -> None:
    """While the process lives its folder stays, whoever tidies; after kill -9 the next one removes it."""
    home = open_home(tmp_path / "home", create=True)
    process = held_by_another(home.private, prefix)
    try:
        assert remove_abandoned(home.private) == 0
        assert len(list(home.private.glob(f"{prefix}*/rows.arrow"))) == 1
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate()
    assert len(list(home.private.glob(f"{prefix}*"))) == 1, "nobody could clean up"
    assert tidy(home).abandoned == 1
    assert list(home.private.glob(f"{prefix}*")) == []


def test_a_folder_in_use_here_is_not_taken_for_abandoned(tmp_path: Path) -> None:
    """Tidying in the process that works, between two of its writes."""
    with scratch_folder(tmp_path, scratch.ASSEMBLE) as mine, StagedEpisodes(tmp_path):
        assert remove_abandoned(tmp_path) == 0
        assert mine.stat().st_mode & 0o077 == 0
    assert list(tmp_path.iterdir()) == []


def test_other_folders_and_links_stay(tmp_path: Path) -> None:
    """Only folders of these names are touched, and what a link points to is nobody's to remove."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "wal").mkdir()
    (tmp_path / "episodes-link").symlink_to(tmp_path / "kept", target_is_directory=True)
    assert remove_abandoned(tmp_path) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["episodes-link", "kept", "wal"]
