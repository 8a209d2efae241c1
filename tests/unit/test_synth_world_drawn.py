"""Unit tests: what every call draws anew says nothing of whether a backend lives on."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from environments.runtime.document.world_file import ContinuityPart
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.world.observation import History, histories
from synth.world.volatile.drawn_values import Homes, drawn_anew
from synth.worlds import WorldSettings, learn_world
from tests.unit.clean_seasons import BETWEEN, SECOND, call_and_result, conversation, world_from

DOORS = ("north", "south", "east")


def evidence(part: ContinuityPart) -> dict[str, Any]:
    """What speaks for it."""
    return dict(part.evidence)


def season(count: int, *, living: bool) -> list[CleanEpisode]:
    """Conversations of a porter: badges of a door are shown, one more is cut, badges are shown again."""
    kept: dict[str, list[dict[str, object]]] = {}
    out = []
    for number in range(count):
        rng = random.Random(number)  # noqa: S311 - dice for tests
        if not living or not kept:
            kept = {door: [{"badge": f"B{at}7-old", "cut_at": 5}] for at, door in enumerate(DOORS)}
        door = rng.choice(DOORS)
        steps: list[CleanStep] = []
        for at, name in enumerate(rng.choice((["cut_badge", "badges"], ["badges"]))):
            if name == "cut_badge":
                badge = f"{rng.getrandbits(48):012x}"
                moment = 1_790_000_000 + number * BETWEEN + at
                kept[door] = [*kept[door], {"badge": badge, "cut_at": moment}]
            told = kept[door] if name == "badges" else "done"
            steps += call_and_result(at, name, {"door": door}, json.dumps(told))
        out.append(conversation("porter", number, steps))
    return out


def test_badges_drawn_by_dice_do_not_make_a_backend_live_on() -> None:
    """Lists that differ in the new badge and its time alone are no evidence: every day starts afresh."""
    found = learn_world(season(80, living=False), WorldSettings(risk=0)).continuity

    assert found.kind == "reset"
    assert evidence(found)["openings"]["different"] == 0
    assert evidence(found)["openings"]["same"] > 0


def test_badges_of_other_days_still_tell_that_a_backend_lives_on() -> None:
    """What other episodes left is in these lists, too."""
    assert learn_world(season(80, living=True), WorldSettings(risk=0)).continuity.kind == "living"


def told(*answers: object) -> Iterator[History]:
    """One call each, two hours apart, answered so."""
    episodes = [
        conversation("porter", at, call_and_result(0, "badge", {"door": "east"}, json.dumps(said)))
        for at, said in enumerate(answers)
    ]
    for history in histories(episodes):
        for seen in history.observations:
            seen.settle()
        yield history


def alike(*answers: object) -> bool:
    """Whether the first two differ in what is drawn anew only."""
    seen = list(told(*answers))
    return drawn_anew(seen[0].observations[0], seen[1].observations[0], Homes(seen))


def test_an_id_of_its_own_episode_is_drawn_anew() -> None:
    """The rest is equal."""
    assert alike({"id": "a81f0c22d9", "of": "east"}, {"id": "07be3519ca", "of": "east"})


def test_an_id_that_another_episode_knows_was_stored() -> None:
    """A third episode shows it as well."""
    first, other = {"id": "a81f0c22d9"}, {"id": "07be3519ca"}

    assert not alike(first, other, {"seen": ["07be3519ca"]})


def test_states_and_amounts_are_never_drawn_anew() -> None:
    """Words, small numbers and records built otherwise are what they are."""
    assert not alike({"id": "a81f0c22d9", "state": "open"}, {"id": "07be3519ca", "state": "shut"})
    assert not alike({"row": "R-1001"}, {"row": "R-1002"})
    assert not alike({"left": 4}, {"left": 5})
    assert not alike({"ids": ["a81f0c22d9"]}, {"ids": []})
    assert not alike({"id": "a81f0c22d9"}, {"id": "07be3519ca", "more": 1})
    assert not alike({"id": "a81f0c22d9"}, {"id": "a81f0c22d9"})


def test_a_time_is_the_calls_own_where_it_keeps_its_distance() -> None:
    """A stored time does not move along with the calls."""
    seen = list(told({"at": 1_790_000_000}, {"at": 1_790_000_000}))
    apart = (seen[1].observations[0].at - seen[0].observations[0].at) // SECOND

    assert alike({"at": 1_790_000_000}, {"at": 1_790_000_000 + apart})
    assert not alike({"at": 1_790_000_000}, {"at": 1_790_900_000})


def test_recorded_badges_are_held_back_by_a_mark() -> None:
    """No answer in the world file has an id or a time that one episode drew."""
    world = world_from(season(80, living=False))
    drawn = {
        str(badge["cut_at"])
        for one in season(80, living=False)
        for step in one.steps
        if step.role == "tool" and (step.content or "").startswith("[")
        for badge in json.loads(step.content or "")[1:]
    }

    assert drawn
    assert not any(value in json.dumps(world.document.to_json()["tools"]) for value in drawn)
