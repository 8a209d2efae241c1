"""The private side: rows of what is erased, bodies of the log, what was learnt of its days, its entries in the vault.

Comes in: what is erased of each app. Goes out: counts. Days that held any of it are learnt anew by the next build.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from dagster_project.erasure.needles import Needles
from dagster_project.erasure.who import Erased
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import (
    ARRIVED_OUTCOMES,
    CALL_PAIRS,
    CHATS,
    EPISODES,
    LEARNT,
    LOG_EVENTS,
    OUTCOMES,
    QUARANTINE,
    RESPONSES,
    SPANS,
    Table,
)
from ingest.errors import BodyRefused
from ingest.otlp.limits import DEFAULT_LIMITS, unpack
from ingest.receiver.wal import StoredRecord, Wal

_BY_TRACE = (SPANS, LOG_EVENTS)
_BY_EPISODE = (CHATS, EPISODES, RESPONSES)
_BY_TARGET = (ARRIVED_OUTCOMES, OUTCOMES)
_OF_DAYS = (CALL_PAIRS, LEARNT)


def erase_rows(lake: Lake, one: Erased, needles: Needles) -> Counter[str]:
    """Remove the rows of one app; how many, by table."""
    gone: Counter[str] = Counter()
    ids = {episode.episode_id for episode in one.raw}
    for table in _BY_TRACE:
        drop = partial(_of_traces, one, needles)
        gone[table.name] = drop_rows(lake, table, one.app, ("trace_id",), drop)
    for table in _BY_EPISODE:
        drop = partial(rows_among, "episode_id", ids)
        gone[table.name] = drop_rows(lake, table, one.app, ("episode_id",), drop)
    for table in _BY_TARGET:
        drop = partial(_said_of, ids, one.names)
        columns = ("episode_id", "target_id")
        gone[table.name] = drop_rows(lake, table, one.app, columns, drop)
    gone[QUARANTINE.name] = _drop_quarantined(lake, needles)
    days = [(one.app, day) for day in one.days]
    for table in _OF_DAYS:
        held = [key for key in lake.counts(table) if key in days]
        lake.replace(table, table.schema.empty_table(), held)
    lake.forget(LEARNT.name, days)
    return gone


def drop_rows(
    lake: Lake,
    table: Table,
    app: str,
    columns: Sequence[str],
    drop: Callable[[pa.Table], Any],
) -> int:
    """Remove the rows of an app that `drop` says, partition by partition; those without any are not written."""
    gone = 0
    for key in lake.counts(table):
        if key[0] != app:
            continue
        days = [key[1]] if len(key) > 1 else None
        looked = lake.read(table, app=app, days=days, columns=columns)
        if not pc.any(drop(looked)).as_py():
            continue
        left: list[int] = []

        def edit(rows: pa.Table, left: list[int] = left) -> pa.Table:
            kept = rows.filter(pc.invert(drop(rows)))
            left.append(rows.num_rows - kept.num_rows)
            return kept

        lake.change(table, key, edit)
        gone += left[-1]
    return gone


def rows_among(column: str, values: Iterable[str], rows: pa.Table) -> Any:  # noqa: ANN401 - a column
    """Which rows have one of some values in a column."""
    wanted: pa.StringArray = pa.array(sorted(values), pa.string())
    return pc.is_in(rows[column], value_set=wanted)


def _of_traces(one: Erased, needles: Needles, rows: pa.Table) -> Any:  # noqa: ANN401 - a column
    """Rows of the erased traces; of a trace that others share, the rows that name what is erased."""
    own = rows_among("trace_id", one.traces, rows)
    if not one.shared or len(rows.column_names) == 1:
        return own if not one.shared else pc.or_(own, rows_among("trace_id", one.shared, rows))
    shared = rows_among("trace_id", one.shared, rows).to_pylist()
    named = [
        is_shared and bool(needles.in_text(str(row)))
        for is_shared, row in zip(shared, rows.to_pylist(), strict=True)
    ]
    return pc.or_(own, pa.array(named, pa.bool_()))


def _said_of(ids: Iterable[str], names: Iterable[str], rows: pa.Table) -> Any:  # noqa: ANN401 - a column
    return pc.or_(rows_among("episode_id", ids, rows), rows_among("target_id", names, rows))


def _drop_quarantined(lake: Lake, needles: Needles) -> int:
    """Remove refused records that name what is erased, of whatever app."""
    gone = 0
    for key in lake.counts(QUARANTINE):
        rows = lake.read(QUARANTINE, app=key[0], days=[key[1]])
        named = [bool(needles.in_bytes(_bytes_of(row))) for row in rows.to_pylist()]
        if any(named):
            gone += sum(named)
            kept = rows.filter(pc.invert(pa.array(named, pa.bool_())))
            lake.replace(QUARANTINE, kept, [key])
    return gone


def _bytes_of(row: Mapping[str, Any]) -> bytes:
    body = row["body"] or b""
    text = f"{row['source']} {row['reason']}".encode()
    return text + b" " + (body if isinstance(body, bytes) else str(body).encode())


def erase_bodies(wal: Wal, erased: Sequence[Erased], needles: Needles) -> int:
    """Remove the bodies of the log that name what is erased; everything in them has reached the lake."""
    traces = {bytes.fromhex(t) for one in erased for t in one.traces if _is_hex(t)}

    def is_named(record: StoredRecord) -> bool:
        plain = plain_of(record)
        return bool(needles.in_bytes(plain)) or _holds(plain, traces)

    return wal.erase(is_named)


def plain_of(record: StoredRecord) -> bytes:
    """A body as it was before it was packed."""
    _, _, compression = record.encoding.partition("+")
    try:
        return unpack(record.body, compression, limit=DEFAULT_LIMITS.body_bytes)
    except BodyRefused:
        return record.body


def _holds(body: bytes, traces: set[bytes]) -> bool:
    """Whether protobuf names one of the traces, which it does in bytes."""
    at = body.find(_TRACE_ID)
    while at >= 0:
        if body[at + 2 : at + 18] in traces:
            return True
        at = body.find(_TRACE_ID, at + 1)
    return False


_TRACE_ID = b"\x0a\x10"
"""Field 1 of a span, 16 bytes long."""


def _is_hex(text: str) -> bool:
    return len(text) == 32 and all(letter in "0123456789abcdefABCDEF" for letter in text)
