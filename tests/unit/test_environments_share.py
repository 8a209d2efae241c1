"""The weighted share: parts are paid, gates are not bought off, and no attack that all-or-nothing refuses lives on its share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.diff import diff
from environments.export.taskset import Choice
from environments.runtime import TaskSet
from environments.runtime.play.main import check_tasks, main
from environments.runtime.task.attempt import UNKNOWN, Effect, EndState
from environments.runtime.task.errors import WrongVersionError
from environments.runtime.task.manifest import TaskSetManifest
from environments.runtime.task.rubric import AGREEMENT, BOTH, PASSES, REWARD, SHARE, Check
from environments.runtime.task.share import PAYS_SHARE, UNSOLVED, share_of
from tests.environments_shop import call, entry, say, write_shop
from tests.unit.graded_attempts import SET, attempt, end_check, grade, made

TOLD = [
    Check(check_id=f"told_{n}", fn="told", args={"value": n}, role=REWARD, required=True)
    for n in (7, 8, 9)
]
QUIET = Check(
    check_id="numbers_told",
    fn="numbers_told",
    args={"total": 4},
    role=REWARD,
    required=True,
    positive=False,
)
WROTE = Check(
    check_id="wrote_1",
    fn="wrote",
    args={"tool": "put", "arguments": SET, "end": "end_state"},
    role=SHARE,
)


def test_parts_of_a_failed_attempt_are_paid_less_than_half() -> None:
    """Two of three facts are two thirds of what an unsolved attempt can earn; all or nothing still pays nothing."""
    verdict = grade(*TOLD, QUIET, of=attempt(said=["It is 7, or 8."]))
    assert (verdict.reward, verdict.all_or_nothing) == (0.0, 0.0)
    assert verdict.share == pytest.approx(UNSOLVED * 2 / 3)
    assert verdict.score.says == "3 of 4"


def test_a_whole_attempt_earns_everything() -> None:
    """What all or nothing pays in full has the full share."""
    verdict = grade(*TOLD, QUIET, of=attempt(said=["It is 7, 8 and 9."]))
    assert (verdict.reward, verdict.share) == (1.0, 1.0)


def test_the_reward_is_what_was_asked_for() -> None:
    """One verdict knows both; its reward is the one that the task set pays."""
    verdict = grade(*TOLD, of=attempt(said=["7"]), pays=PAYS_SHARE)
    assert verdict.reward == verdict.share == pytest.approx(UNSOLVED / 3)
    assert verdict.all_or_nothing == 0.0


def test_a_broken_gate_makes_the_share_nothing() -> None:
    """Saying every number tells the facts, too: the cap is a gate, so no part of that is paid."""
    verdict = grade(*TOLD, QUIET, of=attempt(said=["1, 2, 3, 4, 5, 6, 7, 8, 9"]))
    assert (verdict.reward, verdict.share) == (0.0, 0.0)


def test_who_does_nothing_earns_nothing() -> None:
    """Rules that nobody broke pay as far as the work was done."""
    rule = Check(check_id="rule", fn="never_called", args={"tools": ["drop"]}, role=SHARE)
    rule = replace(rule, positive=False)
    assert grade(*TOLD, rule, of=attempt()).share == 0.0
    assert grade(*TOLD, rule, of=attempt(said=["7, 8, 9"])).share == 1.0
    broken = grade(*TOLD, rule, of=attempt(made("drop"), said=["7, 8, 9"]))
    assert (broken.reward, broken.share) == (1.0, 0.75)


def test_a_check_of_the_share_decides_nothing_else() -> None:
    """It may fail or not be graded: all or nothing and the prediction stay."""
    rule = Check(check_id="rule", fn="told", args={"value": 1}, role=SHARE)
    judged = Check(check_id="asked", fn="judge", args={"prompt": "Kind?"}, role=SHARE)
    alone = grade(*TOLD, of=attempt(said=["7, 8, 9"]))
    beside = grade(*TOLD, rule, judged, of=attempt(said=["7, 8, 9"]))
    assert (alone.reward, alone.predicted) == (beside.reward, beside.predicted)
    assert beside.share == 0.75
    assert beside.score.says == "3 of 5, 1 not graded"


def test_another_route_to_the_end_makes_its_changes() -> None:
    """A change that another call made is made, where the end holds it."""
    effect = Effect(entity="item", key="A1", field="to", before=1, after=3)
    rows = [["item", "A1", "to", "3"]]
    ends = [{"id": "e1", "writes": [["put", SET, 1]], "effects": rows, "events": []}]
    check = end_check(ends=ends, writes=["put", "place"])  # type: ignore[arg-type]  # JSON
    other = attempt(made("place", item="A1", by=2), end=EndState(effects=(effect,)))
    assert grade(check, WROTE, of=other).share == 1.0
    nothing = grade(check, WROTE, of=attempt())
    assert (nothing.share, nothing.score.passed) == (0.0, 0)


def test_tampering_is_not_paid_in_part() -> None:
    """Whoever claims other results than the tools gave earns nothing or is not graded."""
    found = grade(*TOLD, of=attempt(said=["7"], tampered=("call_1",)))
    assert found.share == found.reward == 0.0
    whole = grade(*TOLD, of=attempt(said=["7, 8, 9"], tampered=("call_1",)))
    assert whole.share is whole.reward is None


def test_an_unknown_end_has_no_share() -> None:
    """Null is null in both."""
    found = grade(end_check(), WROTE, of=attempt(made(item="A1", to=3, source=UNKNOWN)))
    assert (found.reward, found.share) == (None, None)


checks = st.builds(
    Check,
    check_id=st.just("c"),
    fn=st.just("told"),
    role=st.sampled_from([REWARD, BOTH, SHARE, AGREEMENT]),
    required=st.booleans(),
    positive=st.booleans(),
    weight=st.sampled_from([0.0, 0.5, 1.0, 3.0]),
)
graded = st.lists(st.tuples(checks, st.sampled_from([None, 0.0, 0.3, 0.5, 1.0])), max_size=12)


@given(graded, st.sampled_from([None, 0.0, 0.4, 0.5, 1.0]))
def test_what_all_or_nothing_refuses_never_earns_half(
    pairs: list[tuple[Check, float | None]], whole: float | None
) -> None:
    """Whatever the checks weigh: null is null, an unpaid attempt stays below half, and no number leaves [0, 1]."""
    found = share_of([c for c, _ in pairs], [s for _, s in pairs], whole)
    assert (found is None) == (whole is None)
    if found is not None and whole is not None:
        assert 0.0 <= found <= 1.0
        assert whole >= PASSES or found < 0.5


@given(graded, st.integers(0, 11))
def test_passing_one_more_check_never_costs(
    pairs: list[tuple[Check, float | None]], place: int
) -> None:
    """The share rises with every graded check that passes instead of failing."""
    if place >= len(pairs) or pairs[place][1] is None:
        return
    better = [(c, 1.0 if i == place else s) for i, (c, s) in enumerate(pairs)]
    one, two = (share_of([c for c, _ in p], [s for _, s in p], 1.0) for p in (pairs, better))
    assert one is not None
    assert two is not None
    assert two >= one - 1e-12


def test_an_old_task_set_pays_all_or_nothing(tmp_path: Path) -> None:
    """A manifest without the field is read as before; a field that nobody knows is refused in one sentence."""
    value = write_shop(tmp_path / "set").to_json()
    del value["reward"]
    assert TaskSetManifest.from_json(value).reward == "all"
    with pytest.raises(WrongVersionError, match="pays 'halves'"):
        TaskSetManifest.from_json({**value, "reward": "halves"})


def test_a_set_that_pays_the_share_is_sound_and_another_version(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`validate` proves it, its tasks are other versions, so that no rollout stands in a group with all-or-nothing, and `diff` says why."""
    whole = write_shop(tmp_path / "all")
    parts = write_shop(tmp_path / "share", choice=Choice(reward=PAYS_SHARE))
    assert (whole.reward, parts.reward) == ("all", "share")
    assert whole.task_set_version != parts.task_set_version
    assert whole.tasks[0].task_version != parts.tasks[0].task_version
    one, two = TaskSet.load(tmp_path / "all"), TaskSet.load(tmp_path / "share")
    assert [finding.faults for finding in check_tasks(two)] == [(), ()]
    assert main(["validate"], tmp_path / "share") == 0
    reasons = {reason.says for change in diff(one, two).changed for reason in change.reasons}
    assert reasons == {"the set pays 'share' instead of 'all'"}
    assert "weighted share" in (tmp_path / "share" / "README.md").read_text()
    capsys.readouterr()


def test_the_same_attempt_earns_its_part_in_a_set_that_pays_parts(tmp_path: Path) -> None:
    """The right calls without the words earn nothing or a part; the solution earns 1 in both."""
    silent = [call("cancel_order", {"order_id": "o1"})]
    for pays, expected in (("all", 0.0), (PAYS_SHARE, UNSOLVED / 2)):
        write_shop(tmp_path / pays, choice=Choice(reward=pays))
        task_set = TaskSet.load(tmp_path / pays)
        assert task_set.grade("task1", silent).reward == pytest.approx(expected)
        assert task_set.grade("task1", entry(1).solution).reward == 1.0
        assert task_set.grade("task1", [say("Hello.")]).reward == 0.0
