"""What people are told of JSON that no format knows.

Comes in: a parsed value. Goes out: a refusal with one sentence: the keys that were seen, cut to a handful and shown only
where they look like a program's own words, and the command that says more. Never a value.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from ingest.files.chat_log import parse_value
from ingest.files.file_source import FileSource
from ingest.otlp.record import Arrival
from ingest.records.quarantine import Rejected
from ingest.records.text import Json, json_bytes

_KEY: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,39}")
_SHOWN: Final = 6
_NO_EPISODE: Final = "not_an_episode"


def keys_seen(value: Json) -> list[str]:
    """The keys of an object, or of the first object of a list, as they may be shown."""
    items = value if isinstance(value, list) else [value]
    first = next((item for item in items if isinstance(item, dict)), {})
    return [key for key in first if is_shown(key)]


def is_shown(key: str) -> bool:
    """Whether a key looks like a program's own word, and not like something that a person wrote."""
    return _KEY.fullmatch(key) is not None


def sentence(value: Json, *, what: str = "The record") -> str:
    """What is wrong and what to do."""
    keys = keys_seen(value)
    told = ", ".join(keys[:_SHOWN]) + (", …" if len(keys) > _SHOWN else "")
    seen = f"its keys are {told}" if keys else "it has no keys that say what it is"
    return (
        f"{what} holds no messages in a form that tracegym knows ({seen}); "
        "see what is missing with: tracegym ingest FILE --explain."
    )


def refuse(value: Json, arrival: Arrival) -> Rejected:
    """The refusal of one value; one that means to be a chat log's line is told what is wrong with it."""
    text = json_bytes(value) if arrival.text is None else arrival.text
    read = parse_value(
        value, text, source=arrival.source, position=arrival.position, app=arrival.app
    )
    if isinstance(read, Rejected) and read.code != _NO_EPISODE:
        return replace(read, at=arrival.received_at)
    return arrival.refused(_NO_EPISODE, sentence(value), text)


def no_known_format(source: FileSource, value: Json, body: bytes) -> Rejected:
    """The refusal of a whole file."""
    return source.refused("unknown_json", sentence(value, what=source.name), body=body)
