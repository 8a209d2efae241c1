"""An episode as failures read it, and what an app's other episodes taught about reading it.

Comes in: a clean episode and an `AppReading`. Goes out: a `Reading`: calls with their answers under the names people know, and
tools as words. Not here: how any of it is learnt (`named_parts`, `answers`, `reference`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from environments.runtime.views.multiplexed import EMPTY, Dispatched
from redact.records.clean_episode import CleanEpisode
from synth.failures.answers import Path
from synth.failures.calls import SeenCall, ToolWords, read_calls, tool_words
from synth.failures.named_parts import named_by_part
from synth.failures.reference import Attempt, Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class AppReading:
    """How an app's episodes are read."""

    parts: Dispatched = EMPTY
    differing: frozenset[Path] = frozenset()
    """Places in results that differ from call to call, whatever was asked."""
    reference: Reference = field(default_factory=Reference)
    """What resolved episodes did."""


PLAIN = AppReading()
"""As they stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """An episode with its calls paired and its tools read as words."""

    episode: CleanEpisode
    calls: tuple[SeenCall, ...]
    tools: Mapping[str, ToolWords]
    resolved: tuple[Attempt, ...] = ()
    """Resolved attempts at the same request."""
    needs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Per tool, what nearly every resolved call of it had before it."""


def read(episode: CleanEpisode, app: AppReading = PLAIN) -> Reading:
    """The episode with its calls paired and its tools read as words; of tools that are several, each part."""
    calls = named_by_part(read_calls(episode, app.differing), app.parts)
    return Reading(
        episode=episode,
        calls=calls,
        tools=tool_words(episode.tools, (call.name for call in calls)),
        resolved=app.reference.attempts_at(episode),
        needs=app.reference.needs,
    )
