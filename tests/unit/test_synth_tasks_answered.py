"""Reference answers as tasks: agents without tools, look-ups, chats of several agents, and what cannot be asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.candidate import Action, Candidate
from environments.runtime.task.task import Task
from environments.runtime.world.world import World
from environments.verification.sentences import probe_says, reason_says
from environments.verify import ACCEPTED, NEEDS_REVIEW, REJECTED, Verification, verify
from redact.records.clean_episode import REQUEST_REPLACED, CleanEpisode, CleanStep, CleanToolCall
from redact.records.clean_outcome import CleanOutcome
from synth.labels.label import Label
from synth.labels.policy import OutcomePolicy
from synth.rubric.references import Reference, references_of
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world

LOOK = (
    '{"type": "function", "function": {"name": "search_pages", "description": "Search pages.",'
    ' "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}}}'
)
CANCEL = (
    '{"type": "function", "function": {"name": "cancel_order", "description": "Cancel an order.",'
    ' "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}}}}'
)
TOPICS = (
    "bridges",
    "rivers",
    "towers",
    "lakes",
    "roads",
    "parks",
    "mills",
    "ports",
    "walls",
    "gates",
)


def asked(
    number: int,
    answer: str,
    *,
    tools: Sequence[str] = (),
    found: str = "",
    agent: str | None = None,
) -> CleanEpisode:
    """A conversation of one question and one answer, with a search before it where a page was found."""
    name = f"e{number}"
    steps = [
        CleanStep(role="user", content=f"How many {TOPICS[number % 10]} does town {number} have?")
    ]
    if found:
        call = CleanToolCall(
            call_id="c",
            name="search_pages",
            arguments=f'{{"query": "{TOPICS[number % 10]} in town {number}"}}',
        )
        steps.append(CleanStep(role="assistant", content=None, tool_calls=(call,)))
        steps.append(CleanStep(role="tool", content=found, call_id="c", tool_name="search_pages"))
    steps.append(CleanStep(role="assistant", content=answer, agent=agent))
    return CleanEpisode(
        app="atlas",
        episode_id=name,
        started_at=number * 10**9,
        task_key=name,
        tools=tuple(tools),
        steps=tuple(steps),
    )


def told(number: int, answer: str, by: str = "reviewer", name: str = "") -> CleanOutcome:
    """What somebody says that the right answer was."""
    return CleanOutcome(
        app="atlas",
        outcome_id=name or f"o{number}",
        episode_id=f"e{number}",
        name="reference",
        correction=answer,
        by=by,
    )


def derived(
    episodes: Sequence[CleanEpisode],
    outcomes: Sequence[CleanOutcome],
    labels: Mapping[str, bool] | None = None,
) -> tuple[list[Candidate], World]:
    """The candidates of an app, and its world."""
    learnt = learn_world(episodes, WorldSettings(risk=0))
    marks = {
        n: Label(resolved=good, confidence=0.97, by="reviewer")
        for n, good in (labels or {}).items()
    }
    found = derive_tasks(
        episodes, marks, learnt, references=references_of(outcomes, OutcomePolicy())
    )
    return found, World(learnt.document)


def checked(candidates: Sequence[Candidate], world: World, number: int = 0) -> Verification:
    """What the gate says of one of them."""

    def run(task: Task, actions: Sequence[Action]) -> Attempt:
        return run_actions(task, world, actions)

    return verify(candidates[number], others=candidates, run=run)


def paid(candidate: Candidate, world: World, *said: str) -> float | None:
    """The reward for saying this."""
    actions: list[Mapping[str, Json]] = [{"role": "assistant", "content": text} for text in said]
    attempt = run_actions(candidate.task, world, actions)
    return evaluate(candidate.rubric, attempt, task_version="").reward


def test_a_failed_answer_with_a_reference_is_a_task() -> None:
    """Nobody answered right; saying the reference solves it, in any form."""
    episodes = [asked(n, f"There are {n + 3}.") for n in range(4)]
    outcomes = [told(n, str(50 + n)) for n in range(4)]
    found, world = derived(episodes, outcomes, {f"e{n}": False for n in range(4)})
    verdict = checked(found, world)
    assert verdict.status == ACCEPTED, verdict.reasons
    assert found[0].task.provenance["solution"] == "reference"
    assert found[0].task.provenance["outcomes"] == ["o0"]
    assert paid(found[0], world, "After some thought: fifty bridges.") == 1.0
    assert paid(found[0], world, "After some thought: fifty-one bridges.") == 0.0
    assert paid(found[0], world, "I am not sure about that.") == 0.0
    assert paid(found[0], world, "") == 0.0


def test_an_answer_that_nobody_judged_is_judged_by_the_reference() -> None:
    """An attempt that gives it shows how it is done; one that gives another answer is a failure."""
    episodes = [asked(0, "There are 50 of them."), asked(1, "There are 7 of them.")]
    found, world = derived(episodes, [told(0, "50"), told(1, "61")])
    assert [a.resolved for c in found for a in c.attempts] == [True, False]
    assert found[0].solution[0]["content"] == "There are 50 of them."
    assert found[1].solution[0]["content"] == "61"
    assert checked(found, world).status == ACCEPTED


def test_a_look_up_with_a_reference_is_a_task() -> None:
    """What the pages show may be looked up or not; the answer counts."""
    episodes = [
        asked(
            n,
            f"Town {n} has {50 + n}.",
            tools=[LOOK],
            found=f"Town {n}: {50 + n} of them, {300 + n} people",
        )
        for n in range(6)
    ]
    found, world = derived(
        episodes, [told(n, str(50 + n)) for n in range(6)], {f"e{n}": True for n in range(6)}
    )
    verdict = checked(found, world)
    assert verdict.status == ACCEPTED, verdict.reasons
    assert paid(found[0], world, "It has 300.") == 0.0
    assert any(c.fn == "answered" and c.required for c in found[0].rubric.checks)


def test_a_chat_of_several_agents_is_a_task() -> None:
    """The last of them answers."""
    episodes = [asked(n, f"{n + 3}\n\nTERMINATE", agent="Expert") for n in range(3)]
    found, world = derived(
        episodes,
        [told(n, f"Harbour {TOPICS[n]}") for n in range(3)],
        dict.fromkeys(("e0", "e1", "e2"), False),
    )
    verdict = checked(found, world)
    assert verdict.status == ACCEPTED, verdict.reasons
    assert paid(found[0], world, "It is Harbour Bridges.\n\nTERMINATE") == 1.0


def test_without_any_evidence_it_waits() -> None:
    """No outcome and no reference: the reason says what is missing."""
    found, world = derived([asked(0, "There are 50.")], [])
    verdict = checked(found, world)
    assert (verdict.status, verdict.reasons) == (NEEDS_REVIEW, ("no_resolved_attempt",))
    assert "no reference answer" in reason_says("no_resolved_attempt")


def test_where_tools_change_things_a_reference_is_not_all() -> None:
    """An app whose tools write may have had to write something: nobody shows it."""
    episodes = [asked(0, "There are 3.", tools=[CANCEL])]
    found, world = derived(episodes, [told(0, "50")], {"e0": False})
    verdict = checked(found, world)
    assert verdict.status == NEEDS_REVIEW
    assert "reference_may_not_be_all" in verdict.reasons


@pytest.mark.parametrize("by", ["model", "implicit"])
def test_a_guess_is_no_reference(by: str) -> None:
    """What a model believes is not paid for."""
    assert references_of([told(0, "50", by)], OutcomePolicy()) == {}


def test_a_program_counts_where_the_policy_counts_it_not() -> None:
    """Calls of a correction are no answer, and a program's word needs the policy."""
    calls = '[{"name": "cancel_order", "arguments": {"order_id": "W-1"}}]'
    assert references_of([told(0, calls), told(1, "7", "code")], OutcomePolicy()) == {}


