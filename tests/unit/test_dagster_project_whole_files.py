"""Files that are replaced: whole or as they were, whoever else writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from dagster_project.storage.whole_files import replacing, write_once, write_whole


def test_a_file_is_replaced_whole_with_the_mode_that_it_had(tmp_path: Path) -> None:
    """A file that was made private stays private, and nothing is left beside it."""
    path = tmp_path / "plan.json"
    write_whole(path, "one\n")
    path.chmod(0o600)
    write_whole(path, "two\n")
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("two\n", 0o600)
    assert list(tmp_path.iterdir()) == [path]


def test_what_fails_or_writes_nothing_leaves_the_file(tmp_path: Path) -> None:
    """The file of before stays, and half a file goes."""
    path = tmp_path / "plan.json"
    write_whole(path, "one\n")
    with pytest.raises(ZeroDivisionError), replacing(path) as beside:
        beside.write_text(str(1 // 0))
    with replacing(path):
        pass
    assert path.read_text() == "one\n"
    assert list(tmp_path.iterdir()) == [path]


def test_two_that_write_at_once_do_not_meet(tmp_path: Path) -> None:
    """The last one to end wins, whole; of those that write once the first."""
    path, once = tmp_path / "plan.json", tmp_path / "mark"
    with replacing(path) as one, replacing(path) as other:
        one.write_text("one\n")
        other.write_text("other\n")
    assert path.read_text() == "one\n"
    write_once(once, "first", mode=0o600)
    write_once(once, "second", mode=0o600)
    assert once.read_text() == "first"
    assert sorted(tmp_path.iterdir()) == [once, path]
