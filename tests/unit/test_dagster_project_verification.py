"""Verified tasks as a set: another process agrees, what pays constant policies waits for a person, and no policy judges a task."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from dagster_project.build.left_out import Skips
from dagster_project.defs.verified_tasks import ingredients
from dagster_project.lake.learnt_tables import ROLLOUTS
from dagster_project.lake.store import Lake
from dagster_project.review.feedback import can_accept
from dagster_project.tasks import verification
from dagster_project.tasks.agreement import HeldOut
from dagster_project.tasks.verification import (
    CONSTANT,
    ELSEWHERE,
    FAILED_ELSEWHERE,
    NOT_TRUSTED,
    TaskKnowledge,
    trust_in,
    verify_all,
)
from dagster_project.worlds.stored_worlds import StoredWorld
from environments.runtime.document.world_file import WorldDocument
from environments.runtime.task.candidate import Candidate
from environments.verification.other_process import GradedElsewhere, verdicts_elsewhere
from environments.verify import ACCEPTED, NEEDS_REVIEW, REJECTED
from tests.environments_shop import entry, world


def stored() -> StoredWorld:
    """The shop's world as the lake keeps it."""
    return StoredWorld(app="shop", document=WorldDocument.from_json(world()))


def candidates() -> list[Candidate]:
    """The shop's two sound tasks."""
    return [
        Candidate(task=one.task, rubric=one.rubric, solution=tuple(one.solution))
        for one in (entry(1), entry(3))
    ]


def test_another_process_with_another_hash_seed_agrees() -> None:
    """The known solutions get the very same verdicts there, and the tasks are accepted."""
    found = verify_all(candidates(), stored(), known={})
    assert [one.status for one in found] == [ACCEPTED, ACCEPTED]
    pairs = [(one, "v") for one in candidates()]
    elsewhere = verdicts_elsewhere(pairs, world())
    verdict: Any = elsewhere.verdicts["task1"]
    assert (verdict["reward"], verdict["task_version"]) == (1.0, "v")


