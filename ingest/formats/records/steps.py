"""An item that is a step of an agent: a tool's call and what the tool returned, in one object.

Comes in: an item of a list, under any of the names in use (`tool`/`parameters`/`result`, `action`/`observation`, a call of its own
object). Goes out: its calls and results as OpenAI's messages have them. A tool's definition has a name and parameters, too: it
describes itself and returns nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, Final

from ingest.dialects.parts import first_of
from ingest.formats.records.words import KNOWN_AS, snake_case
from ingest.records.call_names import (
    ARGUMENTS,
    CALL_IDS,
    CALL_LISTS,
    CALLS,
    FAILURES,
    RESULT_LISTS,
    RESULTS,
    TOOLS,
)
from ingest.records.text import Json, json_text, load_json, objects_in

_DESCRIBES: Final = ("description", "doc")
_LONGEST_NAME: Final = 64
_PLAIN: Final = TOOLS[:4]
_MOST_WORDS: Final = 4
"""Words of a name under a key that can only be a tool's: `Weather Data:get_wind`."""
_DIGITS: Final = 4
"""Digits of the number of a step."""
_SENTENCE: Final = 3
"""Words from which a text is something that is said, and no id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentStep:
    """The calls of one item and their results."""

    calls: list[dict[str, Any]]
    results: list[dict[str, Any]] = field(default_factory=list)
    is_below: bool = False
    """Whether the call stands in a list below the item: what the item says was said after it."""


def step_in(item: Json, *, needs_result: bool = True) -> AgentStep | None:
    """The step that an item is; None where it names no tool with arguments, or (`needs_result`) has no place for a result."""
    if not isinstance(item, dict):
        return None
    own = _folded(item)
    if any(key in own for key in _DESCRIBES):
        return None
    found = _step_of(own, needs_result=needs_result)
    if found is not None:
        return found
    below = [one for value in own.values() if isinstance(value, list) for one in value[:1]]
    inner = next((step for one in below if (step := _called_below(one)) is not None), None)
    return (
        None
        if inner is None
        else AgentStep(calls=inner.calls, results=inner.results, is_below=True)
    )


def is_idle(item: Json) -> bool:
    """Whether an item is a step in which no tool was called: it has places for calls and a result, with nothing in them."""
    own = {snake_case(key): one for key, one in item.items()} if isinstance(item, dict) else {}
    places = [key for key in (*CALL_LISTS, *RESULTS) if key in own]
    return len(places) > 1 and not any(own[key] for key in places) and places[0] in CALL_LISTS


def _folded(value: dict[str, Any]) -> dict[str, Any]:
    """An object under the names that readers know."""
    own = {snake_case(key): one for key, one in opened(value).items()}
    return {KNOWN_AS.get(key, key): one for key, one in own.items()} | own


def opened(item: dict[str, Any]) -> dict[str, Any]:
    """An item with the fields of the call that stands in its `request`, beside what came of it."""
    inner = item.get("request")
    is_call = isinstance(inner, dict) and any(key in inner for key in _PLAIN) and call_of(inner)
    return {**item, **inner} if is_call and isinstance(inner, dict) else item


def _called_below(value: Json) -> AgentStep | None:
    """A step in a list below: only where an object of its own holds the call, as lists of anything have names."""
    if not isinstance(value, dict):
        return None
    own = _folded(value)
    if not any(isinstance(own.get(key), dict) for key in CALLS):
        return None
    return _step_of(own, needs_result=True)


def _step_of(own: dict[str, Any], *, needs_result: bool) -> AgentStep | None:
    key = next((key for key in RESULTS if key in own), None)
    # A call that failed may have an error where others have a result.
    failed = first_of(own, *FAILURES)
    if key is None and needs_result and not isinstance(failed, str):
        return None
    calls = list(_calls(own))
    if not calls:
        return None
    told = None if key is None else own[key]
    failed = failed if told is None else None
    failed = failed.get("message") if isinstance(failed, dict) else failed
    told = failed if isinstance(failed, str) else told  # what came in the place of a result
    calls, told = _by_tool(calls, told)
    named = [{**call, "id": call.get("id") or f"step_{n}"} for n, call in enumerate(calls)]
    if told is None or (told == [] and key in RESULT_LISTS):
        return AgentStep(calls=named)
    if listed := _listed_results(told, [call["id"] for call in named]):
        return AgentStep(calls=named, results=listed)
    if isinstance(told, str) and len(told.strip().splitlines()) == len(named) > 1:
        told = told.strip().splitlines()  # what several calls brought, each in a line
    several = told if isinstance(told, list) and len(told) == len(named) > 1 else [told]
    # One text about several calls is the result of none of them.
    is_whose = len(several) == len(named)
    results = [
        {"tool_call_id": call["id"] if is_whose else None, "content": json_text(one)}
        | ({"is_error": True} if isinstance(failed, str) else {})
        for call, one in zip_longest(named[: len(several)], several)
    ]
    return AgentStep(calls=named, results=results)


def _listed_results(told: Json, asked: list[str]) -> list[dict[str, Any]]:
    """The results that an object does nothing but list (`{"results": [{"content": …}]}`), each maybe with its call's id.

    A terminal does not say whose its screen is: of as many as were asked for, each is the next one's.
    """
    listed = told["results"] if isinstance(told, dict) and [*told] == ["results"] else None
    seen = objects_in(listed)
    ids = [
        next((one[k] for k in (*CALL_IDS, "source_call_id") if one.get(k)), None) for one in seen
    ]
    whose = asked if len(asked) == len(seen) and not any(ids) else ids
    return [
        {"tool_call_id": name if name in asked else None, "content": one["content"]}
        for one, name in zip(seen, whose, strict=True)
        if "content" in one
    ]


def _by_tool(calls: list[dict[str, Any]], told: Json) -> tuple[list[dict[str, Any]], Json]:
    """The calls of a step whose arguments and results stand under their tools' names: `{"find": {"id": 1}}`, several at once."""
    if len(calls) != 1:
        return calls, told
    function = calls[0]["function"]
    given = load_json(function["arguments"].encode("utf-8", "replace"))
    names = function["name"].split(";")
    if not isinstance(given, dict) or set(given) != set(names):
        return calls, told
    if not all(isinstance(one, dict) for one in given.values()):
        return calls, told
    results = load_json(told.encode("utf-8", "replace")) if isinstance(told, str) else told
    listed = results if isinstance(results, dict) and set(results) == set(names) else {}
    apart = [
        {"type": "function", "function": {"name": name, "arguments": json_text(given[name])}}
        for name in names
    ]
    if not listed:
        return apart, told
    return apart, [listed[name] for name in names] if len(names) > 1 else listed[names[0]]


