"""What a run of the experiment consists of: budgets, seeds, sizes. No work is done here."""

from dataclasses import dataclass, field
from typing import Final

from examples.train_small.grpo import Schedule
from examples.train_small.rounds import Rounds


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One experiment at one app."""

    conversations: int = 2400
    """That production holds."""
    seeds: int = 5
    unseen: int = 60
    """Requests of the exam."""
    practised: int = 150
    """Requests of production that the arm at the real backend practises on."""
    looked: int = 40
    """Held-out tasks and unseen requests at which a look is taken before and after practice."""
    known_failures: bool = True
    """`Exported.known_failures`."""
    epochs: int = 6
    """Of imitation."""
    rate: float = 0.1
    """Of imitation."""
    demonstrations: int | None = None
    """Good attempts that are imitated first, drawn by the seed; None: all. Fewer leave more to practise for."""
    rounds: Rounds | None = None
    """Practice in rounds, before the steps of the schedule."""
    schedule: Schedule = field(default_factory=Schedule)


FULL: Final = Plan()
"""Steps of GRPO from all good attempts."""
DESK: Final = Plan(
    unseen=150,
    practised=430,
    looked=150,
    epochs=8,
    demonstrations=120,
    rounds=Rounds(),
    schedule=Schedule(steps=0),
)
"""Rounds from few good attempts: what the support desk's many kinds of request need."""
QUICK: Final = Plan(
    conversations=400,
    seeds=1,
    unseen=60,
    practised=24,
    looked=12,
    rounds=Rounds(count=1, tasks=24, samples=2),
    schedule=Schedule(steps=3, tasks=6, samples=4),
)
"""Shows that every part works and that imitation teaches; too little to prove what practice adds. Of 60 conversations nothing is learnt: they hold eleven good attempts, for 36 kinds of request."""
