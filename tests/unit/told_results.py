"""An episode in which tools gave these results, one after another."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from synth.world.observation import History, Observation


def history_of(results: Sequence[tuple[str, Any]]) -> History:
    """Each a tool's name and its result: a text as it is, all else as JSON."""
    history = History(index=0, episode_id="e", caller="", task="t", started_at=0, subject="s")
    for at, (tool, value) in enumerate(results):
        seen = Observation(
            tool=tool,
            arguments={"n": at},
            content=value if isinstance(value, str) else json.dumps(value),
            episode=0,
            position=at,
            at=at,
            caller="",
        )
        seen.settle()
        history.observations.append(seen)
    return history
