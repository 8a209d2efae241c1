"""The Dagster project: it loads, and its assets are those of the design."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import dagster as dg
import pytest

from dagster_project.build.plan import ranges
from dagster_project.definitions import definitions
from dagster_project.defs.jobs import ARRIVING, LEARNT
from dagster_project.defs.partitions import app_days
from dagster_project.defs.resources import CleanSide, PrivateSide
from dagster_project.defs.rollouts import RolloutConfig, rollouts
from dagster_project.defs.show import bars, escaped, rows_of
from dagster_project.home.layout import open_home

BY_DAY = [
    "spans",
    "episodes",
    "outcomes",
    "clean_episodes",
    "clean_outcomes",
    "failures",
    "rollouts",
]
BY_APP = [
    *("failure_clusters", "worlds", "tasks", "verified_tasks"),
    *("agreement", "task_sets", "difficulty"),
]


@pytest.fixture(scope="module")
def loaded() -> dg.Definitions:
    """Everything under `defs/`."""
    found = definitions()
    dg.Definitions.validate_loadable(found)
    return found


def test_the_assets_are_those_of_the_design(loaded: dg.Definitions) -> None:
    """Fourteen nouns, partitioned as the design says, each described and in a stage's group."""
    specs = {spec.key.to_user_string(): spec for spec in loaded.resolve_all_asset_specs()}
    by = {name: getattr(spec.partitions_def, "name", None) for name, spec in specs.items()}

    assert by == dict.fromkeys(BY_DAY, "app_day") | dict.fromkeys(BY_APP, "app")
    assert all(spec.description for spec in specs.values())
    assert {spec.group_name for spec in specs.values()} == {
        "ingest",
        "redact",
        "synth",
        "environments",
    }


def test_data_flows_one_way(loaded: dg.Definitions) -> None:
    """What each asset is made of."""
    specs = loaded.resolve_all_asset_specs()
    deps = {
        spec.key.to_user_string(): sorted(dep.asset_key.to_user_string() for dep in spec.deps)
        for spec in specs
    }

    assert deps == {
        "spans": [],
        "episodes": ["spans"],
        "outcomes": ["episodes"],
        "clean_episodes": ["episodes", "outcomes"],
        "clean_outcomes": ["clean_episodes", "outcomes"],
        "failures": ["clean_episodes", "clean_outcomes"],
        "failure_clusters": ["failures"],
        "worlds": ["clean_episodes"],
        "tasks": ["clean_episodes", "clean_outcomes", "failure_clusters", "worlds"],
        "verified_tasks": ["agreement", "tasks", "worlds"],
        "agreement": ["tasks", "worlds"],
        "task_sets": ["failure_clusters", "verified_tasks"],
        "rollouts": ["task_sets"],
        "difficulty": ["rollouts", "verified_tasks"],
    }


def test_checks_travel_with_their_assets(loaded: dg.Definitions) -> None:
    """The gate's and the attacks' checks block; the others warn. Every asset that a build makes says whether anything was left out."""
    everything = {
        f"{spec.asset_key.to_user_string()}: {spec.name}": spec.blocking
        for node in loaded.resolve_asset_graph().asset_nodes
        for spec in node.assets_def.check_specs
    }
    left_out = {name for name in everything if name.endswith(": nothing_left_out")}
    checks = {name: blocking for name, blocking in everything.items() if name not in left_out}

    assert left_out == {f"{asset}: nothing_left_out" for asset in (*ARRIVING, *LEARNT)}
    assert not any(everything[name] for name in left_out)

    assert checks == {
        "episodes: nothing_lost": False,
        "clean_episodes: nothing_lost": False,
        "clean_episodes: no_leaks": True,
        "clean_episodes: no_raw_ids": True,
        "clean_episodes: calls_commute": False,
        "worlds: wrong_answers": False,
        "verified_tasks: probes_hold": True,
        "verified_tasks: graders_trusted": False,
        "agreement: rubrics_agree": False,
        "task_sets: opens": False,
        "task_sets: splits_do_not_leak": True,
    }


