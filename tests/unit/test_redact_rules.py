"""The table of rules over places that no key explains, and the questions that it asks of values."""

from __future__ import annotations

import pytest

from redact.decisions.profile import App
from redact.decisions.rules import Rule, decide
from redact.decisions.verdicts import CODE, OLD_DAY
from redact.evidence.app_values import AppLearnt
from redact.evidence.catalogues import NO_LISTS
from redact.readers.place import Place
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


def test_codes_of_people_are_codes_under_the_same_key_of_everybodys_records() -> None:
    """A section that a student joined reads in the timetable as in the student's record: what relates the two is kept."""
    own, everybodys, other = (
        f"result|?|{personal}|{path}"
        for personal, path in (("p", "join.crn"), ("n", "timetable.crn"), ("n", "timetable.seats"))
    )
    seen = {"30131": [1, 2, 3], "30502": [2, 3, 4], "30671": [1, 3, 4]}
    evidence = {own: {"30131": [1]}, everybodys: seen, other: seen}
    app = App(
        learnt=AppLearnt(evidence=evidence),
        places={key: Place.from_key(key) for key in evidence},
        profiles={},
        people={own: CODE},
        catalogues=NO_LISTS,
        public=frozenset(),
        language=frozenset(),
        dictionary=frozenset(),
        k=5,
    )
    assert {key: one.action for key, one in decide(app).items()} == {own: CODE, everybodys: CODE}
