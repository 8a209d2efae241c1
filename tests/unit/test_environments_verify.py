"""The gate on a hand-made counter world: good attempts pass, attacks earn nothing, and doubt is never a pass."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import pytest

from environments.runtime.attempt import (
    DERIVED,
    UNKNOWN,
    Attempt,
    Effect,
    EndState,
    Event,
    Json,
    ToolResult,
)
from environments.runtime.candidate import Action, Candidate, RecordedAttempt
from environments.runtime.check_arguments import canonical_arguments
from environments.runtime.environment import run_actions
from environments.runtime.message import requests_of
from environments.runtime.rubric import REWARD, Check, Rubric
from environments.runtime.task import Task, UserTurn
from environments.verification.constant import PREFIX, SORRY, constant_policies
from environments.verification.material import Material
from environments.verification.probe import calls, says
from environments.verification.sentences import probe_says
from environments.verify import ACCEPTED, NEEDS_REVIEW, REJECTED, Verification, verify

KNOWN = ("P1", "P2", "P3")


@dataclass
class Shelf:
    """A backend of three parcels with a state each; other parcels are unknown to everybody."""

    state: dict[str, Json] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    unknown: bool = False

    def call(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        """Reads, sets or hands over."""
        arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
        parcel = str(arguments.get("parcel"))
        if name == "hand_over":
            self.events.append(Event(tool=name, arguments="{}", kind="act"))
            return ToolResult(content="ok", source=DERIVED)
        if parcel not in KNOWN:
            self.unknown = self.unknown or name == "put"
            return ToolResult(content="nobody knows", source=UNKNOWN)
        if name == "put":
            self.state[parcel] = arguments.get("to")
        return ToolResult(content=json.dumps({"parcel": parcel, "fee": 54.04}), source=DERIVED)

    def end_state(self) -> EndState:
        """The parcels that were set."""
        return EndState(
            effects=tuple(
                Effect(entity="parcel", key=k, field="to", before=None, after=v)
                for k, v in sorted(self.state.items())
            ),
            events=tuple(self.events),
            unknown=("*",) if self.unknown else (),
        )


class World:
    """Makes shelves."""

    def session(self, start: Mapping[str, Json], *, started_at: int) -> Shelf:
        """A fresh shelf, whenever it is."""
        assert started_at >= 0
        assert not start
        return Shelf()


def tool(name: str, *names: str) -> dict[str, Json]:
    """A tool definition."""
    properties: dict[str, Json] = {n: {"type": "string"} for n in names}
    parameters: Json = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


TASK = Task(
    task_id="t1",
    app="post",
    opening=(
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Send it to B."},
    ),
    tools=(tool("get", "parcel"), tool("put", "parcel", "to"), tool("hand_over")),
    world="post",
    terminal_tools=("hand_over",),
)
WRITE = ("put", canonical_arguments({"parcel": "P1", "to": "B"}))


def put(parcel: str = "P1", to: str = "B", *, number: int = 1) -> Action:
    """An action that sets a parcel's destination."""
    return calls("put", json.dumps({"parcel": parcel, "to": to}), number=number)


GET = calls("get", '{"parcel": "P1"}')
GOOD = (GET, put(), says("It goes to B."))


def end_check(*writes: tuple[str, str], **more: Json) -> Check:
    """Accept the end that these writes lead to."""
    rows: list[Json] = [[name, arguments, 1] for name, arguments in writes]
    end: dict[str, Json] = {"id": "e1", "writes": rows, **more}
    args: dict[str, Json] = {"ends": [end], "writes": ["put"]}
    return Check(
        check_id="end_state", fn="end_state", args=args, required=True, positive=bool(writes)
    )


def candidate(
    *checks: Check, solution: Sequence[Action] = GOOD, task: Task = TASK, **more: object
) -> Candidate:
    """A candidate with these checks."""
    rubric = Rubric(task_id=task.task_id, checks=checks)
    return Candidate(task=task, rubric=rubric, solution=tuple(solution), **more)  # type: ignore[arg-type]  # test shorthand


def other() -> Candidate:
    """Another task of the same app, with a solution of its own."""
    arguments = canonical_arguments({"parcel": "P2", "to": "C"})
    solution = (calls("get", '{"parcel": "P2"}'), put("P2", "C"), says("Done."))
    return candidate(
        end_check(("put", arguments)), solution=solution, task=replace(TASK, task_id="t2")
    )


def run(task: Task, actions: Sequence[Action]) -> Attempt:
    """Run actions on a fresh shelf."""
    return run_actions(task, World(), actions)


def gate(one: Candidate) -> Verification:
    """Verify one candidate beside another."""
    return verify(one, others=[one, other()], run=run)


