"""What people spell out: addresses and numbers in words, ids letter by letter, birth dates of two digits a year."""

import json

import pytest

from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.recognizers.spoken_forms import digits_said, email_said, emails_said, numbers_said
from tests.unit.raw_conversations import SECRET, calls, episode, says

RECORD = {
    "patient": {"first_name": "Ina", "last_name": "Kühn", "dob": "1962-12-15"},
    "patient_no": "MRN-4561234",
    "ni_number": "GM618321B",
    "note": "",
}


def told_past_the_gate(message: str) -> str:
    """The message as it stands past the gate, said by the person of the record."""
    raw = [episode("e", calls("get", {}, json.dumps(RECORD))[0], calls("get", {}, RECORD)[1], says("user", message))]  # fmt: skip
    learnt = learn(raw, (), policy=Policy())
    vault = Vault(None, SECRET)
    done = next(scrub(raw, learnt=learnt, vault=vault, policy=Policy()))
    return done.clean.steps[-1].content or ""


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("write to ina dot kuehn at web dot example please", "ina.kuehn@web.example"),
        ("it is ina.kuehn7 (at) web.example.", "ina.kuehn7@web.example"),
        ("ina[at]web[dot]example", "ina@web.example"),
        ("ina underscore k at web dot example", "ina_k@web.example"),
    ],
)
def test_an_address_in_words_is_an_address(text: str, address: str) -> None:
    """What people write around filters of addresses is read, and nothing of it passes."""
    assert [email_said(mention) for mention in emails_said(text)] == [address]
    assert "ina" not in told_past_the_gate(text)


@pytest.mark.parametrize("text", ["look at shop.example", "meet at noon", "a dot at the end", "five at six"])  # fmt: skip
def test_words_around_at_and_dot_are_no_address(text: str) -> None:
    """A place with a full stop in its name is not somebody's address."""
    assert list(emails_said(text)) == []
    assert told_past_the_gate(text) == text


@pytest.mark.parametrize(
    ("text", "digits"),
    [
        ("it's one seven three, five seven two four", "1735724"),
        ("double five one TWO three oh", "551230"),
        ("null eins sieben zwo drei acht neun", "0172389"),
    ],
)
def test_a_number_said_digit_by_digit_is_replaced_in_words(text: str, digits: str) -> None:
    """Six digits or more are no count of things; others are said in their place."""
    (said,) = numbers_said(text)
    assert digits_said(said) == digits
    past = told_past_the_gate(text)
    (other,) = numbers_said(past)
    assert digits_said(other) != digits
    assert len(digits_said(other)) == len(digits)


@pytest.mark.parametrize("text", ["one or two", "two three four five", "one, two, three"])
def test_a_few_numerals_count_things(text: str) -> None:
    """Fewer than six digits stay."""
    assert told_past_the_gate(text) == text


@pytest.mark.parametrize(
    "mention",
    ["4 5 6 1 2 3 4", "456-12-34", "MRN 456 1234", "m r n 4 5 6 1 2 3 4", "GM 61 83 21 B", "gm.61.83.21.b", "G-M-6-1-8-3-2-1-B", "15/12/62", "12.15.62"],
)  # fmt: skip
def test_what_a_record_shows_is_known_when_it_is_spelt_out(mention: str) -> None:
    """Gaps between letters and digits, a prefix left out and a year cut hide nothing."""
    past = told_past_the_gate(f"well, it is {mention}, I think.")
    assert mention not in past
    assert past.startswith("well, it is ")
    assert past.endswith(", I think.")


def test_an_id_spelt_out_has_the_surrogate_of_the_id() -> None:
    """Letter by letter it says the same id as without gaps."""
    spelt, plain = (told_past_the_gate(text) for text in ("4 5 6 1 2 3 4", "4561234"))
    assert spelt.replace(" ", "") == plain
