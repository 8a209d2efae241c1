"""An invented backend for tests of learnt worlds: a workshop with bikes, a counter, a log, a singleton, and crashes.

Shapes that the example app does not have: numbered jobs, an append-only log without a reader, one settings record, a
write that crashes half the time, and lists sent as text by one caller.
"""

from __future__ import annotations

import json
import random
from typing import Any

from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall

OWNERS = [f"own_{100 + i}" for i in range(12)]
COLOURS = ["red", "green", "blue"]


class Workshop:
    """The real thing: state in dictionaries, reset for every episode."""

    def __init__(self) -> None:
        self.bikes: dict[str, dict[str, Any]] = {
            f"BK-{4000 + 7 * i}": {
                "bike": f"BK-{4000 + 7 * i}",
                "owner": OWNERS[i % len(OWNERS)],
                "colour": COLOURS[i % 3],
                "state": ["parked", "broken", "sold"][i % 3],
                "price": 100.0 + 12.5 * i,
                "parts": [{"part": f"PT-{900 + i}", "cost": 5.0 + i}],
            }
            for i in range(24)
        }
        self.settings = {
            "currency": "EUR",
            "open_from": "08:00",
            "note": "ring the bell twice, please",
        }
        self.jobs = 0
        self.log: list[str] = []

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """The tool's answer."""
        return str(getattr(self, name)(**arguments))

    def show_bike(self, bike: str) -> str:
        """The record, or a refusal."""
        found = self.bikes.get(bike)
        return json.dumps(found) if found else "Error: no such bike"

    def paint(self, bike: str, colour: str) -> str:
        """Changes colour and price; refused when sold."""
        found = self.bikes[bike]
        if found["state"] == "sold":
            return "Error: a sold bike cannot be painted"
        found["colour"] = colour
        found["price"] = round(found["price"] + 20, 2)
        return json.dumps(found)

    def open_job(self, bike: str, work: str) -> str:
        """Numbers a job; no reader shows it again."""
        self.jobs += 1
        return json.dumps({"job": f"JOB-{7000 + self.jobs}", "bike": bike, "work": work})

    def write_log(self, text: str) -> str:
        """Appends to a log that nobody reads."""
        self.log.append(text)
        return "noted"

    def settings_of(self) -> str:
        """The one settings record."""
        return json.dumps(self.settings)

    def add_up(self, sum_of: str) -> str:
        """The sum of a text."""
        total = sum(float(part) for part in sum_of.split("+"))
        return f"{total:.2f}"


def arguments_for(rng: random.Random, shop: Workshop) -> tuple[str, dict[str, Any]]:
    """One call, mostly legal."""
    bike = rng.choice(sorted(shop.bikes))
    return rng.choice(
        [
            ("show_bike", {"bike": bike}),
            ("show_bike", {"bike": bike}),
            ("paint", {"bike": bike, "colour": rng.choice([*COLOURS, "black"])}),
            ("open_job", {"bike": bike, "work": rng.choice(["wheel", "brake"])}),
            ("write_log", {"text": f"seen {bike}"}),
            ("settings_of", {}),
            ("add_up", {"sum_of": f"{rng.randint(1, 90)} + {rng.randint(1, 90)}.5"}),
        ]
    )


def calls_in(seed: int, length: int) -> list[tuple[str, dict[str, Any], str]]:
    """One episode's calls with their true answers."""
    rng, shop = random.Random(seed), Workshop()  # noqa: S311 - dice for tests
    out = []
    for _ in range(length):
        name, arguments = arguments_for(rng, shop)
        out.append((name, arguments, shop.call(name, arguments)))
        if name == "paint":
            again = {"bike": arguments["bike"]}
            out.append(("show_bike", again, shop.call("show_bike", again)))
    return out


def episode(
    number: int, calls: list[tuple[str, dict[str, Any] | str, str]], *, agent: str = "a"
) -> CleanEpisode:
    """Calls and answers as a clean episode."""
    steps: list[CleanStep] = []
    for at, (name, arguments, content) in enumerate(calls):
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        call = CleanToolCall(call_id=f"c{at}", name=name, arguments=text)
        steps.append(CleanStep(role="assistant", tool_calls=(call,)))
        steps.append(CleanStep(role="tool", content=content, call_id=f"c{at}"))
    return CleanEpisode(
        app="workshop",
        episode_id=f"e{number:04d}",
        started_at=number * 1_000_000_000,
        agent=agent,
        steps=tuple(steps),
        redaction="off",
    )


def workshop_episodes(count: int, *, length: int = 9) -> list[CleanEpisode]:
    """Recorded episodes of the workshop."""
    return [episode(n, list(calls_in(n, length))) for n in range(count)]
