"""Tools at which learning failed: episodes without them, to learn all others from, and what is recorded of them.

In: clean episodes and the names of such tools. Out: episodes that end before the first call which may have changed something nobody
understands, or without calls that only look: a valid, smaller record of the same backend, so that nothing is believed with less care; and
the `recorded` part of the world file. Not here: which tools these are (`dagster_project.worlds.fallback_worlds`), how it is told
(`environments.runtime.answers.recorded_only`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from environments.runtime.answers.recorded_only import past_key
from environments.runtime.document.recordings import RecordedPart, TruePast, UnlearntPart
from environments.runtime.document.world_file import WorldDocument
from environments.runtime.task.tool_definition import name_of, read_definition
from environments.runtime.values.literals import parse_arguments
from environments.runtime.values.normal import unwrap
from environments.runtime.world.entries import asked_text, read_call_text
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.tool_errors import looks_failed
from synth.world.document import holds_withheld
from synth.world.observation import paired_results, without_calls

SAYS: Final = "recordings only: learning it failed"
_FORM: Final = re.compile(r"[\[\]{}\"':,<>=|#&*-]+")


def without_tools(
    episodes: Sequence[CleanEpisode], tools: Collection[str], looks: Collection[str]
) -> list[CleanEpisode]:
    """Episodes to learn from: without the calls of tools that only look, up to the first call of any other of these."""
    gone = _defining(episodes, tools)
    return [_episode_without(episode, tools, looks, gone) for episode in episodes]


def _episode_without(
    episode: CleanEpisode, tools: Collection[str], looks: Collection[str], gone: set[str]
) -> CleanEpisode:
    steps = list(episode.steps)
    for at, step in enumerate(steps):
        if any(call.name in tools and call.name not in looks for call in step.tool_calls):
            steps = steps[:at]
            break
    kept = replace(
        episode, steps=tuple(steps), tools=tuple(t for t in episode.tools if t not in gone)
    )
    return without_calls(kept, lambda call: call.name in looks)


def _defining(episodes: Sequence[CleanEpisode], tools: Collection[str]) -> set[str]:
    texts = {text for episode in episodes for text in episode.tools}
    return {text for text in texts if name_of(read_definition(text)) in tools}


def in_words(episodes: Sequence[CleanEpisode], tools: Collection[str]) -> list[CleanEpisode]:
    """Episodes in which the results of some tools are nothing but their words, and nothing defines these tools."""
    gone = _defining(episodes, tools)
    return [_in_words(episode, tools, gone) for episode in episodes]


def _in_words(episode: CleanEpisode, tools: Collection[str], gone: set[str]) -> CleanEpisode:
    steps = list(episode.steps)
    for call, at in paired_results(episode):
        if call.name in tools:
            words = " ".join(_FORM.sub(" ", steps[at].content or "").split())
            steps[at] = replace(steps[at], content=f"said {words}")
    return replace(
        episode, steps=tuple(steps), tools=tuple(t for t in episode.tools if t not in gone)
    )


def recorded_part(
    episodes: Sequence[CleanEpisode],
    document: WorldDocument,
    why: Mapping[str, str],
    looks: Collection[str],
) -> RecordedPart:
    """The `recorded` part of a world file: by everything called before, what calls were answered. `why` says what failed, by tool."""
    world = World(document)
    told: dict[str, dict[str, dict[tuple[str, bool], list[str]]]] = {}
    for episode in episodes:
        envelope = world.envelopes.get(episode.agent or "")
        for past, call, step in _recorded_answers(episode, world, why, looks):
            content = unwrap(step.content or "", envelope)
            if holds_withheld(content):
                continue
            failed = bool(step.is_error) or looks_failed(content)
            at = told.setdefault(past_key(past), {}).setdefault(call, {})
            at.setdefault((content, failed), []).append(episode.episode_id)
    # Answers that differ after the very same calls are a clock's or dice's: another episode was told something else.
    varying = {
        call.partition(" ")[0]
        for calls in told.values()
        for call, answers in calls.items()
        if len(answers) > 1
    }
    return RecordedPart(
        tools={
            name: UnlearntPart(looks=name in looks, says=SAYS, fault=fault)
            for name, fault in sorted(why.items())
        },
        told={
            past: {
                call: tuple(
                    TruePast(
                        content=content,
                        failed=failed,
                        episodes=tuple(sorted(ids)),
                        varies=read_call_text(call)[0] in varying,
                    )
                    for (content, failed), ids in sorted(answers.items())
                )
                for call, answers in sorted(calls.items())
            }
            for past, calls in sorted(told.items())
        },
    )


def _recorded_answers(
    episode: CleanEpisode, world: World, tools: Collection[str], looks: Collection[str]
) -> Iterator[tuple[tuple[str, ...], str, CleanStep]]:
    """What sessions will be told from recordings: the calls before, the call, and its answer."""
    results = {id(call): at for call, at in paired_results(episode)}
    past: tuple[str, ...] = ()
    dark = False
    for made in (call for step in episode.steps for call in step.tool_calls):
        known = world.tools.get(made.name)
        changes = made.name not in looks and (known is None or not known.innocent)
        if parse_arguments(made.arguments) is None:
            continue  # no such call reaches a tool
        at = results.get(id(made))
        if at is None and changes:
            return  # nobody knows what it did
        call = asked_text(made.name, made.arguments)
        dark = dark or (made.name in tools and made.name not in looks)
        if at is not None and (dark or made.name in tools):
            yield past, call, episode.steps[at]
        if changes:
            past = (*past, call)
