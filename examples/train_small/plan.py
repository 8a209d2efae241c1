"""What a run of the experiment consists of: budgets, seeds, sizes. No work is done here."""

from dataclasses import dataclass, field
from typing import Final

from examples.train_small.grpo import Schedule


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One experiment at one app."""

    seeds: int = 5
    unseen: int = 60
    """Requests of the exam."""
    practised: int = 150
    """Requests of production that the arm at the real backend practises on."""
    looked: int = 40
    """Tasks and requests at which a look is taken while the policy practises."""
    known_failures: bool = True
    """`Exported.known_failures`."""
    epochs: int = 6
    """Of imitation."""
    rate: float = 0.1
    """Of imitation."""
    schedule: Schedule = field(default_factory=Schedule)


FULL: Final = Plan()
QUICK: Final = Plan(
    seeds=1, unseen=24, practised=24, looked=12, schedule=Schedule(steps=3, tasks=6, samples=4)
)
"""Shows that every part works; too little to prove anything."""
