"""Apps of Meta's Agents Research Environments, called as their own agents call them.

Run with `TRACEGYM_OUTSIDE` naming a folder made by `pip install --target FOLDER --no-deps meta_agents_research_environments==1.2.0
inputimeout docstring-parser termcolor` and what their imports still miss (mammoth, cobble, markdownify, beautifulsoup4, soupsieve,
puremagic, pdfminer.six, python-pptx, pandas, lxml), and `PYTHONHASHSEED=0`: some of them list what a set holds. Comes in: an app of
theirs with invented records. Comes out: a backend. Answers are what Python prints, as their agents see them, or JSON, as their MCP
server sends it. Ids come of one seed, and each call takes a while, so times run on. Not here: what people ask (`are_shops`, `are_office`).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import cache, partial
from importlib import import_module
from types import ModuleType
from typing import Any, Final
from uuid import UUID

from pydantic_core import to_json

from benchmarks.testbeds.invented.backend import Answer, Backend, Call, Step
from benchmarks.testbeds.published.packages import outside

REQUIREMENT: Final = "meta_agents_research_environments==1.2.0"
NOW: Final = 1_780_300_800.0
"""When every backend starts."""
CALL_TAKES: Final = 41.0
App = Any
"""One of their apps; their modules are imported by name, so nobody here knows its type."""
ID: Final = re.compile(r"[0-9a-f]{32}")


class _Shared:
    """Stands for `time` and `uuid` in their modules: the backend that is called says which moment it is and which id comes next."""

    backend: AppBackend

    def time(self) -> float:
        """Seconds since 1970."""
        return self.backend.now

    def uuid4(self) -> UUID:
        """The next id."""
        return UUID(int=self.backend.ids.getrandbits(128))


SHARED: Final = _Shared()


def module(name: str) -> ModuleType:
    """One of the package's modules of apps; its clock and its ids are ours, so that two runs are one."""
    outside("are.simulation", REQUIREMENT)
    found = import_module(f"are.simulation.apps.{name}")
    for clock in ("time", "uuid"):
        if isinstance(getattr(found, clock, None), ModuleType):
            setattr(found, clock, SHARED)
    return found


@cache
def _tools(fill: Callable[[], App]) -> dict[str, Any]:
    """An app's tools by name, built once: each is then called of the app that is asked."""
    return {tool.name.rpartition("__")[2]: tool for tool in fill().get_tools()}


class AppBackend(Backend):
    """One app with what stands in it."""

    def __init__(self, fill: Callable[[], App], *, printed: bool) -> None:
        self.now = NOW
        self.ids = random.Random(11)  # noqa: S311 - ids of a benchmark
        SHARED.backend = self
        self._printed = printed
        self._app = fill()
        self._app.rng = self.ids
        self._app.register_time_manager(self)
        self._tools_of = partial(_tools, fill)

    def time(self) -> float:
        """The app asks its time manager."""
        return self.now

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Run one tool of the app; whatever it raises is an answer too."""
        SHARED.backend = self
        self.now += CALL_TAKES
        try:
            tool = self._tools_of()[name]
            tool.class_instance = self._app
            self._app.add_event_callbacks = {}  # their copies of an app leave them out
            result = tool(**arguments)
        except Exception as fault:  # noqa: BLE001 - their executor catches all
            return Answer(content=f"Error: {fault}", is_error=True)
        return Answer(content=self._written(result), is_error=False)

    def _written(self, result: object) -> str:
        if self._printed or isinstance(result, str):
            return str(result)
        return to_json(result, fallback=str, indent=2).decode()


def hex_id(of: str) -> str:
    """An id of an invented record, the same in every run."""
    return UUID(int=random.Random(of).getrandbits(128)).hex  # noqa: S311 - dice


def after(
    tool: str, argument: str, answers: Callable[[Sequence[str]], str | None], **more: str
) -> Step:
    """A call about what an earlier answer says; an agent that finds nothing there asks with an id that is nowhere."""

    def step(said: Sequence[str]) -> Call:
        return tool, {argument: answers(said) or hex_id("nowhere"), **more}

    return step


def latest(said: Sequence[str]) -> str | None:
    """The id that was told alone, as creators tell it, latest."""
    return next((text for text in reversed(said) if ID.fullmatch(text)), None)


def last_shown(said: Sequence[str]) -> str | None:
    """The first id of the latest answer that holds one."""
    return next((found[0] for text in reversed(said) if (found := ID.findall(text))), None)
