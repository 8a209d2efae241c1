"""What is told of a cluster follows the policy's k: the asset, the plan and the command."""

from __future__ import annotations

import json
from pathlib import Path

import dagster as dg
import pytest

from dagster_project.clean_records import clusters_of
from dagster_project.cli.data.failures import failures
from dagster_project.defs.failure_clusters import failure_clusters
from dagster_project.defs.partitions import APPS
from dagster_project.defs.resources import CleanSide
from dagster_project.home.layout import Home, open_home
from dagster_project.home.settings import add_apps
from dagster_project.lake.learnt_tables import FAILURES
from dagster_project.lake.rows import constant_column, to_table
from dagster_project.lake.store import Lake
from synth.clusters.clustering import EXACT, Cluster
from tests.unit.failed_readers import refused

DAY = "2026-01-05"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home in which three users met one error, twice each."""
    made = open_home(tmp_path / "home", create=True)
    found = [refused(number, subject=f"reader {number % 3}") for number in range(6)]
    add_apps(made, [found[0].app])
    rows = to_table(found, FAILURES.schema, day=constant_column(DAY))
    Lake(made.clean / "lake").replace(FAILURES, rows, [(found[0].app, DAY)])
    return made


def clustered(home: Home) -> Cluster:
    """The asset run as Dagster runs it; the cluster of the error."""
    (app,) = {row["app"] for row in Lake(home.clean / "lake").read(FAILURES).to_pylist()}
    with dg.DagsterInstance.ephemeral() as instance:
        instance.add_dynamic_partitions(str(APPS.name), [app])
        done = dg.materialize(
            [failure_clusters],
            partition_key=app,
            instance=instance,
            resources={"clean": CleanSide(home=str(home.path))},
            selection=[failure_clusters],
        )
    assert done.success
    (one,) = [c for c in clusters_of(Lake(home.clean / "lake"), app) if c.kind == EXACT]
    return one


def test_clusters_follow_the_k_of_the_policy(home: Home) -> None:
    """Three users are too few by default; a policy of three opens what they met, one of four closes it again."""
    assert clustered(home).says == ""
    home.redaction_policy.write_text("k = 3\n")
    opened = clustered(home)
    assert opened.named
    assert "hold by reader" in opened.says
    home.redaction_policy.write_text("k = 4\n")
    closed = clustered(home)
    assert not closed.named
    assert closed.says == ""
    assert closed.cluster_id == opened.cluster_id
    assert closed.name != opened.name


def test_the_command_prints_no_error_that_few_users_met(
    home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    """The template tells clusters apart in the lake; JSON for a script does not hold it below k users."""
    one = clustered(home)
    assert "hold by reader" in one.error
    failures(home=home.path, as_json=True)
    listed = capsys.readouterr().out
    failures(home=home.path, cluster=one.cluster_id, as_json=True)
    asked = capsys.readouterr().out
    for said in (listed, asked):
        assert one.cluster_id in said
        assert "hold by reader" not in said
    assert len(json.loads(asked)["failures"]) == 6
    home.redaction_policy.write_text("k = 3\n")
    clustered(home)
    failures(home=home.path, as_json=True)
    assert "hold by reader" in capsys.readouterr().out
