"""Whether two results say the same, though a request's number or its duration stands in them."""

from __future__ import annotations

import json

from synth.failure_answers import comparable


def _with_meta(number: int, data: object) -> str:
    return json.dumps({"ok": True, "data": data, "meta": {"request_id": f"r{number}"}})


def test_what_differs_in_every_result_makes_no_other_answer() -> None:
    """The same record under two numbers of requests."""
    told = [("a", {"id": 7}), ("b", {"id": 8}), ("a", {"id": 7})]
    says = comparable([(t, _with_meta(n, data)) for n, (t, data) in enumerate(told)])
    assert says[0] == says[2] != says[1]


def test_a_field_of_one_tool_is_an_answer() -> None:
    """A balance that differs at every look is what was asked for."""
    looks = [("look", json.dumps({"balance": n})) for n in range(3)]
    assert len(set(comparable(looks))) == 3
    more = [*looks, ("other", json.dumps({"fee": 2}))]
    assert len(set(comparable(more))) == 4


def test_a_shared_field_that_repeats_is_an_answer() -> None:
    """A status that all results have is told apart."""
    told = [("a", "open"), ("b", "open"), ("a", "closed"), ("b", "closed")]
    says = comparable([(t, json.dumps({"status": status})) for t, status in told])
    assert len(set(says)) == 2
