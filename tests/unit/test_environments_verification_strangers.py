"""Solutions of other tasks as attacks: only those that do something else."""

from __future__ import annotations

import json

from environments.runtime.attempt import Attempt, Json
from environments.runtime.candidate import Action, Candidate
from environments.runtime.rubric import Rubric
from environments.runtime.task import Task
from environments.verification.attacks import attacks
from environments.verification.material import Material
from environments.verification.probe import calls


def handing_over(name: str, arguments: str) -> Candidate:
    """A task that is solved by one call."""
    solution: tuple[Action, ...] = (calls("hand_over", arguments),)
    task = Task(
        task_id=name,
        app="desk",
        opening=({"role": "user", "content": "A person, please."},),
        tools=(),
        world="desk",
    )
    return Candidate(task=task, rubric=Rubric(task_id=name, checks=()), solution=solution)


def strangers(one: Candidate, other: Candidate) -> list[str]:
    """The attacks with the other task's solution."""
    found = attacks(Material(one, Attempt(messages=(), opening=0), [other]))
    return [probe.name for probe in found if probe.name.startswith("other_solution")]


def test_the_same_call_with_its_arguments_in_another_order_is_no_attack() -> None:
    """A constructed solution once lost to a recorded one that made the very same call."""
    asked: dict[str, Json] = {"queue": "front", "note": "Wants a person."}
    one = handing_over("t1", json.dumps(asked))
    turned = handing_over("t2", json.dumps(dict(reversed(asked.items()))))
    assert strangers(one, turned) == []


def test_another_call_is_an_attack() -> None:
    """Another queue is another solution."""
    one = handing_over("t1", '{"queue": "front"}')
    assert strangers(one, handing_over("t2", '{"queue": "back"}')) == ["other_solution_1"]
