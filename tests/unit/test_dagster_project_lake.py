"""The lake: partitions replaced in one commit, conflicts retried, columns only added."""

from __future__ import annotations

import multiprocessing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from dagster_project.errors import LakeError
from dagster_project.lake.digests import digest_of, hash_of
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CHATS, Stamp, Table, deduplicate

FIELDS: list[pa.Field[Any]] = [
    pa.field("app", pa.string()),
    pa.field("day", pa.string()),
    pa.field("id", pa.string()),
    pa.field("n", pa.int64()),
]
SCHEMA = pa.schema(FIELDS)
THINGS = Table(name="things", schema=SCHEMA, identity=("id",))


def rows(*found: tuple[str, str, str, int]) -> pa.Table:
    """Rows of the test's table."""
    names = SCHEMA.names
    return pa.Table.from_pylist(
        [dict(zip(names, row, strict=True)) for row in found], schema=SCHEMA
    )


def test_a_table_that_does_not_exist_is_empty(tmp_path: Path) -> None:
    """Readers need no table to be there."""
    lake = Lake(tmp_path)

    assert lake.read(THINGS).schema == SCHEMA
    assert (lake.counts(THINGS), lake.fingerprints(THINGS), lake.version(THINGS)) == ({}, {}, None)


def test_replacing_a_partition_leaves_the_others(tmp_path: Path) -> None:
    """One commit takes the place of what those partitions held, and of nothing else."""
    lake = Lake(tmp_path)
    lake.replace(THINGS, rows(("a", "1", "x", 1), ("a", "2", "y", 2)), [("a", "1"), ("a", "2")])
    before = lake.version(THINGS)

    lake.replace(THINGS, rows(("a", "1", "z", 9)), [("a", "1")])

    assert sorted(row["id"] for row in lake.read(THINGS).to_pylist()) == ["y", "z"]
    assert lake.version(THINGS) == (before or 0) + 1
    assert lake.counts(THINGS) == {("a", "1"): 1, ("a", "2"): 1}


def test_a_partition_can_be_emptied(tmp_path: Path) -> None:
    """No rows in the place of some is a partition that is gone."""
    lake = Lake(tmp_path)
    lake.replace(THINGS, rows(("a", "1", "x", 1)), [("a", "1")])

    lake.replace(THINGS, rows(), [("a", "1")])

    assert lake.counts(THINGS) == {}


def test_app_names_with_quotes_are_values_not_syntax(tmp_path: Path) -> None:
    """An app cannot write into another's partition by its name."""
    lake = Lake(tmp_path)
    odd = "a' OR '1'='1"
    lake.append(THINGS, rows(("b", "1", "x", 1), (odd, "1", "y", 1)))

    lake.replace(THINGS, rows(), [(odd, "1")])

    assert lake.counts(THINGS) == {("b", "1"): 1}


def test_rows_are_chosen_by_the_values_of_columns(tmp_path: Path) -> None:
    """Whatever the value holds, it is a value; a table that is not there has no such row."""
    lake = Lake(tmp_path)
    assert lake.read(THINGS, equals={"id": "a"}).num_rows == 0
    odd = "a' OR '1'='1"
    lake.append(THINGS, rows(("x", "d", "a", 1), ("x", "d", odd, 2), ("y", "d", "a", 3)))

    assert lake.read(THINGS, app="x", equals={"id": "a"}).column("n").to_pylist() == [1]
    assert lake.read(THINGS, equals={"id": odd}).column("n").to_pylist() == [2]
    assert lake.read(THINGS, equals={"id": "b"}).num_rows == 0


def test_a_fingerprint_changes_with_its_partition_only(tmp_path: Path) -> None:
    """What is written elsewhere makes nothing stale here."""
    lake = Lake(tmp_path)
    lake.append(THINGS, rows(("a", "1", "x", 1), ("a", "2", "y", 1)))
    before = lake.fingerprints(THINGS)

    lake.append(THINGS, rows(("a", "2", "z", 1)))

    after = lake.fingerprints(THINGS)
    assert before["a", "1"] == after["a", "1"]
    assert before["a", "2"] != after["a", "2"]


