"""The user to come, from a recorded conversation: what they said after the opening, and what they did themselves.

In: a clean episode. Out: turns for the task's scripted user. Some users have tools of their own (a phone, a browser): calls in
their messages are theirs, and are made again before the words that followed them. Not here: which turn answers what (the
runtime's `user`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from environments.runtime.play.user_recording import is_specific, words_of
from environments.runtime.task.task import UserCall, UserTurn
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.recordings.attempt import opening_length, results_after

MOST_OTHERS: Final = 24
"""Answers of other recordings that a task's user knows."""


def user_turns(episode: CleanEpisode) -> tuple[UserTurn, ...]:
    """What the user said after the opening, each turn with the words it answered and what they did before it."""
    steps = episode.steps
    opening = opening_length(episode)
    last = max((i for i, s in enumerate(steps) if s.role == "assistant"), default=-1)
    turns: list[UserTurn] = []
    asked = ""
    acted = False
    did: list[UserCall] = []
    for index, step in enumerate(steps):
        if step.role == "assistant":
            if did:
                turns.append(UserTurn(text="", asked=asked, calls=tuple(did)))
                did = []
            asked = step.content or asked
            acted |= bool(step.tool_calls)
        elif step.role == "user" and index >= opening:
            did += _calls(steps, index)
            if step.content or not step.tool_calls:
                turns.append(
                    UserTurn(
                        text=step.content or "",
                        asked=asked,
                        ends=index > last,
                        calls=tuple(did),
                        after_calls=acted,
                    )
                )
                acted, did = False, []
    if did:
        turns.append(UserTurn(text="", asked=asked, ends=True, calls=tuple(did)))
    return tuple(turns)


def turns_of_other_recordings(
    turns: Sequence[UserTurn], others: Iterable[Sequence[UserTurn]], known: str
) -> tuple[UserTurn, ...]:
    """What the same user answered in other recordings to questions that nobody asked in this one.

    In: the user's turns of this recording, those of the others, and the texts that say what the request is about: an answer that names
    anything else is another request's.
    """
    asked = {words_of(turn.asked) for turn in turns}
    about = words_of(known).union(*(words_of(turn.text) for turn in turns))
    found: list[UserTurn] = []
    for turn in (turn for other in others for turn in other):
        question = words_of(turn.asked)
        strange = {w for w in words_of(turn.text) - about if is_specific(w)}
        if "?" in turn.asked and question not in asked and not (strange or turn.ends or turn.calls):
            asked.add(question)
            found.append(replace(turn, other_recording=True))
    return tuple(found[:MOST_OTHERS])


def acts_first(episode: CleanEpisode) -> bool:
    """Whether the user did something before the policy spoke: nobody knows what the task began from."""
    return any(s.role == "user" and s.tool_calls for s in episode.steps[: opening_length(episode)])


def _calls(steps: Sequence[CleanStep], index: int) -> Iterator[UserCall]:
    results = results_after(steps, index)
    for call in steps[index].tool_calls:
        if call.call_id in results:
            answer = results[call.call_id].content or ""
            yield UserCall(name=call.name, arguments=call.arguments, result=answer)
