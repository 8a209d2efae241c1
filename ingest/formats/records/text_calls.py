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
from ingest.formats.records.words import snake_case
from ingest.records.call_names import ARGUMENTS, CALL_LISTS, CALLS, TOOLS
from ingest.records.text import NOT_JSON, Json, json_text, load_json, objects_in

SHELL: Final = "bash"
"""The tool of an action that is no command of the agent's own: its shell, as the agent's function calls name it."""
_DOCUMENTED: Final = re.compile(r"^([A-Za-z_][\w-]*):\s*\n\s+docstring:", re.MULTILINE)
_SECTION: Final = re.compile(r"^COMMANDS:\n(.*?)(?:\n\n\n|\Z)", re.MULTILINE | re.DOTALL)
_LISTED: Final = re.compile(r"^([a-z_][\w-]*)(?=$| [<\[-])", re.MULTILINE)
_CALL: Final = re.compile(
    r"(?:<(?:tool|function)_?calls?>|<\|(?:tool_call|python_tag)\|>|\[TOOL_CALLS\])(.*?)"
    r"(?:</(?:tool|function)_?calls?>|<\|(?:endoftext|eo[mt]_id|im_end)\|>|\Z)",
    re.DOTALL,
)
"""Where a model's template has calls in JSON; the tag need not end where the message does."""
_NAMED: Final = re.compile(
    r"<(function|invoke)(?:=| name=)\"?([\w.:/-]{1,64})\"?>(.*?)(?:</\1>|\Z)", re.DOTALL
)
_GIVEN: Final = re.compile(
    r"<parameter(?:=| name=)\"?([\w.-]{1,64})\"?[^>\n]*>\n?(.*?)\n?</parameter>", re.DOTALL
)
"""The same in tags that hold the tool's name, and each argument's."""
_QUOTED: Final = re.compile(r"\A([^']*:\s*)'(\{.*\})'(?=\s*\}\Z)", re.DOTALL)
_EMPTY: Final = re.compile(r"<(\w+)>\s*</\1>")
_TAG: Final = re.compile(r"<(\w+)>((?:(?!</?\1>).)*)</\1>", re.DOTALL)
"""What such a template puts around all that is said before the calls: `<scratch_pad>`."""
_RESULT: Final = re.compile(r"\s*<tool_response>\n?(.*?)\n?</tool_response>\s*", re.DOTALL)

_TOOLS: Final = re.compile(r"\[(?=\s*\{)")
_LINES: Final = re.compile(r"^\{(?=\s*\"(?:type|name|function)\")", re.MULTILINE)
_BEGUN: Final = re.compile(
    r"^-+ BEGIN FUNCTION #\d+: ([\w.-]{1,64}) -+\n(?:Description: (.*))?", re.MULTILINE
)
"""A tool that a prompt documents in words, as a heading says."""
_NUMBERED: Final = re.compile(r"^\(\d{1,2}\) (\w{1,64})\[\w+\][,. ]*(.*)", re.MULTILINE)
"""The same in numbered lines: `(1) Find[name], which …`."""
_FUNCTIONS: Final = re.compile(r"\btools:\s*```py(?:thon)?\n(.*?)```", re.DOTALL)
_DEFINED: Final = re.compile(r'^def (\w{1,64})\([^\n]*:\n\s+"""(.*?)"""', re.MULTILINE | re.DOTALL)
"""The tools of an agent that acts in programs: functions in a block below a line that says so."""
_OBJECT: Final = re.compile(
    r"((?:(?!```).)*?)(?:\A|```(?:json)?\n)\s*(\{.*\}|\[\s*\{.*\}\s*\])\s*(?:```\s*)?", re.DOTALL
)
"""An object, or a list of them, that is all of a message, or stands in a block behind what is said."""
_COMMAND: Final = ("command", "cmd", "keystrokes")
_ACTS: Final = ("commands", *CALL_LISTS)
_OF_CALLS: Final = frozenset({*_COMMAND, *TOOLS, *ARGUMENTS})
_PLAIN: Final = {"name", "arguments"}
_MOST_LISTS: Final = 5
"""Lists of a prompt that are looked at."""
_DECODER: Final = json.JSONDecoder()

_CALLING: Final = "Calling tools:\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class TextCalls:
    """The calls of a text, in the order in which they stand."""

    calls: list[dict[str, Any]]
    text: str | None
    """What stands around them; None where nothing does."""
    is_list: bool = False
    """Whether they are a list of Python's: what comes back is a list of as many results, too."""
    is_named: bool = False
    """Whether they stand in tags that hold their names, as a client writes for a model without calls of its own: who answers has no role for that."""


