"""Splits of any tasks: complete, deterministic, and without a leak by a count of its own."""

from __future__ import annotations

from collections import defaultdict

from hypothesis import given
from hypothesis import strategies as st

from environments.export.split_proof import prove
from environments.export.splits import WAYS, SplitSettings, split_tasks
from environments.export.traits import Traits

SMALL = st.integers(0, 12)


@st.composite
def tasks(draw: st.DrawFn) -> list[Traits]:
    """Tasks with few users, records and episodes, so that they meet."""
    return [
        Traits(
            task_id=f"t{n}",
            subject=draw(st.none() | SMALL.map(str)),
            episodes=frozenset(draw(st.sets(SMALL.map(str), max_size=2))),
            started_at=draw(SMALL),
            kind=str(draw(SMALL)),
            records=frozenset(
                (draw(st.sampled_from("ab")), str(r)) for r in draw(st.sets(SMALL, max_size=2))
            ),
            pieces=frozenset(map(str, draw(st.sets(st.integers(0, 30), max_size=12)))),
            actions=str(draw(st.integers(0, 40))),
        )
        for n in range(draw(st.integers(0, 25)))
    ]


@given(tasks(), st.sampled_from(WAYS), st.integers(0, 3))
def test_nothing_that_isolates_stands_in_two_splits(
    found: list[Traits], by: str, seed: int
) -> None:
    """The proof holds, and so does a plain look at users and written records."""
    settings = SplitSettings(by=by, seed=seed)
    splits = split_tasks(found, settings, written=frozenset("a"))
    assert splits == split_tasks(found[::-1], settings, written=frozenset("a"))
    assert by == "time" or set(splits.tasks) == {task.task_id for task in found}
    assert prove(found, splits.tasks, isolating=splits.isolating, by=by)["leak_free"] is True
    seen: dict[object, set[str]] = defaultdict(set)
    for task in found:
        if task.task_id in splits.tasks:
            for key in (task.subject, *(r for r in task.records if r[0] == "a")):
                seen[key].add(splits.tasks[task.task_id])
    seen.pop(None, None)
    assert all(len(names) == 1 for names in seen.values())