def numbered_items(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The items whose fields an object numbers: `tool_name_0`, `observation_0`, `tool_name_1`; none where a field has no number."""
    items: dict[int, dict[str, Any]] = {}
    for key, one in value.items():
        word, _, number = key.rpartition("_")
        if not word or not number.isdecimal() or len(number) > _DIGITS:
            return []
        items.setdefault(int(number), {})[word] = one
    return [item for _, item in sorted(items.items())]


def _calls(own: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The calls that an object holds: listed, as an object of their own, or in its own fields."""
    lists = (own[key] for key in CALL_LISTS if isinstance(own.get(key), list))
    listed: list[Any] = next(lists, [])
    # Where `actions` are acts of speech, an object beside them is the call.
    objects = [own[key] for key in CALLS if isinstance(own.get(key), dict)][:1]
    places = [one for one in (listed, objects) if one] or [[own]]
    told = ([*map(call_of, objects_in(place))] for place in places)
    found = ([call for call in calls if call is not None] for calls in told)
    yield from next(filter(None, found), [])


def call_of(value: dict[str, Any]) -> dict[str, Any] | None:
    """An object that names a tool and its arguments, as a call; None where it does not."""
    own = _folded(value)
    inner = own.get("function")
    if isinstance(inner, dict):
        own = {**own, **{snake_case(key): one for key, one in inner.items()}}
    named = (
        key for key in TOOLS if _is_tool(own.get(key), most=_MOST_WORDS if key in _PLAIN else 1)
    )
    name = next((own[key] for key in named), None)
    # A call in the form of a model's API may have text for arguments: a program.
    text = str if isinstance(inner, dict) else dict
    key = next((k for k in ARGUMENTS if _are_arguments(own.get(k), text)), None)
    if name is None or key is None:
        return None
    identity = next((own[one] for one in (*CALL_IDS, "id") if isinstance(own.get(one), str)), None)
    call = {"type": "function", "function": {"name": name, "arguments": json_text(own[key])}}
    return call if identity is None else {**call, "id": identity}


def said_by(step: AgentStep) -> str | None:
    """What the agent says by a call that no tool answers: its one argument, where that is a sentence."""
    if step.results or len(step.calls) != 1:
        return None
    arguments = load_json(step.calls[0]["function"]["arguments"].encode("utf-8", "replace"))
    given = list(arguments.values()) if isinstance(arguments, dict) else []
    if len(given) != 1 or not isinstance(given[0], str):
        return None
    words = [word for word in given[0].split() if word.strip(".,;:!?").isalpha()]
    return given[0] if len(words) >= _SENTENCE else None


def _is_tool(value: Json, *, most: int) -> bool:
    short = isinstance(value, str) and len(value) <= _LONGEST_NAME
    return (
        short and 0 < len(str(value).split()) <= most and not str(value).endswith((".", "?", "!"))
    )


def _are_arguments(value: Json, text: type) -> bool:
    if isinstance(value, dict | text):
        return True
    if not isinstance(value, str) or value.lstrip()[:1] != "{":
        return False
    return isinstance(load_json(value.encode("utf-8", "replace")), dict)
