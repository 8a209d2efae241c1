"""Budgets of a build: what a stage may take of time, tokens and money before it stops with what is done.

Comes in: texts such as `verified_tasks=5m` or `verified_tasks=2usd`, of the command line or `budgets` of home.json. Goes out: a `Meter` per
stage, asked between units of work. What a stage leaves out for its budget it notes with the error `BUDGET` (`left_out_rows`), and the next
build goes on there.
"""

import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from dagster_project.errors import InputError
from environments.judges.spent import Spent

TIMED: Final = ("failures", "failure_clusters", "worlds", "agreement", "verified_tasks")
"""Stages that look at the clock between units of work."""
PAID: Final = ("failures", "failure_clusters", "verified_tasks")
"""Stages that ask a model."""
SECONDS: Final[Mapping[str, int]] = {"s": 1, "m": 60, "h": 3600}
_AMOUNT: Final = re.compile(r"(\d+(?:\.\d+)?)(s|m|h|usd|tokens)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What one stage may take; None is no limit."""

    seconds: float | None = None
    tokens: int | None = None
    usd: float | None = None


def budgets_of(texts: Iterable[str]) -> dict[str, Budget]:
    """Budgets by stage, of `STAGE=AMOUNT`: an amount is `30s`, `5m`, `1h`, `100000tokens` or `2.5usd`; raises `InputError`."""
    found: dict[str, Budget] = {}
    for text in texts:
        stage, _, amount = (part.strip() for part in text.partition("="))
        read = _AMOUNT.fullmatch(amount.casefold())
        if stage not in TIMED or read is None:
            raise InputError(
                f"the budget {text[:60]!r} is not STAGE=AMOUNT; stages are {', '.join(TIMED)}, "
                "amounts such as 30s, 5m, 1h, 100000tokens or 2.5usd"
            )
        number, unit = float(read[1]), read[2]
        if unit not in SECONDS and stage not in PAID:
            raise InputError(
                f"the stage {stage} asks no model: give it a time, such as {stage}=5m; "
                f"tokens and usd are for {', '.join(PAID)}"
            )
        known = found.get(stage, Budget())
        if unit in SECONDS:
            found[stage] = replace(known, seconds=number * SECONDS[unit])
        elif unit == "tokens":
            found[stage] = replace(known, tokens=int(number))
        else:
            found[stage] = replace(known, usd=number)
    return found


@dataclass(slots=True, kw_only=True)
class Meter:
    """What a stage has taken since it began."""

    stage: str
    budget: Budget = field(default_factory=Budget)
    spent: Spent = field(default_factory=Spent)
    """What its models took."""
    clock: Callable[[], float] = time.monotonic
    began: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self.began = self.clock()

    @property
    def is_late(self) -> bool:
        """Whether its time is over."""
        limit = self.budget.seconds
        return limit is not None and self.clock() - self.began >= limit

    @property
    def dear(self) -> bool:
        """Whether its tokens or its money are gone."""
        tokens, usd = self.budget.tokens, self.budget.usd
        return (tokens is not None and self.spent.tokens >= tokens) or (
            usd is not None and self.spent.usd >= usd
        )

    @property
    def spent_up(self) -> bool:
        """Whether nothing of its budget is left."""
        return self.is_late or self.dear


def meter_of(stage: str, budgets: Mapping[str, Budget]) -> Meter:
    """A meter that starts now, with the stage's budget; without one nothing is ever over."""
    return Meter(stage=stage, budget=budgets.get(stage, Budget()))
