"""The recorded attempt: a clean episode as the runtime sees an attempt.

In: a clean episode. Out: its messages in OpenAI shape, the calls with their recorded results, its actions. A call
without a recorded result was stopped before it ran or lost its answer: it is left out of the actions and counted.
Not here: where the world ended (`ends`), what the attempt is worth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from environments.runtime.task.attempt import RECORDED, Attempt, Call, Json, ToolResult
from environments.runtime.task.candidate import Action
from environments.runtime.values.literals import parse_json
from environments.runtime.views.multiplexed import EMPTY, Dispatched
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.recordings.results import Results
from synth.tool_errors import looks_failed


@dataclass(frozen=True, slots=True)
class CallAsMade:
    """One call with its result, in the form in which agents make calls and sessions answer them."""

    tool: str
    arguments: str
    content: str
    """With what the app's tools put around their results."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeAttempt:
    """One recorded episode as an attempt."""

    episode: CleanEpisode
    attempt: Attempt
    actions: tuple[Action, ...]
    """All assistant messages, without calls that have no recorded result."""
    unanswered: int
    """Calls without a recorded result."""
    as_made: tuple[CallAsMade, ...] = ()
    """The attempt's calls as they were made and answered."""


def record(
    episode: CleanEpisode, dispatched: Dispatched = EMPTY, results_read: Results | None = None
) -> EpisodeAttempt:
    """The episode as an attempt, calls of tools that are several as calls of parts; nothing re-run, results as the world reads them."""
    messages: list[Mapping[str, Json]] = []
    calls: list[Call] = []
    as_made: list[CallAsMade] = []
    actions: list[Action] = []
    unanswered = 0
    start = opening_length(episode)
    opening: int | None = None
    answers_user: set[int] = set()
    """Positions of answers that only the user saw."""
    for index, step in enumerate(episode.steps):
        if index == start:
            opening = len(messages)
        if index in answers_user:
            continue
        results = results_after(episode.steps, index)
        by_user = step.role != "assistant"
        kept = [call for call in step.tool_calls if call.call_id in results]
        unanswered += len(step.tool_calls) - len(kept)
        for call in kept:
            arguments = parse_arguments(call.arguments)
            meant = dispatched.meaning_of(call.name, arguments or {})
            result = results[call.call_id]
            told, content = _tool_result(call, result, results_read)
            as_made.append(CallAsMade(call.name, call.arguments, content))
            calls.append(
                Call(
                    name=meant.tool,
                    arguments=meant.arguments,
                    result=told,
                    message=len(messages),
                    malformed=arguments is None,
                    by_user=by_user,
                )
            )
        if by_user and step.tool_calls:
            answers = {id(result) for result in results.values()}
            answers_user |= {i for i, later in enumerate(episode.steps) if id(later) in answers}
            if not step.content:
                continue
            kept = []
        message = _message(step, tuple(call.call_id for call in kept))
        if (
            index >= start
            and step.role == "assistant"
            and (message.get("content") or message.get("tool_calls"))
        ):
            actions.append(message)
        messages.append(message)
    attempt = Attempt(
        messages=tuple(messages),
        opening=len(messages) if opening is None else opening,
        calls=tuple(calls),
    )
    return EpisodeAttempt(
        episode=episode,
        attempt=attempt,
        actions=tuple(actions),
        unanswered=unanswered,
        as_made=tuple(as_made),
    )


def results_after(steps: Sequence[CleanStep], index: int) -> dict[str, CleanStep]:
    """The results of one step's calls. Clients use a call id twice: the nearest result before its next use counts."""
    wanted = {call.call_id for call in steps[index].tool_calls}
    found: dict[str, CleanStep] = {}
    for step in steps[index + 1 :] if wanted else ():
        if step.role == "tool" and step.call_id in wanted:
            found.setdefault(step.call_id, step)
        wanted -= {call.call_id for call in step.tool_calls} - set(found)
        if len(found) >= len(wanted):
            break
    return found


def opening_length(episode: CleanEpisode) -> int:
    """How many messages stand before the agent's first answer, or its first act: words before the request are part of the opening."""
    acts = [index for index, step in enumerate(episode.steps) if step.role == "assistant"]
    asked = next((i for i, step in enumerate(episode.steps) if step.role == "user"), None)
    if asked is not None:
        acts = [index for index in acts if index > asked or episode.steps[index].tool_calls]
    return next(iter(acts), len(episode.steps))


def parse_arguments(text: str) -> dict[str, Json] | None:
    """The argument object, or None where the text is not one."""
    if not text.strip():
        return {}
    parsed = parse_json(text.strip())
    return parsed.value if parsed is not None and isinstance(parsed.value, dict) else None


def _tool_result(
    call: CleanToolCall, result: CleanStep, results_read: Results | None
) -> tuple[ToolResult, str]:
    """The result as the world reads it, and as a session gives it.

    A failure is what the source says, what looks like one anywhere, and what the app's world has learnt to be a refusal.
    """
    content = result.content or ""
    failed = bool(result.is_error) or looks_failed(content)
    if results_read is None:
        return ToolResult(content=content, source=RECORDED, is_error=failed), content
    read = results_read.read(call.name, call.arguments, content)
    is_error = failed or read.refused
    return ToolResult(content=read.plain, source=RECORDED, is_error=is_error), read.as_given


def _message(step: CleanStep, kept: tuple[str, ...]) -> dict[str, Json]:
    message: dict[str, Json] = {"role": step.role, "content": step.content}
    if step.role == "tool":
        message["tool_call_id"] = step.call_id
    if kept:
        message["tool_calls"] = [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for call in step.tool_calls
            if call.call_id in kept
        ]
    return message
