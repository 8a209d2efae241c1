"""Arguments bound by what users say: ids of any form, words for values, and what nobody can know."""

from __future__ import annotations

from collections.abc import Sequence

from environments.runtime.task.attempt import Json
from synth.recordings.known_values import (
    Example,
    HeardText,
    KnownValues,
    Record,
    ids_in,
    plain_text,
    shape,
)
from synth.solutions.bindings import Field, bind, sources_of
from synth.solutions.fillers.element_words import Meanings


def example(said: str, value: Json) -> Example:
    """A resolved call's argument after one turn of the user."""
    known = KnownValues(said=(said,), subject=None, started_at=0, records=())
    return Example(known=known, value=value, others=())


def test_a_list_is_no_words_meaning() -> None:
    """Words that go with a list only must not be looked up among the texts."""
    examples = [example("send it by plain post", "post")] * 4
    examples += [example("send it by fast courier", "courier")] * 4
    examples += [example("the two green ones", ["2216662955"])] * 4
    sources = sources_of(examples)
    assert bind(sources, example("the two green ones", None).known, ()) is None
    assert bind(sources, example("by plain post please", None).known, ()) == "post"


def test_an_object_or_a_list_that_is_always_the_same_is_a_constant() -> None:
    """Arguments are any JSON: what is nested is bound as a whole."""
    values: list[Json] = [{"code": "fixed", "days": [1, 2]}, ["email", "sms"]]
    for value in values:
        examples = [example(f"please, number {n}", value) for n in range(5)]
        assert bind(sources_of(examples), example("please", None).known, ()) == value


def saying(said: str, *records: Record) -> KnownValues:
    """What an episode knows whose user said this."""
    return KnownValues(said=(said,), subject=None, started_at=0, records=records)


def bought(order: str, *lines: tuple[str, str]) -> Record:
    """An order with its lines."""
    rows: list[Json] = [{"line": line, "name": name} for line, name in lines]
    return Record("see_order", {"order": order}, {"order": order, "lines": rows, "sum": 9.5})


def test_ids_with_marks_and_slashes_are_ids_and_a_mark_may_be_left_out() -> None:
    """`#W1001`, `26/1001` and digits alone name records; amounts do not."""
    assert ids_in("See #W1001, (26/1001) and 40017; it was 12.50.") == [
        "#W1001",
        "26/1001",
        "40017",
    ]
    examples = [Example(saying(f"Stop #W100{n}, please."), f"#W100{n}", ()) for n in range(1, 6)]
    sources = sources_of(examples)
    assert bind(sources, saying("Stop #W2222."), ()) == "#W2222"
    assert bind(sources, saying("Stop W2222."), ()) == "#W2222"


def test_hexadecimal_ids_have_one_outline() -> None:
    """Where letters and digits mix, their order says nothing."""
    assert shape("po-3f9a12cd") == shape("po-a0b1c2d3") != shape("po-x")


def test_another_records_field_is_not_taken_for_the_one_that_the_user_named() -> None:
    """Whoever names an order that nobody has read is not told the sum of the one that was."""
    order = bought("#W1001", ("L-1001", "tent"))
    source = Field("see_order", ("sum",), "only")
    assert source.find(saying("How much was #W1001?", order), ()) == 9.5
    assert source.find(saying("How much was #W2002?", order), ()) is None


def test_all_lines_are_meant_where_the_user_says_so() -> None:
    """A source that is right for some users only is asked where they use words that the others do not."""
    pair = (("L-1001", "tent"), ("L-1002", "lamp"))
    every: Json = ["L-1001", "L-1002"]
    examples = [
        Example(saying(f"Send back everything from #W10{n}", bought(f"#W10{n}", *pair)), every, ())
        for n in range(10, 16)
    ]
    examples += [
        Example(saying(f"Return the lamp of #W10{n}", bought(f"#W10{n}", *pair)), ["L-1002"], ())
        for n in range(20, 26)
    ]
    sources = sources_of(examples)
    order = bought("#W1999", ("L-7001", "mug"), ("L-7002", "kettle"))
    assert bind(sources, saying("Send back everything from #W1999", order), ()) == [
        "L-7001",
        "L-7002",
    ]
    assert bind(sources, saying("Return the kettle of #W1999", order), ()) == ["L-7002"]
    assert bind(sources, saying("Return it, #W1999", order), ()) is None


def purse(kinds: Sequence[str]) -> Record:
    """A user's ways to pay."""
    rows: list[Json] = [{"key": f"PAY-{n}00", "class": kind} for n, kind in enumerate(kinds, 1)]
    return Record("see_user", {"user": "u"}, {"ways": rows})


def test_an_element_is_found_by_what_its_kind_is_called() -> None:
    """Nobody says `online_wallet`; what agents read back teaches what users mean."""
    names = {"online_wallet": "PayPal", "voucher": "gift card"}
    examples = []
    for n in range(20):
        kind = sorted(names)[n % 2]
        record = purse(sorted(names))
        key = "PAY-100" if kind == min(names) else "PAY-200"
        read_back = HeardText(
            plain_text(f"The money goes to your {names[kind]}. Yes or no?"), by_user=False
        )
        known = KnownValues(("Do it",), None, 0, (record,), heard=(read_back,))
        examples.append(Example(known, key, ()))
    sources = sources_of(examples, Meanings(examples))
    mine = purse(["credit", "voucher", "online_wallet"])
    assert bind(sources, saying("To my PayPal, please.", mine), ()) == "PAY-300"
    assert bind(sources, saying("Put it on a gift card.", mine), ()) == "PAY-200"
    assert bind(sources, saying("I do not mind.", mine), ()) is None


def test_all_lines_are_meant_where_few_say_so_and_nothing_else_speaks_for_them() -> None:
    """Single lines that are the whole order would make the words look like an accident: users named those."""
    examples = [
        Example(
            saying(f"I send the {name} of {order} back", bought(order, (f"L{n}00", name), *more)),
            [f"L{n}00"],
            (order,),
        )
        for n, name in enumerate(("lamp", "rug", "vase", "desk", "chair"), 2)
        for order in [f"OR-{n}00"]
        for more in [((f"L{n}01", "stool"),) if n < 4 else ()]
    ]
    everything = "I send the whole lot of {} back"
    examples += [
        Example(
            saying(everything.format(f"OR-{n}50"), bought(f"OR-{n}50", *lines)),
            [line for line, _ in lines],
            (f"OR-{n}50",),
        )
        for n in range(2, 7)
        for lines in [((f"L{n}50", "cup"), (f"L{n}51", "plate"))]
    ]
    sources = sources_of(examples)
    asked = bought("OR-999", ("L990", "mirror"), ("L991", "shelf"))
    assert bind(sources, saying(everything.format("OR-999"), asked), ("OR-999",)) == [
        "L990",
        "L991",
    ]
    assert bind(sources, saying("I send the shelf of OR-999 back", asked), ("OR-999",)) == ["L991"]
    assert bind(sources, saying("I send it of OR-999 back", asked), ("OR-999",)) is None
