"""Explanations of refusals: which conditions are reasons, and which only remember who was there."""

from __future__ import annotations

import json

import pytest

from environments.runtime.expr.scope import Scope, Tree
from environments.runtime.task.attempt import Json
from environments.runtime.world.world import World
from synth.world.actions.examples import Example
from synth.world.observation import Observation
from synth.world.refusals.cases import Cases, Literal
from synth.world.refusals.explain import remembers

EVENTS: dict[str, dict[str, Json]] = {
    "e1": {"title": "Review", "state": "open"},
    "e2": {"title": "Budget", "state": "open"},
    "e3": {"title": "Dentist", "state": "held"},
}


@pytest.mark.parametrize(("field", "memory"), [("title", True), ("state", False)])
def test_a_list_with_another_value_for_each_record_is_no_reason(field: str, memory: bool) -> None:
    """`Budget` took a room and `Dentist` was never tried; that an open one takes it is a rule."""

    def row(_: str, key: str) -> Json:
        return EVENTS[json.loads(key)[0]]

    seen = Observation.__new__(Observation)
    session = World.from_json({"format": "1", "tools": {}}).session()
    good = [Example(seen=seen, refused=False, before=session)] * 2
    scopes = [Scope({"event": key}, row=row) for key in EVENTS]
    values = [EVENTS["e1"][field], EVENTS["e2"][field]]
    tree: Tree = ["among", ["row", "event", [["arg", "event"]], field], values]
    condition = Literal(tree=tree, held=2, rank=0, values=[True, True, False])
    cases = Cases(good=good, bad={}, scopes=scopes, index={})
    assert remembers(condition, cases) is memory
