"""Spans under an app's own names, where these say in plain words whose a text is: `acme.tool.args_json` and `app.customer.message`, but not `input`.

Read are a turn (on one span what a user said and what the agent replied), a tool's run (under a tool's words its arguments, a JSON object), and what a
model said beside the tools that it asked for. Two texts that may be the same thing are neither.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Final

from ingest.dialects.attributes import arguments_of, first_text, parsed
from ingest.dialects.identity import has_failed, identity
from ingest.dialects.messages import (
    CALL_ITEMS,
    RESULT_ITEMS,
    ROLE_OF,
    exchanged,
    read_messages,
    response_in,
)
from ingest.dialects.parts import first_of, read_calls
from ingest.dialects.reading import AGENT, MODEL, OTHER, TOOL, Dialect, Reading
from ingest.dialects.tool_output import read_output
from ingest.formats.records.words import role_of, snake_case
from ingest.records.episode import Step
from ingest.records.span import Span
from ingest.records.text import Json, objects_in, type_of

NAME: Final = "own_spans"

_TOOLS: Final = frozenset({"tool", "function"})
_MODELS: Final = frozenset({"model", "llm"})
_WHOSE: Final = {"question": "user", "reply": "assistant", "answer": "assistant"}
_ANSWERED: Final = frozenset({"reply", "output", "response", "completion"})
_SAID: Final = frozenset({*_WHOSE, *_ANSWERED, "message", "text", "content", "prompt", "utterance"})
_ASKED: Final = frozenset({"input", "query"})
_BARE_ANSWERS: Final = frozenset({"response", "completion"})
"""Somebody's, which a user's words on the same span tell."""
_OFFERED: Final = frozenset({"tools", "functions"})
_OF_A_RUN: Final = {
    **dict.fromkeys(("arguments", "args", "input", "params", "parameters"), "arguments"),
    **dict.fromkeys(("result", "output", "response"), "result"),
    "id": "call_id",
    "ref": "call_id",
    "name": "name",
    "error": "error",
}
_WHOLE_SIDE: Final = re.compile(
    r"(?i)(?:.*[._])?(?:(inputs?|request|prompt|(?<=[._])messages)|outputs?|response|completion)"
    r"(?:[._](?:messages?|json|value|body|payload))?"
)
"""Names of all that went in or came out."""
_whole_side: Final = lru_cache(maxsize=16_384)(_WHOLE_SIDE.fullmatch)
_ROLES: Final = tuple(ROLE_OF)
_CALLING: Final = frozenset({*_MODELS, "chat", "completion", "generate", "generation"})
_ITEMS: Final = frozenset({*CALL_ITEMS, *RESULT_ITEMS, "reasoning"})
_PROMPTS: Final = ("system", "instructions", "system_instruction", "systemInstruction")
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
        said = "input" not in above and _ANSWERED & {*above, last}
        if said:
            return _ASKED_FOR.get(last, "beside" * (last in _SAID))
        return "offered" if last in _OFFERED else "system" * ("system" in {role_of(last), *above})
    if _TOOLS & {*above}:
        return "calls" if last == "calls" else _OF_A_RUN.get(last, "")
    near = above[-1] if above else ""
    if last in _ASKED and role_of(near) == "user":
        return "user"
    who = _WHOSE.get(last) or _WHOSE.get(near) or role_of(near)
    bare = "response" * (last in _BARE_ANSWERS)
    return "system" if role_of(last) == "system" else who or bare if last in _SAID else ""


def _by_meaning(span: Span) -> dict[str, Any]:
    """What a span holds, by meaning; nothing under one that two values may have."""
    found: dict[str, Any] = {}
    for key, value in span.attributes.items():
        if value not in ("", []) and (meaning := _meaning(key)):
            found[meaning] = value if found.get(meaning, value) == value else None
    return found


def _run(span: Span, told: dict[str, Any]) -> dict[str, Any] | None:
    """A tool's run, named by an attribute or behind the word for a tool in the span's name (`tool/find_order`, `tool:find_order`)."""
    opened, _, named = re.sub(r"[/:]", " ", span.name).rpartition(" ")
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
    if "user" in told:
        told = {"assistant": told.get("response"), **told}
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


def _model_call(span: Span, told: dict[str, Any]) -> dict[str, Any] | None:
    """A call to a model: one value that went in is messages that name their speakers or a request's body, and only the agent's came out.

    That is messages or a response's body, or by its name what the model said or asked for.
    """
    sides = [(key, side) for key in span.attributes if (side := _whole_side(key))]
    held = ((bool(side[1]), parsed(span.attributes[key])) for key, side in sides)
    read = [(went_in, value, _messages_in(value)) for went_in, value in held if value]
    given = [(value, asked) for went_in, value, asked in read if went_in and asked]
    made = [told_out for went_in, _, told_out in read if not went_in and told_out]
    if len(given) != 1 or len(made) > 1:
        return None
    answered = read_messages(made[0] if made else _answer(span, told), role="assistant")
    if not answered.steps or any(step.role != "assistant" for step in answered.steps):
        return None
    body, asked = given[0]
    around = {"tools": told.get("offered"), "system": told.get("system")}
    if isinstance(body, dict):
        around |= _prompt_and_tools(body)
    went_in = read_messages({**around, "messages": asked}, role="user")
    model = first_of(body, "model")
    named = {"model": model} if isinstance(model, str) else {}
    return {"kind": MODEL, "tools": tuple(went_in.tools), **named, **exchanged(went_in, answered)}


def _prompt_and_tools(body: dict[str, Any]) -> dict[str, Any]:
    """What the body of a request holds beside its messages, as every model's API names it."""
    held = first_of(body, "tool_config", "toolConfig")
    tools = first_of(body, "tools") or first_of(held, "tools")
    system = first_of(body, *_PROMPTS)
    told = {
        "tools": tools,
        "system": {"role": "system", **system} if isinstance(system, dict) else system,
    }
    return {key: value for key, value in told.items() if value}


