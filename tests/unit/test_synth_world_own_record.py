"""What becomes of the very record that a writer gives a receipt of, and of records that nobody tried with a tool."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.world.model import ToolModel, Workbench
from synth.world.observation import histories
from synth.world.schema.outcomes import learn_outcomes
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

JARS = ["plum", "fig", "quince", "medlar"]
SHELVED = ["plum", "fig"]
"""Only these were ever put away when recordings were made."""
NONE = ["sloe", "hips", "rowan"]
GONE = "Error: it stands in the cellar"
NO_JAR = "Error: there is no such jar"

Step = tuple[str, dict[str, Any]]


class Pantry:
    """Jars: filling one and putting one away tell less of it than looking does."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)  # noqa: S311 - dice
        self.jars = {
            jar: {
                "jar": jar,
                "keeper": "ida@example.org",
                "batch": f"b{at}f3a9c0d",
                "holds": f"old-{jar}",
            }
            for at, jar in enumerate(JARS)
        }
        self.away: set[str] = set()

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The tool's answer."""
        if arguments["jar"] not in self.jars:
            return NO_JAR
        if name != "bring_up" and arguments["jar"] in self.away:
            return GONE
        return json.dumps(getattr(self, name)(**arguments))

    def get_jar(self, jar: str) -> dict[str, Any]:
        """The whole record."""
        return self.jars[jar]

    def fill(self, jar: str, holds: str) -> dict[str, Any]:
        """A new batch."""
        batch = "".join(self.dice.choice("0123456789abcdef") for _ in range(8))
        self.jars[jar] |= {"batch": batch, "holds": holds}
        return {name: self.jars[jar][name] for name in ("jar", "keeper", "batch")}

    def put_away(self, jar: str) -> dict[str, Any]:
        """Nobody can look at it until it is brought up."""
        self.away.add(jar)
        return {"jar": jar, "keeper": self.jars[jar]["keeper"], "for": "a year"}

    def bring_up(self, jar: str) -> dict[str, Any]:
        """It may have stood there all the time."""
        self.away.discard(jar)
        return {"jar": jar, "keeper": self.jars[jar]["keeper"]}


def _steps(number: int) -> list[Step]:
    dice = random.Random(number)  # noqa: S311 - dice
    jar, other = dice.sample(JARS, 2)
    shelved = dice.choice(SHELVED)
    look: Step = ("get_jar", {"jar": jar})
    fill: Step = ("fill", {"jar": jar, "holds": f"new-{dice.randrange(4)}"})
    away: Step = ("put_away", {"jar": shelved})
    wrong: Step = (dice.choice(["bring_up", "put_away", "fill"]), {"jar": dice.choice(NONE)})
    if wrong[0] == "fill":
        wrong[1]["holds"] = "new-1"
    goals: list[list[Step]] = [
        [look, fill, look],
        [fill, look],
        [look, ("get_jar", {"jar": other}), fill, ("get_jar", {"jar": other})],
        [away, ("get_jar", {"jar": shelved})],
        [away, ("bring_up", {"jar": shelved}), ("get_jar", {"jar": shelved})],
        [wrong, look],
        [("get_jar", {"jar": dice.choice(NONE)}), look],
    ]
    return goals[number % len(goals)]


def _episodes() -> list[CleanEpisode]:
    made = []
    for number in range(168):
        pantry = Pantry(1000 + number)
        made.append(episode(number, [(n, a, pantry.call(n, a)) for n, a in _steps(number)]))
    return made


@cache
def _world() -> World:
    learnt = learn_world(_episodes(), WorldSettings(risk=0))
    return World.from_json(learnt.document.to_json())


def _asked(*calls: Step) -> tuple[str, str, str]:
    """What the last call is told, from where, and what the pantry says."""
    session, pantry = _world().session({}), Pantry(7)
    for name, given in calls[:-1]:
        session.observe(name, given, pantry.call(name, given))
    name, given = calls[-1]
    told = session.call(name, json.dumps(given))
    return told.content, told.source, pantry.call(name, given)


Made = tuple[str, dict[str, Any] | str, str]


def _bench(*made: list[Step]) -> Workbench:
    """The pantry's calls; looking is known to change nothing, and all tools are about the table of jars."""
    pantries = [Pantry(number) for number in range(len(made))]
    told: list[list[Made]] = [
        [(n, a, p.call(n, a)) for n, a in steps] for p, steps in zip(pantries, made, strict=True)
    ]
    past = histories([episode(number, steps) for number, steps in enumerate(told)])
    tools: dict[str, ToolModel] = {}
    for one in (seen for history in past for seen in history.observations):
        one.settle()
        tools.setdefault(one.tool, ToolModel(name=one.tool, observations=[])).observations.append(
            one
        )
    for name, tool in tools.items():
        tool.kind = "read" if name == "get_jar" else "write"
        tool.table, tool.key = "jar", [["arg", "jar"]]
        learn_outcomes(tool)
    return Workbench(app="invented", histories=past, tools=tools)
