"""Causes: a conversation in, and out comes what went wrong, at which step, and who did it."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import pytest

from dagster_project.causes.side_by_side import step_beside
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.failures.causes import FACT, PARTIES
from synth.failures.detection import Failure, detect
from synth.failures.evidence import evidence_of
from synth.failures.reading import AppReading, read
from synth.failures.reference import AGREED
from synth.failures.signals import signals_of
from synth.failures.turns import turns_of
from synth.labels.label import Label
from tests.failure_reference import reference_from
from tests.unit.clean_conversations import call, episode, real_episodes, result, says, user

GOOD = Label(resolved=True, by="code")
BAD = Label(resolved=False, by="code")


def by(agent: str, text: str) -> CleanStep:
    """What one of several agents says."""
    return CleanStep(role="assistant", content=text, agent=agent)


def failed(*steps: CleanStep, app: AppReading | None = None, task: str | None = None) -> Failure:
    """The failure record of a conversation that its user found unresolved."""
    one = replace(episode(*steps, episode_id="bad"), task_key=task)
    found = detect(one, BAD, app=app or AppReading())
    assert found is not None
    return found


def renewed(loan: str, *, until: str = "May") -> tuple[CleanStep, ...]:
    """A renewal as it should be: looked up, read back, agreed to, done."""
    return (
        user(f"Please renew loan {loan}."),
        call("1", "find_loan", loan_id=loan),
        result("1", f'{{"loan": "{loan}", "title": "Atlas"}}'),
        says(f"I can renew loan {loan} until {until}. Shall I go ahead?"),
        user("Yes please."),
        call("2", "renew_loan", loan_id=loan),
        result("2", f'{{"loan": "{loan}", "until": "{until}"}}'),
        says(f"Loan {loan} is renewed until {until}."),
    )


def library() -> AppReading:
    """What resolved renewals taught."""
    good = [(episode(*renewed(f"L-{n}"), episode_id=f"good {n}"), GOOD) for n in range(12)]
    return AppReading(reference=reference_from(good))


def test_the_agent_that_brings_in_figures_without_a_source_made_the_critical_step() -> None:
    """Others repeat them, one runs them, the last one confirms: none of these turns is the first."""
    found = failed(
        user("How many people more live in Seattle than in Colville?"),
        by("Planner", "Let us look up both towns and subtract."),
        by("Researcher", "Seattle has 737,015 people and Colville has 4,965, says the Census Bureau."),
        by("Computer_terminal", "exitcode: 0\nCode output: 732050"),
        by("Checker", "737,015 less 4,965 is 732,050. This is right."),
    )  # fmt: skip
    assert (found.step, found.agent, found.cause) == (2, "Researcher", "invented_claim")
    assert found.focus == (FACT,)
    assert found.evidence[0].step == 2


def test_what_a_terminal_prints_is_a_result_and_no_agents_claim() -> None:
    """It brings in the most; whoever then says something else has misread it."""
    found = failed(
        user("Which year?"),
        by("Coder", "I will run it."),
        by("Computer_terminal", "1995 2017 2022 370 240 Boston Denver Paris: done in 12.5 s"),
        by("Analyst", "It took until 2031, says Miller, so 36 years."),
    )
    assert (found.step, found.agent, found.cause) == (3, "Analyst", "misread_result")


def test_a_note_behind_an_agents_name_makes_no_other_agent() -> None:
    """`Planner (thought)` and `Planner (-> Coder)` are the planner."""
    found = failed(
        user("Who won?"),
        by("Planner (thought)", "I believe that Anna Huber won 4,120 points in Graz."),
        by("Planner (-> Coder)", "Write it down."),
    )
    assert found.agent == "Planner"


def test_two_agents_of_one_name_are_told_apart_by_their_steps() -> None:
    """The record says which step; the name is what both have."""
    found = failed(user("x"), by("Expert", "Hm."), by("Expert", "It was 1,234 in Rome with Bob."))
    assert (found.step, found.agent) == (2, "Expert")


def test_a_change_that_resolved_attempts_made_otherwise_names_its_argument() -> None:
    """Beside resolved attempts at the same request the wrong argument is seen, and the record names one of them."""
    steps = list(renewed("L-1"))
    steps[5] = call("2", "renew_loan", loan_id="L-7")
    good = (replace(episode(*renewed("L-1"), episode_id="right"), task_key="renew"), GOOD)
    app = AppReading(reference=reference_from([good]))
    found = failed(*steps, app=app, task="renew")
    assert (found.step, found.cause) == (5, "wrong_argument")
    assert found.focus == ("renew_loan", "loan_id")
    assert found.beside == "right"


def test_a_change_on_top_of_the_right_ones_was_not_needed() -> None:
    """The same tool was called rightly, too: the other call is no wrong argument, it is one too many."""
    right = renewed("L-1")
    more = (call("3", "renew_loan", loan_id="L-9"), result("3", "{}"), says("Both are renewed."))
    good = (replace(episode(*right, episode_id="right"), task_key="renew"), GOOD)
    found = failed(
        *right[:7], *more, app=AppReading(reference=reference_from([good])), task="renew"
    )
    assert (found.step, found.cause) == (7, "wrong_tool")


def test_an_error_that_resolved_attempts_met_as_well_is_nobodys_cause() -> None:
    """A look-up that fails for everybody, and a later end without the change: the end is the step."""
    lost = (call("0", "find_shelf", shelf="9"), result("0", "Error: no such shelf"))
    right = (renewed("L-1")[0], *lost, *renewed("L-1")[1:])
    good = (replace(episode(*right, episode_id="right"), task_key="renew"), GOOD)
    app = AppReading(reference=reference_from([good]))
    found = failed(*right[:7], says("Thank you. Goodbye."), app=app, task="renew")
    assert (found.step, found.cause) == (7, "premature_end")


def test_looking_again_after_a_change_is_no_loop() -> None:
    """The same clock says the same twice; between the two something was changed."""

    def look(n: str) -> tuple[CleanStep, ...]:
        return call(n, "find_loan", loan_id="L-1"), result(n, '{"fee": 3}')

    change = (call("c", "renew_loan", loan_id="L-1"), result("c", "{}"))
    for steps, expected in (
        ((*look("1"), *look("2")), True),
        ((*look("1"), *change, *look("2")), False),
    ):
        names = {piece.name for piece in failed(user("Renew L-1."), *steps, says("Hm.")).evidence}
        assert ("repeated_call" in names) is expected


def test_a_list_sent_as_text_is_the_list() -> None:
    """Two agents that send the same list in two ways did the same."""

    def steps(items: object) -> tuple[CleanStep, ...]:
        return (
            user("Cancel both."),
            call("1", "cancel_hold", hold_id=items),
            result("1", "ok"),
            says("Done."),
        )

    good = (replace(episode(*steps(["1", "2"]), episode_id="right"), task_key="t"), GOOD)
    app = AppReading(reference=reference_from([good]))
    one = replace(episode(*steps("['1', '2']"), episode_id="same"), task_key="t")
    reading = read(one, app)
    names = {e.name for e in evidence_of(reading, turns_of(reading), signals_of(reading))}
    assert "unlike_resolved" not in names
    assert "left_resolved" not in names


def test_a_change_without_the_yes_that_all_others_had_is_the_critical_step() -> None:
    """Nobody wrote this rule down: resolved conversations show it."""
    steps = renewed("L-1")
    found = failed(*steps[:3], *steps[5:], app=library())
    assert (found.step, found.cause, found.focus) == (3, "instruction_not_followed", (AGREED,))


def test_a_change_without_the_look_up_that_all_others_had_misses_a_step() -> None:
    """The user agreed, but nothing was looked up before."""
    steps = renewed("L-1")
    found = failed(steps[0], *steps[3:], app=library())
    assert (found.step, found.cause) == (3, "missed_step")
    assert found.focus == ("renew_loan", "find_loan")


def test_a_detour_that_comes_back_is_recovered() -> None:
    """A needless look-up is nobody's cause when what resolved attempts did follows; what was never done is."""
    right = renewed("L-1")
    app = AppReading(
        reference=reference_from([(replace(episode(*right, episode_id="g"), task_key="t"), GOOD)])
    )
    detour = (call("9", "find_loan", loan_id="L-1"), result("9", '{"loan": "L-1"}'))
    found = failed(
        right[0],
        *detour,
        *right[3:5],
        says("Thank you, I have noted your wish."),
        app=app,
        task="t",
    )
    assert (found.step, found.cause) == (5, "premature_end")


