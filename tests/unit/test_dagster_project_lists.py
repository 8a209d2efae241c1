"""Lists of a home that only grow: what was added is there, whatever happened while something was added."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dagster_project.errors import HomeError
from dagster_project.home.lists import append, rows_in


def test_a_row_that_was_cut_off_was_never_there(tmp_path: Path) -> None:
    """A kill in the middle of a line costs that line, and neither what stands before nor what comes after."""
    path = tmp_path / "audit.jsonl"
    append(path, [{"n": 1}])
    for cut in (b'{"n', b'{"n": 2}', b"\xff"):
        with path.open("ab") as file:
            file.write(cut)
        assert rows_in(path) == [{"n": 1}]
    append(path, [{"n": 3}, {"n": 4}])

    assert rows_in(path) == [{"n": 1}, {"n": 3}, {"n": 4}]


def test_many_at_once_lose_nothing(tmp_path: Path) -> None:
    """Two commands may write to the audit in the same moment."""
    path = tmp_path / "audit.jsonl"
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: append(path, [{"n": n}], mode=0o600), range(200)))

    assert sorted(row["n"] for row in rows_in(path)) == list(range(200))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("line", ["no json", "[1]", "\x00"])
def test_a_damaged_line_is_named(tmp_path: Path, line: str) -> None:
    """Its number and what to do, without a word of what stands there."""
    path = tmp_path / "signed.jsonl"
    append(path, [{"n": 1}])
    path.write_text(path.read_text() + line + "\n")

    with pytest.raises(HomeError, match=r"line 2 of .*signed.jsonl is damaged; restore it"):
        rows_in(path)


def test_a_list_that_nobody_began_is_empty(tmp_path: Path) -> None:
    """A home without signatures has none."""
    assert rows_in(tmp_path / "signed.jsonl") == []
