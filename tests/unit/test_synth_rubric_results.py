"""Recorded results as rubrics read them: as the learnt world does, whatever stands around them and however an app refuses."""

from __future__ import annotations

from functools import cache

import pytest

from benchmarks.rubrics.desk import true_label
from benchmarks.testbeds.desk.conversations import Shop, hold_season
from benchmarks.testbeds.desk.forms import PLAIN, rewritten
from environments.runtime.task.candidate import Candidate
from environments.runtime.world.world import World
from synth.recordings.attempt import record
from synth.recordings.results import Results
from synth.tasks import derive_tasks
from synth.tool_content import held_value
from synth.worlds import LearntWorld, WorldSettings, learn_world

FORMS = ("refused: detail", "refused: null", "meta around ok and data", "content, then time taken")


@cache
def _season() -> Shop:
    return hold_season(variant=1, seed=301, conversations=40, attempts=4)


@cache
def _learnt(form: str) -> tuple[Shop, LearntWorld]:
    shop = rewritten(_season(), form, well=True)
    return shop, learn_world([t.episode for t in shop.talks], WorldSettings(risk=0))


def _tasks(form: str) -> list[Candidate]:
    shop, learnt = _learnt(form)
    labels = {t.episode.episode_id: true_label(t) for t in shop.talks}
    return derive_tasks([t.episode for t in shop.talks], labels, learnt)


@pytest.mark.parametrize("form", FORMS)
def test_rubrics_are_the_same_in_every_form(form: str) -> None:
    """The source says of every call that it ended well; an envelope may hold what differs from call to call."""
    assert [c.rubric for c in _tasks(form)] == [c.rubric for c in _tasks(PLAIN)]


@pytest.mark.parametrize("form", FORMS)
def test_recorded_results_read_as_plain_ones(form: str) -> None:
    """What is inside and what was refused are those of the plain season, for every call."""
    shop, learnt = _learnt(form)
    world = World(learnt.document)
    for plain, talk in zip(_season().talks, shop.talks, strict=True):
        told = record(talk.episode, world.dispatched, Results.of_episode(world, talk.episode))
        for was, now in zip(record(plain.episode).attempt.calls, told.attempt.calls, strict=True):
            assert now.result.is_error == was.result.is_error
            assert now.result.is_error or held_value(now.result.content) == held_value(
                was.result.content
            )
