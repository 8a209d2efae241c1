"""One app's experiment as a picture: scores at the real backend while each arm practises, and reward beside score."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt

from examples.train_small.arms import EXPORTED, REAL, SAME

INK: Mapping[str, str] = {EXPORTED: "#1f6f8b", REAL: "#d08c3f"}


def draw(path: Path, name: str, found: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Write one PNG with two pictures."""
    mpl.use("agg")
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    for arm in (EXPORTED, REAL):
        looks = [{int(step): look for step, look in one["looks"].items()} for one in found[arm]]
        at = sorted(looks[0])
        scores = [_mean([one[step][REAL] or 0.0 for one in looks]) for step in at]
        left.plot(at, scores, color=INK[arm], label=f"practised: {arm}")
        if arm == EXPORTED:
            rewards = [_mean([one[step][EXPORTED] or 0.0 for one in looks]) for step in at]
            right.plot(at, rewards, color=INK[arm], label="reward at held-out exported tasks")
            same = [_mean([one[step].get(SAME) or 0.0 for one in looks]) for step in at]
            if any(same):
                label = "score at the same requests, real backend"
                right.plot(at, same, color=INK[REAL], label=label)
    left.set(title=f"{name}: unseen requests, real backend", xlabel="step", ylabel="resolved")
    steps = [one["steps"] for one in found[EXPORTED]]
    numbers = range(len(steps[0]))
    masked = [
        _mean([run[number]["masked"] / max(1, run[number]["rollouts"]) for run in steps])
        for number in numbers
    ]
    right.plot(numbers, masked, color="#8a8f98", linestyle="--", label="rollouts without a reward")
    right.set(title="practising in exported environments", xlabel="step")
    for axis in (left, right):
        axis.set_ylim(0, 1)
        axis.legend(frameon=False, fontsize=8)
        axis.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=140)
    plt.close(figure)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(1, len(values))
