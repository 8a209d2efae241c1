"""Which graders are trusted: errors hold back the kind that makes them, and nothing is held back for being unknown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagster_project.tasks.agreement import HeldOut
from dagster_project.tasks.grader_trust import (
    GOOD,
    MOST_FALSE_PASSES,
    SHOWN,
    UNMEASURED,
    UNPROVEN,
    UNTRUSTED,
    AppTrust,
    needed,
    share,
    told_of,
    trust_of,
)
from environments.verification.kinds import CHANGES, EXPLAINS, REVIEWED, TELLS


def attempts(  # what an attempt is, each with its usual value
    kind: str,
    tasks: int,
    *,
    each: int = 2,
    false_pass: int = 0,
    false_fail: int = 0,
    by: str = "end_user",
    noise: float = 0.0,
) -> list[HeldOut]:
    """Attempts at tasks of a kind, half of them resolved; so many tasks begin with a false pass, the next ones with a false fail."""
    found: list[HeldOut] = []
    for task in range(tasks):
        for number in range(each):
            wrong_pass = number == 0 and task < false_pass
            wrong_fail = number == 0 and false_pass <= task < false_pass + false_fail
            resolved = wrong_fail or (not wrong_pass and (task + number) % 2 == 0)
            said = resolved is not (wrong_pass or wrong_fail)
            found.append(
                HeldOut(
                    episode_id=f"{kind}{task}-{number}",
                    task_id=f"{kind}{task}",
                    resolved=resolved,
                    predicted=float(said),
                    paid=float(said),
                    witness=True,
                    by=by,
                    noise=noise,
                )
            )
    return found


def judged(
    *groups: Sequence[HeldOut],
    rejected: Iterable[str] = (),
    unseen: Mapping[str, str] | None = None,
) -> AppTrust:
    """The trust of an app with these attempts; tasks are named after their kind, `unseen` ones have no attempt."""
    held_out = [one for group in groups for one in group]
    kinds = {one.task_id: one.task_id.rstrip("0123456789") for one in held_out} | dict(unseen or {})
    return trust_of(held_out, kinds, kinds.keys() - set(rejected))


def standings(found: AppTrust) -> dict[str, str]:
    """The standing of each kind."""
    return {row.kind: row.standing for row in found.kinds}


def test_graders_without_an_error_ship_however_few_attempts_there_are() -> None:
    """Nothing is held back for being unknown; what was never measured says so."""
    found = judged(attempts(CHANGES, 2), unseen={"t1": TELLS})
    assert standings(found) == {CHANGES: UNPROVEN, TELLS: UNMEASURED}
    assert found.untrusted == frozenset()
    row = next(row for row in found.kinds if row.kind == TELLS)
    assert (row.graded, row.kappa, row.false_pass.high, row.in_doubt) == (0, None, 1.0, False)
    assert all(row.is_untested for row in found.kinds)


def test_enough_attempts_without_an_error_are_good_enough() -> None:
    """At 183 the exact bound falls to 2 %."""
    assert standings(judged(attempts(CHANGES, 183, each=1))) == {CHANGES: GOOD}
    assert standings(judged(attempts(CHANGES, 182, each=1))) == {CHANGES: UNPROVEN}
    assert (needed(0, 0), needed(0, 182), needed(0, 183), needed(0, 500)) == (183, 1, 0, 0)


def test_a_kind_that_errs_is_held_back_and_the_others_ship() -> None:
    """Ten false passes of forty; a kind that has shown that it does better is not to blame."""
    found = judged(attempts(CHANGES, 20, false_pass=10), attempts(EXPLAINS, 30))
    assert found.untrusted == {CHANGES}
    assert standings(found)[EXPLAINS] == UNPROVEN


def test_what_training_would_not_pay_is_no_false_pass() -> None:
    """A grader may foresee a pass where the attempt is masked, or lacks what pay asks for: nobody is taught by it."""
    group = attempts("wrong", 20, false_pass=5)
    for masked in (None, 0.0):
        seen = [one if one.resolved else replace(one, paid=masked) for one in group]
        assert judged(seen).untrusted == frozenset()
    assert judged(group).untrusted == {"wrong"}


def test_three_false_passes_at_three_tasks_are_enough_where_few_are_graded() -> None:
    """A wrong thing told and a right thing withheld count alike: what is probable decides, not what is certain."""
    assert judged(attempts(CHANGES, 10, false_pass=3)).untrusted == {CHANGES}
    assert judged(attempts(CHANGES, 10, false_pass=1)).untrusted == frozenset()
    assert judged(attempts(CHANGES, 100, false_pass=3)).untrusted == frozenset()


def test_users_who_were_helped_and_get_nothing_count_as_well() -> None:
    """A grader that fails the good is as bad as one that passes the bad."""
    assert judged(attempts(CHANGES, 20, false_fail=10)).untrusted == {CHANGES}


def test_in_an_app_whose_graders_err_a_kind_must_have_shown_that_it_does_better() -> None:
    """The errors are those of tasks that the gate rejected: they show what graders of this app are worth."""
    bad = attempts(TELLS, 10, false_pass=9)
    rejected = {one.task_id for one in bad}
    few, many = attempts(CHANGES, 2), attempts(CHANGES, 30)
    held = judged(bad, few, rejected=rejected)
    assert held.untrusted == {CHANGES}
    assert held.kinds[0].app_errs
    assert "the app's graders err" in told_of(held.kinds[0])
    assert judged(bad, many, rejected=rejected).untrusted == frozenset()


def test_one_broken_task_is_not_its_kind() -> None:
    """Four false passes of one task: its kind stands, for without that task nothing speaks against it."""
    broken = [replace(one, resolved=False, predicted=1.0) for one in attempts(CHANGES, 1, each=6)]
    others = [replace(one, task_id=f"{CHANGES}9{one.task_id[-1]}") for one in attempts(CHANGES, 8)]
    found = judged(broken, others)
    assert found.untrusted == frozenset()
    assert found.kinds[0].in_doubt
    assert found.kinds[0].tasks_false_pass.count == 1


def test_what_wrong_labels_explain_is_no_error_of_graders() -> None:
    """Users who are wrong one time in five: twelve of a hundred false passes say nothing; users who are right convict."""
    assert judged(attempts(CHANGES, 100, each=1, false_pass=12, noise=0.2)).untrusted == frozenset()
    assert judged(attempts(CHANGES, 100, each=1, false_pass=12)).untrusted == {CHANGES}


@pytest.mark.parametrize("by", ["model", "code"])
def test_what_models_and_programs_say_is_shown_and_decides_nothing(by: str) -> None:
    """The figures stand there, in a row of their own."""
    found = judged(attempts(CHANGES, 20, false_pass=20, by=by))
    assert found.untrusted == frozenset()
    assert [(row.standing, row.graded) for row in found.kinds] == [(UNMEASURED, 0), (SHOWN, 40)]
    assert not any(row.in_doubt for row in found.kinds)


def test_a_reviewers_own_checks_are_not_judged_by_what_they_replaced() -> None:
    """Attempts left out are graded by derived rubrics."""
    bad = attempts(TELLS, 10, false_pass=9)
    found = judged(bad, attempts(REVIEWED, 10, false_pass=9))
    assert standings(found) == {TELLS: UNTRUSTED, REVIEWED: UNMEASURED}


def test_attempts_without_a_resolved_other_or_a_task_do_not_count() -> None:
    """There a rubric can hardly say anything."""
    alone = [replace(one, witness=False) for one in attempts(CHANGES, 20, false_pass=20)]
    assert standings(judged(alone)) == {CHANGES: UNMEASURED}
    assert trust_of(attempts(CHANGES, 20, false_pass=20), {}, ()).kinds == ()


def test_a_kind_in_doubt_is_named_with_what_would_settle_it() -> None:
    """The sentence of the asset check: the kind, what was seen, what is possible, and how many more attempts."""
    (row,) = judged(attempts(CHANGES, 50, each=1, false_pass=1)).kinds
    assert row.in_doubt
    assert told_of(row) == (
        "changes: not proven; of 50 graded false passes: 1, up to 10.6 % possible; "
        "227 more graded attempts without an error would prove it"
    )


def test_attempts_without_an_error_fail_no_check_however_few_they_are() -> None:
    """Fifty graded rightly prove less than a thousand, and nothing at all proves nothing: neither is a fault to mend."""
    (row,) = judged(attempts(CHANGES, 50, each=1)).kinds
    assert (row.standing, row.in_doubt, row.is_untested) == (UNPROVEN, False, True)


def test_kappa_is_the_lowest_that_remains_without_one_task() -> None:
    """Two errors at two tasks: without one that was judged rightly the agreement is less."""
    (row,) = judged(attempts(CHANGES, 10, each=1, false_pass=2)).kinds
    assert row.kappa is not None
    assert row.kappa_low is not None
    assert row.kappa_low < row.kappa


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    # R: binom.test(count, of)$conf.int
    [
        (0, 10, 0.0, 0.3085),
        (10, 10, 0.6915, 1.0),
        (2, 10, 0.02521, 0.5561),
        (13, 18, 0.4652, 0.9031),
    ],
)
def test_intervals_are_exact(count: int, of: int, low: float, high: float) -> None:
    """Clopper and Pearson, by another program."""
    found = share(count, of)
    assert found.low == pytest.approx(low, abs=1e-4)
    assert found.high == pytest.approx(high, abs=1e-4)


@given(st.integers(0, 6), st.integers(0, 400))
def test_needed_is_the_first_number_that_suffices(errors: int, graded: int) -> None:
    """One fewer does not."""
    graded = max(graded, errors)
    more = needed(errors, graded)
    assert share(errors, graded + more).high <= MOST_FALSE_PASSES
    assert more == 0 or share(errors, graded + more - 1).high > MOST_FALSE_PASSES


@given(
    st.lists(
        st.tuples(
            st.sampled_from([CHANGES, TELLS]),
            st.integers(0, 5),
            st.booleans(),
            st.sampled_from([None, 0.0, 1.0]),
        ),
        max_size=40,
    )
)
def test_nothing_is_held_back_where_every_graded_attempt_is_judged_rightly(
    rows: list[tuple[str, int, bool, float | None]],
) -> None:
    """Whatever else there is: being unknown or not graded is no evidence."""
    right = [
        HeldOut(
            episode_id=str(n),
            task_id=f"{kind}{task}",
            resolved=resolved,
            predicted=None if said is None else float(resolved),
            witness=True,
        )
        for n, (kind, task, resolved, said) in enumerate(rows)
    ]
    found = judged(right)
    assert found.untrusted == frozenset()
    for row in found.kinds:
        assert row.false_pass.count == row.false_fail.count == 0
        assert row.graded <= row.attempts
        assert row.graded_tasks <= row.tasks
