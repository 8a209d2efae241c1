"""The pipeline end to end, on a small app that nothing but the tests knows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import dagster as dg
import pytest

from dagster_project.arrival.files import take_in
from dagster_project.arrival.outcome_tables import take_in_outcomes
from dagster_project.build.plan import plan_days
from dagster_project.build.run import BuildResult, build, instance_of
from dagster_project.clean_records import clean_episodes_of, clean_outcomes_of, clusters_of
from dagster_project.definitions import definitions
from dagster_project.defs.automation import RANGE_END, RANGE_START, arrivals
from dagster_project.defs.resources import CleanSide, PrivateSide
from dagster_project.home.layout import Home, open_home
from dagster_project.home.settings import apps_of, set_redaction
from dagster_project.home.tidy import tidy
from dagster_project.lake.documents import contents
from dagster_project.lake.learnt_tables import DIFFICULTY, TASK_SETS, VERIFIED, WORLDS
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_EPISODES, CLEAN_OUTCOMES, EPISODES, SPANS
from dagster_project.report.parts import write_home_report
from environments.runtime.task.task_set import TaskSet
from ingest.files.outcome_table import OutcomeMapping
from tests.lending_desk import FIRST, LAST, line, lines, write


def built(home: Home) -> BuildResult:
    """A build of a home."""
    return build(home, secret="a secret of the tests, long enough")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with one app of eight readers over two days, built once."""
    folder = tmp_path_factory.mktemp("pipeline")
    made = open_home(folder / "home", create=True)
    found = [*lines(8), *(line(n, good=True, attempt=2, day=2) for n in range(4))]
    take_in(made, [write(folder / "chats.jsonl", found)])
    built(made)
    return made


def test_every_stage_has_its_rows(home: Home) -> None:
    """Twenty lines become twenty clean episodes, a world, eight tasks and a task set that opens."""
    clean = Lake(home.clean / "lake")

    assert apps_of(home) == ("lending",)
    assert sum(Lake(home.private / "lake").counts(EPISODES).values()) == 20
    assert clean.counts(CLEAN_EPISODES) == {
        ("lending", "2026-03-01"): 16,
        ("lending", "2026-03-02"): 4,
    }
    assert sum(clean.counts(CLEAN_OUTCOMES).values()) == 20
    assert [len(contents(clean, t, "lending")) for t in (WORLDS, VERIFIED, TASK_SETS)] == [1, 8, 1]
    assert len(contents(clean, DIFFICULTY, "lending")) == 8
    opened = TaskSet.load(home.clean / "tasksets" / "lending")
    assert {entry.status for entry in opened.manifest.tasks} <= {"accepted"}


def test_failures_are_the_bad_attempts(home: Home) -> None:
    """Each reader's bad attempt is a failure, and belongs to a cluster."""
    clusters = clusters_of(Lake(home.clean / "lake"), "lending")

    assert sum(cluster.failures for cluster in clusters) == 8


def test_no_person_is_past_the_gate(home: Home) -> None:
    """No reader's name, mail or id stands in any file under clean/."""
    wanted = [f"{first} {last}".lower() for first, last in zip(FIRST, LAST, strict=False)]
    wanted += [name.replace(" ", "_") for name in wanted] + [
        name.replace(" ", ".") for name in wanted
    ]
    clean = Lake(home.clean / "lake")
    texts = [json.dumps(repr(e)).lower() for e in clean_episodes_of(clean, "lending")]
    texts += [json.dumps(repr(o)).lower() for o in clean_outcomes_of(clean, "lending")]
    texts += [
        p.read_text().lower()
        for p in home.clean.rglob("*")
        if p.suffix in {".json", ".jsonl", ".html"}
    ]

    found = [name for name in wanted for text in texts if name in text]

    assert found == []


def test_no_raw_id_is_past_the_gate(home: Home) -> None:
    """Neither the raw episode id nor the conversation id joins back from the clean side."""
    raw = Lake(home.private / "lake").read(EPISODES, columns=("episode_id", "conversation_id"))
    ids = {*raw["episode_id"].to_pylist(), *raw["conversation_id"].to_pylist()}
    text = "".join(
        path.read_text(errors="replace")
        for path in home.clean.rglob("*")
        if path.suffix in {".json", ".jsonl", ".html"}
    )

    assert [one for one in ids if one and one in text] == []


def test_an_outcome_knows_its_clean_episode(home: Home) -> None:
    """Outcomes past the gate join clean episodes, and only those."""
    clean = Lake(home.clean / "lake")

    episodes = {episode.episode_id for episode in clean_episodes_of(clean, "lending")}

    assert {o.episode_id for o in clean_outcomes_of(clean, "lending")} == episodes


def test_nothing_new_is_nothing_to_do(home: Home) -> None:
    """A second build runs no asset."""
    assert ((again := built(home)).app_days, again.apps, again.runs) == (0, 0, ())


