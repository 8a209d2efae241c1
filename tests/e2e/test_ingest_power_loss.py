"""The write-ahead log after a loss of power: what was acknowledged is there, whatever was not synced is gone or torn."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ingest.receiver.wal import Wal
from tests.power_loss import Event, compiled, disk_at, events_in

ACKNOWLEDGE = """
import sys, threading
from pathlib import Path
from ingest.receiver.wal import Wal, WalRecord

folder, synchronous = Path(sys.argv[1]), sys.argv[2]
wal = Wal(folder / "wal")
wal._open().execute(f"pragma synchronous = {synchronous}")
wal._open().execute("pragma wal_autocheckpoint = 20")  # so that the log itself is written, too
said = open(folder / "acknowledged", "wb", buffering=0)

def send(sender):
    for number in range(40):
        name = f"{sender}-{number}"
        record = WalRecord(kind="otlp_traces", app="a", source=name, body=name.encode() * 300, received_at=1)
        wal.append([record])
        said.write(name.encode() + b"\\n")
        if number % 8 == 7:
            wal.mark_decoded([one.seq for one in wal.pending(5)])

threads = [threading.Thread(target=send, args=(n,)) for n in range(4)]
[one.start() for one in threads]
[one.join() for one in threads]
"""


def recorded(folder: Path, library: Path, synchronous: str) -> list[Event]:
    """What a process that appends from four threads does to its files, in order."""
    work = folder / synchronous
    work.mkdir()
    env = {
        **os.environ,
        "LD_PRELOAD": str(library),
        "UNSYNCED_FOLDER": str(work),
        "UNSYNCED_LOG": str(folder / f"{synchronous}.log"),
    }
    command = [sys.executable, "-c", ACKNOWLEDGE, str(work), synchronous]
    subprocess.run(command, check=True, env=env, capture_output=True)
    return list(events_in((folder / f"{synchronous}.log").read_bytes()))


def lost_at(
    events: list[Event], moment: int, folder: Path, chance: random.Random | None
) -> set[str]:
    """What was acknowledged before a moment and is not in the log that the disk may hold then."""
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "wal").mkdir(parents=True)
    acknowledged = {e.number for e in events if e.what == "o" and e.data.endswith(b"/acknowledged")}
    told = b"".join(e.data for e in events[:moment] if e.what == "w" and e.number in acknowledged)
    for name, data in disk_at(events, moment, chance).items():
        if "/wal/" in name and not name.endswith("-shm"):
            (folder / "wal" / Path(name).name).write_bytes(data)
    with Wal(folder / "wal") as wal:
        there = {record.source for record in wal.all_records()}
    return set(told.decode().split()) - there


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library to preload."""
    if sys.platform != "linux":
        pytest.skip("LD_PRELOAD and the system calls are Linux's")
    try:
        return compiled(tmp_path_factory.mktemp("library"))
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no C compiler here")


@pytest.mark.parametrize("moments", [25, pytest.param(600, marks=pytest.mark.slow)])
def test_what_was_acknowledged_survives_a_loss_of_power(
    tmp_path: Path, library: Path, moments: int
) -> None:
    """At random moments, with all unsynced writes lost and with a random half of their blocks on the disk."""
    events = recorded(tmp_path, library, "full")
    assert sum(event.what == "s" for event in events) > 40
    chance = random.Random(3)  # noqa: S311 - a repeatable choice
    for turn in range(moments):
        moment = chance.randrange(len(events) // 10, len(events))
        torn = chance if turn % 2 else None
        assert lost_at(events, moment, tmp_path / "disk", torn) == set()


def test_the_disk_does_lose_what_is_not_synced(tmp_path: Path, library: Path) -> None:
    """The same log without syncs loses what it acknowledged: else the test above would show nothing."""
    events = recorded(tmp_path, library, "off")
    chance = random.Random(3)  # noqa: S311 - a repeatable choice
    moments = [chance.randrange(len(events) // 10, len(events)) for _ in range(12)]
    lost = 0
    for moment in moments:
        try:
            lost += bool(lost_at(events, moment, tmp_path / "disk", None))
        except Exception:  # noqa: BLE001 - a log that cannot be opened is lost whole
            lost += 1
    assert lost > len(moments) // 2
