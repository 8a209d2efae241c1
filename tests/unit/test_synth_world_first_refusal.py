"""Calls with more than one fault: the refusal that comes first is told where recordings say which that is, or nobody knows."""

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

PAYERS = [f"pa_{n}7" for n in range(10, 18)]
PARCELS = [f"PC-{n}" for n in range(300, 330)]
LEGS = [f"LG{n}" for n in range(40, 60)]
DAYS = ["2031-04-01", "2031-04-02"]
CLOSED = {("LG41", DAYS[0]), ("LG47", DAYS[1]), ("LG52", DAYS[0])}
UNREAD = "LG59"
"""Nobody reads it, and no recording names it."""


class Depot:
    """Parcels go over legs; a leg that stays, with the size as it was, is asked nothing, and what pays is asked last."""

    def __init__(self) -> None:
        self.payers: dict[str, dict[str, Any]] = {
            who: {
                "payer": who,
                "means": {f"{m}_{n}9": {"sort": m} for m in ("card", "voucher")},
            }
            for n, who in enumerate(PAYERS, start=20)
        }
        self.legs: dict[str, dict[str, Any]] = {
            leg: {"leg": leg, "room": {"small": 1 + n % 4, "large": 1 + n % 3}}
            for n, leg in enumerate(LEGS)
        }
        self.parcels = {key: self._sent(n, key) for n, key in enumerate(PARCELS)}

    def _sent(self, n: int, key: str) -> dict[str, Any]:
        legs = [LEGS[(n * 3 + i) % (len(LEGS) - 1)] for i in range(2)]
        return {
            "parcel": key,
            "payer": PAYERS[n % len(PAYERS)],
            "size": ("small", "large")[n % 2],
            "boxes": [f"b{n}{i}" for i in range(1 + n % 2)],
            "legs": [{"leg": leg, "day": DAYS[n % 2]} for leg in legs],
        }

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The tool's answer."""
        return str(getattr(self, name)(**json.loads(json.dumps(arguments))))

    def payer(self, payer: str) -> str:
        """A payer with all means."""
        return json.dumps(self.payers[payer])

    def parcel(self, parcel: str) -> str:
        """A parcel."""
        return json.dumps(self.parcels[parcel])

    def leg(self, leg: str) -> str:
        """A leg with its room."""
        return json.dumps(self.legs[leg])

    def send_over(self, parcel: str, size: str, legs: list[dict[str, str]], means: str) -> str:
        """Other legs, or another size."""
        found = self.parcels[parcel]
        kept = found["legs"] if size == found["size"] else []
        for given in legs:
            if given in kept:
                continue
            if (given["leg"], given["day"]) in CLOSED:
                return f"Error: leg {given['leg']} is closed on {given['day']}"
            if self.legs[given["leg"]]["room"][size] < len(found["boxes"]):
                return f"Error: no room on leg {given['leg']}"
        sort = self.payers[found["payer"]]["means"].get(means, {}).get("sort")
        if sort is None:
            return "Error: no such means"
        if sort == "voucher":
            return "Error: a voucher pays for no other way"
        found.update(legs=legs, size=size)
        return json.dumps(found)


def _choice(rng: random.Random, depot: Depot, parcel: str, *, odd: bool) -> dict[str, Any]:
    """A call about a parcel: `odd` ones keep legs, pay with anything and go over the leg that nobody read."""
    found = depot.parcels[parcel]
    inside = [] if odd else [leg["leg"] for leg in found["legs"]]
    free = [leg for leg in LEGS if leg not in inside and (odd or leg != UNREAD)]
    day = rng.choice(DAYS)
    legs = [{"leg": leg, "day": day} for leg in rng.sample(free, rng.choice([1, 2]))]
    if rng.random() < 0.25:
        legs[0] = dict(zip(("leg", "day"), rng.choice(sorted(CLOSED)), strict=True))
    if odd and rng.random() < 0.5:
        legs = [found["legs"][0], *legs[:1]]
    voucher = rng.random() < (0.4 if odd else 0.15)
    means = next(m for m in depot.payers[found["payer"]]["means"] if m.startswith("v") is voucher)
    size = found["size"] if odd else rng.choice(["small", "large"])
    return {"parcel": parcel, "size": size, "legs": legs, "means": means}


@cache
def _world() -> World:
    rng = random.Random(8)  # noqa: S311 - dice for tests
    episodes: list[CleanEpisode] = []
    for number in range(110):
        depot, parcel = Depot(), rng.choice(PARCELS)
        given = _choice(rng, depot, parcel, odd=False)
        calls: list[tuple[str, dict[str, Any]]] = [("parcel", {"parcel": parcel})]
        calls.append(("payer", {"payer": depot.parcels[parcel]["payer"]}))
        reads: list[tuple[str, dict[str, Any]]] = [
            ("leg", {"leg": leg["leg"]}) for leg in given["legs"]
        ]
        calls += reads if number % 4 else []
        calls += [("send_over", given), ("parcel", {"parcel": parcel})]
        episodes.append(episode(number, [(n, a, depot.call(n, a)) for n, a in calls]))
    return World.from_json(learn_world(episodes, WorldSettings(risk=0)).document.to_json())


def _asked(arguments: dict[str, Any]) -> tuple[str, str]:
    """The verdict on what the world says, and where it came from."""
    answer = _world().session().call("send_over", json.dumps(arguments))
    return judge(answer, Depot().call("send_over", arguments)), answer.source


def test_of_two_refusals_none_is_told_before_the_other_is_known_not_to_hold() -> None:
    """Odd calls are never answered with a refusal that is not the first, and sensible ones still are refused."""
    rng = random.Random(4)  # noqa: S311 - dice for tests
    told: Counter[tuple[str, bool]] = Counter()
    for odd in (True, False):
        for _ in range(300):
            given = _choice(rng, Depot(), rng.choice(PARCELS), odd=odd)
            verdict, _ = _asked(given)
            refused = Depot().call("send_over", given).startswith("Error")
            told[verdict + (" odd" if odd else ""), refused] += 1
    assert not any(verdict.startswith("wrong") for verdict, _ in told), told
    assert told["exact", True] >= 30, told


def test_a_closed_leg_that_stays_is_not_refused_again() -> None:
    """The leg was refused to who asked for it anew: one that the parcel goes over already may be asked nothing."""
    depot = Depot()
    for key, found in depot.parcels.items():
        closed = [leg for leg in found["legs"] if (leg["leg"], leg["day"]) in CLOSED]
        for leg in closed:
            for means in depot.payers[found["payer"]]["means"]:
                given = {"parcel": key, "size": found["size"], "legs": [leg], "means": means}
                assert _asked(given)[1] == UNKNOWN, given


def test_a_voucher_is_not_refused_beside_a_leg_that_nobody_read() -> None:
    """What is asked before the means may refuse such a leg, and no recording says that it comes later."""
    depot = Depot()
    for key, found in depot.parcels.items():
        voucher = next(m for m in depot.payers[found["payer"]]["means"] if m.startswith("v"))
        legs = [{"leg": UNREAD, "day": DAYS[0]}]
        given = {"parcel": key, "size": found["size"], "legs": legs, "means": voucher}
        assert _asked(given)[1] == UNKNOWN, given
