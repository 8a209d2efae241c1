"""A conversation in Markdown: headings say who speaks, fenced blocks hold calls and results, and what is known of it stands in front.

Comes in: a file. Goes out: the same source with one record in the place of its bytes; None where another heading than a speaker's or a
result's divides the text. A block is a call where the line above it names a tool in the way that answered calls are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import yaml

from ingest.files.file_source import FileSource
from ingest.formats.records.words import KNOWN_AS, role_of, snake_case
from ingest.records.call_names import RESULTS
from ingest.records.text import json_bytes
from ingest.tables.cells import plain_row

_FRONT: Final = re.compile(r"\s*---\n(.*?)\n---\n", re.DOTALL)
_SECTION: Final = re.compile(r"^```.*?^```|^#{1,6}[ \t]+([^\n]+)$", re.MULTILINE | re.DOTALL)
_FENCED: Final = re.compile(r"\s*```\w*\n(.*?)\n?```\s*", re.DOTALL)
_CALL: Final = re.compile(
    r"^([^\n`]*)`([\w.-]{1,64})`[^\n`]*\n+```\w*\n(\{(?:(?!```).)*\})\n```",
    re.MULTILINE | re.DOTALL,
)
Section = tuple[str, str, str]
"""Who speaks, the tool whose result it is, the text."""


def as_dialogue(source: FileSource) -> FileSource | None:
    """The conversation of a text."""
    if source.path.suffix.lower() != ".md" or not source.can_be_read_again:
        return None
    with source.opened() as stream:
        body = stream.read(source.limits.body_bytes)
    text = body.decode("utf-8", "replace").replace("\r\n", "\n")
    front = _FRONT.match(text)
    sections = list(_sections(text[front.end() if front else 0 :]))
    if not {"user", "assistant"} <= {who for who, _, _ in sections}:
        return None
    told = None
    with suppress(yaml.YAMLError, ValueError):
        told = yaml.safe_load(front[1]) if front else None
    known = plain_row(told) if isinstance(told, dict) else {}
    record = {**known, "messages": list(_messages(sections))}
    return replace(source, lines=lambda: iter([json_bytes(record) + b"\n"]))


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
