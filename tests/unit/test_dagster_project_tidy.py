"""How long each stage of a home is kept, with a clock that is moved."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pyarrow as pa
import pytest

from dagster_project.arrival.files import take_in
from dagster_project.errors import HomeError
from dagster_project.home.layout import Home, open_home
from dagster_project.home.settings import Retention, retention_of
from dagster_project.home.tidy import tidy
from dagster_project.lake.learnt_tables import ROLLOUTS
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CHATS, CLEAN_EPISODES, QUARANTINE, Stamp, Table
from tests.lending_desk import lines, write

DAY = 86_400 * 1_000_000_000


def configured(home: Home, **days: object) -> None:
    """Write days into home.json."""
    said = json.loads(home.manifest.read_text())
    home.manifest.write_text(json.dumps({**said, **days}))


def one_row(table: Table) -> pa.Table:
    """A row of a table with an app and a day, and nothing else in it."""
    row = {"app": "lending", "day": "2026-03-01"}
    return pa.Table.from_pylist([row], schema=table.schema)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with something in every stage."""
    home = open_home(tmp_path / "home", create=True)
    (tmp_path / "broken.jsonl").write_text('{"messages": 7}\n')
    take_in(home, [write(tmp_path / "chats.jsonl", list(lines(2))), tmp_path / "broken.jsonl"])
    clean = Lake(home.clean / "lake")
    for table in (CLEAN_EPISODES, ROLLOUTS):
        clean.append(table, one_row(table))
    stamp = Stamp(asset="clean_episodes", app="lending", day="2026-03-01", digest="d", made_of="m")
    clean.stamp("clean_episodes", [stamp])
    return home


def held(home: Home) -> dict[str, bool]:
    """Which stages hold anything."""
    private, clean = Lake(home.private / "lake"), Lake(home.clean / "lake")
    return {
        "raw": bool(private.counts(CHATS)),
        "quarantine": bool(private.counts(QUARANTINE)),
        "clean": bool(clean.counts(CLEAN_EPISODES)),
        "rollouts": bool(clean.counts(ROLLOUTS)),
    }


def after(home: Home, days: int) -> dict[str, bool]:
    """What is left so many days from now."""
    tidy(home, now_ns=time.time_ns() + days * DAY)
    return held(home)


def test_without_a_word_raw_and_refused_data_go_after_a_month_and_the_rest_stays(
    home: Home,
) -> None:
    """Quarantined bodies are raw data too."""
    everything = dict.fromkeys(("raw", "quarantine", "clean", "rollouts"), True)
    assert after(home, 29) == everything
    assert after(home, 31) == {**everything, "raw": False, "quarantine": False}
    assert after(home, 4000) == {**everything, "raw": False, "quarantine": False}


def test_each_stage_goes_when_its_days_are_over(home: Home) -> None:
    """And what was stamped of it is forgotten, so that what follows is made again."""
    configured(home, raw_days=5, quarantine_days=2, clean_days=20, rollout_days=10)
    assert after(home, 3) == {"raw": True, "quarantine": False, "clean": True, "rollouts": True}
    assert after(home, 6) == {"raw": False, "quarantine": False, "clean": True, "rollouts": True}
    assert after(home, 11) == {"raw": False, "quarantine": False, "clean": True, "rollouts": False}
    assert Lake(home.clean / "lake").stamps("clean_episodes")
    assert not any(after(home, 21).values())
    assert Lake(home.clean / "lake").stamps("clean_episodes") == {}


@pytest.mark.parametrize(
    ("days", "told"),
    [
        ({"clean_days": 0}, "clean_days must be a whole number"),
        ({"quarantine_days": "x"}, "quarantine_days must be a whole number"),
        ({"rollout_days": True}, "rollout_days must be a whole number"),
        ({"raw_days": 40, "clean_days": 30}, "clean_days must be at least raw_days"),
    ],
)
def test_days_that_cannot_be_are_one_sentence(
    home: Home, days: dict[str, object], told: str
) -> None:
    """Nothing is removed by a mistake in the file."""
    assert retention_of(home) == Retention()
    configured(home, **days)
    with pytest.raises(HomeError, match=told):
        tidy(home, now_ns=time.time_ns() + 9000 * DAY)
    assert all(held(home).values())
