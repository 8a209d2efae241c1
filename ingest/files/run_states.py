"""A run kept as files of its own, one a step, or as the calls to its model, each of which repeats the conversation so far: it is told once.

Comes in: the files of a folder. Goes out: the same without what only tells how a conversation began. Files are states of one run where
their paths differ in one number that counts no attempts, and each conversation begins as the one before it ended; calls, where files of one name in
several folders hold nothing else, and each call of a file sends what the one before it sent, and more.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from ingest.errors import IngestError
from ingest.files.file_source import FileSource
from ingest.files.telemetry_files import read_source
from ingest.formats.records.conversation import answer_in
from ingest.formats.records.words import NAMES
from ingest.formats.spans.model_calls import call_in, conversation_of
from ingest.otlp.decode import decode
from ingest.records.quarantine import Rejected
from ingest.records.text import json_bytes, load_json

_NUMBERED: Final = re.compile(r"((?:.*\D)?)(\d{1,9})(\D*)", re.DOTALL)
_ATTEMPT: Final = re.compile(rf"(?i)(?:{'|'.join(NAMES['trial'])})[-_. /]?\Z")
_ANSWERED: Final = frozenset(NAMES["answered_in_item"])
_MOST_BYTES: Final = 64 << 20


def whole_runs(sources: Iterable[FileSource]) -> list[FileSource]:
    """The files of a folder, of each run's states only the last."""
    kept = {source.name: source for source in sources}
    groups: dict[tuple[str, str], dict[int, FileSource]] = {}
    for name, source in kept.items():
        if (found := _NUMBERED.fullmatch(name)) and not _ATTEMPT.search(found[1]):
            groups.setdefault((found[1], found[3]), {})[int(found[2])] = source
    for files in groups.values():
        *states, last = [files[number] for number in sorted(files)]
        if states and _are_states([*states, last]):
            kept = {n: one for n, one in kept.items() if one not in states}
            kept[last.name] = _with_answer(last)
    shared = Counter(one.path.name for one in kept.values() if one.path.suffix == ".jsonl")
    return [_last_call(one) if shared[one.path.name] > 1 else one for one in kept.values()]


def _last_call(source: FileSource) -> FileSource:
    """The calls to a model of one run as the last of them; any other file as it is."""
    sent: list[Any] = []
    last = None
    try:
        if source.path.stat().st_size > _MOST_BYTES:
            return source
        with source.opened() as stream:
            for line in filter(bytes.strip, stream):
                last = call_in(load_json(line))
                told = last.request.get("messages") if last and not conversation_of(last) else None
                if not isinstance(told, list) or told[: len(sent)] != sent or told == sent:
                    return source
                sent = told
    except (IngestError, OSError, EOFError, zlib.error):
        return source  # said where the file is read
    if last is None:
        return source
    beside = {key: one for key, one in last.beside.items() if key not in NAMES["row"]}
    said = {"messages": [*sent, *answer_in(last.response)]}
    # The answer's id tells attempts apart that say the same.
    whole = {**beside, **last.request, **said, "response_id": last.response.get("id")}
    return replace(source, lines=lambda: iter([json_bytes(whole)]))


def _are_states(states: Sequence[FileSource]) -> bool:
    before: list[object] = []
    for state in states:
        told = _said_in(state)
        if len(told) <= len(before) or told[: len(before)] != before:
            return False
        before = told
    return True


def _said_in(source: FileSource) -> list[object]:
    """What the one conversation of a document says; nothing where it holds none or several."""
    try:
        if source.path.suffix != ".json" or source.path.stat().st_size > _MOST_BYTES:
            return []
        parts = list(read_source(source, None, among_others=True))
        found = [decode(one.stored(1)) for one in parts if not isinstance(one, Rejected)]
    except (IngestError, ArithmeticError, AttributeError, LookupError, OSError, TypeError, ValueError):  # fmt: skip
        return []
    chats = [chat for one in found for chat in one.chats]
    steps = chats[0].episode.steps if len(chats) == 1 else ()
    return [(one.role, one.content, [c.arguments for c in one.tool_calls]) for one in steps]


def _with_answer(last: FileSource) -> FileSource:
    """The last state with the answer to it that a text in its own folder holds."""
    texts = [one for one in last.path.parent.glob("*.txt") if one.stem.lower() in _ANSWERED]
    value = load_json(last.path.read_bytes())
    if len(texts) != 1 or texts[0].is_symlink() or not isinstance(value, dict):
        return last
    value = {"response": texts[0].read_text("utf-8", "replace"), **value}
    return replace(last, lines=lambda: iter([json_bytes(value)]))
