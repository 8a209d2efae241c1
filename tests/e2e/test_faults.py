"""Faults of our own code, one for each stage: each costs its unit, everything else comes out as without it, and the next build heals it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
from typer.testing import CliRunner

import dagster_project.arrival.files
import dagster_project.defs.worlds
import dagster_project.privacy.gate
import dagster_project.privacy.leak_check
import environments.export.taskset
import environments.kept_verdicts.reads
import redact.apply.learn
import redact.apply.scrub
import synth.failures.detection
import synth.task_parts
import synth.tasks
import synth.world.learn
import synth.world.search.fields
import synth.worlds
from dagster_project.arrival.files import quarantined, take_in
from dagster_project.build.left_out import SkippedUnit, skipped_of
from dagster_project.build.run import BuildResult, build, instance_of
from dagster_project.cli.main import app as command_line
from dagster_project.defs.result import Checked
from dagster_project.errors import LakeError, StrictError
from dagster_project.home.layout import Home, open_home
from dagster_project.lake.documents import contents
from dagster_project.lake.learnt_tables import (
    AGREEMENT,
    CLUSTERS,
    FAILURES,
    TASK_SETS,
    TASKS,
    VERIFIED,
    WORLDS,
)
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_EPISODES, CLEAN_OUTCOMES, EPISODES, Table
from dagster_project.privacy.leaks import leaks_of
from dagster_project.report import parts as report_parts
from dagster_project.report.doctor import diagnose
from dagster_project.report.parts import write_home_report
from dagster_project.worlds.stored_worlds import world_of
from environments.runtime.task.task_set import TaskSet
from ingest.records.app_name import UNNAMED
from tests.lending_desk import line, lines, write

pytestmark = pytest.mark.leaves_out

SECRET = "a secret of the tests, long enough"
CLEAN = (
    CLEAN_EPISODES,
    CLEAN_OUTCOMES,
    FAILURES,
    CLUSTERS,
    WORLDS,
    TASKS,
    VERIFIED,
    AGREEMENT,
    TASK_SETS,
)
LENDING, OTHER = "lending", "another"


class OddError(RuntimeError):
    """A fault that nobody thought of; its text quotes the data."""


def built(home: Home) -> BuildResult:
    """A build of a home."""
    return build(home, secret=SECRET)


@pytest.fixture(scope="module")
def arrived(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home into which two apps have come, not built yet."""
    folder = tmp_path_factory.mktemp("faults")
    home = open_home(folder / "home", create=True)
    found = [
        *lines(6),
        *(line(n, good=True, attempt=2, day=2) for n in range(3)),
        *lines(3, app=OTHER),
    ]
    take_in(home, [write(folder / "chats.jsonl", found)])
    return home


