"""`tracegym rollout` killed in the middle and started again: no rollout is lost, none is there twice."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from dagster_project.home.layout import open_home
from dagster_project.lake.learnt_tables import ROLLOUTS
from dagster_project.lake.store import Lake
from tests.environments_shop import write_shop
from tests.openai_server import ModelServer, serving, shop_clerk

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
SAMPLES = 60


def command(folder: Path, url: str) -> list[str]:
    """The rollout of this test."""
    on = ("--policy", url, "--model", "m", "-n", str(SAMPLES), "--concurrency", "4")
    where = (str(folder / "set"), "--home", str(folder / "home"), "--json")
    return [sys.executable, "-m", "dagster_project.cli.main", "rollout", *where, *on]


def in_the_lake(folder: Path) -> list[tuple[str, str, int]]:
    """Id, task and seed of every stored rollout that no fault broke, doubled ones twice."""
    rows = Lake(open_home(folder / "home").clean / "lake").read(ROLLOUTS).to_pylist()
    return [(r["rollout_id"], r["task_id"], r["seed"]) for r in rows if r["error"] is None]


def kill_in_the_middle(folder: Path, server: ModelServer) -> None:
    """Start it, and kill it once it has stored something and has runs under way."""
    process = subprocess.Popen(
        command(folder, server.url), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        until = time.monotonic() + 120
        while time.monotonic() < until and process.poll() is None:
            if in_the_lake(folder) and server.in_flight:
                break
            time.sleep(0.2)
        assert process.poll() is None
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    """What was stored before the kill is kept and not run again; afterwards every task and seed is there once."""
    write_shop(tmp_path / "set")
    open_home(tmp_path / "home", create=True)
    with serving(shop_clerk, delay=0.08) as server:
        kill_in_the_middle(tmp_path, server)
        before = in_the_lake(tmp_path)
        assert 0 < len(before) < 2 * SAMPLES
        server.delay = 0.0
        done = subprocess.run(
            command(tmp_path, server.url), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-3000:]
        assert json.loads(done.stdout)["already_there"] == len(before)
    after = in_the_lake(tmp_path)
    assert set(before) <= set(after)
    assert Counter(after).most_common(1)[0][1] == 1
    assert len({(task, seed) for _, task, seed in after}) == len(after) == 2 * SAMPLES