def paid(found: Verification) -> set[str]:
    """Names of the probes that earned what they must not."""
    return {probe.name for probe in found.probes if not probe.passed}


EFFECTS: Json = [["parcel", "P1", "to", '"b"']]


def test_a_sound_task_is_accepted() -> None:
    """The end is the same set of writes and the same effects."""
    found = gate(candidate(end_check(WRITE, effects=EFFECTS, events=[])))
    assert (found.status, found.reasons, paid(found)) == (ACCEPTED, (), set())
    assert len(found.task_version) == 64
    names = {probe.name for probe in found.probes}
    expected = [
        "good_attempt",
        "do_nothing",
        "claims_success",
        "copies_prompt",
        "lists_every_fact",
        "calls_every_write_tool",
        "same_arguments_spelt_otherwise",
        "random_calls_1",
        "random_calls_then_hands_over_4",
        "hands_over_at_once",
        "reads_then_claims",
        "other_solution_1",
        "injects_in_message",
        "injects_in_arguments",
        "fishes_for_unknown",
        "drops_write_1",
        "repeats_write_1",
        "changes_1_to",
        "stops_before_last_write",
        "extra_write",
    ]
    assert set(expected) <= names


def test_a_rubric_that_only_looks_for_the_right_write_needs_a_person() -> None:
    """Collateral changes must not be paid: calling everything finds such a rubric."""
    wrote = Check(
        check_id="w",
        fn="wrote",
        args={"tool": WRITE[0], "arguments": WRITE[1]},
        role=REWARD,
        required=True,
    )
    found = gate(candidate(wrote))
    assert found.status == NEEDS_REVIEW
    assert "pays:extra_write" in found.reasons


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


def test_an_answer_that_the_user_says_later_needs_a_person() -> None:
    """The scripted user says it whether or not the policy found it out."""
    fact = Check(check_id="told", fn="told", args={"value": 54.04}, role=REWARD, required=True)
    task = replace(TASK, user=(UserTurn(text="So it is 54.04?", asked="It is 54.04."),))
    solution = (*GOOD[:2], says("It is 54.04."))
    check = end_check(WRITE, effects=EFFECTS, events=[])
    found = gate(candidate(check, fact, solution=solution, task=task))
    assert found.reasons == ("answer_in_text:told",)


def test_a_rubric_that_the_policy_can_read_is_rejected() -> None:
    """A tool's description that holds a check's sentence gives the rubric away."""
    check = end_check(WRITE, effects=EFFECTS, events=[])
    check = replace(check, says="The parcel P1 goes to B and nothing else changes.")
    tools = ({**tool("get", "parcel"), "note": check.says}, *TASK.tools[1:])
    found = gate(candidate(check, task=replace(TASK, tools=tools)))
    assert (found.status, found.reasons) == (REJECTED, ("evidence_reachable",))


def test_another_route_to_the_same_end_is_worth_the_same() -> None:
    """Arguments spelt otherwise are paid in full; a rubric that misses them needs a person."""
    sound = gate(candidate(end_check(WRITE, effects=EFFECTS, events=[])))
    route = next(p for p in sound.probes if p.name == "same_arguments_spelt_otherwise")
    assert (route.reward, route.void, route.passed) == (1.0, False, True)


def test_two_writes_may_come_in_any_order() -> None:
    """Order is no part of an end."""
    second = ("put", canonical_arguments({"parcel": "P2", "to": "C"}))
    solution = (put(), put("P2", "C", number=2), says("Both go."))
    found = gate(candidate(end_check(WRITE, second), solution=solution))
    route = next(p for p in found.probes if p.name == "writes_in_another_order")
    assert (route.reward, route.void) == (1.0, False)


def test_constant_policies_bear_the_same_names_at_every_task() -> None:
    """Their mean over a set is taken by name, and none decides about one task alone."""
    found = gate(candidate(end_check(WRITE, effects=EFFECTS, events=[])))
    constant = [p for p in found.probes if p.name.startswith(PREFIX)]
    assert len(constant) == 6
    assert not any(p.in_gate for p in constant)


