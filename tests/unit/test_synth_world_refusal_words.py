"""Refusals in prose, unmarked: told from successes by what is otherwise after them, never by their words."""

from __future__ import annotations

import random
from typing import Any

from redact.clean_episode import CleanEpisode
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

BEDS = [f"BD-{20 + 3 * at}" for at in range(8)]
NO, YES = "Regrettably not:", "All right:"


class Garden:
    """Beds that are dug, sown and watered in this order; every answer opens like all that mean the same."""

    def __init__(self) -> None:
        self.done = dict.fromkeys(BEDS, 0)

    def call(self, name: str, bed: str) -> str:
        """The tool's answer."""
        steps = ["dig", "sow", "water"]
        if bed not in self.done:
            return f"{NO} nothing is called {bed}."
        if name == "visit":
            return f"{bed} has seen {self.done[bed]} of {len(steps)} steps by now."
        if self.done[bed] != steps.index(name):
            return f"{NO} {bed} is not ready for that."
        self.done[bed] += 1
        return f"{YES} {name} at {bed}."


def conversations(count: int) -> list[CleanEpisode]:
    """Visits with one or two steps between them, often out of order."""
    made = []
    for number in range(count):
        rng, garden = random.Random(number), Garden()  # noqa: S311 - dice
        bed = rng.choice(BEDS)
        calls: list[tuple[str, dict[str, Any] | str, str]] = []
        for name in ("visit", rng.choice(["dig", "sow", "dig"]), "visit", "sow", "water", "visit"):
            if rng.random() < 0.8:
                asked = bed + "x" * (rng.random() < 0.1)
                calls.append((name, {"bed": asked}, garden.call(name, asked)))
        made.append(episode(number, calls))
    return made


def outcomes(count: int) -> dict[str, set[str]]:
    """What the openings of the writers' answers were taken for."""
    document = learn_world(conversations(count), WorldSettings(risk=0)).document
    found: dict[str, set[str]] = {NO: set(), YES: set()}
    for name in ("dig", "sow", "water"):
        for text, outcome in document["tools"][name]["outcomes"].items():
            found[NO if NO in text else YES].add(outcome)
    return found


def test_words_after_which_nothing_changed_are_a_refusal_and_others_are_not() -> None:
    """Both openings are shared by all tools; only what the visits show tells them apart."""
    assert outcomes(120) == {NO: {"refusal"}, YES: {"success"}}


def test_a_few_quiet_looks_prove_nothing() -> None:
    """With hardly any visit around an answer, words stay words."""
    assert outcomes(8)[NO] == {"success"}