def test_where_nothing_was_changed_the_agent_stopped_after_its_last_call() -> None:
    """Questions that the user answers are no stop."""
    found = failed(*renewed("L-1")[:5], says("Thank you. Goodbye."))
    assert (found.step, found.cause) == (5, "premature_end")


def test_a_claim_that_all_is_done_where_nothing_was_done() -> None:
    """The first such sentence is the step, also where the agent asks something behind it."""
    claim = says("I have taken care of that for you. Is there anything else?")
    found = failed(user("Renew L-1."), claim, user("No."), claim)
    assert (found.step, found.cause) == (1, "invented_claim")


def test_a_user_who_withdraws_is_no_agents_fault() -> None:
    """The step is the user's, and no agent made it."""
    found = failed(*renewed("L-1")[:4], user("Actually, never mind."), says("Goodbye."))
    assert (found.step, found.cause, found.agent) == (4, "user_withdrew", None)
    assert found.party == "user"


@pytest.mark.parametrize(
    ("error", "cause", "party"),
    [
        ("Error: the request timed out after 30 s", "tool_timeout", "tool"),
        ("Error: 503 Service Unavailable", "tool_error", "tool"),
        ("Error: got an unexpected keyword argument 'loan_id'", "drift", "environment"),
    ],
)
def test_an_error_that_nothing_recovered_is_the_tools(error: str, cause: str, party: str) -> None:
    """The words of the error tell a slow tool from a broken and from a changed one; the step is the call's."""
    found = failed(
        user("Renew L-1."),
        call("1", "renew_loan", loan_id="L-1"),
        result("1", error),
        says("Sorry."),
    )
    assert (found.step, found.cause, found.party) == (1, cause, party)
    assert found.error


