"""What the order of recorded calls says: outcomes seen after one tool alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from synth.world.influence.dependencies import learn_relevance
from synth.world.influence.sequences import after_alone
from synth.world.model import ToolModel, Workbench
from synth.world.observation import Observation, histories
from tests.unit.world_backend import episode

Made = tuple[str, dict[str, Any], str]
WRITERS = {"lock", "paint", "merge"}
OPEN: Made = ("enter", {"door": 1}, "welcome")
SHUT: Made = ("enter", {"door": 1}, "locked out")
LOCK: Made = ("lock", {}, "done")
PAINT: Made = ("paint", {}, "done")


def _bench(episodes: Sequence[Sequence[Made]]) -> Workbench:
    past = histories([episode(number, list(made)) for number, made in enumerate(episodes)])
    seen: dict[str, list[Observation]] = defaultdict(list)
    for history in past:
        for one in history.observations:
            one.settle()
            seen[one.tool].append(one)
    tools = {
        name: ToolModel(name=name, observations=group, kind="write" if name in WRITERS else "read")
        for name, group in seen.items()
    }
    return Workbench(app="invented", histories=past, tools=tools)


def test_an_outcome_seen_after_one_tool_only_hangs_on_it() -> None:
    """Two tasks were locked out, both after a lock; paint came before the other outcome, too."""
    made = [[OPEN], [OPEN], [PAINT, OPEN], [OPEN], [OPEN], [OPEN], [OPEN]]
    shut = [[LOCK, SHUT], [PAINT, LOCK, SHUT]]
    assert after_alone(_bench([*made, *shut]))["enter"] == {"lock"}


def test_answers_hang_on_whom_an_outcome_was_seen_after_alone() -> None:
    """Equal calls were answered alike with a lock before them (of another door), which would clear it."""
    doors = [[("enter", {"door": number}, "welcome")] for number in range(3, 17)]
    made: list[list[Made]] = [[LOCK, OPEN], [OPEN], *doors]
    gate = ("enter", {"door": 2}, "locked out")
    bench = _bench([*made, [LOCK, gate], [LOCK, gate]])
    learn_relevance(bench)
    assert "lock" in bench.tools["enter"].heeds


def test_one_task_or_a_tool_that_is_always_there_proves_nothing() -> None:
    """One case may be chance, and so is what came before most calls whatever they said."""
    once = [[OPEN], [OPEN], [OPEN], [LOCK, SHUT]]
    assert after_alone(_bench(once))["enter"] == set()
    mostly = [[LOCK, OPEN]] * 5 + [[LOCK, SHUT], [LOCK, SHUT]]
    assert after_alone(_bench(mostly))["enter"] == set()
