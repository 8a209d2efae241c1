"""On real episodes (`TRACEGYM_REAL_DATA`): a rubric made without an attempt agrees with that attempt's outcome."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from environments.runtime.checks.table import evaluate
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.recordings.attempt import record
from synth.recordings.attempt_facts import Facts, facts_of
from synth.recordings.tool_kinds import infer_tools
from synth.recordings.traits import traits_of
from synth.rubric.derive import derive_rubric

FOLDER = os.environ.get("TRACEGYM_REAL_DATA")
FILES = sorted(Path(FOLDER).glob("tau/*.train.jsonl")) if FOLDER else []


def episode_of(value: dict[str, Any]) -> CleanEpisode:
    """A chat-log line as it stands; these customers are fictional."""
    steps = tuple(
        CleanStep(
            role=m["role"],
            content=m.get("content"),
            call_id=m.get("tool_call_id"),
            tool_calls=tuple(
                CleanToolCall(
                    call_id=c["id"],
                    name=c["function"]["name"],
                    arguments=c["function"]["arguments"],
                )
                for c in m.get("tool_calls") or ()
            ),
        )
        for m in value["messages"]
    )
    return CleanEpisode(
        app=value["app"],
        episode_id=value["episode_id"],
        started_at=1,
        task_key=value["task_key"],
        tools=tuple(json.dumps(t, sort_keys=True) for t in value["tools"]),
        steps=steps,
    )


def tasks_in(path: Path) -> list[list[Facts]]:
    """The attempts at each task, with their outcomes."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    records = [record(episode_of(value)) for value in lines]
    kinds = infer_tools(records)
    grouped: dict[str, list[Facts]] = defaultdict(list)
    for value, recorded in zip(lines, records, strict=True):
        label = Label(resolved=value["outcome"]["value"] >= 0.5, confidence=0.97)
        grouped[value["task_key"]].append(facts_of(recorded, label, kinds))
    return list(grouped.values())


@pytest.mark.skipif(
    not FILES, reason="TRACEGYM_REAL_DATA does not name a folder with tau/*.train.jsonl"
)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_rubrics_agree_with_outcomes_they_have_not_seen(path: Path) -> None:
    """Accuracy 95 %, at most 2 % false passes, on at least 90 % of the attempts with a resolved neighbour."""
    groups = tasks_in(path)
    kinds = infer_tools([a.recorded for group in groups for a in group])
    traits = traits_of(kinds, groups)
    asked, pairs = 0, []
    for group in groups:
        for held in group:
            rest = [a for a in group if a is not held]
            if not any(a.resolved for a in rest):
                continue
            asked += 1
            rubric = derive_rubric("t", rest, traits).rubric
            verdict = evaluate(rubric, held.recorded.attempt, task_version="v")
            if verdict.predicted is not None:
                pairs.append((verdict.predicted >= 0.5, held.resolved))
    assert len(pairs) / asked >= 0.90
    assert sum(p == t for p, t in pairs) / len(pairs) >= 0.95
    assert sum(p and not t for p, t in pairs) / len(pairs) <= 0.02