def calls_in(text: str) -> TextCalls | None:
    """The calls that a text holds; None where it holds none, or a block that is no call."""
    named = [
        {
            "name": name,
            "arguments": dict(_GIVEN.findall(body)) or _plain_value(body.strip() or "{}"),
        }
        for _, name, body in _NAMED.findall(text)
    ]
    values = [_plain_value(block.strip()) for block in _CALL.findall(text)]
    calls = named or [call for one in values for call in (one if isinstance(one, list) else [one])]
    if not calls or not all(map(_is_call, calls)):
        return None
    for one in named:
        one["function"] = {"name": one["name"], "arguments": json_text(one["arguments"])}
    rest = _EMPTY.sub("", (_NAMED if named else _CALL).sub("", text)).strip()
    tagged = _TAG.fullmatch(rest)
    said = (tagged[2].strip() if tagged else rest) or None
    return TextCalls(calls=calls, text=said, is_named=bool(named))


def _plain_value(text: str) -> Json:
    """A value in JSON, also where quotes stand around the last object in it, or as Python shows it."""
    value = load_json(text.encode("utf-8", "replace"))
    if value is NOT_JSON:
        plain = _QUOTED.sub(r"\1\2", text).replace("\\'", "'")
        value = load_json(plain.encode("utf-8", "replace"))
    return python_literal(text, NOT_JSON) if value is NOT_JSON else value


def object_act(text: str, *, in_list: bool = False) -> TextCalls | None:
    """What an agent does whose message is an object: the calls or commands that this holds, with its other texts; None where it has no place for any. Or (`in_list`) what it lists, which is nothing but calls."""
    found = _OBJECT.fullmatch(text)
    value = load_json(found[2].encode("utf-8", "replace")) if found else NOT_JSON
    own = {snake_case(key): one for key, one in value.items()} if isinstance(value, dict) else {}
    key = next((one for one in _ACTS if isinstance(own.get(one), list)), None)
    listed = value if isinstance(value, list) else [own] if key is None else own[key]
    calls = [call for one in listed if (call := _act(one)) is not None]
    plain = sum(one.keys() >= _PLAIN for one in objects_in(listed)) if in_list else len(listed)
    if found is None or isinstance(value, list) != in_list or min(len(calls), plain) < len(listed):
        return None
    words = (one for name, one in own.items() if isinstance(one, str) and name not in _OF_CALLS)
    said = "\n".join(filter(str.strip, (found[1], *words)))
    return TextCalls(calls=calls, text=said.strip() or None)


def _act(value: Json) -> dict[str, Any] | None:
    """A call, or a command for the shell, that an agent wrote as a text or an object."""
    own = value if isinstance(value, dict) else {_COMMAND[0]: value}
    inner = (own[key] for key in (*_COMMAND, *CALLS) if isinstance(own.get(key), dict))
    call = next(filter(None, map(call_of, (own, *inner))), None)
    command = next((own[key] for key in _COMMAND if isinstance(own.get(key), str)), None)
    if call is not None or command is None:
        return call
    function = {"name": SHELL, "arguments": json_text({"command": command})}
    return {"type": "function", "function": function}


def written_list(content: Json) -> list[dict[str, Any]]:
    """The calls that a text lists in JSON or Python's notation, behind a line that announces them; none where it is anything else."""
    text = blocks_text(content) or ""
    label, colon, rest = text.partition(":\n")
    listed = python_literal(rest) if colon and "\n" not in label else None
    calls = [call_of(one) for one in objects_in(listed)]
    return [one for one in calls if one is not None] if all(calls) else []


def announced(text: str) -> tuple[str, list[dict[str, Any]]]:
    """What an agent says before the list of its calls that a framework writes behind it (`Calling tools: [{'id': …}]`), and these."""
    before, mark, listed = text.rpartition(_CALLING)
    return before.strip(), written_list(mark + listed) if mark else []


def results_in(text: str) -> list[str] | None:
    """The results that a text is made of; None where it is anything else, or more."""
    results: list[str] = []
    place = 0
    while found := _RESULT.match(text, place):
        results.append(found[1])
        place = found.end()
    return results if results and place == len(text) else None


def listed_tools(text: str) -> list[dict[str, Any]]:
    """The tools that a prompt defines in a list of JSON, or of Python's on a line, among its words, or in objects of a line each; none where these are of anything else."""
    lists = (_value_at(text, found.start()) for found in _TOOLS.finditer(text))
    lines = [one for m in _LINES.finditer(text) if (one := _value_at(text, m.start()))]
    for value in (*islice(lists, _MOST_LISTS), lines):
        inner = [one.get("function", one) for one in objects_in(value)]
        objects = objects_in(inner)
        named = [one for one in objects if isinstance(one.get("name"), str) and "parameters" in one]
        if named and len(named) == len(value):
            return named
    defined = _DEFINED.findall("".join(_FUNCTIONS.findall(text)))
    told = (*_BEGUN.findall(text), *defined, *_NUMBERED.findall(text))
    return [{"name": name, "description": said.strip()} for name, said in told]


def _value_at(text: str, place: int) -> Json:
    """The JSON that begins at a place of a text, or Python's value on a line; an empty list where none does."""
    try:
        return _DECODER.raw_decode(text, place)[0]
    except (ValueError, RecursionError):
        return python_literal(text[place:].partition("\n")[0].partition("</")[0].strip(), [])


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
