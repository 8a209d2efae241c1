"""`tracegym dev`: the Dagster UI starts, shows the assets, and ends with everything that it started."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest

from dagster_project.home.layout import open_home

pytestmark = pytest.mark.slow

_GROUPS = "{assetNodes{groupName description}}"


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def groups_shown(address: str) -> set[str]:
    """Groups of the assets that the UI shows; nothing while it starts."""
    asked = Request(
        f"{address}/graphql",
        data=json.dumps({"query": _GROUPS}).encode(),
        headers={"content-type": "application/json"},
    )
    try:
        with urlopen(asked, timeout=10) as answered:
            return {one["groupName"] for one in json.load(answered)["data"]["assetNodes"]}
    except (URLError, ConnectionError):
        return set()


def children_of(process: int) -> list[int]:
    """Processes that it started, by their numbers."""
    return [
        int(number)
        for path in Path("/proc").glob(f"{process}/task/*/children")
        for number in path.read_text().split()
    ]


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="processes are read from /proc")
@pytest.mark.parametrize("stop", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_ends_the_ui_and_what_it_started(tmp_path: Path, stop: signal.Signals) -> None:
    """Also where the command was started in the background, where a shell makes it ignore interrupts."""
    port = free_port()
    open_home(tmp_path, create=True)
    command = [sys.executable, "-m", "dagster_project.cli.main", "dev", "--home", str(tmp_path)]
    ui = subprocess.Popen(
        [*command, "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),  # noqa: PLW1509 - as a shell does
    )
    address, late = f"http://127.0.0.1:{port}", time.monotonic() + 180
    while groups_shown(address) != {"ingest", "redact", "synth", "environments"}:
        assert ui.poll() is None
        assert time.monotonic() < late
        time.sleep(1)
    (dagster,) = children_of(ui.pid)
    running = [dagster, *children_of(dagster)]
    assert len(running) > 2

    ui.send_signal(stop)

    assert ui.wait(60) == 0
    late = (
        time.monotonic() + 60
    )  # the server of the definitions ends when nobody has asked it for a while
    while any(map(_lives, running)):
        assert time.monotonic() < late
        time.sleep(1)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
