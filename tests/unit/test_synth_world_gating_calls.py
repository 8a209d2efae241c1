"""Calls without which others refuse, in words that name a record: told only after such a call, for whoever it was made."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import WorldSettings, learn_world

SECOND = 10**9
TASKS = 16
CHANGES = ("bar_line", "swap_sim", "lift_bar")
Call = tuple[str, dict[str, Any]]


class Carrier:
    """Customers with one line each; a caller is checked before anything is changed."""

    def __init__(self) -> None:
        """Nobody was checked."""
        self.checked: set[int] = set()

    def call(self, name: str, given: dict[str, Any]) -> str:
        """Run one tool."""
        if name == "list_lines":
            return json.dumps(
                {"customer": given["customer"], "lines": [f"L{given['customer'][1:]}x"]}
            )
        if name == "check_caller":
            number = int(given["customer"][1:])
            if given["pin"] != f"{number * 7:04}":
                return json.dumps({"checked": False})
            self.checked.add(number)
            return json.dumps({"customer": given["customer"], "checked": True})
        number = int(given["line"][1:-1])
        if number not in self.checked:
            return json.dumps({"error": f"Caller not checked for customer K{number}"})
        return json.dumps({"line": given["line"], "done": name})


def customer(task: int) -> str:
    """Each task is about a customer of its own."""
    return f"K{300 + task}"


def check(task: int) -> Call:
    """The right check of its caller."""
    return "check_caller", {"customer": customer(task), "pin": f"{(300 + task) * 7:04}"}


def mistaken(task: int) -> Call:
    """A wrong one."""
    return "check_caller", {"customer": customer(task), "pin": "0000"}


def change(task: int, tool: str = "") -> Call:
    """What is changed in it."""
    return tool or CHANGES[task % 3], {"line": f"L{300 + task}x"}


def calls(task: int, attempt: int) -> Sequence[Call]:
    """Look, check, change; of two kinds of changes some attempts forget to check."""
    look = ("list_lines", {"customer": customer(task)})
    if attempt == 1 and task % 3 < 2 and task < 9:
        return [look, change(task)]
    wrong = [mistaken(task), look] if attempt == 1 and task in {11, 14} else []
    return [look, *wrong, check(task), change(task)]


def learnt() -> World:
    """The world of two attempts at every task."""
    episodes = []
    for number in range(2 * TASKS):
        task, backend = number // 2, Carrier()
        steps = [CleanStep(role="user", content=f"task {task}")]
        for at, (name, given) in enumerate(calls(task, number % 2)):
            made = CleanToolCall(call_id=f"c{at}", name=name, arguments=json.dumps(given))
            steps.append(CleanStep(role="assistant", tool_calls=(made,)))
            steps.append(
                CleanStep(role="tool", call_id=f"c{at}", content=backend.call(name, given))
            )
        episodes.append(
            CleanEpisode(
                app="carrier",
                episode_id=f"e{number:03}",
                task_key=f"t{task}",
                started_at=number * SECOND,
                steps=tuple(steps),
            )
        )
    return World(learn_world(episodes, WorldSettings(continuity="reset")).document)


def told(world: World, *asked: Call) -> str | None:
    """What the last of these calls is told; None where nobody knows."""
    session = world.session(None)
    *_, last = [session.call(name, json.dumps(given)) for name, given in asked]
    return None if last.source == UNKNOWN else last.content


def test_a_change_is_told_only_after_the_call_that_lets_it_in() -> None:
    """`lift_bar` never was tried without a check; two other changes were, and refused."""
    world = learnt()
    lifted = change(5)
    assert lifted[0] == "lift_bar"
    assert told(world, check(5), lifted) == Carrier.call(checked(5), *lifted)
    assert told(world, lifted) is None


def test_the_check_of_another_caller_lets_nobody_in() -> None:
    """Looks show whose line it is."""
    world = learnt()
    assert told(world, check(8), change(5)) is None
    assert told(world, check(8), check(5), change(5)) is not None


def test_a_check_that_nobody_knows_the_answer_of_lets_nobody_in() -> None:
    """A wrong pin was never recorded."""
    wrong = ("check_caller", {"customer": customer(5), "pin": "9999"})
    assert told(learnt(), wrong, change(5)) is None


def test_a_check_that_failed_lets_nobody_in() -> None:
    """It was answered, otherwise than before any change."""
    world = learnt()
    assert told(world, mistaken(11)) == Carrier().call(*mistaken(11))
    assert told(world, mistaken(11), change(11)) is None
    assert told(world, mistaken(11), check(11), change(11)) is not None


def test_looks_need_no_check() -> None:
    """They never were refused."""
    look = ("list_lines", {"customer": customer(5)})
    assert told(learnt(), look) == Carrier().call(*look)


def checked(task: int) -> Carrier:
    """A backend whose caller of a task was checked."""
    backend = Carrier()
    backend.call(*check(task))
    return backend
