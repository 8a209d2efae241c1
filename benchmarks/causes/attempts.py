"""Recorded attempts at backends, good ones and ones with a fault that their agent is named after: whether the critical step is found."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks.causes.faults import failures_of, told_apart
from benchmarks.causes.figures import BAD, GOOD, step_shares
from benchmarks.figures import Row
from benchmarks.testbeds.chat_logs import to_episode
from redact.records.clean_episode import CleanEpisode
from synth.labels.label import Label


def attempts_rows(folder: Path) -> Iterator[Row]:
    """Rows of a folder with one backend's attempts a folder; each attempt's agent is named after its fault."""
    for place in sorted(folder.iterdir()):
        known = _attempts(place / "train.jsonl")
        good = {e.task_key: e for e, label, fault in known if label is GOOD and fault == "good"}
        rows = [*known, *_attempts(place / "heldout.jsonl")]
        faulty = [
            one
            for episode, label, fault in rows
            if label is BAD and episode.task_key in good
            for one in told_apart(fault, good[episode.task_key], episode)
        ]
        resolved = [episode for episode, label, _ in known if label is GOOD]
        for attempts in (True, False):
            found = failures_of(resolved, faulty, attempts=attempts)
            steps = [abs((failure.step or 0) - one.step) for one, failure in found]
            known_ones = "with" if attempts else "without"
            yield Row(
                case=f"{place.name}, {known_ones} resolved attempts",
                figures={"failures": len(found), **step_shares(steps)},
            )


def _attempts(path: Path) -> list[tuple[CleanEpisode, Label, str]]:
    found = []
    for text in path.read_text("utf-8").splitlines():
        line = json.loads(text)
        made = replace(to_episode(line), agent=None, episode_id=f"{path.stem} {line['episode_id']}")
        found.append((made, GOOD if line["outcome"]["value"] >= 0.5 else BAD, str(line["agent"])))
    return found
