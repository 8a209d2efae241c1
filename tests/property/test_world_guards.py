"""Properties of guards: asked all at once they say what they say one by one, whatever is missing or unknown."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from environments.runtime.answers.guards import Guard, Guards, names_part
from environments.runtime.document.tools import GuardPart
from environments.runtime.expr.evaluate import build
from environments.runtime.expr.gaps import MISSING, UNSEEN, NoValueError
from environments.runtime.expr.language import prefix, shape
from environments.runtime.expr.plan import MAX_FINE
from environments.runtime.expr.scope import Scope
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import stable

ITEM = {"id": "i1", "price": 3, "state": "kept", "tags": ["a", "b"]}
ROWS: dict[tuple[str, str], Any] = {
    ("part", '["i1"]'): ITEM,
    ("part", '["i2"]'): {"id": "i2", "price": 4.5, "state": None, "tags": []},
    ("order", '["o1"]'): {"id": "o1", "items": [ITEM, {"id": "i2", "price": True}], "owner": "i1"},
    ("order", '["o2"]'): {"id": "o2", "items": [], "owner": "i9", "total": 7},
    ("order", '["o3"]'): {"owner": "i1"},
    ("order", '["gone"]'): MISSING,
}
VALUES = st.sampled_from(
    [
        "o1",
        "o2",
        "o3",
        "i1",
        "i2",
        "gone",
        "kept",
        "x-Ab12",
        "",
        None,
        True,
        1,
        1.0,
        3,
        -2,
        [],
        ["i1", 3],
    ]
)
PATHS = st.lists(
    st.sampled_from(["id", "items", "owner", "price", "state", "tags", "total", 0, 1]), max_size=2
)


def _row(table: str, key: str) -> object:
    return ROWS.get((table, key), UNSEEN)


def _values(inside: bool) -> st.SearchStrategy[Any]:
    roots = ["arg", "old", "it", "by"] if inside else ["arg", "old"]
    leaves = st.one_of(
        VALUES.map(lambda v: ["const", v]),
        st.tuples(st.sampled_from(roots), PATHS).map(lambda t: [t[0], *t[1]]),
        st.sampled_from(["order", "part", "key", "items"]).map(lambda n: ["arg", n]),
    )

    def more(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        element = inner if inside else _ELEMENTS
        return st.one_of(
            st.tuples(st.sampled_from(["order", "part"]), inner, PATHS).map(
                lambda t: ["row", t[0], [t[1]], *t[2]]
            ),
            st.tuples(inner, st.sampled_from(["id", "state"]), inner, PATHS).map(
                lambda t: ["pick", t[0], t[1], t[2], *t[3]]
            ),
            st.tuples(inner, inner, PATHS).map(lambda t: ["at", t[0], t[1], *t[2]]),
            st.tuples(st.sampled_from(["add", "sub", "mul", "max"]), inner, inner).map(list),
            st.tuples(st.sampled_from(["len", "shape", "prefix", "neg", "sort"]), inner).map(list),
            st.lists(inner, max_size=2).map(lambda parts: ["list", *parts]),
            st.tuples(st.sampled_from(["sum", "filter", "map"]), inner, element).map(list),
        )

    return st.recursive(leaves, more, max_leaves=4)


def _conditions(inside: bool) -> st.SearchStrategy[Any]:
    value = _values(inside)
    leaves = st.one_of(
        st.tuples(st.sampled_from(["eq", "le", "member"]), value, value).map(list),
        st.tuples(st.just("among"), value, st.lists(VALUES, max_size=3)).map(list),
        st.tuples(st.sampled_from(["exists", "distinct"]), value).map(list),
    )

    def more(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        body = inner if inside else _INSIDE
        return st.one_of(
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: ["and", *parts]),
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: ["or", *parts]),
            inner.map(lambda part: ["not", part]),
            st.tuples(st.just("every"), value, body).map(list),
        )

    return st.recursive(leaves, more, max_leaves=3)


_ELEMENTS = st.deferred(lambda: _values(True))
_INSIDE = st.deferred(lambda: _conditions(True))
TIMES = 2
"""How often a call is made once more: what passed is remembered."""
GUARDS = st.lists(st.tuples(_conditions(False), st.booleans()), min_size=1, max_size=6)
CALLS = st.lists(
    st.tuples(
        st.fixed_dictionaries({"order": VALUES, "part": VALUES, "items": VALUES}),
        st.sampled_from([None, *(v for v in ROWS.values() if type(v) is dict)]),
    ),
    min_size=1,
    max_size=3,
)


def _one_by_one(guards: Sequence[Guard], scope: Scope) -> str:
    """In order; then, beside a known record, what asks for a part that nobody knows and that was never its own."""
    try:
        found = next((g for g in guards if g.objects(scope, known=scope.old is not None)), None)
    except NoValueError as fault:
        return f"unknown: {fault}"
    if found is None and scope.old is not None:
        found = next((g for g in guards if names_part(g.tree) and g.strange(scope)), None)
    return "nothing objects" if found is None else found.name


def _together(guards: Guards, scope: Scope) -> str:
    scope.memo = {}
    try:
        found = guards.objection(scope)
    except NoValueError as fault:
        return f"unknown: {fault}"
    return "nothing objects" if found is None else found.name


@settings(max_examples=400, deadline=None)
@example(
    [(["member", ["arg", "order"], ["row", "order", [["const", "o3"]], "items"]], False)],
    [({"order": "o1", "part": "o1", "items": "o1"}, ITEM)],
)
@given(GUARDS, CALLS)
def test_all_at_once_is_one_by_one(trees: list[tuple[Any, bool]], calls: list[Any]) -> None:
    """The same guard objects, or the same thing is unknown, however often the same records were met before."""
    parts = [
        GuardPart(holds=tree, support=int(hard), says=str(at))
        for at, (tree, hard) in enumerate(trees)
    ]
    guards = Guards(parts)
    alone = [
        Guard(
            holds=build(p.holds),
            message=None,
            name=p.says,
            tree=p.holds,
            soft=not p.support,
        )
        for p in parts
    ]
    for arguments, old in calls * (TIMES + 1):
        expected = _one_by_one(alone, Scope(arguments, old, row=_row))
        assert _together(guards, Scope(arguments, old, row=_row)) == expected


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(_values(False), _conditions(False)), min_size=1, max_size=5), CALLS)
def test_what_trees_share_is_what_each_finds_alone(trees: list[Any], calls: list[Any]) -> None:
    """Trees of one call that keep what they find for one another give the values, and the gaps, that each gives by itself."""
    for arguments, old in calls:
        shared = Scope(arguments, old, row=_row)
        shared.memo = {}
        for tree in (*trees, *trees):
            alone = build(tree)(Scope(arguments, old, row=_row))
            assert repr(build(tree, keeps=True)(shared)) == repr(alone)


BEFORE = ["row", "order", [["arg", "order"]]]
_RECORDS: st.SearchStrategy[Any] = st.sampled_from(
    [
        ["old"],
        BEFORE,
        ["row", "order", [["old", "id"]]],
        ["row", "order", [["row", "order", [["old", "id"]], "id"]]],
        ["row", "part", [["old", "owner"]]],
        ["row", "part", [["old", "items", 0, "id"]]],
        ["row", "part", [["arg", "part"]]],
        ["pick", ["old", "items"], "id", ["old", "items", 0, "id"]],
        ["pick", ["old", "items"], "price", ["old", "items", 0, "price"]],
        ["pick", [*BEFORE, "items"], "id", ["old", "items", 0, "id"]],
        ["pick", ["old", "items"], "id", ["arg", "part"]],
    ]
)
_PLACES: st.SearchStrategy[tuple[Any, Any]] = st.tuples(_RECORDS, PATHS)
_OF_RECORDS = _PLACES.map(lambda t: [*t[0], *t[1]]) | st.sampled_from(
    [["arg", "order"], ["arg", "part"]]
)
_OF_ELEMENTS = st.sampled_from(
    [["it", "id"], ["it", "price"], ["row", "part", [["it", "id"]], "price"], ["it", "state"]]
)


def _asked(value: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.tuples(st.sampled_from(["eq", "le", "member"]), value, value).map(list),
        st.tuples(st.just("among"), value, st.lists(VALUES, max_size=9)).map(list),
        st.tuples(st.just("shape"), value).map(lambda t: ["among", list(t), ["a9", "A-Aa9", ""]]),
        st.tuples(st.just("prefix"), value).map(lambda t: ["among", list(t), ["o", "i", "x-Ab"]]),
        st.tuples(st.sampled_from(["exists", "distinct"]), value).map(list),
        value.map(lambda v: ["exists", ["len", v]]),
    )


_ABOUT_RECORDS = st.one_of(
    _asked(_OF_RECORDS),
    st.tuples(st.sampled_from([["old", "items"], [*BEFORE, "items"]]), _asked(_OF_ELEMENTS)).map(
        lambda t: ["every", *t]
    ),
)

_SEVERAL = st.one_of(
    _ABOUT_RECORDS.map(lambda tree: [tree]),
    st.tuples(_asked(_OF_RECORDS), _asked(_OF_RECORDS)).map(lambda t: [t[0], ["or", t[1], t[0]]]),
    st.tuples(_OF_RECORDS, st.lists(_OF_RECORDS, min_size=2, max_size=4)).map(
        lambda t: [["le", t[0], limit] for limit in t[1]]
    ),
)
"""One condition, or some that say a part of the same: limits on one number, one of two that must hold anyway."""


@settings(max_examples=600, deadline=None)
@example(
    [["eq", ["old", "id", "id"], ["row", "part", [["old", "owner"]]]]],
    [({"order": "o2", "part": "o1", "items": "o1"}, None)],
)
@given(st.lists(_SEVERAL, min_size=1, max_size=6).map(lambda each: list(chain(*each))), CALLS)
def test_records_by_several_names_are_asked_alike(trees: list[Any], calls: list[Any]) -> None:
    """What is merged because two names mean one record, or two values are equal, says what it says one by one."""
    parts = [GuardPart(holds=tree, says=str(at)) for at, tree in enumerate(trees)]
    guards = Guards(parts, BEFORE)
    alone = [
        Guard(holds=build(t), message=None, name=str(i), tree=t, soft=True)
        for i, t in enumerate(trees)
    ]
    for arguments, _ in calls * (TIMES + 1):
        old = ROWS.get(("order", stable([arguments["order"]])))
        old = old if type(old) is dict else None
        expected = _one_by_one(alone, Scope(arguments, old, row=_row))
        assert _together(guards, Scope(arguments, old, row=_row)) == expected


def test_equal_values_that_are_two_keys_stay_two() -> None:
    """1 and 1.0 are equal, and find different rows: what is said of one row is not said of the other."""
    rows: dict[str, Json] = {"[1]": {"state": "kept"}, "[1.0]": {"state": "sent"}}
    parts = [
        GuardPart(holds=["eq", ["arg", "n"], ["old", "n"]], says="equal"),
        GuardPart(
            holds=["among", ["row", "part", [["arg", "n"]], "state"], ["kept"]], says="first"
        ),
        GuardPart(
            holds=["among", ["row", "part", [["old", "n"]], "state"], ["kept"]], says="second"
        ),
    ]
    guards = Guards(parts)
    whole: dict[str, Json] = {"n": 1}
    olds: list[dict[str, Json]] = [whole] * (TIMES + 2)
    olds.append({"n": 1.0})
    for old in olds:
        expected = "nothing objects" if stable(old) == '{"n":1}' else "second"
        scope = Scope({"n": 1}, old, row=lambda _, key: rows[key])
        assert _together(guards, scope) == expected


def test_the_first_element_is_found_by_what_it_has() -> None:
    """The element that has the first one's name is the first one, unless that has no name, or one that equals nothing."""
    tree = ["pick", ["old", "items"], "name", ["old", "items", 0, "name"], "state"]
    guards = Guards([GuardPart(holds=["among", tree, ["kept"]], says="state")])
    named: dict[str, Json] = {"name": "a", "state": "kept"}
    for _ in range(TIMES + 2):
        scope = Scope({}, {"items": [named, {"name": "b", "state": "sent"}]}, row=_row)
        assert _together(guards, scope) == "nothing objects"
    others: list[Json] = [[{"state": "kept"}], [{**named, "name": float("nan")}], [], {"0": named}]
    for items in others:
        assert _together(guards, Scope({}, {"items": items}, row=_row)) == "state"


