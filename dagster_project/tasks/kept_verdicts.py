"""What verdicts were made of, in the clean lake: a new day attacks only the tasks of which the gate would see something else.

Comes in: an app, and what the gate read of each task version. Goes out: the same, by task.
"""

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import orjson

from dagster_project.lake.documents import Document, contents, to_rows
from dagster_project.lake.learnt_tables import VERDICT_READS
from dagster_project.lake.store import Lake
from environments.kept_verdicts.reads import Reads


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """What verdicts were made of, by task id and version."""

    known: Mapping[tuple[str, str], Reads] = field(default_factory=dict)
    """Of the build before."""
    now: dict[tuple[str, str], Reads] = field(default_factory=dict)
    """Of this one, as it goes on."""


def remembered(lake: Lake, app: str) -> Remembered:
    """What the verdicts of an app were made of when they were given."""
    found = contents(lake, VERDICT_READS, app)
    return Remembered(known={(key, one["version"]): _opened(one) for key, one in found.items()})


def keep_reads(lake: Lake, app: str, reads: Mapping[tuple[str, str], Reads]) -> None:
    """Put these in the place of all that is known of an app."""
    rows = to_rows(
        Document(app=app, id=key, version=version, content=_packed(version, one))
        for (key, version), one in reads.items()
    )
    lake.replace(VERDICT_READS, rows, [(app,)])


def _packed(version: str, reads: Reads) -> dict[str, str]:
    """Thirty kilobytes a task otherwise: the same calls again and again."""
    packed = zlib.compress(orjson.dumps(reads.to_json()))
    return {"version": version, "reads": base64.b85encode(packed).decode("ascii")}


def _opened(found: Mapping[str, str]) -> Reads:
    return Reads.from_json(orjson.loads(zlib.decompress(base64.b85decode(found["reads"]))))
