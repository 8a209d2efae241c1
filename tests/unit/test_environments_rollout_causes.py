"""The cause of a reward or of none, and what a rollout keeps of its verdict for people."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.rollout.causes import (
    CAUSES,
    ERROR,
    FAILED,
    JUDGE,
    LIMIT,
    NULLS,
    REWARDED,
    UNDECIDED,
    UNKNOWN_ANSWER,
    USER,
    Facts,
    cause_of,
    nulls_in_words,
)
from environments.rollout.engine import RolloutSettings, run_rollouts
from environments.rollout.explanation import (
    answers_of,
    checks_of,
    checks_text,
    explain,
    unanswered_of,
)
from environments.rollout.rollout import Rollout
from environments.rollout.scripts import ScriptedPolicy
from environments.runtime.play.user import NEUTRAL
from environments.runtime.task.attempt import Attempt, Call, ToolResult
from environments.runtime.task.rubric import Check, Rubric
from environments.runtime.task.task_set import TaskSet
from environments.runtime.task.verdict import CheckResult, Score, Verdict
from tests.environments_shop import call, say, write_shop


def facts(
    reward: float | None = None, *, reason: str = "not graded: end_state", **more: object
) -> Facts:
    """A run that ended by the user, with what a test says of it."""
    known: dict[str, object] = {"reward": reward, "reason": reason, "stop_reason": "user_ended"}
    return Facts(**(known | more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("known", "code"),
    [
        (facts(1.0), REWARDED),
        (facts(0.25), REWARDED),
        (facts(0.0), FAILED),
        (facts(0.0, unknown_answers=5, user_unknown=2), FAILED),
        (facts(error="no connection", unknown_answers=5), ERROR),
        (facts(undecided=["judge"]), JUDGE),
        (facts(undecided=["judge"], unknown_answers=3), JUDGE),
        (facts(undecided=["judge", "end_state"], unknown_answers=3), UNKNOWN_ANSWER),
        (facts(undecided=["end_state"], unknown_answers=1), UNKNOWN_ANSWER),
        (facts(undecided=["end_state"], unknown_answers=1, user_unknown=4), UNKNOWN_ANSWER),
        (facts(reason="not graded: user_unknown", unknown_answers=1, user_unknown=1), USER),
        (facts(stop_reason="unknown", unknown_answers=1, user_unknown=9), USER),
        (facts(stop_reason="unknown", unknown_answers=9, user_unknown=1), UNKNOWN_ANSWER),
        (facts(user_unknown=1), USER),
        (facts(user_unknown=1, undecided=["end_state"]), UNDECIDED),
        (facts(user_unknown=1, undecided=["end_state"], stop_reason="limit"), LIMIT),
        (facts(stop_reason="limit", undecided=["end_state"]), LIMIT),
        (facts(stop_reason="limit", undecided=["end_state"], unknown_answers=1), UNKNOWN_ANSWER),
        (facts(undecided=["end_state"]), UNDECIDED),
    ],
)
def test_every_run_has_the_cause_that_a_person_would_name(known: Facts, code: str) -> None:
    """A reward names itself; without one the fault comes first, then the judge, tools, the user, limits, the rubric."""
    assert cause_of(known).code == code


@given(
    st.builds(
        Facts,
        reward=st.none() | st.floats(0, 1),
        reason=st.text(max_size=30),
        stop_reason=st.sampled_from([None, "user_ended", "terminal_tool", "limit", "unknown"]),
        error=st.none() | st.text(max_size=5),
        unknown_answers=st.integers(0, 20),
        user_unknown=st.integers(0, 20),
        undecided=st.lists(st.sampled_from(["judge", "end_state", "told"]), max_size=3),
    )
)
def test_a_run_is_null_by_its_cause_exactly_where_it_has_no_reward(known: Facts) -> None:
    """No reward is counted as null, no null as a reward, and every null has a remedy."""
    cause = cause_of(known)
    assert cause.is_null == (known.reward is None or known.error is not None)
    assert bool(cause.remedy) or not cause.is_null


def test_causes_in_words_name_only_nulls() -> None:
    """What was rewarded or failed is no null; none at all says so."""
    assert nulls_in_words({REWARDED: 3, USER: 2, UNKNOWN_ANSWER: 1200}) == (
        "1,200 unknown tool answer, 2 user"
    )
    assert nulls_in_words({REWARDED: 3}) == "none"
    assert set(NULLS) | {REWARDED, FAILED} == set(CAUSES)


def _rolled(folder: Path, *actions: object) -> list[Rollout]:
    write_shop(folder)
    task_set = TaskSet.load(folder)

    def act(_messages: object, _tools: object, run: object) -> object:
        acted = run.acted  # type: ignore[attr-defined]
        return actions[acted] if acted < len(actions) else say("Goodbye.")

    async def gather() -> list[Rollout]:
        policy = ScriptedPolicy("p", act)  # type: ignore[arg-type]
        return [one async for one in run_rollouts(task_set, policy, RolloutSettings())]

    return asyncio.run(gather())


def test_a_rollout_keeps_its_verdict_and_where_nobody_knew(tmp_path: Path) -> None:
    """The checks with what they found, the source of each answer, and the turn that the user did not understand."""
    (one, *_) = _rolled(
        tmp_path / "set",
        say("Xyzzy plugh?"),
        call("get_order", {"order_id": "o1"}, "c1"),
        call("get_order", {"order_id": "never-seen"}, "c2"),
    )
    messages = json.loads(one.trajectory)
    checks = checks_of(one.checks)
    assert [check.check_id for check in checks] == [
        check.check_id for check in TaskSet.load(tmp_path / "set").rubric(one.task_id).checks
    ]
    assert all(check.evidence for check in checks)
    assert answers_of(one.answers) == (("get_order", "recorded"), ("get_order", "unknown"))
    assert [messages[at]["content"] for at in unanswered_of(one.unanswered)] == [NEUTRAL]
    assert one.user_unknown == 1
    assert one.cause in CAUSES


def _attempt(source: str = "derived") -> tuple[Attempt, Verdict, Rubric]:
    made = Call(name="find", arguments={}, result=ToolResult(content="?", source=source), message=1)
    rubric = Rubric(
        task_id="t",
        checks=(
            Check(check_id="end", fn="end_state", required=True, role="reward", says="x" * 9_000),
            Check(
                check_id="guess", fn="judge", required=True, role="agreement", says="It is nice."
            ),
        ),
    )
    verdict = Verdict(
        task_id="t",
        task_version="v",
        rubric="r",
        reward=None,
        predicted=None,
        reason="not graded: end",
        score=Score(passed=0, graded=0, total=2),
        checks=(
            CheckResult(check_id="end", score=None, evidence="nobody knows"),
            CheckResult(check_id="guess", score=None, evidence="no judge's reply"),
        ),
    )
    return Attempt(messages=(), opening=0, calls=(made,)), verdict, rubric


def test_a_check_that_only_predicts_is_no_cause() -> None:
    """The missing judge of the prediction does not explain a missing reward."""
    found = explain(*_attempt("unknown"))
    assert found.cause.code == UNKNOWN_ANSWER


def test_a_run_keeps_what_each_check_compared() -> None:
    """Its sentence is made from the check's arguments, whatever the rubric says of it, and never long."""
    found = explain(*_attempt())
    assert found.checks[0].says == "Nobody knows what the agent has to change."
    assert found.checks[1].says.startswith("A judge reads what the agent says to the user")


