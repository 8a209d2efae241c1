"""What the gate tried, as a reader finds it: by what stops it, with what proves nothing and other ways apart."""

from typing import Any

from dagster_project.review.page.task_page import tried_attacks
from environments.runtime.task.rubric import Check, Rubric

RUBRIC = Rubric(task_id="t", checks=(Check(check_id="told_1", fn="told", args={"value": 305}),))


def probe(name: str, **more: object) -> dict[str, Any]:
    """An attack that a check stops."""
    return {
        "name": name,
        "expected": "zero",
        "reward": 0.0,
        "void": False,
        "passed": True,
        "why": "failed: told_1",
        **more,
    }


def test_attacks_stand_below_the_check_that_stops_them() -> None:
    """The check's sentence stands for its id, alike attacks are counted, what was paid is elsewhere."""
    found = tried_attacks(
        [
            probe("random_calls_1"),
            probe("random_calls_2"),
            probe("do_nothing"),
            probe("says_hello", reward=None, why="not graded: told_1"),
            probe("refuses", passed=False, reward=1.0),
            probe("extra_write", void=True),
        ],
        RUBRIC,
    )
    assert (found.held, found.empty) == (4, 1)
    assert [(group.says, group.attacks) for group in found.stopped] == [
        ("The agent tells the user 305.", ("random calls (2 times)", "doing nothing")),
        ("Nobody can grade it: The agent tells the user 305.", ("a greeting and nothing else",)),
    ]
    assert found.proving_nothing == ("the good attempt with one change too many",)


def test_other_ways_are_no_attacks() -> None:
    """Each says what becomes of it; the good attempt itself is none of them."""
    ways = [
        probe("good_attempt", expected="one", reward=1.0),
        probe("needless_look_1", expected="one", reward=1.0),
        probe("needless_look_2", expected="one", reward=None, void=True),
        probe("lists_reordered", expected="one", void=True),
    ]
    found = tried_attacks(ways, RUBRIC)
    assert found.held == 0
    assert [came for _, came in found.ways] == [
        "paid",
        "not graded: nobody knows how it ends",
        "not paid: the tools answer it otherwise",
    ]
