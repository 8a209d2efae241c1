"""No stage compares everything with everything: counted work grows with the data, not with its square.

Work is counted as calls of our own functions, which neither the machine nor its load changes. Seconds and memory of whole
builds: `python -m benchmarks growth`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Final

import pytest

from benchmarks.testbeds.desk.conversations import Talk, hold_season
from dagster_project.tasks.agreement import ENOUGH, FOLDS, FOLDS_OF_MANY, SMALL, folds_of, newest
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import Attempt
from environments.runtime.task.candidate import Action, Candidate, RecordedAttempt
from environments.runtime.task.rubric import Rubric
from environments.runtime.task.task import Task
from environments.runtime.views.multiplexed import Dispatched
from environments.runtime.world.world import World
from environments.verification.material import MOST_OTHERS, OtherTasks
from environments.verify import verify
from redact.records.clean_episode import CleanEpisode
from synth.labels.label import Label
from synth.recordings.sample import sample_evenly
from synth.solutions.intents import Openings
from synth.tasks import derive_tasks
from synth.worlds import LearntWorld, WorldSettings, learn_world
from tests.desk_labels import labels_of

ROOT: Final = Path(__file__).parents[2]
OURS: Final = tuple(
    f"{ROOT / name}/" for name in ("ingest", "redact", "synth", "environments", "dagster_project")
)
MOST: Final = 1.2
"""The largest exponent: twice the data, at most 2.3 times the work."""
SMALLER, LARGER = 120, 240
"""From the smaller on, requests are constructed as in a large app: before, more of them means other work, not more of it."""


def exponent(work: Callable[[int], object], smaller: int, larger: int) -> float:
    """The power of the size by which counted work grows; what is read or compiled once and kept is not counted."""
    work(larger)
    return math.log(calls_in(work, larger) / calls_in(work, smaller)) / math.log(larger / smaller)


def calls_in(work: Callable[[int], object], size: int) -> int:
    """How often functions of ours are called."""
    count, ours = 0, dict[CodeType, bool]()

    def heard(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        if event == "call":
            code = frame.f_code
            if code not in ours:
                ours[code] = code.co_filename.startswith(OURS)
            count += ours[code]

    before = sys.getprofile()
    sys.setprofile(heard)
    try:
        work(size)
    finally:
        sys.setprofile(before)
    return count


@cache
def season() -> tuple[Talk, ...]:
    """Conversations of the example desk, one a request."""
    return hold_season(variant=0, seed=1, conversations=LARGER, attempts=1).talks


@cache
def labels() -> dict[str, Label]:
    """What users of the desk said."""
    return labels_of(season())


@cache
def world() -> LearntWorld:
    """The desk's world; what it is learnt from makes no difference to what others cost."""
    return learn_world([talk.episode for talk in season()[:SMALLER]], WorldSettings(risk=0))


def derived(size: int) -> list[Candidate]:
    """The tasks of the first conversations."""
    return derive_tasks([talk.episode for talk in season()[:size]], labels(), world())


@pytest.mark.slow
def test_a_world_costs_what_its_conversations_cost() -> None:
    """Learning what tools do."""

    def learn(size: int) -> None:
        learn_world([talk.episode for talk in season()[:size]], WorldSettings(risk=0))

    assert exponent(learn, SMALLER, LARGER) < MOST


def test_tasks_cost_what_their_conversations_cost() -> None:
    """Alike requests are found by an index, and rules are tried on a sample of each end."""
    assert exponent(derived, SMALLER, LARGER) < MOST


def test_a_task_is_attacked_at_one_cost_however_many_others_there_are() -> None:
    """What all tasks have in common is read once; that costs what they cost."""
    candidates = derived(LARGER)
    backend = World(world().document)
    some = [one for one in candidates if one.solution][:4]

    def run(task: Task, actions: Sequence[Action]) -> Attempt:
        return run_actions(task, backend, actions)

    def attack_some(size: int) -> None:
        for one in some:
            verify(one, others=others[size], run=run)

    others = {size: OtherTasks(candidates[:size]) for size in (SMALLER, LARGER)}
    assert exponent(lambda size: others[size].habits(run), SMALLER, LARGER) < MOST
    # Of each task alone: together with how many there are, one more.
    assert exponent(attack_some, SMALLER, LARGER) < MOST - 1


