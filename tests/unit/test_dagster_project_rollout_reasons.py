"""Rewards by reason and by policy, and policies that hide failures behind null."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_project.lake.store import Lake
from dagster_project.rollouts.reasons import PolicyReasons, by_policy
from dagster_project.rollouts.store import keep, reasons_of, rollout_rows
from environments.export.card_figures import null_section
from environments.rollout.causes import ERROR, FAILED, JUDGE, REWARDED, UNKNOWN_ANSWER, USER
from tests.unit.test_dagster_project_rollout_store import made


def row(task: str, reward: float | None, *, policy: str = "p", **more: object) -> dict[str, Any]:
    """One rollout's row; a null one met an unknown tool answer unless the test says otherwise."""
    earned = REWARDED if reward else UNKNOWN_ANSWER if reward is None else FAILED
    return {
        "policy": policy,
        "task_id": task,
        "task_version": "v",
        "reward": reward,
        "predicted": None,
        "cause": earned,
    } | more


def rows(task: str, rewards: Iterable[float | None], policy: str = "p") -> list[dict[str, Any]]:
    """Several rollouts at one task."""
    return [row(task, reward, policy=policy) for reward in rewards]


def only(found: Iterable[PolicyReasons], policy: str = "p") -> PolicyReasons:
    """The line of one policy."""
    (one,) = [line for line in found if line.policy == policy]
    return one


def test_a_policy_that_masks_what_it_fails_is_reported() -> None:
    """Tasks it solves are never null, tasks it fails mostly are: reported, with both shares."""
    solved = [one for n in range(20) for one in rows(f"s{n}", [1.0, 1.0])]
    failed = [one for n in range(20) for one in rows(f"f{n}", [0.0, None, None])]
    one = only(by_policy(solved + failed))
    assert one.hides
    assert one.null_when_failing == pytest.approx(40 / 60)
    assert one.null_when_succeeding == 0.0
    assert (one.null, one.null_share) == (40, 0.4)
    assert one.says() == "67% of its failing runs are null, but 0% of its successful ones"


def test_null_that_does_not_hang_on_failure_is_not_reported() -> None:
    """The same share of null where it succeeds and where it fails is the world's doing."""
    solved = [one for n in range(20) for one in rows(f"s{n}", [1.0, None])]
    failed = [one for n in range(20) for one in rows(f"f{n}", [0.0, None])]
    one = only(by_policy(solved + failed))
    assert (one.null_share, one.hides, one.says()) == (0.5, False, "")


def test_a_policy_that_is_never_rewarded_has_only_failures_to_hide() -> None:
    """Its nulls are reported although there is no success to compare with, whatever others earn at those tasks."""
    cheat = [*rows("a", [0.0, None, None]), *rows("b", [None])]
    better = [*rows("a", [1.0], "q"), *rows("b", [1.0, 0.0], "q")]
    one = only(by_policy([*cheat, *better]))
    assert (one.hides, one.null_when_failing, one.null_when_succeeding) == (True, 0.75, None)
    assert "no run of it is rewarded" in one.says()


def test_a_policy_of_which_nothing_is_graded_is_reported() -> None:
    """Null everywhere is the best place to hide; runs that wait for a judge or broke are not the policy's doing."""
    one = only(by_policy(rows("a", [None, None])))
    assert (one.hides, one.says()) == (True, "no run of it has a reward")
    waiting = [row("a", None, cause=JUDGE), row("b", None, cause=ERROR)]
    assert not only(by_policy(waiting)).hides
    assert not only(by_policy([*waiting, *rows("c", [0.0])])).hides


def test_failures_hidden_beside_successes_at_one_task_are_found_by_what_users_would_report() -> (
    None
):
    """Half its runs solve the task, half are null: with a prediction of failure it is reported, without one it is not."""
    solved = [one for n in range(20) for one in rows(f"t{n}", [1.0, 1.0])]
    null = [row(f"t{n}", None) for n in range(20) for _ in range(2)]
    assert not only(by_policy(solved + null)).hides
    unresolved = [one | {"predicted": 0.0} for one in null]
    found = only(by_policy(solved + unresolved))
    assert (found.hides, found.null_when_failing, found.null_when_succeeding) == (True, 1.0, 0.0)
    resolved = [one | {"predicted": 1.0} for one in null]
    assert not only(by_policy(solved + resolved)).hides