@pytest.mark.parametrize(
    ("asked", "cause", "party"),
    [
        (call("1", "renew_loan", loan_id="L-1"), "drift", "environment"),
        (call("1", "renew_loan"), "wrong_argument", "agent"),
        (call("1", "renew_loan", loan_id="L-1", weeks=3), "wrong_argument", "agent"),
        (call("1", "extend_loan", loan_id="L-1"), "wrong_tool", "agent"),
    ],
)
def test_a_tool_that_refuses_what_its_definition_allows_is_another_one(
    asked: CleanStep, cause: str, party: str
) -> None:
    """The same words of the same tool: where the call is not as defined, the agent made the mistake."""
    error = "Error: missing 1 required positional argument: 'branch'"
    one = episode(user("Renew L-1."), asked, result("1", error), says("Sorry."))
    parameters = {"properties": {"loan_id": {"type": "string"}}, "required": ["loan_id"]}
    defined = json.dumps({"function": {"name": "renew_loan", "parameters": parameters}})
    found = detect(replace(one, tools=(defined,)), BAD)
    assert found is not None
    assert (found.step, found.cause, found.party) == (1, cause, party)


def test_a_look_up_that_found_something_proves_its_arguments() -> None:
    """An id that nobody told is invented where the call changes something or fails, not where it finds."""
    look = (call("1", "find_loan", loan_id="QX-77-129"), result("1", '{"title": "Atlas"}'))
    for steps, expected in (
        ((user("Hello."), *look, says("Hm.")), False),
        ((user("Hello."), call("1", "renew_loan", loan_id="QX-77-129"), result("1", "{}")), True),
    ):
        names = {piece.name for piece in failed(*steps).evidence}
        assert ("argument_without_ground" in names) is expected


