"""Guards are shared by all runs of a world, also by those that run in threads of their own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from environments.runtime.answers.guards import Guards
from environments.runtime.document.tools import GuardPart
from environments.runtime.expr.gaps import TOUCHED, UNSEEN, Gap
from environments.runtime.expr.scope import Scope
from environments.runtime.task.attempt import Json

RUNS = 6
WORDS = [f"w{number}" for number in range(12)]
GOOD: dict[str, Json] = dict.fromkeys(WORDS, "x")
BAD: dict[str, Json] = {**GOOD, WORDS[-1]: "y"}
PARTS = [
    *(GuardPart(holds=["among", ["arg", w], ["x"]], says=w, support=1) for w in WORDS),
    *(GuardPart(holds=["among", ["old", w], ["x"]], says=f"soft {w}") for w in WORDS[:6]),
]


@pytest.fixture
def switching() -> Iterator[None]:
    """Threads that take turns at every chance."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-7)
    yield
    sys.setswitchinterval(usual)


def _row(_table: str, _key: str) -> Gap:
    return UNSEEN


@pytest.mark.usefixtures("switching")
def test_guards_object_alike_in_every_thread() -> None:
    """Runs that ask a tool's guards for the first time, all at once, get the guard that objects, and no other."""
    with ThreadPoolExecutor(RUNS) as threads:
        for _ in range(60):
            guards, together = Guards(PARTS), Barrier(RUNS)
            found = list(threads.map(lambda _: _asked(guards, together), range(RUNS)))  # noqa: B023 - done before the next round
            assert found == [[WORDS[-1], "", "", "", "", WORDS[-1]]] * RUNS


def _asked(guards: Guards, together: Barrier) -> list[str]:
    together.wait()
    said = []
    for arguments in (BAD, GOOD, GOOD, GOOD, GOOD, BAD):
        guard = guards.objection(Scope(arguments, GOOD, row=_row))
        said.append(guard.name if guard is not None else "")
    return said


@pytest.mark.parametrize(("means", "objects"), [("jar_2", False), ("card_9", True)])
def test_a_part_that_was_not_there_before_a_record_was_touched_is_an_objection(
    means: str, *, objects: bool
) -> None:
    """An earlier call may have changed the buyer: means that were the buyer's go on, others are asked for in vain."""
    buyer: Json = {"means": {"jar_2": {}}}

    def touched(_table: str, _key: str) -> Gap:
        return TOUCHED

    theirs = ["row", "buyer", [["old", "buyer"]], "means"]
    guards = Guards([GuardPart(holds=["member", ["arg", "means"], theirs], says="theirs")])
    scope = Scope({"means": means}, {"buyer": "by_1"}, row=touched, last=lambda _table, _key: buyer)
    for _ in range(5):  # conditions asked together are written anew after a few calls
        assert (guards.objection(scope) is not None) is objects
