"""A build of a home in object storage, against a real server of the S3 protocol: the same bytes as on a disk, also after the storage failed."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import pytest

from tests.command import ROOT
from tests.lending_desk import line, lines, write
from tests.s3_server import Server, serving

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200)]
SECRET = {"TRACEGYM_SECRET": "a secret of the tests, long enough"}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """One server."""
    with serving() as running:
        yield running


class Machine:
    """A working directory with commands run in it, as on a machine of its own."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self._environment = {**os.environ, **SECRET, **environment, "PYTHONPATH": str(ROOT)}
        folder.mkdir(parents=True, exist_ok=True)

    def start(self, *arguments: object) -> subprocess.Popen[str]:
        """Begin a command."""
        return subprocess.Popen(
            [sys.executable, "-m", "dagster_project.cli.main", *map(str, arguments)],
            cwd=self.folder,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: object, code: int = 0) -> str:
        """Run a command; its stderr."""
        process = self.start(*arguments)
        _, said = process.communicate(timeout=600)
        assert process.returncode == code, said[-3000:]
        assert "Traceback" not in said
        return said


def exported(machine: Machine, home: object, dest: str) -> dict[str, str]:
    """The digests of what a home exports."""
    machine.run("export", "taskset", dest, "--home", home)
    folder = machine.folder / dest
    return {
        str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def last_line(said: str) -> str:
    """The sentence with which a command ended."""
    return said.strip().splitlines()[-1]


@pytest.fixture(scope="module")
def chats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small app's conversations."""
    found = [*lines(8), *(line(n, good=True, attempt=2, day=2) for n in range(4))]
    return write(tmp_path_factory.mktemp("chats") / "chats.jsonl", found)


@pytest.fixture(scope="module")
def on_a_disk(tmp_path_factory: pytest.TempPathFactory, chats: Path) -> dict[str, str]:
    """What a home on a disk exports of them."""
    machine = Machine(tmp_path_factory.mktemp("disk"), {})
    machine.run("ingest", chats, "--home", "h")
    machine.run("build", "--home", "h")
    return exported(machine, "h", "out")


def test_the_same_bytes_from_any_machine(
    server: Server, tmp_path: Path, chats: Path, on_a_disk: dict[str, str]
) -> None:
    """Ingested on one machine, built on another, exported on a third: what a disk gives; the vault stays where it was made."""
    url = f"{server.bucket('anywhere')}/desk"
    takes, builds, reads = (
        Machine(tmp_path / name, server.environment) for name in ("takes", "builds", "reads")
    )

    takes.run("ingest", chats, "--home", url)
    builds.run("build", "--home", url)
    said = takes.run("build", "--home", url, code=1)

    assert exported(reads, url, "out") == on_a_disk
    assert f"the vault of {url} is not on this machine but on " in last_line(said)
    sealed = [path.parts[-7] for path in tmp_path.rglob("vault.sealed")]
    assert sealed == [builds.folder.name]
    shutil.rmtree(builds.folder / ".tracegym-local" / "anywhere" / "desk" / "clean")
    (builds.folder / ".tracegym-local" / "anywhere" / "desk" / "storage.json").unlink()
    assert exported(builds, url, "again") == on_a_disk


def test_storage_that_stops_in_the_middle(
    server: Server, tmp_path: Path, chats: Path, on_a_disk: dict[str, str]
) -> None:
    """A build whose storage no longer answers ends in one sentence; the next one goes on to the same bytes."""
    url = f"{server.bucket('stops')}/desk"
    machine = Machine(tmp_path / "one", server.environment)
    machine.run("ingest", chats, "--home", url)
    impatient(machine, "stops/desk")
    process = machine.start("build", "--home", url)
    wait_for_a_build(machine, process)
    with server.being("hanging"):
        _, said = process.communicate(timeout=200)

    assert process.returncode == 1, said[-2000:]
    assert "Traceback" not in said
    assert last_line(said).startswith("tracegym: cannot ")
    assert "the storage does not answer" in last_line(said)
    machine.run("build", "--home", url)
    assert exported(machine, url, "out") == on_a_disk


def test_two_builds_and_one_that_is_killed(
    server: Server, tmp_path: Path, chats: Path, on_a_disk: dict[str, str]
) -> None:
    """While one machine builds another is refused with one sentence; a build killed in the middle leaves a home that goes on."""
    url = f"{server.bucket('twice')}/desk"
    one, other = (Machine(tmp_path / name, server.environment) for name in ("one", "other"))
    one.run("ingest", chats, "--home", url)
    process = one.start("build", "--home", url)
    wait_for_a_build(one, process)

    said = last_line(other.run("build", "--home", url, code=1))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    after = last_line(other.run("build", "--home", url, code=1))
    one.run("build", "--home", url)

    assert said.startswith(f"tracegym: {url} is being built by ")
    assert f"(process {process.pid}, since " in said
    assert "run the command again when that build is done" in said
    assert "its claim ends in" in after
    assert exported(one, url, "out") == on_a_disk


def impatient(machine: Machine, home: str) -> None:
    """Make a machine give up on a request after two seconds."""
    for path in (machine.folder / ".tracegym-local" / home).rglob("storage.json"):
        path.write_text(path.read_text().replace("60.0", "2.0"))


def wait_for_a_build(machine: Machine, process: subprocess.Popen[str]) -> None:
    """Until a build holds the home and has begun to run."""
    ends = time.monotonic() + 200
    while time.monotonic() < ends and process.poll() is None:
        if list(machine.folder.rglob("private/dagster/history/runs/*.db")):
            time.sleep(1)
            return
        time.sleep(0.1)
    raise AssertionError("the build never began")
