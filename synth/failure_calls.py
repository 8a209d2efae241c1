"""The calls of an episode as failures see them: each call with its answer, and whether the answer is an error.

Reads a clean episode; gives `SeenCall`s and what the episode's tool definitions say. Knows no app: an error is what the
source marks as one, what stands in a field for errors, or a text that begins like one. Not here: what it means
(`failure_signals`), how errors are grouped (`failure_texts`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from environments.runtime.world_dispatched import spoken
from redact.clean_episode import CleanEpisode, CleanStep
from synth.failure_words import ERROR_START, HAND_OVER_VERBS, HUMANS, READ_VERBS, name_words
from synth.tool_content import layers, says_error

_WRAPPED: Final = re.compile(r"^\s*#?\s*[A-Za-z_]\w*\s*=\s*(\S.*)$", re.DOTALL)
"""A caller's own envelope around a result: `# result_3 = "..."`."""
_ERROR_FIELDS: Final = ("error", "errors", "exception", "error_message", "errorMessage", "fault")
_TEXT_FIELDS: Final = (
    "message",
    "detail",
    "details",
    "description",
    "reason",
    "error",
    "msg",
    "title",
)
_FALSE_FIELDS: Final = ("success", "ok", "succeeded", "isSuccess")
_STATUS_FIELDS: Final = ("status_code", "statusCode", "http_status", "httpStatus")
_HEAD: Final = 200
"""How much of a text tells that it is an error; bounded, because a result may be megabytes of anything."""
_STATUS_WORDS: Final = frozenset({"error", "failed", "failure", "fail"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenCall:
    """One tool call with the answer it got."""

    step: int
    """Index of the assistant step."""
    name: str
    arguments: str
    """Canonical JSON where the text was JSON, else the text."""
    result_step: int | None = None
    result: str | None = None
    error: str | None = None
    """The error's message; None when the call did not fail as far as anyone says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolWords:
    """What a tool's definition says about it, in words only."""

    name: str
    words: tuple[str, ...]
    changes: bool
    """Words suggest that it changes something (a guess: the world learns the truth from calls)."""
    hands_over: bool


def read_calls(episode: CleanEpisode) -> tuple[SeenCall, ...]:
    """All calls of the episode in order, each with its result where one is there."""
    calls: list[SeenCall] = []
    waiting: dict[str, int] = {}
    for index, step in enumerate(episode.steps):
        if step.role == "tool":
            _attach(calls, waiting, index, step)
        for call in step.tool_calls:
            waiting[call.call_id] = len(calls)
            calls.append(SeenCall(step=index, name=call.name, arguments=canonical(call.arguments)))
    return tuple(calls)


def _attach(calls: list[SeenCall], waiting: dict[str, int], index: int, step: CleanStep) -> None:
    position = waiting.pop(step.call_id, None) if step.call_id is not None else None
    if position is None:
        return
    error = error_of(step.content, is_error=step.is_error)
    calls[position] = replace(calls[position], result_step=index, result=step.content, error=error)


def canonical(text: str) -> str:
    """JSON text with sorted keys; any other text as it is."""
    try:
        return json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"))
    except (ValueError, RecursionError):
        return text


def error_of(content: str | None, *, is_error: bool | None = None) -> str | None:
    """The error message in a tool result, or None when nothing says that the call failed."""
    text = content or ""
    value: object = text
    for value in layers(text):
        if isinstance(value, dict):
            is_error = is_error or says_error(value)
            message = _message(value)
            if message is not None:
                return message
    message = _message(value)
    if message is None and is_error:
        return value if isinstance(value, str) and value else text or "error"
    return message


def unwrapped(text: str) -> object:
    """The result as a JSON value without a caller's envelope; a text that is not JSON stays a text."""
    inner = _WRAPPED.match(text)
    for candidate in (text, inner.group(1) if inner else None):
        if candidate is None:
            continue
        try:
            parsed: object = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        return parsed
    return text


def _message(value: object) -> str | None:
    if isinstance(value, str):
        return value if ERROR_START.match(value[:_HEAD]) else None
    if not isinstance(value, Mapping):
        return None
    for name in _ERROR_FIELDS:
        if value.get(name):
            return _text_of(value[name])
    failed = any(value.get(name) is False for name in _FALSE_FIELDS)
    status = str(value.get("status", "")).lower() in _STATUS_WORDS
    code = any(_is_failed_status(value.get(name)) for name in _STATUS_FIELDS)
    return _text_of(value) if failed or status or code else None


def _is_failed_status(code: object) -> bool:
    return isinstance(code, int) and 400 <= code < 600


def _text_of(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        for name in _TEXT_FIELDS:
            if isinstance(value.get(name), str) and value[name]:
                return str(value[name])
    if isinstance(value, list) and value:
        return _text_of(value[0])
    return "error"


def tool_words(definitions: Iterable[str], called: Iterable[str]) -> dict[str, ToolWords]:
    """What is known in words of every tool that is offered or was called."""
    known: dict[str, ToolWords] = {}
    for text in definitions:
        name, description = _definition(text)
        if name:
            known[name] = _words_of(name, description)
    for name in called:
        known.setdefault(name, _words_of(name, ""))
    return known


def _definition(text: str) -> tuple[str, str]:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return "", ""
    function = parsed.get("function", parsed) if isinstance(parsed, dict) else None
    if not isinstance(function, dict):
        return "", ""
    return str(function.get("name", "")), str(function.get("description", ""))


def _words_of(name: str, description: str) -> ToolWords:
    # A part's name says what it does in a value; the words of its tool say the same of all parts.
    said = [name_words(text) for text in spoken(name)]
    words = tuple(word for found in said for word in found)
    first = name_words(description[:80])[:1]
    starts = [word for found in said for word in found[:2]]
    named_read = any(word in READ_VERBS - {"return", "returns"} for word in starts)
    hands_over = bool(HAND_OVER_VERBS & set(words)) and bool(
        HUMANS.search(" ".join(words)) or HUMANS.search(description)
    )
    return ToolWords(
        name=name,
        words=words,
        changes=not named_read and not (first and first[0] in READ_VERBS) and not hands_over,
        hands_over=hands_over,
    )
