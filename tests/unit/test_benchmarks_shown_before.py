"""What counts as knowable: an invented shop, a few recorded calls, and calls held out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from benchmarks.recordings.shown_before import unknowables
from environments.fidelity import RecordedCall, RecordedEpisode

Made = tuple[str, dict[str, Any], Any]


def _episode(made: Sequence[Made]) -> RecordedEpisode:
    calls = [
        RecordedCall(
            name=name,
            arguments=json.dumps(args),
            content=said if isinstance(said, str) else json.dumps(said),
        )
        for name, args, said in made
    ]
    return RecordedEpisode(episode_id="", calls=calls)


def _order(number: int, **more: str | float) -> dict[str, Any]:
    return {"order_id": f"O-{number}", "status": "open", "total": 10.5 * number, **more}


def _get(number: int) -> Made:
    return "get_order", {"order_id": f"O-{number}"}, _order(number)


def _cancel(number: int, fee: float) -> Made:
    said = _order(number, status="cancelled", refund=round(10.5 * number - fee, 2))
    return "cancel_order", {"order_id": f"O-{number}", "fee": fee}, said


TRAIN = [
    *(_episode([_get(n), _cancel(n, 1.5)]) for n in range(1, 6)),
    _episode([_get(7), ("cancel_order", {"order_id": "O-7", "fee": 1}, "Error: O-7 was sent")]),
    _episode([("list_orders", {"user_id": "U-9"}, {"user_id": "U-9", "orders": ["O-8", "O-9"]})]),
]


def _why(*held: Made, told: bool = False) -> list[str | None]:
    return list(unknowables(TRAIN, [_episode(held)], told=told))


def test_what_was_shown_of_a_record_is_knowable_whoever_asks() -> None:
    """The order was read in another episode."""
    assert _why(_get(3)) == [None]


def test_a_record_that_nobody_showed_is_not() -> None:
    """Its key was: in a list of another tool."""
    assert _why(_get(8)) == ["a value that nothing showed of this record"]


def test_a_number_follows_from_the_record_and_the_call() -> None:
    """The refund is the total less a fee that nobody ever paid."""
    assert _why(_cancel(4, 2.25)) == [None]
    wrong = {**_cancel(4, 2.25)[2], "refund": 1234.56}
    assert _why(("cancel_order", {"order_id": "O-4", "fee": 2.25}, wrong)) == [
        "a number that nothing shown gives"
    ]


def test_an_earlier_answer_counts_only_where_it_could_be_known() -> None:
    """Nobody could tell the policy the order, so what follows from it is unknowable, unless the truth was told."""
    first = "a value that nothing showed of this record"
    assert _why(_get(8), _cancel(8, 2.0))[1] is not None
    assert _why(_get(8), _cancel(8, 2.0), told=True) == [first, None]


def test_what_one_held_out_episode_showed_is_not_known_to_the_next() -> None:
    """Each starts from the kept episodes alone."""
    held = [_episode([_get(8)]), _episode([_get(8)])]
    assert None not in list(unknowables(TRAIN, held, told=True))


def test_words_that_a_tool_never_used_are_unknowable() -> None:
    """The wording counts, not the order that it names."""
    assert _why(("cancel_order", {"order_id": "O-3", "fee": 1}, "Error: O-3 was sent")) == [None]
    assert _why(("cancel_order", {"order_id": "O-3", "fee": 1}, "Error: O-3 is too old")) == [
        "an answer in words that the tool never used"
    ]


def test_a_refusal_is_knowable_where_the_record_that_it_names_was_shown() -> None:
    """The shelf of that row is full, says nobody of a shelf seen in another row only."""
    shelves = [{"shelf": "S-1", "row": 4, "free": 0}, {"shelf": "S-1", "row": 5, "free": 0}]

    def store(row: int, said: str = "Error: no room on S-1") -> Made:
        return "store_order", {"order_id": "O-1", "places": [{"shelf": "S-1", "row": row}]}, said

    look: Made = ("get_store", {}, {"shelves": shelves})
    train = [*TRAIN, _episode([look, store(4), store(1, "stored")])]
    held = [_episode([store(5)]), _episode([store(6)])]
    assert list(unknowables(train, held, told=False)) == [
        None,
        "a record that a refusal names was never shown",
    ]
