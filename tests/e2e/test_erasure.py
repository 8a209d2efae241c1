"""Erasing somebody: nothing of them is left in any byte of a home, everybody else is, and old task sets are told apart."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dagster_project.arrival.files import take_in
from dagster_project.build.run import build
from dagster_project.cli.main import app as command_line
from dagster_project.home.layout import Home, open_home
from dagster_project.lake.learnt_tables import TASKS
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CHATS, CLEAN_EPISODES, EPISODES, SPANS
from ingest.receiver.wal import Wal
from tests.lending_desk import FIRST, LAST, line, lines, write

SECRET = "a secret of the tests, long enough"
READER = f"{FIRST[2].lower()}_{LAST[2].lower()}_1002"


def spans(trace: str, user: str, said: str) -> str:
    """One conversation of spans, as OTLP/JSON."""
    message = json.dumps([{"role": "user", "parts": [{"type": "text", "content": said}]}])
    answer = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "Well."}]}])
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.conversation.id": f"conversation-{trace[:6]}",
        "user.id": user,
        "gen_ai.input.messages": message,
        "gen_ai.output.messages": answer,
    }
    span = {
        "traceId": trace,
        "spanId": trace[:16],
        "name": "chat m",
        "startTimeUnixNano": "1772500000000000000",
        "endTimeUnixNano": "1772500002000000000",
        "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in attributes.items()],
    }
    service = [{"key": "service.name", "value": {"stringValue": "lending"}}]
    held = [{"resource": {"attributes": service}, "scopeSpans": [{"spans": [span]}]}]
    return json.dumps({"resourceSpans": held})


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with readers of two days, one of whom wrote through an instrumented app as well."""
    folder = tmp_path_factory.mktemp("erasure")
    home = open_home(folder / "home", create=True)
    more = [line(2, good=True, attempt=2, day=2), line(3, good=True, attempt=2, day=2)]
    take_in(home, [write(folder / "chats.jsonl", [*lines(6), *more])])
    (folder / "mine.json").write_text(spans("ab" * 16, READER, f"I am {READER} and I moved."))
    (folder / "theirs.json").write_text(spans("cd" * 16, "somebody_else_77", "When do you open?"))
    take_in(home, [folder / "mine.json", folder / "theirs.json"])
    (home.private / "quarantine").mkdir(exist_ok=True)
    build(home, secret=SECRET)
    exported = CliRunner().invoke(
        command_line, ["export", "taskset", str(folder / "old"), "--home", str(home.path)],
        env={"TRACEGYM_SECRET": SECRET},
    )  # fmt: skip
    assert exported.exit_code == 0, exported.output
    return home


@pytest.fixture
def home(built: Home, tmp_path: Path) -> Home:
    """A copy."""
    shutil.copytree(built.path, tmp_path / "home")
    return open_home(tmp_path / "home")


def run(home: Home, *arguments: str) -> tuple[int, dict[str, object], str]:
    """Exit code, document and everything that was said."""
    done = CliRunner().invoke(
        command_line,
        [*arguments, "--home", str(home.path), "--json"],
        env={"TRACEGYM_SECRET": SECRET},
    )
    return done.exit_code, json.loads(done.stdout or "{}"), f"{done.output}{done.exception}"


def everything(home: Home) -> bytes:
    """All bytes of a home as they lie on the disk, and those of its tables and its log as they are read."""
    found = [path.read_bytes() for path in home.path.rglob("*") if path.is_file()]
    for side in (home.private, home.clean):
        lake = Lake(side / "lake")
        tables = (SPANS, CHATS, EPISODES, CLEAN_EPISODES, TASKS)
        found += [str(lake.read(table).to_pylist()).encode() for table in tables]
    with Wal(home.wal) as wal:
        found += [record.body for record in wal.all_records()]
    return b"\n".join(found)


def test_nothing_of_an_erased_user_is_left(home: Home, built: Home) -> None:
    """Raw and clean rows, bodies, vault, worlds and tasks; the search says so, and so does a plain look at all bytes."""
    before = everything(home)
    assert READER.encode() in before
    code, said, told = run(home, "erase", "--user", READER, "--as", "Ada Berg")
    assert code == 0, told
    assert said["episodes"] == 4
    searched = said["searched"]
    assert isinstance(searched, dict)
    assert searched["hits"] == {}
    assert searched["bytes"] > 100_000
    left = everything(home)
    for trace in (READER, f"{LAST[2].lower()}2@", "lending-2-0", "ab" * 16, "conversation-ababab"):
        assert trace.encode() not in left, trace
    assert bytes.fromhex("ab" * 16) not in left
    audit = json.loads((home.private / "audit.jsonl").read_text().splitlines()[-1])
    assert (audit["command"], audit["who"], audit["users"]) == ("erase", "Ada Berg", 1)
    assert READER not in json.dumps(audit)


