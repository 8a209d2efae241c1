"""Secrets said in a sentence, people's numbers as keys, first names that are words under labels, signatures of one word."""

from __future__ import annotations

import pytest

from redact.names.unknown_names import unknown_runs
from redact.recognizers.prefilter import needs_of
from redact.values.free_ids import is_capital_code
from tests.unit.found_patterns import patterns_in
from tests.unit.raw_conversations import calls, episode, says, texts_past_the_gate


@pytest.mark.parametrize(
    "text",
    [
        "My access token of qwe417rtz, a client ID of marlo",
        "sign in with the access token 'qwe417rtz' please",
        "the client secret of qwe417rtz is new",
        "the api key is: \u201cqwe417rtz\u201d",
    ],
)
def test_a_secret_said_in_a_sentence_is_one(text: str) -> None:
    """What is said after its word, quoted or with `of`, is found with and without the look before."""
    assert ("secret", "qwe417rtz") in set(patterns_in(text))
    found = [found for one in needs_of(text).recognizers for found in one.find(text)]
    assert ("secret", "qwe417rtz") in found


def test_a_token_of_something_is_no_secret() -> None:
    """Words without a digit stay."""
    assert list(patterns_in("a token of appreciation, the password of somebody")) == []


def test_numbers_of_people_that_are_keys_of_an_object_go() -> None:
    """A list of messages by who received them shows numbers that nothing else tells."""
    raw = [
        episode(
            f"e{row}",
            *calls("write_note", {"receiver_id": f"WRN{row}41"}, {"sent": True}),
            *calls("notes_sent", {}, {"notes": {f"WRN{row}41": ["Yes."], f"KLM{row}72": ["No."]}}),
        )
        for row in range(1, 8)
    ]
    for row, text in enumerate(texts_past_the_gate(raw), start=1):
        assert f"WRN{row}41" not in text
        assert f"KLM{row}72" not in text


def test_numbers_of_records_that_are_keys_of_an_object_stay() -> None:
    """Another number of the same form is a record's by its key: so are the keys."""
    raw = [
        episode(
            f"e{row}",
            *calls("find_order", {"order_id": f"BSK{row}41"}, {"order_id": f"BSK{row}41"}),
            *calls("list_orders", {}, {"orders": {f"BSK{row}72": {"state": "open"}}}),
        )
        for row in range(1, 8)
    ]
    for row, text in enumerate(texts_past_the_gate(raw), start=1):
        assert f"BSK{row}41" in text
        assert f"BSK{row}72" in text


@pytest.mark.parametrize(
    ("key", "is_one"),
    [("WRN417", True), ("state", False), ("line1", False), ("Q3", False), ("2024", False)],
)
def test_a_key_of_capitals_and_digits_names_no_field(key: str, is_one: bool) -> None:
    """Fields are words, perhaps with a number behind them."""
    assert is_capital_code(key) is is_one


@pytest.mark.parametrize("name", ["Frank", "Victor", "Martin"])
@pytest.mark.parametrize(
    "shown",
    [
        "Contact 1\nFirst Name: {name}\nLast Name: Oyelaran\nAge: 40",
        "[Contact(first_name='{name}', last_name='Oyelaran', age=40)]",
        'contact:\n  - first_name: "{name}"\n    last_name: Oyelaran\n    age: 40',
    ],
)
def test_a_first_name_that_is_a_word_goes_under_its_label(name: str, shown: str) -> None:
    """Labelled lines, printed objects and YAML say what a value is as JSON does."""
    steps = calls("read_contact", {"key": 7}, shown.format(name=name))
    assert name not in texts_past_the_gate([episode("one", says("user", "Who is it?"), *steps)])[0]


def test_the_word_stays_under_another_label() -> None:
    """A label that held nobody in the conversation tells of nobody."""
    shown = "First Name: Frank\nLast Name: Oyelaran\nTone: Frank\n"
    text = texts_past_the_gate([episode("one", *calls("read_contact", {"key": 7}, shown))])[0]
    assert text.count("Frank") == 1
    assert "Tone: Frank" in text


def test_a_name_that_is_the_last_line_of_a_text_is_a_signature() -> None:
    """It is in no list, and nobody is called by it elsewhere."""
    text = "Hi,\n\nI am late.\n\nOluwaremi"
    assert unknown_runs(text, ["Oluwaremi"], alone=True) == ["Oluwaremi"]


def test_a_word_that_is_all_of_a_text_is_no_signature() -> None:
    """`Oluwaremi` alone may be anything."""
    assert unknown_runs("Oluwaremi", ["Oluwaremi"], alone=True, listed=False) == []


def test_signatures_of_mails_that_are_written_go() -> None:
    """They are the last lines of an argument, each in its conversation."""
    names = ["Oluwaremi", "Ilvyanna", "Ruskanen", "Tamrikos", "Ybarrith", "Wendelka", "Quispara"]
    raw = [
        episode(
            f"e{row}",
            says("user", f"Please tell her that I am late by {row} minutes."),
            *calls(
                "write_mail", {"content": f"Hi,\n\nI am late by {row} minutes.\n\n{name}"}, "sent"
            ),
        )
        for row, name in enumerate(names)
    ]
    for name, text in zip(names, texts_past_the_gate(raw), strict=True):
        assert name not in text


def test_a_definition_in_an_answer_names_nobody() -> None:
    """`string (required) - the full name` says what stands under a key, and its words are nobody's."""
    shown = "Tool: open_claim\nfull_name: string (required) - the full name of the member\nname: x"
    text = texts_past_the_gate(
        [episode("one", *calls("describe_tool", {"tool": "open_claim"}, shown))]
    )[0]
    assert "string (required) - the full name of the member" in text
