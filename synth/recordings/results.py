"""Recorded results as the learnt world of their app reads them: what is inside, and whether it is a refusal.

Comes in: an app's world and an episode, then its answered calls in order. Goes out: each result without what only stands around it, and
whether the world takes it for a refusal: an app's own way to refuse is learnt in one place. Not here: what fails whatever the app
(`synth.tool_errors`), learning (`synth.world`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from environments.runtime.play.environment import Session
from environments.runtime.task.attempt import UNKNOWN, Attempt, Json, ToolResult
from environments.runtime.values.literals import parse_arguments
from environments.runtime.values.normal import unwrap
from environments.runtime.views.clock_and_ids import MarkedResults
from environments.runtime.views.view import CallInFlight, View
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.world.subjects import subject_of


@dataclass(frozen=True, slots=True)
class Read:
    """One result, read."""

    plain: str
    """What it says, without what stands around every result; times, ids and tokens as they were told."""
    as_given: str
    """As a session of the world gives it to the episode's agent."""
    refused: bool


def plain_result(world: World, tool: str, content: str) -> str:
    """A result of a tool, or of a part of one, without what stands around every result: recorded or given by the world."""
    asked = CallInFlight(tool, {})
    for view in world.views:
        if not isinstance(view, MarkedResults):
            content = view.strip_result(asked, content, {})
    return content


def without_drawn(world: World, tool: str, content: str) -> str:
    """A result as it is read, with marks in place of the times and ids that every call draws anew."""
    asked = CallInFlight(tool, {})
    for view in world.views:
        if isinstance(view, MarkedResults):
            content = view.strip_result(asked, content, {})
    return content


@dataclass(frozen=True, slots=True)
class PlainSession:
    """A session whose answers read as recorded results do."""

    session: Session
    world: World

    def call(self, name: str, arguments: Mapping[str, Json]) -> ToolResult:
        """The tool's answer, without what stands around it."""
        result = self.session.call(name, arguments)
        told = plain_result(self.world, self.world.part_name(name, arguments), result.content)
        return result if result.source == UNKNOWN else replace(result, content=told)


def plain_attempt(world: World, attempt: Attempt) -> Attempt:
    """An attempt made in the world, its results as recorded ones are read."""
    if not world.views:
        return attempt
    calls = (
        c
        if c.result.source == UNKNOWN
        else replace(
            c, result=replace(c.result, content=plain_result(world, c.name, c.result.content))
        )
        for c in attempt.calls
    )
    return replace(attempt, calls=tuple(calls))


@dataclass(frozen=True, slots=True)
class Results:
    """The results of one episode."""

    world: World
    views: tuple[View, ...]
    """Opened for this episode: some of them remember what was told before."""
    caller: str

    @classmethod
    def of_episode(cls, world: World, episode: CleanEpisode) -> Self:
        """Those of an episode that has told nothing yet."""
        subject = subject_of(episode, world.prompt_subject)
        views = tuple(view.opened(episode.started_at, subject) for view in world.views)
        return cls(world, views, episode.agent or "")

    def read(self, tool: str, arguments: str, content: str) -> Read:
        """The next result."""
        envelope = self.world.envelopes.get(self.caller)
        asked, as_given = CallInFlight(tool, arguments), unwrap(content, envelope)
        inside = as_given
        for view in self.views:
            inside = view.observed(asked, inside)
        meant = self.world.part_name(tool, arguments)
        plain = plain_result(self.world, meant, as_given)
        known, given = self.world.tools.get(asked.version), parse_arguments(asked.arguments)
        if known is None or given is None:
            return Read(plain, as_given, refused=False)
        return Read(plain, as_given, refused=known.refused(inside, known.normal(given)) is True)
