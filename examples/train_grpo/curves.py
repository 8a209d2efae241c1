"""The run as pictures: the loss of imitation, the reward of GRPO, the exam before and after."""

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib import pyplot as plt

from examples.train_grpo.grpo import Step
from examples.train_grpo.statistics import Paired

INK, SOFT = "#1f6f8b", "#c9d6de"


def draw(path: Path, *, losses: Sequence[float], steps: Sequence[Step], exam: Paired) -> None:
    """Write one PNG with three pictures."""
    mpl.use("agg")
    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 3.8), layout="constrained")
    left.plot(range(1, len(losses) + 1), losses, color=INK)
    left.set(title="imitation of good attempts", xlabel="epoch", ylabel="loss per own token")
    at = [step.step for step in steps]
    middle.plot(at, [step.reward for step in steps], color=INK, label="mean reward")
    masked = [step.masked / max(1, step.rollouts) for step in steps]
    middle.plot(at, masked, color="#d08c3f", linestyle="--", label="masked (unknown)")
    spread = [step.spread / max(1, step.groups) for step in steps]
    middle.plot(at, spread, color="#8a8f98", linestyle=":", label="groups with spread")
    middle.set(title="GRPO in learnt environments", xlabel="step", ylim=(0, 1))
    middle.legend(frameon=False, fontsize=8)
    shares = [exam.before, exam.after]
    intervals = [exam.before_interval, exam.after_interval]
    down = [share - low for share, (low, _) in zip(shares, intervals, strict=True)]
    up = [high - share for share, (_, high) in zip(shares, intervals, strict=True)]
    right.bar(["before GRPO", "after GRPO"], shares, color=[SOFT, INK], yerr=[down, up], capsize=5)
    right.set(
        title=f"{exam.requests} unseen requests, real backend", ylim=(0, 1), ylabel="resolved"
    )
    for axis in (left, middle, right):
        axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=140)
    plt.close(figure)
