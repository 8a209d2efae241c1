"""A chat log whose outcomes are partly hidden: how many failures among the hidden are suspected, and how many of the suspected are right."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.causes.figures import BAD, GOOD
from benchmarks.testbeds.chat_logs import to_episode
from redact.records.clean_episode import CleanEpisode
from synth.failures.detection import calibrate_on, detect, reference_from
from synth.failures.reading import AppReading
from synth.labels import Label


def report_judged(path: Path) -> None:
    """Print how well failures without an outcome are found in a chat log whose lines have one."""
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows = [(to_episode(line), GOOD if line["outcome"]["value"] >= 0.5 else BAD) for line in lines]
    calibration = calibrate_on(rows)
    if calibration is not None:
        one = calibration
        print(
            f"{path.name}: {one.episodes} judged, {one.failed} failed, AUC {one.auc:.3f} ({one.auc_low:.2f} to {one.auc_high:.2f})"
        )
    print("| judged | found | right | of all failures |\n|---|--:|--:|--:|")
    for how in (
        "none",
        "half of the requests",
        "80 % of the requests",
        "half of the episodes",
        "80 % of the episodes",
    ):
        found, right, failed = np.sum([_hidden(rows, how, seed) for seed in range(8)], axis=0)
        print(
            f"| {how} | {found / 8:.1f} | {right / max(found, 1):.2f} | {right / failed:.2f} |",
            flush=True,
        )


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
