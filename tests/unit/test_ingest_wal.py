"""The write-ahead log."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ingest.errors import StorageError, StorageFull, StorageUnwritable
from ingest.files.file_facts import FileFacts
from ingest.receiver.wal import FILE_NAME, Wal, WalRecord


def record(text: str, **fields: object) -> WalRecord:
    """One record."""
    base = WalRecord(kind="chat_log", app=None, source="s", body=text.encode(), received_at=1)
    return replace(base, **fields)  # type: ignore[arg-type]  # fields by name


@pytest.fixture
def wal(tmp_path: Path) -> Iterator[Wal]:
    """An empty log."""
    with Wal(tmp_path / "wal") as log:
        yield log


def test_records_come_back_as_they_went_in(wal: Wal) -> None:
    """Body, kind, app, place and encoding are kept, in order."""
    wal.append([record("a"), record("b", app="x", encoding="protobuf+gzip", position=9)])
    first, second = wal.pending()
    assert (first.body, first.app, first.kind) == (b"a", None, "chat_log")
    assert (second.app, second.encoding, second.position) == ("x", "protobuf+gzip", 9)
    assert first.seq < second.seq


def test_the_same_body_is_stored_once(wal: Wal) -> None:
    """A file ingested twice is one record; the same bytes of another app are not."""
    assert wal.append([record("a")]).stored == 1
    again = wal.append([record("a", source="other", received_at=5), record("a", app="x")])
    assert (again.stored, again.repeated) == (1, 1)
    assert wal.counts().records == 2


def test_decoded_records_are_not_pending_and_can_be_purged(wal: Wal) -> None:
    """Only what was decoded is ever forgotten, and only when it is old enough."""
    wal.append(
        [record("a", received_at=10), record("b", received_at=20), record("c", received_at=30)]
    )
    a, b, _ = wal.pending()
    wal.mark_decoded([a.seq, b.seq])
    assert [r.body for r in wal.pending()] == [b"c"]
    assert wal.purge(20) == 1
    assert wal.purge(1_000) == 1
    assert wal.counts().records == 1


def test_pending_is_bounded_by_count_and_bytes(wal: Wal) -> None:
    """A reader gets at least one record and never more than fit."""
    wal.append([record("x" * 100 + str(n)) for n in range(5)])
    assert len(wal.pending(2)) == 2
    assert len(wal.pending(max_bytes=250)) == 2
    assert len(wal.pending(max_bytes=1)) == 1


def test_many_threads_lose_nothing(wal: Wal) -> None:
    """Appends from many threads at once are all there, each exactly once."""

    def add(worker: int) -> None:
        for n in range(20):
            wal.append([record(f"{worker}-{n}")])

    threads = [threading.Thread(target=add, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({r.body for r in wal.pending()}) == 160


def test_two_logs_on_one_folder_share_it(tmp_path: Path) -> None:
    """Two openers, as two processes are, see each other's records."""
    with Wal(tmp_path) as one, Wal(tmp_path) as other:
        one.append([record("a")])
        other.append([record("b")])
        assert [r.body for r in one.pending()] == [b"a", b"b"]


def test_a_new_log_waits_for_another_process_that_opens_it(tmp_path: Path) -> None:
    """SQLite itself answers "locked" at once while somebody else holds a new file."""
    folder = tmp_path / "wal"
    folder.mkdir()
    with closing(
        sqlite3.connect(folder / FILE_NAME, isolation_level=None, check_same_thread=False)
    ) as other:
        other.execute("begin immediate")
        release = threading.Timer(0.3, lambda: other.execute("commit"))
        release.start()
        with Wal(folder) as log:
            assert log.append([record("a")]).stored == 1
        release.join()


def test_a_full_disk_is_one_typed_error_and_loses_nothing(wal: Wal, tmp_path: Path) -> None:
    """SQLite's own limit stands in for the disk's: what was stored stays, and room brings it back to life."""
    wal.append([record("kept")])
    wal._open().execute("pragma max_page_count = 12")
    with pytest.raises(StorageFull, match="full"):
        wal.append([record("x" * 1_000_000)])
    assert [r.body for r in wal.pending()] == [b"kept"]
    assert wal.append([record("y" * 1_000_000)]).stored == 1


def test_a_folder_that_cannot_be_made_is_one_typed_error(tmp_path: Path) -> None:
    """A file in the way of the folder is named; once it is gone the same log works."""
    blocked = tmp_path / "wal"
    blocked.write_text("in the way")
    log = Wal(blocked)
    with pytest.raises(StorageUnwritable):
        log.append([record("a")])
    with pytest.raises(StorageError):
        log.check_writable()
    blocked.unlink()
    assert log.append([record("a")]).stored == 1
    log.close()


def test_a_file_that_is_no_log_is_left_alone(tmp_path: Path) -> None:
    """A foreign file under the log's name is an error, not overwritten."""
    (tmp_path / FILE_NAME).write_bytes(b"this is not a database, but quite a long text" * 40)
    with pytest.raises(StorageUnwritable):
        Wal(tmp_path).append([record("a")])
    assert (tmp_path / FILE_NAME).read_bytes().startswith(b"this is not")


def test_a_log_of_a_later_version_is_refused(tmp_path: Path) -> None:
    """A log that a newer tracegym wrote is not touched."""
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("pragma user_version = 99")
    connection.close()
    with pytest.raises(StorageUnwritable, match="format 99"):
        Wal(tmp_path).pending()


def test_a_log_of_the_first_format_is_brought_to_the_second(tmp_path: Path) -> None:
    """Bodies that were stored before files' facts were kept come out as they went in, and new ones go in beside them."""
    (tmp_path / "wal").mkdir()
    old = sqlite3.connect(tmp_path / "wal" / FILE_NAME)
    old.executescript("""
        create table records (
          seq integer primary key autoincrement,
          kind text not null, app text not null, source text not null, position integer not null,
          encoding text not null, received_at integer not null, digest blob not null,
          decoded_at integer, body blob not null);
        create unique index records_once on records (digest);
        pragma user_version = 1;""")
    before = record("a")
    old.execute(
        "insert into records (kind, app, source, position, encoding, received_at, digest, body)"
        " values ('chat_log', '', 's', 1, 'json', 1, ?, ?)",
        (before.digest, before.body),
    )
    old.commit()
    old.close()
    facts = FileFacts(named_after="runs", is_alone=True, numbered_by="trial")
    with Wal(tmp_path / "wal") as log, Wal(tmp_path / "wal") as beside:
        assert log.append([record("a")]).repeated == 1
        assert beside.append([record("b", facts=facts)]).stored == 1
        first, second = log.pending()
    assert (first.body, first.facts) == (b"a", FileFacts())
    assert (second.body, second.facts) == (b"b", facts)
