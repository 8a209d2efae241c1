"""Patterns and names in prose: what is recognised without any structure, and what is left alone."""

import json
import random
import re

import pytest

from redact.names.prose_names import names_in
from redact.values.shapes import addresses_in
from tests.unit.found_patterns import patterns_in
from tests.unit.raw_conversations import calls, episode, says, texts_past_the_gate


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("card 4111 1111 1111 1111 ok", {("card_number", "4111 1111 1111 1111")}),
        ("ssn 536-22-1234", {("ssn", "536-22-1234")}),
        ("to DE89 3704 0044 0532 0130 00.", {("iban", "DE89 3704 0044 0532 0130 00")}),
        ("from 203.0.113.7 today", {("ip", "203.0.113.7")}),
        ("call +49 170 1234567", {("phone", "+49 170 1234567")}),
        ("call (212) 555-0187 now", {("phone", "(212) 555-0187")}),
        ("postgres://bob:s3cretpw@db/x", {("secret", "bob:s3cretpw")}),
        ("key sk-abcdefghij0123456789abcd", {("secret", "sk-abcdefghij0123456789abcd")}),
        ("Authorization: Bearer abcdefghijklmnop1234", {("secret", "abcdefghijklmnop1234")}),
        ("LANGSMITH_API_KEY=lsv2_pt_0123456789abcdef0123456789", {("secret", "lsv2_pt_0123456789abcdef0123456789")}),
        ("password: hunter22", {("secret", "hunter22")}),
        ("My password is just4kicks.", {("secret", "just4kicks")}),
        ("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
         {("secret", "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----")}),
    ],
)  # fmt: skip
def test_patterns(text: str, found: set[tuple[str, str]]) -> None:
    """Each pattern is recognised with its kind."""
    assert set(patterns_in(text)) == found


@pytest.mark.parametrize(
    "text",
    [
        "item 6992792935 and tracking 843053632392",
        "4111 1111 1111 1112",
        "at 2024-05-15 15:00:00 or 06:00:00",
        "version 1.2.3.4.5",
        "152 + 103 = 255.0",
        "order #W2378156",
        "the password is wrong, please reset it",
        "ask for a token of appreciation",
    ],
)
def test_product_ids_times_and_sums_are_left_alone(text: str) -> None:
    """Bare digits are far more often ids than phones."""
    assert list(patterns_in(text)) == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("My name is Zbigniew Brzeczyszczykiewicz.", {"Zbigniew Brzeczyszczykiewicz"}),
        ("my wife Marta and I", {"Marta"}),
        ("Dear Mr. Xolani", {"Xolani"}),
        ("Thanks Anna Meier", {"Anna Meier"}),
        ("I spoke with Dr. Okonkwo yesterday", {"Okonkwo"}),
        ("Ich hei\u00dfe J\u00fcrgen M\u00fcller", {"J\u00fcrgen M\u00fcller"}),
        ("Meine Frau Katharina kommt", {"Katharina"}),
        ("Best regards,\nPeter Novak", {"Peter Novak"}),
        ("on behalf of Maria de la Cruz", {"Maria de la Cruz"}),
        ("May I order a brown shirt?", set()),
        ("a flight from New York to San Diego", set()),
        ("The Smart Watch is Gold.", set()),
        ("Please confirm. Thank you!", set()),
    ],
)
def test_names_in_prose(text: str, names: set[str]) -> None:
    """People who are introduced are found; cities, products and sentence starts are not people."""
    assert {name for _, name in names_in(text)} == names


def test_addresses_in_prose() -> None:
    """An address that a customer types is found with its town and code."""
    text = "Please send it to 588 Orchard Way, Austin, TX 78773, US."
    assert set(addresses_in(text)) == {
        ("street", "588 Orchard Way"),
        ("city", "Austin"),
        ("postcode", "78773"),
    }
    assert list(addresses_in("I bought 3 Gaming Mouse for $12 on 5 May")) == []


def _drawn(size: int) -> str:
    """A token of letters and few digits, drawn by chance and always the same."""
    dice = random.Random(size)  # noqa: S311 - no secret, though it looks like one
    return "".join(dice.choice("aBcDeFgHiJkLmNoPqRsTuVwXyZ27") for _ in range(size))


@pytest.mark.parametrize(
    "secret",
    [
        f"zzz_{_drawn(40)}",
        f"xai-{_drawn(80)}",
        f"hvs.{_drawn(90)}",
        f"gsk_{_drawn(52)}",
        f"Basic {_drawn(15)}7==",
        f"https://hooks.slack.com/services/T0{_drawn(9)}/B{_drawn(8)}/{_drawn(24)}",
        f"-----BEGIN PRIVATE KEY-----\n{_drawn(31)}/{_drawn(30)}\n{_drawn(29)}+{_drawn(28)}\n-----END PRIVATE KEY-----\n",
        f"AccountName=acct;AccountKey={_drawn(86)}==;EndpointSuffix=x",
    ],
)
def test_keys_of_any_vendor_go(secret: str) -> None:
    """Said, in the lines of an environment, and in JSON that writes line breaks in another way."""
    key = max(re.split(r"[^\w+/]+", secret), key=lambda part: (part != "services", len(part)))
    steps = (says("user", f"use {secret} for it"), *calls("env", {}, f"A=1\nMY_X={secret}\n"))
    for shown in (
        steps,
        calls("get", {}, json.dumps({"type": "account", "body": f"it is {secret}"})),
    ):
        (text,) = texts_past_the_gate([episode("e1", *shown)])
        assert key not in text


def test_long_names_of_programs_are_no_keys() -> None:
    """Capitals, small letters and a digit or two do not make a token where words do."""
    named = "call getUserProfileByEmailAddress2 or Convert_Miles_To_Kilometers_V2_and_Back"
    (text,) = texts_past_the_gate([episode("e1", says("user", named))])
    assert text.strip() == named


@pytest.mark.parametrize("address", ["0.0.0.0", "127.0.0.1", "255.255.255.0", "224.0.0.251"])  # noqa: S104
def test_addresses_of_nobodys_machine_are_no_personal_data(address: str) -> None:
    """Every machine calls itself so, and a mask is no machine."""
    assert ("ip", address) not in list(patterns_in(f"the server listens on {address}, port 8000"))


def test_a_machines_address_is_personal_data() -> None:
    """It may lead to the person at it."""
    assert ("ip", "93.184.216.34") in list(patterns_in("the request came from 93.184.216.34."))
