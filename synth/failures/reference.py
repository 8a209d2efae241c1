"""What resolved episodes of an app did: attempts at each request, and what nearly every change had before it.

Comes in: labelled episodes, as calls. Goes out: a `Reference`, which failures are compared with. Not here: the comparison (`evidence`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from environments.runtime.values.consent import agrees, asks_consent
from redact.records.clean_episode import CleanEpisode
from synth.failures.calls import SeenCall, ToolWords

AGREED: Final = "agreed"
"""Stands among what a call needs for the user's yes to a question."""
MOST_ATTEMPTS: Final = 8
"""Resolved attempts at one request that are kept."""
LEAST_CALLS: Final = 8
"""Resolved calls of a tool below which nothing is said of what it needs."""
NEARLY_ALL: Final = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A resolved attempt: its calls."""

    episode_id: str
    calls: tuple[SeenCall, ...]
    """Those that succeeded."""
    failed: frozenset[tuple[str, str]]
    """Tool and arguments of those that failed: whoever makes them does no worse."""
    changing: frozenset[str]
    """The tools among them that change something."""

    @property
    def changes(self) -> tuple[SeenCall, ...]:
        """The calls that changed something."""
        return tuple(call for call in self.calls if call.name in self.changing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """What resolved episodes of an app did."""

    attempts: Mapping[str, tuple[Attempt, ...]] = field(default_factory=dict)
    """By the request's key."""
    needs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Per changing tool, the tools (or `AGREED`) that nearly every resolved call of it had before it."""

    def attempts_at(self, episode: CleanEpisode) -> tuple[Attempt, ...]:
        """Resolved attempts at an episode's request, without itself."""
        found = self.attempts.get(episode.task_key or "", ())
        return tuple(one for one in found if one.episode_id != episode.episode_id)


Called = tuple[CleanEpisode, Sequence[SeenCall], Mapping[str, ToolWords]]
"""A resolved episode with its calls and its tools as words."""


def learn_reference(resolved: Iterable[Called]) -> Reference:
    """What resolved episodes did."""
    attempts: defaultdict[str, list[Attempt]] = defaultdict(list)
    made: Counter[str] = Counter()
    had: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for episode, calls, tools in resolved:
        done = succeeded(calls)
        changing = frozenset(call.name for call in done if tools[call.name].changes)
        if episode.task_key is not None:
            known = attempts[episode.task_key]
            if len(known) < MOST_ATTEMPTS:
                failed = frozenset((c.name, c.arguments) for c in calls if c.error is not None)
                known.append(
                    Attempt(
                        episode_id=episode.episode_id, calls=done, failed=failed, changing=changing
                    )
                )
        for call in done:
            if call.name in changing:
                made[call.name] += 1
                had[call.name].update(done_before(episode, done, call))
    return Reference(
        attempts={key: tuple(found) for key, found in attempts.items()}, needs=_needs(made, had)
    )


def _needs(made: Counter[str], had: Mapping[str, Counter[str]]) -> dict[str, frozenset[str]]:
    """What nearly every call of a tool had before it; the user's yes is asked of all changes or of none of the rare ones."""
    agreed = sum(count[AGREED] for count in had.values())
    asked = agreed >= NEARLY_ALL * made.total() and made.total() >= LEAST_CALLS
    found = {}
    for tool, calls in made.items():
        needs = {
            one for one, n in had[tool].items() if calls >= LEAST_CALLS <= n >= NEARLY_ALL * calls
        }
        needs |= {AGREED} if asked and had[tool][AGREED] == calls else set()
        if needs:
            found[tool] = frozenset(needs)
    return found


def succeeded(calls: Iterable[SeenCall]) -> tuple[SeenCall, ...]:
    """The calls that were answered and did not fail."""
    return tuple(c for c in calls if c.error is None and c.result_step is not None)


def done_before(episode: CleanEpisode, done: Iterable[SeenCall], call: SeenCall) -> set[str]:
    """What a call had before it: tools that had succeeded, and the user's yes."""
    found = {one.name for one in done if (one.result_step or 0) < call.step}
    return found | {AGREED} if _has_agreed(episode, call.step) else found


def _has_agreed(episode: CleanEpisode, step: int) -> bool:
    """Whether the user's last words before a step agree to what the agent asked."""
    steps = episode.steps
    answer = next((i for i in range(step - 1, -1, -1) if steps[i].role == "user"), None)
    if answer is None:
        return False
    asked = next((i for i in range(answer - 1, -1, -1) if steps[i].role == "assistant"), None)
    return (
        asked is not None
        and asks_consent(steps[asked].content or "")
        and agrees(steps[answer].content or "")
    )
