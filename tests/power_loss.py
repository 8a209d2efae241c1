"""What a loss of power could have left of some files: every write that no sync followed may be missing, in any selection.

Comes in: the record that `unsynced.c` wrote of a process. Goes out: for a moment of it the files as a disk may hold them. A sync is
believed; a file is there once it was synced (SQLite syncs the folder with it); a write is whole or not at all by blocks of 512 bytes.
"""

from __future__ import annotations

import random
import struct
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).with_name("unsynced.c")
_HEAD: Final = struct.Struct("<cqqI")
_BLOCK: Final = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One thing that was done to a file."""

    what: str
    number: int
    at: int
    data: bytes = field(repr=False)


def compiled(folder: Path) -> Path:
    """The library to preload; raises `OSError` or `CalledProcessError` where there is no C compiler."""
    made = folder / "unsynced.so"
    command = ["cc", "-O1", "-shared", "-fPIC", "-o", str(made), str(SOURCE), "-ldl"]
    subprocess.run(command, check=True, capture_output=True)
    return made


def events_in(record: bytes) -> Iterator[Event]:
    """The record's events in order."""
    at = 0
    while at + _HEAD.size <= len(record):
        what, number, place, size = _HEAD.unpack_from(record, at)
        at += _HEAD.size
        yield Event(what=what.decode(), number=number, at=place, data=record[at : at + size])
        at += size


def disk_at(events: Sequence[Event], moment: int, chance: random.Random | None) -> dict[str, bytes]:
    """The files after so many events and a loss of power; without `chance` all is lost that no sync followed."""
    names: dict[int, str] = {}
    durable: dict[str, bytearray] = {}
    waiting: dict[str, list[Event]] = {}
    for event in events[:moment]:
        if event.what == "o":
            names[event.number] = event.data.decode()
            continue
        name = event.data.decode() if event.what == "u" else names[event.number]
        if event.what == "s":
            kept = durable.setdefault(name, bytearray())
            for one in waiting.pop(name, []):
                _apply(kept, one)
        elif event.what == "u":
            waiting.pop(name, None)
            durable.pop(name, None)
        else:
            waiting.setdefault(name, []).append(event)
    if chance is not None:
        for name, some in waiting.items():
            for one in some:
                if chance.random() < 0.5 and name in durable:
                    _apply(durable[name], one, chance)
    return {name: bytes(data) for name, data in durable.items()}


def _apply(file: bytearray, event: Event, chance: random.Random | None = None) -> None:
    """Make a change; with `chance` only some of its blocks reach the disk."""
    if event.what == "t":
        del file[event.at :]
        file.extend(bytes(event.at - len(file)))
        return
    for first in range(0, len(event.data), _BLOCK):
        if chance is None or chance.random() < 0.7:
            part = event.data[first : first + _BLOCK]
            begin = event.at + first
            file.extend(bytes(max(0, begin - len(file))))
            file[begin : begin + len(part)] = part
