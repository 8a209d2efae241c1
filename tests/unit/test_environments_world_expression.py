"""The language of behaviours: what trees mean, how they fail, and that they always end."""

from __future__ import annotations

import pytest

from environments.runtime.expr.evaluate import build
from environments.runtime.expr.gaps import MISSING, UNSEEN, is_unknown
from environments.runtime.expr.language import BadTreeError
from environments.runtime.expr.scope import Scope
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import stable

ROWS: dict[tuple[str, str], Json] = {("shelf", stable(["s1"])): {"room": 4, "tags": ["a", "b"]}}


def _scope(arg: Json = None, old: Json = None) -> Scope:
    return Scope(arg, old, row=lambda table, key: ROWS.get((table, key), UNSEEN))


def _value(tree: object, arg: Json = None, old: Json = None) -> object:
    return build(tree)(_scope(arg, old))


@pytest.mark.parametrize(
    ("tree", "arg", "value"),
    [
        (["const", 3], None, 3),
        (["arg", "a", "b"], {"a": {"b": 1}}, 1),
        (["row", "shelf", [["arg", "s"]], "room"], {"s": "s1"}, 4),
        (["sum", ["arg", "xs"], ["it", "n"]], {"xs": [{"n": 1}, {"n": 2.5}]}, 3.5),
        (["map", ["arg", "xs"], ["neg", ["it"]]], {"xs": [1, 2]}, [-1, -2]),
        (["zip", ["arg", "a"], ["arg", "b"], ["sub", ["it"], ["by"]]], {"a": [5], "b": [2]}, [3]),
        (["filter", ["arg", "xs"], ["le", ["it"], ["const", 1]]], {"xs": [1, 2]}, [1]),
        (["concat", ["arg", "a"], ["list", ["const", 9]]], {"a": [1]}, [1, 9]),
        (["sort", ["arg", "xs"]], {"xs": ["b", "a"]}, ["a", "b"]),
        (["text", "at ", ["arg", "n"], "!"], {"n": 7}, "at 7!"),
        (["case", ["arg", "k"], [["x", ["const", 1]], ["y", ["const", 2]]]], {"k": "y"}, 2),
        (["if", ["exists", ["arg", "q"]], ["const", 1], ["const", 2]], {}, 2),
        (["among", ["shape", ["arg", "id"]], ["A-9"]], {"id": "BK-400"}, True),
        (["prefix", ["arg", "id"]], {"id": "card_12"}, "card_"),
        (["member", ["arg", "x"], ["arg", "xs"]], {"x": "a", "xs": {"a": 1}}, True),
        (["distinct", ["arg", "xs"]], {"xs": [1, 1]}, False),
        (["with", ["arg", "o"], ["const", "k"], ["const", 2]], {"o": {"j": 1}}, {"j": 1, "k": 2}),
        (
            [
                "edit",
                ["arg", "xs"],
                "id",
                ["arg", "ids"],
                ["arg", "ns"],
                ["object", ["id", ["it", "id"]], ["n", ["by"]]],
            ],
            {"xs": [{"id": "a", "n": 1}, {"id": "b", "n": 2}], "ids": ["b"], "ns": [9]},
            [{"id": "a", "n": 1}, {"id": "b", "n": 9}],
        ),
        (["eq", ["const", True], ["const", 1]], None, False),
        (["eq", ["const", 5], ["const", 5.0]], None, True),
        (["either", ["arg", "a"], ["arg", "b"]], {"a": 1, "b": 1.0}, 1),
    ],
)
def test_operations(tree: object, arg: Json, value: object) -> None:
    """Each operation gives what its description in docs/worlds.md says."""
    assert _value(tree, arg) == value


@pytest.mark.parametrize(
    "tree",
    [
        [],
        "arg",
        ["eval", "1"],
        ["row"],
        ["map", ["arg"]],
        ["const"],
        [["arg"]],
        {"op": "arg"},
        ["__import__", "os"],
    ],
)
def test_anything_outside_the_language_is_refused_when_built(tree: object) -> None:
    """A world file cannot smuggle in another operation or a malformed one."""
    with pytest.raises(BadTreeError):
        build(tree)


def test_a_path_that_is_not_there_is_missing_and_a_row_nobody_saw_is_not_known() -> None:
    """The two ways of having no value are kept apart."""
    assert _value(["arg", "nope"], {}) is MISSING
    assert is_unknown(_value(["row", "shelf", [["const", "s2"]]]))
    assert is_unknown(_value(["old", "status"]))


def test_a_condition_that_fails_decides_beside_unknown_ones() -> None:
    """One false element makes `every` false whatever is unknown; without one it is unknown."""
    known = ["row", "shelf", [["it"]], "room"]
    tree = ["every", ["arg", "xs"], ["le", known, ["const", 3]]]
    assert _value(tree, {"xs": ["s2", "s1"]}) is False
    assert is_unknown(
        _value(["every", ["arg", "xs"], ["le", known, ["const", 9]]], {"xs": ["s2", "s1"]})
    )


def test_explanations_that_differ_are_not_known() -> None:
    """`either` answers only where its explanations agree."""
    assert is_unknown(
        _value(["either", ["arg", "xs"], ["sort", ["arg", "xs"]]], {"xs": ["b", "a"]})
    )


def test_steps_are_bounded() -> None:
    """Nested loops over a long list run out of fuel instead of time."""
    inner = ["sum", ["arg", "xs"], ["const", 1]]
    tree = ["sum", ["arg", "xs"], inner]
    assert is_unknown(_value(tree, {"xs": [*range(2000)]}))


def test_a_tree_too_large_is_refused() -> None:
    """Size is bounded when the world is loaded."""
    with pytest.raises(BadTreeError):
        build(["list", *([["const", 1]] * 6000)])