def test_digits_count_where_a_condition_names_them() -> None:
    """Ids that differ in digits alone pass what asks for their shape, and not what asks for one of them."""
    shapes = [
        GuardPart(holds=["among", [op, ["old", "id"]], allowed], says=op)
        for op, allowed in (("shape", ["A-9"]), ("prefix", ["T-"]))
    ]
    one = GuardPart(holds=["among", ["old", "id"], ["T-12"]], says="one")
    for parts, expected in ((shapes, "nothing objects"), ([*shapes, one], "one")):
        guards = Guards(parts)
        for _ in range(TIMES + 2):
            assert _together(guards, Scope({}, {"id": "T-12"}, row=_row)) == "nothing objects"
        assert _together(guards, Scope({}, {"id": "T-34"}, row=_row)) == expected
        assert _together(guards, Scope({}, {"id": "U-34"}, row=_row)) == "prefix"


def test_a_record_that_passed_says_nothing_of_an_equal_one_with_other_values() -> None:
    """What passed is known by the record itself: a later one in its place, or one that was changed, is asked again."""
    guards = Guards([GuardPart(holds=["among", ["old", "state"], ["kept"]], says="state")])
    for _ in range(TIMES + 2):
        assert _together(guards, Scope({}, {"state": "kept"}, row=_row)) == "nothing objects"
    for state in ["sent", "kept"] * (MAX_FINE + 1):
        expected = "nothing objects" if state == "kept" else "state"
        assert _together(guards, Scope({}, {"state": state}, row=_row)) == expected


