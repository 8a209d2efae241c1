"""Budgets of stages: read from plain texts, spent, and said."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from itertools import count

import pytest

from dagster_project.build.budgets import Budget, Meter, budgets_of, meter_of
from dagster_project.build.left_out import Skips
from dagster_project.build.left_out_rows import lines_of, rows_of
from dagster_project.errors import InputError
from dagster_project.tasks.verification import TaskKnowledge, verify_all
from environments.judges.ask import Judge
from environments.judges.question import Question
from environments.judges.spent import Spent
from environments.runtime.task.candidate import Candidate
from environments.verify import ACCEPTED, NEEDS_REVIEW
from tests.unit.test_dagster_project_verification import candidates, stored


def test_amounts_are_times_tokens_and_money() -> None:
    """Several of one stage hold together."""
    texts = [
        "worlds=30s",
        "verified_tasks=5m",
        "verified_tasks=2.5usd",
        "verified_tasks=1000tokens",
    ]
    assert budgets_of(texts) == {
        "worlds": Budget(seconds=30),
        "verified_tasks": Budget(seconds=300, usd=2.5, tokens=1000),
    }


@pytest.mark.parametrize(
    "text", ["", "worlds", "worlds=", "worlds=5", "days=5m", "worlds=-1s", "x=1usd"]
)
def test_what_is_no_budget_is_refused_in_one_sentence(text: str) -> None:
    """With the stages that have one, and how amounts are written."""
    with pytest.raises(
        InputError,
        match="stages are failures, failure_clusters, worlds, agreement, verified_tasks, amounts such as",
    ):
        budgets_of([text])


def test_a_stage_that_asks_no_model_has_no_money_to_spend() -> None:
    """It is told to take a time instead."""
    with pytest.raises(InputError, match="worlds asks no model: give it a time"):
        budgets_of(["worlds=2usd"])


def test_without_a_budget_nothing_is_ever_over() -> None:
    """However much was taken."""
    meter = meter_of("verified_tasks", {})
    meter.spent.add(10**9, 10**9, 10**9)
    assert not meter.is_late
    assert not meter.dear


@pytest.mark.leaves_out
def test_tasks_beyond_the_time_wait_and_the_next_build_attacks_only_those() -> None:
    """What was attacked is kept; what was not says why, and where to go on."""
    ticks = count()
    meter = Meter(
        stage="verified_tasks", budget=Budget(seconds=2), clock=lambda: float(next(ticks))
    )
    skips = Skips("verified_tasks", "shop")
    found = verify_all(
        candidates(), stored(), known={}, seen=TaskKnowledge(meter=meter), skips=skips
    )
    assert [(one.status, one.reasons) for one in found] == [
        (ACCEPTED, ()),
        (NEEDS_REVIEW, ("budget",)),
    ]
    (told,) = lines_of(rows_of(skips.found))
    assert told.startswith(
        "left for later: 1 task of shop, attacking tasks: the budget of verified_tasks was spent"
    )
    attacked: list[str] = []

    def track(some: Sequence[Candidate]) -> Sequence[Candidate]:
        attacked.extend(one.task.task_id for one in some)
        return some

    after = verify_all(
        candidates(),
        stored(),
        known={one.task_id: one for one in found},
        track=track,
    )
    assert [one.status for one in after] == [ACCEPTED, ACCEPTED]
    assert attacked == [found[1].task_id]


def test_a_judge_whose_tokens_are_gone_is_not_asked() -> None:
    """And its endpoint does not count as dead: the next build asks it."""
    spent, asked = Spent(), list[str]()
    meter = Meter(stage="verified_tasks", budget=Budget(tokens=100), spent=spent)

    async def complete(_: str, request: str) -> str:
        asked.append(request)
        spent.add(0, 100, None)
        return json.dumps({"answers": []})

    judge = Judge(model="m", complete=complete, may_ask=lambda: not meter.dear)
    questions = [Question(key="k", prompt="Polite?", low=0.0, high=1.0, evidence=("x",))]
    asyncio.run(judge.answer(questions, app="a"))
    assert len(asked) == 1
    assert meter.dear
    assert not judge.dead


def test_tokens_that_nobody_reports_are_estimated() -> None:
    """Rather too many than too few."""
    spent = Spent()
    spent.add(300, None, None)
    spent.add(300, 7, 0.5)
    assert (spent.tokens, spent.usd) == (107, 0.5)
