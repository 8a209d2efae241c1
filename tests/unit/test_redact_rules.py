"""The table of rules over places that no key explains, and the questions that it asks of values."""

from __future__ import annotations

import pytest

from redact.decisions.rules import Rule
from redact.decisions.verdicts import OLD_DAY
from redact.values.value_sets import are_places


def test_a_rule_asks_in_one_way() -> None:
    """A rule that asks nothing would never speak, one that asks twice would forget one answer."""
    with pytest.raises(ValueError, match="`when` or `among`"):
        Rule(OLD_DAY)
    with pytest.raises(ValueError, match="`when` or `among`"):
        Rule(OLD_DAY, lambda _: True, lambda _: ())


def test_no_values_are_no_places() -> None:
    """Half of nothing is nothing."""
    assert not are_places([])
    assert are_places(["Berlin", "an unknown word"])
