"""Held-out fidelity: episodes and whole tasks held out by one measuring world, and the check on wrong answers."""

from dataclasses import replace

from dagster_project.defs.worlds import wrong_answers
from dagster_project.worlds.held_out import is_held_out, measure, task_of
from dagster_project.worlds.stored_worlds import StoredWorld
from environments.runtime.document.world_file import WorldDocument
from synth.worlds import WorldSettings
from tests.unit.world_backend import workshop_episodes


def test_tasks_are_held_out_whole_and_counted_apart() -> None:
    """No attempt at an unseen task is learnt from; its calls are a part of all held-out calls."""
    episodes = [replace(e, task_key=f"t{n // 3}") for n, e in enumerate(workshop_episodes(90))]
    found = measure(episodes, WorldSettings(risk=0))
    unseen = found["unseen_tasks"]
    assert 0 < unseen["episodes"] < found["episodes"]
    assert 0 < unseen["calls"] < found["calls"]
    assert found["episodes"] + found["learnt_from"] == len(episodes)
    kept = {task_of(e) for e in episodes if not is_held_out(e)}
    assert {task_of(e) for e in episodes} - kept


def test_too_few_to_hold_out_is_not_measured() -> None:
    """Nine episodes, or one task: the fidelity is not known rather than zero."""
    episodes = workshop_episodes(40)
    assert measure(episodes[:9], WorldSettings(risk=0)) == {}
    key = next(k for k in map(str, range(100)) if is_held_out(replace(episodes[0], task_key=k)))
    assert measure([replace(e, task_key=key) for e in episodes], WorldSettings(risk=0)) == {}


def test_the_check_fails_for_one_bad_app_among_good_ones() -> None:
    """Two wrong of a hundred fail although a thousand calls of another app are right."""
    good = StoredWorld(app="good", document=WorldDocument(), fidelity={"calls": 1000, "wrong": 0})
    bad = StoredWorld(app="bad", document=WorldDocument(), fidelity={"calls": 100, "wrong": 2})
    assert wrong_answers([good]).passed
    checked = wrong_answers([good, bad])
    assert not checked.passed
    assert checked.metadata["wrong"] == 2
