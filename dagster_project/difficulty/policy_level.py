"""How far a policy is from production: one shift of the odds, learnt on the tasks that it tried, for those that it did not.

Comes in: difficulties with the policy's rollouts. Goes out: the shift, and moved estimates. Production's agents are not the policy: their
estimates keep tasks apart, and miss the level.
"""

from collections.abc import Iterable
from typing import Final

from dagster_project.difficulty.pass_rates import TaskDifficulty, chance, odds_of, shifted_rate

CAUTION: Final = 1.0
"""Prior precision of the shift (a standard deviation of one logit), so that one group of rollouts does not settle it."""
_STEPS: Final = 25


def level(tasks: Iterable[TaskDifficulty], policy: str) -> float:
    """The shift in logits, by penalised likelihood; 0.0 for a policy that tried nothing which has an estimate."""
    tried = [
        (odds_of(task.estimate.rate), rate.tried, rate.solved)
        for task in tasks
        if task.estimate is not None and (rate := task.policies.get(policy)) and rate.tried
    ]
    shift = 0.0
    for _ in range(_STEPS):
        slope, bend = -CAUTION * shift, CAUTION
        for odds, count, solved in tried:
            expected = chance(odds + shift)
            slope += solved - count * expected
            bend += count * expected * (1 - expected)
        shift += slope / bend
    return shift


def shift_estimate(rate: float, shift: float) -> float:
    """An estimate for a policy of that level."""
    return shifted_rate(rate, shift) if shift else rate