def test_the_runs_are_in_the_persistent_instance(home: Home) -> None:
    """The UI over the home shows what `build` ran, with the metadata of every asset."""
    with instance_of(home) as instance:
        jobs = {run.job_name for run in instance.get_runs()}
        latest = instance.get_latest_materialization_event(_key("worlds"))

    assert {"redact_days", "make_tasks"} <= jobs
    assert latest is not None
    assert latest.asset_materialization is not None
    assert {"fidelity", "tools", "picture"} <= set(latest.asset_materialization.metadata)


def _key(name: str) -> dg.AssetKey:
    return dg.AssetKey([name])


def test_the_report_counts_what_the_lake_holds(home: Home) -> None:
    """The yield's numbers are the lake's, and the page is written."""
    data = write_home_report(home)

    counts = {stage.name: stage.count for stage in data.funnel}
    assert counts["conversations in"] == counts["past redaction"] == counts["with an outcome"] == 20
    states = [(one.accepted, one.needs_review, one.rejected) for one in data.task_counts]
    assert sum(map(sum, states)) == 8
    assert counts["exported"] == counts["accepted"] > 0
    for before, after in pairwise(data.funnel):
        assert after.count + sum(lost.count for lost in after.lost) == before.count
    assert home.report.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_equal_homes_give_equal_bytes(home: Home, tmp_path: Path) -> None:
    """The same lines in another order, under the same secret, give the same task set."""
    other = open_home(tmp_path / "other", create=True)
    found = [*lines(8), *(line(n, good=True, attempt=2, day=2) for n in range(4))]
    take_in(other, [write(tmp_path / "chats.jsonl", found[::-1])])

    built(other)

    sets = [TaskSet.load(h.clean / "tasksets" / "lending").manifest for h in (home, other)]
    assert sets[0].files == sets[1].files
    assert sets[0].task_set_version == sets[1].task_set_version


def test_only_the_day_that_changed_is_made_again(home: Home, tmp_path: Path) -> None:
    """A new day leaves the old ones as they are, and a late outcome touches its episode's day only."""
    copy = tmp_path / "home"
    shutil.copytree(home.path, copy)
    grown = open_home(copy)
    before = Lake(grown.clean / "lake").fingerprints(CLEAN_EPISODES)
    take_in(grown, [write(tmp_path / "c.jsonl", [line(1, good=True, attempt=3, day=3)])])

    first = built(grown)

    after = Lake(grown.clean / "lake").fingerprints(CLEAN_EPISODES)
    assert first.app_days == 1
    assert {key: after[key] for key in before} == before

    late = tmp_path / "late.csv"
    late.write_text("key,name,value,at\nlending-1-3,resolved,0,2026-03-20T00:00:00Z\n")
    arrived = take_in_outcomes(grown, late, OutcomeMapping(), app="lending")
    second = built(grown)

    assert (arrived.joined, arrived.waiting) == (1, 0)
    assert second.app_days == 1


def test_a_late_name_reopens_the_day_that_said_it(tmp_path: Path) -> None:
    """A name that only a later day's records reveal is removed from the earlier day as well."""
    home = open_home(tmp_path / "home", create=True)
    early = line(0, good=True, day=1)
    early["messages"] = [
        {"role": "user", "content": "ludmila pettigrew-ash also has a book."},
        {"role": "assistant", "content": "Noted."},
    ]
    take_in(home, [write(tmp_path / "a.jsonl", [early, line(2, good=True, day=1)])])
    built(home)
    later = line(1, good=True, day=2)
    text = json.dumps(later).replace("Thaddeus", "Ludmila").replace("Vandersloot", "Pettigrew-Ash")
    take_in(home, [write(tmp_path / "b.jsonl", [json.loads(text)])])

    done = built(home)

    said = repr(clean_episodes_of(Lake(home.clean / "lake"), "lending")).lower()
    assert done.app_days == 2
    assert "pettigrew" not in said


def test_redaction_off_is_said_everywhere(tmp_path: Path) -> None:
    """Data declared free of personal data passes as it is, and the manifest says so."""
    home = open_home(tmp_path / "home", create=True)
    set_redaction(home, "off")
    take_in(home, [write(tmp_path / "a.jsonl", lines(3))])

    built(home)

    manifest = TaskSet.load(home.clean / "tasksets" / "lending").manifest
    assert manifest.redaction == "off"
    assert "Quackenbush" in repr(clean_episodes_of(Lake(home.clean / "lake"), "lending"))


def test_consent_is_honoured_and_little_is_no_fault(tmp_path: Path) -> None:
    """An episode marked do_not_train teaches nothing; an app of one short message is built without invention."""
    home = open_home(tmp_path / "home", create=True)
    withheld = line(5, good=True) | {"do_not_train": True}
    tiny = {"app": "tiny", "messages": [{"role": "user", "content": "hi"}]}
    take_in(home, [write(tmp_path / "a.jsonl", [*lines(2), withheld, tiny])])

    built(home)

    clean = Lake(home.clean / "lake")
    assert [e.do_not_train for e in clean_episodes_of(clean, "lending")].count(True) == 1
    assert len(contents(clean, VERIFIED, "lending")) == 2
    assert "L5005" not in json.dumps(contents(clean, WORLDS, "lending"))
    assert len(clean_episodes_of(clean, "tiny")) == 1
    assert Lake(home.private / "lake").counts(SPANS) == {}


