"""JSON that was cut off."""

from __future__ import annotations

import json

import pytest

from ingest.files.partial_json import parse_json


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('[{"a": "hel', [{"a": "hel"}]),
        ('[{"a": 1}, {"b": [1, 2', [{"a": 1}, {"b": [1, 2]}]),
        ('{"a": "x\\', {"a": "x"}),
        ('{"a": "x\\u00', {"a": "x"}),
        ('{"a": "x\\\\', {"a": "x\\"}),
        ('{"a": 1, "b', {"a": 1, "b": None}),
        ('{"a": 1, "b": ', {"a": 1}),
        ('{"a": 1, "b": tr', {"a": 1}),
        ("[", []),
    ],
)
def test_what_stands_before_the_cut_is_read(text: str, value: object) -> None:
    """Open strings, lists and objects are closed; half a literal is left out."""
    found = parse_json(text)
    assert found is not None
    assert (found.value, found.cut) == (value, True)


@pytest.mark.parametrize("text", ["", "hello", "nul", "]", "{]", "{'a': 1}"])
def test_what_is_no_json_is_refused(text: str) -> None:
    """Only a beginning of JSON is read."""
    assert parse_json(text) is None


def test_hostile_nesting_costs_no_stack_and_no_time() -> None:
    """A million brackets are refused, not followed."""
    assert parse_json("[" * 1_000_000) is None
    assert parse_json('{"a":' * 100_000) is None


def test_every_cut_of_a_document_gives_a_beginning_of_it() -> None:
    """Wherever a text is cut, reading it never fails and says that it was cut."""
    text = json.dumps(
        [{"role": "user", "parts": [{"type": "text", "content": 'a "b" \u00e9 \\ c'}]}]
    )
    for end in range(1, len(text)):
        found = parse_json(text[:end])
        assert found is not None
        assert found.cut
