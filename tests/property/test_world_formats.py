"""Property tests of formats: a time is told as it was read, an id is always in its format, and both are repeatable."""

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from environments.runtime.values.formats import (
    SECOND,
    draw_id,
    fits,
    freedom,
    id_format,
    read_time,
    short_digest,
    write_time,
)

MOMENTS = st.integers(1_000_000_000, 4_000_000_000)
LAYOUTS = st.sampled_from(
    (
        "%Y-%m-%dT%H:%M:%SZ",
        "%Y-%m-%d %H:%M:%S",
        "%Y-%m-%dT%H:%M:%S+00:00",
        "%Y-%m-%d",
        "%a, %d %b %Y %H:%M:%S GMT",
    )
)


@given(MOMENTS, LAYOUTS)
def test_a_time_is_told_in_the_format_it_was_read_in(seconds: int, layout: str) -> None:
    """Reading and telling again gives the same text."""
    text = datetime.fromtimestamp(seconds, UTC).strftime(layout)
    found = read_time(text)
    assert found is not None
    assert write_time(found[1], found[0]) == text
    assert fits(found[1], text)


@given(MOMENTS, st.sampled_from((1, 1_000, 1_000_000, 1_000_000_000)), st.booleans())
def test_epoch_numbers_are_told_in_their_unit(seconds: int, unit: int, quoted: bool) -> None:
    """Whole seconds up to nanoseconds, as number or text."""
    value = str(seconds * unit) if quoted else seconds * unit
    found = read_time(value)
    assert found is not None
    assert found[0] == seconds * SECOND
    assert write_time(found[1], found[0]) == value


@given(st.text(max_size=40) | st.integers() | st.floats() | st.booleans())
def test_nothing_breaks_the_reader_of_times(value: str | float) -> None:
    """Any value is a time or none; what is one is told again as it was."""
    found = read_time(value)
    assert found is None or fits(found[1], value)


@given(
    st.lists(
        st.text("0123456789abcdef", min_size=8, max_size=8), min_size=3, max_size=20, unique=True
    ),
    st.text(max_size=8),
    st.text(max_size=20),
)
def test_ids_are_in_their_format_and_never_recorded(tails: list[str], head: str, seed: str) -> None:
    """A drawn id fits, is the same for the same seed, and is none of those that were seen."""
    values = [head + tail for tail in tails]
    form = id_format(values)
    if form is None or freedom(form) < 2 * len(values) + 1_000:
        return
    form = replace(form, taken=frozenset(map(short_digest, values)))
    drawn = draw_id(form, seed)
    assert fits(form, drawn)
    assert drawn == draw_id(form, seed)
    assert drawn not in values
