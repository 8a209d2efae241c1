"""A program's log in text as lines of JSON: when, what happened, pairs of a key and a value, and an object at the end of the line.

Comes in: a file. Goes out: the same source with an object for each line that names its conversation; None where no line does.
`2026-05-02 08:10:29 INFO [w-1] shop.dialog - session=3f <- user {"text": "Hi"}` says the time, the conversation, who speaks, and what.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Final

from ingest.files.file_source import FileSource
from ingest.formats.records.words import role_of
from ingest.records.text import NOT_JSON, json_bytes, load_json
from ingest.tables.cells import Row
from ingest.tables.rows import is_about

_TIME: Final = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?)\s")
_PAIR: Final = re.compile(r'(?<![\w.-])([A-Za-z_][\w.-]{0,63})=("(?:[^"\\]|\\.)*"|[^\s"]+)')
_BEFORE: Final = re.compile(r"(?:.*(?: [-|] |: |\] ))?(?:[A-Z]{4,8}\s+)?\s*", re.DOTALL)
"""What a logger writes before its words: how bad it is, from where, by whom."""
_LOOKED_AT: Final = 20_000


def as_events(source: FileSource, head: bytes) -> FileSource | None:
    """The events of a log, if conversations are told in it; a file in whose `head` no line begins with a time is not read for it."""
    lines = head.decode("utf-8", "replace").splitlines()
    if not source.can_be_read_again or not any(map(_TIME.match, lines)):
        return None
    told = {role_of(str(row["event"])) for row in _events(source, _LOOKED_AT)}
    if not {"user", "assistant"} <= told:
        return None
    return replace(source, lines=lambda: (json_bytes(row) + b"\n" for row in _events(source)))


def _events(source: FileSource, most: int | None = None) -> Iterator[Row]:
    with source.opened() as stream:
        for line in islice(iter(partial(stream.readline, 4 << 20), b""), most):
            text = line.decode("utf-8", "replace")
            began = _TIME.match(text)
            row = _event(began[1], text[began.end() :]) if began else {}
            if "conversation_id" in row:
                yield row


def _event(time: str, line: str) -> Row:
    """A line; what stands behind its pairs or what its logger writes before them says what happened."""
    words, brace, load = line.partition(" {")
    pairs = [
        (key, text if text[0] != '"' else load_json(text.encode("utf-8", "replace")))
        for key, text in _PAIR.findall(words)
    ]
    told = {key: one for key, one in pairs if one is not NOT_JSON}
    held = load_json((brace + load).encode("utf-8", "replace")) if brace else {}
    own = {**told, **held} if isinstance(held, dict) else told
    name = next((key for key in own if is_about(key)), None)
    event = _BEFORE.sub("", _PAIR.sub(" ", words), count=1).strip()
    row = {"timestamp": time.replace(",", "."), "event": event, **own}
    return row if name is None else {**row, "conversation_id": str(row.pop(name))}