def test_there_is_a_schedule_a_sensor_and_a_rollout_job(loaded: dg.Definitions) -> None:
    """All start stopped: a person switches them on."""
    schedules, sensors = list(loaded.schedules or ()), list(loaded.sensors or ())

    assert sorted(one.name for one in schedules) == ["daily", "nightly_tidy"]
    assert [one.name for one in sensors] == ["arrivals"]
    assert {one.default_status.value for one in (*schedules, *sensors)} == {"STOPPED"}
    assert {"redact_days", "make_tasks", "run_rollouts", "remove_expired_data"} <= {
        job.name for job in loaded.resolve_all_job_defs()
    }


def test_every_field_of_a_configuration_says_what_it_is(loaded: dg.Definitions) -> None:
    """The launchpad shows these words, and nothing else explains a field there."""
    fields = {
        f"{kind.__name__}.{name}": field.description
        for kind in (RolloutConfig, PrivateSide, CleanSide)
        for name, field in config_fields(kind).items()
    }

    assert [name for name, words in fields.items() if not words] == []


def config_fields(kind: type[dg.Config | dg.ConfigurableResource[None]]) -> dict[str, Any]:
    """The fields that a person can set."""
    shape: Any = kind.to_config_schema().as_field().config_type
    return dict(shape.fields)


def test_the_owners_that_a_company_names_own_every_asset() -> None:
    """They are shown beside each asset, so that who watches a failed one is known."""
    asked = (
        "from dagster_project.definitions import definitions;"
        "print({tuple(spec.owners) for spec in definitions().resolve_all_asset_specs()})"
    )

    told = subprocess.run(
        [sys.executable, "-c", asked],
        env={**os.environ, "TRACEGYM_OWNERS": "team:agents, ann@example.com"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert told.stdout.strip() == "{('team:agents', 'ann@example.com')}"


def test_a_rollout_with_nothing_to_do_materialises_nothing_and_says_why(tmp_path: Path) -> None:
    """A green partition would say that a policy had played."""
    open_home(tmp_path / "home", create=True)
    instance = dg.DagsterInstance.ephemeral()
    instance.add_dynamic_partitions("app_day", ["desk|2026-09-01"])

    result = dg.materialize(
        [rollouts],
        selection=["rollouts"],
        instance=instance,
        partition_key="desk|2026-09-01",
        resources={"clean": CleanSide(home=str(tmp_path / "home"))},
    )

    assert result.success
    assert not result.get_asset_materialization_events()
    logged = [entry.user_message for entry in instance.all_logs(result.run_id)]
    assert [line for line in logged if line.startswith("nothing to do: no app")]


def test_partition_keys_come_apart_again() -> None:
    """A percent-encoded app name never holds the separator."""
    assert app_days(["b|2026-01-02", "a%7Cx|2026-01-01", "b|2026-01-01"]) == {
        "a%7Cx": ["2026-01-01"],
        "b": ["2026-01-01", "2026-01-02"],
    }


def test_ranges_cover_what_is_wanted_and_bridge_short_gaps() -> None:
    """One range over a short gap, two over a long one, none for nothing."""
    order = [f"k{number}" for number in range(100)]

    assert ranges(order, []) == []
    assert ranges(order, ["k3"]) == [("k3", "k3")]
    assert ranges(order, ["k9", "k3"]) == [("k3", "k9")]
    assert ranges(order, ["k3", "k90", "k91"]) == [("k3", "k3"), ("k90", "k91")]


def test_metadata_is_plain_text() -> None:
    """Markup in a name is shown, not obeyed; long tables are cut and say so."""
    table = rows_of(("a|b", "n"), [("<img src=x> [l](http://x)", 1)] * 20).value
    assert table is not None

    assert table.count("<img") == table.count("\\<img") == 12
    assert "\\<img src=x\\> \\[l\\]" in table
    assert "8 more" in table
    assert escaped("a\nb|c") == "a b\\|c"
    assert (bars("t", {"a $x$ b": 3}).value or "").startswith("![t](data:image/png;base64,")


def test_a_feature_of_dagster_that_is_used_on_purpose_warns_nobody() -> None:
    """Workers print what a library warns of; a user can do nothing about it."""
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", "import dagster_project.definitions"],
        capture_output=True,
        check=True,
        text=True,
    )
    assert "BetaWarning" not in done.stderr