def _answer(span: Span, told: dict[str, Any]) -> dict[str, Any] | None:
    """What a model said and asked for, in attributes of their own."""
    outs = [v for key, v in span.attributes.items() if (side := _whole_side(key)) and not side[1]]
    is_call = not _CALLING.isdisjoint(snake_case(span.name).split("_"))
    alone = outs[0] if is_call and len(outs) == 1 else None
    text = told.get("beside", told.get("assistant", alone))
    said = {"content": text if isinstance(text, str) else None, "tool_calls": told.get("calls")}
    return {"role": "assistant", **said} if any(said.values()) else None


def _messages_in(value: Json) -> list[dict[str, Any]]:
    """The one list of messages that a value is or holds, or the one message, also inside a response's body; nothing where there are several."""
    body = value if isinstance(value, dict) and "role" not in value else {}
    told_in = response_in(body)
    lists = [told_in] if told_in is not None else list(body.values()) if body else [value]
    found = [objects_in(one if isinstance(one, list) else [one]) for one in lists]
    told = [one for one in found if one and _are_messages(one)]
    asked = body.get("input")
    if not told and isinstance(asked, str) and asked and "model" in body:
        return [{"role": "user", "content": asked}]
    return told[0] if len(told) == 1 else []


def _are_messages(items: list[dict[str, Any]]) -> bool:
    return all(one.get("role") in _ROLES or type_of(one) in _ITEMS for one in items)


def _fields(span: Span) -> dict[str, Any] | None:
    """What the names and values of a span say; None where they leave more than one reading, or none."""
    told = _by_meaning(span)
    return (told and _run(span, told)) or _model_call(span, told) or (told and _turn(told)) or None


def read(span: Span) -> Reading:
    """Read one span; what a model asked for is its output, and told for the turn above it."""
    return Reading(dialect=NAME, **{"kind": OTHER, **identity(span), **(_fields(span) or {})})


DIALECT: Final = Dialect(name=NAME, claims=lambda span: _fields(span) is not None, read=read)
