"""With dates moved, nothing that is handed on tells a true day; the home's own partitions, which stay in it, do."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from dagster_project.arrival.files import take_in
from dagster_project.build.run import build
from dagster_project.cli.data.episodes import episodes
from dagster_project.cli.data.failures import failures
from dagster_project.cli.tasks.export import export
from dagster_project.home.layout import Home, open_home
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_EPISODES
from dagster_project.report.parts import write_home_report
from tests.lending_desk import lines, write

TRUE = "2026-03-01"
MOVED = "2025-03-02"
DAYS = (date.fromisoformat(MOVED) - date.fromisoformat(TRUE)).days


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home whose dates are moved by 52 weeks."""
    folder = tmp_path_factory.mktemp("shifted")
    made = open_home(folder / "home", create=True)
    made.redaction_policy.write_text(f"date_shift_days = {DAYS}\n")
    take_in(made, [write(folder / "chats.jsonl", lines(6))])
    assert build(made, secret="a secret of the tests, long enough").failed_checks == ()
    return made


def tells(text: str) -> list[str]:
    """The spellings of the true day, and the first digits of its moments, that stand in a text."""
    start = datetime.fromisoformat(TRUE).replace(tzinfo=UTC)
    moments = {str(int(start.timestamp()))[:5]}
    spelt = {TRUE, TRUE.replace("-", "/"), TRUE.replace("-", ""), "March 1, 2026", "1 Mar 2026"}
    return sorted(one for one in spelt | moments if one in text)


def test_reports_exports_and_commands_name_the_moved_day_only(
    home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every file of the report and of three exports, and what `episodes` and `failures --json` print."""
    write_home_report(home)
    for format_name in ("taskset", "trl", "huggingface"):
        export(format_name, tmp_path / format_name, home=home.path)
    capsys.readouterr()
    episodes(home=home.path)
    failures(home=home.path, as_json=True)
    printed = capsys.readouterr().out
    assert MOVED in printed
    assert tells(printed) == []
    handed_on = [*home.report.parent.rglob("*"), *tmp_path.rglob("*")]
    files = [path for path in handed_on if path.is_file() and path.suffix != ".png"]
    assert len(files) > 20
    assert {p.name: told for p in files if (told := tells(p.read_text("utf-8", "replace")))} == {}


def test_partitions_keep_the_true_day_and_stay_in_the_home(home: Home) -> None:
    """What Dagster and the tables are divided by is the day on which raw data came: the operator's side."""
    rows = Lake(home.clean / "lake").read(CLEAN_EPISODES).to_pylist()
    assert {row["day"] for row in rows} == {TRUE}
    started = {datetime.fromtimestamp(row["started_at"] / 1e9, UTC).date() for row in rows}
    assert started == {date.fromisoformat(MOVED)}
