"""Whose street is known, whose town and code are too; and no word behind a street that is no town."""

from __future__ import annotations

import pytest

from redact.policy import Policy
from redact.values.shapes import addresses_in, lines_by_kind
from tests.unit.raw_conversations import calls, episode, says, texts_past_the_gate


@pytest.mark.parametrize(
    ("text", "town", "code"),
    [
        ("The new one is: 891 Harbour Lane, Toronto, ON M9X 8W8, CA.", "Toronto", "M9X 8W8"),
        ("Send it to 22 Baker Street, Dublin D02 X285, Ireland", "Dublin", "D02 X285"),
        ("5 Hill Road, Mumbai 400 050", "Mumbai", "400 050"),
        ("54 rue des Martyrs, 75009 Paris", "Paris", "75009"),
        ("Calle Mayor 12, 28013 Madrid", "Madrid", "28013"),
        ("Hinter den Gärten 7, 23552 Lübeck", "Lübeck", "23552"),
        ("12 Oak Road\nLeeds\nLS1 4DY", "Leeds", "LS1 4DY"),
        ("12 Oak Road, Apt 4B, Leeds LS1 4DY", "Leeds", "LS1 4DY"),
        ("I live at 12 Oak Road in Leeds, please", "Leeds", None),
    ],
)
def test_town_and_code_go_with_their_street(text: str, town: str, code: str | None) -> None:
    """In the forms of several countries, of which only the street is told by a word of its own."""
    found = [*addresses_in(text), *lines_by_kind(text)]
    assert ("city", town) in found
    assert code is None or ("postcode", code) in found


@pytest.mark.parametrize(
    "text",
    [
        "move to 287 Elm Drive, Thanks for that.",
        "at 12 Main Street, Please call before 5pm",
        "22 Main Street, 3 boxes",
        "order 5 Garden Court, Blue. size XL",
        "12 Oak Road, by 5pm",
    ],
)
def test_a_sentence_that_goes_on_is_no_town(text: str) -> None:
    """A word of the dictionary, an hour or a count behind a street stays."""
    assert [kind for kind, _ in addresses_in(text)] == ["street"]


def test_an_address_that_no_tool_got_leaves_no_town() -> None:
    """The agent gave up before a tool had the address; nothing of it stands beside its surrogates."""
    told = (
        "Please ship it elsewhere: 891 Harbour Lane, Toronto, ON M9X 8W8, CA. Toronto, not Ottawa."
    )
    (text,) = texts_past_the_gate(
        [episode("e", says("user", told), *calls("look_up", {"n": 1}, {"state": "open"}))]
    )
    assert not any(part in text for part in ("Harbour", "Toronto", "M9X", "8W8"))
    assert "Please ship it elsewhere: 891" not in text


def test_what_a_dictionary_has_is_no_person_of_a_catalogue() -> None:
    """Articles made of words that somebody is called (`Yoga Mat`) stay; among people such a name goes with the others."""
    things = ["Yoga Mat", "Side Table", "Desk Lamp", "Sleeping Bag", "Chef Knife", "Rain Jacket"]
    raw = [
        episode(
            f"e{n}",
            says("user", f"what is new? I am customer {n}"),
            *calls("browse", {"page": n}, {"articles": [{"label": t} for t in things[n % 2 :]]}),
            says("assistant", "We have the Yoga Mat and the Side Table."),
        )
        for n in range(30)
    ]
    assert Policy().enabled
    for text in texts_past_the_gate(raw):
        assert "We have the Yoga Mat and the Side Table." in text
