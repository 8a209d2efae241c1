"""What people did about failed requests: whose word counts, what is run, and what comes first."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from environments.runtime.task.attempt import (
    RECORDED,
    UNKNOWN,
    Attempt,
    Call,
    EndState,
    Event,
    Json,
    ToolResult,
)
from environments.runtime.task.candidate import Candidate
from redact.records.clean_episode import CleanEpisode, CleanToolCall
from redact.records.clean_outcome import CleanOutcome
from synth.labels.label import Label
from synth.labels.policy import OutcomePolicy, OutcomeRule
from synth.recordings.attempt import record
from synth.recordings.attempt_facts import facts_of
from synth.recordings.tool_kinds import infer_tools
from synth.solutions.corrected_ends import fault_of_run
from synth.solutions.corrections import CONTRADICT, Correction, corrections_of
from synth.solutions.plans import Plan, Step, Unbound
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world
from tests.unit.lending_library import tool
from tests.unit.test_synth_tasks_believed import closing, question, renewal

RENEW: Mapping[str, Json] = {
    "name": "renew_loan",
    "arguments": {"loan": "LOAN-555", "desk": "D-555"},
}


def said(call: object, name: str = "o1", by: str = "business_record") -> CleanOutcome:
    """A record of what was done about the failed episode."""
    return CleanOutcome(
        app="lib",
        outcome_id=name,
        episode_id="x",
        name="done_by_hand",
        correction=json.dumps(call),
        by=by,
    )


def failed(*outcomes: CleanOutcome, alike: int = 8) -> Candidate:
    """The failed request, beside renewals, closings and questions that were resolved."""
    good = [renewal(f"g{n}", 100 + n) for n in range(alike)] + [closing(n) for n in range(6)]
    good += [question(100 + n) for n in range(8)]
    bad = renewal("x", 555, desk="D-100")
    episodes = [*good, bad]
    labels = {e.episode_id: Label(resolved=e is not bad, confidence=0.97) for e in episodes}
    found = derive_tasks(
        episodes,
        labels,
        learn_world(episodes, WorldSettings(risk=0)),
        corrections=corrections_of(outcomes, OutcomePolicy()),
    )
    return next(c for c in found if any(a.episode_id == "x" for a in c.attempts))


def made(candidate: Candidate) -> list[tuple[str, Json]]:
    """The calls of a candidate's solution."""
    found: list[tuple[str, Json]] = []
    for action in candidate.solution:
        calls = action.get("tool_calls")
        for call in calls if isinstance(calls, list) else []:
            assert isinstance(call, dict)
            function = call["function"]
            assert isinstance(function, dict)
            found.append((str(function["name"]), json.loads(str(function["arguments"]))))
    return found


@pytest.mark.parametrize(
    ("by", "taken"),
    [
        ("business_record", True),
        ("reviewer", True),
        ("code", False),
        ("model", False),
        ("implicit", False),
        ("end_user", False),
        ("unknown", False),
    ],
)
def test_whose_word_counts(by: str, taken: bool) -> None:
    """People and business records are believed; a program only where the policy counts it; a model never."""
    assert bool(corrections_of([said(RENEW, by=by)], OutcomePolicy())) is taken


def test_a_program_counts_where_the_policy_says_so_and_a_model_not_even_then() -> None:
    """`counts` in `outcomes.toml` lets a program's correction in; the source's noise is its doubt."""
    rule = OutcomeRule(good=">= 0.5", counts=("code", "model"))
    policy = OutcomePolicy(rules={"done_by_hand": rule}, noise={"code": 0.25})
    found = corrections_of([said(RENEW, by="code")], policy)["x"]
    assert isinstance(found, Correction)
    assert (found.by, found.confidence) == ("code", 0.75)
    assert not corrections_of([said(RENEW, by="model")], policy)


def test_the_same_calls_said_twice_are_one_and_others_are_none() -> None:
    """Two records agree whatever the order of keys; where they differ nobody is believed."""
    turned = {"name": "renew_loan", "arguments": {"desk": "D-555", "loan": "LOAN-555"}}
    one = corrections_of([said(RENEW), said(turned, "o2", "reviewer")], OutcomePolicy())["x"]
    assert isinstance(one, Correction)
    assert one.steps == (Step(tool="renew_loan", arguments={"desk": "D-555", "loan": "LOAN-555"}),)
    assert (one.by, one.outcome_ids, one.confidence) == ("reviewer", ("o1", "o2"), 0.98)
    other = {"name": "renew_loan", "arguments": {"loan": "LOAN-555", "desk": "D-1"}}
    assert corrections_of([said(RENEW), said(other, "o2")], OutcomePolicy()) == {"x": CONTRADICT}


def test_what_a_person_did_comes_before_alike_requests_and_says_who_said_so() -> None:
    """The record names what is run, looks included, and stands in the task; without one, alike requests tell the end."""
    card = {"name": "get_loan", "arguments": {"loan": "LOAN-555"}}
    one = failed(said([card, RENEW]))
    assert one.task.provenance["solution"] == "business_record"
    assert one.task.provenance["outcomes"] == ["o1"]
    assert made(one) == [(str(c["name"]), c["arguments"]) for c in (card, RENEW)]
    assert "no_resolved_attempt" not in one.reasons
    assert failed().task.provenance["solution"] == "constructed"