def test_a_resolved_attempt_shows_what_was_to_be_done_at_the_critical_step() -> None:
    """The same tool's call where it was a call, the first thing not yet done where the agent stopped."""
    right = renewed("L-1")
    wrong = (*right[:5], call("2", "renew_loan", loan_id="L-7"), *right[6:])
    assert step_beside(wrong, 5, right) == 5
    stopped = (*right[:3], says("Thank you. Goodbye."))
    assert step_beside(stopped, 3, right) == 5
    assert step_beside((says("Hello."),), 0, ()) is None


def test_beside_a_call_that_was_made_again_stands_what_came_next() -> None:
    """Both looked the loan up; the resolved attempt, which looked up another thing first, then asked for the yes and renewed."""
    right = (says("Who is asking?"), *renewed("L-1"))
    look = call("1", "find_loan", loan_id="L-1")
    circling = (*right[1:4], look, result("1", "{}"), look)
    assert right[step_beside(circling, 5, right) or 0].tool_calls[0].name == "renew_loan"


def test_every_cause_has_a_party_and_evidence_no_text() -> None:
    """What is told of a step is said in our words."""
    secret = "Marisol Quint, 99-1234"
    found = failed(
        user(f"I am {secret}."),
        call("1", "renew_loan", loan_id=secret),
        result("1", f"Error: {secret}"),
    )
    assert found.cause in PARTIES
    for piece in found.evidence:
        assert piece.cause in PARTIES
        assert "Marisol" not in piece.says + " ".join(piece.about)


def test_resolved_real_attempts_are_never_unlike_one_another() -> None:
    """345 real conversations: what compares a failure with resolved attempts accuses none of the resolved ones."""
    accused = 0
    for name in ("airline", "retail"):
        rows = real_episodes(f"{name}.train.jsonl")
        app = AppReading(reference=reference_from(rows))
        for one, label in rows:
            reading = read(one, app)
            found = {e.name for e in evidence_of(reading, turns_of(reading), signals_of(reading))}
            if found & {"unlike_resolved", "left_resolved"}:
                assert label.resolved is False
                accused += 1
    assert accused >= 50


ODD: dict[str, tuple[CleanStep, ...]] = {
    "nothing": (),
    "one message of the user": (user("Hello?"),),
    "one message of the agent": (says("Hello!"),),
    "only a system prompt": (CleanStep(role="system", content="Be kind."),),
    "no role": (CleanStep(role="", content="x"), CleanStep(role="speaker", content="It was 1,234.")),
    "no words": (CleanStep(role="user"), CleanStep(role="assistant"), CleanStep(role="tool")),
    "a result without a call": (result("9", "1,234"), says("It is 1,234.")),
    "a terminal alone": (by("Computer_terminal", "exitcode: 1"),),
    "a name of brackets": (by("(thought)", "It was 1,234 in Rome."),),
    "arguments that are no JSON": (user("x"), CleanStep(role="assistant", tool_calls=call("1", "a").tool_calls), result("1", "{")),
}  # fmt: skip


@pytest.mark.parametrize("steps", ODD.values(), ids=list(ODD))
def test_odd_episodes_have_a_record_or_none(steps: tuple[CleanStep, ...]) -> None:
    """A confirmed failure always has a record with a cause; its step is one of the episode's, or none."""
    found = failed(*steps)
    assert found.cause in PARTIES
    assert found.step is None or 0 <= found.step < len(steps)
    assert detect(episode(*steps), None) is None or steps


def test_ten_thousand_steps_take_seconds() -> None:
    """The work grows with the steps, not with their square."""

    def long(pairs: int) -> CleanEpisode:
        steps = [user("Renew all of them.")]
        for n in range(pairs):
            steps += [
                call(str(n), "renew_loan", loan_id=f"L-{n}"),
                result(str(n), f'{{"loan": "L-{n}", "fee": {n * 7}}}'),
            ]
        return episode(*steps, says("All 12,345 are renewed."))

    detect(long(10), BAD)
    started = time.process_time()
    found = detect(long(5000), BAD)
    assert found is not None
    assert time.process_time() - started < 30
