"""Results written as Python writes its values: records like any other, given back byte for byte."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.testbeds.invented.backend import Style
from benchmarks.testbeds.invented.office.tickets import TICKETS
from benchmarks.testbeds.invented.trade.stays import STAYS
from benchmarks.testbeds.result_forms import LITERAL
from benchmarks.worlds.enveloped import measure
from environments.runtime.views.record_literals import from_literal, literal, to_literal
from synth.tool_content import innermost_value
from synth.tool_errors import looks_failed

pytestmark = pytest.mark.usefixtures("certain")
"""What learnt behaviour says by itself, without answers that are recalled."""

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), VALUES, max_size=4) | st.lists(VALUES, max_size=4))
def test_what_python_writes_comes_back_byte_for_byte(value: object) -> None:
    """Whatever is in it: quotes, escapes, infinities (which stay a text), characters that are not printed."""
    assert to_literal(from_literal(repr(value))) == repr(value)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        "{1: 2}",
        "(1, 2)",
        "{'a': (1, 2)}",
        "{'a': nan}",
        "{'a': datetime.date(2026, 1, 1)}",
        "{'a':1}",
        r"{'a': '\d'}",
        "{'a': 'b'",
        "[" * 50_000 + "]" * 50_000,
        "Order {'a': 1}",
        "",
    ],
)
def test_any_other_text_stays_as_it_is(text: str) -> None:
    """JSON, what JSON has no word for, other spacing, escapes that Python warns of, depth without end."""
    assert literal(text) is None
    assert from_literal(text) == text


@pytest.mark.parametrize("style", [TICKETS, STAYS])
@pytest.mark.parametrize("form", sorted(LITERAL))
def test_a_backend_whose_tools_write_so_is_known_as_well(style: Style, form: str) -> None:
    """Bare, and inside an MCP result."""
    plain = measure(style, None, 0, flags=True)
    assert measure(style, LITERAL[form], 0, flags=True) == plain


def test_facts_and_errors_in_it_are_read() -> None:
    """Rubrics compare what the user is told with its ids and amounts."""
    assert innermost_value("{'id': 'A-17', 'total': 42.5, 'paid': None}")["total"] == 42.5  # type: ignore[index, call-overload]
    assert looks_failed("{'success': False, 'message': 'sold out'}")
    assert not looks_failed(json.dumps({"id": 1}))
