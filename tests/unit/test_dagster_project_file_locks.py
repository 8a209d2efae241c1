"""One process at a time runs a policy at a task set, and writes a file of rollouts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from dagster_project.errors import InputError
from dagster_project.home.layout import open_home
from dagster_project.lake.learnt_tables import ROLLOUTS
from dagster_project.lake.store import Lake
from dagster_project.storage.file_locks import sole_writer
from tests.environments_shop import write_shop
from tests.openai_server import serving, shop_clerk


def test_a_second_writer_is_refused_in_one_sentence(tmp_path: Path) -> None:
    """Also where the first one put a whole file in its place; afterwards the file is free."""
    path = tmp_path / "out.jsonl"
    with sole_writer(path, "somebody writes it"):
        with (
            pytest.raises(InputError, match="somebody writes it"),
            sole_writer(path, "somebody writes it"),
        ):
            pass
        fresh = tmp_path / "fresh"
        fresh.write_text("whole\n")
        fresh.replace(path)
    with sole_writer(path, "somebody writes it", remove=True):
        assert path.read_text() == "whole\n"
    assert not path.exists()


def command(folder: Path, url: str, *where: str) -> list[str]:
    """A rollout of this test."""
    on = ("--policy", url, "--model", "m", "-n", "20", "--concurrency", "4")
    return [
        *(sys.executable, "-m", "dagster_project.cli.main", "rollout", str(folder / "set")),
        *on,
        *where,
    ]


@pytest.mark.parametrize("where", ["home", "out"])
def test_two_rollouts_of_one_set_do_nothing_twice(tmp_path: Path, where: str) -> None:
    """The second one ends with a sentence; what is stored is stored once."""
    write_shop(tmp_path / "set")
    home = open_home(tmp_path / "home", create=True)
    out = tmp_path / "out.jsonl"
    to = ("--home", str(home.path)) if where == "home" else ("--out", str(out))
    with serving(shop_clerk, delay=0.15) as server:
        both = [
            subprocess.Popen(
                command(tmp_path, server.url, *to),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                cwd=tmp_path,
            )
            for _ in range(2)
        ]
        said = [process.communicate(timeout=200) for process in both]
    codes = sorted(process.returncode for process in both)
    assert codes == [0, 1], said
    (refused,) = [err for (_, err), process in zip(said, both, strict=True) if process.returncode]
    assert "another command is" in refused
    assert "Traceback" not in refused
    if where == "home":
        rows = Lake(home.clean / "lake").read(ROLLOUTS).to_pylist()
    else:
        rows = [json.loads(line) for line in out.read_text().splitlines()]
    ids = [row["rollout_id"] for row in rows]
    assert len(ids) == len(set(ids)) == 40
