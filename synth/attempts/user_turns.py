"""The user to come, from a recorded conversation: what they said after the opening, and what they did themselves.

In: a clean episode. Out: turns for the task's scripted user. Some users have tools of their own (a phone, a browser): calls in
their messages are theirs, and are made again before the words that followed them. Not here: which turn answers what (the
runtime's `user`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from environments.runtime.task.task import UserCall, UserTurn
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.recordings.attempt import opening_length, results_after


def user_turns(episode: CleanEpisode) -> tuple[UserTurn, ...]:
    """What the user said after the opening, each turn with the words it answered and what they did before it."""
    steps = episode.steps
    opening = opening_length(episode)
    last = max((i for i, s in enumerate(steps) if s.role == "assistant"), default=-1)
    turns: list[UserTurn] = []
    asked = ""
    did: list[UserCall] = []
    for index, step in enumerate(steps):
        if step.role == "assistant":
            if did:
                turns.append(UserTurn(text="", asked=asked, calls=tuple(did)))
                did = []
            asked = step.content or asked
        elif step.role == "user" and index >= opening:
            did += _calls(steps, index)
            if step.content or not step.tool_calls:
                turns.append(
                    UserTurn(
                        text=step.content or "", asked=asked, ends=index > last, calls=tuple(did)
                    )
                )
                did = []
    if did:
        turns.append(UserTurn(text="", asked=asked, ends=True, calls=tuple(did)))
    return tuple(turns)


def acts_first(episode: CleanEpisode) -> bool:
    """Whether the user did something before the policy spoke: nobody knows what the task began from."""
    return any(s.role == "user" and s.tool_calls for s in episode.steps[: opening_length(episode)])


def _calls(steps: Sequence[CleanStep], index: int) -> Iterator[UserCall]:
    results = results_after(steps, index)
    for call in steps[index].tool_calls:
        if call.call_id in results:
            answer = results[call.call_id].content or ""
            yield UserCall(name=call.name, arguments=call.arguments, result=answer)
