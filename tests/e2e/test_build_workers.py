"""Builds with worker processes: the same bytes as with one, also where workers are killed, and nothing half-written."""

import os
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import forkserver
from pathlib import Path

import pytest

from dagster_project.arrival.files import take_in
from dagster_project.build.run import build
from dagster_project.engine import interface as spread
from dagster_project.engine import processes
from dagster_project.engine.choice import ONE, EngineChoice
from dagster_project.errors import StageError
from dagster_project.home.layout import Home, open_home
from dagster_project.lake.learnt_tables import AGREEMENT, TASKS, VERIFIED, WORLDS
from dagster_project.lake.store import Lake
from tests.lending_desk import lines, write

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        processes._METHOD != "forkserver", reason="workers are found by their server"
    ),
]
SECRET = "a secret of the tests, long enough"
TWO = EngineChoice(workers=2, memory=4096)


@pytest.fixture
def arrived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A home into which an app has come, small as it is worth workers."""
    monkeypatch.setattr(spread, "ENOUGH", 1)
    home = open_home(tmp_path / "home", create=True)
    take_in(home, [write(tmp_path / "chats.jsonl", lines(12))])
    return home


def test_killed_workers_change_nothing_that_is_written(arrived: Home, tmp_path: Path) -> None:
    """Killed once, their items run again; killed always, the build ends in a sentence and the next one goes on."""
    whole = _copied(arrived, tmp_path / "whole")
    build(whole, secret=SECRET, engine=ONE)
    once = _copied(arrived, tmp_path / "once")
    with _killing(most=1) as killed:
        build(once, secret=SECRET, engine=TWO)
    assert len(killed) == 1
    assert _written(once) == _written(whole)
    always = _copied(arrived, tmp_path / "always")
    with (
        _killing(most=1000) as killed,
        pytest.raises(StageError, match="workers died twice at worlds"),
    ):
        build(always, secret=SECRET, engine=TWO)
    assert len(killed) > 1
    assert not any(_written(always))
    build(always, secret=SECRET, engine=TWO)
    assert _written(always) == _written(whole)


def _copied(home: Home, folder: Path) -> Home:
    shutil.copytree(home.path, folder)
    return open_home(folder)


def _written(home: Home) -> list[list[str]]:
    lake = Lake(home.clean / "lake")
    tables = (WORLDS, TASKS, AGREEMENT, VERIFIED)
    return [sorted(map(str, lake.read(table).to_pylist())) for table in tables]


@contextmanager
def _killing(*, most: int) -> Iterator[list[int]]:
    """Kill workers as they start, so many at most."""
    killed: list[int] = []
    ended = threading.Event()

    def kill() -> None:
        while not ended.is_set() and len(killed) < most:
            for pid in set(_workers()) - set(killed):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                    killed.append(pid)
                if len(killed) == most:
                    return
            time.sleep(0.01)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        ended.set()
        thread.join()


def _workers() -> list[int]:
    """The children of the server that workers are forked off."""
    server = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
    listed = Path(f"/proc/{server}/task/{server}/children")
    return [int(one) for one in listed.read_text().split()] if listed.exists() else []
