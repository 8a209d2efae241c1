"""The leak check after a build: it reads everything past the gate, and what leaks is not exported."""

import base64
import json
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from dagster_project.arrival.files import take_in
from dagster_project.build.run import build, instance_of
from dagster_project.cli.main import app
from dagster_project.cli.tasks.export import export
from dagster_project.errors import InputError, StageError
from dagster_project.home.layout import Home, open_home
from dagster_project.home.vault_key import vault_secret
from dagster_project.lake.learnt_tables import TASKS
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CALL_PAIRS, CLEAN_OUTCOMES, EPISODES
from dagster_project.privacy import leak_check
from dagster_project.privacy.export_check import DOES_NOT_OPEN, NOT_AT_HAND, check_written
from dagster_project.privacy.gate import knowledge_of, vault_of
from dagster_project.privacy.leak_check import (
    check_apps,
    check_home_report,
    note_leaks,
    shown_texts,
)
from dagster_project.privacy.leaks import leaks_of, read_leaks
from dagster_project.report.parts import write_home_report
from environments.runtime.task.task_set import TaskSet
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
    (state,) = write_home_report(home).redaction
    assert state.leaks == 0
    assert (state.calls > 10, state.calls_unlike) == (True, 0)


def test_a_call_that_reads_unlike_fails_the_build(copy: Home) -> None:
    """Calls that the gate wrote in two ways are told by app and count, and leave the leak check's verdict as it is."""
    lake = Lake(copy.private / "lake")
    app, day = min(lake.counts(CALL_PAIRS))
    rows = lake.read(CALL_PAIRS, app=app, days=[day])
    twice = rows.set_column(
        rows.schema.get_field_index("clean"), "clean", pa.array([b"other"] * len(rows), pa.binary())
    )
    lake.replace(CALL_PAIRS, pa.concat_tables([rows, twice]), [(app, day)])
    (copy.clean / "leaks.json").unlink()
    built = build(copy, secret=SECRET)
    (told,) = [check for check in built.failed_checks if "calls_commute" in check]
    assert told.startswith("lending: calls_commute past the gate (")
    assert [state.leaks for state in write_home_report(copy).redaction] == [0]


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


