"""Outcomes asked for with SQL, of files and of a real PostgreSQL, through the command itself."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dagster_project.arrival.assembly import assemble_days, days_of
from dagster_project.arrival.chat_lines import raw_lines
from dagster_project.arrival.files import take_in
from dagster_project.arrival.outcome_days import arrived_outcomes, outcomes_by_day
from dagster_project.cli.main import app as cli
from dagster_project.home.layout import Home, open_home
from dagster_project.lake.rows import constant_column, to_table
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import EPISODES
from dagster_project.report.doctor import diagnose

START = 1_790_000_000


def attribute(key: str, value: str) -> dict[str, Any]:
    """One OTLP attribute."""
    return {"key": key, "value": {"stringValue": value}}


def spans_of(number: int) -> dict[str, Any]:
    """One conversation, with the app's own ticket number on a span."""
    said = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "hi"}]}])
    at = (START + number * 600) * 10**9
    span = {
        "traceId": f"{number + 1:032x}",
        "spanId": f"{number + 1:016x}",
        "name": "chat",
        "startTimeUnixNano": str(at),
        "endTimeUnixNano": str(at + 10**9),
        "attributes": [
            attribute("gen_ai.operation.name", "chat"),
            attribute("gen_ai.conversation.id", f"c{number}"),
            attribute("gen_ai.input.messages", said),
            attribute("gen_ai.output.messages", said.replace("user", "assistant")),
            attribute("user.id", "u1"),
            attribute("app.ticket", f"T-{number}"),
        ],
    }
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with three conversations of one user, ten minutes apart, assembled."""
    made = open_home(tmp_path / "home", create=True)
    sent = tmp_path / "spans.jsonl"
    sent.write_text("\n".join(json.dumps(spans_of(number)) for number in range(3)))
    take_in(made, [sent], app="shop")
    lake = Lake(made.private / "lake")
    days = days_of(lake, "shop")["shop"]
    for day, episodes in assemble_days(lake, "shop", days).episodes.items():
        rows = to_table(episodes, EPISODES.schema, day=constant_column(day))
        lake.replace(EPISODES, rows, [("shop", day)])
    return made


def outcomes(home: Home, *arguments: str) -> dict[str, Any]:
    """What the command says in JSON."""
    told = ["outcomes", *arguments, "--app", "shop", "--home", str(home.path), "--json"]
    done = CliRunner().invoke(cli, told)
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_doctor_names_rows_of_no_app_that_join_nothing(home: Home, tmp_path: Path) -> None:
    """A key that no conversation has is told; one that an app's conversation has is not counted."""
    (tmp_path / "t.csv").write_text("key,name,value\nc1,csat,4\nnobody,csat,4\nno-one,csat,1\n")
    told = ["outcomes", str(tmp_path / "t.csv"), "--home", str(home.path)]
    assert CliRunner().invoke(cli, told).exit_code == 0
    found = diagnose(home)
    assert found.waiting_outcomes == 2
    assert [advice for advice in found.advice if "2 outcomes name no app" in advice]


def kept(home: Home) -> dict[tuple[str, str], tuple[float | None, str | None]]:
    """What was kept, by what it is about and its name: its value and its episode."""
    found = arrived_outcomes(Lake(home.private / "lake"), "shop")
    return {(o.target_id, o.name): (o.value, o.episode_id) for o in found}


@pytest.mark.timeout(120)
def test_a_query_over_files_labels_by_any_attribute_and_twice_is_once(
    home: Home, tmp_path: Path
) -> None:
    """DuckDB reads CSV beside Parquet; the ticket number is an attribute that only the app knows."""
    table = tmp_path / "tickets.csv"
    table.write_text("ticket,day,cost\nT-0,2026-09-25,1.50\nT-2,2026-09-25,0\nT-9,2026-09-25,3\n")
    columns = "ticket AS key, 'refund' AS name, cost::DECIMAL(9,2) AS value, day::DATE AS at"
    query = f"SELECT {columns} FROM '{table}'"  # noqa: S608 - the test's own text
    for _ in range(2):
        found = outcomes(home, query, "--target", "attribute:app.ticket")
        assert (found["rows"], found["joined"], found["waiting"]) == (3, 2, 1)
    by_ticket = kept(home)
    assert len(by_ticket) == 3
    assert by_ticket["app.ticket=T-0", "refund"][0] == 1.5
    assert by_ticket["app.ticket=T-9", "refund"] == (3.0, None)


