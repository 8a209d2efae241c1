"""The simulated clock: time passes only when something in the conversation takes time."""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(slots=True, kw_only=True)
class Clock:
    """A moment that moves on."""

    now: datetime
    rng: random.Random

    def wait(self, least: float, most: float) -> None:
        """Lets between `least` and `most` seconds pass."""
        self.now += timedelta(seconds=round(self.rng.uniform(least, most), 3))

    def nanoseconds(self) -> int:
        """Now, as OpenTelemetry counts."""
        return nanoseconds(self.now)


def nanoseconds(moment: datetime) -> int:
    """A moment in nanoseconds since the epoch, exact to the microsecond."""
    whole = int(moment.replace(microsecond=0).timestamp())
    return whole * 10**9 + moment.microsecond * 1000
