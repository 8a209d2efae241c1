"""The leak check after a build: it reads everything past the gate, and what leaks is not exported."""

import shutil
from pathlib import Path

import pytest

from dagster_project.arrival import take_in
from dagster_project.build import build
from dagster_project.cli.export import export
from dagster_project.errors import InputError, StageError
from dagster_project.gate import vault_of
from dagster_project.home import Home, open_home, vault_secret
from dagster_project.leak_check import check_apps, check_home_report, leaks_of
from dagster_project.report_parts import write_home_report
from tests.lending_desk import FIRST, LAST, lines, write

SECRET = "a secret of the tests, long enough"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with one small app, built once."""
    folder = tmp_path_factory.mktemp("leaks")
    made = open_home(folder / "home", create=True)
    take_in(made, [write(folder / "chats.jsonl", lines(6))])
    assert build(made, secret=SECRET).failed_checks == ()
    return made


@pytest.fixture
def copy(home: Home, tmp_path: Path) -> Home:
    """The built home, to be damaged."""
    shutil.copytree(home.path, tmp_path / "home")
    return open_home(tmp_path / "home")


def checked_again(home: Home) -> int:
    """What the check finds once it must run again."""
    (home.clean / "leaks.json").unlink()
    vault = vault_of(home, vault_secret(home, SECRET))
    return check_apps(home, vault, ["lending"])["lending"].leaks


def test_a_build_leaves_the_number_that_the_report_tells(home: Home) -> None:
    """The report's zero is the check's own, over every text past the gate."""
    found = leaks_of(home.clean, "lending")
    assert found is not None
    assert (found.leaks, found.texts > 100) == (0, True)
    assert [state.leaks for state in write_home_report(home).redaction] == [0]


def test_without_a_check_the_report_says_so_and_nothing_is_exported(copy: Home) -> None:
    """No number is made up for what nobody searched."""
    (copy.clean / "leaks.json").unlink()
    assert [state.leaks for state in write_home_report(copy).redaction] == [None]
    with pytest.raises(InputError, match="changed since its last leak check"):
        export("taskset", copy.path / "out", home=copy.path)
    assert not (copy.path / "out").exists()


@pytest.mark.parametrize("place", ["tasks.jsonl", "README.md", f"{FIRST[0]}_{LAST[0]}.md"])
def test_an_identifier_in_any_file_blocks_the_export(copy: Home, place: str) -> None:
    """A name in a task, on the card or in a file's name is found, told by place and not exported."""
    path = copy.clean / "tasksets" / "lending" / place
    text = "" if place.startswith(FIRST[0]) else f"written for {FIRST[0]} {LAST[0]}"
    with path.open("a", encoding="utf-8") as file:
        file.write(text)
    assert checked_again(copy) == 1
    with pytest.raises(InputError, match="not exported: the leak check found 1") as refusal:
        export("taskset", copy.path / "out", home=copy.path)
    assert LAST[0] not in str(refusal.value).replace(place, "")


def test_a_report_with_an_identifier_is_removed(copy: Home) -> None:
    """The page is searched after it is written."""
    write_home_report(copy)
    check_home_report(copy, SECRET)
    with copy.report.open("a", encoding="utf-8") as page:
        page.write(f"<p>{FIRST[1].upper()}&nbsp;{LAST[1].upper()}</p>")
    with pytest.raises(StageError, match="the report held an identifier"):
        check_home_report(copy, SECRET)
    assert not copy.report.exists()
