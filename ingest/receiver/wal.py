"""The write-ahead log: bodies as they arrived, durable before anyone is told so.

Comes in: `WalRecord`s from the receiver and from files. Goes out: `StoredRecord`s to `ingest.otlp.decode`, in order.
One SQLite file with full sync (measured in docs/log/0010-wal.md); it never looks into a body.
"""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from ingest.errors import StorageError, StorageFull, StorageUnwritable
from ingest.files.file_facts import NOTHING_KNOWN, FileFacts, facts_of

FILE_NAME: Final = "wal.sqlite"
_WAIT_SECONDS: Final = 60.0
_RETRY_SECONDS: Final = 0.05
_FORMAT: Final = 2

_CREATE: Final = """
create table if not exists records (
  seq integer primary key autoincrement,
  kind text not null, app text not null, source text not null, position integer not null,
  encoding text not null, received_at integer not null, digest blob not null,
  decoded_at integer, body blob not null, facts text not null default '');
create unique index if not exists records_once on records (digest);
create index if not exists records_pending on records (seq) where decoded_at is null;
"""
_INSERT: Final = """
insert or ignore into records
  (kind, app, source, position, encoding, received_at, digest, body, facts) values (?,?,?,?,?,?,?,?,?)"""
_COLUMNS: Final = "seq, kind, app, source, position, encoding, received_at, body, facts"
_FROM_1_TO_2: Final = "alter table records add column facts text not null default ''"


