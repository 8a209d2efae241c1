"""Whether two results say the same, though a request's number or its duration stands in them."""

from __future__ import annotations

import json

from synth.failures.answers import comparable, learn_differing
from synth.failures.calls import differing_in, read_calls
from tests.unit.clean_conversations import call, episode, result


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


def test_an_app_tells_what_a_short_conversation_cannot() -> None:
    """Places that differ in nearly every episode of an app; too few episodes say nothing."""
    one = [
        ("a", _with_meta(1, {"id": 7})),
        ("b", _with_meta(2, {"id": 8})),
        ("a", _with_meta(3, {"id": 7})),
    ]
    assert learn_differing([one] * 8) == {("meta", "request_id")}
    assert learn_differing([one] * 7) == frozenset()
    says = comparable([one[0], one[2]], learn_differing([one] * 8))
    assert says[0] == says[1]


def test_an_error_under_the_number_of_a_request_is_seen() -> None:
    """What is left alone beside the places that differ is an envelope."""

    def told(n: int, part: object) -> str:
        return json.dumps({"request_id": f"r{n}", "result": part})

    refused = {"ok": False, "error": {"message": json.dumps({"error": "no such account"})}}
    steps = [
        step
        for n, tool in enumerate(("find", "show", "find"))
        for step in (
            call(f"c{n}", tool, id=n),
            result(f"c{n}", told(n, refused if n == 0 else {"ok": True, "data": {"id": n}})),
        )
    ]
    one = episode(*steps)
    differing = differing_in([one] * 8)
    assert [c.error for c in read_calls(one, differing)] == ["no such account", None, None]
