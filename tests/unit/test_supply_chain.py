"""What is shipped and how: licences of what the lock pins, images and compose files, signatures of exports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from benchmarks.shipping.audit import READ, faults, licence_of
from dagster_project.cli.main import app as command_line
from environments.export.signature import NAME, faults_of, sign_folder
from tests.environments_shop import write_shop

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "examples" / "deploy"


@pytest.fixture
def key(tmp_path: Path) -> Path:
    """A private key."""
    path = tmp_path / "key.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(path)], check=True)
    return path


@pytest.fixture
def signed(tmp_path: Path, key: Path) -> tuple[Path, Path]:
    """A signed task set and the public key."""
    write_shop(tmp_path / "set")
    public = tmp_path / "public.pem"
    public.write_text(sign_folder(tmp_path / "set", key))
    return tmp_path / "set", public


def test_a_signed_export_holds_and_still_runs(signed: tuple[Path, Path]) -> None:
    """The signature stands beside the manifest and is no part of the task set."""
    folder, public = signed
    assert faults_of(folder, public) == []
    done = CliRunner().invoke(command_line, ["verify", str(folder), "--key", str(public)])
    assert done.exit_code == 0, done.output
    run = [sys.executable, str(folder), "validate"]
    assert subprocess.run(run, capture_output=True, check=False).returncode == 0
    assert faults_of(folder, public) == []


@pytest.mark.parametrize(
    "how", ["changed", "missing", "added", "link", "relisted", "damaged", "none"]
)
def test_whatever_is_done_to_it_is_named(signed: tuple[Path, Path], how: str) -> None:
    """One byte, a file more or less, a link, a list that somebody else wrote, half a signature."""
    folder, public = signed
    rubric = next((folder / "rubrics").iterdir())
    signature = folder / NAME
    if how == "changed":
        rubric.write_text(rubric.read_text().replace("1", "2", 1))
    elif how == "missing":
        rubric.unlink()
    elif how == "added":
        (folder / "json.py").write_text("raise SystemExit")
    elif how == "link":
        rubric.rename(folder.parent / "away")
        rubric.symlink_to(folder.parent / "away")
    elif how == "relisted":
        (folder / "json.py").write_text("raise SystemExit")
        text = signature.read_text()
        signature.write_text(
            text.replace('"files": {', f'"files": {{\n  "json.py": "{"0" * 64}",', 1)
        )
    elif how == "damaged":
        signature.write_bytes(signature.read_bytes()[:200])
    else:
        signature.unlink()
    found = faults_of(folder, public)
    assert len(found) == 1 + (how == "changed") * 0, found
    done = CliRunner().invoke(command_line, ["verify", str(folder), "--key", str(public)])
    assert done.exit_code == 1
    assert found[0] in str(done.exception)


def test_another_key_and_no_key_are_told_apart(signed: tuple[Path, Path], tmp_path: Path) -> None:
    """Somebody else's signature does not hold; a file that is no key is one sentence."""
    folder, _ = signed
    other = tmp_path / "other.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(other)], check=True)
    assert "not signed with this key" in faults_of(folder, other)[0]
    rsa = tmp_path / "rsa.pem"
    subprocess.run(
        ["openssl", "genpkey", "-algorithm", "rsa", "-out", str(rsa)],
        check=True,
        capture_output=True,
    )
    for odd in (folder / "README.md", rsa, tmp_path / "nothing"):
        done = CliRunner().invoke(command_line, ["verify", str(folder), "--key", str(odd)])
        assert done.exit_code == 1
        assert "PEM" in str(done.exception) or "Ed25519" in str(done.exception)


def test_licences_that_a_person_must_read_are_found() -> None:
    """What is installed here and not known stands in a list that says what was found."""
    names = ["pyarrow", "cryptography", "numpy", *READ]
    assert list(faults(names)) == []
    assert all(licence_of(name) for name in names)
    assert licence_of("no-such-package-at-all") is None


def test_containers_hold_as_little_as_they_need() -> None:
    """No root, nothing written but the home, no capability, a health check each; a receiver on all addresses asks for tokens."""
    image = (DEPLOY / "Dockerfile").read_text()
    assert image.index("\nUSER tracegym") < image.index("\nHEALTHCHECK") < image.index("\nCMD")
    services = yaml.safe_load((DEPLOY / "one_machine" / "compose.yaml").read_text())["services"]
    assert set(services) == {"receive", "dagster"}
    for one in services.values():
        assert one["read_only"] is True
        assert (one["user"], one["cap_drop"], one["tmpfs"]) == ("10001", ["ALL"], ["/tmp"])
        assert one["security_opt"] == ["no-new-privileges:true"]
        assert one["healthcheck"]["test"][0] == "CMD"
        if "serve" in one["command"]:
            assert "--token-file" in one["command"]


def test_the_bill_of_materials_names_no_host(tmp_path: Path) -> None:
    """What `make sbom` writes has a hash for each package and no index."""
    text = (ROOT / "Makefile").read_text()
    assert "cyclonedx1.5" in text
    uv = Path(sys.executable).with_name("uv")
    if not uv.exists():
        pytest.skip("uv is not in this environment")
    out = tmp_path / "sbom.json"
    command = [
        *(str(uv), "export", "--quiet", "--frozen", "--no-dev", "--no-emit-workspace"),
        *("--format", "cyclonedx1.5", "--output-file", str(out)),
    ]
    subprocess.run(
        command, cwd=ROOT, check=True, capture_output=True, env={**os.environ, "UV_OFFLINE": "1"}
    )
    found = yaml.safe_load(out.read_text())
    assert found["specVersion"] == "1.5"
    assert len(found["components"]) > 100