def test_an_app_that_leaks_in_what_its_tasks_share_costs_only_itself(
    copy: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The other apps are exported; a sentence names the one that is not, and why."""
    mine = len(export_of(copy, tmp_path / "alone"))
    take_in(copy, [write(tmp_path / "chats.jsonl", lines(6, app="branch"))])
    build(copy, secret=SECRET)
    card = copy.clean / "tasksets" / "branch" / "README.md"
    card.write_text(f"written for {FIRST[0]} {LAST[0]}", encoding="utf-8")
    (copy.clean / "leaks.json").unlink()
    check_apps(copy, vault_of(copy, vault_secret(copy, SECRET)), ["branch", "lending"])
    capsys.readouterr()
    assert len(export_of(copy, tmp_path / "both")) == mine
    told = " ".join(capsys.readouterr().err.split())
    assert (
        "branch is not exported: the leak check found 1 identifiers in what all its tasks" in told
    )
    assert LAST[0] not in told


def export_of(home: Home, dest: Path, name: str | None = None) -> list[str]:
    """The ids of the tasks that an export of all apps, or of one, writes."""
    export("taskset", dest, home=home.path, app=name)
    return [task.task_id for task in TaskSet.load(dest).tasks]


def test_a_task_with_an_identifier_is_not_exported_and_all_others_are(
    copy: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    """One hit costs one task; the sentence names the key and tool that taught the value, and the line that settles it."""
    export("taskset", copy.path / "whole", home=copy.path)
    accepted = len(TaskSet.load(copy.path / "whole").tasks)
    lake = Lake(copy.clean / "lake")
    rows = lake.read(TASKS, app="lending").to_pylist()
    shown = {task.task_id for task in TaskSet.load(copy.path / "whole").tasks}
    row = next(row for row in rows if row["id"] in shown)
    document = json.loads(row["document"])
    document["task"]["provenance"]["note"] = f"written for {FIRST[0]} {LAST[0]}"
    row["document"] = json.dumps(document)
    lake.replace(TASKS, pa.Table.from_pylist(rows, schema=TASKS.schema), [("lending",)])
    assert checked_again(copy) == 1
    capsys.readouterr()
    export("taskset", copy.path / "out", home=copy.path)
    left = {task.task_id for task in TaskSet.load(copy.path / "out").tasks}
    assert left == shown - {row["id"]}
    assert len(left) == accepted - 1
    told = " ".join(capsys.readouterr().err.split())
    assert (
        "lending: tasks with any of 1 identifiers that the leak check found are not exported"
        in told
    )
    assert "learnt from the key find_reader." in told
    assert '= "public"' in told
    assert LAST[0] not in told


def test_the_yield_counts_what_export_writes(copy: Home) -> None:
    """A comment on one attempt names its reader: its task goes with all its attempts, and the table says so."""
    lake = Lake(copy.clean / "lake")
    rows = lake.read(CLEAN_OUTCOMES, app="lending").to_pylist()
    rows[0]["text"] = f"told {FIRST[0]} {LAST[0]} so"
    day = rows[0]["day"]
    table = pa.Table.from_pylist([r for r in rows if r["day"] == day], schema=CLEAN_OUTCOMES.schema)
    lake.replace(CLEAN_OUTCOMES, table, [("lending", day)])
    assert checked_again(copy) == 1
    *_, accepted, exported = write_home_report(copy).funnel
    export("taskset", copy.path / "out", home=copy.path)
    written = TaskSet.load(copy.path / "out").tasks
    assert len(written) == accepted.count // 2 - 1
    assert exported.count == 2 * len(written)
    assert [(lost.name, lost.count) for lost in exported.lost] == [("leaks", 2)]


def test_an_identifier_is_taken_out_of_a_report(copy: Home) -> None:
    """The page is searched after it is written; it stays, unless what was found cannot be taken out."""
    write_home_report(copy)
    assert not check_home_report(copy, SECRET)
    with copy.report.open("a", encoding="utf-8") as page:
        page.write(f"<p>{FIRST[1].upper()}&nbsp;{LAST[1].upper()} was here</p>")
    assert check_home_report(copy, SECRET) == "1 identifiers of people were taken out of the report"
    assert "<p>[withheld] was here</p>" in copy.report.read_text(encoding="utf-8")
    assert not check_home_report(copy, SECRET)
    with copy.report.open("a", encoding="utf-8") as page:
        page.write(base64.b64encode(f"about {FIRST[1]} {LAST[1]}, a reader".encode()).decode())
    assert "and was removed" in check_home_report(copy, SECRET)
    assert not copy.report.exists()


def test_a_build_names_a_report_out_of_which_something_was_taken(
    copy: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page is there, so both forms of the summary say where; `--strict` refuses all the same."""
    monkeypatch.setenv("TRACEGYM_SECRET", SECRET)
    told = "1 identifiers of people were taken out of the report"
    monkeypatch.setattr(leak_check, "check_home_report", lambda *_: told)
    run, where = CliRunner(), ["--home", str(copy.path)]
    assert json.loads(run.invoke(app, ["build", "--json", *where]).stdout)["report"] == str(
        copy.report
    )
    shown = run.invoke(app, ["build", *where]).output
    assert told in shown
    assert f"report: {copy.report}" in shown.replace("\n", " ")
    assert getattr(run.invoke(app, ["build", "--strict", *where]).exception, "exit_code", 0) == 3


def test_a_single_word_is_searched_in_what_derives_from_its_episode(copy: Home) -> None:
    """A first name alone, put into a failure's facet, is found; in another episode's row it is nobody's."""
    lake = Lake(copy.clean / "lake")
    rows = lake.read(CLEAN_OUTCOMES, app="lending").to_pylist()
    vault = vault_of(copy, vault_secret(copy, SECRET))
    raw = Lake(copy.private / "lake").read(EPISODES, app="lending").to_pylist()
    learnt = knowledge_of(Lake(copy.private / "lake"), vault, "lending").learnt.app("lending")
    own = vault.episode_id("lending", raw[0]["episode_id"])
    word = next(
        word
        for word, kind in sorted(learnt.local[raw[0]["episode_id"]].items())
        if kind in {"first_name", "last_name"} and len(word) > 3
    )
    mine = next(row for row in rows if row["episode_id"] == own)
    mine["text"] = f"told {word.title()} so"
    day = mine["day"]
    table = pa.Table.from_pylist([r for r in rows if r["day"] == day], schema=CLEAN_OUTCOMES.schema)
    lake.replace(CLEAN_OUTCOMES, table, [("lending", day)])
    assert checked_again(copy) == 1


def test_what_dagster_shows_and_log_files_are_read(home: Home) -> None:
    """The latest run's messages, the assets' metadata and every log file of the home are among what is searched."""
    (home.path / "serve.log").write_text("started\n", encoding="utf-8")
    with instance_of(home) as instance:
        shown = dict(shown_texts(home, instance))
    assert shown["serve.log"] == "started\n"
    assert "log of the latest run" in shown
    assert any(name.startswith("clean_episodes: ") for name in shown)
    assert any(name.startswith("check ") for name in shown)
    pictures = [text for name, text in shown.items() if name.endswith(": picture")]
    assert pictures, "charts are shown"
    assert not any("base64" in text for text in pictures), (
        "a picture's bytes hold short ids by chance"
    )


def test_what_was_waived_stands_in_the_report_and_in_dagster(copy: Home) -> None:
    """Hits that do not count are shown with their number and the reason in words, on the page and beside the asset."""
    ledger = copy.clean / "leaks.json"
    listed = json.loads(ledger.read_text())
    listed["lending"] |= {"waived": 3, "waivers": {"public": 3}}
    ledger.write_text(json.dumps(listed))
    (state,) = write_home_report(copy).redaction
    assert [(one.name, one.count) for one in state.waivers] == [("public", 3)]
    page = " ".join(path.read_text() for path in copy.report.parent.rglob("*.html"))
    assert "own vocabulary, apart from every other word" in page
    with instance_of(copy) as instance:
        built = instance.fetch_observations(dg.AssetKey("clean_episodes"), limit=1).records
        assert built, "every build notes its check"
        note_leaks(instance, read_leaks(copy.clean))
        (record,) = instance.fetch_observations(dg.AssetKey("clean_episodes"), limit=1).records
    noted = record.asset_observation
    assert noted is not None
    assert noted.metadata["waived: public"].value == 3
    assert noted.metadata["leaks"].value == 0


def test_the_report_counts_removals_by_the_days_that_the_policy_moves_to(copy: Home) -> None:
    """The partitions' true days stand nowhere on the page once dates are moved."""
    before = {row.day for row in write_home_report(copy).redacted}
    copy.redaction_policy.write_text("date_shift_days = 700\n")
    after = {row.day for row in write_home_report(copy).redacted}
    assert before
    assert len(after) == len(before)
    assert not before & after


@pytest.mark.parametrize("format_name", ["taskset", "sft", "trl"])
def test_a_written_export_is_searched_in_every_format(
    home: Home,
    tmp_path: Path,
    format_name: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """What the command wrote is read back, rows of Parquet included, and the number is told."""
    monkeypatch.setenv("TRACEGYM_SECRET", SECRET)
    dest = tmp_path / "out"
    export(format_name, dest, home=home.path, as_json=True)
    assert re.fullmatch(
        r"\d+ texts, no identifier", json.loads(capsys.readouterr().out)["searched"]
    )
    assert any(dest.iterdir())


def files_of(folder: Path) -> dict[Path, bytes]:
    """Everything below a folder."""
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("format_name", ["taskset", "trl"])
def test_an_identifier_that_a_format_wrote_leaves_the_export_of_before(
    home: Home, tmp_path: Path, format_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The home is clean and the format is not: nothing is exported, the sentence names nobody, and a good export stays."""
    monkeypatch.setenv("TRACEGYM_SECRET", SECRET)
    dest = tmp_path / "out"
    export(format_name, dest, home=home.path)
    before = files_of(tmp_path)
    said = f"graded for {FIRST[0]} {LAST[0]}"
    with pytest.raises(StageError, match="nothing is exported: an identifier") as refusal:
        export(format_name, dest, home=home.path, license_=said, yes=True)
    assert LAST[0] not in str(refusal.value)
    assert files_of(tmp_path) == before


def test_an_export_that_is_killed_before_it_was_searched_was_never_there(
    home: Home, tmp_path: Path
) -> None:
    """The export of before stays as it was; what the killed one left is gone after the next."""
    dest = tmp_path / "out"
    export("taskset", dest, home=home.path)
    before = files_of(dest)
    killed = (
        "import os, sys\nfrom pathlib import Path\n"
        "from dagster_project.privacy import export_check\n"
        "from dagster_project.cli.tasks.export import export\n"
        "export_check.check_written = lambda *_: os.kill(os.getpid(), 9)\n"
        "export('taskset', Path(sys.argv[1]), home=Path(sys.argv[2]), license_='other', yes=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", killed, str(dest), str(home.path)],
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == -signal.SIGKILL
    assert files_of(dest) == before
    assert len(list(tmp_path.iterdir())) == 2
    export("taskset", dest, home=home.path, license_="other", yes=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert files_of(dest) != before


def test_what_another_apps_conversations_say_is_not_searched_for_ones_people(
    copy: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A readers' name of one app is the name of a form in another app: both are exported together."""
    monkeypatch.setenv("TRACEGYM_SECRET", SECRET)
    forms = json.loads(
        "\n".join(map(json.dumps, [list(lines(6, app="forms"))]))
        .replace(f"{FIRST[0].lower()}_{LAST[0].lower()}", "form_a")
        .replace(FIRST[0], "Form")
        .replace(LAST[0], "A")
        .replace("a lending library", f"the {FIRST[0]} {LAST[0]} form")
    )
    take_in(copy, [write(tmp_path / "forms.jsonl", forms)])
    assert build(copy, secret=SECRET).failed_checks == ()
    assert len(export_of(copy, tmp_path / "both")) > len(
        export_of(copy, tmp_path / "again", "forms")
    )


def test_an_identifier_in_a_row_of_parquet_is_found(home: Home, tmp_path: Path) -> None:
    """Columns of text are read, not the file's bytes, which are compressed."""
    folder = tmp_path / "rows"
    folder.mkdir()
    row = {"prompt": [{"role": "user", "content": f"I am {FIRST[0]} {LAST[0]}"}]}
    pq.write_table(pa.Table.from_pylist([row]), folder / "train.parquet")
    with pytest.raises(StageError, match="nothing is exported"):
        check_written(home, folder, ["lending"], SECRET.encode())


@pytest.mark.parametrize(("secret", "why"), [("", NOT_AT_HAND), ("x" * 32, DOES_NOT_OPEN)])
def test_without_the_vaults_secret_an_export_says_that_it_was_not_searched(
    copy: Home,
    secret: str,
    why: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No secret is made up, and a missing one is not told as a search that found nothing."""
    monkeypatch.setenv("TRACEGYM_SECRET", secret)
    (copy.vault / "secret").unlink(missing_ok=True)
    dest = copy.path / "out"
    export("taskset", dest, home=copy.path, as_json=True)
    assert json.loads(capsys.readouterr().out)["searched"] == why
    assert dest.exists()
    assert not (copy.vault / "secret").exists()
