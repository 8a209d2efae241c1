"""Envelopes around results: found where several tools share them, and of no cost to what a world knows."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import pytest

from benchmarks.testbeds.invented.office.tickets import TICKETS
from benchmarks.testbeds.result_forms import FORMS
from benchmarks.worlds.enveloped import measure
from environments.runtime.views.envelopes import Enveloped
from synth.world.model import ToolModel
from synth.world.schema.outcomes import learn_outcomes, learn_style
from synth.world.views.envelopes import learn_enveloped
from tests.unit.told_results import history_of

pytestmark = pytest.mark.usefixtures("certain")
"""What learnt behaviour says by itself, without answers that are recalled."""

ORDERS = [{"id": f"A{n}", "lines": [{"item": n % 3}], "state": "open"} for n in range(6)]
TEXTS = [f"Nothing is known of order A{n}." for n in range(6)]


def _inside(results: Sequence[tuple[str, Any]]) -> list[str]:
    """What is left of results once envelopes are learnt and taken off."""
    told = [(t, v if isinstance(v, str) else json.dumps(v)) for t, v in results]
    history = history_of(told)
    known = learn_enveloped([history])
    left = [seen.content for seen in history.observations]
    if not known:
        assert left == [content for _, content in told]
    else:
        view = Enveloped(known)
        back = [view.wrap(t, inner) for (t, _), inner in zip(told, left, strict=True)]
        assert back == [content for _, content in told]
    return left


def _both(wrap: Callable[[Any], Any], values: Sequence[Any]) -> list[tuple[str, Any]]:
    return [(tool, wrap(value)) for value in values for tool in ("show", "find")]


@cache
def _plain() -> list[dict[str, int]]:
    return [dict(c) for c in measure(TICKETS, None, 0, flags=True)]


@pytest.mark.parametrize("form", sorted(FORMS))
def test_an_envelope_costs_nothing(form: str) -> None:
    """Right, wrong and unknown calls as without it, every right answer with the same bytes."""
    assert [dict(c) for c in measure(TICKETS, FORMS[form], 0, flags=False)] == _plain()


def test_a_record_in_an_envelope_is_a_record() -> None:
    """What stands in the place that varies is left, with its own layout."""
    left = _inside(_both(lambda v: {"done": True, "answer": v, "notes": []}, ORDERS))
    assert left[0] == json.dumps(ORDERS[0])


def test_refusals_are_told_by_the_other_constants() -> None:
    """The text of a refusal gets a mark that begins with a protocol's word for failure."""
    good = _both(lambda v: {"ok": True, "body": v}, ORDERS)
    bad = _both(lambda v: {"ok": False, "why": {"kind": "absent", "text": v}}, TEXTS)
    left = _inside(good + bad)[len(good) :]
    assert left[0].startswith("[error")
    assert left[0].endswith(TEXTS[0])


def test_refusals_with_other_codes_have_other_marks() -> None:
    """Each combination of constants is a form of its own, and comes back."""
    good = _both(lambda v: {"data": v}, ORDERS)
    codes: dict[bool, int] = {True: 404, False: 409}
    bad = _both(lambda v: {"error": {"code": codes["0" in v or "1" in v], "message": v}}, TEXTS)
    left = _inside(good + bad)[len(good) :]
    marks = {text[: text.index("]")] for text in left}
    assert len(marks) == len(codes)


def test_a_record_with_one_field_that_varies_is_no_envelope() -> None:
    """An id beside constants is a record: what varies is no record, list or sentence."""
    results = [(t, {"id": f"A{n}", "state": t}) for n in range(8) for t in ("a", "b")]
    assert _inside(results) == [json.dumps(value) for _, value in results]


def test_the_only_field_of_one_tools_records_is_no_envelope() -> None:
    """No other tool has it around its results."""
    results: list[tuple[str, Any]] = [("show", {"order": order}) for order in ORDERS]
    results += [("find", {"id": f"B{n}", "count": n, "of": n * n}) for n in range(6)]
    assert _inside(results)[0] == json.dumps({"order": ORDERS[0]})


def test_what_varies_beside_the_place_is_no_constant() -> None:
    """A count beside the rows belongs to the answer."""
    numbers = iter(range(100))
    left = _inside(_both(lambda v: {"total": next(numbers), "rows": [v, v]}, ORDERS))
    assert json.loads(left[0])["total"] == 0


def test_a_text_without_the_envelope_stays_one() -> None:
    """A crash that the envelope did not catch is told as it was, byte for byte."""
    results = [*_both(lambda v: {"ok": True, "body": v}, ORDERS), ("show", "TypeError: no n")]
    assert _inside(results)[-1].endswith("TypeError: no n")


def test_other_records_without_the_envelope_stay_records() -> None:
    """They are known by their keys."""
    results = [*_both(lambda v: {"ok": True, "body": v}, ORDERS), ("show", {"retry": 5})]
    assert _inside(results)[-1] == json.dumps({"retry": 5})


@pytest.mark.parametrize(
    "write",
    [
        json.dumps,
        lambda value: json.dumps(value, separators=(",", ":")),
        lambda value: json.dumps(value, indent=2),
        lambda value: json.dumps(value, indent="\t", ensure_ascii=False),
    ],
)
@pytest.mark.parametrize("value", [["a", "b"], [{"name": "Ö", "of": [1, 2]}]])
def test_results_are_written_as_the_tool_writes_them(
    write: Callable[[Any], str], value: list[Any]
) -> None:
    """A list of words has no key that shows its layout; indented records have no space before a line's end."""
    told = [("list", write([*value, n])) for n in range(3)]
    seen = history_of(told).observations
    tool = ToolModel(name="list", observations=seen)
    learn_outcomes(tool)
    learn_style(tool)
    style = tool.style
    assert seen[0].content == json.dumps(
        json.loads(seen[0].content),
        separators=style.separators,
        indent=style.indent,
        ensure_ascii=style.ascii,
    )


def test_a_line_before_ends_with_its_line() -> None:
    """What is left of a list begins with its bracket: the end of the line is no part of it."""
    results = [(t, f"Result:\n{json.dumps([n, t])}") for n in range(6) for t in ("a", "b")]
    assert _inside(results)[0] == '[0, "a"]'


def test_numbers_in_an_envelope_of_all_tools_lose_it() -> None:
    """Numbers alone are no evidence, the same text around the answers of three tools is."""
    results = [(t, {"ok": True, "value": n}) for n in range(6) for t in ("a", "b", "c")]
    assert _inside(results)[:4] == ["0", "0", "0", "1"]
