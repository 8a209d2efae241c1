"""The lake: Delta tables under one folder, or where that side of the home says they are. The only file that reads or writes tables.

Comes in: Arrow tables and the partition they replace. Goes out: Arrow tables of one version. A partition is replaced in one commit; a
writer that meets another one's commit reads again and retries; columns are only ever added. In object storage a table is as new as its log,
never as a listing of it (`dagster_project.lake.log`).
"""

import random
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import DeltaTable, WriterProperties, write_deltalake
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError

from dagster_project.errors import LakeError
from dagster_project.lake.digests import hash_of
from dagster_project.lake.log import LogAhead, commit_name, committed, name_commits, require_newest
from dagster_project.lake.open_tables import newest
from dagster_project.lake.partition_files import upload_files, write_files
from dagster_project.lake.tables import STAMPS, Stamp, Table
from dagster_project.storage.faults import sentence_of
from dagster_project.storage.lease import require_owner
from dagster_project.storage.objects import Objects
from dagster_project.storage.places import place_of

_TRIES: Final = 20
_WRITER: Final = WriterProperties(compression="ZSTD", statistics_truncate_length=64)
"""The least and the greatest text of a column are cut: one of 60 MiB in the statistics took 4 GB to write."""
_PART: Final = 4096
"""Rows read at one time by `Lake.parts`."""
_HOURS_KEPT: Final = 24
"""Old files outlive the longest reader by far; readers hold one version for seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Rows of one version of a table, read part by part: always the same rows in the same order."""

    table: Table
    rows: ds.Dataset | None
    only: ds.Expression | None

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """All rows from the beginning."""
        names = list(columns or self.table.schema.names)
        wanted = pa.schema([self.table.schema.field(name) for name in names])
        if self.rows is None:
            return
        there = [name for name in names if name in self.rows.schema.names]
        # Read ahead no further than one part: the rows of a day take more room than everything made of them.
        how: Any = {"batch_readahead": 1, "fragment_readahead": 1, "use_threads": False}
        try:
            scan = self.rows.scanner(there, self.only, batch_size=_PART, **how)
            for batch in scan.to_batches():
                yield _shaped(pa.Table.from_batches([batch]), wanted)
        except (OSError, pa.ArrowException) as fault:
            raise LakeError(sentence_of("read", self.table.name, fault)) from fault