def test_with_one_rollout_a_task_other_policies_tell_which_tasks_it_fails() -> None:
    """A policy that only ever earns 1 or null is found by what others earn at the tasks it has null at."""
    easy, hard = [f"e{n}" for n in range(30)], [f"h{n}" for n in range(30)]
    hider = [one for t in easy for one in rows(t, [1.0])] + [
        one for t in hard for one in rows(t, [None])
    ]
    other = [one for t in easy for one in rows(t, [1.0], "q")] + [
        one for t in hard for one in rows(t, [0.0], "q")
    ]
    constant = [one for t in easy + hard for one in rows(t, [1.0], "solution")]
    assert only(by_policy([*hider, *other, *constant])).hides
    assert not only(by_policy([*hider, *constant])).hides
    assert not only(by_policy([*hider, *other, *constant]), "q").hides


def test_one_null_among_few_is_no_evidence() -> None:
    """One null at a failed task beside one clean success: too little to say so."""
    one = only(by_policy([*rows("a", [1.0]), *rows("b", [0.0, None])]))
    assert (one.null, one.hides) == (1, False)


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.sampled_from([None, 0.0, 0.5, 1.0]),
            st.sampled_from("pqr"),
            st.booleans(),
        ),
        max_size=40,
    )
)
def test_shares_are_shares_and_counts_add_up(
    drawn: list[tuple[str, float | None, str, bool]],
) -> None:
    """Whatever the rollouts: every one is counted under one cause, and shares lie between 0 and 1."""
    found = [
        row(task, None, policy=policy, cause=ERROR) if broken else row(task, reward, policy=policy)
        for task, reward, policy, broken in drawn
    ]
    lines = by_policy(found)
    assert sum(sum(line.reasons.values()) for line in lines) == len(found)
    for line in lines:
        shares = [part for part in line.null_shares if part is not None]
        assert all(0 <= part <= 1 + 1e-9 for part in shares)
        assert line.null + line.reasons.get(ERROR, 0) + line.graded == line.rollouts
    assert null_section({"rollouts": [line.to_json() for line in lines]})


def test_rollouts_of_the_lake_are_counted_once(tmp_path: Path) -> None:
    """One that a fault broke gives way to the one that ended; of another version of the task nothing is counted."""
    lake = Lake(tmp_path)
    keep(lake, [made(0, 1.0), made(1, None), made(3, None, error="no connection")])
    keep(lake, [replace(made(2, None), cause=USER), made(3, 0.0)])
    (line,) = reasons_of(lake, {"t": "v"}, ["shop"])
    assert line.reasons == {REWARDED: 1, FAILED: 1, UNKNOWN_ANSWER: 1, USER: 1}
    assert reasons_of(lake, {"t": "another version"}, ["shop"]) == ()
    (row,) = rollout_rows(lake)
    assert (row.found.null, row.found.graded, row.found.rollouts) == (2, 2, 4)


def test_the_card_names_policies_that_hide_failures() -> None:
    """Null by policy and by cause, with the remedy; a card of an older export says that nothing was tried."""
    lines = by_policy([*rows("a", [0.0, None, None]), *rows("a", [1.0], "q|r")])
    card = null_section({"rollouts": [line.to_json() for line in lines]})
    assert "| `p` | 3 | 0.000 | 66.7% | 66.7% |  | 2 |" in card
    assert "**More often null where they fail**: `p`" in card
    assert "`q/r`" in card
    assert "--simulate MODEL" in card
    assert null_section({}) == "No policy was tried."


def test_a_part_of_the_reward_for_a_failed_run_hides_no_policy() -> None:
    """Where the set pays the share a failed run earns a little; it failed all the same, and null beside it is reported."""
    failed = [row("a", 0.2, cause=FAILED) for _ in range(20)]
    null = [row("b", None) for _ in range(20)]
    found = only(by_policy([*failed, *null]))
    assert found.mean_reward == pytest.approx(0.2)
    assert found.reasons == {FAILED: 20, UNKNOWN_ANSWER: 20}
    assert (found.null_when_failing, found.null_when_succeeding, found.hides) == (0.5, None, True)
