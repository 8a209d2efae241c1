"""Equal pasts: calls after the very same calls, beside the last such call of the same subject and of another.

Comes in: observations. Comes out: what `continuity`, `own_starts` and `views.implicit_subject` compare. Not here: what a comparison says.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from environments.runtime.world.entries import call_text
from synth.world.observation import History, Observation

MAX_PAST: Final = 6
"""Calls of an episode that are compared: later ones hardly ever have a past that another episode had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EqualPast:
    """A call, and the last ones that were the same after the same calls."""

    seen: Observation
    own: Observation | None
    """Of the same subject."""
    other: Observation | None
    """Of another subject."""
    last: Observation | None
    """Of anybody."""
    at_once: bool
    """Nobody else's was between the subject's own and this."""


def equal_pasts(
    histories: Sequence[History], whose: Callable[[History], str] = attrgetter("subject")
) -> Iterator[EqualPast]:
    """Each of an episode's first calls, in order; `whose` says who an episode was with."""
    last: dict[tuple[str, ...], dict[str, Observation]] = defaultdict(dict)
    for history in histories:
        subject = whose(history)
        past: tuple[str, ...] = ()
        for seen in history.observations[:MAX_PAST]:
            past = (*past, call_text(seen.tool, seen.arguments))
            known = last[past]
            latest = next(reversed(known), None)
            before = None if latest is None else known[latest]
            own = known.pop(subject, None)
            other = known[next(reversed(known))] if known else None
            at_once = latest == subject
            yield EqualPast(seen=seen, own=own, other=other, last=before, at_once=at_once)
            known[subject] = seen
