"""What a privacy officer is shown and signs: what stays, a sample to read, and a signature that lapses when anything changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dagster_project.arrival.files import take_in
from dagster_project.build.run import build
from dagster_project.cli.main import app as command_line
from dagster_project.home.layout import Home, open_home
from dagster_project.lake.store import Lake
from dagster_project.report.data.arrivals import RedactionState
from dagster_project.report.data.counts import Count
from dagster_project.report.page import _gate_sentence
from dagster_project.report.parts import write_home_report
from dagster_project.report.remaining_values import stays_rows
from tests.lending_desk import LAST, line, lines, write

SECRET = "a secret of the tests, long enough"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A built home."""
    folder = tmp_path_factory.mktemp("signing")
    home = open_home(folder / "home", create=True)
    take_in(home, [write(folder / "chats.jsonl", lines(5))])
    build(home, secret=SECRET)
    return home


def run(home: Home, *arguments: str) -> tuple[int, str]:
    """Exit code and what was said."""
    done = CliRunner().invoke(
        command_line,
        [*arguments, "--home", str(home.path)],
        env={"TRACEGYM_SECRET": SECRET},
    )
    return done.exit_code, f"{done.output}{done.exception}"


def document(home: Home, *arguments: str) -> Any:  # noqa: ANN401 - a JSON document
    """What a command prints for programs."""
    code, said = run(home, *arguments, "--json")
    assert code == 0, said
    return json.loads(said.removesuffix("None"))


def test_the_report_says_what_stays_with_an_example_in_its_place(home: Home) -> None:
    """By key and kind, in how many conversations; the values that were replaced are not among it."""
    rows, looked_at = stays_rows(Lake(home.clean / "lake"), "lending")
    assert looked_at == 10
    found = {(row.key, row.kind): row for row in rows}
    weeks = found["find_loan.weeks", "amount or count"]
    assert (weeks.count, weeks.episodes) == (10, 10)
    assert '"weeks": 2' in weeks.example
    assert ("find_loan.status", "words") in found
    assert not {key for key, _ in found if key.endswith((".email", ".last_name"))}
    write_home_report(home)
    page = home.report.read_text(encoding="utf-8").replace("<wbr>", "")
    assert "What was removed, and what stays" in page
    assert "find_loan.weeks" in page
    assert LAST[0] not in page


def test_nothing_found_is_not_said_above_hits_that_do_not_count() -> None:
    """How many were met and did not count stands in the same sentence."""
    state = RedactionState(app="a", mode="on", episodes=1, replaced=1, leaks=0)
    assert _gate_sentence(state) == "The independent leak check found nothing."
    waived = RedactionState(
        app="a",
        mode="on",
        episodes=1,
        replaced=1,
        leaks=0,
        waivers=(Count(name="surrogate", count=152),),
    )
    assert "nothing that counts; 152 hits do not count" in _gate_sentence(waived)


def test_a_sample_is_clean_and_drawn_at_random(home: Home) -> None:
    """Whole conversations, other ones each time, and the same ones for a seed."""
    drawn = document(home, "redact", "sample", "-n", "3", "--seed", "7")["conversations"]
    assert len(drawn) == 3
    assert drawn == document(home, "redact", "sample", "-n", "3", "--seed", "7")["conversations"]
    assert drawn != document(home, "redact", "sample", "-n", "3", "--seed", "8")["conversations"]
    code, said = run(home, "redact", "sample", "-n", "10")
    assert code == 0
    assert said.count("── lending") == 10
    assert "[call] find_reader" in said
    assert not any(name in said for name in LAST)


def test_a_signature_goes_with_exports_until_policy_or_data_change(
    home: Home, tmp_path: Path
) -> None:
    """Card and manifest name who, when, which policy and which data; `--signed` refuses what nobody answers for."""
    code, said = run(home, "export", "taskset", str(tmp_path / "none"), "--signed")
    assert code == 1
    assert "Nobody has signed" in said
    (given,) = document(home, "redact", "sign", "--as", "Ada Berg", "--note", "read 10 of 10")[
        "signed"
    ]
    assert given["who"] == "Ada Berg"
    code, said = run(home, "export", "taskset", str(tmp_path / "set"), "--signed")
    assert code == 0, said
    manifest = json.loads((tmp_path / "set" / "manifest.json").read_text())
    assert manifest["provenance"]["signed"] == [given]
    assert "signed by Ada Berg" in (tmp_path / "set" / "README.md").read_text()
    audit = json.loads((home.private / "audit.jsonl").read_text().splitlines()[-1])
    assert (audit["command"], audit["who"]) == ("redact sign", "Ada Berg")
    home.redaction_policy.write_text("k = 7\n")
    code, said = run(home, "export", "taskset", str(tmp_path / "after"), "--signed")
    assert code == 1
    assert "lapsed: the policy changed" in said
    home.redaction_policy.unlink()
    take_in(home, [write(tmp_path / "more.jsonl", [line(4, good=True, attempt=5, day=2)])])
    build(home, secret=SECRET)
    code, said = run(home, "export", "taskset", str(tmp_path / "after"), "--signed")
    assert code == 1
    assert "lapsed: the data changed" in said
