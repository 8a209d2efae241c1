"""Episodes staged in a scratch file: what comes out is what went in, sorted, and nothing stays behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from dagster_project.arrival.staging import StagedEpisodes
from dagster_project.lake.freshness import Work, store, store_parts
from dagster_project.lake.rows import constant_column, to_table
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import EPISODES
from ingest.records.episode import Episode, Step

DAYS = ("2026-01-01", "2026-01-02", "2026-01-03")


def episode(number: int) -> Episode:
    """Number decides everything; later numbers do not begin later."""
    return Episode(
        app="shop",
        episode_id=f"e{number}",
        conversation_id=None,
        source="otel_genai",
        started_at=(number * 7919) % 1000,
        ended_at=2000,
        steps=(Step(role="user", content=f"hello {number} " * (number % 50)),),
        trace_ids=(f"t{number}",),
    )


def by_day(count: int) -> dict[str, list[Episode]]:
    """Episodes of three days; the third has none."""
    found: dict[str, list[Episode]] = {day: [] for day in DAYS}
    for number in range(count):
        found[DAYS[number % 2]].append(episode(number))
    return found


def expected(episodes: list[Episode], day: str) -> pa.Table:
    """The rows as they are made of episodes in memory."""
    ordered = sorted(episodes, key=lambda one: (one.started_at, one.episode_id))
    return to_table(ordered, EPISODES.schema, day=constant_column(day))


def work_for(made: str) -> Work:
    """Everything is to be made again."""
    wanted = {("shop", day): made for day in DAYS}
    return Work(asset="episodes", wanted=wanted, stale=frozenset(wanted))


def test_staged_rows_are_the_rows_of_the_episodes_sorted(tmp_path: Path) -> None:
    """Whatever the order and the portions, a day's rows are those made in memory; the scratch folder goes."""
    groups = by_day(2500)
    with StagedEpisodes(tmp_path) as staged:
        staged.add(DAYS[2], episode(9999))
        staged.clear()
        for number in range(2500):
            staged.add(DAYS[number % 2], episode(number))
        staged.finish()
        assert staged.days() == set(DAYS[:2])
        for day in DAYS[:2]:
            parts = list(staged.rows(day))
            assert len(parts) > 1
            assert pa.concat_tables(parts).equals(expected(groups[day], day))
        assert list(staged.rows(DAYS[2])) == []
        assert staged.home["e3"] == DAYS[1]
    assert list(tmp_path.iterdir()) == []


def test_partitions_stored_in_parts_equal_those_stored_at_once(tmp_path: Path) -> None:
    """Rows and stamps are the same, an emptied day included, and equal rows are not written again."""
    groups = by_day(3000)
    rows = {day: expected(group, day) for day, group in groups.items()}
    whole, parted = Lake(tmp_path / "whole"), Lake(tmp_path / "parted")
    keys = [("shop", day) for day in DAYS]
    store(whole, EPISODES, pa.concat_tables(rows.values()), work_for("1"), keys=keys)
    store(parted, EPISODES, expected([episode(1)], DAYS[2]), work_for("0"), keys=keys)

    def parts(key: tuple[str, str]) -> Iterator[pa.Table]:
        table = rows[key[1]]
        yield from (table.slice(start, 100) for start in range(0, table.num_rows, 100))

    store_parts(parted, EPISODES, parts, work_for("1"), keys=keys)
    assert parted.stamps("episodes") == whole.stamps("episodes")
    for day in DAYS:
        stored = parted.read(EPISODES, app="shop", days=[day])
        assert stored.equals(rows[day])
    version = parted.version(EPISODES)
    store_parts(parted, EPISODES, parts, work_for("2"), keys=keys)
    assert parted.version(EPISODES) == version


def test_a_partition_whose_parts_break_off_stays_what_it_was(tmp_path: Path) -> None:
    """All partitions are replaced in one commit at the end, or none is."""
    lake = Lake(tmp_path / "lake")
    before = expected([episode(n) for n in range(5)], DAYS[0])
    lake.replace(EPISODES, before, [("shop", DAYS[0])])

    def broken() -> Iterator[pa.Table]:
        for number in range(20):
            yield expected([episode(100 + number)], DAYS[0])
        raise pa.ArrowInvalid("the scratch file is gone")

    with pytest.raises(pa.ArrowInvalid):
        lake.replace_parts(EPISODES, broken, [("shop", DAYS[0])])
    assert lake.read(EPISODES, app="shop").equals(before)
