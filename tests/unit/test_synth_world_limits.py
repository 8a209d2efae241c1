"""Limits that no recording ever crossed: success is not claimed beyond them."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import cache
from typing import Any

from environments.fidelity import judge
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

PLOTS = [f"PL-{n}" for n in range(40, 64)]


class Allotments:
    """Gardeners rent beds on plots and pay by card, which never ends, or from a purse, which does."""

    def __init__(self) -> None:
        self.gardeners: dict[str, dict[str, Any]] = {}
        for n in range(8):
            card, purse = f"card_{300 + n}", f"purse_{700 + n}"
            self.gardeners[f"gd_{n}1"] = {
                "gardener": f"gd_{n}1",
                "means": {
                    card: {"sort": "card", "id": card},
                    purse: {"sort": "purse", "id": purse, "left": 60 + 17 * n},
                },
            }
        self.plots: dict[str, dict[str, Any]] = {
            plot: {
                "plot": plot,
                "gardener": f"gd_{n % 8}1",
                "rate": 7 + n % 9,
                "beds": 1 + n % 3,
                "bill": [],
            }
            for n, plot in enumerate(PLOTS)
        }

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The tool's answer."""
        return str(getattr(self, name)(**arguments))

    def gardener(self, gardener: str) -> str:
        """One gardener with all means of payment."""
        return json.dumps(self.gardeners[gardener])

    def plot(self, plot: str) -> str:
        """One plot."""
        return json.dumps(self.plots[plot])

    def dig(self, plot: str, beds: int, means: str) -> str:
        """More beds on a plot, each at the plot's rate."""
        found = self.plots[plot]
        paid_by = self.gardeners[found["gardener"]]["means"][means]
        due = beds * found["rate"]
        if due > paid_by.get("left", due):
            return "Error: the purse is not full enough"
        found["beds"] += beds
        found["bill"] = [*found["bill"], {"by": means, "coins": due}]
        return json.dumps(found)


def _calls(
    rng: random.Random, office: Allotments, *, beyond: bool, seldom: bool = False
) -> list[tuple[str, dict[str, Any], str]]:
    out: list[tuple[str, dict[str, Any], str]] = []

    def do(name: str, **arguments: Any) -> None:  # noqa: ANN401 - arguments of any tool
        out.append((name, arguments, office.call(name, json.loads(json.dumps(arguments)))))

    plot = rng.choice(PLOTS)
    who = office.plots[plot]["gardener"]
    looks: list[tuple[str, dict[str, Any]]] = [
        ("gardener", {"gardener": who}),
        ("plot", {"plot": plot}),
    ]
    for name, arguments in [*looks, *rng.choices(looks, k=rng.randint(0, 3))]:
        do(name, **arguments)
    card, purse = sorted(office.gardeners[who]["means"])
    means = purse if rng.random() < (0.08 if seldom else 0.5) else card
    most = office.gardeners[who]["means"][means].get("left", 200) // office.plots[plot]["rate"]
    beds = rng.randint(most + 1, most + 9) if beyond else rng.randint(1, most)
    do("dig", plot=plot, beds=beds, means=means)
    for name, arguments in rng.sample(looks, 2):
        do(name, **arguments)
    return out


@cache
def _document(*, seldom: bool = False) -> dict[str, Any]:
    rng = random.Random(3)  # noqa: S311 - dice for tests
    episodes: list[CleanEpisode] = [
        episode(n, list(_calls(rng, Allotments(), beyond=False, seldom=seldom))) for n in range(70)
    ]
    return learn_world(episodes, WorldSettings(risk=0)).document.to_json()


@cache
def _world(*, seldom: bool = False) -> World:
    return World.from_json(json.loads(json.dumps(_document(seldom=seldom))))


def _verdicts(*, beyond: bool, seldom: bool = False) -> Counter[str]:
    rng = random.Random(11)  # noqa: S311 - dice for tests
    verdicts: Counter[str] = Counter()
    for _ in range(60):
        session = _world(seldom=seldom).session()
        for name, arguments, truth in _calls(rng, Allotments(), beyond=beyond):
            found = judge(session.call(name, json.dumps(arguments)), truth)
            verdicts[found if name == "dig" else "look " + found] += 1
    return verdicts


def test_within_the_limit_success_is_claimed() -> None:
    """Calls like the recorded ones are answered."""
    verdicts = _verdicts(beyond=False)
    assert not verdicts["wrong"]
    assert verdicts["exact"] >= 50, verdicts


def test_more_than_what_is_left_is_never_claimed_to_succeed() -> None:
    """No recording shows the refusal: what the call would charge is held under what the named purse has left."""
    verdicts = _verdicts(beyond=True)
    assert not verdicts["wrong"], verdicts


def test_a_limit_that_few_calls_came_near_binds_as_well() -> None:
    """One in twelve pays from a purse: that is enough to know what was never seen."""
    assert not _verdicts(beyond=True, seldom=True)["wrong"]
    within = _verdicts(beyond=False, seldom=True)
    assert not within["wrong"]
    assert within["exact"] >= 50, within


def test_the_refusal_that_nobody_saw_is_unknown() -> None:
    """The words of a refusal that was never recorded are not invented."""
    answer = _world().session().call("dig", {"plot": "PL-40", "beds": 50, "means": "purse_700"})
    assert answer.source == UNKNOWN


def test_the_file_says_what_speaks_for_each_changed_field() -> None:
    """Different calls and tasks per field, none against: what a person needs to believe the rule."""
    fields = _document()["tools"]["dig"]["evidence"]["fields"]
    assert set(fields) == {"beds", "bill"}
    for counted in fields.values():
        assert counted["calls"] >= 60
        assert counted["tasks"] > 1
        assert (counted["counter_examples"], counted["not_known"]) == (0, 0)
