"""The calls of an episode as failures see them: each call with its answer, and whether the answer is an error.

Reads a clean episode; gives `SeenCall`s and what the episode's tool definitions say. Not here: what an error looks like
(`tool_errors`), what it means (`failures.signals`), how errors are grouped (`failures.texts`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

from environments.runtime.task.tool_definition import (
    functions_by_name,
    name_of,
    parameters_of,
    properties_of,
    read_definition,
)
from environments.runtime.values.literals import parse_arguments, parse_json
from environments.runtime.views.multiplexed import words_of_part
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.failures.answers import Path, comparable, learn_differing, sole_value
from synth.failures.words import name_words
from synth.tool_errors import error_of
from synth.verbs import hands_over, write_log_odds


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
    says: str | None = None
    """The result, equal where two say the same."""
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


def read_calls(
    episode: CleanEpisode, differing: frozenset[Path] = frozenset()
) -> tuple[SeenCall, ...]:
    """All calls of the episode in order, each with its result where one is there; `differing` says nothing in a result."""
    calls: list[SeenCall] = []
    waiting: dict[str, int] = {}
    for index, step in enumerate(episode.steps):
        if step.role == "tool":
            _attach(calls, waiting, index, step)
        for call in step.tool_calls:
            waiting[call.call_id] = len(calls)
            calls.append(SeenCall(step=index, name=call.name, arguments=canonical(call.arguments)))
    says = iter(comparable(_answers_of(calls), differing))
    return tuple(
        call if call.result is None else _saying(call, next(says), stripped=bool(differing))
        for call in calls
    )


def _saying(call: SeenCall, says: str, *, stripped: bool) -> SeenCall:
    """The call with its comparable answer; what is left alone in it is an envelope, in which an error may stand."""
    inner = sole_value(says) if stripped else None
    error = None if inner is None else error_of(inner)
    return replace(call, says=says, error=error or call.error)


def differing_in(episodes: Iterable[CleanEpisode]) -> frozenset[Path]:
    """Places in an app's results that differ from call to call."""
    return learn_differing(_answers_of(read_calls(one)) for one in episodes)


def _answers_of(calls: Iterable[SeenCall]) -> list[tuple[str, str]]:
    return [(call.name, call.result) for call in calls if call.result is not None]


def _attach(calls: list[SeenCall], waiting: dict[str, int], index: int, step: CleanStep) -> None:
    position = waiting.pop(step.call_id, None) if step.call_id is not None else None
    if position is None:
        return
    error = error_of(step.content, is_error=step.is_error)
    calls[position] = replace(calls[position], result_step=index, result=step.content, error=error)


def canonical(text: str) -> str:
    """JSON text with sorted keys; any other text as it is."""
    parsed = parse_json(text.strip())
    return (
        text if parsed is None else json.dumps(parsed.value, sort_keys=True, separators=(",", ":"))
    )


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
    function = read_definition(text)
    return name_of(function), str(function.get("description") or "")


def _words_of(name: str, description: str) -> ToolWords:
    # A part's name says what it does in a value; the words of its tool say the same of all parts.
    handed = hands_over(name, description)
    return ToolWords(
        name=name,
        words=tuple(word for text in words_of_part(name) for word in name_words(text)),
        changes=not handed and write_log_odds(name, description) >= 0,
        hands_over=handed,
    )


def cause_of_refusal(call: SeenCall, definitions: Iterable[str]) -> str:
    """The cause where a tool says that it does not know a call: the agent's where the call is not as the definition says, else the tool is another one."""
    functions = functions_by_name(definitions)
    if not functions:
        return "drift"
    function = functions.get(call.name)
    if function is None:
        return "wrong_tool"
    given = parse_arguments(call.arguments)
    required = parameters_of(function).get("required")
    needed = (
        {name for name in required if isinstance(name, str)}
        if isinstance(required, list)
        else set()
    )
    known = properties_of(function).keys()
    if given is None or needed - given.keys() or (known and given.keys() - known):
        return "wrong_argument"
    return "drift"
