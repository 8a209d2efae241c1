"""A conversation in text: headings of Markdown, or lines such as `---------- user ----------` and `assistant (to user):`, say who speaks.

Comes in: a file. Goes out: the same source with one record in the place of its bytes; None where another heading of Markdown than a speaker's or a
result's divides the text, or the lines do not name a user and somebody else. In Markdown, a block is a call where the line above it names a tool
in the way that answered calls are named, and what is known of it all stands in front; elsewhere what a terminal or an executor says is the result
of the program in the last block.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise, zip_longest
from typing import Any, Final

import yaml

from ingest.dialects.attributes import python_objects
from ingest.files.file_source import FileSource
from ingest.formats.records.words import KNOWN_AS, role_of, snake_case
from ingest.records.call_names import RESULTS
from ingest.records.text import json_bytes, objects_in
from ingest.tables.cells import plain_row

_FRONT: Final = re.compile(r"\s*---\n(.*?)\n---\n", re.DOTALL)
_SECTION: Final = re.compile(r"^```.*?^```|^#{1,6}[ \t]+([^\n]+)$", re.MULTILINE | re.DOTALL)
_FENCED: Final = re.compile(r"\s*```\w*\n(.*?)\n?```\s*", re.DOTALL)
_CALL: Final = re.compile(
    r"^([^\n`]*)`([\w.-]{1,64})`[^\n`]*\n+```\w*\n(\{(?:(?!```).)*\})\n```",
    re.MULTILINE | re.DOTALL,
)
_TURN: Final = re.compile(
    r"^(?:-{5,} (?:\w{1,40} \()?(\w{1,64})\)? -{5,}|(\w{1,64}) \(to \w{1,64}\):)[ \t]*\n", re.MULTILINE
)  # fmt: skip
_CLOSED: Final = re.compile(r"\n-{20,}\s*(?:>{8} .*\s*)?\Z")
"""The line below a turn, and what a framework says that it does then."""
_LAST_LINE: Final = re.compile(r"\w[ \t]([^\w\s]{2,8})\s*\Z")
"""What whoever wrote the log has at the end of a line of their own."""
_PROGRAM: Final = re.compile(r"```(\w+)\n(.*?)\n?```", re.DOTALL)
_RUNS: Final = frozenset({"terminal", "executor"})
Section = tuple[str, str, str]
"""Who speaks, the tool whose result it is, the text."""


def as_dialogue(source: FileSource, head: bytes) -> FileSource | None:
    """The conversation of a text; of Markdown, or where a line of its `head` names a user."""
    is_marked = source.path.suffix.lower() == ".md"
    begun = head.decode("utf-8", "replace").replace("\r\n", "\n")
    names_user = any(role_of(who) == "user" for who, _ in _turns(begun))
    if not source.can_be_read_again or not (is_marked or names_user):
        return None
    with source.opened() as stream:
        body = stream.read(source.limits.body_bytes)
    text = body.decode("utf-8", "replace").replace("\r\n", "\n")
    record = _markdown_record(text) if is_marked else {"messages": _log_messages(_turns(text))}
    several = len({one.get("speaker", one.get("role")) for one in record["messages"]}) > 1
    return replace(source, lines=lambda: iter([json_bytes(record) + b"\n"])) if several else None


def _markdown_record(text: str) -> dict[str, Any]:
    """The record of a text in Markdown."""
    front = _FRONT.match(text)
    sections = list(_sections(text[front.end() if front else 0 :]))
    told = None
    with suppress(yaml.YAMLError, ValueError):
        told = yaml.safe_load(front[1]) if front else None
    known = plain_row(told) if isinstance(told, dict) else {}
    tells = {"user", "assistant"} <= {who for who, _, _ in sections}
    return {**known, "messages": list(_messages(sections)) if tells else []}


def _turns(text: str) -> Iterator[tuple[str, str]]:
    """Who speaks in a log, and what they say, without the log's own lines around it."""
    begun = [*_TURN.finditer(text)]
    mark = _LAST_LINE.search(text[: begun[0].start()]) if begun else None
    for one, behind in zip_longest(begun, begun[1:]):
        end = behind.start() if behind else len(text)
        lines = _CLOSED.sub("", text[one.end() : end]).splitlines()
        while mark and lines and (not lines[-1] or lines[-1].endswith(mark[1])):
            lines.pop()
        yield one[1] or one[2], "\n".join(lines).strip()


def _log_messages(turns: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """The messages of a log, of which a terminal runs the last program before it."""
    told: list[dict[str, Any]] = []
    last: dict[str, Any] = {}
    for who, said in turns:
        shown = objects_in(python_objects(said) if said[:1] == "[" else None)
        parts = [{k: v for k, v in one.items() if k != "type"} for one in shown]
        blocks = _PROGRAM.findall(said) if role_of(who) != "user" else []
        one: dict[str, Any] = {"speaker": who, "content": parts or said}
        if last and snake_case(who).rpartition("_")[2] in _RUNS:
            ((name, code),) = _PROGRAM.findall(last["content"])
            call = {"id": f"block_{len(told)}", "name": name, "arguments": {"code": code}}
            last["tool_calls"] = [call]
            one, last = {"role": "tool", "tool_call_id": call["id"], "content": said}, {}
        elif len(blocks) == 1:
            last = one
        told.append(one)
    return told


def _sections(text: str) -> Iterator[Section]:
    """The sections under headings; of a text that has other headings than a title, none."""
    marks = [mark for mark in _SECTION.finditer(text) if mark[1]]
    told = [_heading(mark[1]) for mark in marks]
    if told[:1] == [("", "")]:
        marks, told = marks[1:], told[1:]
    if not marks or ("", "") in told:
        return
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    for mark, (who, tool), end in zip(marks, told, ends, strict=True):
        yield who, tool, text[mark.end() : end].strip()


def _heading(title: str) -> tuple[str, str]:
    """Who speaks below a heading, and the tool of `Result: find_book`; nothing of any other."""
    word, colon, tool = (part.strip(" *`#") for part in title.partition(":"))
    word = snake_case(word)
    if colon and (KNOWN_AS.get(word, word) in RESULTS or role_of(word) == "tool"):
        return "tool", tool
    return ("" if colon else role_of(word) or "", "")


def _messages(sections: list[Section]) -> Iterator[dict[str, Any]]:
    answered = [(o, tool) for (_, _, o), (who, tool, _) in pairwise(sections) if who == "tool"]
    marks = {m[1] for own, tool in answered for m in _CALL.finditer(own) if m[2] == tool}
    for who, tool, text in sections:
        fenced = _FENCED.fullmatch(text)
        found = [m for m in _CALL.finditer(text) if m[1] in marks] if who == "assistant" else []
        calls = [{"name": m[2], "arguments": m[3]} for m in found]
        for mark in reversed(found):
            text = text[: mark.start()] + text[mark.end() :]  # noqa: PLW2901 - what is left of it
        said = fenced[1] if fenced and who == "tool" else text.strip() or None
        yield (
            {"role": who, "content": said}
            | ({"tool_calls": calls} if calls else {})
            | ({"name": tool} if tool else {})
        )
