"""A request that nobody resolved, where the world knows everything but whether the right change succeeds."""

from __future__ import annotations

import json
from collections.abc import Mapping

from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import UNKNOWN, Json
from environments.runtime.task.candidate import Candidate
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode, CleanStep, CleanToolCall
from synth.labels.label import Label
from synth.tasks import derive_tasks
from synth.worlds import LearntWorld, WorldSettings, learn_world
from tests.unit.lending_library import TOOLS


def call(name: str, arguments: Mapping[str, Json], result: str) -> list[CleanStep]:
    """A call with its result."""
    made = CleanToolCall(call_id=f"c-{name}", name=name, arguments=json.dumps(arguments))
    return [
        CleanStep(role="assistant", tool_calls=(made,)),
        CleanStep(role="tool", call_id=made.call_id, content=result),
    ]


def episode(name: str, *steps: CleanStep) -> CleanEpisode:
    """One conversation."""
    return CleanEpisode(app="lib", episode_id=name, started_at=1, tools=TOOLS, steps=steps)


def renewal(name: str, number: int, *, desk: str = "") -> CleanEpisode:
    """A loan is looked up and renewed at its desk, or at another; nobody looks at it afterwards."""
    loan, right = f"LOAN-{number}", f"D-{number}"
    shown = {"loan": loan, "desk": right, "title": "Moby Dick"}
    made = {"loan": loan, "desk": desk or right}
    return episode(
        name,
        CleanStep(role="user", content=f"Please renew my loan {loan}."),
        *call("get_loan", {"loan": loan}, json.dumps(shown)),
        CleanStep(role="assistant", content=f"Shall I renew {loan} (yes/no)?"),
        CleanStep(role="user", content="Yes, please."),
        *call("renew_loan", made, "renewed"),
        CleanStep(role="assistant", content="That is done."),
    )


def closing(number: int) -> CleanEpisode:
    """Another request."""
    card = f"CARD-{700 + number}"
    return episode(
        f"c{number}",
        CleanStep(role="user", content=f"I want to close card {card} for good."),
        *call("close_card", {"card": card}, "closed"),
        CleanStep(role="assistant", content="It is closed."),
    )


def question(number: int) -> CleanEpisode:
    """A loan is looked up twice and nothing is changed."""
    loan = f"LOAN-{number}"
    shown = json.dumps({"loan": loan, "desk": f"D-{number}", "title": "Moby Dick"})
    return episode(
        f"q{number}",
        CleanStep(role="user", content=f"Which book is {loan}?"),
        *call("get_loan", {"loan": loan}, shown),
        *call("get_loan", {"loan": loan}, shown),
        CleanStep(role="assistant", content="It is Moby Dick."),
    )


def learnt(failed: CleanEpisode) -> tuple[Candidate, LearntWorld]:
    """The failed request's candidate, beside renewals, questions and closings that were resolved."""
    good = [renewal(f"g{n}", 100 + n) for n in range(8)] + [closing(n) for n in range(6)]
    good += [question(100 + n) for n in range(8)]
    episodes = [*good, failed]
    labels = {e.episode_id: Label(resolved=e is not failed, confidence=0.97) for e in episodes}
    world = learn_world(episodes, WorldSettings(risk=0))
    found = derive_tasks(episodes, labels, world)
    return next(c for c in found if c.attempts[0].episode_id == failed.episode_id), world


def test_a_change_that_alike_users_got_is_believed_where_nothing_recorded_speaks_against_it() -> (
    None
):
    """The failed attempt renewed at the wrong desk; nobody ever renewed this loan at the right one."""
    one, world = learnt(renewal("x", 555, desk="D-100"))
    assert one.task.start["believed"] == [["renew_loan", {"loan": "LOAN-555", "desk": "D-555"}]]
    run = run_actions(one.task, World(world.document), one.solution)
    assert [c.name for c in run.calls] == ["get_loan", "renew_loan"]
    assert all(c.result.source != UNKNOWN for c in run.calls)
    assert not run.end.unknown


def test_a_task_whose_calls_are_known_believes_nothing() -> None:
    """What an attempt resolved needs no belief."""
    good = [renewal(f"g{n}", 100 + n) for n in range(8)]
    labels = {e.episode_id: Label(resolved=True, confidence=0.97) for e in good}
    found = derive_tasks(good, labels, learn_world(good, WorldSettings(risk=0)))
    assert all("believed" not in c.task.start for c in found)
