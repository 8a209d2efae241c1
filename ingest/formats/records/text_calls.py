"""Calls and results that a template wrote into the text of messages: `<tool_call>{…}</tool_call>`, `<tool_response>…`.

Comes in: a message's text. Goes out: its calls and what is left of the text, or the results that it is made of. Only whole
blocks count: a text that talks about such a block stays text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from ingest.dialects.attributes import python_literal
from ingest.dialects.content_blocks import blocks_text
from ingest.formats.records.steps import call_of
from ingest.records.text import NOT_JSON, Json, load_json, objects_in

SHELL: Final = "bash"
"""The tool of an action that is no command of the agent's own: its shell, as the agent's function calls name it."""
_DOCUMENTED: Final = re.compile(r"^([A-Za-z_][\w-]*):\s*\n\s+docstring:", re.MULTILINE)
_SECTION: Final = re.compile(r"^COMMANDS:\n(.*?)(?:\n\n\n|\Z)", re.MULTILINE | re.DOTALL)
_LISTED: Final = re.compile(r"^([a-z_][\w-]*)(?=$| [<\[-])", re.MULTILINE)
_CALL: Final = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_TAG: Final = re.compile(r"<(\w+)>((?:(?!</?\1>).)*)</\1>", re.DOTALL)
"""What such a template puts around all that is said before the calls: `<scratch_pad>`."""
_RESULT: Final = re.compile(r"\s*<tool_response>\n?(.*?)\n?</tool_response>\s*", re.DOTALL)

_TOOLS: Final = re.compile(r"\[(?=\s*\{)")
_LINES: Final = re.compile(r"^\{(?=\"(?:type|name|function)\")(?=.*\}$)", re.MULTILINE)
_MOST_LISTS: Final = 5
"""Lists of a prompt that are looked at."""
_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextCalls:
    """The calls of a text, in the order in which they stand."""

    calls: list[dict[str, Any]]
    text: str | None
    """What stands around them; None where nothing does."""
    is_list: bool = False
    """Whether they are a list of Python's: what comes back is a list of as many results, too."""


def calls_in(text: str) -> TextCalls | None:
    """The calls that a text holds; None where it holds none, or a block that is no call."""
    calls: list[dict[str, Any]] = []
    for block in _CALL.findall(text):
        value = load_json(block.strip().encode("utf-8", "replace"))
        value = python_literal(block.strip(), NOT_JSON) if value is NOT_JSON else value
        listed = value if isinstance(value, list) else [value]
        if value is NOT_JSON or not listed or not all(_is_call(call) for call in listed):
            return None
        calls += listed
    if not calls:
        return None
    rest = _CALL.sub("", text).strip()
    tagged = _TAG.fullmatch(rest)
    return TextCalls(calls=calls, text=(tagged[2].strip() if tagged else rest) or None)


def written_list(content: Json) -> list[dict[str, Any]]:
    """The calls that a text lists in JSON or Python's notation, behind a line that announces them; none where it is anything else."""
    text = blocks_text(content) or ""
    label, colon, rest = text.partition(":\n")
    listed = python_literal(rest) if colon and "\n" not in label else None
    calls = [call_of(one) for one in objects_in(listed)]
    return [one for one in calls if one is not None] if all(calls) else []


def results_in(text: str) -> list[str] | None:
    """The results that a text is made of; None where it is anything else, or more."""
    results: list[str] = []
    place = 0
    while found := _RESULT.match(text, place):
        results.append(found[1])
        place = found.end()
    return results if results and place == len(text) else None


def listed_tools(text: str) -> list[dict[str, Any]]:
    """The tools that a prompt defines in a list of JSON among its words, or in objects of a line each; none where these are of anything else."""
    lists = (_value_at(text, found.start()) for found in _TOOLS.finditer(text))
    lines = [one for m in _LINES.finditer(text) if (one := _value_at(text, m.start()))]
    for value in (*islice(lists, _MOST_LISTS), lines):
        inner = [one.get("function", one) for one in objects_in(value)]
        objects = objects_in(inner)
        named = [one for one in objects if isinstance(one.get("name"), str) and "parameters" in one]
        if named and len(named) == len(value):
            return named
    return []


def _value_at(text: str, place: int) -> Json:
    """The JSON that begins at a place of a text; an empty list where none does."""
    try:
        return _DECODER.raw_decode(text, place)[0]
    except (ValueError, RecursionError):
        return []


def commands_in(prompts: Iterable[str]) -> frozenset[str]:
    """The commands that prompts say an agent's interface has beside those of the shell."""
    found: list[str] = []
    for prompt in prompts:
        found += _DOCUMENTED.findall(prompt)
        found += (name for section in _SECTION.findall(prompt) for name in _LISTED.findall(section))
    return frozenset(found) - {SHELL}


def _is_call(value: object) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("name"), str)
        and isinstance(value.get("arguments", value.get("parameters", {})), dict | str)
    )
