"""Held-out fidelity: how truly a world learnt from most of an app's episodes answers the calls of the others.

Comes in: clean episodes of one app. Goes out: counts in `backtest`'s shape, with the tape floor beside them. Only the
measuring world is learnt without the held-out episodes; the one that is kept learns from all.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from dagster_project.recorded_calls import recorded_episodes
from environments.fidelity import record_tape, replay
from environments.runtime.world import World
from redact.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world

SHARE: Final = 5
"""One episode in five is held out."""
ENOUGH: Final = 10
"""Below this many episodes nothing is held out, and the fidelity is not known."""


def measure(episodes: Sequence[CleanEpisode], settings: WorldSettings) -> Mapping[str, Any]:
    """The fidelity on held-out episodes; empty where there are too few to hold any out."""
    if len(episodes) < ENOUGH:
        return {}
    kept = [e for e in episodes if not is_held_out(e.episode_id)]
    held = [e for e in episodes if is_held_out(e.episode_id)]
    learnt = learn_world(kept, settings)
    # From the app's state at that moment: what a held-out episode saw itself is what is being asked.
    asked = recorded_episodes(held)
    found = replay(
        World.from_json(learnt.document), asked, tape=record_tape(recorded_episodes(kept))
    )
    return {**found.to_json(), "episodes": len(held), "learnt_from": len(kept)}


def is_held_out(episode_id: str) -> bool:
    """By the id's hash: the same episodes on every build, whatever else arrives."""
    return hashlib.sha256(episode_id.encode()).digest()[0] % SHARE == 0
