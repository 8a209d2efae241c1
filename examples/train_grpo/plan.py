"""What a run of the example consists of: how much data, which model, how long, how it is drawn. No work is done here."""

from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSize:
    """A decoder trained from nothing."""

    width: int = 384
    layers: int = 8
    heads: int = 6
    vocabulary: int = 2048
    context: int = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Imitation:
    """Supervised training on the `sft` export."""

    epochs: int = 30
    batch: int = 16
    rate: float = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinforcement:
    """GRPO on the exported environments."""

    steps: int = 40
    tasks: int = 32
    """Tasks in a step."""
    samples: int = 8
    """Rollouts of each: a group, whose rewards are compared."""
    epochs: int = 1
    """Passes over a step's rollouts."""
    batch: int = 16
    """Sequences in one pass of the model."""
    rate: float = 5e-5
    clip: float = 0.2
    temperature: float = 1.0
    keep_every: int = 5
    """Steps after which all that is needed to go on is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One run of the example."""

    conversations: int = 2400
    """Held in production, to learn from."""
    attempts: int = 4
    """How many of them have the same request."""
    held_out: int = 200
    """Requests never seen, on the real backend."""
    seed: int = 0
    published: str = ""
    """The model to start from, by name or folder; empty: `model`, from nothing."""
    model: ModelSize = field(default_factory=ModelSize)
    imitation: Imitation = field(default_factory=Imitation)
    reinforcement: Reinforcement = field(default_factory=Reinforcement)
    max_new_tokens: int = 256

    def desk(self) -> list[str]:
        """Production, as the app's command line has it."""
        return [
            "--app", "support-desk", "--seed", str(self.seed), "--task-keys", str(self.attempts),
            "--conversations", str(self.conversations),
        ]  # fmt: skip


FULL: Final = Plan()
SMOKE: Final = Plan(
    conversations=48,
    held_out=4,
    model=ModelSize(width=64, layers=2, heads=2, vocabulary=512, context=2048),
    imitation=Imitation(epochs=2, batch=8, rate=3e-3),
    reinforcement=Reinforcement(steps=1, tasks=2, samples=2, batch=4, keep_every=1),
    max_new_tokens=24,
)
"""Shows in about a minute, on a CPU, that every part works. It learns nothing worth having."""
