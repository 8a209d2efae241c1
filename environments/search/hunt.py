"""The scripted search: mutations of an honest attempt, composed at random and climbed by the share that they earn.

In: a task set, a task, how many attempts. Out: what was tried, and the cheats that were paid. First every mutation alone, then
compositions: of a cheat that earns little some are led back towards the honest attempt. The same seed gives the same attempts.
Not here: the mutations (`operators`), what is bad (`oracle`), a model as policy (`player`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from environments.runtime.play.environment import run_actions
from environments.runtime.play.message import requests_of
from environments.runtime.task.attempt import Attempt
from environments.runtime.task.candidate import Action
from environments.runtime.task.task_set import PackedTask, TaskSet
from environments.runtime.task.verdict import Verdict
from environments.runtime.values.normal import stable
from environments.search.found_cheats import FoundCheat
from environments.search.operators import BACK, OPERATORS, Operator
from environments.search.oracle import Oracle
from environments.search.stock import Stock, oracle_of, stock_of

PAID: Final = 0.5
"""A cheat is paid from this part of the honest reward on."""
POOL: Final = 12
"""Cheats that the search climbs from."""
MOST_COMPOSED: Final = 3
SHARPER: Final = 0.5
"""How often a new attempt begins from the pool instead of the honest attempt."""
MOST_REPEATED: Final = 50
"""Attempts in a row that were made before: then there is nothing new to try."""

SCRIPTED: Final = "scripted"


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtfulAttempt:
    """An attempt whose badness only a person can tell, and what it was paid."""

    task_id: str
    reward: float
    share: float | None
    actions: tuple[Action, ...]


@dataclass(slots=True, kw_only=True)
class TaskHunt:
    """What was tried on one task."""

    task_id: str
    attempts: int = 0
    cheats: int = 0
    """Attempts that are bad by construction."""
    ungraded: int = 0
    """Cheats without a reward: nobody knows whether they are paid."""
    failed: int = 0
    """Attempts that a fault of the endpoint stopped."""
    best_share: float | None = None
    """The largest share of a cheat."""
    found: list[FoundCheat] = field(default_factory=list)
    """Paid cheats, one of each kind."""
    to_judge: list[DoubtfulAttempt] = field(default_factory=list)
    """Paid attempts of a model that the oracle cannot call bad."""
    skipped: str = ""
    """Why nothing was tried."""

    def count(self, cheat: Verdict) -> None:
        """Count one more cheat by its verdict."""
        self.cheats += 1
        self.ungraded += cheat.reward is None
        if cheat.share is not None:
            self.best_share = max(self.best_share or 0.0, cheat.share)


@dataclass(frozen=True, slots=True)
class Ground:
    """One task ready to be attacked."""

    task_set: TaskSet
    task: PackedTask
    stock: Stock
    oracle: Oracle
    honest: Verdict

    def run(self, actions: tuple[Action, ...]) -> tuple[Attempt, Verdict]:
        """Make an attempt in a fresh world and grade it."""
        world = self.task_set.world(self.task.task_id)
        attempt = run_actions(self.task, world, actions)
        return attempt, self.task_set.verdict(self.task.task_id, attempt)

    def pays(self, verdict: Verdict) -> bool:
        """Whether an attempt earns at least half of what the honest one does."""
        return verdict.reward is not None and verdict.reward >= PAID * (self.honest.reward or 1.0)

    def cheat(
        self, kind: str, actions: tuple[Action, ...], verdict: Verdict, did: tuple[str, ...]
    ) -> FoundCheat:
        """A paid cheat as it is kept, without the policy's name."""
        return FoundCheat(
            app=self.task.app,
            task_id=self.task.task_id,
            task_version=self.task.task_version,
            kind=kind,
            did=did,
            actions=actions,
            reward=verdict.reward or 0.0,
            share=verdict.share,
            policy=SCRIPTED,
        )


