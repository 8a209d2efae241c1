"""Practice in rounds: the policy imitates its own rollouts that earned everything, beside the good attempts it began with.

In: lessons, a place to practise, how many rounds. Out: weights and what each round saw. A rollout without a reward is no lesson,
and one that earned less than everything is none: what a grader pays is all that is learnt, so a grader that pays cheats teaches them.
Not here: steps by advantage (`grpo`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from examples.train_small.grpo import Step, step_of
from examples.train_small.imitation import Lessons, imitate
from examples.train_small.learner import LinearPolicy
from examples.train_small.linear import Choice, Weights
from examples.train_small.practice import Practice


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """How much is tried, and how it is learnt."""

    count: int = 3
    tasks: int = 430
    """Tasks of every round, the same in each."""
    samples: int = 4
    """Rollouts of each task in a round."""
    kept: int = 2
    """Rollouts of one task that are imitated at most; the latest ones."""
    epochs: int = 6
    """Of imitation after each round."""
    rate: float = 0.1


@dataclass(frozen=True, slots=True)
class Beginner:
    """What imitation gave."""

    lessons: Lessons
    weights: Weights


def practise(
    start: Beginner,
    practice: Practice,
    rounds: Rounds,
    *,
    seed: int,
    look: Callable[[int, Weights], None] = lambda _round, _weights: None,
) -> tuple[Weights, list[Step]]:
    """Weights that earn more there, learnt anew after every round."""
    tasks = sorted(practice.tasks)
    chosen = Random(seed).sample(tasks, min(rounds.tasks, len(tasks)))
    lessons, weights, steps = start.lessons, start.weights, list[Step]()
    earned: dict[str, list[tuple[Choice, ...]]] = {}
    look(0, weights)
    for number in range(rounds.count):
        policy = LinearPolicy("learner", lessons.vocabulary, weights, salt=f"{seed} {number}")
        played = practice.play(policy, chosen, rounds.samples)
        for one in played:
            if one.reward == 1:
                earned.setdefault(one.key[0], []).append(tuple(policy.choices[one.key]))
        weights, _ = imitate(
            _with_own(lessons, earned, rounds.kept),
            epochs=rounds.epochs,
            rate=rounds.rate,
            seed=seed,
        )
        steps.append(step_of(number, played))
    look(rounds.count, weights)
    return weights, steps


def _with_own(lessons: Lessons, earned: dict[str, list[tuple[Choice, ...]]], kept: int) -> Lessons:
    own: Sequence[tuple[Choice, ...]] = [
        choices for task in sorted(earned) for choices in earned[task][-kept:]
    ]
    return replace(lessons, choices=(*lessons.choices, *own))