def test_people_who_disagree_leave_it_open() -> None:
    """Two reviewers with two answers: neither is asked for; a reviewer goes before a file."""
    both = [told(0, "50"), told(0, "51", name="p0")]
    found, world = derived([asked(0, "There are 3.")], both, {"e0": False})
    assert "references_contradict" in checked(found, world).reasons
    first = references_of([told(0, "50"), told(0, "51", "unknown", "p0")], OutcomePolicy())
    assert first["e0"].answers == ("50",)
    assert not first["e0"].contradicted


def test_an_answer_to_a_question_that_redaction_changed_is_asked_for_only_where_a_tool_shows_it() -> (
    None
):
    """Of the town that stands in the question now nobody knows anything, unless a tool tells of it."""
    changed = replace(asked(0, "There are 3."), completeness=(REQUEST_REPLACED,))
    found, world = derived([changed], [told(0, "50")], {"e0": False})
    assert "reference_withheld" in checked(found, world).reasons
    shown = asked(0, "Nobody.", tools=[LOOK], found="The town has 50.")
    shown = replace(shown, completeness=(REQUEST_REPLACED,))
    found, world = derived([shown], [told(0, "50")], {"e0": False})
    assert found[0].solution


def test_what_redaction_replaced_is_asked_for_only_where_it_was_told() -> None:
    """A surrogate that stands in no text of the conversation is nothing that anybody could answer."""
    hidden = replace(told(0, "Ada Quill"), replaced=True)
    found, world = derived([asked(0, "There are 3.")], [hidden], {"e0": False})
    assert "reference_withheld" in checked(found, world).reasons
    shown = asked(0, "Nobody.", tools=[LOOK], found="The owner is Ada Quill.")
    found, world = derived([shown], [hidden], {"e0": False})
    assert found[0].solution


