"""A call that an agent wrote as the last lines of its text: `Action: find[x]`, `Action: find` with its input, an object with both.

Comes in: the text of an agent's message. Goes out: the call, and the text before it. Lines count only where they end the
message, as an agent stops there and waits. Who answers such a call, `written_results` says.
"""

from __future__ import annotations

import ast
import re
from typing import Any, Final

from ingest.formats.records.steps import call_of
from ingest.formats.records.text_calls import TextCalls
from ingest.records.text import json_text, load_json

_ACTION: Final = re.compile(
    r"(?:\A|\n)[ \t*]*(?:Action|Act|Tool|Function|API)(?: ?\d+)?[ \t*]*:[ \t*]*(?!Input)(.+)\Z",
    re.DOTALL,
)
_INPUT: Final = re.compile(r"[ \t*]*(?:Action|Tool|Function)[ _]?Input(?: ?\d+)?[ \t*]*:")
_NAME: Final = r"([A-Za-z_][\w.:/-]{0,63})"
_CALL: Final = re.compile(_NAME + r"\((.*)\)\.?", re.DOTALL)
_BRACKETS: Final = re.compile(_NAME + r"\[(.*)\]\.?", re.DOTALL)
_BARE: Final = re.compile(_NAME)
_FENCE: Final = "```"
_LONGEST: Final = 20_000
"""Characters of Python's arguments: a call that somebody wrote has fewer, and reading them takes a while."""
ARGUMENT: Final = "input"
"""What the one argument is called that an action line gives without a name."""


def written_call(text: str) -> TextCalls | None:
    """The call that a message's last lines write, and the text before them; None where they write none."""
    found = _ACTION.search(text)
    if found is None:
        return None
    call = _read(found[1].strip())
    if call is None:
        return None
    return TextCalls(calls=[call], text=text[: found.start()].strip() or None)


def _read(body: str) -> dict[str, Any] | None:
    if body.startswith(_FENCE) and body.endswith(_FENCE):
        body = body.removeprefix(_FENCE).removeprefix("json").removesuffix(_FENCE).strip()
    if body[:1] == "{":
        value = load_json(body.encode("utf-8", "replace"))
        return call_of(value) if isinstance(value, dict) else None
    first, _, rest = body.partition("\n")
    label = _INPUT.match(rest)
    if label is not None:
        name = _BARE.fullmatch(first.strip())
        return None if name is None else _call(name[1], _input_of(rest[label.end() :].strip()))
    called = _CALL.fullmatch(body)
    if called is not None:
        arguments = _python_arguments(called[2])
        return None if arguments is None else _call(called[1], arguments)
    bracketed = _BRACKETS.fullmatch(body)
    return None if bracketed is None else _call(bracketed[1], _input_of(bracketed[2].strip()))


def _call(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "arguments": json_text(arguments)}}


def _input_of(text: str) -> dict[str, Any]:
    value = load_json(text.encode("utf-8", "replace")) if text[:1] == "{" else None
    if isinstance(value, dict):
        return value
    return {ARGUMENT: text} if text else {}


def _python_arguments(text: str) -> dict[str, Any] | None:
    """What stands between the brackets of a call: an object, or Python's arguments with plain values."""
    stripped = text.strip()
    value = load_json(stripped.encode("utf-8", "replace")) if stripped[:1] == "{" else None
    if isinstance(value, dict):
        return value
    if len(stripped) > _LONGEST:
        return None
    try:
        call = ast.parse(f"f({stripped})", mode="eval").body
        if not isinstance(call, ast.Call) or any(one.arg is None for one in call.keywords):
            return None
        named = {str(one.arg): ast.literal_eval(one.value) for one in call.keywords}
        plain = [ast.literal_eval(one) for one in call.args]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if len(plain) == 1 and not named:
        return {ARGUMENT: plain[0]}
    return None if plain else named
