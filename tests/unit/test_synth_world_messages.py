"""Refusals with numbers: a total that was only known once is no part of the words."""

from __future__ import annotations

from typing import cast

from environments.runtime.expr.gaps import UNKNOWN
from environments.runtime.expr.scope import Scope, Tree
from environments.runtime.values.normal import HOLE
from environments.runtime.world.session import Session
from synth.world.actions.examples import Example, evaluate
from synth.world.observation import Observation
from synth.world.refusals.messages import Refusal, message_of
from synth.world.search.terms import Tables

NOTHING = cast("Session", None)
"""No example here looks at the state before."""
CULPRIT: Tree = ["row", "carts", [["arg", "cart"]], "lines"]
"""What the broken condition is about; only one cart was ever read."""


def _row(table: str, key: str) -> object:
    del table
    return {"lines": 3} if key == '["read"]' else UNKNOWN


def _refusal(said: list[tuple[str, str, int, str]]) -> Refusal:
    group = []
    for at, (task, cart, paid, content) in enumerate(said):
        seen = Observation(
            tool="pay",
            arguments={"cart": cart, "paid": paid},
            content=content,
            episode=at,
            position=0,
            at=at,
            caller="",
        )
        seen.settle()
        group.append(Example(seen=seen, refused=True, before=NOTHING, task=task))
    scopes = [Scope(dict(e.seen.arguments), row=_row) for e in group]
    return Refusal(
        name=f"Error: total is {HOLE} but paid {HOLE}",
        group=group,
        scopes=scopes,
        tables=Tables(single=(), multiple=()),
        roots=["arg"],
    )


def test_a_total_that_was_known_once_is_no_part_of_the_words() -> None:
    """Of the other carts nobody knows the total, but it is not this one: their refusals say so."""
    refusal = _refusal(
        [
            ("t1", "read", 5, "Error: total is 30 but paid 5"),
            ("t1", "read", 7, "Error: total is 30 but paid 7"),
            ("t2", "other", 5, "Error: total is 42 but paid 5"),
            ("t3", "third", 9, "Error: total is 51 but paid 9"),
        ]
    )
    assert evaluate(CULPRIT, refusal.scopes) == [3, 3, UNKNOWN, UNKNOWN]
    assert message_of(refusal, [CULPRIT]) is None


def test_a_number_that_stands_in_every_refusal_of_several_tasks_is_part_of_the_words() -> None:
    """A limit is always the same."""
    said = [(f"t{n}", "read", n, f"Error: total is 30 but paid {n}") for n in (5, 7, 9)]
    assert message_of(_refusal(said), [CULPRIT]) == [
        "text",
        "Error: total is 30 but paid ",
        ["arg", "paid"],
    ]


def test_one_task_alone_does_not_show_that_a_number_is_part_of_the_words() -> None:
    """Three attempts at one task have one total."""
    said = [("t1", "read", n, f"Error: total is 30 but paid {n}") for n in (5, 7, 9)]
    assert message_of(_refusal(said), [CULPRIT]) is None


def _voucher(told: list[tuple[str, str, str]]) -> Refusal:
    group, scopes = [], []
    for at, (code, there, content) in enumerate(told):
        seen = Observation(
            tool="voucher",
            arguments={"code": code},
            content=content,
            episode=at,
            position=0,
            at=at,
            caller="",
        )
        seen.settle()
        group.append(Example(seen=seen, refused=True, before=NOTHING, task=f"t{at}"))
        scopes.append(Scope({"code": code}, {"voucher": there}, row=_row))
    return Refusal(
        name=f"Error: {HOLE} is there",
        group=group,
        scopes=scopes,
        tables=Tables(single=(), multiple=()),
        roots=["arg", "old"],
    )


def test_a_word_that_is_asked_for_and_there_as_well_is_told_where_both_agree() -> None:
    """Only who asked again for the same voucher was refused: nobody knows which of the two the words mean."""
    both: Tree = ["either", ["arg", "code"], ["old", "voucher"]]
    same = [(code, code, f"Error: {code} is there") for code in ("SPRING", "WINTER")]
    assert message_of(_voucher(same), []) == ["text", "Error: ", both, " is there"]
    other = [*same, ("SPRING", "WINTER", "Error: WINTER is there")]
    assert message_of(_voucher(other), []) == ["text", "Error: ", ["old", "voucher"], " is there"]


def test_one_argument_is_not_told_in_two_places_of_a_refusal() -> None:
    """`from won to won` was said to who repeated a call: the first word is what was there."""
    told = [(code, "", f"Error: not from {code} to {code}") for code in ("won", "lost")]
    assert message_of(_voucher(told), []) is None
