"""What a tool says before anybody called what has to come first, on an invented locker."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from environments.runtime.task.attempt import DERIVED, UNKNOWN, ToolResult
from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import episode

LOCKED = "Error: the locker is locked"
ITEMS = ("towel", "racket", "shoes", "bottle", "cap")
Call = tuple[str, dict[str, Any]]
Made = tuple[str, dict[str, Any] | str, str]


class Locker:
    """The real thing: afresh in every episode."""

    def __init__(self) -> None:
        self._open = False
        self._inside = {"towel", "shoes", "cap"}

    def unlock(self, badge: str) -> str:
        """Open it; only one form of badge does."""
        self._open = badge.startswith("b-")
        return json.dumps({"open": True}) if self._open else "Error: a badge is needed"

    def lock(self) -> str:
        """Close it again."""
        self._open = False
        return json.dumps({"open": False})

    def clean(self, cloth: str) -> str:
        """From outside: it does not matter."""
        return json.dumps({"cleaned_with": cloth})

    def take(self, item: str) -> str:
        """Something out of it; what there is none of is refused first."""
        if item not in ITEMS:
            return f"Error: nothing is called {item}"
        if not self._open:
            return LOCKED
        self._inside.discard(item)
        return json.dumps({"taken": item, "left": len(self._inside)})

    def put(self, item: str) -> str:
        """Something into it."""
        if not self._open:
            return LOCKED
        self._inside.add(item)
        return json.dumps({"inside": item, "left": len(self._inside)})


def _recorded(calls: Sequence[Call]) -> list[Made]:
    locker = Locker()
    return [(name, args, getattr(locker, name)(**args)) for name, args in calls]


def _seasons() -> list[list[Call]]:
    """Some forget to unlock, some lock again too early."""
    made: list[list[Call]] = []
    for at, item in enumerate(ITEMS):
        other = ITEMS[(at + 2) % len(ITEMS)]
        unlock: Call = ("unlock", {"badge": f"b-{at}"})
        take: Call = ("take", {"item": item})
        made += [
            [take, unlock, take, ("put", {"item": other})],
            [("clean", {"cloth": "dry"}), ("put", {"item": item}), unlock, ("put", {"item": item})],
            [unlock, ("clean", {"cloth": "wet"}), ("put", {"item": other}), take],
            [unlock, ("lock", {}), take, ("take", {"item": "sofa"})],
        ]
    return made


@pytest.fixture(scope="module")
def world() -> World:
    """The locker, learnt."""
    episodes = [episode(n, _recorded(calls)) for n, calls in enumerate(_seasons())]
    document = learn_world(episodes, WorldSettings(risk=0, continuity="reset")).document.to_json()
    return World.from_json(json.loads(json.dumps(document)))


def _last(world: World, *calls: Call) -> ToolResult:
    session = world.session()
    return [session.call(name, json.dumps(args)) for name, args in calls][-1]


def test_whatever_is_asked_before_what_has_to_come_first_is_refused_alike(world: World) -> None:
    """Nobody ever put this after that, but nobody unlocked, and that is all that matters."""
    calls: list[Call] = [
        ("clean", {"cloth": "dry"}),
        ("take", {"item": "cap"}),
        ("put", {"item": "racket"}),
    ]
    assert [r[2] for r in _recorded(calls)][1:] == [LOCKED, LOCKED]
    for n in (2, 3):
        said = _last(world, *calls[:n])
        assert (said.content, said.is_error) == (LOCKED, True)


def test_what_undoes_the_first_call_brings_the_refusal_back(world: World) -> None:
    """Locked again, for a tool and an item of which this was never recorded."""
    said = _last(world, ("unlock", {"badge": "b-1"}), ("lock", {}), ("put", {"item": "bottle"}))
    assert (said.content, said.source) == (LOCKED, DERIVED)


def test_after_the_first_call_the_refusal_is_not_told(world: World) -> None:
    """What follows may be unknown, but the locker is not locked."""
    said = _last(world, ("unlock", {"badge": "b-1"}), ("put", {"item": "bottle"}))
    assert said.content != LOCKED


def test_a_first_call_with_an_unknown_outcome_leaves_it_open(world: World) -> None:
    """Nobody knows whether this badge opens."""
    said = _last(world, ("unlock", {"badge": "never seen"}), ("put", {"item": "towel"}))
    assert said.source == UNKNOWN or said.content == LOCKED
    assert _last(world, ("unlock", {"badge": "never seen"})).source == UNKNOWN
    assert said.source == UNKNOWN


def test_a_value_that_another_refusal_may_be_about_is_not_answered(world: World) -> None:
    """Nobody ever took a kettle: it may be refused for that, which comes first here."""
    assert _last(world, ("take", {"item": "kettle"})).source == UNKNOWN


def test_a_refusal_that_others_escape_at_the_start_is_no_early_answer() -> None:
    """Look-ups that fail are refused alike, and those that work need nobody before them."""
    episodes = [
        episode(
            n,
            [
                ("find", {"mail": f"gone{n}@x.org"}, "Error: nobody is called that"),
                ("find", {"mail": f"m{n}@x.org"}, json.dumps({"user": f"u_{n}"})),
            ],
        )
        for n in range(6)
    ]
    episodes += [
        episode(n + 6, [("find", {"mail": f"a{n}@x.org"}, json.dumps({"user": f"v_{n}"}))])
        for n in range(6)
    ]
    document = learn_world(episodes, WorldSettings(risk=0, continuity="reset")).document.to_json()
    assert "early" not in document["tools"]["find"]
    world = World.from_json(document)
    assert _last(world, ("find", {"mail": "new@x.org"})).source == UNKNOWN


def test_words_that_hold_what_was_asked_are_for_nobody_else() -> None:
    """A refusal about one thing is no answer about another, though nothing came before either."""
    made: list[list[Made]] = [
        [("fetch", {"box": "red-box"}, "Error: red-box is locked"), ("open", {}, '{"open": true}')]
        for _ in range(4)
    ]
    made += [
        [("open", {}, '{"open": true}'), ("fetch", {"box": box}, json.dumps({"box": box}))]
        for box in ("red-box", "blue-box", "old-box", "new-box")
    ]
    episodes = [episode(n, calls) for n, calls in enumerate(made)]
    document = learn_world(episodes, WorldSettings(risk=0, continuity="reset")).document.to_json()
    assert "early" not in document["tools"]["fetch"]


def test_values_that_belong_together_are_not_answered_apart() -> None:
    """Each line was taken with its own customer: with another's it may be refused in other words, though both are in order."""
    lines = {"L1001": "C1", "L1002": "C1", "L1003": "C2", "L1004": "C3"}
    shut = "Error: it has to be suspended first"
    made: list[list[Made]] = []
    for line, customer in lines.items():
        own = {"customer": customer, "line": line}
        resume: Made = ("resume", own, shut)
        suspend: Made = ("suspend", own, json.dumps({"line": line, "status": "suspended"}))
        resumed: Made = ("resume", own, json.dumps({"line": line, "status": "active"}))
        wrong: Made = ("resume", {**own, "customer": "C9"}, f"Error: {line} not found for C9")
        made += [[resume], [resume, suspend, resumed], [suspend, resumed], [suspend, wrong]]
    episodes = [episode(n, calls) for n, calls in enumerate(made)]
    world = World(learn_world(episodes, WorldSettings(risk=0, continuity="reset")).document)
    assert _last(world, ("resume", {"customer": "C2", "line": "L1003"})).content == shut
    assert _last(world, ("resume", {"customer": "C2", "line": "L1001"})).source == UNKNOWN


