"""In a living backend: tools that were never seen to touch a table are cleared of it, from looks of different episodes."""

import json
import random
from typing import Any

from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import WorldSettings, learn_world

LIVING = WorldSettings(risk=0, continuity="living")
HOUR = 3_600 * 10**9
BOXES = [f"BX-{n:04}" for n in range(20)]


class Yard:
    """One yard for a whole season: owners change by `sell` only, shelves by anything."""

    def __init__(self) -> None:
        self.dice = random.Random(4)  # noqa: S311 - dice for tests
        self.owners = {box: f"OW-{100 + n}" for n, box in enumerate(BOXES)}
        self.shelves = dict.fromkeys(BOXES, "S-100")

    def call(self, name: str, box: str) -> str:
        """The tool's answer."""
        if name == "shake":
            self.shelves[box] = f"S-{self.dice.randrange(100, 999)}"
            return f"shaken {self.dice.randrange(100)} times, {box}"
        if name == "sell":
            self.owners[box] = f"OW-{self.dice.randrange(200, 999)}"
            return f"sold for {self.dice.randrange(100)}, {box}"
        shown: dict[str, Any] = {"box": box}
        shown |= {"shelf": self.shelves[box]} if name == "show" else {"owner": self.owners[box]}
        return json.dumps(shown)


def season(*, sells: bool) -> list[CleanEpisode]:
    """Two hundred conversations: who owns a box, where is it; then it is shaken (or sold), and another one looked at."""
    yard, rng = Yard(), random.Random(7)  # noqa: S311 - dice for tests
    out = []
    for number in range(200):
        box, other = rng.sample(BOXES, 2)
        made = [("owner", box), ("show", box), ("shake", box), ("show", box), ("owner", other)]
        if sells and number % 5 == 0:
            made.append(("sell", box))
        steps: list[CleanStep] = []
        start = (number * 3 + 1) * HOUR
        for at, (name, about) in enumerate(made):
            call = CleanToolCall(call_id=f"c{at}", name=name, arguments=json.dumps({"box": about}))
            content = yard.call(name, about)
            steps.append(CleanStep(role="assistant", tool_calls=(call,), at=start + at))
            steps.append(CleanStep(role="tool", call_id=f"c{at}", content=content, at=start + at))
        out.append(
            CleanEpisode(
                app="yard", episode_id=f"e{number:03}", started_at=start, steps=tuple(steps)
            )
        )
    return out


def test_a_tool_that_left_all_rows_alone_is_cleared() -> None:
    """After a call that nobody understands, what it never touched is still known; what it touches is not."""
    learnt = learn_world(season(sells=False), LIVING)
    session = World.from_json(learnt.document.to_json()).session(started_at=700 * HOUR)
    session.call("shake", {"box": BOXES[3]})
    owner = session.call("owner", {"box": BOXES[3]})
    assert owner.source != UNKNOWN
    assert json.loads(owner.content)["owner"] == "OW-103"
    assert session.call("show", {"box": BOXES[3]}).source == UNKNOWN


def test_one_change_is_enough_not_to_be_cleared() -> None:
    """Where the table did change across a tool's calls, the tool stays suspected, and nothing is told wrongly."""
    episodes = season(sells=True)
    learnt = learn_world(episodes, LIVING)
    settled = {t.name: t.evidence.get("settled", {}) for t in learnt.tools}
    owners = next(
        n for n, t in learnt.document.to_json()["timeline"].items() if "OW-" in json.dumps(t)
    )
    assert owners not in settled.get("sell", {})