def test_an_edit_sees_what_another_writer_did_meanwhile(tmp_path: Path) -> None:
    """A conflicting commit is read again: no row is lost."""
    lake = Lake(tmp_path)
    lake.append(THINGS, rows(("a", "1", "x", 1)))
    seen: list[int] = []

    def edit(before: pa.Table) -> pa.Table:
        seen.append(before.num_rows)
        if len(seen) == 1:
            Lake(tmp_path).append(THINGS, rows(("a", "1", "y", 2)))
        return before

    lake.change(THINGS, ("a", "1"), edit)

    assert seen == [1, 2]
    assert sorted(row["id"] for row in lake.read(THINGS).to_pylist()) == ["x", "y"]


def _append_some(folder: str, name: str) -> None:
    for number in range(6):
        Lake(Path(folder)).append(THINGS, rows(("a", "1", f"{name}{number}", number)))
        Lake(Path(folder)).stamp(
            "things", [Stamp(asset="things", app=name, day=str(number), digest="d", made_of="m")]
        )


def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    """Three writers, one new table: every row and every stamp is there."""
    spawn = multiprocessing.get_context("spawn")
    writers = [
        spawn.Process(target=_append_some, args=(str(tmp_path), name)) for name in ("p", "q", "r")
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()

    lake = Lake(tmp_path)
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert lake.counts(THINGS) == {("a", "1"): 18}
    assert len(lake.stamps("things")) == 18


def test_columns_are_only_added(tmp_path: Path) -> None:
    """Old rows read as null in a new column; a column that this version does not know is left alone."""
    lake = Lake(tmp_path)
    lake.append(THINGS, rows(("a", "1", "x", 1)))
    wider = Table(
        name="things", schema=SCHEMA.append(pa.field("extra", pa.string())), identity=("id",)
    )

    lake.append(wider, rows(("a", "1", "y", 2)).append_column("extra", pa.array(["e"])))

    found = {row["id"]: row["extra"] for row in lake.read(wider).to_pylist()}
    assert found == {"x": None, "y": "e"}
    assert lake.read(THINGS).schema == SCHEMA


def test_of_two_arrivals_the_later_counts() -> None:
    """Rows of one identity fold into the one that arrived last, wherever it stands."""
    names = {"app": "a", "day": "1", "episode_id": "e"}
    found = pa.Table.from_pylist(
        [
            {**names, "agent": "new", "arrived_at": 2},
            {**names, "agent": "old", "arrived_at": 1},
            {**names, "episode_id": "other", "agent": "one", "arrived_at": 1},
        ],
        schema=CHATS.schema,
    )

    assert deduplicate(found, CHATS)["agent"].to_pylist() == ["new", "one"]


def test_equal_rows_have_one_digest() -> None:
    """A digest depends on rows and their order, not on how they lie in memory."""
    whole = rows(("a", "1", "x", 1), ("a", "1", "y", 2))

    pieces = pa.concat_tables([whole.slice(0, 1), whole.slice(1, 1)])

    assert digest_of(pieces) == digest_of(whole)
    assert digest_of(whole.slice(0, 1)) != digest_of(whole)
    assert hash_of("a", "b") != hash_of("ab")


def test_old_files_are_vacuumed_and_what_is_read_stays(tmp_path: Path) -> None:
    """Files of replaced versions stay for a day, then go; the current version never does."""
    lake = Lake(tmp_path)
    lake.replace(THINGS, rows(("a", "1", "x", 1)), [("a", "1")])
    lake.replace(THINGS, rows(("a", "1", "y", 1)), [("a", "1")])

    assert lake.vacuum() == 0
    assert lake.read(THINGS)["id"].to_pylist() == ["y"]


def test_a_damaged_table_is_one_sentence(tmp_path: Path) -> None:
    """Damage names the table and never shows what stands in it."""
    write_deltalake(str(tmp_path / "things"), rows(("a", "1", "x", 1)))
    for file in (tmp_path / "things" / "_delta_log").iterdir():
        file.write_text("{ broken")

    with pytest.raises(LakeError, match=r"cannot read .*things"):
        Lake(tmp_path).read(THINGS)


def test_an_unwritable_lake_is_one_sentence(tmp_path: Path) -> None:
    """A file where a table should be stops the write, with its path."""
    (tmp_path / "things").write_text("in the way")

    with pytest.raises(LakeError, match="things"):
        Lake(tmp_path).append(THINGS, rows(("a", "1", "x", 1)))
