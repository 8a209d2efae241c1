"""Any exception becomes one sentence: a full disk is recognised whoever met it."""

import errno
import socket
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError
from typer.testing import CliRunner

from dagster_project.cli.faults import fault_of
from dagster_project.cli.main import app
from dagster_project.home.layout import open_home


def wrapped(said: str) -> OperationalError:
    """A fault of the event log's database as SQLAlchemy raises it, with what was to be written."""
    return OperationalError("INSERT", {"event": "what a user said"}, sqlite3.OperationalError(said))


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        sqlite3.OperationalError("database or disk is full"),
        wrapped("database or disk is full"),
        wrapped("disk I/O error"),
        RuntimeError("behind it"),
    ],
)
def test_a_full_disk_is_said_whoever_met_it(error: Exception) -> None:
    """The sentence names the disk and what to do, and nothing of what was to be written."""
    if isinstance(error, RuntimeError):
        error.__cause__ = OSError(errno.ENOSPC, "No space left on device")

    fault = fault_of(error)

    assert fault.exit_code == 1
    assert "full" in fault.sentence
    assert "free some space and run the command again" in fault.sentence
    assert "a user" not in fault.sentence


def test_an_unexpected_fault_is_named_by_its_type_only() -> None:
    """A foreign message may quote the data."""
    assert "a user" not in fault_of(wrapped("no such table: a user")).sentence
    assert "ValueError" in fault_of(ValueError("what a user said")).sentence


def test_a_ui_that_cannot_listen_is_said_before_anything_starts(tmp_path: Path) -> None:
    """A taken port is one sentence, a port that is none is wrong usage."""
    open_home(tmp_path / "h", create=True)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = CliRunner().invoke(app, ["dev", "--port", port, "--home", str(tmp_path / "h")])
    assert port in str(ended.exception)
    assert "--port" in str(ended.exception)
    wrong = CliRunner().invoke(app, ["dev", "--port", "99999", "--home", str(tmp_path / "h")])
    assert wrong.exit_code == 2


def test_the_ui_needs_a_home_as_other_commands_do(tmp_path: Path) -> None:
    """A typo makes no home."""
    ended = CliRunner().invoke(app, ["dev", "--home", str(tmp_path / "h")])
    assert "there is no tracegym home at" in str(ended.exception)
    assert not (tmp_path / "h").exists()
