"""What checks share in one view says the same as looking at the whole attempt anew for each of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.checks.calls import wrote
from environments.runtime.checks.caps import numbers_told
from environments.runtime.checks.told_values import CENT, told
from environments.runtime.checks.view import View, numbers_in
from environments.runtime.task.attempt import DERIVED, Attempt, Call, Json, ToolResult

AMOUNTS = st.integers(0, 400).map(lambda cents: cents / 100)
TEXTS = st.lists(AMOUNTS, max_size=5).map(lambda found: " and ".join(f"{n:.2f}" for n in found))
CALLS = st.tuples(st.sampled_from(["pay", "look"]), st.integers(0, 3), st.booleans())


def spoken(texts: list[str]) -> Attempt:
    """An attempt in which the policy only says these texts."""
    said: list[dict[str, Json]] = [{"role": "assistant", "content": text} for text in texts]
    return Attempt(messages=({"role": "user", "content": "1.00?"}, *said), opening=1)


@given(texts=st.lists(TEXTS, max_size=4), value=AMOUNTS, among=st.none() | st.integers(0, 4))
def test_a_value_is_told_exactly_where_a_plain_search_finds_it(
    texts: list[str], value: float, among: int | None
) -> None:
    """Searching the shared sorted numbers finds what looking through each message finds."""
    visible = [numbers_in(text) for text in texts if text.strip()]
    expected = any(
        abs(number - value) < CENT
        for numbers in visible
        for number in numbers
        if among is None or len({n for n in numbers if n != 1.0}) <= among
    )

    score, _ = told({"value": value, "among": among}, View(spoken(texts)), "c")

    assert score == float(expected)


@given(texts=st.lists(TEXTS, max_size=4), most=st.integers(0, 4), total=st.integers(0, 8))
def test_caps_on_numbers_count_what_stands_in_the_messages(
    texts: list[str], most: int, total: int
) -> None:
    """The shared counts are those of the messages, without what the user said first."""
    new = [{n for n in numbers_in(text) if n != 1.0} for text in texts]
    allowed = all(len(n) <= most for n in new) and len(set().union(*new)) <= total

    score, _ = numbers_told({"per_message": most, "total": total}, View(spoken(texts)), "c")

    assert score == float(allowed)


@given(made=st.lists(CALLS, max_size=6), wanted=st.tuples(st.just("pay"), st.integers(0, 3)))
def test_a_change_was_made_where_some_call_that_was_not_refused_is_alike(
    made: list[tuple[str, int, bool]], wanted: tuple[str, int]
) -> None:
    """Calls looked up by name and arguments are those that a walk over all calls finds."""
    calls = tuple(
        Call(
            name=name,
            arguments={"id": number},
            result=ToolResult(content="{}", source=DERIVED, is_error=failed),
            message=1,
        )
        for name, number, failed in made
    )
    attempt = Attempt(messages=({"role": "user", "content": "go"},), opening=1, calls=calls)
    name, number = wanted
    arguments = canonical_arguments({"id": number})

    score, _ = wrote({"tool": name, "arguments": arguments}, View(attempt), "c")

    assert score == float(any((n, i, f) == (name, number, False) for n, i, f in made))
