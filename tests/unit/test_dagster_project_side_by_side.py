"""A failing step beside a resolved one: what stood before, what was done, what came back, and nothing where nothing can be compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dagster_project.causes.side_by_side import AROUND, side_by_side
from dagster_project.lake.rows import constant_column, to_table
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_EPISODES
from redact.records.clean_episode import CleanEpisode
from synth.failures.detection import Failure, detect
from synth.failures.reading import AppReading
from synth.labels.label import Label
from tests.failure_reference import reference_from
from tests.unit.clean_conversations import call, episode, result, says, user

LOAN = (call("1", "find_loan", loan_id="L-1"), result("1", '{"title": "' + "Atlas " * 60 + '"}'))
RIGHT = replace(
    episode(
        user("Please renew loan L-1."),
        *LOAN,
        call("2", "renew_loan", loan_id="L-1"),
        result("2", '{"until": "May"}'),
        says("Renewed until May."),
        episode_id="right",
    ),
    task_key="t",
)
WRONG = replace(
    episode(
        user("Please renew loan L-1."),
        *LOAN,
        says("I am sorry, that cannot be done. Goodbye."),
        user("Why?"),
        episode_id="wrong",
    ),
    task_key="t",
)


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """Both conversations past the gate."""
    made = Lake(tmp_path / "lake")
    day = constant_column("2026-03-01")
    made.append(CLEAN_EPISODES, to_table((RIGHT, WRONG), CLEAN_EPISODES.schema, day=day))
    return made


def failure(one: CleanEpisode = WRONG) -> Failure:
    """The failure, compared with the resolved attempt."""
    reference = reference_from([(RIGHT, Label(resolved=True, by="code"))])
    found = detect(one, Label(resolved=False, by="code"), app=AppReading(reference=reference))
    assert found is not None
    return found


def test_both_steps_stand_in_their_place(lake: Lake) -> None:
    """The agent gave up after the look-up; the resolved attempt renewed after the same one. What is long is cut."""
    found = side_by_side(lake, [failure()])
    assert found is not None
    assert (found.failed.step, found.resolved.step) == (3, 3)
    assert found.failed.done.startswith("I am sorry")
    assert found.failed.back == "User: Why?"
    assert found.resolved.done == 'calls renew_loan {"loan_id": "L-1"}'
    assert found.resolved.back == 'Tool answers: {"until": "May"}'
    assert found.failed.before == found.resolved.before
    assert len(found.failed.before) == AROUND + 1


def test_nothing_stands_beside_where_nothing_can_be_compared(lake: Lake) -> None:
    """No resolved attempt, no step, or an episode that is gone."""
    one = failure()
    for odd in (
        replace(one, beside=None),
        replace(one, step=None),
        replace(one, beside="gone"),
        replace(one, episode_id="gone"),
    ):
        assert side_by_side(lake, [odd]) is None
    assert side_by_side(lake, []) is None
