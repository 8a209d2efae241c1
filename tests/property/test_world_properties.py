"""Properties of worlds: replay is deterministic, forks are independent, end states compare by what changed."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from environments.runtime.values.literals import NotLiteralError, parse_literal
from environments.runtime.world.world import World
from synth.worlds import WorldSettings, learn_world
from tests.unit.world_backend import Workshop, workshop_episodes

BIKES = sorted(Workshop().bikes)
CALLS = st.lists(
    st.one_of(
        st.tuples(st.just("show_bike"), st.fixed_dictionaries({"bike": st.sampled_from(BIKES)})),
        st.tuples(
            st.just("paint"),
            st.fixed_dictionaries(
                {
                    "bike": st.sampled_from(BIKES),
                    "colour": st.sampled_from(["red", "blue", "black"]),
                }
            ),
        ),
        st.tuples(st.just("settings_of"), st.just({})),
        st.tuples(
            st.text(max_size=5), st.dictionaries(st.text(max_size=3), st.integers(), max_size=2)
        ),
    ),
    max_size=8,
)


@cache
def _document() -> str:
    return json.dumps(learn_world(workshop_episodes(40), WorldSettings(risk=0)).document.to_json())


@cache
def _world() -> World:
    return World.from_json(json.loads(_document()))


@settings(max_examples=40, deadline=None)
@given(CALLS, st.integers(0, 3), st.booleans())
def test_what_is_kept_never_shows(
    calls: list[tuple[str, dict[str, Any]]], room: int, forks: bool
) -> None:
    """A world that answered others before, with whatever room to keep things, answers as one that never did."""
    fresh = World.from_json(json.loads(_document()))
    used = World.from_json(json.loads(_document()))
    budget = used.cache_budget
    budget.states = budget.answers = room if room < 3 else 10_000
    for _ in range(2):
        one, other = fresh.session(), used.session()
        for name, arguments in calls:
            left, right = one.call(name, arguments), other.call(name, json.dumps(arguments))
            assert (left.content, left.source) == (right.content, right.source)
            if forks:
                aside = other.fork()
                aside.call("paint", json.dumps({"bike": BIKES[0], "colour": "green"}))
        assert one.end_state() == other.end_state()


@settings(max_examples=60, deadline=None)
@given(CALLS)
def test_replay_is_deterministic(calls: list[tuple[str, dict[str, Any]]]) -> None:
    """The same calls give the same answers and the same end, as text or as a mapping, in any session."""
    one, other = _world().session(), _world().session()
    for name, arguments in calls:
        left = one.call(name, arguments)
        right = other.call(name, json.dumps(arguments))
        assert (left.content, left.source, left.is_error) == (
            right.content,
            right.source,
            right.is_error,
        )
    assert one.end_state() == other.end_state()


@settings(max_examples=60, deadline=None)
@given(CALLS, CALLS)
def test_what_a_fork_does_stays_in_the_fork(
    before: list[tuple[str, dict[str, Any]]], after: list[tuple[str, dict[str, Any]]]
) -> None:
    """A session's end does not depend on what its forks do, and the base is never changed."""
    session, base = _world().session(), json.dumps(_world().document.to_json(), sort_keys=True)
    for name, arguments in before:
        session.call(name, arguments)
    end, fork = session.end_state(), session.fork()
    for name, arguments in after:
        fork.call(name, arguments)
    assert session.end_state() == end
    assert json.dumps(_world().document.to_json(), sort_keys=True) == base


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(BIKES), max_size=4))
def test_reading_changes_nothing(bikes: list[str]) -> None:
    """A session that only looks ends where it started."""
    session = _world().session()
    for bike in bikes:
        session.call("show_bike", {"bike": bike})
    end = session.end_state()
    assert (end.effects, end.events, end.unknown) == ((), (), ())


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=12))
def test_python_literals_are_read_as_python_writes_them(value: object) -> None:
    """What `repr` writes of lists and scalars without control characters is read back."""
    text = repr(value)
    if "\\" not in text:
        assert parse_literal(text) == value


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader_of_literals(text: str) -> None:
    """Any text is a literal or is refused; nothing else happens."""
    try:
        parse_literal(text)
    except NotLiteralError:
        return
