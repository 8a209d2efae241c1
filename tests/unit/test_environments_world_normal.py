"""Normal forms: what callers send and get, made comparable without evaluating anything."""

from __future__ import annotations

import pytest

from environments.runtime.answers.outcome import outcome_of
from environments.runtime.task.attempt import Json
from environments.runtime.values.literals import (
    NotLiteralError,
    parse_arguments,
    parse_json,
    parse_literal,
)
from environments.runtime.values.mentions import is_name, labels_in, names_in
from environments.runtime.values.normal import coerce, mask, same_json, simplify, unwrap


@pytest.mark.parametrize(
    ("value", "form", "result"),
    [
        ("['1', '2']", "array", ["1", "2"]),
        ('["1"]', "array", ["1"]),
        ("{'a': True, 'b': None}", "object", {"a": True, "b": None}),
        ("not a list", "array", "not a list"),
        ("[1, __import__('os')]", "array", "[1, __import__('os')]"),
        ("3.0", "number", 3),
        ("true", "boolean", True),
        (["x"], "array", ["x"]),
    ],
)
def test_arguments_take_their_declared_form(value: object, form: str, result: object) -> None:
    """Lists sent as text become lists; what is no literal stays as it was sent."""
    assert coerce(value, form) == result  # type: ignore[arg-type]  # values of every kind


@pytest.mark.parametrize(
    "text", ["", "[1", "[1] x", "'open", "f(1)", "1 + 1", "[" * 100 + "]" * 100]
)
def test_what_is_no_literal_is_refused(text: str) -> None:
    """The reader of literals takes no calls, no arithmetic, no endless nesting."""
    with pytest.raises(NotLiteralError):
        parse_literal(text)


def test_an_envelope_is_taken_off() -> None:
    """A numbered assignment around a result is not part of it; other results stay."""
    envelope = {"before": "# out_", "middle": " = ", "after": ""}
    assert unwrap('# out_12 = "Error: no"', envelope) == "Error: no"
    assert unwrap("Error: no", envelope) == "Error: no"
    assert unwrap('# out_x = "a"', envelope) == '# out_x = "a"'


def test_nan_is_not_json_and_the_last_of_two_equal_keys_counts() -> None:
    """Values that JSON does not have make a text of the result; duplicate keys read as Python reads them."""
    assert parse_json('{"a": NaN}') is None
    found = parse_json('{"a": 1, "a": 2}')
    assert found is not None
    assert found.value == {"a": 2}
    assert parse_json("[" * 100_000) is None


def test_numbers_and_truth_values_are_told_apart() -> None:
    """5 is 5.0, but true is not 1."""
    assert same_json({"a": [5]}, {"a": [5.0]})
    assert not same_json([True], [1])
    assert simplify(5.0) == 5
    assert parse_arguments("[1]") is None
    assert parse_arguments("") == {}


def test_changing_words_are_masked() -> None:
    """Ids, numbers and the call's own words leave holes, so that one kind of message is one class."""
    one = mask("Error: item 77 not in red, sorry", {"colour": "red"})
    other = mask("Error: item 12 not in blue, sorry", {"colour": "blue"})
    assert one == other


def test_outcomes_are_classes_of_results() -> None:
    """Records are told by their fields, texts by their mask."""
    assert outcome_of('{"b": 1, "a": 2}', {}) == outcome_of('{"a": 5, "b": 7}', {})
    assert outcome_of("Error: 1", {}) == outcome_of("Error: 2", {})
    assert outcome_of('{"ok": true}', {}) != outcome_of('{"ok": false}', {})


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ("BK-4000", True),
        ("own_12", True),
        ("2026-10-01", False),
        ("12.50", False),
        ("red", False),
        ("1234567", True),
    ],
)
def test_names_are_told_from_dates_and_amounts(value: str, named: bool) -> None:
    """Only what can name a record links two calls."""
    assert is_name(value) is named


def test_names_are_found_at_any_depth() -> None:
    """Keys of dictionaries by id count as well."""
    assert names_in({"by": {"card_9": {"x": ["BK-1"]}}}) == {"card_9", "BK-1"}


def test_keys_that_no_field_could_have_are_data() -> None:
    """A path as a key is what a call for this path asks about; a field's name is not."""
    shown: Json = {"guide/faq.md": 1, "status": 2, "page-7": 3}
    assert labels_in(shown) == {"=guide/faq.md", "page-7", "=1", "=2", "=3"}
    assert names_in(shown) == {"=guide/faq.md", "page-7"}