class Lake:
    """The tables of one side of a home: `private/lake` or `clean/lake`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        """On this machine; the tables lie there unless the folder above says otherwise."""
        side = place_of(folder.parent)
        self._place = None if side is None else side.child(folder.name)
        self._objects = None if self._place is None else Objects(self._place)

    def _uri(self, name: str) -> str:
        return str(self.folder / name) if self._place is None else self._place.child(name).url

    @property
    def _options(self) -> dict[str, str] | None:
        return None if self._place is None else self._place.options

    def read(
        self,
        table: Table,
        *,
        app: str | None = None,
        days: Iterable[str] | None = None,
        columns: Sequence[str] | None = None,
        equals: Mapping[str, str] | None = None,
    ) -> pa.Table:
        """The rows of one version, in the table's layout; partitions that do not exist are empty.

        `equals` are columns with the value that a row must have: other rows are not taken into memory.
        """
        opened = self._open(table)
        names = list(columns or table.schema.names)
        wanted = pa.schema([table.schema.field(name) for name in names])
        if opened is None:
            return wanted.empty_table()
        filters: list[tuple[str, str, Any]] = []
        if app is not None:
            filters.append(("app", "=", app))
        if days is not None:
            kept = sorted(set(days))
            if not kept:
                return wanted.empty_table()
            filters.append(("day", "in", kept))
        filters += [(name, "=", value) for name, value in (equals or {}).items()]
        return self._load(opened, table, wanted, filters)

    def parts(self, table: Table, *, app: str, days: Iterable[str]) -> Parts:
        """What `read` returns, part by part."""
        kept = sorted(set(days))
        opened = self._open(table) if kept else None
        if opened is None:
            return Parts(table=table, rows=None, only=None)
        of_app: Any = ds.field("app") == app
        only = of_app & ds.field("day").isin(kept)
        return Parts(table=table, rows=opened.to_pyarrow_dataset(), only=only)

    def _load(
        self,
        opened: DeltaTable,
        table: Table,
        wanted: pa.Schema,
        filters: list[tuple[str, str, Any]],
    ) -> pa.Table:
        there = [field.name for field in opened.schema().fields]
        # Files of other partitions are not even looked at; a filter alone asks each of them.
        parts = [one for one in filters if one[0] in table.by]
        rest = [one for one in filters if one[0] not in table.by]
        try:
            found = opened.to_pyarrow_table(
                columns=[name for name in wanted.names if name in there],
                partitions=parts or None,
                filters=rest or None,
            )
        except (DeltaError, OSError, pa.ArrowException) as fault:
            raise LakeError(sentence_of("read", self._uri(table.name), fault)) from fault
        return _shaped(found, wanted)

    def replace(self, table: Table, rows: pa.Table, partitions: Iterable[tuple[str, ...]]) -> None:
        """Put `rows` in the place of everything these partitions hold, in one commit."""
        wanted = sorted(set(partitions))
        if wanted:
            self._commit(table, lambda opened: self._overwrite(table, opened, rows, wanted))

    def replace_parts(
        self,
        table: Table,
        parts: Callable[[], Iterable[pa.Table]],
        partitions: Iterable[tuple[str, ...]],
    ) -> None:
        """What `replace` does for partitions of one app, with rows that are read part by part and keep their order.

        Each part is of one partition, the parts of a partition follow one another; still one commit, at the end.
        """
        wanted = sorted(set(partitions))

        def attempt(opened: DeltaTable | None) -> None:
            there = opened or self._create(table)
            if set(table.schema.names) - {field.name for field in there.schema().fields}:
                # The commit that adds columns is the library's; it happens once.
                together = pa.concat_tables([table.schema.empty_table(), *parts()])
                self._overwrite(table, there, together, wanted)
            else:
                self._commit_files(table, there, parts(), wanted)

        if wanted:
            self._commit(table, attempt)

    def change(
        self, table: Table, partition: tuple[str, ...], edit: Callable[[pa.Table], pa.Table | None]
    ) -> None:
        """Read one partition, edit it and put it back, as if nobody else wrote meanwhile; None changes nothing."""

        def attempt(opened: DeltaTable | None) -> None:
            if opened is None:
                before = table.schema.empty_table()
            else:
                where: list[tuple[str, str, Any]] = [
                    (column, "=", value) for column, value in zip(table.by, partition, strict=True)
                ]
                before = self._load(opened, table, table.schema, where)
            after = edit(before)
            if after is not None:
                self._overwrite(table, opened, after, [partition])

        self._commit(table, attempt)

    def append(self, table: Table, rows: pa.Table) -> None:
        """Add rows; what has the identity of a row that is there is folded into it by the table's asset."""
        if rows.num_rows:
            self._commit(table, lambda opened: self._write(table, opened, rows, mode="append"))

    def _overwrite(
        self,
        table: Table,
        opened: DeltaTable | None,
        rows: pa.Table,
        partitions: Sequence[tuple[str, ...]],
    ) -> None:
        if opened is None:
            self._write(table, None, rows, mode="append")
            return
        self._write(
            table, opened, rows, mode="overwrite", predicate=_predicate(table.by, partitions)
        )

    def _write(
        self,
        table: Table,
        opened: DeltaTable | None,
        rows: pa.Table,
        **how: Any,  # noqa: ANN401 - passed on
    ) -> None:
        shaped = _shaped(rows, table.schema)
        if opened is None:
            opened = self._create(table)
            how = {"mode": "append"}
        if set(shaped.schema.names) - {field.name for field in opened.schema().fields}:
            how["schema_mode"] = "merge"
        write_deltalake(
            opened, shaped, writer_properties=_WRITER, commit_properties=commit_name(), **how
        )

    def _create(self, table: Table) -> DeltaTable:
        return DeltaTable.create(
            self._uri(table.name),
            storage_options=self._options,
            schema=table.schema,
            mode="error",
            partition_by=list(table.by),
            configuration={
                "delta.logRetentionDuration": "interval 7 days",
                # No text of any row in the log: what is erased must not stay there.
                "delta.dataSkippingNumIndexedCols": "0",
            },
        )

    def _commit_files(
        self,
        table: Table,
        opened: DeltaTable,
        parts: Iterable[pa.Table],
        partitions: Sequence[tuple[str, ...]],
    ) -> None:
        """Write a file a partition, then exchange them for what is there."""
        if self._objects is None:
            added = write_files(self.folder / table.name, table, parts)
        else:
            added = upload_files(self._objects, self.folder.parent, table, parts)
        if len({key[:-1] for key in partitions}) != 1:
            raise LakeError(f"parts of {table.name} are of several apps; write one app at a time")
        *outer, last = table.by
        where: list[tuple[str, str, Any]] = [
            (column, "=", value) for column, value in zip(outer, partitions[0][:-1], strict=True)
        ]
        where.append((last, "in", [key[-1] for key in partitions]))
        opened.create_write_transaction(
            added,
            "overwrite",
            opened.schema(),
            list(table.by),
            partition_filters=where,
            commit_properties=commit_name(),
        )

    def _commit(self, table: Table, attempt: Callable[[DeltaTable | None], None]) -> None:
        path = self._uri(table.name)
        for tried in range(_TRIES):
            require_owner(path)
            opened = self._open(table, of_its_own=True)
            name = secrets.token_hex(16)
            try:
                with name_commits(name):
                    attempt(opened)
            except (CommitFailedError, FileExistsError) as fault:
                if self._stands(table, opened, name):
                    return
                # Somebody else's commit came first: what was read is stale, so read again.
                if tried == _TRIES - 1:
                    raise LakeError(
                        f"{path} is written by too many commands at once; try again"
                    ) from fault
                time.sleep(random.uniform(0.01, 0.05) * (tried + 1))  # noqa: S311 - spreads retries
            except (DeltaError, OSError) as fault:
                if "already exists" in str(fault) and tried < _TRIES - 1:
                    continue
                if self._stands(table, opened, name):
                    return
                if self._is_ahead(table, opened) and tried < _TRIES - 1:
                    continue
                raise LakeError(sentence_of("write", path, fault)) from fault
            else:
                return

    def _stands(self, table: Table, before: DeltaTable | None, commit: str) -> bool:
        """Whether the commit was made although it seems to have failed: its answer was lost, or no listing shows it yet."""
        return self._objects is not None and committed(self._objects, table.name, before, commit)

    def _is_ahead(self, table: Table, opened: DeltaTable | None) -> bool:
        """Whether the log has more than what was read: reading again waits until listings show it."""
        try:
            if self._objects is not None:
                require_newest(self._objects, table.name, opened)
        except LogAhead:
            return True
        return False

    def _open(self, table: Table, *, of_its_own: bool = False) -> DeltaTable | None:
        """The table at its newest version; a commit needs one `of_its_own`, which nobody else moves on meanwhile."""
        if self._place is None or self._objects is None:
            return self._opened(table, of_its_own=of_its_own)
        until = time.monotonic() + self._place.patience_s
        while True:
            opened = self._opened(table)
            try:
                require_newest(self._objects, table.name, opened)
            except LogAhead as ahead:
                if time.monotonic() > until:
                    raise LakeError(str(ahead)) from ahead
                time.sleep(min(0.2, self._place.patience_s / 4))
            else:
                return opened

    def _opened(self, table: Table, *, of_its_own: bool = False) -> DeltaTable | None:
        path = self._uri(table.name)
        try:
            if self._place is None and not of_its_own:
                return newest(self.folder / table.name)
            return DeltaTable(path, storage_options=self._options)
        except TableNotFoundError:
            return None
        except (DeltaError, OSError) as fault:
            raise LakeError(sentence_of("read", path, fault)) from fault

    def fingerprints(self, table: Table) -> dict[tuple[str, ...], str]:
        """For each partition a text that changes whenever it is written."""
        paths = {
            key: sorted(str(file["path"]) for file in files if file["num_records"] != 0)
            for key, files in self._files(table).items()
        }
        return {key: hash_of(*names) for key, names in paths.items() if names}

    def counts(self, table: Table) -> dict[tuple[str, ...], int]:
        """Rows per partition, from the log alone."""
        counts = {
            key: sum(int(file["num_records"] or 0) for file in files)
            for key, files in self._files(table).items()
        }
        return {key: count for key, count in counts.items() if count}

    def written_at(self, table: Table) -> dict[tuple[str, ...], int]:
        """When each partition was last written, in nanoseconds since the epoch."""
        return {
            key: max(int(file["modification_time"]) for file in files) * 1_000_000
            for key, files in self._files(table).items()
        }

    def _files(self, table: Table) -> dict[tuple[str, ...], list[dict[str, Any]]]:
        """What the log of the newest version says of its files, by partition, in the order of partitions."""
        opened = self._open(table)
        if opened is None:
            return {}
        found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
        for file in pa.table(opened.get_add_actions(flatten=True)).to_pylist():
            key = tuple(str(file[f"partition.{column}"]) for column in table.by)
            found.setdefault(key, []).append(file)
        return dict(sorted(found.items()))

    def version(self, table: Table) -> int | None:
        """The version that a reader sees now; None while the table does not exist."""
        opened = self._open(table)
        return None if opened is None else opened.version()

    def stamps(self, asset: str) -> dict[tuple[str, str], Stamp]:
        """What the partitions of an asset hold, by (app, day)."""
        opened = self._open(STAMPS)
        if opened is None:
            return {}
        rows = self._load(opened, STAMPS, STAMPS.schema, [("asset", "=", asset)]).to_pylist()
        return {(row["app"], row["day"]): Stamp(**row) for row in rows}

    def stamp(self, asset: str, stamps: Iterable[Stamp]) -> None:
        """Note what partitions of an asset now hold; the other partitions' notes stay."""
        fresh = {(stamp.app, stamp.day): stamp for stamp in stamps}

        def edit(before: pa.Table) -> pa.Table | None:
            kept = {(row["app"], row["day"]): row for row in before.to_pylist()}
            after = kept | {
                key: {name: getattr(stamp, name) for name in STAMPS.schema.names}
                for key, stamp in fresh.items()
            }
            return pa.Table.from_pylist([after[key] for key in sorted(after)], schema=STAMPS.schema)

        if fresh:
            self.change(STAMPS, (asset,), edit)

    def forget(self, asset: str, keys: Iterable[tuple[str, ...]]) -> None:
        """Drop the notes of partitions that are gone."""
        gone = set(keys)

        def edit(before: pa.Table) -> pa.Table | None:
            kept = [row for row in before.to_pylist() if (row["app"], row["day"]) not in gone]
            return pa.Table.from_pylist(kept, schema=STAMPS.schema)

        if gone:
            self.change(STAMPS, (asset,), edit)

    def forget_history(self) -> int:
        """Remove every file that the newest version does not need, and what the log said before; nobody may read meanwhile.

        In object storage the log stays: it holds names of apps and days, and no text.
        """
        removed = self.vacuum(hours=0)
        for name in [] if self._objects is not None else self.names():
            try:
                opened = DeltaTable(self._uri(name))
                opened.create_checkpoint()
            except TableNotFoundError:
                continue
            except (DeltaError, OSError) as fault:
                raise LakeError(sentence_of("tidy", self._uri(name), fault)) from fault
            newest = f"{opened.version():020}."
            for path in (self.folder / name / "_delta_log").glob("0*"):
                if not path.name.startswith(newest):
                    path.unlink()
                    removed += 1
        return removed

    def vacuum(self, *, hours: int = _HOURS_KEPT) -> int:
        """Remove files that no version of the last hours needs; says how many."""
        removed = 0
        for name in self.names():
            path = self._uri(name)
            require_owner(path)
            try:
                opened = DeltaTable(path, storage_options=self._options)
                removed += len(
                    opened.vacuum(hours, dry_run=False, enforce_retention_duration=False)
                )
            except TableNotFoundError:
                continue
            except (DeltaError, OSError) as fault:
                raise LakeError(sentence_of("tidy", path, fault)) from fault
        return removed

    def names(self) -> list[str]:
        """The folders in which tables may be."""
        if self._objects is not None:
            return self._objects.folders()
        return sorted(path.name for path in self.folder.iterdir()) if self.folder.is_dir() else []


def copy_tables(here: Lake, there: Lake, tables: Iterable[Table]) -> None:
    """Append the rows of some tables to another lake's, partition by partition."""
    for table in tables:
        for app, day in here.counts(table):
            there.append(table, here.read(table, app=app, days=[day]))


def _shaped(rows: pa.Table, schema: pa.Schema) -> pa.Table:
    """The rows in the layout asked for: missing columns are null, text columns plain text."""
    columns = [
        rows.column(field.name).cast(field.type)
        if field.name in rows.schema.names
        else pa.nulls(rows.num_rows, field.type)
        for field in schema
    ]
    return pa.Table.from_arrays(columns, schema=schema)


def _predicate(by: Sequence[str], partitions: Sequence[tuple[str, ...]]) -> str:
    return " OR ".join(
        "(" + " AND ".join(f"{c} = '{_quoted(v)}'" for c, v in zip(by, key, strict=True)) + ")"
        for key in partitions
    )


def _quoted(value: str) -> str:
    return value.replace("'", "''")