def test_a_row_called_none_is_about_no_span_that_lacks_the_attribute(tmp_path: Path) -> None:
    """A script writes `None` where it has no value."""
    made = open_home(tmp_path / "fresh", create=True)
    sent = tmp_path / "spans.jsonl"
    sent.write_text(json.dumps(spans_of(0)))
    take_in(made, [sent], app="shop")
    query = "SELECT 'None' AS key, 'refund' AS name, 1 AS value"
    outcomes(made, query, "--target", "attribute:app.unheard_of")
    (episode,) = [json.loads(line) for line in raw_lines(made)]
    assert not {"outcome", "outcomes"} & episode.keys()


@pytest.mark.timeout(120)
def test_before_the_first_build_attributes_join_as_a_build_will(tmp_path: Path) -> None:
    """Doctor does not call the key wrong, and raw episodes carry the outcome."""
    made = open_home(tmp_path / "fresh", create=True)
    sent = tmp_path / "spans.jsonl"
    sent.write_text("\n".join(json.dumps(spans_of(number)) for number in range(3)))
    take_in(made, [sent], app="shop")
    query = "SELECT 'T-1' AS key, 1 AS value"
    found = outcomes(made, query, "--target", "attribute:app.ticket", "--outcome", "refund")
    assert (found["joined"], found["waiting"]) == (1, 0)
    (app,) = diagnose(made).apps
    assert app.waiting_outcomes == 0
    assert not any("no outcome" in advice for advice in app.advice)
    assert [line.split(" =")[0] for line in app.outcomes_to_settle] == ["refund"]
    told = CliRunner().invoke(cli, ["doctor", "--home", str(made.path)]).stdout
    assert "[outcomes]\nrefund = " in told
    labelled = [json.loads(line) for line in raw_lines(made)]
    assert [e["episode_id"] for e in labelled if "outcome" in e or "outcomes" in e] == ["c1"]


def said(arguments: list[str]) -> tuple[int, str]:
    """How a command ended, and everything that it said."""
    done = CliRunner().invoke(cli, arguments)
    return done.exit_code, done.output


@pytest.mark.timeout(120)
@pytest.mark.parametrize("built", [True, False])
def test_the_column_of_keys_is_found_by_its_values(
    home: Home, tmp_path: Path, *, built: bool
) -> None:
    """Before and after a build; a mark of 1 to 5 is no conversation, and what nobody knows waits."""
    made = home if built else open_home(tmp_path / "fresh", create=True)
    if not built:
        sent = tmp_path / "again.jsonl"
        sent.write_text("\n".join(json.dumps(spans_of(number)) for number in range(3)))
        take_in(made, [sent], app="shop")
    table = tmp_path / "tickets.csv"
    table.write_text("stars,chat,name,value\n1,c0,reopened,1\n2,c2,reopened,0\n3,c9,reopened,1\n")
    found = outcomes(made, str(table))
    assert (found["key"], found["rows"], found["joined"], found["waiting"]) == ("chat", 3, 2, 1)


def test_two_columns_that_name_different_conversations_are_asked_about(
    home: Home, tmp_path: Path
) -> None:
    """Which of them a row is about, only a person knows; columns that mean the same one are no question."""
    table = tmp_path / "t.csv"
    table.write_text("after,chat,name,value\nc0,c1,reopened,1\nc1,c2,reopened,0\n")
    told = ["outcomes", str(table), "--app", "shop", "--home", str(home.path)]
    code, text = said(told)
    assert code == 1
    assert "--key" in text
    assert outcomes(home, str(table), "--key", "chat")["joined"] == 2
    table.write_text(f"trace,chat,name,value\n{1:032x},c0,csat,1\n{2:032x},c1,csat,0\n")
    assert outcomes(home, str(table))["joined"] == 2