def test_a_verdict_that_another_process_does_not_give_rejects(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever depends on the process is no truth about the task."""

    def otherwise(
        pairs: Sequence[tuple[Candidate, str]],
        document: Mapping[str, Any],
        *,
        recordings: Mapping[str, Any],
    ) -> GradedElsewhere:
        found: dict[str, Any] = dict(
            verdicts_elsewhere(pairs, document, recordings=recordings).verdicts
        )
        return GradedElsewhere(verdicts=found | {"task1": {**found["task1"], "reward": 0.0}})

    monkeypatch.setattr(verification, "verdicts_elsewhere", otherwise)
    found = {one.task_id: one for one in verify_all(candidates(), stored(), known={})}
    assert (found["task1"].status, found["task1"].reasons[0]) == (REJECTED, ELSEWHERE)
    assert found["task3"].status == ACCEPTED


@pytest.mark.leaves_out
def test_a_task_at_which_another_process_fails_waits_with_the_fault_noted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is no verdict that differs: the type and the place of the fault are noted, and the next build attacks the task again."""
    good, other = candidates()
    at: Any = "no moment at all"
    broken = replace(good, task=replace(good.task, started_at=at))

    def failing(
        pairs: Sequence[tuple[Candidate, str]],
        document: Mapping[str, Any],
        *,
        recordings: Mapping[str, Any],
    ) -> GradedElsewhere:
        there = [(broken if one.task.task_id == "task1" else one, v) for one, v in pairs]
        return verdicts_elsewhere(there, document, recordings=recordings)

    monkeypatch.setattr(verification, "verdicts_elsewhere", failing)
    skips = Skips("verified_tasks", "shop")
    found = verify_all([good, other], stored(), known={}, skips=skips)
    assert [one.status for one in found] == [NEEDS_REVIEW, ACCEPTED]
    assert (found[0].reasons, found[0].gate) == ((FAILED_ELSEWHERE,), "")
    (noted,) = skips.found
    assert (noted.kind, noted.unit, noted.error) == ("task", "task1", "BadPartError")
    assert noted.place.startswith("environments/runtime/")
    monkeypatch.undo()
    known = {one.task_id: one for one in found}
    assert [one.status for one in verify_all([good, other], stored(), known=known)] == [
        ACCEPTED
    ] * 2


def test_rollouts_never_take_a_task_out_of_the_set(tmp_path: Path) -> None:
    """A weak policy whose every run has no reward changes nothing of what verdicts are made of."""
    lake = Lake(tmp_path)
    before = ingredients(lake, ["shop"])
    row: dict[str, Any] = dict.fromkeys(ROLLOUTS.schema.names)
    row |= {"app": "shop", "day": "2026-11-20", "policy": "weak", "trajectory": "[]"}
    row |= {"task_id": "task1", "task_version": "v1"}
    rows = [{**row, "rollout_id": f"r{n}", "seed": n} for n in range(20)]
    lake.append(ROLLOUTS, pa.Table.from_pylist(rows, schema=ROLLOUTS.schema))
    assert ingredients(lake, ["shop"]) == before


def left_out(task_id: str, number: int, *, wrong: bool) -> HeldOut:
    """An attempt whose user was not helped, as a grader that had not seen it judged it."""
    return HeldOut(
        episode_id=f"{task_id}-{number}",
        task_id=task_id,
        resolved=False,
        predicted=float(wrong),
        paid=float(wrong),
        witness=True,
        by="end_user",
    )


def test_a_kind_of_check_that_errs_is_held_back_and_comes_back() -> None:
    """Both tasks' graders passed what failed; when they are judged rightly both are accepted, and not attacked again."""
    first = verify_all(candidates(), stored(), known={})
    (kind,) = {one.kind for one in first}
    known = {one.task_id: one for one in first}
    erring = [left_out(t, n, wrong=True) for t in known for n in range(4)]
    found = verify_all(candidates(), stored(), known=known, seen=TaskKnowledge(held_out=erring))
    assert {(one.status, one.reasons) for one in found} == {
        (NEEDS_REVIEW, (f"{NOT_TRUSTED}:{kind}",))
    }
    held = {one.task_id: one for one in found}
    assert trust_in(found, erring).untrusted == {kind}
    right = [left_out(t, n, wrong=False) for t in known for n in range(4)]
    assert (
        verify_all(candidates(), stored(), known=held, seen=TaskKnowledge(held_out=right)) == first
    )


def test_a_reviewer_may_accept_what_is_held_back_for_its_kind() -> None:
    """A person who looked at one task knows more of it than its kind does."""
    known = {one.task_id: one for one in verify_all(candidates(), stored(), known={})}
    erring = [left_out(t, n, wrong=True) for t in known for n in range(4)]
    found = verify_all(candidates(), stored(), known=known, seen=TaskKnowledge(held_out=erring))
    assert all(can_accept(one) for one in found)


def test_a_paid_constant_policy_holds_tasks_back_and_lets_them_go() -> None:
    """Two of two tasks that pay a look-up with a hand-over are over the limit; in a large set they are not."""
    first = verify_all(candidates(), stored(), known={})
    paid = [
        replace(
            one,
            probes=tuple(
                {**p, "reward": 1.0} if p["name"] == "constant_hands_over" else p
                for p in one.probes
            ),
        )
        for one in first
    ]
    found = verify_all(candidates(), stored(), known={one.task_id: one for one in paid})
    assert {one.status for one in found} == {NEEDS_REVIEW}
    assert {one.reasons for one in found} == {(CONSTANT,)}
    known = {one.task_id: one for one in first}
    assert verify_all(candidates(), stored(), known=known) == first


def test_what_is_said_of_a_task_is_plain_json() -> None:
    """It goes to the lake as it is."""
    found = verify_all(candidates(), stored(), known={})
    assert json.loads(json.dumps([list(one.probes) for one in found]))
