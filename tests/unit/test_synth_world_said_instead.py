"""Refusals in a form of their own, beside results that come as they are: of no cost to what a world knows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest

from benchmarks.testbeds.invented.office.tickets import TICKETS
from benchmarks.testbeds.invented.trade.ledger import LEDGER
from benchmarks.testbeds.result_forms import REFUSED
from benchmarks.worlds.enveloped import measure
from environments.runtime.views.envelopes import Enveloped
from synth.world.model import ToolModel, outcome_class
from synth.world.schema.outcomes import learn_outcomes
from synth.world.views.envelopes import learn_enveloped
from tests.unit.told_results import history_of

pytestmark = pytest.mark.usefixtures("certain")
"""What learnt behaviour says by itself, without answers that are recalled."""

SENTENCES = [name for name in REFUSED if name.partition(": ")[2] not in {"null", "empty", "false"}]
NOTHING = sorted(REFUSED.keys() - set(SENTENCES))


def _left(results: Sequence[tuple[str, Any]]) -> list[str]:
    """Results once envelopes are taken off; putting them on again gives what was recorded."""
    history = history_of(results)
    recorded = [seen.content for seen in history.observations]
    known = learn_enveloped([history])
    left = [seen.content for seen in history.observations]
    if known:
        view = Enveloped(known)
        tools = [tool for tool, _ in results]
        assert [view.wrap(t, c) for t, c in zip(tools, left, strict=True)] == recorded
    return left


def _kind(values: Sequence[Any], value: Any) -> str:  # noqa: ANN401 - a result as JSON
    """What one of a tool's results is taken for."""
    history = history_of([("act", v) for v in values])
    tool = ToolModel(name="act", observations=history.observations)
    learn_outcomes(tool)
    return tool.outcomes[outcome_class(history.observations[values.index(value)])]


def _orders(tool: str, refuse: str) -> list[tuple[str, Any]]:
    good = [(tool, {"id": n, "state": "open"}) for n in range(8)]
    return [*good, *((tool, {refuse: f"There is no order {n}."}) for n in range(4))]


@cache
def _plain(flags: bool) -> list[dict[str, int]]:
    return [dict(c) for c in measure(TICKETS, None, 0, flags=flags)]


@pytest.mark.parametrize("form", SENTENCES)
def test_a_form_of_its_own_around_refusals_costs_nothing(form: str) -> None:
    """An invented backend is known as well as where refusals are sentences, and nothing says which calls failed."""
    assert [dict(c) for c in measure(TICKETS, REFUSED[form], 0, flags=False)] == _plain(True)


@pytest.mark.parametrize("form", NOTHING)
def test_what_says_nothing_is_no_success(form: str) -> None:
    """`null`, `{}` and `false` say less than a sentence, but nothing wrong is told for it."""
    for style in (TICKETS, LEDGER):
        held_out, random = measure(style, REFUSED[form], 0, flags=False)
        assert held_out["wrong"] == random["wrong"] == 0
        assert held_out["exact"] > held_out["unknown"]


def test_refusals_are_taken_out_of_what_several_tools_say_instead() -> None:
    """Records stay as they are; what is said instead becomes a text that is a refusal."""
    left = _left([*_orders("show", "detail"), *_orders("find", "detail")])
    assert left[0] == '{"id": 0, "state": "open"}'
    assert left[8].startswith("[error ")
    assert left[8].endswith("] There is no order 0.")


def test_a_tool_that_says_nothing_else_may_have_done_it() -> None:
    """Its sentences are its results, though they look like the others' refusals."""
    done = [("stop", {"message": f"Order {n} is stopped."}) for n in range(4)]
    left = _left([*_orders("show", "message"), *_orders("find", "message"), *done])
    assert left[8].startswith("[error ")
    assert left[-1] == '{"message": "Order 3 is stopped."}'


def test_what_was_done_is_no_refusal_because_all_else_failed() -> None:
    """Two tools that answer in sentences, and in another form where they fail."""
    both = [
        (tool, {key: f"Order {n} {says}."})
        for tool in ("stop", "send")
        for key, says, count in (("message", "is done", 4), ("error", "is unknown", 9))
        for n in range(count)
    ]
    left = _left(both)
    assert not any(text.startswith("[error ") and "done" in text for text in left)
    assert sum(text.startswith("[error ") for text in left) == 18


def test_one_tool_shows_nothing_unless_the_words_around_it_do() -> None:
    """A tool of which one answer in two is a note."""
    assert _left(_orders("show", "note"))[8] == '{"note": "There is no order 0."}'
    assert _left(_orders("show", "failure"))[8].startswith("[error ")


@pytest.mark.parametrize("nothing", [None, {}, False])
def test_nothing_beside_records_is_a_refusal(nothing: Any) -> None:  # noqa: ANN401 - a result as JSON
    """It is what the tool says where there is none; alone it is its result."""
    assert _kind([{"id": 1}, {"id": 2}, nothing], nothing) == "refusal"
    assert _kind([nothing], nothing) == "success"


def test_no_and_nothing_found_are_answers() -> None:
    """Of a tool that says true and false, and of a search that gives what it found by name."""
    assert _kind([True, True, False], False) == "success"
    assert _kind([{"a.md": 3}, {"b.md": 1}, {}], {}) == "success"


def test_a_status_that_says_failed_and_why_is_a_refusal() -> None:
    """Envelopes as JSend has them; a record whose own status is `error` and that gives no reason is what was asked for."""
    done = [{"job": f"J-{n}", "due": f"2024-07-0{n}"} for n in range(1, 6)]
    refused = {"status": "error", "data": None, "meta": {"code": "LATE", "message": "too late"}}
    assert _kind([*done, refused], refused) == "refusal"
    runs = [{"run": f"R-{n}", "status": "ok"} for n in range(1, 6)]
    assert _kind([*runs, broken := {"run": "R-9", "status": "error"}], broken) == "success"