@pytest.fixture(scope="module")
def whole(arrived: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The same home, built without a fault."""
    home = _copied(arrived, tmp_path_factory.mktemp("whole"))
    assert built(home).skipped == ()
    return home


@pytest.fixture
def home(arrived: Home, tmp_path: Path) -> Home:
    """A copy to build with a fault."""
    return _copied(arrived, tmp_path)


def _copied(home: Home, folder: Path) -> Home:
    shutil.copytree(home.path, folder / "home")
    return open_home(folder / "home")


def rows(home: Home, table: Table, app: str | None = None) -> list[dict[str, Any]]:
    """The rows of a clean table."""
    found = Lake(home.clean / "lake").read(table, app=app).to_pylist()
    return sorted(found, key=lambda row: json.dumps(row, sort_keys=True, default=str))


def same(home: Home, other: Home, tables: Sequence[Table] = CLEAN, app: str | None = None) -> bool:
    """Whether two homes hold the same."""
    return all(rows(home, table, app) == rows(other, table, app) for table in tables)


def statuses_of(home: Home) -> dict[str, str]:
    """What the gate says of the tasks of an app, by id."""
    found = contents(Lake(home.clean / "lake"), VERIFIED, LENDING)
    return {name: one["status"] for name, one in found.items()}


def failing(
    monkeypatch: pytest.MonkeyPatch, module: object, name: str, unit: Callable[..., bool]
) -> Callable[[], None]:
    """Let a function fail for one unit; what it returns mends it."""
    real = getattr(module, name)

    def odd(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - any function's
        if unit(*arguments, **named):
            raise OddError("Marisol Quackenbush, marisol@example.com")
        return real(*arguments, **named)

    monkeypatch.setattr(module, name, odd)
    return lambda: monkeypatch.setattr(module, name, real)


def notes(found: Sequence[SkippedUnit]) -> set[tuple[str, str, str]]:
    """Stage, app and kind of what was left out."""
    return {(one.stage, one.app, one.kind) for one in found}


def heals(
    home: Home, whole: Home, mend: Callable[[], None], tables: Sequence[Table] = CLEAN
) -> None:
    """The next build without the fault leaves nothing out, and ends where a home without a fault does."""
    mend()
    assert built(home).skipped == ()
    assert same(home, whole, tables)
    assert not skipped_of(Lake(home.clean / "lake"))


@pytest.mark.slow
def test_an_episode_that_redaction_fails_at_waits(
    home: Home, whole: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All others come through the gate as without the fault; the one is named by its clean id, and none of its words are told."""
    odd = "renew L5002"
    mend = failing(
        monkeypatch,
        redact.apply.scrub,
        "_judge_episode",
        lambda e, *_: odd in str(e.steps) and e.app == LENDING,
    )
    found = built(home)
    assert notes(found.skipped) == {("clean_episodes", LENDING, "episode")}
    kept = {row["episode_id"]: row for row in rows(home, CLEAN_EPISODES)}
    everything = {row["episode_id"]: row for row in rows(whole, CLEAN_EPISODES)}
    waiting = everything.keys() - kept.keys()
    assert {one.unit for one in found.skipped} == waiting
    assert len(waiting) == 3
    assert all(everything[name] == row for name, row in kept.items())
    assert same(home, whole, app=OTHER)
    assert {(one.error, one.place.partition(":")[0]) for one in found.skipped} == {
        ("OddError", "redact/apply/scrub.py")
    }
    assert "Quackenbush" not in str(found.skipped)
    assert "clean_episodes: nothing_lost" not in found.failed_checks
    heals(home, whole, mend)


@pytest.mark.slow
def test_an_episode_that_nothing_can_be_learnt_from_waits(
    home: Home, whole: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody knows who is in it, so it stays before the gate, in this build and in one that learns nothing new."""
    mend = failing(
        monkeypatch,
        redact.apply.learn,
        "_learn_episode",
        lambda _counted, e, _finder: e.conversation_id == f"{LENDING}-2-0",
    )
    first = built(home)
    assert notes(first.skipped) == {("learnt", LENDING, "episode")}
    assert len(rows(home, CLEAN_EPISODES, LENDING)) == len(rows(whole, CLEAN_EPISODES, LENDING)) - 1
    assert same(home, whole, app=OTHER)
    again = built(home)
    assert (again.skipped, again.app_days) == (first.skipped, 1)
    heals(home, whole, mend)


@pytest.mark.slow
def test_a_day_that_cannot_be_judged_has_no_clean_rows(
    home: Home, whole: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nobody can tell what is personal in an app, nothing of it passes, not even what passed before; the other app is whole."""
    built(home)
    take_in(home, [write(home.path / "more.jsonl", [line(7, good=True, day=3)])])
    mend = failing(
        monkeypatch,
        dagster_project.privacy.gate,
        "judge",
        lambda app, **_: "L5007" in str(app.evidence) + str(app.values),
    )
    found = built(home)
    assert ("clean_episodes", LENDING, "app") in notes(found.skipped)
    assert rows(home, CLEAN_EPISODES, LENDING) == []
    assert rows(home, TASKS, LENDING) == []
    assert same(home, whole, app=OTHER)
    mend()
    assert built(home).skipped == ()
    assert len(rows(home, CLEAN_EPISODES, LENDING)) == 16


@pytest.mark.slow
def test_an_episode_that_failures_cannot_be_looked_for_in_is_none(
    home: Home, whole: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other failures are the same."""
    everything = rows(whole, FAILURES)
    odd = next(row["episode_id"] for row in everything if row["app"] == LENDING)
    mend = failing(monkeypatch, synth.failures.detection, "read", lambda e, *_: e.episode_id == odd)
    found = built(home)
    assert {(one.stage, one.unit) for one in found.skipped if one.kind == "episode"} == {
        ("failures", odd)
    }
    assert rows(home, FAILURES) == [row for row in everything if row["episode_id"] != odd]
    assert same(home, whole, (CLEAN_EPISODES, WORLDS, TASKS, VERIFIED, AGREEMENT))
    heals(home, whole, mend)


@pytest.mark.slow
def test_a_tool_that_cannot_be_learnt_has_its_recordings(
    home: Home, whole: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other tools are learnt, the world says so, recorded calls of the tool are still told, and its tasks are still made."""
    mend = failing(
        monkeypatch, synth.world.learn, "learn_outcomes", lambda tool, *_: tool.name == "renew_loan"
    )
    found = built(home)
    assert {(one.stage, one.app, one.kind, one.unit) for one in found.skipped} == {
        ("worlds", app, "tool", "renew_loan") for app in (LENDING, OTHER)
    }
    world, before = (world_of(Lake(h.clean / "lake"), LENDING) for h in (home, whole))
    assert world is not None
    assert before is not None
    assert list(world.document.to_json()["recorded"]["tools"]) == ["renew_loan"]
    assert set(world.document.tools) == set(before.document.tools) - {"renew_loan"}
    assert [t.says for t in world.tools if t.name == "renew_loan"] == [
        "recordings only: learning it failed"
    ]
    assert {row["id"] for row in rows(home, TASKS)} == {row["id"] for row in rows(whole, TASKS)}
    assert same(home, whole, (CLEAN_EPISODES, CLEAN_OUTCOMES, FAILURES, CLUSTERS))
    heals(home, whole, mend)


@pytest.mark.slow
def test_an_episode_that_breaks_learning_costs_itself(
    home: Home, whole: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All tools are learnt from all other episodes."""
    odd = rows(whole, CLEAN_EPISODES, LENDING)[0]["episode_id"]
    mend = failing(
        monkeypatch,
        synth.worlds,
        "learn_around",
        lambda seen, *_, **__: any(h.episode_id == odd for h in seen),
    )
    found = built(home)
    assert {(one.stage, one.kind, one.unit) for one in found.skipped} == {
        ("worlds", "episode", odd)
    }
    world = world_of(Lake(home.clean / "lake"), LENDING)
    assert world is not None
    assert world.document.recorded is None
    assert set(world.document.tools) == {"find_reader", "find_loan", "renew_loan"}
    heals(home, whole, mend)


@pytest.mark.slow
def test_an_app_without_a_world_costs_no_other_app(
    home: Home, whole: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its tasks wait for the next build; the other app's are exported."""
    mend = failing(
        monkeypatch, synth.worlds, "histories", lambda e: bool(e) and e[0].app == LENDING
    )
    found = built(home)
    assert ("worlds", LENDING, "app") in notes(found.skipped)
    assert rows(home, WORLDS, LENDING) == []
    assert same(home, whole, app=OTHER)
    assert TaskSet.load(home.clean / "tasksets" / OTHER).tasks
    heals(home, whole, mend)


@pytest.mark.slow
def test_a_task_that_cannot_be_derived_is_left_out(
    home: Home, whole: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All other tasks and their verdicts are the same."""
    odd = rows(whole, TASKS, LENDING)[0]["id"]
    mend = failing(
        monkeypatch,
        synth.tasks,
        "_candidate",
        lambda found, *_, **_more: synth.task_parts.id_of(found.group) == odd,
    )
    found = built(home)
    assert {one.unit for one in found.skipped if one.stage == "tasks"} == {odd}
    assert rows(home, TASKS) == [row for row in rows(whole, TASKS) if row["id"] != odd]
    before = statuses_of(whole)
    assert statuses_of(home).items() == before.items() - {(odd, before[odd])}
    # Attacks borrow from the other tasks of the set, and a task is not attacked twice: only the verdict has to be the same.
    heals(home, whole, mend, [t for t in CLEAN if t not in {VERIFIED, TASK_SETS}])
    assert statuses_of(home) == before


@pytest.mark.slow
def test_a_task_without_a_solution_that_could_be_made_needs_review(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says why, in a code that has a sentence."""
    take_in(home, [write(home.path / "more.jsonl", [line(9, good=False)])])
    failing(
        monkeypatch,
        synth.tasks,
        "construct",
        lambda _group, mine, *_: not any(one.resolved for one in mine),
    )
    found = built(home)
    odd = {one.unit for one in found.skipped if (one.stage, one.kind) == ("tasks", "solution")}
    verdicts = contents(Lake(home.clean / "lake"), VERIFIED, LENDING)
    assert odd
    assert {verdicts[name]["status"] for name in odd} == {"needs_review"}
    assert all("fault" in verdicts[name]["reasons"] for name in odd)


@pytest.mark.slow
def test_a_task_that_the_gate_fails_at_needs_review(
    home: Home, whole: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others' verdicts are the same, it is in no task set, and the report says why."""
    odd = rows(whole, VERIFIED, LENDING)[0]["id"]
    mend = failing(
        monkeypatch,
        environments.kept_verdicts.reads,
        "verify",
        lambda one, **_: one.task.task_id == odd,
    )
    found = built(home)
    assert {one.unit for one in found.skipped} == {odd}
    verdicts = contents(Lake(home.clean / "lake"), VERIFIED, LENDING)
    assert (verdicts[odd]["status"], verdicts[odd]["reasons"]) == ("needs_review", ["fault"])
    others = [row for row in rows(whole, VERIFIED) if row["id"] != odd]
    assert [row for row in rows(home, VERIFIED) if row["id"] != odd] == others
    opened = TaskSet.load(home.clean / "tasksets" / LENDING)
    assert odd not in {task.task_id for task in opened.tasks}
    write_home_report(home)
    assert "tracegym itself failed at it" in home.report.read_text("utf-8")
    heals(home, whole, mend)


@pytest.mark.slow
def test_a_task_that_cannot_be_written_is_not_in_the_task_set(
    home: Home, whole: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in the build's folder nor in an export, which says so; the other tasks are."""
    odd = TaskSet.load(whole.clean / "tasksets" / LENDING).tasks[0].task_id
    mend = failing(
        monkeypatch,
        environments.export.taskset,
        "_grading_bytes",
        lambda entry: entry.task.task_id == odd,
    )
    found = built(home)
    assert {(one.stage, one.unit) for one in found.skipped} == {("task_sets", odd)}
    before = {task.task_id for task in TaskSet.load(whole.clean / "tasksets" / LENDING).tasks}
    after = {task.task_id for task in TaskSet.load(home.clean / "tasksets" / LENDING).tasks}
    assert after == before - {odd}
    out = home.path.parent / "out"
    done = CliRunner().invoke(
        command_line, ["export", "taskset", str(out), "--home", str(home.path), "--app", LENDING]
    )
    assert done.exit_code == 0
    assert (
        f"left out: 1 task of {LENDING}, exporting: OddError at environments/export/taskset.py"
        in done.stderr
    )
    assert {task.task_id for task in TaskSet.load(out).tasks} == after
    heals(home, whole, mend)


@pytest.mark.slow
def test_an_app_that_cannot_be_searched_is_not_exported(
    home: Home, whole: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everything is made, and nothing of it may be exported before it was searched."""
    mend = failing(
        monkeypatch,
        dagster_project.privacy.leak_check,
        "_check",
        lambda _home, _vault, app, *_: app == LENDING,
    )
    found = built(home)
    assert notes(found.skipped) == {("leak_check", LENDING, "app")}
    assert same(home, whole)
    assert leaks_of(home.clean, LENDING) is None
    other = leaks_of(home.clean, OTHER)
    assert other is not None
    assert other.leaks == 0
    heals(home, whole, mend)
    assert leaks_of(home.clean, LENDING) is not None


@pytest.mark.slow
def test_a_section_of_the_report_that_fails_is_one_sentence(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others stand, and what was left out is listed with what to send, without a word of the data."""
    failing(monkeypatch, report_parts, "cluster_rows", lambda *_: True)
    built(home)
    data = write_home_report(home)
    page = home.report.read_text("utf-8")
    assert "tracegym itself failed at this section" in page
    assert page.count("<section ") == 8 - 1  # nothing else was left out before it was written
    write_home_report(home)
    page = home.report.read_text("utf-8")
    assert "report/section: OddError at dagster_project/report/parts.py" in page
    assert "Quackenbush" not in page
    assert [row.kind for row in data.skipped] == ["section"]
    assert [row.stage for row in diagnose(home).left_out] == ["report"]


@pytest.mark.slow
def test_a_stage_that_fails_as_a_whole_costs_its_app(
    home: Home, whole: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even a fault that no stage keeps does not stop the other app."""
    import dagster_project.defs.worlds as asset  # noqa: PLC0415 - the asset of the same name hides it

    mend = failing(
        monkeypatch, asset, "load_world_settings", lambda _path, app, **_: app == LENDING
    )
    found = built(home)
    assert ("worlds", LENDING, "app") in notes(found.skipped)
    mend()
    mend = failing(monkeypatch, asset, "_result", lambda _lake, todo: (LENDING, "") in todo.wanted)
    found = built(home)
    assert ("make_tasks", LENDING, "app") in notes(found.skipped)
    assert same(home, whole, app=OTHER)
    heals(home, whole, mend)


@pytest.mark.slow
def test_conversations_that_cannot_be_put_together_cost_themselves(
    home: Home, whole: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that can are there, whatever came beside them."""
    import dagster_project.arrival.staging as staged  # noqa: PLC0415 - beside its use

    odd = f"{LENDING}-3-1"
    mend = failing(
        monkeypatch,
        staged,
        "to_table",
        lambda episodes, *_, **__: any(e.conversation_id == odd for e in episodes),
    )
    found = built(home)
    assert ("episodes", LENDING, "episode") in notes(found.skipped)
    private, before = (Lake(h.private / "lake") for h in (home, whole))
    assert sum(private.counts(EPISODES).values()) == sum(before.counts(EPISODES).values()) - 1
    assert same(home, whole, app=OTHER)
    heals(home, whole, mend)


@pytest.mark.parametrize("step", ["read_source", "decode_batch", "_write"])
def test_a_file_that_cannot_be_taken_in_costs_itself(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read, decoded or stored: conversations of files after it arrive, and the one is in quarantine with what to report."""
    home = open_home(tmp_path / "home", create=True)
    folder = tmp_path / "both"
    folder.mkdir()
    write(folder / "read_later.jsonl", lines(2))
    write(folder / "odd.jsonl", lines(1, app=OTHER))
    failing(monkeypatch, dagster_project.arrival.files, step, lambda *a, **_: _names(OTHER, a))
    arrived = take_in(home, [folder])
    assert arrived.apps - {UNNAMED} == {LENDING}
    assert arrived.chats == 4
    refused = list(quarantined(Lake(home.private / "lake")))
    assert {one.code for one in refused} == {"fault"}
    assert {one.source for one in refused} == {"odd.jsonl"}
    assert all("OddError at dagster_project/arrival/files.py:" in one.reason for one in refused)
    assert not any("Quackenbush" in one.reason for one in refused)


def _names(app: str, arguments: tuple[Any, ...]) -> bool:
    """Whether a path, the bodies of a batch, or decoded chats are of an app."""
    return any(
        mark in str(one)
        for one in arguments
        for mark in (f'"app": "{app}"', f"app='{app}'", "odd.jsonl'")
    ) or any(isinstance(one, Path) and one.name == "odd.jsonl" for one in arguments)


def test_a_check_that_failed_fails_until_it_is_asked_again(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build that has nothing to make says it again, as doctor and report do; --strict does not pass at the second try."""
    says = "9 of 10 held-out calls answered wrongly"
    monkeypatch.setattr(
        dagster_project.defs.worlds, "wrong_answers", lambda _: Checked(failing={LENDING: says})
    )
    expected = (f"worlds: wrong_answers ({LENDING}: {says})",)
    assert built(home).failed_checks == expected
    monkeypatch.undo()
    again = built(home)
    assert (again.apps, again.failed_checks) == (0, expected)
    assert diagnose(home).failed_checks == expected
    assert f"Check not passed: {expected[0]}." in write_home_report(home).notices
    strict = CliRunner().invoke(
        command_line,
        ["build", "--home", str(home.path), "--strict"],
        env={"TRACEGYM_SECRET": SECRET},
    )
    assert isinstance(strict.exception, StrictError)
    take_in(home, [write(home.path.parent / "more.jsonl", [line(9, good=True)])])
    assert built(home).failed_checks == ()


@pytest.mark.slow
def test_dagster_shows_what_was_left_out_and_no_run_fails(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A check that does not block, and a table beside the asset."""
    failing(
        monkeypatch, synth.world.learn, "learn_outcomes", lambda tool, *_: tool.name == "renew_loan"
    )
    found = built(home)
    assert found.failed_checks == (
        "worlds: nothing_left_out (another: 1 unit was left out; lending: 1 unit was left out)",
    )
    with instance_of(home) as instance:
        assert {r.dagster_run.status for r in instance.get_run_records()} == {
            dg.DagsterRunStatus.SUCCESS
        }
        event = instance.get_latest_materialization_event(dg.AssetKey("worlds"))
        assert event is not None
        assert event.asset_materialization is not None
        assert "OddError" in str(event.asset_materialization.metadata["left_out"].value)


def test_faults_at_every_stage_cost_their_units_and_the_command_ends_with_0(
    home: Home, whole: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Summary, JSON, report and `doctor` say what was left out, why and what to report; with `--strict` it ends with 3."""
    task = rows(whole, VERIFIED, OTHER)[0]["id"]
    failing(
        monkeypatch,
        redact.apply.scrub,
        "_judge_episode",
        lambda e, *_: "renew L5002" in str(e.steps),
    )
    failing(
        monkeypatch, synth.world.learn, "learn_outcomes", lambda tool, *_: tool.name == "renew_loan"
    )
    failing(
        monkeypatch,
        environments.kept_verdicts.reads,
        "verify",
        lambda one, **_: one.task.task_id == task,
    )
    failing(
        monkeypatch,
        dagster_project.privacy.leak_check,
        "_check",
        lambda _h, _v, app, *_: app == OTHER,
    )
    failing(monkeypatch, report_parts, "cluster_rows", lambda *_: True)
    run = CliRunner().invoke
    at_home = ["--home", str(home.path)]
    done = run(command_line, ["build", *at_home])
    assert done.exit_code == 0
    for told in (
        "left out: 5 episodes of another, lending, redaction: OddError at redact/apply/scrub.py:",
        "left out: 2 tools (renew_loan) of another, lending, learning tools: OddError at synth/world/learn.py:",
        "its recordings are told, and nothing else",
        "left out: 1 task of another, attacking tasks: OddError at environments/kept_verdicts/reads.py:",
        "left out: 1 app of another, searching for identifiers: OddError at dagster_project/privacy/leak_check.py:",
        "report it as a fault of tracegym: ",
    ):
        assert told in done.stderr
    assert "Quackenbush" not in done.stdout + done.stderr
    assert len(rows(home, CLEAN_EPISODES)) == len(rows(whole, CLEAN_EPISODES)) - 5
    assert {row["id"] for row in rows(home, TASKS)} < {row["id"] for row in rows(whole, TASKS)}
    again = run(command_line, ["build", *at_home, "--strict", "--json"])
    assert getattr(again.exception, "exit_code", again.exit_code) == 3
    left_out = {
        (one["stage"], one["kind"]): one["units"] for one in json.loads(again.stdout)["left_out"]
    }
    assert left_out["worlds", "tool"] == ["renew_loan"]
    assert left_out["verified_tasks", "task"] == [task]
    page = home.report.read_text("utf-8")
    assert "report/section: OddError at dagster_project/report/parts.py" in page
    assert "worlds/tool: OddError at synth/world/learn.py" in page
    assert "Quackenbush" not in page
    assert "left out: 2 tools (renew_loan)" in run(command_line, ["doctor", *at_home]).stdout


def test_what_a_person_has_to_settle_still_stops_the_build(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A damaged table, a full disk or no memory is nobody's unit."""
    for stop in (LakeError("damaged"), MemoryError(), OSError(28, "No space left on device")):
        monkeypatch.setattr(synth.failures.detection, "read", _raising(stop))
        with pytest.raises(type(stop)):
            built(home)


def _raising(fault: BaseException) -> Callable[..., None]:
    def odd(*_: object, **__: object) -> None:
        raise fault

    return odd


@pytest.mark.slow
def test_notes_hold_no_text_of_the_data(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every field is one of ours: stages, kinds, ids that we gave, types and places in our code."""
    failing(monkeypatch, synth.failures.detection, "read", lambda *_: True)
    found = built(home)
    assert found.skipped
    for one in found.skipped:
        told = asdict(one)
        assert (
            told.pop("place").startswith("synth/failures/detection.py:")
            or one.kind == "calibration"
        )
        assert "Quackenbush" not in str(told)


@pytest.fixture(autouse=True)
def _forget(heard: list[SkippedUnit]) -> Iterator[None]:
    """Module fixtures are built without a fault."""
    yield
    heard.clear()
