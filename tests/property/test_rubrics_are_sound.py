"""Properties of grading: pure, blind to spelling, monotone, and never paying for what is unknown."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.checks.table import evaluate
from environments.runtime.task.attempt import DERIVED, UNKNOWN, Attempt, Call, Json, ToolResult
from environments.runtime.task.rubric import Check, Rubric

SCALARS = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=12)
VALUES = st.recursive(
    SCALARS | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)
ARGUMENTS = st.dictionaries(st.text(min_size=1, max_size=6), VALUES, max_size=4)
NAMES = st.sampled_from(["put", "drop", "get"])


@st.composite
def calls(draw: st.DrawFn, sources: tuple[str, ...] = (DERIVED,)) -> Call:
    """One call with any arguments."""
    result = ToolResult(
        content="x", source=draw(st.sampled_from(sources)), is_error=draw(st.booleans())
    )
    return Call(name=draw(NAMES), arguments=draw(ARGUMENTS), result=result, message=1)


def attempt(made: list[Call]) -> Attempt:
    """An attempt with these calls."""
    talk: tuple[dict[str, Json], ...] = ({"role": "user", "content": "?"}, {"role": "assistant"})
    return Attempt(messages=talk, opening=1, calls=tuple(made))


def rubric_of(made: list[Call]) -> Rubric:
    """Accept exactly what these calls write."""
    rows: list[Json] = [
        [c.name, canonical_arguments(c.arguments), 1]
        for c in made
        if c.name != "get" and not c.result.is_error
    ]
    args: dict[str, Json] = {"ends": [{"id": "e", "writes": rows}], "writes": ["put", "drop"]}
    return Rubric(
        task_id="t", checks=(Check(check_id="end", fn="end_state", args=args, required=True),)
    )


@given(st.lists(calls(), max_size=6))
def test_gold_passes_and_grading_is_pure(made: list[Call]) -> None:
    """The attempt a rubric was made of passes, twice alike."""
    rubric, gold = rubric_of(made), attempt(made)
    first = evaluate(rubric, gold, task_version="v")
    assert first.reward == 1.0
    assert first == evaluate(rubric, gold, task_version="v")


@given(st.lists(calls(), max_size=5), calls())
def test_one_more_write_is_never_paid(made: list[Call], extra: Call) -> None:
    """A successful write that is not wanted fails, a repeated one is at best unknown; a read changes nothing."""
    verdict = evaluate(rubric_of(made), attempt([*made, extra]), task_version="v")
    if extra.name == "get" or extra.result.is_error:
        assert verdict.reward == 1.0
    else:
        assert verdict.reward != 1.0


@given(st.lists(calls(), min_size=1, max_size=5), st.data())
def test_a_missing_write_is_never_paid(made: list[Call], data: st.DataObject) -> None:
    """Dropping a successful write fails."""
    index = data.draw(st.integers(0, len(made) - 1))
    dropped = [c for i, c in enumerate(made) if i != index]
    reward = evaluate(rubric_of(made), attempt(dropped), task_version="v").reward
    needed = made[index].name != "get" and not made[index].result.is_error
    assert reward == (0.0 if needed else 1.0)


@given(st.lists(calls(), max_size=4), st.lists(calls(sources=(DERIVED, UNKNOWN)), max_size=4))
def test_what_nobody_knows_is_never_paid(wanted: list[Call], made: list[Call]) -> None:
    """An attempt with an unknown write earns null or nothing."""
    unknown = [c for c in made if c.result.source == UNKNOWN and c.name != "get"]
    reward = evaluate(rubric_of(wanted), attempt(made), task_version="v").reward
    if any(not c.result.is_error for c in unknown):
        assert reward in {None, 0.0}


@given(ARGUMENTS)
def test_the_normal_form_is_stable(arguments: dict[str, Json]) -> None:
    """Normalising a normal form changes nothing, and the order of names never matters."""
    text = canonical_arguments(arguments)
    assert canonical_arguments(json.loads(text)) == text
    assert canonical_arguments(dict(reversed(arguments.items()))) == text


@given(
    st.lists(st.text(st.characters(categories=["Lu", "Ll"]), min_size=1, max_size=5), max_size=5)
)
def test_lists_written_as_text_are_lists(items: list[str]) -> None:
    """Some callers send `"['a', 'b']"` where others send `["a", "b"]`."""
    assert canonical_arguments({"ids": repr(items)}) == canonical_arguments({"ids": list(items)})


@given(st.permutations([("a", 1), ("b", 2), ("c", 3)]))
def test_parallel_lists_are_rows(rows: list[tuple[str, int]]) -> None:
    """Two lists of one length belong together: their common order is free, their pairing is not."""
    one = canonical_arguments({"old": [r[0] for r in rows], "new": [r[1] for r in rows]})
    assert one == canonical_arguments({"old": ["a", "b", "c"], "new": [1, 2, 3]})
    assert one != canonical_arguments({"old": ["a", "b", "c"], "new": [2, 1, 3]})
