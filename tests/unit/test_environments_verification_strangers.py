"""Solutions of other tasks as attacks: only those that do something else."""

from __future__ import annotations

import json

from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.candidate import Action, Candidate
from environments.runtime.task.rubric import Check, Rubric
from environments.runtime.task.task import Task
from environments.runtime.views.multiplexed import EMPTY
from environments.verification.attacks import attacks
from environments.verification.material import Material, OtherTasks
from environments.verification.probe import calls


def handing_over(name: str, arguments: str, *, after: str = "", acted: Json = None) -> Candidate:
    """A task that is solved by one call, perhaps after a look; `acted`: the arguments that the rubric asks for."""
    looks = (calls("get_guest", json.dumps({"guest": after}), number=1),) if after else ()
    solution: tuple[Action, ...] = (*looks, calls("hand_over", arguments))
    ignore: dict[str, Json] = {"ignore": {"hand_over": ["note"]}, "ends": []}
    rows: dict[str, Json] = {"any_of": [["hand_over", acted]]}
    checks = [Check(check_id="end", fn="end_state", args=ignore, role="reward", says="Nothing.")]
    if acted is not None:
        checks.append(Check(check_id="a", fn="acted", args=rows, role="reward", says="Over."))
    task = Task(
        task_id=name,
        app="desk",
        opening=({"role": "user", "content": "A person, please."},),
        tools=(),
        world="desk",
    )
    return Candidate(
        task=task, rubric=Rubric(task_id=name, checks=tuple(checks)), solution=solution
    )


def strangers(one: Candidate, other: Candidate) -> list[str]:
    """The attacks with the other task's solution."""
    known = OtherTasks([one, other]).others_for(one, EMPTY)
    found = attacks(Material(one, Attempt(messages=(), opening=0), known))
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


def test_the_same_act_for_another_customer_is_no_attack() -> None:
    """Both go to the complaints desk: what was looked up before and noted beside makes no other end of it."""
    one = handing_over("t1", '{"queue": "anger", "note": "A door."}', acted='{"queue":"anger"}')
    other = handing_over("t2", '{"queue": "anger", "note": "A cup."}', after="G-17")
    assert strangers(one, other) == []
    assert strangers(one, handing_over("t3", '{"queue": "bills"}', after="G-17")) != []


def test_a_hand_over_that_says_nothing_is_an_attack_on_another() -> None:
    """A bare hand-over is the same for every task: it proves nothing about this one."""
    one = handing_over("t1", '{"note": "A door."}', acted="{}")
    assert strangers(one, handing_over("t2", '{"note": "A cup."}', after="G-17")) != []
