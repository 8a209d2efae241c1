"""Found cheats in the clean lake: attempts that were paid without doing the job, tried by every build from then on.

Comes in: cheats as `tracegym attack` found them, or a file of them. Goes out: the cheats of an app, by task. Their texts come from a task
set, which holds nothing but what is past redaction.
"""

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dagster_project.errors import InputError
from dagster_project.lake.rows import canonical_text, from_json
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import BY_APP, Table, deduplicate, layout
from environments.runtime.values.canonical import digest
from environments.runtime.values.grouping import by_key
from environments.search.found_cheats import FoundCheat
from environments.search.oracle import KINDS

_TEXT: Final = pa.string()
FOUND_CHEATS: Final = Table(
    name="found_cheats",
    schema=layout(app=_TEXT, cheat_id=_TEXT, task_id=_TEXT, document=_TEXT, at=pa.int64()),
    by=BY_APP,
    identity=("cheat_id",),
)


class _Action(BaseModel):
    """One message of a cheat; more fields than these are kept."""

    model_config = ConfigDict(extra="allow")

    role: Literal["assistant"]
    content: str | None = None
    tool_calls: list[dict[str, Any]] = Field(default_factory=list)


class _Line(BaseModel):
    """One line of a file of cheats."""

    app: Annotated[str, Field(min_length=1)]
    task_id: Annotated[str, Field(min_length=1)]
    task_version: str
    kind: Annotated[str, Field(pattern=rf"^(?:{'|'.join(KINDS)})$")]
    did: list[str]
    actions: list[_Action]
    reward: float
    share: float | None = None
    policy: str = ""


def keep_cheats(lake: Lake, found: Iterable[FoundCheat]) -> int:
    """Append cheats; says how many are new."""
    listed = list(found)
    known = {
        one.cheat_id
        for app in {one.app for one in listed}
        for some in cheats_of(lake, app).values()
        for one in some
    }
    fresh = {one.cheat_id: one for one in listed if one.cheat_id not in known}
    rows = [
        {
            "app": one.app,
            "cheat_id": one.cheat_id,
            "task_id": one.task_id,
            "document": canonical_text(one.to_json()),
            "at": time.time_ns(),
        }
        for one in fresh.values()
    ]
    if rows:
        lake.append(FOUND_CHEATS, pa.Table.from_pylist(rows, schema=FOUND_CHEATS.schema))
    return len(rows)


def cheats_of(lake: Lake, app: str) -> dict[str, list[FoundCheat]]:
    """The cheats of an app by task, those of a task in the order of their ids."""
    rows = deduplicate(lake.read(FOUND_CHEATS, app=app), FOUND_CHEATS).to_pylist()
    return by_key(
        (row["task_id"], from_json(FoundCheat, json.loads(row["document"])))
        for row in sorted(rows, key=lambda row: row["cheat_id"])
    )


def cheats_seen(lake: Lake, app: str) -> tuple[str, ...]:
    """A digest of an app's cheats, nothing while there are none: verdicts are made again when they change."""
    known = [one.cheat_id for some in cheats_of(lake, app).values() for one in some]
    return (digest(sorted(known)),) if known else ()


def write_cheats(path: Path, found: Iterable[FoundCheat]) -> None:
    """Write cheats as JSON lines, which `read_cheats` reads."""
    text = "".join(f"{canonical_text(one.to_json())}\n" for one in found)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as fault:
        raise InputError(f"cannot write {path}: {fault.strerror}") from fault


def read_cheats(path: Path) -> list[FoundCheat]:
    """The cheats of a file that `tracegym attack --out` wrote."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, ValueError) as fault:
        raise InputError(f"{path} cannot be read: pass a file that attack --out wrote") from fault
    found: list[FoundCheat] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            document = json.loads(line)
            _Line.model_validate(document)
        except (ValueError, RecursionError, ValidationError) as fault:
            raise InputError(
                f"{path}, line {number} is no found cheat: pass a file that attack --out wrote"
            ) from fault
        found.append(from_json(FoundCheat, document))
    return found
