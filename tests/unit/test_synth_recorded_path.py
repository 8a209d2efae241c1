"""Whoever makes the calls of a task's own attempt, in their order, gets the answers that were recorded."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import UNKNOWN
from environments.runtime.task.candidate import Candidate
from environments.runtime.world.world import World
from environments.verify import ACCEPTED, verify
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world


def episode(name: str, *calls: tuple[str, dict[str, Any], str], ask: str = "") -> CleanEpisode:
    """A conversation with these calls and answers."""
    steps = [CleanStep(role="user", content=ask or f"Please do what {name} needs.")]
    for number, (tool, arguments, answer) in enumerate(calls):
        made = CleanToolCall(call_id=f"c{number}", name=tool, arguments=json.dumps(arguments))
        steps += [
            CleanStep(role="assistant", tool_calls=(made,)),
            CleanStep(role="tool", call_id=made.call_id, content=answer),
        ]
    steps.append(CleanStep(role="assistant", content="That is done."))
    return CleanEpisode(
        app="lab", episode_id=name, started_at=1, task_key=f"key {name}", steps=tuple(steps)
    )


def derived(episodes: list[CleanEpisode]) -> tuple[list[Candidate], World]:
    """Tasks of resolved episodes, and their world."""
    learnt = learn_world(episodes, WorldSettings(risk=0))
    labels = {e.episode_id: Label(resolved=True, confidence=0.97) for e in episodes}
    return derive_tasks(episodes, labels, learnt), World(learnt.document)


def lottery(number: int) -> CleanEpisode:
    """The same look is answered otherwise every time, and what is stored shows nowhere."""
    return episode(
        f"e{number}",
        ("look", {"box": "a"}, json.dumps({"ball": f"ball-{number * 7919 % 1000}"})),
        ("look", {"box": "a"}, json.dumps({"ball": f"ball-{number * 104729 % 1000}"})),
        ("store", {"ball": f"ball-{number * 104729 % 1000}"}, json.dumps({"ok": number % 3})),
        ask=f"Take the second ball for visitor {number} and store it.",
    )


def test_a_path_that_the_world_cannot_answer_is_told_as_recorded() -> None:
    """Also the second answer of the same call; the task is accepted, and does not pay for doing nothing."""
    candidates, world = derived([lottery(n) for n in range(1, 9)])
    assert len(candidates) == 8
    for number, candidate in enumerate(candidates, 1):
        run = run_actions(candidate.task, world, candidate.solution)
        first, second, _ = (call.result.content for call in run.calls)
        assert json.loads(first)["ball"] == f"ball-{number * 7919 % 1000}"
        assert json.loads(second)["ball"] == f"ball-{number * 104729 % 1000}"
        verdict = verify(
            candidate,
            others=candidates,
            run=lambda task, actions: run_actions(task, world, actions),
        )
        assert verdict.status == ACCEPTED, verdict.reasons
        nothing = run_actions(candidate.task, world, [{"role": "assistant", "content": "Done."}])
        assert evaluate(candidate.rubric, nothing, task_version="v").reward == 0.0


def test_answers_on_a_path_stand_in_their_envelope() -> None:
    """The agent gets what the app's tools return, not what the learner reads of it."""

    def enveloped(content: str) -> str:
        return json.dumps({"status": "ok", "data": json.loads(content)})

    plain = [lottery(n) for n in range(1, 10)]
    candidates, world = derived(
        [
            replace(
                one,
                steps=tuple(
                    replace(step, content=enveloped(step.content or ""))
                    if step.role == "tool"
                    else step
                    for step in one.steps
                ),
            )
            for one in plain
        ]
    )
    for one, candidate in zip(plain, candidates, strict=True):
        assert "path" in candidate.task.start
        session = world.session(candidate.task.start)
        answers = [step.content or "" for step in one.steps if step.role == "tool"]
        calls = [call for step in one.steps for call in step.tool_calls]
        for call, answer in zip(calls, answers, strict=True):
            assert session.call(call.name, call.arguments).content == enveloped(answer)


def test_off_the_path_the_world_answers() -> None:
    """Another box was never looked into: nobody knows, whatever was recorded of this one."""
    candidates, world = derived([lottery(n) for n in range(1, 9)])
    call = {
        "id": "1",
        "type": "function",
        "function": {"name": "look", "arguments": '{"box": "b"}'},
    }
    run = run_actions(candidates[0].task, world, [{"role": "assistant", "tool_calls": [call]}])
    assert run.calls[0].result.source == UNKNOWN


def test_where_the_world_knows_a_task_carries_no_path() -> None:
    """Records that are looked up the same way every time need no recording."""
    seen = [
        episode(
            f"e{n}", ("get", {"id": f"K-{n % 3}"}, json.dumps({"id": f"K-{n % 3}", "n": n % 3}))
        )
        for n in range(9)
    ]
    candidates, _ = derived(seen)
    assert all("path" not in candidate.task.start for candidate in candidates)


def test_a_withheld_part_that_nobody_needs_is_told_with_its_marker() -> None:
    """The agent reads the marker where the remark stood, and goes on."""
    seen = [
        episode(
            f"e{n}",
            ("get", {"id": f"K-{n}"}, json.dumps({"id": f"K-{n}", "remark": "[withheld]"})),
            ("close", {"id": f"K-{n}"}, json.dumps({"closed": f"K-{n}"})),
            ask=f"Close K-{n}, please.",
        )
        for n in range(6)
    ]
    candidates, world = derived(seen)
    for candidate in candidates:
        run = run_actions(candidate.task, world, candidate.solution)
        assert [call.result.source == UNKNOWN for call in run.calls] == [False, False]


ANSWERS = st.sampled_from(['{"a": 1}', "[]", "null", "ok", "Error: no", "", '{"id": "K-1"}', "7"])
CALLS = st.lists(
    st.tuples(
        st.sampled_from(["get_x", "set_x", "do", "list"]),
        st.dictionaries(st.sampled_from("pq"), st.integers(0, 2), max_size=2),
        ANSWERS,
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(CALLS, min_size=1, max_size=6))
def test_every_solution_walks_its_own_path(
    recorded: list[list[tuple[str, dict[str, Any], str]]],
) -> None:
    """Whatever tools answered, contradictions included: no call of a task's own solution is unknown."""
    candidates, world = derived([episode(f"e{n}", *calls) for n, calls in enumerate(recorded)])
    for candidate in candidates:
        run = run_actions(candidate.task, world, candidate.solution)
        assert all(call.result.source != UNKNOWN for call in run.calls)
