"""Apps of AppWorld (to-do lists, notes, payments, shared expenses), from empty databases that invented people fill by signing up.

Needs `pip install --target FOLDER appworld==0.1.3.post1`, then `PYTHONPATH=FOLDER python -m appworld.cli install`, which unpacks the
apps that the wheel holds; its data set is not needed. They run in a process of their own (`appworld_server`). A refusal is
the app's own answer. Access tokens are drawn anew by every login; the clock is the attempts'. What people
ask of the apps is `appworld_scripts`.
"""

from __future__ import annotations

import atexit
import itertools
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from benchmarks.testbeds.invented.backend import Answer, Backend, Step, Style
from benchmarks.testbeds.published.appworld import appworld_scripts as scripts
from benchmarks.testbeds.published.appworld import appworld_server, appworld_start
from benchmarks.testbeds.published.packages import FOLDER

PACE: Final = timedelta(seconds=7)
"""From call to call."""
_numbers = itertools.count()


class App(Backend):
    """One app with its people: every name is one of its calls."""

    _open: str = appworld_server.STARTS
    """The state that the process holds just now."""

    def __init__(self, app: str, copied: str = appworld_server.STARTS) -> None:
        """A state of its own, from the start or from another's."""
        self._app = app
        self._at = datetime(2026, 2, 27, 12, tzinfo=UTC)
        self._calls = 0
        self._state = f"state {next(_numbers)}"
        self._turn(copied)

    def begin(self, moment: datetime) -> None:
        """Set the clock."""
        self._at = moment

    def __deepcopy__(self, memo: dict[int, Any]) -> App:
        """The same state, with dice of its own."""
        other = App(self._app, self._state)
        other._at = self._at
        return other

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Ask the app."""
        if App._open != self._state:
            self._turn(self._state)
        self._at += PACE
        self._calls += 1
        line = {
            "app": self._app,
            "call": name,
            "arguments": arguments,
            "at": self._at.replace(tzinfo=None).isoformat(),
            "seed": f"{self._state}/{self._calls}",
        }
        return Answer(**_told(line))

    def _turn(self, copied: str) -> None:
        _told({"open": self._state, "from": copied})
        App._open = self._state


@cache
def _process() -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.environ.get(FOLDER, "")}
    found = subprocess.Popen(
        [sys.executable, "-P", str(Path(appworld_server.__file__))],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    atexit.register(found.terminate)
    _write(found, appworld_start.STARTS)
    return found


def _told(line: dict[str, Any]) -> dict[str, Any]:
    process = _process()
    _write(process, line)
    text = process.stdout.readline() if process.stdout else ""
    if not text:
        raise SystemExit(
            "AppWorld's apps do not run: see the docstring of benchmarks.testbeds.published.appworld.appworld"
        )
    told: dict[str, Any] = json.loads(text)
    return told


def _write(process: subprocess.Popen[str], value: object) -> None:
    if process.stdin:
        process.stdin.write(json.dumps(value) + "\n")
        process.stdin.flush()


APPS: Final[dict[str, tuple[str, Callable[[random.Random], list[Step]]]]] = {
    "todo": ("todoist", scripts.todo),
    "notes": ("simple_note", scripts.notes),
    "pay": ("venmo", scripts.pay),
    "split": ("splitwise", scripts.split),
}

STYLES: Final = tuple(
    Style(name=f"appworld-{name}", make=partial(App, app), script=script)
    for name, (app, script) in APPS.items()
)
