"""An export under another key: what graders are worth does not stop it, what redaction leaves does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dagster_project.build.run import BuildResult
from dagster_project.errors import StageError
from dagster_project.home.layout import open_home
from dagster_project.privacy import rekey

GRADERS = (
    "verified_tasks: graders_trusted (shop, changes: not proven)",
    "agreement: rubrics_agree",
)


def building(monkeypatch: pytest.MonkeyPatch, *failed: str) -> None:
    """Every build ends with these checks not passed."""
    built = BuildResult(app_days=1, apps=1, runs=(), failed_checks=failed)
    monkeypatch.setattr(rekey, "build", lambda *_args, **_named: built)


def test_graders_that_are_not_proven_stop_no_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are what they are under the home's own key."""
    building(monkeypatch, *GRADERS)
    with rekey.rekeyed(open_home(tmp_path / "home", create=True)) as (_, secret):
        assert secret


def test_any_other_check_stops_it_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence names what failed, and not the graders."""
    building(monkeypatch, *GRADERS, "clean_episodes: no_leaks")
    told = "these checks failed: clean_episodes: no_leaks;"
    with (
        pytest.raises(StageError, match=told),
        rekey.rekeyed(open_home(tmp_path / "home", create=True)),
    ):
        pass


def test_it_is_built_under_the_settings_of_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What home.json says, how worlds are learnt and what outcomes mean; the vault is another one."""
    building(monkeypatch)
    home = open_home(tmp_path / "home", create=True)
    said = {"apps": ["shop"], "risk": 0.0, "most_requests": 7, "budgets": ["tasks=5m"]}
    said |= {"raw_days": 90, "clean_days": 120, "redaction": "off"}
    home.manifest.write_text(
        json.dumps({"format": 1, "vault": "own", "vault_host": "desk", **said})
    )
    home.world_settings.write_text("[shop]\ndefault = 'strict'\n")
    home.outcome_policy.write_text("[outcome.csat]\n")
    with rekey.rekeyed(home) as (other, _):
        assert json.loads(other.manifest.read_text()) == {"format": 1, **said}
        assert other.world_settings.read_text() == home.world_settings.read_text()
        assert other.outcome_policy.read_text() == home.outcome_policy.read_text()
