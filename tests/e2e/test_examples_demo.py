"""The demo: a folder that is not its own is left alone; a small one runs through the whole product."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from examples.support_desk.demo import MARKER, main


def test_a_folder_with_other_files_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The demo says in one sentence that it will not touch somebody else's files."""
    mine = tmp_path / "mine.txt"
    mine.write_text("mine", encoding="utf-8")
    assert main(["--home", str(tmp_path)]) == 1
    assert mine.read_text(encoding="utf-8") == "mine"
    assert "choose another --home" in " ".join(capsys.readouterr().out.split())


@pytest.mark.slow
def test_the_demo_runs_through_the_whole_product(tmp_path: Path) -> None:
    """OTLP over the network, late outcomes, build, export and rollouts, over an earlier demo; every place it names exists."""
    folder = tmp_path / "demo"
    folder.mkdir()
    (folder / MARKER).touch()
    (folder / "left-over").touch()
    command = [sys.executable, "examples/support_desk/demo.py", "--home", str(folder)]
    finished = subprocess.run(
        [*command, "--conversations", "80"], capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    assert not (folder / "left-over").exists()
    assert "Where to look" in finished.stdout
    assert re.search(r"joined +[1-9]\d*\s+waiting +0\s", finished.stdout)
    manifest = json.loads((folder / "taskset" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest
    validated = subprocess.run(
        [sys.executable, str(folder / "taskset"), "validate"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert validated.returncode == 0, validated.stdout + validated.stderr
    report = (folder / "home" / "clean" / "reports" / "index.html").read_text(encoding="utf-8")
    assert "support-desk" in report
    truth = (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(truth) == 80