def test_attacks_draw_from_a_bounded_number_of_other_tasks() -> None:
    """Those recorded before it, so that tasks that come later change nothing."""
    many = [_blank(number) for number in range(2 * MOST_OTHERS)]
    before, after = (
        {o.task_id for o in OtherTasks(some).others_for(many[500], _NONE)}
        for some in (many[:600], many)
    )
    assert before == after == {one.task.task_id for one in many[:MOST_OTHERS]}
    first = {o.task_id for o in OtherTasks(many).others_for(many[0], _NONE)}
    assert first == {one.task.task_id for one in many[1:MOST_OTHERS]}


def test_agreement_derives_tasks_a_bounded_number_of_times() -> None:
    """Each attempt of a few conversations is left out once; of many only so many as say enough."""
    few = [_blank(number, attempts=6) for number in range(10)]
    assert len(folds_of(few, SMALL)) == FOLDS
    assert sum(map(len, folds_of(few, SMALL))) == FOLDS * len(few)
    assert len(folds_of(few, SMALL + 1)) == FOLDS_OF_MANY
    many = [_blank(number, attempts=2) for number in range(ENOUGH)]
    assert [len(fold) for fold in folds_of(many, 2 * ENOUGH)] == [ENOUGH]


def test_agreement_leaves_out_few_of_a_small_app_s_attempts_at_once() -> None:
    """What its tools do is learnt from all outcomes: graders made without a fourth of them judge worse than those that ship."""
    few = [_blank(number, attempts=4) for number in range(20)]
    folds = folds_of(few, 80)
    assert max(map(len, folds)) <= 5
    assert sorted(name for fold in folds for name in fold) == sorted(
        attempt.episode_id for one in few for attempt in one.attempts
    )


def test_agreement_judges_the_newest_of_many_episodes() -> None:
    """However many there are; tasks with an attempt that is older are left out whole."""
    few, many = ([_episode(n) for n in range(size)] for size in (SMALL, SMALL + 5))
    candidates = [_blank(0, attempts=2), _blank(4, attempts=1), _blank(5, attempts=1)]
    assert newest(few, candidates) == (few, candidates)
    taken, judged = newest(many, candidates)
    assert [one.episode_id for one in taken] == [f"{n}-0" for n in range(5, SMALL + 5)]
    assert judged == candidates[2:]


def test_equal_openings_are_compared_once() -> None:
    """However often each was said: the neighbours are the earliest, as when all were compared."""
    texts = ["cancel the order", "where is the parcel", "refund the order"] * 400
    openings = Openings(texts, ["done", "told", "paid"] * 400)
    first = calls_in(lambda _: openings.nearest_to("cancel the order"), 0)
    assert openings.nearest_to("cancel the order", without=0) == list(range(3, 123, 3))
    assert first < 100


def test_an_even_sample_keeps_the_order_and_all_of_few() -> None:
    """What is learnt from a few is learnt from all of them."""
    assert list(sample_evenly(range(5), 5)) == [0, 1, 2, 3, 4]
    assert list(sample_evenly(range(10), 4)) == [0, 2, 5, 7]


_NONE: Final = Dispatched({})
_SAYS: Final = ({"role": "assistant", "content": "done"},)


def _episode(number: int) -> CleanEpisode:
    return replace(season()[0].episode, episode_id=f"{number}-0", started_at=number)


def _blank(number: int, *, attempts: int = 0) -> Candidate:
    task = Task(task_id=f"{number:04}", app="a", opening=(), tools=(), world="a")
    rubric = Rubric(task_id=task.task_id, checks=())
    recorded = tuple(
        RecordedAttempt(episode_id=f"{number}-{one}", actions=(), resolved=True)
        for one in range(attempts)
    )
    return Candidate(task=task, rubric=rubric, solution=_SAYS, attempts=recorded)
