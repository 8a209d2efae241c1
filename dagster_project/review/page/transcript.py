"""A conversation as the page shows it: turns with their calls and answers, cut where nobody would read on.

Comes in: messages in OpenAI shape, and the re-run whose answers had a source. Goes out: `Turn`s. Texts stay raw: the
template engine escapes them.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from environments.runtime.task.attempt import Attempt
from environments.runtime.views.multiplexed import EMPTY, Dispatched

MOST_TURNS: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRow:
    """One tool call with its answer."""

    name: str
    arguments: str
    result: str
    source: str
    """Where the re-run's answer came from; empty where the runs differ in their calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message."""

    role: str
    text: str
    calls: tuple[CallRow, ...] = field(default=())
    unanswered: bool = False
    """The scripted user had no answer here and says so."""


def turns(
    messages: Sequence[Mapping[str, Any]],
    run: Attempt | None = None,
    parts: Dispatched = EMPTY,
    *,
    sources: Sequence[str] | None = None,
    unanswered: Collection[int] = (),
) -> list[Turn]:
    """The conversation; tool results stand below the calls that asked for them, calls under the names that rubrics have.

    Where answers came from is known from a re-run, or handed in: `sources` in order of the calls. `unanswered` are the
    places of messages with which the user had no answer.
    """
    messages = [parts.as_meant(message) for message in messages]
    answers = _answers(messages)
    from_where = _sources(messages, run) if sources is None else iter(sources)
    shown: list[Turn] = []
    for place, message in enumerate(messages[:MOST_TURNS]):
        role = str(message.get("role") or "unknown")
        if role == "tool" and message.get("tool_call_id") in answers:
            continue
        calls = tuple(_call(call, answers, from_where) for call in _calls(message))
        text = _text(message.get("content"))
        shown.append(Turn(role=role, text=text, calls=calls, unanswered=place in unanswered))
    return shown


def _calls(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    calls = message.get("tool_calls")
    return [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []


def _call(call: Mapping[str, Any], answers: Mapping[str, str], sources: Iterator[str]) -> CallRow:
    function = call.get("function")
    named = function if isinstance(function, Mapping) else {}
    return CallRow(
        name=str(named.get("name") or "(no name)"),
        arguments=_pretty(_text(named.get("arguments"))),
        result=_pretty(answers.get(str(call.get("id")), "")),
        source=next(sources, ""),
    )


def _answers(messages: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    asked = {str(call.get("id")) for message in messages for call in _calls(message)}
    return {
        str(m.get("tool_call_id")): _text(m.get("content"))
        for m in messages
        if m.get("role") == "tool" and str(m.get("tool_call_id")) in asked
    }


def _sources(messages: Sequence[Mapping[str, Any]], run: Attempt | None) -> Iterator[str]:
    """The sources of the re-run's answers, where it made the same calls in the same order."""
    names = [str((c.get("function") or {}).get("name")) for m in messages for c in _calls(m)]
    made = [call for call in run.calls if not call.by_user] if run is not None else []
    if [call.name for call in made] != names:
        return iter(())
    return iter([call.result.source for call in made])


def _text(content: object) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "\n".join(str(part) for part in parts if part)
    return json.dumps(content, ensure_ascii=False, default=str)


def _pretty(text: str) -> str:
    """JSON with its structure visible, anything else as it is."""
    if len(text) > 100_000 or text[:1] not in {"{", "["}:
        return text
    try:
        return json.dumps(json.loads(text), indent=1, ensure_ascii=False)
    except (ValueError, RecursionError):
        return text
