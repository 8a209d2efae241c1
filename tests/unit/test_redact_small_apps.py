"""Small apps in other languages: few words show which, dates without a year to compare with, signatures, and addresses of several countries."""

from __future__ import annotations

import json

import pytest

from ingest.records.episode import Episode, Step
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.lists.dictionary import languages_spoken, words_of
from redact.lists.gazetteer import nobodys_words
from redact.names.prose_names import names_in
from redact.names.unknown_names import unexplained_in, unknown_runs
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.recognizers.births import births_in
from redact.recognizers.patterns import british_codes_in
from redact.values.shapes import addresses_in, lines_by_kind
from tests.unit.raw_conversations import SECRET, calls, episode, says

POLISH = (
    "automat czeka do godziny innego jedzie jest kosztuje na numer od odbioru paczka przekierowanie sprawa telefon to tylko w "
    "wysyłamy miasta ile dni"
)


def past(raw: list[Episode]) -> list[str]:
    """The texts of each conversation past the gate."""
    learnt = learn(raw, (), policy=Policy())
    done = scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=Policy())
    return [" ".join(str(step.content) for step in one.clean.steps) for one in done]


def test_twenty_words_show_a_language() -> None:
    """An app of few requests says no more different ones; ten are shared by neighbours."""
    words = {word.replace("ł", "l") for word in POLISH.split()}
    assert languages_spoken(words) == ("en", "pl")
    assert languages_spoken(set(sorted(words)[:10])) == ("en",)


@pytest.mark.parametrize("name", ["koen", "luzia"])
def test_a_capital_shows_a_name_where_nouns_are_small(name: str) -> None:
    """Some locale lists it, and it is no common word."""
    language = "pt" if name == "luzia" else "nl"
    assert name in words_of(language)
    assert name not in nobodys_words(language, large=True)


def test_german_begins_every_noun_with_a_capital() -> None:
    """There it shows nothing."""
    assert nobodys_words("de", large=True) == nobodys_words("de")


def test_an_initial_is_part_of_a_name() -> None:
    """Two initials are nobody's, and the letter of a size before a word of the app is none."""
    assert unexplained_in("P. Baldewsingh", frozenset()) == ["P. Baldewsingh"]
    assert unexplained_in("U. S. Zorbing", frozenset({"zorbing"})) == []
    assert unexplained_in("B. Zorbing", frozenset({"zorbing"})) == []


def test_a_surname_in_capitals_is_no_mark() -> None:
    """As lists and forms write people; an acronym is in no list of names."""
    assert unknown_runs("for VASSEUR Guilhelm", ["VASSEUR Guilhelm"], alone=True)
    assert not unknown_runs("for NASA Guilhelmy", ["NASA"], alone=True)


@pytest.mark.parametrize(
    "text", ["it was in my way lol. thx Raj", "Termin bitte. VG KD", "Danke, Gruß Franzi"]
)
def test_who_signs_behind_a_closing_goes(text: str) -> None:
    """Also where the word is one of a dictionary."""
    assert ("first_name", text.rsplit(None, 1)[-1]) in set(names_in(text))


@pytest.mark.parametrize("text", ["Thanks Team", "Cheers Support.", "Thanks Raj will come"])
def test_a_desk_or_what_goes_on_is_no_signature(text: str) -> None:
    """A closing ends the text."""
    assert not {name for _, name in names_in(text)} & {"Team", "Support", "Raj"}


@pytest.mark.parametrize("text", ["nasci em 08/01/2001", "ur. 03.07.1962", "né(e) le 2013-01-08"])
def test_a_birth_is_told_in_more_languages(text: str) -> None:
    """The words before the date say whose it is."""
    assert list(births_in(text)) == [text.rsplit(None, 1)[-1]]


def test_an_old_day_is_old_without_a_time_to_compare_with() -> None:
    """A log without times is of no day, and no agent is older than 2023."""
    (text,) = past([without_time(says("user", "my refund? 02.11.1955, ordered 03.02.2025"))])
    assert "02.11.1955" not in text
    assert "03.02.2025" in text


def without_time(*steps: Step) -> Episode:
    """A conversation that says nothing of when it was."""
    return episode("one", *steps)


def test_british_codes_show_by_their_form() -> None:
    """A postcode and a number plate; memory and money are none."""
    told = "LS10 7JS and YA55 BMY, not S23 8GB or AB12 7KB"
    assert dict(british_codes_in(told)) == {"postcode": "LS10 7JS", "document_id": "YA55 BMY"}


@pytest.mark.parametrize(
    ("text", "street", "code"),
    [
        ("Hinter der Mühle 12\n07743 Jena", "Hinter der Mühle 12", "07743"),
        ("Kaiser-Wilhelm-Ring 37\n07743 Jena", "Kaiser-Wilhelm-Ring 37", "07743"),
        ("os. Tysiąclecia 105/20, 51-179 Rzeszów", "os. Tysiąclecia 105/20", "51-179"),
    ],
)
def test_an_address_over_two_lines(text: str, street: str, code: str) -> None:
    """The postcode and the town behind it show the street."""
    found = [*addresses_in(text), *lines_by_kind(text)]
    assert ("street", street) in found
    assert ("postcode", code) in found


def test_the_first_line_under_an_addresss_key_is_a_street() -> None:
    """Whatever its form."""
    answer = json.dumps({"anschrift": "Im Wiesengrund 87b\n28195 Bremen", "mandant": "M-1"})
    raw = [episode("one", says("user", "Wo?"), *calls("load", {"m": "M-1"}, answer))]
    assert "Wiesengrund" not in past(raw)[0]


def test_a_town_of_the_shared_prompt_and_a_document_of_many_stay() -> None:
    """What the app says to everybody is no one's."""
    raw = []
    for number in range(8):
        answer = {
            "email": f"ana{number}@mail.test",
            "address": {"street": f"Long Acre {number + 2}", "city": "Otley"},
            "files": ["valuation.pdf", f"slip-ana{number}-4{number}711.pdf"],
        }
        steps = [
            says("system", "We serve Leeds, Bradford and Otley."),
            says("user", f"It is me, ana{number}@mail.test."),
            *calls("find", {"mail": f"ana{number}@mail.test"}, json.dumps(answer)),
            says("assistant", "We serve Leeds, Bradford and Otley."),
        ]
        raw.append(episode(f"e{number}", *steps))
    for text in past(raw):
        assert "We serve Leeds, Bradford and Otley." in text
        assert "valuation.pdf" in text
        assert "Long Acre" not in text


def test_a_title_stays_before_a_name() -> None:
    """`Frau` is nobody's name."""
    answer = json.dumps({"full_name": "Frau Pfeiffer", "email": "p@mail.test"})
    raw = [episode("one", says("user", "Hallo"), *calls("load", {"m": "1"}, answer))]
    (text,) = past(raw)
    assert '"full_name": "Frau ' in text
    assert "Pfeiffer" not in text


def test_a_part_of_a_products_name_is_no_identifier() -> None:
    """`A55 128GB` is one in no text, because a product is called so."""
    raw = []
    for number, product in enumerate(["Galaxy A55 128GB", "Moto G84 256GB", "Redmi N13 128GB"]):
        answer = {"order_id": f"PED-70194{number}", "product": product, "state": "paid"}
        told = f"I want the Galaxy A55 128GB instead, member 77-31{number}-4402."
        raw.append(episode(f"e{number}", says("user", told), *calls("get", {}, json.dumps(answer))))
    for number, text in enumerate(past(raw)):
        assert "Galaxy A55 128GB instead" in text
        assert f"77-31{number}-4402" not in text
