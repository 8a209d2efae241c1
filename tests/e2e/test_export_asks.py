"""An export that would write over files asks first on a terminal, and refuses without one."""

from __future__ import annotations

import os
import pty
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from dagster_project.cli.tasks.export import _next_step
from dagster_project.home.layout import open_home

COMMAND = [sys.executable, "-m", "dagster_project.cli.main", "export", "taskset"]


@pytest.mark.parametrize(("answer", "more"), [("n", ()), ("", ("--yes",))])
def test_an_export_over_files_asks_first(
    tmp_path: Path, answer: str, more: tuple[str, ...]
) -> None:
    """No is no; `--yes` does not ask, and fails at what comes next: there is nothing to export."""
    open_home(tmp_path / "home", create=True)
    dest = tmp_path / "tasks"
    dest.mkdir()
    (dest / "README.md").write_text("mine", encoding="utf-8")
    ours, theirs = pty.openpty()
    os.write(ours, f"{answer}\n".encode())

    done = subprocess.run(
        [*COMMAND, str(dest), "--home", str(tmp_path / "home"), *more],
        capture_output=True,
        check=False,
        stdin=theirs,
        text=True,
        timeout=60,
    )
    os.close(ours)
    os.close(theirs)

    assert done.returncode == 1
    assert ("write over" in done.stderr) is ("--yes" not in more)
    assert "Traceback" not in done.stderr
    assert (dest / "README.md").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("more", "says"), [((), "tasks holds files; pass --yes to write over"), (("--yes",), "export")]
)
def test_a_script_has_to_say_yes(tmp_path: Path, more: tuple[str, ...], says: str) -> None:
    """Nobody can be asked, so nothing is written over in silence."""
    open_home(tmp_path / "home", create=True)
    dest = tmp_path / "tasks"
    dest.mkdir()
    (dest / "README.md").write_text("mine", encoding="utf-8")

    done = subprocess.run(
        [*COMMAND, str(dest), "--home", str(tmp_path / "home"), *more],
        capture_output=True,
        check=False,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=60,
    )

    assert done.returncode == 1
    assert says in " ".join(done.stderr.split())
    assert ("pass --yes" in done.stderr) is (not more)
    assert (dest / "README.md").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("format_name", ["verifiers", "inspect", "skyrl", "trl", "verl"])
def test_pip_is_told_a_folder(tmp_path: Path, format_name: str) -> None:
    """A bare name is one that pip looks up in an index."""
    assert _next_step(format_name, Path("vf")).startswith("pip install ./vf ")
    assert _next_step(format_name, tmp_path).startswith(f"pip install {tmp_path} ")


@pytest.mark.parametrize("format_name", ["taskset", "verifiers", "openenv"])
def test_a_folder_with_a_blank_is_one_word_of_the_command(format_name: str) -> None:
    """What is printed can be pasted."""
    words = shlex.split(_next_step(format_name, Path("/my tasks/a")))
    assert "/my tasks/a" in words


def test_a_folder_in_a_program_of_the_command_is_not_quoted_twice() -> None:
    """The shell's word is the program, in which the folder has its own quotes."""
    program = shlex.split(_next_step("huggingface", Path("/my tasks/a")))[-1]
    assert "load_dataset('/my tasks/a')" in program