def _desk(*, forgotten: Sequence[str]) -> World:
    """Desks that a badge opens: each of five tools is used on four days, and those that were forgotten are tried before it too."""
    tools = ("stamp", "file", "shred", "post", "weigh")
    made: list[tuple[str, list[Made]]] = []
    for day in range(4):
        badge: Made = ("badge", {"of": f"b-{day}"}, '{"in": true}')
        look: Made = ("list_trays", {}, f'["t-{day}"]')
        for tool in tools:
            args = {"paper": f"p-{day}"}
            early: list[Made] = [(tool, args, LOCKED)] if tool in forgotten and day < 2 else []
            done: Made = (tool, args, json.dumps({tool: f"p-{day}"}))
            made.append((f"{day}", [look, *early, badge, done]))
    episodes = [replace(episode(n, calls), task_key=task) for n, (task, calls) in enumerate(made)]
    return World(learn_world(episodes, WorldSettings(risk=0, continuity="reset")).document)


def test_what_several_tools_say_first_others_say_that_never_went_without() -> None:
    """Three tools were tried without the badge, on two days: the two that never were are refused in the same words."""
    world = _desk(forgotten=("stamp", "file", "shred"))
    for tool in ("stamp", "post", "weigh"):
        said = _last(world, (tool, {"paper": "p-1"}))
        assert (said.content, said.source) == (LOCKED, DERIVED)


def test_two_tools_that_say_it_say_nothing_of_a_third() -> None:
    """Two may have a reason of their own."""
    assert _last(_desk(forgotten=("stamp", "file")), ("post", {"paper": "p-1"})).content != LOCKED
