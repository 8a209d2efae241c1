"""Properties of log entries: what they name is what the separate searches find, whenever it is asked for."""

from __future__ import annotations

import json

from hypothesis import example, given
from hypothesis import strategies as st

from environments.runtime.values.mentions import labels_in, names_in, tokens_in
from environments.runtime.world.entries import CallResult, Entry, RowSnapshot

TEXTS = st.one_of(st.text(max_size=50), st.sampled_from(["ab-12", "2024-01-02", "123456", "red"]))
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@example(value=["00\r"])
@given(VALUES)
@example("0; ")
@example("Order a-17 is done")
def test_one_walk_finds_what_two_find(value: object) -> None:
    """Names and tokens found together are those found apart."""
    assert labels_in(value) == names_in(value) | tokens_in(value)  # type: ignore[arg-type]


@given(st.dictionaries(TEXTS, VALUES, max_size=3) | st.lists(VALUES, max_size=3))
def test_a_rendered_value_names_what_its_text_names(value: object) -> None:
    """What was rendered here need not be read again to know what it names; NaN is read as text."""
    content = json.dumps(value)
    assert CallResult(content=content, value=value).labels() == CallResult(content=content).labels()  # type: ignore[arg-type]


def test_a_text_in_quotes_names_what_the_text_names() -> None:
    """A server that quotes its sentences says as much about records as one that does not."""
    assert "a-17" in CallResult(content='"Order a-17 is done"').labels()


def test_an_entry_names_the_rows_as_they_were() -> None:
    """A row of the base is searched once for all sessions, a row of the session by itself."""
    kept: dict[tuple[str, str], frozenset[str]] = {}
    met = (
        RowSnapshot(place=("order", '["o-1"]'), row={"customer": "c-77"}, kept=kept),
        RowSnapshot(place=("order", '["o-2"]'), row={"customer": "c-88"}, kept=None),
    )
    entry = Entry(
        tool="cancel",
        args={"id": "o-1", "reason": "late"},
        known=True,
        kind="write",
        came=CallResult(content="done with t-5"),
        met=met,
        about=(("order", '["o-1"]'),),
    )
    assert entry.names == {"o-1", "=late", "t-5", "c-77", "c-88"}
    assert entry.labels == entry.names | {"=done", "=with", 'order|["o-1"]'}
    assert kept == {("order", '["o-1"]'): frozenset({"c-77"})}
    assert entry.call == 'cancel {"id":"o-1","reason":"late"}'
    assert entry.event is not None
    assert (entry.event.tool, entry.event.kind) == ("cancel", "write")