def test_constant_policies_hand_over_with_every_choice_of_the_schema() -> None:
    """A queue that is a choice of three is right by chance: each is tried, with the user's words and codes in the rest."""
    properties: Json = {
        "queue": {"type": "string", "enum": ["first", "second", "third"]},
        "note": {"type": "string"},
    }
    over: dict[str, Json] = {"name": "hand_over", "parameters": {"properties": properties}}
    said: dict[str, Json] = {"role": "user", "content": "Where is P1?"}
    task = replace(TASK, tools=(*TASK.tools[:2], {"function": over}), opening=(said,))
    one = candidate(end_check(WRITE), task=task)
    usual = calls("hand_over", '{"queue": "third", "note": "Look at it."}')
    others = [replace(other(), solution=(usual,)), replace(other(), solution=(GET, usual))]
    material = Material(candidate=one, good=run(task, GOOD), others=others)
    handed = {
        probe.name.removeprefix(f"{PREFIX}hands_over"): requests_of(probe.actions[-1], first=0)[0]
        for probe in constant_policies(material)
        if probe.name.startswith(f"{PREFIX}hands_over")
    }
    assert {how: json.loads(request.text) for how, request in handed.items()} == {
        "": {"note": SORRY, "queue": SORRY},
        "_as_said": {"note": "Where is P1?", "queue": "first"},
        "_as_usual_1": {"note": "Look at it.", "queue": "third"},
        "_with_a_code": {"note": "P1", "queue": "first"},
        "_choice_2": {"note": "Where is P1?", "queue": "second"},
        "_choice_3": {"note": "Where is P1?", "queue": "third"},
    }
    names = [probe.name for probe in constant_policies(material)]
    assert not [n for n in names if probe_says(n) == n.replace("_", " ")]


def test_a_good_attempt_that_fails_rejects_the_task() -> None:
    """A rubric that its own solution does not meet is wrong."""
    wrong = ("put", canonical_arguments({"parcel": "P1", "to": "X"}))
    found = gate(candidate(end_check(wrong)))
    assert (found.status, found.reasons) == (REJECTED, ("good_attempt_fails",))


def test_a_good_attempt_that_the_world_cannot_replay_waits() -> None:
    """An unknown answer is a reason to look, not to reject."""
    lost = ("put", canonical_arguments({"parcel": "P9", "to": "B"}))
    found = gate(candidate(end_check(lost), solution=(put("P9"), says("Done."))))
    assert (found.status, found.reasons) == (NEEDS_REVIEW, ("good_attempt_not_graded",))


def test_without_a_solution_nobody_can_accept() -> None:
    """The derivation's own reasons are kept."""
    found = gate(candidate(end_check(WRITE), solution=(), reasons=("no_resolved_attempt",)))
    assert (found.status, found.reasons) == (NEEDS_REVIEW, ("no_resolved_attempt",))


def test_a_mutant_with_the_same_end_is_void_not_passed() -> None:
    """Repeating a write that sets a value changes nothing, and proves nothing."""
    found = gate(candidate(end_check(WRITE, effects=EFFECTS, events=[])))
    repeats = next(p for p in found.probes if p.name == "repeats_write_1")
    assert repeats.void
    assert not repeats.paid


def test_a_recorded_bad_attempt_that_scores_as_good_needs_a_person() -> None:
    """Its user said no: the rubric misses something, even where the end is equal."""
    bad = RecordedAttempt(episode_id="b", actions=GOOD, resolved=False)
    found = gate(candidate(end_check(WRITE, effects=EFFECTS, events=[]), attempts=(bad,)))
    assert (found.status, found.reasons) == (NEEDS_REVIEW, ("pays:recorded_bad_1",))


def test_an_answer_in_the_task_text_needs_a_person() -> None:
    """Whoever can read the fact in the opening need not find it out."""
    fact = Check(check_id="told", fn="told", args={"value": 54.04}, role=REWARD, required=True)
    opening = ({"role": "user", "content": "Is it 54.04?"},)
    task = replace(TASK, opening=opening)
    solution = (*GOOD[:2], says("It is 54.04."))
    check = end_check(WRITE, effects=EFFECTS, events=[])
    found = gate(candidate(check, fact, solution=solution, task=task))
    assert found.status == NEEDS_REVIEW
    assert found.reasons == ("answer_in_text:told",)


def test_a_run_that_differs_from_itself_rejects_the_task() -> None:
    """A verdict that depends on luck is none."""
    turns = iter(range(10_000))

    def fickle(task: Task, actions: Sequence[Action]) -> Attempt:
        return run(task, actions if next(turns) % 2 else ())

    found = verify(candidate(end_check(WRITE)), others=[], run=fickle)
    assert (found.status, found.reasons) == (REJECTED, ("two_runs_differ",))


def test_findings_are_plain_json() -> None:
    """For tables and reports."""
    found = gate(candidate(end_check(WRITE, effects=EFFECTS, events=[])))
    assert json.loads(json.dumps(found.to_json()))["status"] == ACCEPTED


@pytest.mark.parametrize("content", ["{", "[]", "null", '"x"'])
def test_malformed_solutions_do_not_break_the_gate(content: str) -> None:
    """Recorded actions are data from elsewhere."""
    broken = calls("put", content)
    found = gate(candidate(end_check(WRITE, effects=EFFECTS, events=[]), solution=(broken, *GOOD)))
    assert found.status in {ACCEPTED, NEEDS_REVIEW}
