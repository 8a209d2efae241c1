"""What a constructed solution is made of: its calls, what it tells, or why there is none.

In: nothing but values. Out: records that `constructed` fills and `constructed_attempts` turns into actions. Not here: how
the right end is found.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from environments.runtime.task.attempt import Json
from environments.runtime.task.task import UserTurn
from synth.recordings.attempt_facts import Facts
from synth.recordings.known_values import KnownValues, is_id, shape, shaped


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call of a constructed solution."""

    tool: str
    arguments: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What would have resolved an episode."""

    steps: tuple[Step, ...]
    told: tuple[Json, ...]
    reads: tuple[Step, ...]
    """Reads that the episode did not make itself and the plan rests on."""
    looks: frozenset[str]
    """Tools that all alike resolved episodes read with: what the end rests on."""
    like: Facts
    """The nearest resolved episode of the same end: its words are borrowed."""
    origin: tuple[str, ...]
    confidence: float
    answers: tuple[UserTurn, ...] = ()
    """What alike users say when asked and this one never said: its values rest on them, too."""
    corrected: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Per tool, the arguments that alike users corrected when asked: this one's user agrees, another might not."""
    supposed: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Per tool, the arguments that the user never told: the task's user chooses as an alike one did, another may not."""
    source: str = ""
    """Who said that these calls are right, where somebody did: `origin` are then the outcomes that say so."""

    @property
    def chose_a_record(self) -> bool:
        """Whether the task's user was given a choice among what records hold: alike users' success says nothing of it."""
        chosen = (
            v
            for s in self.steps
            for n, v in s.arguments.items()
            if n in self.supposed.get(s.tool, ())
        )
        texts = (one for value in chosen for one in (value if isinstance(value, list) else [value]))
        return any(isinstance(one, str) and is_id(one) for one in texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubts:
    """Per tool, arguments of which nobody knows what the real user would have had."""

    corrected: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Those that alike users corrected when asked."""
    supposed: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Those that the user never told."""


@dataclass(frozen=True, slots=True)
class Unbound:
    """Why nothing was constructed."""

    reason: str
    limited: bool = False
    """Because a number lies beyond those of many who had this end."""


def given_ids(calls: Sequence[Step], known: KnownValues) -> Sequence[Mapping[str, Json]]:
    """For several calls of one tool that differ in one id: as many ids of its kind as the user named in one turn."""
    if len(calls) == 1:
        return ({},)
    varying = [
        name
        for name, value in calls[0].arguments.items()
        if isinstance(value, str)
        and is_id(value)
        and any(c.arguments.get(name) != value for c in calls)
    ]
    if len(varying) != 1:
        return ()
    shapes = {shape(str(call.arguments.get(varying[0]))) for call in calls}
    every = [[shaped(i, shapes) for i in turn] for turn in known.ids]
    turns = [[i for i in turn if i is not None] for turn in every]
    named = next((turn for turn in turns if len(turn) == len(calls)), [])
    return tuple({varying[0]: one} for one in named)
