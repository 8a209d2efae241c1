"""Calibration of failure signals: fitted on an app's first judged episodes, and only again when they have doubled."""

from pathlib import Path
from typing import Any

import pyarrow as pa

from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_EPISODES, CLEAN_OUTCOMES
from dagster_project.worlds.calibration import first_labelled, outcomes_size
from synth.failures.calibration import Calibration
from synth.failures.detection import calibrate_on

START = 1_772_323_200_000_000_000
DAY_NS = 86_400 * 10**9


def keep(lake: Lake, numbers: range, *, judged: bool = True) -> None:
    """Episodes of ten a day; every second one failed, after a user's complaint."""
    episodes, outcomes = [], []
    for number in numbers:
        bad = number % 2 == 1
        said = "That is wrong, this does not work at all!" if bad else "Thanks, that worked."
        day = f"2026-03-{1 + number // 10:02d}"
        episodes.append(_episode(number, day, ("Please cancel o1.", "It is done.", said)))
        outcomes.append(_outcome(number, day, good=not bad))
    lake.append(CLEAN_EPISODES, pa.Table.from_pylist(episodes, schema=CLEAN_EPISODES.schema))
    if judged:
        lake.append(CLEAN_OUTCOMES, pa.Table.from_pylist(outcomes, schema=CLEAN_OUTCOMES.schema))


def _episode(number: int, day: str, words: tuple[str, ...]) -> dict[str, Any]:
    steps: list[dict[str, Any]] = [
        {"role": "assistant" if i % 2 else "user", "content": text, "tool_calls": []}
        for i, text in enumerate(words)
    ]
    started = START + number * DAY_NS // 10
    return {
        **dict.fromkeys(CLEAN_EPISODES.schema.names),
        "app": "shop",
        "day": day,
        "episode_id": f"e{number:04d}",
        "started_at": started,
        "subject": f"u{number}",
        "do_not_train": False,
        "tools": [],
        "steps": steps,
        "completeness": [],
        "withheld": [],
        "redaction": "off",
    }


def _outcome(number: int, day: str, *, good: bool) -> dict[str, Any]:
    return {
        **dict.fromkeys(CLEAN_OUTCOMES.schema.names),
        "app": "shop",
        "day": day,
        "outcome_id": f"o{number}",
        "by": "end_user",
        "episode_id": f"e{number:04d}",
        "name": "resolved",
        "value": float(good),
    }


def calibration_of(lake: Lake, app: str, policy: Path) -> Calibration | None:
    """What the app's first labelled episodes say about its signals."""
    return calibrate_on(first_labelled(lake, app, policy))


def test_too_few_outcomes_calibrate_nothing(tmp_path: Path) -> None:
    """Forty judged episodes are not enough, and unjudged ones do not count; failures may be compared with them."""
    lake = Lake(tmp_path)
    keep(lake, range(9))
    assert outcomes_size(lake, "shop", tmp_path / "no.toml") == 0
    assert first_labelled(lake, "shop", tmp_path / "no.toml") == []
    keep(lake, range(9, 40))
    keep(lake, range(40, 200), judged=False)
    assert outcomes_size(lake, "shop", tmp_path / "no.toml") == 40
    assert calibration_of(lake, "shop", tmp_path / "no.toml") is None


def test_it_is_fitted_on_the_first_fifty_until_there_are_a_hundred(tmp_path: Path) -> None:
    """A new day changes nothing of what was said before; a hundred judged episodes do."""
    lake, policy = Lake(tmp_path), tmp_path / "no.toml"
    keep(lake, range(60))
    first = calibration_of(lake, "shop", policy)
    assert first is not None
    assert (first.episodes, outcomes_size(lake, "shop", policy)) == (50, 50)
    keep(lake, range(60, 90))
    assert calibration_of(lake, "shop", policy) == first
    keep(lake, range(90, 110))
    later = calibration_of(lake, "shop", policy)
    assert later is not None
    assert (later.episodes, outcomes_size(lake, "shop", policy)) == (100, 100)