CLEAN_ONLY = """
import os, sys
from pathlib import Path
home = Path(sys.argv[1])
if os.getuid() == 0:
    # Root without its capabilities is held to the modes of files like anybody else.
    import ctypes
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    nothing = (ctypes.c_uint32 * 6)()
    assert ctypes.CDLL(None, use_errno=True).capset(header, nothing) == 0
try:
    os.listdir(home / "private")
except PermissionError:
    print("private: denied", flush=True)
import importlib
import dagster as dg
from dagster_project.defs.jobs import LEARNT
from dagster_project.defs.resources import CleanSide
with dg.DagsterInstance.ephemeral() as instance:
    instance.add_dynamic_partitions("app_day", ["lending|2026-03-01", "lending|2026-03-02"])
    instance.add_dynamic_partitions("app", ["lending"])
    for names, first, last in (
        (["failures"], "lending|2026-03-01", "lending|2026-03-02"),
        (list(LEARNT), "lending", "lending"),
    ):
        modules = [importlib.import_module("dagster_project.defs." + name) for name in names]
        done = dg.materialize(
            [getattr(module, name) for module, name in zip(modules, names)],
            instance=instance,
            resources={"clean": CleanSide(home=str(home))},
            tags={
                "dagster/asset_partition_range_start": first,
                "dagster/asset_partition_range_end": last,
            },
        )
        print(names, done.success, flush=True)
"""


def test_past_the_gate_nobody_can_read_private(home: Home, tmp_path: Path) -> None:
    """Synthesis and environments run as a process that is denied `private/`, and make the same task set."""
    copy = tmp_path / "home"
    shutil.copytree(home.path, copy, ignore=shutil.ignore_patterns("tasksets", "stamps", "worlds"))
    if os.getuid() == 0:
        os.chown(copy / "private", 65534, 65534)
    else:
        (copy / "private").chmod(0)
    # Stamps are left behind above, so every asset past the gate is made from clean rows alone.
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CLEAN_ONLY, str(copy)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    (copy / "private").chmod(0o700)

    assert "private: denied" in done.stdout, done.stderr[-2000:]
    assert done.stdout.count("True") == 2, done.stderr[-2000:]
    ours, theirs = (TaskSet.load(h / "clean" / "tasksets" / "lending") for h in (home.path, copy))
    assert ours.manifest.files == theirs.manifest.files


def test_assets_past_the_gate_ask_for_no_private_resource() -> None:
    """The resources that an asset is given are its only way to data: none past the gate gets the raw side."""
    graph = definitions().resolve_asset_graph()
    ask = {
        node.key.to_user_string(): node.assets_def.required_resource_keys
        for node in graph.asset_nodes
        if node.is_materializable
    }
    private = {name for name, keys in ask.items() if "private" in keys}

    assert private == {"spans", "episodes", "outcomes", "clean_episodes", "clean_outcomes"}
    assert CleanSide.__doc__


def test_the_sensor_asks_for_what_arrived_and_then_rests(home: Home, tmp_path: Path) -> None:
    """New records become one run request for their app-day; an up-to-date home is skipped."""
    copy = tmp_path / "home"
    shutil.copytree(home.path, copy)
    sides = {
        "private": PrivateSide(home=str(copy), secret="a secret of the tests, long enough"),
        "clean": CleanSide(home=str(copy)),
    }
    with dg.DagsterInstance.ephemeral() as instance:
        resting = arrivals(dg.build_sensor_context(instance=instance, resources=sides))
        take_in(
            open_home(copy), [write(tmp_path / "c.jsonl", [line(3, good=True, attempt=5, day=9)])]
        )
        asking = arrivals(dg.build_sensor_context(instance=instance, resources=sides))

    assert isinstance(resting, dg.SkipReason)
    assert isinstance(asking, dg.SensorResult)
    key = "lending|2026-03-09"
    assert [request.tags[RANGE_START] for request in asking.run_requests or ()] == [key]
    assert [request.tags[RANGE_END] for request in asking.run_requests or ()] == [key]


def test_raw_data_expires_and_what_is_past_the_gate_stays(home: Home, tmp_path: Path) -> None:
    """After its days nothing raw is left, the clean rows are, and nothing is made again."""
    copy = tmp_path / "home"
    shutil.copytree(home.path, copy)
    old = open_home(copy)
    clean = Lake(old.clean / "lake").counts(CLEAN_EPISODES)
    later = time.time_ns() + 31 * 86_400 * 10**9

    kept = tidy(old)
    gone = tidy(old, now_ns=later)

    assert (kept.expired_days, gone.expired_days) == (0, 2)
    assert Lake(old.private / "lake").counts(EPISODES) == {}
    assert Lake(old.clean / "lake").counts(CLEAN_EPISODES) == clean
    sides = PrivateSide(home=str(copy), secret="a secret of the tests, long enough")
    assert plan_days(sides, CleanSide(home=str(copy))).stale_days == ()
