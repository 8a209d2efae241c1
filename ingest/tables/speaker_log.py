"""A log in text of several who speak, each below a line that names them: `---------- user ----------`, `assistant (to user):`.

Comes in: a file. Goes out: the same source with one record in the place of its bytes; None where these lines do not name a user and somebody else.
What a terminal or an executor says is the result of the program in a block that stands before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest
from typing import Any, Final

from ingest.dialects.attributes import python_objects
from ingest.files.file_source import FileSource
from ingest.formats.records.words import role_of, snake_case
from ingest.records.text import json_bytes, objects_in

_TURN: Final = re.compile(
    r"^(?:-{5,} (?:\w{1,40} \()?(\w{1,64})\)? -{5,}|(\w{1,64}) \(to \w{1,64}\):)[ \t]*\n", re.MULTILINE
)  # fmt: skip
_CLOSED: Final = re.compile(r"\n-{20,}\s*(?:>{8} .*\s*)?\Z")
"""The line below a turn, and what a framework says that it does then."""
_LAST_LINE: Final = re.compile(r"\w[ \t]([^\w\s]{2,8})\s*\Z")
"""What whoever wrote the log has at the end of a line of their own."""
_PROGRAM: Final = re.compile(r"```(\w+)\n(.*?)\n?```", re.DOTALL)
_RUNS: Final = frozenset({"terminal", "executor"})


def as_talk(source: FileSource, head: bytes) -> FileSource | None:
    """The conversation of a log; a file in whose `head` no such line names a user is not read for it."""
    text = head.decode("utf-8", "replace").replace("\r\n", "\n")
    if not source.can_be_read_again or "user" not in {role_of(who) for who, _ in _turns(text)}:
        return None
    with source.opened() as stream:
        body = stream.read(source.limits.body_bytes)
    turns = list(_turns(body.decode("utf-8", "replace").replace("\r\n", "\n")))
    if not turns[1:] or len({who for who, _ in turns}) == 1:
        return None
    record = {"messages": list(_messages(turns))}
    return replace(source, lines=lambda: iter([json_bytes(record) + b"\n"]))


def _turns(text: str) -> Iterator[tuple[str, str]]:
    """Who speaks, and what they say, without the log's own lines around it."""
    begun = [*_TURN.finditer(text)]
    mark = _LAST_LINE.search(text[: begun[0].start()]) if begun else None
    for one, behind in zip_longest(begun, begun[1:]):
        end = behind.start() if behind else len(text)
        lines = _CLOSED.sub("", text[one.end() : end]).splitlines()
        while mark and lines and (not lines[-1] or lines[-1].endswith(mark[1])):
            lines.pop()
        yield one[1] or one[2], "\n".join(lines).strip()


def _messages(turns: list[tuple[str, str]]) -> Iterator[dict[str, Any]]:
    calls = _programs(turns)
    for number, (who, said) in enumerate(turns):
        shown = objects_in(python_objects(said) if said[:1] == "[" else None)
        told = [{k: v for k, v in one.items() if k != "type"} for one in shown]
        one: dict[str, Any] = {"speaker": who, "content": told or said}
        if number in calls:
            function = {"name": calls[number][0], "arguments": {"code": calls[number][1]}}
            one["tool_calls"] = [
                {"id": f"block_{number}", "type": "function", "function": function}
            ]
        if -number in calls:
            one = {"role": "tool", "tool_call_id": calls[-number][0], "content": said}
        yield one


def _programs(turns: list[tuple[str, str]]) -> dict[int, tuple[str, str]]:
    """The language and the program of each turn with one block that is run later, by its number; the call's id by the result's number below 0."""
    found: dict[int, tuple[str, str]] = {}
    last = None
    for number, (who, said) in enumerate(turns):
        blocks = _PROGRAM.findall(said) if role_of(who) != "user" else []
        if last and snake_case(who).rpartition("_")[2] in _RUNS:
            found |= {last[0]: last[1], -number: (f"block_{last[0]}", "")}
            last = None
        elif len(blocks) == 1:
            last = number, blocks[0]
    return found
