"""Tool names that every consumer takes, and the way back."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from environments.runtime.play.tool_names import ToolNames, tool_name
from environments.runtime.task.attempt import Json
from tests.environments_shop import tool


def test_names_that_fit_stay() -> None:
    """Only what consumers refuse is changed."""
    names = ToolNames([tool("get_order"), tool("shop.orders/get")])
    assert [tool_name(t) for t in names.tools] == ["get_order", "shop_orders_get"]
    assert names.outward("shop.orders/get") == "shop_orders_get"
    assert names.inward("shop_orders_get") == "shop.orders/get"


def test_a_changed_name_never_takes_anothers_place() -> None:
    """Where the plain replacement is taken, the name gets a hash."""
    names = ToolNames([tool("a.b"), tool("a_b"), tool("a/b")])
    shown = [tool_name(t) for t in names.tools]
    assert shown[1] == "a_b"
    assert len(set(shown)) == 3


def test_a_name_that_nobody_offered_passes_through() -> None:
    """A model's invention reaches the environment as it is, to be answered there."""
    assert ToolNames([tool("a")]).inward("invented") == "invented"


def test_a_bare_function_becomes_a_tool() -> None:
    """Recordings that keep the function alone are offered in the shape that endpoints take."""
    bare: dict[str, Json] = {"name": "look", "description": "d", "parameters": {"type": "object"}}
    assert ToolNames([bare]).tools == ({"type": "function", "function": bare},)


def test_what_is_no_tool_passes_through() -> None:
    """A definition without a name is left alone."""
    assert ToolNames([{"type": "web_search"}]).tools == ({"type": "web_search"},)


@given(st.lists(st.text(min_size=1, max_size=90), max_size=6, unique=True))
def test_every_name_fits_and_comes_back(names: list[str]) -> None:
    """Whatever production calls its tools, outward names fit, are distinct, and map back."""
    mapped = ToolNames([tool(name) for name in names])
    outward = [mapped.outward(name) for name in names]
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in outward)
    assert len(set(outward)) == len(names)
    assert [mapped.inward(name) for name in outward] == names
