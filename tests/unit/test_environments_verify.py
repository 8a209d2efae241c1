"""The gate on a hand-made counter world: good attempts pass, attacks earn nothing, and doubt is never a pass."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.play.message import requests_of
from environments.runtime.task.attempt import (
    Attempt,
    Json,
)
from environments.runtime.task.candidate import Action, RecordedAttempt
from environments.runtime.task.rubric import REWARD, Check
from environments.runtime.task.task import Task
from environments.runtime.views.multiplexed import EMPTY
from environments.verification.constant import PREFIX, SORRY, constant_policies
from environments.verification.material import Material, OtherTasks
from environments.verification.probe import calls, says
from environments.verification.sentences import probe_says
from environments.verify import ACCEPTED, NEEDS_REVIEW, REJECTED, verify
from tests.unit.parcel_gate import (
    EFFECTS,
    GET,
    GOOD,
    TASK,
    WRITE,
    candidate,
    end_check,
    gate,
    other,
    paid,
    put,
    run,
)


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
    known = OtherTasks(others).others_for(one, EMPTY)
    material = Material(candidate=one, good=run(task, GOOD), others=known)
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


def test_a_text_that_rests_on_an_earlier_call_is_not_put_before_it() -> None:
    """A mail about what another one says cannot be sent first; two moves of parcels can."""
    solution = (GET, put("P1", "B"), put("P2", "C", number=2), says("Done."))
    writes = [
        ("put", canonical_arguments({"parcel": p, "to": t})) for p, t in (("P1", "B"), ("P2", "C"))
    ]
    plain = end_check(*writes)
    worded = replace(plain, args={**plain.args, "ignore": {"put": ["note"]}})
    for check, tried in ((plain, True), (worded, False)):
        names = {probe.name for probe in gate(candidate(check, solution=solution)).probes}
        assert ("writes_in_another_order" in names) is tried
