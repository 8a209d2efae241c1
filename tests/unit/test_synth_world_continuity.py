"""Whether a backend resets or lives on, and what a living one is believed to hold at a moment."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import pairwise
from typing import Any

from benchmarks.testbeds.invented.attempts import attempts
from benchmarks.testbeds.invented.attempts import episode as attempt
from benchmarks.testbeds.invented.office.tickets import TICKETS
from benchmarks.testbeds.invented.trade.ledger import LEDGER
from environments.runtime.document.codec import decode
from environments.runtime.document.records import TimelinePart
from environments.runtime.document.world_file import ContinuityPart
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.dated_rows import DatedTable
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.world.time.continuity import MIN_DIFFERENT
from synth.world.time.validity import MIN_PAIRS, horizon_of
from synth.worlds import LearntWorld, WorldSettings, learn_world
from tests.unit.world_backend import episode as told_episode

HOUR = 3_600 * 10**9
BOXES = 12


class Depot:
    """A little backend: boxes with a shelf and a state, moved by one tool, looked up by another."""

    def __init__(self) -> None:
        self.boxes = {
            f"BX-{n:04}": {
                "box": f"BX-{n:04}",
                "shelf": f"S{n % 7}",
                "state": "closed",
                "weight": n * 3,
            }
            for n in range(BOXES)
        }

    def call(self, name: str, box: str, shelf: str = "") -> str:
        """Look at a box, or move it."""
        if name == "move_box":
            self.boxes[box] = {**self.boxes[box], "shelf": shelf}
        return json.dumps(self.boxes[box])


def evidence(part: ContinuityPart) -> dict[str, Any]:
    """What speaks for it."""
    return dict(part.evidence)


def episode(depot: Depot, number: int, *, moves: bool) -> CleanEpisode:
    """One conversation: look, perhaps move, look again, look at a neighbour."""
    box, other = f"BX-{number % BOXES:04}", f"BX-{(number * 5 + 3) % BOXES:04}"
    wanted = [("show_box", box, "")]
    if moves:
        wanted += [("move_box", box, f"T{number}"), ("show_box", box, "")]
    wanted.append(("show_box", other, ""))
    steps: list[CleanStep] = [CleanStep(role="user", content="where is my box?")]
    at = number * 6 * HOUR + HOUR
    for index, (tool, about, shelf) in enumerate(wanted):
        arguments = {"box": about, **({"shelf": shelf} if shelf else {})}
        call = CleanToolCall(call_id=f"c{index}", name=tool, arguments=json.dumps(arguments))
        steps.append(CleanStep(role="assistant", tool_calls=(call,), at=at + index))
        steps.append(
            CleanStep(
                role="tool",
                call_id=f"c{index}",
                tool_name=tool,
                content=depot.call(tool, about, shelf),
                at=at + index,
            )
        )
    return CleanEpisode(
        app="depot", episode_id=f"e{number:03}", started_at=at, steps=tuple(steps), agent="a"
    )


def season(*, living: bool, moves: int = 3, length: int = 60) -> list[CleanEpisode]:
    """Many conversations with one depot, or each with a depot of its own."""
    shared = Depot()
    return [episode(shared if living else Depot(), n, moves=n % moves == 0) for n in range(length)]


def learnt(episodes: list[CleanEpisode]) -> LearntWorld:
    """The world of some episodes."""
    return learn_world(episodes, WorldSettings(risk=0))


def test_a_backend_that_starts_afresh_is_told_by_what_later_episodes_see() -> None:
    """A changed record is as it was before."""
    found = learnt(season(living=False)).continuity

    assert found.kind == "reset"
    assert evidence(found)["after_change"]["as_left"] == 0
    assert evidence(found)["after_change"]["as_before"] >= 3


def test_a_backend_that_lives_on_is_told_by_what_later_episodes_see() -> None:
    """A changed record is as it was left."""
    found = learnt(season(living=True)).continuity

    assert found.kind == "living"
    assert evidence(found)["after_change"]["as_before"] == 0
    assert evidence(found)["after_change"]["as_left"] >= 3


def test_a_tool_that_draws_ids_and_refuses_alike_is_no_evidence_for_a_living_backend() -> None:
    """Equal refusals do not make a tool with random ids one whose answers agree: the backend starts afresh."""
    episodes = []
    for number in range(40):
        rng = random.Random(f"posts {number}")  # noqa: S311 - dice
        steps: list[CleanStep] = []
        for at in range(3):
            text = rng.choice(["news", "hello", ""])
            told = json.dumps({"id": f"{rng.getrandbits(48):012x}", "text": text})
            call = CleanToolCall(call_id=f"p{at}", name="post", arguments=json.dumps({"say": text}))
            steps.append(CleanStep(role="assistant", tool_calls=(call,)))
            content = told if text else "Error: say something"
            steps.append(CleanStep(role="tool", call_id=f"p{at}", content=content))
        began = number * HOUR
        episodes.append(
            CleanEpisode(
                app="posts", episode_id=f"e{number:03}", started_at=began, steps=tuple(steps)
            )
        )
    assert learnt(episodes).continuity.kind == "reset"


def test_a_person_overrides_the_kind_and_the_evidence_stays() -> None:
    """What was inferred is still shown."""
    found = learn_world(season(living=True), WorldSettings(risk=0, continuity="reset")).continuity

    assert found.kind == "reset"
    assert evidence(found)["inferred"] == "living"
    assert evidence(found)["decided_by"] == "a person"


def moved_between(number: int, *, living: bool, moves: int = 0) -> list[CleanEpisode]:
    """Conversations that look at some box each; now and then somebody who is not recorded moves boxes."""
    depot = Depot()
    out = []
    for n in range(number):
        if living and n and n % 4 == 0:
            for box in depot.boxes.values():
                box["shelf"] = f"U{n}"
        out.append(
            episode(depot if living else Depot(), n % 5, moves=bool(moves) and n % moves == 0)
        )
    return [replace(one, episode_id=f"m{i:03}", started_at=i * HOUR) for i, one in enumerate(out)]


def greeted(episodes: list[CleanEpisode], *, lots: int = 0) -> list[CleanEpisode]:
    """The same, each beginning with a call that no other made, or with one that draws lots."""
    out = []
    for number, one in enumerate(episodes):
        asked, told = (
            (f"day {number}", "welcome") if not lots else ("", f"tip {number // 2 % lots}")
        )
        call = CleanToolCall(call_id="g", name="greet", arguments=json.dumps({"say": asked}))
        steps = (
            CleanStep(role="assistant", tool_calls=(call,), at=one.started_at),
            CleanStep(role="tool", call_id="g", tool_name="greet", content=told, at=one.started_at),
        )
        out.append(replace(one, steps=(one.steps[0], *steps, *one.steps[1:])))
    return out


def test_few_sights_that_disagree_are_enough_where_none_says_otherwise() -> None:
    """Six conversations are too few to count cases; a living backend taken for one that starts afresh tells untruths."""
    found = learnt(greeted(moved_between(6, living=True))).continuity
    assert (found.kind, evidence(found)["decided_by"]) == ("living", "few_sights")
    assert evidence(found)["first_sights"]["different"] < MIN_DIFFERENT
    assert str(found.says).startswith("Unknown")

    afresh = learnt(moved_between(6, living=False, moves=2)).continuity
    assert afresh.kind == "reset"


def test_answers_after_the_very_same_calls_tell_a_backend_that_lives_on() -> None:
    """No record of these was ever seen to change by a known call, but equal calls after equal pasts are answered otherwise."""
    for style in (LEDGER, TICKETS):
        for living in (True, False):
            made = [attempt(style, a) for a in attempts(style, 40, living=living) if a.number < 2]
            found = learn_world(made, WorldSettings(risk=0)).continuity
            assert found.kind == ("living" if living else "reset"), style.name
            assert evidence(found)["decided_by"] == "openings"
            assert bool(evidence(found)["openings"]["different"]) is living
            assert evidence(found)["sure"]


def test_a_tool_that_draws_lots_does_not_make_a_backend_live_on() -> None:
    """One tool alone answers otherwise after equal pasts; whatever else is looked at is as it was."""
    episodes = [episode(Depot(), n % 2, moves=True) for n in range(24)]
    episodes = [
        replace(e, episode_id=f"l{n:03}", started_at=n * HOUR) for n, e in enumerate(episodes)
    ]
    found = learnt(greeted(episodes, lots=3)).continuity
    assert found.kind == "reset"


def test_changes_with_time_do_not_bind_a_tool_to_attempts_that_came_one_after_another() -> None:
    """Attempts at one task lie beside each other, so they agree more than others do: that says nothing about whose they are."""
    episodes, left = [], 25_000
    for number in range(120):
        left -= 100 + number if number % 5 == 4 else 0
        steps: list[CleanStep] = []
        filed = json.dumps({"filed": number // 5})
        looks = (("fund", str(left)), ("queue", filed), ("fund", str(left)))
        for at, (tool, told) in enumerate(looks):
            call = CleanToolCall(call_id=f"f{at}", name=tool, arguments="{}")
            steps.append(CleanStep(role="assistant", tool_calls=(call,)))
            steps.append(CleanStep(role="tool", call_id=f"f{at}", content=told))
        one = CleanEpisode(
            app="fund",
            episode_id=f"f{number:03}",
            task_key=f"task {number // 3}",
            started_at=number * HOUR,
            steps=tuple(steps),
        )
        episodes.append(one)
    found = learnt(episodes)
    assert found.continuity.kind == "living"
    assert found.document.views.bound == frozenset()


def test_one_number_for_the_new_records_of_all_episodes_is_no_record_met_again() -> None:
    """Each episode books another day and is given a number of its own: where the backend lives on, it would count up."""
    booked = []
    for number in range(60):
        slot = {"slot": 7, "day": number, "room": number % 3}
        room = {"room": number % 3, "seats": 10 + number % 3}
        steps: list[tuple[str, dict[str, Any] | str, str]] = [
            ("sala", {"room": number % 3}, json.dumps(room)),
            ("reserva", {"day": number, "room": number % 3}, json.dumps(slot)),
            ("sala", {"room": number % 3}, json.dumps(room)),
            (
                "reserva",
                {"day": number + 100, "room": 1},
                json.dumps({**slot, "slot": 8, "day": number + 100, "room": 1}),
            ),
            ("ver", {"slot": 7}, json.dumps(slot)),
        ]
        booked.append(told_episode(number, steps))
    found = learnt(booked).document.continuity
    assert found is not None
    assert found.kind == "reset"


def test_nothing_recorded_is_no_evidence() -> None:
    """Without a second sight of anything the default is said to be one."""
    found = learnt([episode(Depot(), 1, moves=False)]).continuity

    assert found.kind == "reset"
    assert evidence(found)["decided_by"] == "nothing seen twice"
    assert not evidence(found)["sure"]
    assert str(found.says).startswith("Unknown")


def test_a_living_world_never_answers_with_what_was_seen_later() -> None:
    """Asked at any moment, a box stands where it stood then, or nobody knows."""
    episodes = season(living=True, length=200)
    world = World(learnt(episodes).document)
    depot, told, silent = Depot(), 0, 0
    for number, one in enumerate(episodes):
        session = world.session(started_at=one.started_at, caller="a")
        for box in depot.boxes:
            answer = session.call("show_box", {"box": box})
            if answer.source == UNKNOWN:
                silent += 1
            else:
                told += 1
                assert depot.call("show_box", box) == answer.content
        episode(depot, number, moves=number % 3 == 0)

    assert told > silent


def test_a_task_starts_from_what_its_own_episode_saw() -> None:
    """Its recorded calls can be replayed from its start, changes and looks after them included."""
    episodes = season(living=True)
    world = learnt(episodes)
    ready = World(world.document)
    for one in episodes[::7]:
        session = ready.session(world.start_of(one), started_at=one.started_at, caller="a")
        for asked, answered in pairwise(one.steps):
            for call in asked.tool_calls:
                found = session.call(call.name, call.arguments)

                assert found.source == UNKNOWN or found.content == answered.content
                assert call.name != "show_box" or found.source != UNKNOWN


def test_a_call_nobody_understands_makes_the_record_unknown_from_then_on() -> None:
    """A version without a row voids what was known before it, not what was known earlier still."""
    table = DatedTable(
        decode(
            TimelinePart,
            {"versions": {"k": [[10, {"v": 1}], [20], [30, {"v": 2}]]}, "horizon": 100},
        ),
        15,
    )
    later = DatedTable(
        decode(TimelinePart, {"versions": {"k": [[10, {"v": 1}], [20]]}, "horizon": 100}), 25
    )

    assert table.get("k") == {"v": 1}
    assert later.get("k") is None
    assert list(later) == []
    assert len(table) == 1


def test_a_sight_is_trusted_within_the_horizon_only() -> None:
    """Beyond the longest gap over which sights held, nobody knows."""
    part = {"versions": {"k": [[10, {"v": 1}]]}, "horizon": 5}

    assert DatedTable(decode(TimelinePart, part), 14).get("k") == {"v": 1}
    assert DatedTable(decode(TimelinePart, part), 16).get("k") is None
    assert DatedTable(decode(TimelinePart, part), 9).get("k") is None
    assert DatedTable(decode(TimelinePart, {**part, "horizon": None, "back": None}), 9).get(
        "k"
    ) == {"v": 1}


def test_the_horizon_needs_evidence_and_ends_where_changes_begin() -> None:
    """Few pairs trust nothing; many that never changed trust everything; changes cut it off."""
    calm = [(gap * HOUR, False) for gap in range(1, 5 * MIN_PAIRS + 1)]
    stirred = [(gap * HOUR, gap > 60) for gap in range(1, 5 * MIN_PAIRS + 1)]

    assert horizon_of(calm[: MIN_PAIRS - 1]) == 0
    assert horizon_of(calm) is None
    assert 0 < (horizon_of(stirred) or 0) < 64 * HOUR
