"""The lake's tables: name, layout, and how each is cut into partitions.

Layouts stand beside their records; the few tables whose rows only the pipeline knows have theirs here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from ingest.records.columns import schema_of
from ingest.records.episode import EPISODE_SCHEMA
from ingest.records.outcome import OUTCOME_SCHEMA
from ingest.records.quarantine import REJECTED_SCHEMA
from ingest.records.span import EVENT_SCHEMA, SPAN_SCHEMA
from redact.records.clean_episode import CLEAN_EPISODE_SCHEMA
from redact.records.clean_outcome import CLEAN_OUTCOME_SCHEMA

BY_DAY: Final = ("app", "day")
BY_APP: Final = ("app",)
ARRIVED_AT: Final = "arrived_at"
"""When a row was appended, in nanoseconds: of two rows of one identity the later one counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """One table of one lake."""

    name: str
    schema: pa.Schema
    by: tuple[str, ...] = BY_DAY
    """The partition columns."""
    identity: tuple[str, ...] = ()
    """Columns that name a row within its partition; appended rows of one identity are one row."""


def layout(**columns: pa.DataType) -> pa.Schema:
    """The columns of a table whose rows are no records."""
    fields: list[pa.Field[Any]] = [pa.field(name, kind) for name, kind in columns.items()]
    return pa.schema(fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What one partition of one asset holds, and what it was made of: equal means nothing to do."""

    asset: str
    app: str
    day: str
    """Empty for assets by app."""
    digest: str
    made_of: str
    rows: int = 0


def _extended(schema: pa.Schema, *columns: str) -> pa.Schema:
    fields: list[pa.Field[Any]] = [*(pa.field(name, pa.string()) for name in columns), *schema]
    return pa.schema(fields)


def _arriving(schema: pa.Schema) -> pa.Schema:
    fields: list[pa.Field[Any]] = [*schema, pa.field(ARRIVED_AT, pa.int64())]
    return pa.schema(fields)


# private/lake
SPANS: Final = Table(name="spans", schema=SPAN_SCHEMA, identity=("trace_id", "span_id"))
LOG_EVENTS: Final = Table(name="log_events", schema=EVENT_SCHEMA, identity=("event_id",))
CHATS: Final = Table(name="chats", schema=_arriving(EPISODE_SCHEMA), identity=("episode_id",))
"""Episodes that arrived whole, from chat logs."""
ARRIVED_OUTCOMES: Final = Table(
    name="arrived_outcomes", schema=_arriving(OUTCOME_SCHEMA), identity=("outcome_id",)
)
"""Outcomes as they came in with chat logs and tables; `outcomes` holds them joined to their episodes."""
QUARANTINE: Final = Table(
    name="quarantine",
    schema=_extended(REJECTED_SCHEMA, "day"),
    identity=("source", "position", "code"),
)
EPISODES: Final = Table(name="episodes", schema=EPISODE_SCHEMA)
OUTCOMES: Final = Table(name="outcomes", schema=OUTCOME_SCHEMA)

_TEXT: Final = pa.string()
RESPONSES: Final = Table(
    name="responses",
    schema=layout(app=_TEXT, day=_TEXT, response_id=_TEXT, episode_id=_TEXT),
    identity=("response_id",),
)
"""Which episode a model's response belongs to: thumbs are often stored with nothing but the response's id."""

LEARNT: Final = Table(
    name="learnt",
    schema=layout(
        app=_TEXT, day=_TEXT, sealed=pa.binary(), words=pa.binary(), unread=pa.list_(_TEXT)
    ),
)
"""What a day revealed of its people, sealed under the vault's secret, and an index of hashed words of its texts.

`unread` are episodes at which learning failed: nobody knows who is in them, so they do not come through the gate.
"""
CALL_PAIRS: Final = Table(
    name="call_pairs", schema=layout(app=_TEXT, day=_TEXT, raw=pa.binary(), clean=pa.binary())
)
"""Answered calls as keyed digests, before and past the gate; `clean` is null where a part was withheld."""

# clean/lake
CLEAN_EPISODES: Final = Table(name="clean_episodes", schema=CLEAN_EPISODE_SCHEMA)
CLEAN_OUTCOMES: Final = Table(name="clean_outcomes", schema=CLEAN_OUTCOME_SCHEMA)
STAMPS: Final = Table(name="stamps", schema=schema_of(Stamp), by=("asset",))


def deduplicate(rows: pa.Table, table: Table) -> pa.Table:
    """One row per identity: the one that arrived last."""
    names = (*table.by, *table.identity)
    keys = list(zip(*(rows.column(name).to_pylist() for name in names), strict=True))
    order: Sequence[int] = range(len(keys))
    if ARRIVED_AT in rows.schema.names:
        arrived = rows.column(ARRIVED_AT).to_pylist()
        order = sorted(order, key=lambda index: arrived[index] or 0)
    latest = {keys[index]: index for index in order}
    return rows.take(pa.array(sorted(latest.values()), type=pa.int64()))
