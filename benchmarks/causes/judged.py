"""A chat log whose outcomes are partly hidden: how many failures among the hidden are suspected, and how many of the suspected are right."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.causes.figures import BAD, GOOD
from benchmarks.figures import Figure, Row
from benchmarks.testbeds.chat_logs import to_episode
from redact.records.clean_episode import CleanEpisode
from synth.failures.detection import calibrate_on, detect
from synth.failures.reading import AppReading
from synth.labels.label import Label
from tests.failure_reference import reference_from


def judged_rows(path: Path) -> Iterator[Row]:
    """How well failures without an outcome are found in a chat log whose lines have one."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows = [(to_episode(line), GOOD if line["outcome"]["value"] >= 0.5 else BAD) for line in lines]
    calibration = calibrate_on(rows)
    if calibration is not None:
        one = calibration
        yield Row(
            case=f"{path.name}, all judged",
            figures={
                "episodes": one.episodes,
                "failed": one.failed,
                "AUC": round(one.auc, 3),
                "AUC from": round(one.auc_low, 2),
                "AUC to": round(one.auc_high, 2),
            },
        )
    for how in (
        "none",
        "half of the requests",
        "80 % of the requests",
        "half of the episodes",
        "80 % of the episodes",
    ):
        found, right, failed = np.sum([_hidden(rows, how, seed) for seed in range(8)], axis=0)
        shares: dict[str, Figure] = {
            "found": float(found / 8),
            "right": round(float(right / max(found, 1)), 2),
            "of all failures": round(float(right / failed), 2),
        }
        yield Row(case=f"{path.name}, judged: {how}", figures=shares)


def _hidden(
    rows: Sequence[tuple[CleanEpisode, Label]], how: str, seed: int
) -> tuple[int, int, int]:
    """Suspected, rightly suspected and failed of the episodes whose outcome is hidden."""
    chance = random.Random(seed)  # noqa: S311 - a repeatable draw, not a secret
    share = 0.5 if how.startswith("half") else 0.8 if how.startswith("80") else 0.0
    keys = [one.task_key if "requests" in how else one.episode_id for one, _ in rows]
    distinct = sorted({str(key) for key in keys})
    judged = set(chance.sample(distinct, int(share * len(distinct))))
    known = [row for row, key in zip(rows, keys, strict=True) if str(key) in judged]
    hidden = [row for row, key in zip(rows, keys, strict=True) if str(key) not in judged]
    app = AppReading(reference=reference_from(known))
    calibration = calibrate_on(known, app)
    found = [label for one, label in hidden if detect(one, None, app=app, calibration=calibration)]
    right = sum(label.resolved is False for label in found)
    return len(found), right, sum(label.resolved is False for _, label in hidden)
