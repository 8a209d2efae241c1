"""One thing written in two ways, and values that cannot be what their place holds: seen in traffic that nobody had read."""

import json

import pytest

from redact.names.prose_names import names_in
from redact.recognizers.births import births_in
from redact.recognizers.patterns import british_codes_in, phones_in
from redact.values.forms import shape_of
from redact.values.shapes import addresses_in, can_be, lines_by_kind
from tests.unit.raw_conversations import calls, episode, says, texts_past_the_gate


def test_a_card_that_somebody_writes_in_groups_is_no_products_id() -> None:
    """It goes from the call as well, where the same digits are a value of their own."""
    raw = [
        episode(
            "one",
            says("user", "it is card 5400 6741 4501 7015"),
            *calls("find", {"key": "5400674145017015"}, {"found": True}),
        )
    ]
    (text,) = texts_past_the_gate(raw)
    assert "5400674145017015" not in text
    assert "5400 6741" not in text


@pytest.mark.parametrize(
    ("said", "noted"), [("reg DN57 RRT please", "DN57RRT"), ("reg DN57RRT please", "DN57 RRT")]
)
def test_a_plate_with_and_without_its_blank_is_one(said: str, noted: str) -> None:
    """What is found in one spelling goes in the other, in calls too."""
    answer = {"member": {"plate": "DN57 RRT", "email": "ann@mail.test"}}
    raw = [
        episode(
            "one",
            says("user", said),
            *calls("load", {"email": "ann@mail.test"}, answer),
            *calls("note", {"text": f"Parking for {noted}, night shift"}, "ok", call_id="c2"),
        )
    ]
    (text,) = texts_past_the_gate(raw)
    assert "DN57" not in text
    assert "night shift" in text


def test_a_sentence_among_telephone_numbers_is_read_as_a_sentence() -> None:
    """A place that mostly holds numbers says nothing of a value that cannot be one."""
    values = ["070-470 70 71", "070-634 63 48", "073-229 44 10", "Letter.jpg; Melker Strand comes"]
    raw = [
        episode(
            f"e{n}",
            says("user", f"hello, it is number {n}"),
            *calls("change", {"member_id": f"AVT-3301{n}", "what": one}, {"ok": True}),
        )
        for n, one in enumerate(values)
    ]
    text = texts_past_the_gate(raw)[-1]
    assert "Melker" not in text
    assert "comes" in text


def test_a_company_is_nobody() -> None:
    """Its form stands at its end, also under a key of people."""
    assert not can_be("full_name", "Northgate Logistics Ltd")
    assert can_be("full_name", "Jan Kowalski Ltd")
    assert shape_of("Haus & Hof GmbH") == "choice"
    raw = [
        episode(
            f"e{n}",
            says("user", "which shift?"),
            *calls("job", {"no": n}, {"client": "Northgate Logistics Ltd", "shift": "night"}),
        )
        for n in range(3)
    ]
    assert all("Northgate Logistics Ltd" in text for text in texts_past_the_gate(raw))


def test_forms_of_more_countries() -> None:
    """Telephone numbers with the trunk's zero before brackets, an insured's number, days and lines."""
    assert list(phones_in("ara: 0(536) 170-6389, 0 (161) 496 0123.")) == [
        "0(536) 170-6389",
        "0 (161) 496 0123",
    ]
    assert dict(british_codes_in("NI JL 68 11 67 A")) == {"document_id": "JL 68 11 67 A"}
    assert list(births_in("nació el 17 de abril de 2018")) == ["17 de abril de 2018"]
    assert ("street", "Vicolo del Pozzo 60") in set(lines_by_kind("Vicolo del Pozzo 60, Erba"))
    found = set(addresses_in("Kvarngärdet 46\n755 10 Uppsala"))
    assert {("street", "Kvarngärdet 46"), ("postcode", "755 10"), ("city", "Uppsala")} <= found
    assert ("postcode", "8028 GH") in set(addresses_in("Lindenlaan 33, 8028 GH Zwolle"))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (
            "Eşim Gülbahar K\u0131l\u0131çarslan ad\u0131na ar\u0131yorum",
            "Gülbahar K\u0131l\u0131çarslan",
        ),
        ("Familjen Gyllenhammar spelar musik", "Gyllenhammar"),
    ],
)
def test_words_for_relations_that_say_whose(text: str, name: str) -> None:
    """One word says in Turkish what two say elsewhere; a family has a name."""
    assert name in {found for _, found in names_in(text)}


def test_a_greeting_is_no_first_name() -> None:
    """`Dag` is one in another country; as a name it would go from the app's own keys."""
    result = json.dumps({"dag": "2026-06-18", "naam": "Youssef El Idrissi"})
    raw = [
        episode("one", says("user", "hoi"), *calls("show", {"id": 1}, result), says("assistant", "Dag Youssef, tot dan."))
    ]  # fmt: skip
    (text,) = texts_past_the_gate(raw)
    assert '"dag"' in text
    assert "Youssef" not in text
