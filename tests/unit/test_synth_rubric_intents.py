"""Which requests are alike does not hang on the process that asks."""

from __future__ import annotations

import os
import subprocess
import sys

NEAREST = """
from itertools import product
from synth.solutions.intents import Openings
pairs = "cancel/stop order/parcel today/now lamp/shelf blue/red big/small"
kinds = [pair.split("/") for pair in pairs.split()]
texts = [" ".join(chosen) for chosen in product(*kinds)]
others = [f"{word} question" for n, kind in enumerate(kinds) for word in kind * n]
openings = Openings(texts + others, ["done"] * len(texts) + ["told"] * len(others))
near = openings.nearest_to(" ".join(word for kind in kinds for word in kind))
print(near == list(range(len(near))))
"""


def test_requests_that_are_equally_alike_stay_in_order_in_every_process() -> None:
    """Words are added up alike, whatever order a process keeps its sets in."""
    told = [
        subprocess.run(
            [sys.executable, "-c", NEAREST],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in range(4)
    ]
    assert told == ["True"] * 4