def test_it_makes_a_task_where_too_few_requests_are_alike() -> None:
    """Three resolved renewals prove no rule; the record needs none."""
    assert not failed(alike=3).solution
    assert made(failed(said(RENEW), alike=3))[-1][0] == "renew_loan"


REFUSALS: Sequence[tuple[list[object], str]] = [
    (
        [RENEW, {**RENEW, "arguments": {"loan": "LOAN-555", "desk": "D-100"}}],
        "corrections_contradict",
    ),
    ([{"name": "get_loan", "arguments": {"loan": "LOAN-555"}}], "correction_changes_nothing"),
    (
        [{"name": "renew_loan", "arguments": {"loan": "LOAN-7", "desk": "D-9"}}],
        "correction_not_said",
    ),
]


@pytest.mark.parametrize(("calls", "reason"), REFUSALS)
def test_what_cannot_be_taken_is_counted_with_its_reason(calls: list[object], reason: str) -> None:
    """Records that contradict each other, that change nothing, or of values that nobody in the conversation knew."""
    one = failed(*(said(call, f"o{n}") for n, call in enumerate(calls)))
    assert not one.solution
    assert reason in one.reasons


def test_a_tool_that_no_agent_has_leaves_it_to_alike_requests() -> None:
    """The person worked in another system: what they did there says nothing that could be run or compared."""
    other = {"name": "backoffice_renew", "arguments": {"loan": "LOAN-555"}}
    assert failed(said(other)).task.provenance["solution"] == "constructed"
    assert "correction_of_another_tool" in failed(said(other), alike=3).reasons


EVENT = Event(tool="renew_loan", arguments="{}", kind="write")
RESULT = ToolResult(content="renewed", source=RECORDED)


@pytest.mark.parametrize(
    ("result", "end", "reason"),
    [
        (replace(RESULT, is_error=True), EndState(events=(EVENT,)), "correction_refused"),
        (replace(RESULT, source=UNKNOWN), EndState(events=(EVENT,)), "correction_not_known"),
        (RESULT, EndState(events=(EVENT,), unknown=("*",)), "correction_not_known"),
        (RESULT, EndState(), "correction_changes_nothing"),
        (RESULT, EndState(events=(EVENT,)), None),
    ],
)
def test_a_run_must_go_through_and_end_somewhere(
    result: ToolResult, end: EndState, reason: str | None
) -> None:
    """A refused call, an unknown answer, an unknown end and an end without any change are no solution."""
    step = Step(tool="renew_loan", arguments={"loan": "LOAN-555", "desk": "D-555"})
    facts = facts_of(record(renewal("x", 555)), None, infer_tools([record(renewal("x", 555))]))
    plan = Plan(
        steps=(step,), told=(), reads=(), looks=frozenset(), like=facts, origin=("o",), confidence=1
    )
    call = Call(name=step.tool, arguments=step.arguments, result=result, message=0)
    run = Attempt(messages=(), opening=0, calls=(call,), end=end)
    assert fault_of_run(run, plan) == (None if reason is None else Unbound(reason))
    assert fault_of_run(replace(run, calls=()), plan) == Unbound("correction_not_known")


def behind_one_tool(one: CleanEpisode) -> CleanEpisode:
    """The same conversation where every call goes through one tool."""

    def formed(call: CleanToolCall) -> CleanToolCall:
        arguments = {"name": call.name, "arguments": json.loads(call.arguments)}
        return replace(call, name="call_tool", arguments=json.dumps(arguments))

    steps = tuple(replace(s, tool_calls=tuple(map(formed, s.tool_calls))) for s in one.steps)
    return replace(one, steps=steps, tools=(tool("call_tool", "Calls.", "name", "arguments"),))


def test_calls_to_a_tool_that_is_several_are_given_as_agents_make_them() -> None:
    """The record names `call_tool`; the world knows its parts, and the solution is made through it again."""
    good = [renewal(f"g{n}", 100 + n) for n in range(8)] + [closing(n) for n in range(6)]
    good += [question(100 + n) for n in range(8)]
    bad = renewal("x", 555, desk="D-100")
    episodes = [behind_one_tool(e) for e in (*good, bad)]
    labels = {e.episode_id: Label(resolved=e.episode_id != "x", confidence=0.97) for e in episodes}
    told = corrections_of([said({"tool": "call_tool", "arguments": RENEW})], OutcomePolicy())
    world = learn_world(episodes, WorldSettings(risk=0))
    assert world.document.to_json()["dispatched"]
    found = derive_tasks(episodes, labels, world, corrections=told)
    one = next(c for c in found if c.attempts[0].episode_id == "x")
    assert one.task.provenance["solution"] == "business_record"
    assert made(one)[-1] == ("call_tool", RENEW)


def test_a_resolved_request_needs_no_correction() -> None:
    """Where an attempt was resolved, what people say besides changes nothing."""
    good = [renewal(f"g{n}", 100 + n) for n in range(8)]
    labels = {e.episode_id: Label(resolved=True, confidence=0.97) for e in good}
    world = learn_world(good, WorldSettings(risk=0))
    told = corrections_of([replace(said(RENEW), episode_id="g0")], OutcomePolicy())
    assert told
    assert derive_tasks(good, labels, world, corrections=told) == derive_tasks(good, labels, world)