@dataclass(frozen=True, slots=True, kw_only=True)
class WalRecord:
    """One body to keep."""

    kind: str
    """The name of a row of `ingest.formats.table`: `otlp_traces`, `chat_log`, `langfuse_export`."""
    app: str | None
    """From a token, an allow-list or `--app`; None where the data itself has to say."""
    source: str
    """The file's name or the receiver's request id; never a path of the sender's choosing."""
    body: bytes
    received_at: int
    """Nanoseconds since the epoch."""
    encoding: str = "json"
    """`protobuf`, `json`, `jsonl` or `records` (lines that were records of one document), with `+gzip` where compressed."""
    position: int = 1
    """The first line or record of the source that the body holds."""
    facts: FileFacts = NOTHING_KNOWN
    """What is known of the whole file."""

    @property
    def digest(self) -> bytes:
        """What makes two bodies the same one: format, app and bytes, not when or whence."""
        head = f"{self.kind}\x1f{self.app or ''}\x1f{self.encoding}\x1f".encode()
        return hashlib.sha256(head + self.body).digest()

    def stored(self, seq: int) -> StoredRecord:
        """The record as a log gives it back that holds it in this place."""
        return StoredRecord(seq=seq, **{one.name: getattr(self, one.name) for one in fields(self)})


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRecord(WalRecord):
    """One body of the log, with its place in it."""

    seq: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Appended:
    """What an append did."""

    stored: int
    repeated: int
    """Bodies that the log already had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WalCounts:
    """What the log holds."""

    records: int
    pending: int
    bytes: int


class _Batch:
    """Records of one caller on their way to a shared commit."""

    __slots__ = ("appended", "done", "error", "rows")

    def __init__(self, rows: list[tuple[object, ...]]) -> None:
        self.rows = rows
        self.done = threading.Event()
        self.appended = Appended(stored=0, repeated=0)
        self.error: StorageError | None = None


class Wal:
    """The log in one folder; safe for many threads and several processes at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / FILE_NAME
        self._use = threading.Lock()
        self._queue_lock = threading.Lock()
        self._queue: list[_Batch] = []
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def append(self, records: Sequence[WalRecord]) -> Appended:
        """Store records for good; returns when they are on the disk, raises `StorageError` when they are not."""
        if not records:
            return Appended(stored=0, repeated=0)
        batch = _Batch([_row(record) for record in records])
        with self._queue_lock:
            self._queue.append(batch)
        # Whoever gets the connection commits for all that wait: one fsync for many requests.
        with self._use:
            if not batch.done.is_set():
                with self._queue_lock:
                    batches, self._queue = self._queue, []
                self._commit(batches)
        if batch.error is not None:
            raise batch.error
        return batch.appended

    def pending(self, limit: int = 1000, *, max_bytes: int = 256 << 20) -> list[StoredRecord]:
        """The oldest records not yet decoded: at most `limit`, and no more than fit `max_bytes` unpacked (at least one)."""
        with self._use:
            rows: list[StoredRecord] = []
            size = 0
            try:
                cursor = self._open().execute(
                    f"select {_COLUMNS} from records where decoded_at is null order by seq limit ?",  # noqa: S608 - a constant list of columns
                    (limit,),
                )
                for row in cursor:
                    record = _stored(row)
                    size += max(len(record.body), record.facts.room)
                    if rows and size > max_bytes:
                        break
                    rows.append(record)
            except sqlite3.Error as error:
                raise self._storage_error(error) from error
            return rows

    def mark_decoded(self, seqs: Iterable[int]) -> None:
        """Say that these records have reached the lake."""
        now = time.time_ns()
        self._write("update records set decoded_at = ? where seq = ?", [(now, seq) for seq in seqs])

    def purge(self, before_ns: int) -> int:
        """Forget decoded records that were received before a moment; returns how many."""
        return self._write(
            "delete from records where decoded_at is not null and received_at < ?", [(before_ns,)]
        )

    def erase(self, is_named: Callable[[StoredRecord], bool]) -> int:
        """Remove every record of which `is_named` holds, and the bytes that it leaves in the file; returns how many."""
        with self._use:
            try:
                connection = self._open()
                named = [record.seq for record in self._all_records(connection) if is_named(record)]
                connection.execute("pragma secure_delete = on")
                connection.execute("begin immediate")
                connection.executemany("delete from records where seq = ?", [(s,) for s in named])
                connection.execute("commit")
                # What was written last may stand in the journal only, and rows of before in its old frames.
                connection.execute("vacuum")
                connection.execute("pragma wal_checkpoint(truncate)")
            except sqlite3.Error as error:
                raise self._storage_error(error) from error
        return len(named)

    def all_records(self) -> Iterator[StoredRecord]:
        """Every record of the log, decoded or not, in order; nobody appends meanwhile."""
        with self._use:
            try:
                yield from self._all_records(self._open())
            except sqlite3.Error as error:
                raise self._storage_error(error) from error

    @staticmethod
    def _all_records(connection: sqlite3.Connection) -> Iterator[StoredRecord]:
        cursor = connection.execute(f"select {_COLUMNS} from records order by seq")  # noqa: S608 - a constant list of columns
        return map(_stored, cursor)

    def counts(self) -> WalCounts:
        """How much the log holds."""
        with self._use:
            try:
                row = (
                    self._open()
                    .execute(
                        "select count(*), count(*) - count(decoded_at), coalesce(sum(length(body)), 0) from records"
                    )
                    .fetchone()
                )
            except sqlite3.Error as error:
                raise self._storage_error(error) from error
        return WalCounts(records=row[0], pending=row[1], bytes=row[2])

    def check_writable(self) -> None:
        """Write and sync one page that changes nothing; raises `StorageError` where the disk does not take it."""
        with self._use:
            try:
                connection = self._open()
                connection.execute("begin immediate")
                connection.execute(f"pragma user_version = {_FORMAT}")
                connection.execute("commit")
            except sqlite3.Error as error:
                raise self._storage_error(error) from error

    def check_room(self, needed: int) -> None:
        """Raise `StorageFull` where the disk has less free than `needed` bytes: a small write may pass where a body would not."""
        try:
            free = shutil.disk_usage(self._folder).free
        except OSError as error:
            raise StorageUnwritable(
                f"The folder {self._folder} cannot be read ({error.strerror}); check its owner and the disk."
            ) from error
        if free < needed:
            raise StorageFull(
                f"The disk under {self._folder} has {free >> 20} MiB free, less than the {needed >> 20} MiB that one body "
                "may take; free some space, nothing stored is lost."
            )

    def close(self) -> None:
        """Let go of the file; the next use opens it again."""
        with self._use:
            self._drop_connection()

    def _commit(self, batches: list[_Batch]) -> None:
        try:
            connection = self._open()
            connection.execute("begin immediate")
            for batch in batches:
                stored = sum(connection.execute(_INSERT, row).rowcount for row in batch.rows)
                batch.appended = Appended(stored=stored, repeated=len(batch.rows) - stored)
            connection.execute("commit")
        except sqlite3.Error as error:
            failure = self._storage_error(error)
            for batch in batches:
                batch.error = failure
        except StorageError as failure:
            for batch in batches:
                batch.error = failure
        finally:
            for batch in batches:
                batch.done.set()

    def _write(self, statement: str, rows: list[tuple[object, ...]]) -> int:
        with self._use:
            try:
                connection = self._open()
                connection.execute("begin immediate")
                changed = connection.executemany(statement, rows).rowcount
                connection.execute("commit")
            except sqlite3.Error as error:
                raise self._storage_error(error) from error
            return max(changed, 0)

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None:
            return self._connection
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StorageUnwritable(
                f"Cannot create the folder {self._folder} ({error.strerror}); check its owner and the disk."
            ) from error
        try:
            connection = sqlite3.connect(
                self._path, timeout=_WAIT_SECONDS, isolation_level=None, check_same_thread=False
            )
            self._connection = connection
            _use_write_ahead(connection)
            connection.execute("pragma synchronous = full")
            self._prepare(connection)
        except sqlite3.Error as error:
            raise self._storage_error(error) from error
        return self._connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        version = connection.execute("pragma user_version").fetchone()[0]
        if version == _FORMAT:
            return
        if version == 1:
            self._add_facts(connection)
            return
        if version:
            self._drop_connection()
            raise StorageUnwritable(
                f"{self._path} has format {version}, this tracegym reads {_FORMAT}; use the version that wrote it."
            )
        connection.executescript(
            f"begin immediate; {_CREATE} pragma user_version = {_FORMAT}; commit;"
        )

    @staticmethod
    def _add_facts(connection: sqlite3.Connection) -> None:
        """Bring a log of the first format to the second; bodies that are in it keep meaning what they meant."""
        connection.execute("begin immediate")
        if connection.execute("pragma user_version").fetchone()[0] == 1:
            connection.execute(_FROM_1_TO_2)
            connection.execute(f"pragma user_version = {_FORMAT}")
        connection.execute("commit")

    def _storage_error(self, error: sqlite3.Error) -> StorageError:
        # The connection may be in any state after a failed write; a fresh one recovers without a restart.
        self._drop_connection()
        if "full" in str(error):
            return StorageFull(
                f"The disk under {self._folder} is full; free some space, nothing stored is lost."
            )
        return StorageUnwritable(
            f"The write-ahead log {self._path} cannot be used ({error}); check the disk and the file's owner."
        )

    def _drop_connection(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()


def _use_write_ahead(connection: sqlite3.Connection) -> None:
    """Switch the file to SQLite's own log, as late as `_WAIT_SECONDS` from now.

    SQLite does not wait here while another process switches the same new file: it answers SQLITE_BUSY at once.
    """
    ends = time.monotonic() + _WAIT_SECONDS
    switched = False
    while not switched:
        try:
            connection.execute("pragma journal_mode = wal")
            switched = True
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > ends:
                raise
            time.sleep(_RETRY_SECONDS)


def _row(record: WalRecord) -> tuple[object, ...]:
    return (
        record.kind,
        record.app or "",
        record.source,
        record.position,
        record.encoding,
        record.received_at,
        record.digest,
        record.body,
        record.facts.to_text(),
    )


def _stored(row: Sequence[object]) -> StoredRecord:
    seq, kind, app, source, position, encoding, received_at, body, facts = row
    return StoredRecord(
        seq=int(str(seq)),
        kind=str(kind),
        app=str(app) or None,
        source=str(source),
        position=int(str(position)),
        encoding=str(encoding),
        received_at=int(str(received_at)),
        body=body if isinstance(body, bytes) else b"",
        facts=facts_of(str(facts)),
    )