@pytest.mark.slow
def test_everybody_else_is_as_before_and_the_next_build_makes_the_rest(
    home: Home, built: Home
) -> None:
    """Rows of others stay; worlds and tasks of the app are made again without the erased one."""
    others = {
        row["episode_id"]: row["subject"]
        for row in Lake(built.private / "lake").read(EPISODES).to_pylist()
        if row["subject"] != READER
    }
    assert run(home, "erase", "--user", READER, "--as", "Ada Berg")[0] == 0
    again = build(home, secret=SECRET)
    assert again.skipped == ()
    rows = Lake(home.private / "lake").read(EPISODES).to_pylist()
    assert {row["episode_id"]: row["subject"] for row in rows} == others
    clean = Lake(home.clean / "lake")
    assert clean.read(CLEAN_EPISODES).num_rows == len(others)
    keys = [row["task_key"] for row in clean.read(CLEAN_EPISODES).to_pylist()]
    assert len({key for key in keys if key}) == 5
    assert clean.read(TASKS).num_rows
    code, said, told = run(home, "erase", "--user", READER, "--as", "Ada Berg")
    assert (code, said) == (1, {}), told


@pytest.mark.slow
def test_old_task_sets_say_what_must_be_withdrawn(home: Home, built: Home) -> None:
    """Tasks of the erased conversation, and the other tasks of the app whose world it is in; a new set has neither."""
    old = str(built.path.parent / "old")
    assert run(home, "withdrawn", old)[0] == 0
    code, said, _ = run(home, "erase", "--user", READER, "--as", "Ada Berg")
    assert code == 0
    withdrawn = said["withdrawn"]
    assert isinstance(withdrawn, dict)
    code, document, told = run(home, "withdrawn", old)
    assert code == 1, told
    listed = document["withdrawn"]
    assert isinstance(listed, list)
    reasons = {one["task"]: one["why"] for one in listed}
    of_reader = {task for task, why in reasons.items() if why.startswith("made of")}
    assert of_reader <= set(withdrawn["lending"])
    assert len(of_reader) == 1
    assert len(reasons) > 1
    build(home, secret=SECRET)
    new = home.path.parent / "new"
    exported = CliRunner().invoke(
        command_line, ["export", "taskset", str(new), "--home", str(home.path)],
        env={"TRACEGYM_SECRET": SECRET},
    )  # fmt: skip
    assert exported.exit_code == 0, exported.output
    assert run(home, "withdrawn", str(new))[0] == 0


def test_one_episode_may_be_erased_by_its_id(home: Home) -> None:
    """The user's other conversations stay."""
    code, said, told = run(home, "erase", "--episode", "lending-2-2", "--as", "Ada Berg")
    assert code == 0, told
    assert said["episodes"] == 1
    rows = Lake(home.private / "lake").read(EPISODES).to_pylist()
    assert sum(row["subject"] == READER for row in rows) == 3


def test_nothing_is_touched_for_somebody_whom_nobody_knows(home: Home) -> None:
    """A typo costs neither reports nor old versions; what a stopped command left is finished."""
    before = {p: p.stat().st_mtime_ns for p in (home.path / "clean").rglob("*") if p.is_file()}
    code, said, told = run(home, "erase", "--episode", "nosuch", "--as", "Ada Berg")
    assert (code, said) == (1, {})
    assert "holds no such user or episode; nothing was erased" in told
    after = {p: p.stat().st_mtime_ns for p in (home.path / "clean").rglob("*") if p.is_file()}
    assert after == before
    (home.private / "erasing").touch()
    code, said, told = run(home, "erase", "--episode", "nosuch", "--as", "Ada Berg")
    assert (code, said["episodes"]) == (0, 0), told
    assert not (home.private / "erasing").exists()


def test_a_person_must_be_named(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """An account that many share is nobody; who became root by sudo is somebody."""
    monkeypatch.setattr("dagster_project.privacy.audit._login", lambda: None)
    monkeypatch.setattr("dagster_project.privacy.audit._account", lambda: "root")
    monkeypatch.delenv("SUDO_USER", raising=False)
    code, _, told = run(home, "erase", "--user", READER)
    assert code == 1
    assert "--as NAME" in told
    monkeypatch.setenv("SUDO_USER", "ada")
    assert run(home, "erase", "--user", READER)[0] == 0
    audit = json.loads((home.private / "audit.jsonl").read_text().splitlines()[-1])
    assert (audit["who"], audit["account"]) == ("ada", "root")
