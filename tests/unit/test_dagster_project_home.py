"""The home: layout, version, secret and locks."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from dagster_project.errors import HomeError
from dagster_project.home.layout import open_home
from dagster_project.home.locks import lock
from dagster_project.home.settings import (
    add_apps,
    apps_of,
    redaction_of,
    retention_of,
    risk_of,
    set_redaction,
    set_risk,
)
from dagster_project.home.vault_key import vault_secret
from environments.runtime.answers.recall import RISK


def test_a_new_home_keeps_raw_data_from_other_users(tmp_path: Path) -> None:
    """`private/` and everything below it is for its owner only; `clean/` stands beside it."""
    home = open_home(tmp_path / "h", create=True)

    modes = {stat.S_IMODE(path.stat().st_mode) for path in (home.private, *home.private.iterdir())}

    assert modes == {0o700}
    assert sorted(path.name for path in home.clean.iterdir()) == [
        "lake",
        "reports",
        "reviews",
        "tasksets",
        "worlds",
    ]


def test_a_home_is_opened_again_as_it_was(tmp_path: Path) -> None:
    """Making a home twice changes nothing in it."""
    home = open_home(tmp_path / "h", create=True)
    add_apps(home, {"b", "a"})
    set_redaction(home, "off")

    again = open_home(tmp_path / "h", create=True)

    assert (apps_of(again), redaction_of(again), retention_of(again).raw) == (("a", "b"), "off", 30)


def test_a_missing_home_is_one_sentence(tmp_path: Path) -> None:
    """The sentence says how to make one."""
    with pytest.raises(HomeError, match="make one with: tracegym ingest"):
        open_home(tmp_path / "nothing")


def test_a_file_is_no_home(tmp_path: Path) -> None:
    """A path to a file is refused before anything is written."""
    (tmp_path / "f").write_text("x")

    with pytest.raises(HomeError, match="is a file"):
        open_home(tmp_path / "f", create=True)


@pytest.mark.parametrize("content", ['{"format": 2}', "{}", "[]", "not json", '"text"'])
def test_a_home_of_another_version_is_refused(tmp_path: Path, content: str) -> None:
    """Whatever stands in home.json but this format is one clear error."""
    home = open_home(tmp_path / "h", create=True)
    home.manifest.write_text(content)

    with pytest.raises(HomeError, match=r"home\.json"):
        open_home(tmp_path / "h", create=True)


def test_raw_days_must_be_a_number_of_days(tmp_path: Path) -> None:
    """A home.json edited by hand is checked where it is used."""
    home = open_home(tmp_path / "h", create=True)
    home.manifest.write_text(json.dumps({"format": 1, "raw_days": "many"}))

    with pytest.raises(HomeError, match="raw_days"):
        retention_of(home)


@pytest.mark.parametrize("risk", [True, 2, -1, 1.5, "0.02"])
def test_a_risk_must_be_a_share(tmp_path: Path, risk: object) -> None:
    """What no world can be told is said of home.json, where it stands; a build that names another one mends it."""
    home = open_home(tmp_path / "h", create=True)
    home.manifest.write_text(json.dumps({"format": 1, "risk": risk}))

    with pytest.raises(HomeError, match=r"home\.json: risk must be a share from 0 to 0\.2"):
        risk_of(home)
    set_risk(home, 0.02)
    assert risk_of(home) == 0.02


def test_a_home_without_a_risk_has_the_usual_one(tmp_path: Path) -> None:
    """Nobody has to choose one."""
    assert risk_of(open_home(tmp_path / "h", create=True)) == RISK


def test_the_secret_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    """Two readers get one secret; a given one wins and is not written down."""
    home = open_home(tmp_path / "h", create=True)

    secret = vault_secret(home, None)

    assert vault_secret(home, None) == secret
    assert len(secret) == 64
    assert stat.S_IMODE((home.vault / "secret").stat().st_mode) == 0o600
    assert vault_secret(home, "given by the environment") == b"given by the environment"


def test_a_vault_sealed_from_outside_is_no_reason_to_make_a_secret(tmp_path: Path) -> None:
    """Without the environment's secret the home says what is missing, and writes none that would never open it."""
    home = open_home(tmp_path / "h", create=True)
    home.sealed_vault.write_bytes(b"sealed")

    with pytest.raises(HomeError, match="TRACEGYM_SECRET"):
        vault_secret(home, None)

    assert not (home.vault / "secret").exists()


def test_a_vault_that_is_gone_is_no_reason_to_make_another(tmp_path: Path) -> None:
    """A home with nothing past the gate gets a new secret, folder and all; one with clean data says what is missing."""
    home = open_home(tmp_path / "h", create=True)
    first = vault_secret(home, None)
    shutil.rmtree(home.vault)
    assert vault_secret(home, None) != first

    (home.clean / "lake" / "clean_episodes").mkdir(parents=True)
    shutil.rmtree(home.vault)
    with pytest.raises(HomeError, match="put that folder back from a backup"):
        vault_secret(home, None)
    assert not home.vault.exists()


def test_a_second_holder_waits_and_says_for_whom(tmp_path: Path) -> None:
    """A lock that another process holds is waited for, and named."""
    home = open_home(tmp_path / "h", create=True)
    script = (
        "import sys, time\nfrom pathlib import Path\n"
        "from dagster_project.home.layout import open_home\n"
        "from dagster_project.home.locks import lock\n"
        "with lock(open_home(Path(sys.argv[1])), 'build'):\n"
        "    print('held', flush=True)\n    time.sleep(0.7)\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(home.path)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    waited: list[str] = []

    with lock(home, "build", on_wait=waited.append):
        ended = holder.poll()

    assert waited == [f"process {holder.pid}"]
    assert holder.wait() == 0
    assert ended in {0, None}


def test_a_lock_ends_with_its_process(tmp_path: Path) -> None:
    """A killed holder leaves no lock behind."""
    home = open_home(tmp_path / "h", create=True)
    pid = os.fork()
    if pid == 0:
        with lock(home, "build"):
            os._exit(1)
    os.waitpid(pid, 0)

    with lock(home, "build", patience_s=1):
        held = True

    assert held


def test_patience_ends(tmp_path: Path) -> None:
    """A lock that never comes free is an error with what to do."""
    home = open_home(tmp_path / "h", create=True)

    with lock(home, "vault"), pytest.raises(HomeError, match="still in use by process"):
        _hold(home.path)


def _hold(path: Path) -> None:
    with lock(open_home(path), "vault", patience_s=0.1):
        pass
