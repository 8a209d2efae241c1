"""Held-out fidelity: how truly a world learnt from most of an app's episodes answers the calls of the others.

Comes in: clean episodes of one app. Goes out: counts in `backtest`'s shape, with the tape's beside them, and those of
held-out tasks (no attempt at the task was learnt from) once more on their own. Only the measuring world is learnt without
the held-out episodes; the one that is kept learns from all. One world measures both: learning is what costs.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from dagster_project.worlds.recorded_calls import recorded_episodes
from environments.fidelity import VERDICTS, record_tape, replay
from environments.frontier import frontier, reliability, trust
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.world.unusable_answers import without_unusable
from synth.worlds import LearntWorld, WorldSettings, learn_world

SHARE: Final = 10
"""One task in ten is held out whole, and of the others one episode in ten: a fifth in all."""
ENOUGH: Final = 10
"""Below this many episodes nothing is held out, and the fidelity is not known."""


def measure(
    episodes: Sequence[CleanEpisode],
    settings: WorldSettings,
    *,
    learn: Callable[[Sequence[CleanEpisode], WorldSettings], LearntWorld] = learn_world,
) -> Mapping[str, Any]:
    """The fidelity on held-out episodes; empty where there are too few, or too few tasks, to hold any out."""
    if len(episodes) < ENOUGH:
        return {}
    episodes = without_unusable(episodes)
    held = [e for e in episodes if is_held_out(e)]
    kept = [e for e in episodes if not is_held_out(e)]
    if not held or not kept:
        return {}
    learnt = learn(kept, settings)
    # From the app's state at that moment: what a held-out episode saw itself is what is being asked.
    world = World(learnt.document)
    asked = recorded_episodes(held, world.prompt_subject)
    found = replay(world, asked, tape=record_tape(recorded_episodes(kept)))
    known = {task_of(e) for e in kept}
    unseen = {e.episode_id for e in held if task_of(e) not in known}
    counts = found.restricted_to(unseen).to_json()
    names = ("calls", *VERDICTS, "tape")
    return {
        **found.to_json(),
        "frontier": frontier(world, lambda at: replay(at, asked)),
        "reliability": reliability(found.judged),
        "trust": trust(found.judged),
        "unseen_tasks": {"episodes": len(unseen), **{name: counts[name] for name in names}},
        "episodes": len(held),
        "learnt_from": len(kept),
    }


def task_of(episode: CleanEpisode) -> str:
    """What names an episode's task: its key, else itself."""
    return episode.task_key or episode.episode_id


def is_held_out(episode: CleanEpisode) -> bool:
    """By hashes of task and id: the same episodes on every build, whatever else arrives."""
    return _one_in_ten("task " + task_of(episode)) or _one_in_ten(episode.episode_id)


def _one_in_ten(name: str) -> bool:
    return hashlib.sha256(name.encode()).digest()[0] % SHARE == 0