def test_outcomes_that_speak_against_a_reference_are_believed() -> None:
    """Where users were helped by another answer, nothing is asked and a person has to look."""
    found, world = derived([asked(0, "There are 3.")], [told(0, "50")], {"e0": True})
    verdict = checked(found, world)
    assert "reference_not_answered" in verdict.reasons or verdict.status != ACCEPTED
    assert not any(c.fn == "answered" and c.required for c in found[0].rubric.checks)


def test_an_explanation_waits_for_a_judge() -> None:
    """A long reference is a judge's question; without its reply the task is not accepted."""
    prose = "The town built them because the river floods. It pays for them by a toll, and " * 3
    found, world = derived([asked(0, "There are 3.")], [told(0, prose)], {"e0": False})
    assert [c.fn for c in found[0].rubric.checks if c.check_id == "answered"] == ["judge"]
    assert checked(found, world).status == NEEDS_REVIEW


def test_several_right_answers_come_as_a_list() -> None:
    """A JSON list of texts and numbers names alternatives; a list of lists is a text."""
    said = references_of([told(0, '["Myanmar", "Burma", 7]')], OutcomePolicy())["e0"]
    assert said == Reference(
        answers=("Myanmar", "Burma", "7"), by="reviewer", outcome_ids=("o0",), confidence=0.98
    )


def test_a_count_of_calls_is_no_rubric() -> None:
    """A coding agent's seventeen shell calls, of which nobody knows what they did, are rejected with what to send."""
    shell = '{"type": "function", "function": {"name": "bash", "parameters": {"type": "object", "properties": {"command": {"type": "string"}}}}}'

    def session(number: int) -> CleanEpisode:
        steps = [CleanStep(role="user", content=f"Fix bug {number} in the parser")]
        for turn in range(4):
            call = CleanToolCall(
                call_id=f"c{turn}",
                name="bash",
                arguments=f'{{"command": "sed -i s/alpha{number}{turn}/beta{turn}/ file{turn}.py && make test unit {turn}"}}',
            )
            steps.append(CleanStep(role="assistant", content=None, tool_calls=(call,)))
            steps.append(
                CleanStep(role="tool", content=f"ok {turn}", call_id=f"c{turn}", tool_name="bash")
            )
        steps.append(CleanStep(role="assistant", content="I fixed the parser."))
        return CleanEpisode(
            app="coder",
            episode_id=f"s{number}",
            started_at=number * 10**9,
            task_key=f"s{number}",
            tools=(shell,),
            steps=tuple(steps),
        )

    found, world = derived([session(n) for n in range(4)], [], {f"s{n}": True for n in range(4)})
    verdict = checked(found, world)
    assert verdict.status == REJECTED, (verdict.status, verdict.reasons)
    assert verdict.reasons[0] == "counts_calls_only"
    assert "tests' result or a reference" in reason_says("counts_calls_only")


def test_copying_what_tools_showed_is_no_answer() -> None:
    """A page that holds the right figure among others, read out as it stands, is not paid; the figure is."""
    page = "bridges 50, people 4300, mills 12, lakes 77, roads 118, parks 64"
    episodes = [asked(n, "I could not find it.", tools=[LOOK], found=page) for n in range(4)]
    found, world = derived(
        episodes, [told(n, str(50 + n)) for n in range(4)], {f"e{n}": False for n in range(4)}
    )
    assert checked(found, world).status == ACCEPTED
    assert paid(found[0], world, page) == 0.0
    assert paid(found[0], world, "The page says that it has 50 of them.") == 1.0


def test_an_answer_that_is_right_at_several_tasks_is_held_back_where_always_giving_it_pays() -> (
    None
):
    """Two yes and one no: who always says yes would earn two thirds."""
    episodes = [asked(n, "No." if n < 2 else "Yes.") for n in range(3)]
    references = [told(n, "Yes" if n < 2 else "No") for n in range(3)]
    found, world = derived(episodes, references, dict.fromkeys(("e0", "e1", "e2"), False))
    probes = {p.name: p.reward for p in checked(found, world).probes}
    assert probes["constant_answers_as_usual_1"] == 1.0
    assert probes["another_answer_1"] == 0.0
    assert "giving the answer that is right most often" in probe_says("constant_answers_as_usual_1")


def test_the_letter_a_is_a_reference() -> None:
    """`A` is a letter to choose and no article, alone and among several."""
    one = references_of([told(0, "A")], OutcomePolicy())["e0"]
    several = references_of([told(0, '["A", "B"]')], OutcomePolicy())["e0"]
    both = references_of([told(0, "A"), told(0, "I", "unknown", "p0")], OutcomePolicy())["e0"]
    assert (one.answers, several.answers) == (("A",), ("A", "B"))
    assert both.answers == ("A",)