def test_a_number_that_is_none_is_under_no_limit() -> None:
    """NaN is at most nothing, asked alone or beside other limits of the same number."""
    limits = [["le", ["old", "paid"], ["arg", name]] for name in ("most", "left")]
    guards = Guards([GuardPart(holds=tree, says=tree[2][1]) for tree in limits])
    arguments: dict[str, Json] = {"most": 3, "left": 2}
    for _ in range(TIMES + 2):
        assert _together(guards, Scope(arguments, {"paid": 2}, row=_row)) == "nothing objects"
    assert _together(guards, Scope(arguments, {"paid": 2.5}, row=_row)) == "left"
    assert _together(guards, Scope(arguments, {"paid": float("nan")}, row=_row)) == "most"


def test_half_a_sign_in_an_argument_is_an_argument_like_any_other() -> None:
    """JSON may hold half of a sign (a lone surrogate), which no bytes can: the condition is asked all the same."""
    tree = ["among", ["prefix", ["arg", "order"]], ["T-", "\ud800"]]
    guards = Guards([GuardPart(holds=tree, says="prefix")])
    for order in ["T-12"] * (TIMES + 2) + ["\ud8001", "T-34"]:
        assert _together(guards, Scope({"order": order}, {}, row=_row)) == "nothing objects"


