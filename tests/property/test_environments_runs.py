"""Whatever a policy sends: no exception, isolation, and a re-run that equals the live run."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.runtime import TaskSet, run_actions
from environments.runtime.values.canonical import digest
from tests.environments_shop import write_shop

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
ORDERS = st.sampled_from(["o1", "o2", "o3", "o9", ""])
ARGUMENTS = st.one_of(
    ORDERS.map(lambda order: json.dumps({"order_id": order})),
    JSON.map(json.dumps),
    st.text(max_size=12),
    JSON,
)
NAMES = st.sampled_from(["get_order", "cancel_order", "hand_over", "nope", "", None, 3])
CALLS = st.builds(
    lambda name, arguments: {"id": "c", "function": {"name": name, "arguments": arguments}},
    NAMES,
    ARGUMENTS,
)
MESSAGES = st.one_of(
    st.builds(
        lambda calls: {"role": "assistant", "tool_calls": calls}, st.lists(CALLS, max_size=3)
    ),
    st.builds(lambda text: {"role": "assistant", "content": text}, st.text(max_size=30)),
    st.builds(lambda value: {"role": "assistant", "content": value, "tool_calls": value}, JSON),
)
ACTIONS = st.lists(MESSAGES, max_size=6)


@pytest.fixture(scope="module")
def shop() -> Iterator[TaskSet]:
    """The small shop."""
    with tempfile.TemporaryDirectory() as folder:
        write_shop(Path(folder) / "set")
        yield TaskSet.load(Path(folder) / "set")


@given(ACTIONS)
def test_the_live_run_and_the_re_run_agree(shop: TaskSet, actions: list[Any]) -> None:
    """Actions taken one by one and re-run at once give the same attempt and the same verdict."""
    environment = shop.environment("task1")
    taken = []
    for action in actions:
        if environment.stop_reason is None:
            taken.append(action)
            environment.step(action)
    task = shop.task("task1")
    assert run_actions(task, shop.world("task1"), taken) == environment.attempt()
    assert shop.grade("task1", taken) == environment.grade()


@given(ACTIONS)
def test_a_transcript_of_the_run_is_not_tampered(shop: TaskSet, actions: list[Any]) -> None:
    """The environment's own conversation, handed in as a transcript, holds what the re-run says."""
    environment = shop.environment("task1")
    for action in actions:
        environment.step(action)
    transcript = environment.messages[2:]
    task = shop.task("task1")
    again = run_actions(task, shop.world("task1"), transcript)
    assert again.tampered == ()
    assert digest(list(again.messages)) == digest(list(environment.messages))


@given(ACTIONS, ACTIONS)
def test_runs_side_by_side_do_not_touch_each_other(
    shop: TaskSet, first: list[Any], second: list[Any]
) -> None:
    """Interleaved runs over one world end as each would alone."""
    one, two = shop.environment("task1"), shop.environment("task3")
    for position in range(max(len(first), len(second))):
        for environment, actions in ((one, first), (two, second)):
            if position < len(actions):
                environment.step(actions[position])
    alone = shop.environment("task3")
    for action in second:
        alone.step(action)
    assert two.attempt() == alone.attempt()


@given(ACTIONS)
def test_rewards_are_in_range_or_null(shop: TaskSet, actions: list[Any]) -> None:
    """No sequence of messages earns more than 1 or less than 0."""
    reward = shop.grade("task1", actions).reward
    assert reward is None or 0 <= reward <= 1
