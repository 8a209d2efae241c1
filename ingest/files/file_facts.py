"""What is known of a file as a whole, for those who see only a part of it.

Comes in: what reading a file found out before its parts went into the write-ahead log. Goes out: the same beside every part.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath
from typing import Final

import orjson

BY_TRIAL: Final = "trial"
BY_PLACE: Final = "place"

_SUFFIXES: Final = re.compile(r"(?<=.)(?:\.[A-Za-z][A-Za-z0-9]{0,9})+\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFacts:
    """What goes for all parts of a file."""

    named_after: str | None = None
    """The name of the file or folder that was given, without suffixes: the app of data that names none."""
    is_alone: bool = False
    """Whether the file holds one value: its name may then stand for the conversation's id."""
    numbered_by: str = ""
    """What tells records with the same id apart: `BY_TRIAL`, `BY_PLACE`, or nothing where every id is there once."""
    own_id: str = ""
    """The field that names each record, where none has a name that is known."""
    names_tasks: bool = False
    """Whether each record names another task, or another attempt at it."""
    judges_as: str = ""
    """The annotators that the token which sent this may name, with commas; empty where all may be."""
    room: int = 0
    """How much room a body takes once it is unpacked and read, where whoever stored it knew."""

    def to_text(self) -> str:
        """As the log keeps it; empty where nothing is known."""
        known = {name: value for name, value in asdict(self).items() if value}
        return orjson.dumps(known).decode() if known else ""


NOTHING_KNOWN: Final = FileFacts()


def facts_of(text: str) -> FileFacts:
    """What the log kept; facts that a later version has written are passed over."""
    known = orjson.loads(text) if text else {}
    names = FileFacts.__dataclass_fields__
    return FileFacts(**{name: value for name, value in known.items() if name in names})


def stem_of(name: str) -> str:
    """A file's name without its suffixes: `run-1.traj.json` is `run-1`, `v1.2` stays."""
    path = PurePosixPath(name)
    return str(path.with_name(_SUFFIXES.sub("", path.name))) if path.name else name
