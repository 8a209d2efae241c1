"""Spans under an app's own names, where these say in plain words whose a text is: `acme.tool.args_json` and `app.customer.message`, but not `input`.

Read are a turn (on one span what a user said and what the agent replied), a tool's run (under a tool's words its arguments, a JSON object), and what a
model said beside the tools that it asked for. Two texts that may be the same thing are neither.
"""

from __future__ import annotations

import re
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final

from ingest.dialects.attributes import arguments_of, first_text, parsed
from ingest.dialects.identity import has_failed, identity
from ingest.dialects.messages import ROLE_OF, exchanged, read_messages
from ingest.dialects.parts import read_calls
from ingest.dialects.reading import AGENT, MODEL, OTHER, TOOL, Dialect, Reading
from ingest.dialects.tool_output import read_output
from ingest.formats.records.words import role_of, snake_case
from ingest.records.episode import Step
from ingest.records.span import Span
from ingest.records.text import Json, objects_in

NAME: Final = "own_spans"

_TOOLS: Final = frozenset({"tool", "function"})
_MODELS: Final = frozenset({"model", "llm"})
_WHOSE: Final = {"question": "user", "reply": "assistant", "answer": "assistant"}
_SAID: Final = frozenset(
    {*_WHOSE, *["message", "text", "content", "prompt", "response", "output", "utterance"]}
)
_OF_A_RUN: Final = {
    **dict.fromkeys(("arguments", "args", "input", "params", "parameters"), "arguments"),
    **dict.fromkeys(("result", "output", "response"), "result"),
    "id": "call_id",
    "ref": "call_id",
    "name": "name",
    "error": "error",
}
_WHOLE_SIDE: Final = re.compile(
    r"(?i)(?:.*[._])?(?:(inputs?|request|prompt)|outputs?|response|completion)(?:[._](?:messages|json|value))?"
)
"""Names of all that went in or came out."""
_whole_side: Final = lru_cache(maxsize=16_384)(_WHOLE_SIDE.fullmatch)
_ROLES: Final = tuple(ROLE_OF)
_ASKED_FOR: Final = {
    **dict.fromkeys(("tools", "names"), "name"),
    **dict.fromkeys(("refs", "ids"), "call_id"),
    "calls": "calls",
}


@lru_cache(maxsize=16_384)
def _meaning(key: str) -> str:
    """What an attribute's name says that it holds; empty where its words leave it open."""
    *above, last = [word for word in snake_case(key).split("_") if word != "json"] or [""]
    if _MODELS & {*above}:
        said = "input" not in above and {"reply", "output", "response"} & {*above, last}
        return _ASKED_FOR.get(last, "beside" * (last in _SAID)) if said else ""
    if _TOOLS & {*above}:
        return _OF_A_RUN.get(last, "")
    near = above[-1] if above else ""
    who = _WHOSE.get(last) or _WHOSE.get(near) or role_of(near)
    return "system" if role_of(last) == "system" else who or "" if last in _SAID else ""


def _by_meaning(span: Span) -> dict[str, Any]:
    """What a span holds, by meaning; nothing under one that two values may have."""
    found: dict[str, Any] = {}
    for key, value in span.attributes.items():
        if value not in ("", []) and (meaning := _meaning(key)):
            found[meaning] = value if found.get(meaning, value) == value else None
    return found


def _run(span: Span, told: dict[str, Any]) -> dict[str, Any] | None:
    """A tool's run, named by an attribute or behind the word for a tool in the span's name (`tool/find_order`)."""
    opened, _, named = span.name.replace("/", " ").rpartition(" ")
    name = told.get("name") or (named if _TOOLS & {*snake_case(opened).split("_")} else None)
    if not isinstance(name, str) or not isinstance(parsed(told.get("arguments")), dict):
        return None
    error = told.get("error")
    output = read_output(told.get("result", error if isinstance(error, str) else None))
    failed = output.is_error or bool(error) or has_failed(span)
    call = {"arguments": arguments_of(told["arguments"]), "call_id": first_text(told, ("call_id",))}
    return {"kind": TOOL, "tool_name": name, **call, "result": output.text, "is_error": failed}


def _turn(told: dict[str, Any]) -> dict[str, Any] | None:
    """What was said in a turn; else what a model said and asked for: the runs of these tools know the rest."""
    said = {
        who: Step(role=who, content=text) for who, text in told.items() if isinstance(text, str)
    }
    if "user" in said and "assistant" in said:
        given = tuple(said[who] for who in ("system", "user") if who in said)
        return {"kind": AGENT, "is_turn": True, "input": given, "output": (said["assistant"],)}
    listed = (k for k in ("call_id", "name") if isinstance(told.get(k), list))
    bare = next(([{k.removeprefix("call_"): one} for one in told[k]] for k in listed), None)
    calls = tuple(read_calls({"tool_calls": told.get("calls", bare)}))
    if not calls:
        return None
    text = said["beside"].content if "beside" in said else None
    return {"kind": OTHER, "output": (Step(role="assistant", content=text, tool_calls=calls),)}


def _model_call(span: Span) -> dict[str, Any] | None:
    """A call to a model: one value that went in and one that came out are messages that name their speakers, and only the agent's came out."""
    went = (
        (_whole_side(key), parsed(value))
        for key, value in span.attributes.items()
        if _whole_side(key)
    )
    held = [(not side[1], value) for side, value in went if side and _messages_in(value)]
    if sorted(came_out for came_out, _ in held) != [False, True]:
        return None
    (_, given), (_, made) = sorted(held, key=itemgetter(0))
    answered = _messages_in(made)
    if any(ROLE_OF[one["role"]] != "assistant" for one in answered):
        return None
    tools = given.get("tools") if isinstance(given, dict) else None
    asked = read_messages({"messages": _messages_in(given), "tools": tools}, role="user")
    told = exchanged(asked, read_messages(answered, role="assistant"))
    return {"kind": MODEL, "tools": tuple(asked.tools), **told}


def _messages_in(value: Json) -> list[dict[str, Any]]:
    """The one list of messages that a value is or holds, or the one message; nothing where there are several."""
    lists = list(value.values()) if isinstance(value, dict) and "role" not in value else [value]
    found = [objects_in(one if isinstance(one, list) else [one]) for one in lists]
    told = [one for one in found if one and all(m.get("role") in _ROLES for m in one)]
    return told[0] if len(told) == 1 else []


def _fields(span: Span) -> dict[str, Any] | None:
    """What the names and values of a span say; None where they leave more than one reading, or none."""
    told = _by_meaning(span)
    return (told and (_run(span, told) or _turn(told))) or _model_call(span)


def read(span: Span) -> Reading:
    """Read one span; what a model asked for is its output, and told for the turn above it."""
    return Reading(dialect=NAME, **{"kind": OTHER, **identity(span), **(_fields(span) or {})})


DIALECT: Final = Dialect(name=NAME, claims=lambda span: _fields(span) is not None, read=read)