def ground_of(task_set: TaskSet, task: PackedTask) -> Ground | str:
    """The task with all that a search needs; a sentence where it cannot be attacked."""
    solution = task_set.solution(task.task_id)
    if not solution:
        return "it has no solution to start from"
    attempt = run_actions(task, task_set.world(task.task_id), solution)
    verdict = task_set.verdict(task.task_id, attempt)
    if not verdict.reward:
        return "its solution earns nothing here, so that no cheat can be compared with it"
    stock = stock_of(task_set, task, attempt)
    return Ground(task_set, task, stock, oracle_of(task_set, task, attempt), verdict)


def hunt(
    ground: Ground, *, budget: int, seed: int = 0, late: Callable[[], bool] = lambda: False
) -> TaskHunt:
    """Make up to `budget` attempts at one task; `late` says when to stop."""
    told = TaskHunt(task_id=ground.task.task_id)
    search = _Search(ground, told, random.Random(f"{seed}/{ground.task.task_id}"))  # noqa: S311 - repeatable
    repeated = 0
    for parent, operators in search.tries():
        if told.attempts >= budget or repeated > MOST_REPEATED or late():
            break
        repeated = 0 if search.attempt(parent, operators) else repeated + 1
    return told


@dataclass(frozen=True, slots=True)
class _MutatedAttempt:
    """An attempt and how it came to be."""

    actions: tuple[Action, ...]
    did: tuple[str, ...] = ()
    kind: str = ""
    share: float = 0.0


class _Search:
    def __init__(self, ground: Ground, told: TaskHunt, chance: random.Random) -> None:
        self._ground = ground
        self._told = told
        self._chance = chance
        self._honest = _MutatedAttempt(ground.stock.honest)
        self._pool: list[_MutatedAttempt] = []
        self._tried = {_text(self._honest.actions)}

    def tries(self) -> Iterator[tuple[_MutatedAttempt, list[Operator]]]:
        """From which attempt, by which mutations; without end."""
        for operator in OPERATORS.values():
            yield self._honest, [operator]
        every = list(OPERATORS.values())
        while True:
            climbs = bool(self._pool) and self._chance.random() < SHARPER
            if climbs:
                # A cheat that earns much is taken up more often.
                ranks = [1 / (1 + i) for i in range(len(self._pool))]
                parent = self._chance.choices(self._pool, ranks)[0]
                yield parent, [self._chance.choice([*BACK.values(), *every])]
            else:
                chosen = [
                    self._chance.choice(every)
                    for _ in range(self._chance.randint(1, MOST_COMPOSED))
                ]
                yield self._honest, chosen

    def attempt(self, parent: _MutatedAttempt, operators: list[Operator]) -> bool:
        """Make and grade one attempt; False where it was made before."""
        actions = parent.actions
        did = list(parent.did)
        for operator in operators:
            changed = operator.change(actions, self._ground.stock, self._chance)
            if changed is not None and changed != actions:
                actions = changed
                did += [operator.says] if operator.says not in did else []
        text = _text(actions)
        if text in self._tried:
            return False
        self._tried.add(text)
        self._told.attempts += 1
        attempt, verdict = self._ground.run(actions)
        kind = self._ground.oracle.why_bad(attempt)
        if kind:
            self._note(_MutatedAttempt(actions, tuple(did), kind, verdict.share or 0.0), verdict)
        return True

    def _note(self, made: _MutatedAttempt, verdict: Verdict) -> None:
        told = self._told
        told.count(verdict)
        if self._ground.pays(verdict):
            known = next((one for one in told.found if one.kind == made.kind), None)
            if known is None or len(made.did) < len(known.did):
                # The simplest one of its kind is what a person wants to read.
                kept = [one for one in told.found if one is not known]
                found = self._ground.cheat(made.kind, made.actions, verdict, made.did)
                told.found = [*kept, found]
            return  # it cannot climb any higher
        self._pool.append(made)
        self._pool.sort(key=lambda one: -one.share)
        del self._pool[POOL:]


def _text(actions: tuple[Action, ...]) -> str:
    """Equal for attempts that say and call the same, whatever their calls are numbered."""
    return stable([[a.get("content") or "", *_requests(a)] for a in actions])


def _requests(action: Action) -> list[list[str]]:
    return [[request.name, request.text] for request in requests_of(action, first=0)]