def test_a_broken_run_shows_no_checks() -> None:
    """What was graded half-way says nothing."""
    found = explain(*_attempt(), error="no connection")
    assert (found.cause.code, found.checks) == (ERROR, ())


def test_checks_read_back_as_they_were_kept() -> None:
    """JSON text and back, whatever stands in the sentences."""
    found = explain(*_attempt())
    assert checks_of(checks_text(found.checks)) == found.checks


@given(st.text(max_size=40) | st.just("[" * 5_000) | st.just('[1, null, {"score": "x"}, [2]]'))
def test_what_is_no_explanation_reads_as_none(text: str) -> None:
    """Rows of another hand never raise."""
    assert isinstance(checks_of(text), tuple)
    assert isinstance(unanswered_of(text), tuple)
    assert checks_of(None) == ()
    assert answers_of(None) is None


def test_a_part_paid_for_a_failed_run_is_a_failure() -> None:
    """A set that pays the share pays a failed run a little: its cause stays that a required check failed."""
    attempt, verdict, rubric = _attempt()
    part = replace(verdict, reward=0.2, all_or_nothing=0.0, share=0.2)
    assert explain(attempt, part, rubric).cause.code == FAILED
    assert explain(attempt, replace(part, all_or_nothing=1.0), rubric).cause.code == REWARDED
