"""What the gate takes for evidence that a task was done: no claim, no look, no guess, nothing that the task itself says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import (
    Event,
    Json,
    ToolResult,
)
from environments.runtime.task.rubric import REWARD, Check
from environments.runtime.task.task import UserTurn
from environments.verification.probe import calls, says
from environments.verify import ACCEPTED, NEEDS_REVIEW, REJECTED, verify
from tests.unit.parcel_gate import (
    EFFECTS,
    GET,
    GOOD,
    TASK,
    WRITE,
    Shelf,
    World,
    candidate,
    end_check,
    gate,
    other,
    tool,
)


def test_paying_for_no_change_is_rejected() -> None:
    """Without positive evidence, doing nothing is a solution; the exploit's transcript is kept."""
    found = gate(candidate(end_check(), solution=(GET, says("No."))))
    assert found.status == REJECTED
    assert {"pays:do_nothing", "pays:claims_success", "no_positive_evidence"} <= set(found.reasons)
    claim = next(p for p in found.probes if p.name == "claims_success")
    assert claim.paid
    assert claim.actions


def test_no_change_with_evidence_is_accepted() -> None:
    """A hand-over and a read are evidence enough."""
    acted = Check(
        check_id="a", fn="acted", args={"tools": ["hand_over"]}, role=REWARD, required=True
    )
    rows: Json = [["get", '{"parcel":"p1"}']]
    looked = Check(check_id="r", fn="read", args={"any_of": rows}, role=REWARD, required=True)
    solution = (GET, calls("hand_over", "{}"))
    found = gate(candidate(end_check(), acted, looked, solution=solution))
    assert (found.status, found.reasons) == (ACCEPTED, ())
    held_out = {p.name for p in found.probes if p.paid}
    assert held_out == {"reads_then_hands_over"}


def test_a_hand_over_alone_is_no_evidence() -> None:
    """Random calls that ended in a hand-over once earned everything: such a rubric is rejected."""
    acted = Check(
        check_id="a", fn="acted", args={"tools": ["hand_over"]}, role=REWARD, required=True
    )
    found = gate(candidate(end_check(), acted, solution=(GET, calls("hand_over", "{}"))))
    assert found.status == REJECTED
    assert "pays:hands_over_at_once" in found.reasons


def test_looking_up_and_claiming_is_no_evidence() -> None:
    """A read without an answer must not be paid."""
    rows: Json = [["get", '{"parcel":"p1"}']]
    looked = Check(check_id="r", fn="read", args={"any_of": rows}, role=REWARD, required=True)
    found = gate(candidate(end_check(), looked, solution=(GET, says("It is on its way."))))
    assert (found.status, found.reasons[:1]) == (REJECTED, ("pays:reads_then_claims",))


@dataclass
class Doubtful(Shelf):
    """A shelf whose reads were never proven to be reads."""

    def call(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        """Reads leave an event in the world, as writes without a record do."""
        if name == "get":
            given = arguments if isinstance(arguments, str) else json.dumps(dict(arguments))
            self.events.append(Event(tool=name, arguments=given, kind="write"))
        return super().call(name, arguments)


class DoubtfulWorld(World):
    """Makes such shelves."""

    def session(self, start: Mapping[str, Json], *, started_at: int) -> Shelf:
        """A fresh one."""
        super().session(start, started_at=started_at)
        return Doubtful()


def test_a_read_that_the_world_is_unsure_of_excuses_no_attack() -> None:
    """Attacks that make the reads of a refusal end like the good attempt: they are paid, not void."""
    rows: Json = [["get", '{"parcel":"p1"}']]
    looked = Check(check_id="r", fn="read", args={"any_of": rows}, role=REWARD, required=True)
    one = candidate(end_check(), looked, solution=(GET, says("It is on its way.")))
    world = DoubtfulWorld()
    found = verify(one, others=[other()], run=lambda task, acts: run_actions(task, world, acts))
    assert (found.status, found.reasons[:1]) == (REJECTED, ("pays:reads_then_claims",))


def test_an_answer_that_counting_finds_is_rejected() -> None:
    """Whoever looks the parcel up and says every count up to ten is paid for a count, and not for an amount."""
    rows: Json = [["get", '{"parcel":"p1"}']]
    looked = Check(check_id="r", fn="read", args={"any_of": rows}, role=REWARD, required=True)
    for value, counted in ((4, True), (54.04, False)):
        args: dict[str, Json] = {"value": value, "among": 4}
        fact = Check(check_id="told", fn="told", args=args, role=REWARD, required=True)
        solution = (GET, says(f"There are {value}."))
        found = gate(candidate(end_check(), looked, fact, solution=solution))
        assert ("pays:reads_then_counts_up" in found.reasons) is counted


HONEST = (Check(check_id="grounded", fn="grounded", args={"kinds": ["number"]}, required=True),)
"""Nothing false is told."""


def test_an_answer_that_the_user_says_later_needs_a_person() -> None:
    """The scripted user says it whether or not the policy found it out."""
    fact = Check(check_id="told", fn="told", args={"value": 54.04}, role=REWARD, required=True)
    task = replace(TASK, user=(UserTurn(text="So it is 54.04?", asked="It is 54.04."),))
    solution = (*GOOD[:2], says("It is 54.04."))
    check = end_check(WRITE, effects=EFFECTS, events=[])
    found = gate(candidate(check, fact, *HONEST, solution=solution, task=task))
    assert found.reasons == ("answer_in_text:told",)


def test_a_rubric_that_the_policy_can_read_is_rejected() -> None:
    """A tool's description that holds a check's sentence gives the rubric away."""
    check = end_check(WRITE, effects=EFFECTS, events=[])
    check = replace(check, says="The parcel P1 goes to B and nothing else changes.")
    tools = ({**tool("get", "parcel"), "note": check.says}, *TASK.tools[1:])
    found = gate(candidate(check, task=replace(TASK, tools=tools)))
    assert (found.status, found.reasons) == (REJECTED, ("evidence_reachable",))


def test_an_answer_in_the_task_text_needs_a_person() -> None:
    """Whoever can read the fact in the opening need not find it out."""
    fact = Check(check_id="told", fn="told", args={"value": 54.04}, role=REWARD, required=True)
    opening = ({"role": "user", "content": "Is it 54.04?"},)
    task = replace(TASK, opening=opening)
    solution = (*GOOD[:2], says("It is 54.04."))
    check = end_check(WRITE, effects=EFFECTS, events=[])
    found = gate(candidate(check, fact, *HONEST, solution=solution, task=task))
    assert found.status == NEEDS_REVIEW
    assert found.reasons == ("answer_in_text:told",)


def test_an_answer_in_the_task_text_does_no_harm_beside_one_that_has_to_be_found() -> None:
    """Whoever only repeats the text tells half of it."""
    known = Check(check_id="known", fn="told", args={"value": 0}, role=REWARD, required=True)
    found_out = Check(check_id="told", fn="told", args={"value": 54.04}, role=REWARD, required=True)
    opening = ({"role": "user", "content": "I have 0 EUR left. What do I owe?"},)
    solution = (*GOOD[:2], says("You owe 54.04, and 0 is left."))
    check = end_check(WRITE, effects=EFFECTS, events=[])
    task = replace(TASK, opening=opening)
    found = gate(candidate(check, known, found_out, *HONEST, solution=solution, task=task))
    assert not any(reason.startswith("answer_in_text") for reason in found.reasons)
