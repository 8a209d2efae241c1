"""Apps of which every task has a copy of its own: found, told to that task alone, and not mistaken for other kinds."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.worlds import LearntWorld, WorldSettings, learn_world

SECOND = 10**9
TASKS = 24
PLANTS = ("fern", "moss", "ivy", "palm", "reed")
Call = tuple[str, dict[str, Any]]


class Greenhouse:
    """Bays with plants and water; the start says which plant stands where."""

    def __init__(self, start: int) -> None:
        """Each start differs in all bays."""
        self.bays = {
            n: {"plant": PLANTS[(start * 3 + n) % 5], "litres": start + n} for n in (1, 2, 3)
        }

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        """Run one tool."""
        if name == "tally":
            return json.dumps({"litres": sum(b["litres"] for b in self.bays.values())})
        found = self.bays.get(arguments["bay"])
        if found is None:
            return json.dumps({"error": f"no bay {arguments['bay']}"})
        if name == "water":
            found["litres"] += arguments["litres"]
            return json.dumps({"done": f"bay {arguments['bay']} watered"})
        if name == "clear":
            del self.bays[arguments["bay"]]
            return json.dumps({"done": f"bay {arguments['bay']} cleared"})
        return json.dumps({"bay": arguments["bay"], **found})


def script(task: int, attempt: int = 0) -> list[Call]:
    """Look, look again or elsewhere, change, look again; some tasks clear a bay; some agents skip what others do."""
    bay, other = 1 + task % 3, 1 + (task + 1) % 3
    look, elsewhere = ("show", {"bay": bay}), ("show", {"bay": other})
    water = ("water", {"bay": bay, "litres": 1 + task % 4})
    out: list[Call] = [look, look] if task % 2 else [look, elsewhere, look]
    if not (attempt and task % 3 == 0):
        out += [water, elsewhere, look]
    return [*out, ("clear", {"bay": other}), elsewhere, look] if task % 4 == 0 else out


def recorded(
    make: Callable[[int], Greenhouse], calls_of: Callable[[int, int], Sequence[Call]] = script
) -> list[CleanEpisode]:
    """Two attempts at every task, on the backend that `make` gives its task."""
    out = []
    for number in range(2 * TASKS):
        task, backend = number // 2, make(number // 2)
        steps = [CleanStep(role="user", content=f"task {task}")]
        for at, (name, arguments) in enumerate(calls_of(task, number % 2)):
            call = CleanToolCall(call_id=f"c{at}", name=name, arguments=json.dumps(arguments))
            steps.append(CleanStep(role="assistant", tool_calls=(call,)))
            content = backend.call(name, arguments)
            steps.append(CleanStep(role="tool", call_id=f"c{at}", content=content))
        out.append(
            CleanEpisode(
                app="greenhouse",
                episode_id=f"e{number:03}",
                task_key=f"t{task}",
                started_at=number * SECOND,
                steps=tuple(steps),
            )
        )
    return out


def learnt(episodes: Sequence[CleanEpisode], continuity: str | None = None) -> LearntWorld:
    """The world of these attempts."""
    return learn_world(episodes, WorldSettings(risk=0, continuity=continuity))


def told(world: World, task: int | None, *calls: Call) -> list[str | None]:
    """What a session of a task is told; None where nobody knows."""
    session = world.session({"subject": f"t{task}"} if task is not None else None)
    answers = [session.call(name, json.dumps(arguments)) for name, arguments in calls]
    return [None if a.source == UNKNOWN else a.content for a in answers]


def decided(found: LearntWorld) -> str:
    """What the continuity was decided by."""
    return str(found.continuity.evidence["decided_by"])


def test_a_task_is_told_its_own_start_and_no_other() -> None:
    """Each task sees its own plants; a task that was never recorded is told nothing of them."""
    found = learnt(recorded(Greenhouse))
    assert decided(found) == "own_starts"
    assert found.continuity.evidence["sure"]
    world = World(found.document)
    for task in range(TASKS):
        look = ("show", {"bay": 1 + task % 3})
        assert told(world, task, look) == [Greenhouse(task).call(*look)]
        assert told(world, TASKS + 1, look) == [None]
    assert told(world, None, ("show", {"bay": 1})) == [None]


def test_nothing_wrong_is_told_on_any_start() -> None:
    """Calls of other tasks, in orders that no attempt had, on every start, recorded or not."""
    world = World(learnt(recorded(Greenhouse)).document)
    known = 0
    for task in range(TASKS + 6):
        calls = [*script(task), *script(task + 7), *script(task + 4), *script(task)]
        backend = Greenhouse(task)
        for answer, call in zip(told(world, task, *calls), calls, strict=True):
            real = backend.call(*call)
            assert answer in {None, real}
            known += answer is not None
    assert known > 2 * TASKS


def test_a_success_in_one_task_is_none_in_another() -> None:
    """A bay that one task cleared may not be there in another."""
    world = World(learnt(recorded(Greenhouse)).document)
    clear = ("clear", {"bay": 3})
    assert told(world, 4, clear) == [Greenhouse(4).call(*clear)]
    assert told(world, 5, clear) == [None]
    assert told(world, TASKS + 1, clear) == [None]


def test_one_start_for_all_is_shared() -> None:
    """Where the same calls are answered alike in all tasks, no task's records are kept apart."""
    found = learnt(recorded(lambda _: Greenhouse(3)))
    assert found.continuity.kind == "reset"
    assert decided(found) != "own_starts"
    assert not found.document.views.bound


