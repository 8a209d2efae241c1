"""Exports of other tools as files of JSON lines, read and decoded: what several test modules talk about. Not a test module."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ingest.assembly.assemble import assemble
from ingest.files.telemetry_files import read_file
from ingest.formats.format import Decoded
from ingest.otlp.decode import decode
from ingest.otlp.limits import DEFAULT_LIMITS, Limits
from ingest.records.episode import Episode, Step
from ingest.records.quarantine import Rejected
from ingest.records.text import canonical_arguments
from tests.unit.ingest_emitters import APP, CALL

ARGUMENTS = json.loads(CALL["function"]["arguments"])  # type: ignore[index]  # a dict by construction


def read(folder: Path, lines: list[dict[str, Any]]) -> Decoded:
    """Everything in a file of JSON lines."""
    path = folder / "export.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines))
    return decoded_below(path, app=APP)


def decoded_below(
    path: Path, *, app: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> Decoded:
    """Everything in a file, or in all files below a folder."""
    whole = Decoded()
    for seq, record in enumerate(read_file(path, app=app, limits=limits), start=1):
        if isinstance(record, Rejected):
            whole.rejected.append(record)
            continue
        found = decode(record.stored(seq))
        for name in ("spans", "events", "chats", "outcomes", "rejected"):
            getattr(whole, name).extend(getattr(found, name))
    return whole


def told(step: Step) -> tuple[object, ...]:
    """What a step says, without its time and tokens."""
    calls = tuple((c.name, canonical_arguments(c.arguments)) for c in step.tool_calls)
    return step.role, step.content, calls


EXPECTED = [
    ("system", "Be kind.", ()),
    ("user", "Where is my order A1?", ()),
    ("assistant", None, (("find_order", canonical_arguments(json.dumps(ARGUMENTS))),)),
    ("tool", '{"state": "sent"}', ()),
    ("assistant", "It was sent.", ()),
]


def only_episode(found: Decoded) -> Episode:
    """The one episode that the file holds."""
    assert found.rejected == []
    episodes = [chat.episode for chat in found.chats]
    episodes += assemble(found.spans, app=APP).episodes
    assert len(episodes) == 1
    return episodes[0]
