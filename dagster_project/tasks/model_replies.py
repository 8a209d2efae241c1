"""What models replied, in the clean lake: each question is asked once and for all.

Comes in: replies by app and key. Goes out: the same, the earliest first. A key covers all that a model was asked, so that a reply is never
used for anything else.
"""

import json
import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import pyarrow as pa

from dagster_project.lake.store import Lake
from dagster_project.lake.tables import BY_APP, Table, layout
from environments.runtime.task.attempt import Json


class StoredReply(NamedTuple):
    """One reply of one model."""

    at: int
    model: str
    key: str
    reply: Json


def reply_table(name: str) -> Table:
    """A table of replies."""
    text = pa.string()
    schema = layout(app=text, key=text, model=text, reply=text, at=pa.int64())
    return Table(name=name, schema=schema, by=BY_APP, identity=("key", "model"))


def stored_replies(lake: Lake, table: Table, apps: Iterable[str]) -> list[StoredReply]:
    """Every reply of some apps, the earliest first."""
    rows = [row for app in sorted(set(apps)) for row in lake.read(table, app=app).to_pylist()]
    rows.sort(key=lambda row: (row["at"], row["model"]))
    return [StoredReply(r["at"], r["model"], r["key"], json.loads(r["reply"])) for r in rows]


def append_replies(
    lake: Lake, table: Table, model: str, fresh: Mapping[str, Mapping[str, Json]]
) -> None:
    """Append a model's replies, by app and key."""
    at = time.time_ns()
    rows = [
        {"app": app, "key": key, "model": model, "reply": json.dumps(reply), "at": at}
        for app, replies in sorted(fresh.items())
        for key, reply in sorted(replies.items())
    ]
    if rows:
        lake.append(table, pa.Table.from_pylist(rows, schema=table.schema))