def test_names_of_one_record_are_told_apart_where_they_differ() -> None:
    """Conditions written for a call where two names mean one record are not asked where they mean two."""
    tree = ["eq", ["row", "order", [["arg", "order"]], "id"], ["old", "id"]]
    guards = Guards([GuardPart(holds=tree, says="another order")])
    old = ROWS["order", '["o1"]']
    for order, expected in [*[("o1", "nothing objects")] * (TIMES + 2), ("o2", "another order")]:
        assert _together(guards, Scope({"order": order}, old, row=_row)) == expected


@pytest.mark.parametrize("way", ["alone", "together"])
def test_a_counter_is_asked_once(way: str) -> None:
    """A guard that takes a number takes one, not another to decide whether it may."""
    taken: list[str] = []

    def number(name: str) -> int:
        taken.append(name)
        return len(taken)

    parts = [GuardPart(holds=["le", ["const", 0], ["next", "tickets", None]], says="")]
    if way == "together":
        parts.append(GuardPart(holds=["exists", ["arg", "order"]], says=""))
    guards = Guards(parts)
    for call in range(1, TIMES + 4):
        scope = Scope({"order": "o1"}, ROWS["order", '["o1"]'], row=_row, number=number)
        assert guards.objection(scope) is None
        assert len(taken) == call


@given(st.text(max_size=30) | st.text("aZ9-_²é", max_size=300))
def test_shape_and_prefix_read_plain_text_as_any_other(text: str) -> None:
    """The quick way for ASCII gives what reading sign by sign gives."""
    kinds = [
        "9" if c.isdigit() else "A" if c.isupper() else "a" if c.isalpha() else c
        for c in text[:200]
    ]
    slow = "".join(
        k for at, k in enumerate(kinds) if at == 0 or kinds[at - 1] != k or k not in "9Aa"
    )
    digits = [at for at, char in enumerate(text) if char.isdigit()]
    assert shape(text) == slow
    assert prefix(text) == (text[: digits[0]] if digits else text)
    assert stable(shape(text)) == stable(slow)
