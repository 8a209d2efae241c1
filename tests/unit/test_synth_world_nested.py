"""Records inside records: when two places show one kind, and which conditions are kept when there are too many."""

from __future__ import annotations

from typing import Any

from environments.runtime.values.normal import stable
from synth.world.model import TableModel, Workbench
from synth.world.refusals.cases import Cases, Literal
from synth.world.refusals.success import MAX_WITHHOLD, withholding
from synth.world.schema.nested_tables import learn_nested


def _bench(pier_of: dict[str, str]) -> Workbench:
    """Two searches over one timetable that never showed the same departure."""

    def line(boat: str, day: str, pier: str) -> dict[str, Any]:
        return {"boat": boat, "day": day, "pier": pier, "fare": 10 + len(boat) + int(day[-1])}

    boats = ["FY1", "FY2", "FY3", "FY4"]
    near = TableModel(name="near", key_names=("pier",))
    far = TableModel(name="far", key_names=("via",))
    for number, boat in enumerate(boats):
        near.rows[stable([f"P{number}"])] = [line(boat, d, f"P{number}") for d in ("d1", "d2")]
        far.rows[stable([f"V{number}"])] = [line(boat, d, pier_of[boat]) for d in ("d3", "d4")]
    return Workbench(app="a", histories=[], tools={}, tables={"near": near, "far": far})


def test_sources_that_say_the_same_of_a_part_of_the_key_are_one_table() -> None:
    """No departure was shown by both, but every boat leaves from the same pier in both."""
    same = {f"FY{n + 1}": f"P{n}" for n in range(4)}
    nested = learn_nested(_bench(same))
    assert [len(n.sources) for n in nested.values() if n.key == ("boat", "day")] == [2]


def test_sources_that_contradict_each_other_stay_apart() -> None:
    """One boat that leaves from elsewhere is enough to keep them apart."""
    other = {"FY1": "P0", "FY2": "P1", "FY3": "P2", "FY4": "P9"}
    nested = learn_nested(_bench(other))
    assert [len(n.sources) for n in nested.values() if n.key == ("boat", "day")] == [1, 1]


def test_what_elements_point_to_is_not_crowded_out() -> None:
    """A hundred conditions that say little leave room for the one about what an element points to."""
    fillers = [
        Literal(tree=["exists", ["row", "t", [["arg", "k"]], f"f{n}"]], held=20, rank=n, values=[])
        for n in range(MAX_WITHHOLD + 20)
    ]
    telling = Literal(
        tree=["every", ["arg", "ids"], ["among", ["row", "v", [["it"]], "open"], [True]]],
        held=20,
        rank=90,
        values=[],
    )
    kept = withholding(Cases(good=[], bad={}, scopes=[], index={}), [*fillers, telling])
    assert len(kept) == MAX_WITHHOLD
    assert telling.tree in [literal.tree for literal in kept]
