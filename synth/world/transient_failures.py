"""Transient failures: answers of what stands before the tools (a timeout, a gateway, a rate limit), and episodes without them.

In: clean episodes. Out: the same episodes without the calls that failed so: nothing was done, and the same call at once was answered. What
is learnt, what a task's own path answers and who is believed to have changed what do not hang on such calls. Not here: refusals, which the
same call meets again.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, groupby, zip_longest
from typing import Final

from environments.runtime.values.normal import HOLE
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.tool_errors import looks_failed
from synth.world.observation import paired_results
from synth.world.support import NEARLY_ALWAYS, SEEN_THRICE, SEEN_TWICE, SELDOM, Support, accept

WITH_DIGITS: Final = re.compile(r"[\w.:+-]*\d[\w.:+-]*")
LONG: Final = 400
"""Characters: what fails before a tool is reached says little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answer:
    """One answered call."""

    call: CleanToolCall
    step: int
    """The step that answers."""
    turn: tuple[str, str, int]
    """The call as it was sent, and how often a user had spoken by then: who speaks in between may have helped."""
    text: str
    """Without numbers and without the tool's name."""


@dataclass(slots=True, kw_only=True)
class _TextAnswers:
    """One text as an answer."""

    tools: Counter[str] = field(default_factory=Counter)
    passed: int = 0
    """Times that the same call, made again until the text was gone, was answered; what fails only then says nothing."""
    stayed: int = 0
    """Times that the same call was given up while it still met the text."""


def without_transient(episodes: Sequence[CleanEpisode]) -> list[CleanEpisode]:
    """Episodes without the calls whose answer was a transient failure, and without these answers."""
    answered = [_answers(episode) for episode in episodes]
    texts = _transient_texts(answered)
    return [
        _episode_without(episode, [one for one in answers if one.text in texts])
        for episode, answers in zip(episodes, answered, strict=True)
    ]


def calls_left_out(whole: Iterable[CleanEpisode], kept: Iterable[CleanEpisode]) -> Counter[str]:
    """How many calls of each tool only the whole episodes have."""
    return _calls(whole) - _calls(kept)


def _calls(episodes: Iterable[CleanEpisode]) -> Counter[str]:
    return Counter(c.name for e in episodes for step in e.steps for c in step.tool_calls)


def _answers(episode: CleanEpisode) -> list[_Answer]:
    spoken = [*accumulate(step.role == "user" for step in episode.steps)]
    return [
        _Answer(
            call=call,
            step=at,
            turn=(call.name, call.arguments, spoken[at]),
            text=WITH_DIGITS.sub(HOLE, (episode.steps[at].content or "")[:LONG]).replace(
                call.name, HOLE
            ),
        )
        for call, at in paired_results(episode)
    ]


def _transient_texts(answered: Iterable[Sequence[_Answer]]) -> set[str]:
    """Texts that several tools tell now and then, and that hardly ever stay when the same call is made again at once."""
    calls: Counter[str] = Counter()
    told: dict[str, _TextAnswers] = defaultdict(_TextAnswers)
    for answers in answered:
        for one in answers:
            calls[one.call.name] += 1
            told[one.text].tools[one.call.name] += 1
        runs = [(key, len([*run])) for key, run in groupby(answers, lambda a: (a.turn, a.text))]
        for ((turn, first), times), after in zip_longest(runs, runs[1:]):
            if after is None or after[0][0] != turn:
                told[first].stayed += times > 1
            elif looks_failed(first) or not looks_failed(after[0][1]):
                told[first].passed += 1
    return {text for text, one in told.items() if _is_transient(one, calls)}


def _is_transient(told: _TextAnswers, calls: Mapping[str, int]) -> bool:
    support = Support(cases=told.passed, against=told.stayed)
    return (
        len(told.tools) >= SEEN_TWICE
        and accept(support, least=SEEN_THRICE, share=NEARLY_ALWAYS)
        and told.tools.total() <= SELDOM * sum(calls[name] for name in told.tools)
    )


def _episode_without(episode: CleanEpisode, failed: Sequence[_Answer]) -> CleanEpisode:
    if not failed:
        return episode
    answers = {one.step for one in failed}
    # Ids come again in one episode: a call is told by where it stands.
    gone = {id(one.call) for one in failed}
    steps = [_calling_others(s, gone) for at, s in enumerate(episode.steps) if at not in answers]
    return replace(episode, steps=tuple(steps))


def _calling_others(step: CleanStep, gone: set[int]) -> CleanStep:
    if not any(id(call) in gone for call in step.tool_calls):
        return step
    return replace(step, tool_calls=tuple(c for c in step.tool_calls if id(c) not in gone))
