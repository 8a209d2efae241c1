"""Where tasks begin: the learnt world of an app at an episode's start.

In: a learnt world. Out: sessions that begin where an episode did, and where they end. Not here: which tasks there are (`tasks`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from environments.runtime.document.world_file import WorldDocument
from environments.runtime.task.attempt import EndState, Json
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.recordings.attempt import EpisodeAttempt
from synth.recordings.attempt_facts import Facts
from synth.recordings.results import PlainSession
from synth.solutions.plans import Plan


class LearntWorld(Protocol):
    """What derivation needs of a learnt world (`synth.worlds`)."""

    @property
    def document(self) -> WorldDocument:
        """The world file."""
        ...

    def start_of(self, episode: CleanEpisode) -> Mapping[str, Any]:
        """The state at an episode's start."""
        ...


@dataclass(frozen=True, slots=True)
class Start:
    """Where a group's task begins."""

    world: World
    start: Mapping[str, Any]
    at: int

    def believing(self, plan: Plan) -> Start:
        """The same beginning, where the world takes it that the plan's calls succeed unless it knows better."""
        calls: list[Json] = [[step.tool, dict(step.arguments)] for step in plan.steps]
        return replace(self, start={**self.start, "believed": calls})

    def along_path(self, path: Mapping[str, Any]) -> Start:
        """The same beginning, where whoever makes the calls of a recorded path gets its answers."""
        return replace(self, start={**self.start, "path": path})

    def end_of(self, facts: Facts) -> EndState:
        """Where the world ends when the attempt's calls are made again."""
        session = self.world.session(self.start, started_at=self.at)
        if "path" in self.start:
            for made in facts.recorded.as_made:
                session.call(made.tool, made.arguments)
        else:
            for call in facts.recorded.attempt.calls:
                session.call(call.name, call.arguments)
        return session.end_state()


@dataclass(frozen=True, slots=True)
class Starts:
    """The app's backend at any episode's start."""

    backend: World
    world: LearntWorld

    def start_of(self, recorded: EpisodeAttempt) -> Start:
        """Where this episode's task begins."""
        episode = recorded.episode
        return Start(self.backend, self.world.start_of(episode), episode.started_at)

    def session(self, facts: Facts) -> PlainSession:
        """A backend to ask."""
        start = self.start_of(facts.recorded)
        session = start.world.session(start.start, started_at=start.at)
        return PlainSession(session, start.world)