def test_a_backend_that_lives_on_is_none_of_them() -> None:
    """Attempts at one task meet what was left before them."""
    shared = Greenhouse(3)

    def calls(task: int, _: int = 0) -> list[Call]:
        looks = [("show", {"bay": 1}), ("show", {"bay": 2})]
        return looks if task % 3 else [*looks, ("water", {"bay": 1 + task % 2, "litres": 2})]

    found = learnt(recorded(lambda _: shared, calls))
    assert found.continuity.kind == "living"
    assert decided(found) != "own_starts"


def test_where_no_two_tasks_are_comparable_nobody_knows() -> None:
    """Tasks that never ask the same say neither, so each is told what was recorded in it, and the report says so."""

    def calls(task: int, attempt: int = 0) -> list[Call]:
        look = ("show", {"bay": task})
        water = ("water", {"bay": task, "litres": 2})
        return [look, look, *([] if attempt else [water]), look, look]

    def make(task: int) -> Greenhouse:
        backend = Greenhouse(task)
        backend.bays = {task: {"plant": PLANTS[task % 5], "litres": task}}
        return backend

    found = learnt(recorded(make, calls))
    assert decided(found) == "own_starts"
    assert not found.continuity.evidence["sure"]
    assert found.continuity.says.startswith("Unknown")
    world = World(found.document)
    assert told(world, 4, *calls(4))[0] == make(4).call("show", {"bay": 4})
    assert told(world, 5, *calls(4))[0] is None


def test_what_all_tasks_agree_on_says_that_they_share_a_start() -> None:
    """Tasks that ask for their own bays only, and all for one place that is never otherwise."""

    def calls(task: int, attempt: int = 0) -> list[Call]:
        look = ("show", {"bay": task})
        water = ("water", {"bay": task, "litres": 2})
        return [("show", {"bay": 99}), look, *([] if attempt else [water]), look, look]

    def make(_: int) -> Greenhouse:
        backend = Greenhouse(3)
        backend.bays = {n: {"plant": PLANTS[n % 5], "litres": n} for n in range(100)}
        return backend

    assert decided(learnt(recorded(make, calls))) != "own_starts"


def test_three_calls_of_other_tasks_that_agree_are_enough() -> None:
    """What they show never changes, and it is not the same for a task with a start of its own."""

    def calls(task: int, attempt: int = 0) -> list[Call]:
        look = ("show", {"bay": task})
        water = ("water", {"bay": task, "litres": 2})
        sign = [("sign", {"bay": 90 + task // 2})] if task < 6 else []
        return [*sign, look, *([] if attempt else [water]), look, look]

    def make(_: int) -> Greenhouse:
        backend = Greenhouse(3)
        backend.bays = {n: {"plant": PLANTS[n % 5], "litres": n} for n in range(100)}
        return backend

    assert decided(learnt(recorded(make, calls))) != "own_starts"


def test_a_state_that_changes_and_that_tasks_agree_about_is_shared() -> None:
    """Few calls of two tasks are alike, but what they show is what somebody waters."""

    def calls(task: int, attempt: int = 0) -> list[Call]:
        look = ("show", {"bay": task})
        water = ("water", {"bay": task, "litres": 2})
        first = [("show", {"bay": 99})] if task in {3, 4, 5} else []
        return [*first, look, *([] if attempt else [water]), look, look]

    def make(_: int) -> Greenhouse:
        backend = Greenhouse(3)
        backend.bays = {n: {"plant": PLANTS[n % 5], "litres": n} for n in range(100)}
        return backend

    assert decided(learnt(recorded(make, calls))) != "own_starts"


def test_a_person_knows_better() -> None:
    """A continuity that a person gives is that of all tasks."""
    found = learnt(recorded(Greenhouse), continuity="reset")
    assert decided(found) == "a person"
    assert "own_starts" not in found.continuity.evidence


def test_what_is_asked_without_arguments_is_left_to_who_is_signed_in() -> None:
    """Only a look at what is the caller's own differs: the records behind it may be everybody's."""

    def calls(task: int, _: int = 0) -> list[Call]:
        return [("tally", {}), ("water", {"bay": 1 + task % 3, "litres": 1}), ("tally", {})]

    assert decided(learnt(recorded(Greenhouse, calls))) != "own_starts"


def test_a_calculator_has_no_starts() -> None:
    """Where nothing was ever answered otherwise, no state could differ."""

    class Sums(Greenhouse):
        def call(self, name: str, arguments: dict[str, Any]) -> str:
            return json.dumps({name: arguments["bay"] * 2})

    def calls(task: int, _: int = 0) -> list[Call]:
        return [("twice", {"bay": task}), ("twice", {"bay": task + 100})]

    assert decided(learnt(recorded(Sums, calls))) != "own_starts"