@pytest.mark.timeout(120)
def test_a_window_bounds_what_a_users_row_may_be_about(home: Home) -> None:
    """A survey answer long after the last conversation is about none of them, now and in later builds."""
    late = START + 1200 + 7200
    query = f"SELECT 'u1' AS key, 4 AS value, {late} AS at"
    found = outcomes(home, query, "--target", "user", "--outcome", "csat", "--window", "3600")
    assert (found["joined"], found["waiting"]) == (0, 1)
    (later,) = outcomes_by_day(Lake(home.private / "lake"), "shop").values()
    assert [outcome.episode_id for outcome in later] == [None]
    assert outcomes(home, query, "--target", "user", "--outcome", "nps")["joined"] == 1


def test_a_bad_query_is_one_sentence(home: Home) -> None:
    """No traceback, and no address of a database in the message."""
    for arguments in (
        ["SELECT nothing FROM nowhere"],
        ["SELECT 1 AS key", "--database", "oracle://user:secret@host/db"],
        ["tickets.csv", "--database", "postgresql://user:secret@host/db"],
    ):
        done = CliRunner().invoke(cli, ["outcomes", *arguments, "--home", str(home.path)])
        assert done.exit_code != 0
        assert "Traceback" not in done.output
        assert "secret" not in done.output


class Postgres:
    """A PostgreSQL of our own, under an account that may run one."""

    def __init__(self, folder: Path) -> None:
        programs = [
            shutil.which("initdb"),
            *map(str, Path("/usr/lib/postgresql").glob("*/bin/initdb")),
        ]
        found = next((program for program in programs if program), None)
        if found is None:
            pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
        if importlib.util.find_spec("adbc_driver_postgresql") is None:
            pytest.skip("the database driver is not installed: pip install 'tracegym[postgres]'")
        self._bin = Path(found).parent
        self._as = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])

    def run(self, program: str, *arguments: str) -> None:
        """One of PostgreSQL's programs."""
        command = [*self._as, str(self._bin / program), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a fresh database server."""
    # A socket's path may have 107 characters, and the account must be able to reach the folder.
    folder = Path(f"/tmp/tracegym-{os.getpid()}-{time.monotonic_ns()}")
    server = Postgres(folder)
    folder.mkdir(mode=0o777)
    if os.getuid() == 0:
        shutil.chown(folder, "postgres")
    data = str(folder / "data")
    try:
        server.run("initdb", "-D", data, "-U", "tester", "-A", "trust", "--no-sync")
        settings = f"-p {server.port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        server.run("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", settings, "start")
        yield f"postgresql://tester@127.0.0.1:{server.port}/postgres"
    finally:
        with suppress(AssertionError):
            server.run("pg_ctl", "-D", data, "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.timeout(180)
def test_a_real_postgresql_answers_the_query(home: Home, postgres: str, tmp_path: Path) -> None:
    """Rows of a production database label conversations; numbers, dates and truths come as the database has them."""
    dbapi = importlib.import_module("adbc_driver_postgresql.dbapi")
    with dbapi.connect(postgres) as connection, connection.cursor() as cursor:
        cursor.execute(
            "create table tickets (conversation text, reopened boolean, paid numeric(9,2), closed timestamptz)"
        )
        cursor.execute(
            "insert into tickets values ('c0', true, 12.50, '2026-09-22T10:00:00Z'), ('c1', false, null, now())"
        )
        connection.commit()
    query = tmp_path / "tickets.sql"
    query.write_text(
        "-- closed tickets\nselect conversation, reopened, closed from tickets order by 1"
    )
    found = outcomes(
        home, str(query), "--database", postgres, "--key", "conversation", "--value", "reopened",
        "--at", "closed", "--outcome", "ticket_reopened",
    )  # fmt: skip
    assert (found["rows"], found["joined"], found["quarantined"]) == (2, 2, 0)
    assert [kept(home)[name, "ticket_reopened"][0] for name in ("c0", "c1")] == [1.0, 0.0]
    paid = outcomes(
        home, "select * from tickets where paid is not null", "--database", postgres,
        "--key", "conversation", "--value", "paid", "--at", "closed", "--outcome", "paid",
    )  # fmt: skip
    assert paid["joined"] == 1
    assert kept(home)["c0", "paid"][0] == 12.5
    refused = CliRunner().invoke(
        cli, ["outcomes", "select * from gone", "--database", postgres, "--home", str(home.path)]
    )
    assert refused.exit_code != 0
    assert postgres not in refused.output
