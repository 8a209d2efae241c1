"""Spans under an app's own names, where these say in plain words whose a text is and the values have that shape.

Read are a turn (on one span what a user said and what the agent replied), a tool's run (under a tool's words arguments that are a JSON
object), and what a model said beside the tools that it asked for by name or by id. `acme.tool.args_json` and `app.customer.message` are such names, `input` is none.
Two texts that may be the same thing are neither.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from ingest.dialects.attributes import arguments_of, first_text, parsed
from ingest.dialects.identity import has_failed, identity
from ingest.dialects.reading import AGENT, OTHER, TOOL, Dialect, Reading
from ingest.dialects.tool_output import read_output
from ingest.formats.records.words import role_of, snake_case
from ingest.records.episode import Step, ToolCall
from ingest.records.span import Span

NAME: Final = "own_spans"

_TOOLS: Final = frozenset({"tool", "function"})
_MODELS: Final = frozenset({"model", "llm"})
_GIVEN: Final = frozenset({"input", "prompt", "request"})
_REPLIES: Final = frozenset({"reply", "answer"})
_SAID: Final = _REPLIES | {"response", "output", "completion", "message", "text", "content"}
_ASKED: Final = frozenset({"message", "text", "input", "question", "query", "prompt", "utterance"})
_OF_A_RUN: Final = {
    **dict.fromkeys(("arguments", "args", "input", "params", "parameters"), "arguments"),
    **dict.fromkeys(("result", "output", "response"), "result"),
    **dict.fromkeys(("id", "ref"), "call_id"),
    "name": "tool_name",
    "error": "error",
}
_CALLED: Final = frozenset({"tools", "refs", "calls", "ids", "names"})


@lru_cache(maxsize=16_384)
def _meaning(key: str) -> str:
    """What an attribute's name says that it holds; empty where its words leave it open."""
    *above, last = [word for word in snake_case(key).split("_") if word != "json"] or [""]
    if _MODELS & {*above}:
        said = not _GIVEN & {*above} and {*above, last} & _SAID
        return "" if not said else "called" if last in _CALLED else "thought" * (last in _SAID)
    if _TOOLS & {*above}:
        return _OF_A_RUN.get(last, "")
    roles = {role_of(word) for word in above}
    if last == "question" or ("user" in roles and last in _ASKED):
        return "user"
    replied = last in _REPLIES or (last == "text" and _REPLIES & {*above})
    if replied or ("assistant" in roles and last in _SAID):
        return "reply"
    return "system" * (last == "instructions" or [*above[-1:], last] == ["system", "prompt"])


def _told(span: Span) -> dict[str, Any]:
    """What a span holds, by meaning; nothing under one that two values may have."""
    found: dict[str, list[Any]] = {}
    for key, value in span.attributes.items():
        meaning = _meaning(key)
        if meaning and value not in ("", [], *found.get(meaning, ())):
            found.setdefault(meaning, []).append(value)
    return {meaning: values[0] for meaning, values in found.items() if len(values) == 1}


def _run(span: Span, told: dict[str, Any]) -> dict[str, Any] | None:
    """A tool's run, named by an attribute or behind the word for a tool in the span's name (`tool/find_order`)."""
    opened, _, named = span.name.replace("/", " ").replace(":", " ").rpartition(" ")
    name = told.get("tool_name") or (named if _TOOLS & {*snake_case(opened).split("_")} else None)
    if not isinstance(name, str) or not isinstance(parsed(told.get("arguments")), dict):
        return None
    error = told.get("error")
    output = read_output(told.get("result", error))
    return {
        "tool_name": name,
        "arguments": arguments_of(told["arguments"]),
        "result": output.text,
        "call_id": first_text(told, ("call_id",)),
        "is_error": True if error else output.is_error or has_failed(span),
    }


def _reading(span: Span) -> Reading | None:
    told = _told(span)
    run = _run(span, told) if "arguments" in told else None
    if run is not None:
        return Reading(kind=TOOL, dialect=NAME, **{**identity(span), **run})
    texts = {key: one for key, one in told.items() if isinstance(one, str)}
    if "user" in texts and "reply" in texts:
        asked = [("system", texts.get("system")), ("user", texts["user"])]
        given = tuple(Step(role=role, content=text) for role, text in asked if text)
        answer = Step(role="assistant", content=texts["reply"])
        return Reading(kind=AGENT, dialect=NAME, input=given, output=(answer,), **identity(span))
    called = [one for one in told.get("called") or () if isinstance(one, str)]
    if called:
        calls = tuple(ToolCall(call_id=one, name="", arguments="") for one in called)
        said = Step(role="assistant", content=texts.get("thought"), tool_calls=calls)
        return Reading(kind=OTHER, dialect=NAME, output=(said,), **identity(span))
    return None


def claims(span: Span) -> bool:
    """Whether the names and values of a span leave one reading."""
    return _reading(span) is not None


def read(span: Span) -> Reading:
    """Read one span; the calls of a model have ids or names in the place of ids, and are told for the turn above it."""
    return _reading(span) or Reading(kind=OTHER, dialect=NAME, **identity(span))


DIALECT: Final = Dialect(name=NAME, claims=claims, read=read)
