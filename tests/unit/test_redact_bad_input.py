"""What real traces do to a redactor: nesting, numbers, keys made of data, ids that are words, scripts and tricks."""

import json

import pytest

from redact.apply.learn import learn
from redact.apply.scrub import Scrubbed, scrub
from redact.decisions.judgement import judge
from redact.evidence.app_values import Learnt
from redact.operators.vault import Vault
from redact.policy import Policy
from tests.leak_hits import leaks_in
from tests.unit.raw_conversations import SECRET, calls, episode, says


def past(result: object, *said: str) -> Scrubbed:
    """One look-up with this result, and messages, past the gate."""
    steps = calls("get_user", {"user_id": "tamsin_okafor_4417"}, result)
    raw = episode("e1", *steps, *(says("user", text) for text in said))
    learnt = learn([raw], (), policy=Policy())
    return next(scrub([raw], learnt=learnt, vault=Vault(None, SECRET), policy=Policy()))


def texts(done: Scrubbed) -> list[str]:
    """The contents past the gate; the first is the result."""
    return [step.content or "" for step in done.clean.steps if step.role != "assistant"]


def test_json_in_json_five_deep_is_read_and_stays_json() -> None:
    """A name inside five layers of quoting is learnt there and removed there and everywhere."""
    value: object = {"first_name": "Tamsin", "last_name": "Okafor"}
    for _ in range(5):
        value = {"body": json.dumps(value)}
    result, said = texts(past(value, "it is Tamsin Okafor's"))
    assert "amsin" not in result + said
    inner: object = json.loads(result)
    for _ in range(5):
        assert isinstance(inner, dict)
        inner = json.loads(inner["body"])
    assert isinstance(inner, dict)
    assert inner.keys() == {"first_name", "last_name"}


def test_numbers_stay_numbers() -> None:
    """A postcode and a phone given as numbers are other numbers of the same length, not strings."""
    body = {"email": "t@mail.example", "zip": 48210, "phone": 4477009001, "total": 48.21}
    after = json.loads(texts(past(body, "zip 48210"))[0])
    assert isinstance(after["zip"], int)
    assert after["zip"] != 48210
    assert isinstance(after["phone"], int)
    assert after["phone"] != 4477009001
    assert after["total"] == 48.21


def test_keys_that_carry_personal_data_are_replaced() -> None:
    """An object keyed by address or payment id keeps its form and loses the identifiers."""
    body = {"tamsin@mail.example": {"tier": "gold"}, "payment_methods": {"card_7719203": {"x": 1}}}
    after = texts(past(body))[0]
    assert "tamsin" not in after
    assert "7719203" not in after
    assert len(json.loads(after)) == 2


def test_an_id_that_is_a_word_stays_where_it_is_the_word() -> None:
    """A customer with the handle "order" does not rename every order."""
    body = {"username": "order", "email": "o@mail.example", "order_id": "#W12"}
    result, said = texts(past(body, "please cancel my order"))
    assert "#W12" in result
    assert said == "please cancel my order"


@pytest.mark.parametrize(
    "mention",
    [
        "\u202eTamsin Okafor\u202c",
        "Ta\u200bmsin O\u200dkafor",
        "tamsin@ma\u200bil.example",
        "T\u0430msin Ok\u0430for",
        "TAMS\u0130N OKAFOR",
        "Ta\u0301msin Okafor",
        "\uff34\uff41\uff4d\uff53\uff49\uff4e Okafor",
    ],
)
def test_tricks_of_script_hide_nothing(mention: str) -> None:
    """Direction marks, invisible letters, look-alikes, a dotted capital I, combining marks and wide forms."""
    body = {"first_name": "Tamsin", "last_name": "Okafor", "email": "tamsin@mail.example"}
    said = texts(past(body, f"this is {mention}, hello"))[1]
    assert mention not in said
    assert said.startswith("this is ")
    assert said.endswith(", hello")


@pytest.mark.parametrize("name", ["Order", "May"])
def test_a_person_whose_name_is_a_word_is_hidden_as_a_person(name: str) -> None:
    """Under her key and after a greeting she is a surrogate; the verb and the noun stay."""
    body = {"first_name": name, "last_name": "Okafor", "email": "m@mail.example"}
    result, greeting, plain = texts(past(body, f"Dear {name} Okafor,", f"{name.lower()} I ask?"))
    assert json.loads(result)["first_name"] != name
    assert name not in greeting
    assert plain == f"{name.lower()} I ask?"


@pytest.mark.parametrize(
    ("first", "last"),
    [("Person", "Person"), ("Member", "Order"), ("First", "Name"), ("May", "Order")],
)
def test_a_person_named_like_a_key_loses_her_ids_and_leaves_the_keys(first: str, last: str) -> None:
    """Her user id is made of her names though its words are those of any id; the keys stay, and the check agrees."""
    own = f"{first}_{last}_10482".lower()
    body = {"user_id": own, "first_name": first, "last_name": last, "person_note": None}
    told = says("user", f"I am {first} {last}, {own.upper()}"), says("user", f"files/{own}.pdf")
    raw = episode("e1", *calls("get_user", {"user_id": own}, body), *told)
    learnt = learn([raw], (), policy=Policy())
    (done,) = scrub([raw], learnt=learnt, vault=Vault(None, SECRET), policy=Policy())
    after = texts(done)
    said = "\n".join(after[1:]).lower()
    assert own not in said
    assert f"{first}_{last}".lower() not in said
    assert f"{first} {last}".lower() not in said
    assert list(json.loads(after[0])) == list(body)
    assert leaks_in([(str(n), text) for n, text in enumerate(after)], learnt=learnt) == []
    assert json.loads(after[0])["user_id"] in after[2]


def test_a_withheld_word_is_not_taken_out_of_the_keys() -> None:
    """A value nobody can judge is withheld where it stands; keys that hold the same word keep their names."""
    body = {"user_id": "user_user_10482", "first_name": "User", "email": "u@mail.example"}
    result = texts(past(body, "hello"))[0]
    assert list(json.loads(result)) == list(body)


@pytest.mark.parametrize("name", ["False", "Null", "True"])
def test_a_person_called_as_a_literal_is_a_person_and_a_literal_stays(name: str) -> None:
    """The surname goes under its key and where it is written large; JSON stays JSON."""
    low = name.lower()
    body = {"first_name": "Tamsin", "last_name": name, "seen": False, "paid": True, "note": None}
    result, said = texts(past({**body, "state": low}, f"I am Tamsin {name}. The flag is {low}."))
    after = json.loads(result)
    assert after["last_name"] != name
    assert f"Tamsin {name}" not in said
    assert name not in said
    assert said.endswith(f"The flag is {low}.")
    assert (after["seen"], after["paid"], after["note"], after["state"]) == (False, True, None, low)


def test_a_surname_that_only_the_customer_says_breaks_no_literal() -> None:
    """Ms False says who she is, and no key of names holds it: `false` is no mention of her."""
    result, said = texts(past({"seen": False, "note": None}, "My name is Jenny False."))
    assert json.loads(result) == {"seen": False, "note": None}
    assert "False" not in said


@pytest.mark.parametrize(
    "body",
    [
        {"account_no": "9" * 5000},
        {"account_no": [10**400, 12, -5, "\x00"]},
        '{"name": "\\ud800", "ud": "\\udc00\\ud800"}',
        "email: \\uD800@x",
        "name: '\\ud800 Okafor'",
    ],
)
def test_digits_without_end_and_half_characters_stop_nothing(body: object) -> None:
    """They are learnt from, judged, kept sealed beside the vault and read back."""
    steps = calls("get_user", {"user_id": "tamsin_okafor_4417"}, body)
    raw = [episode(f"e{n}", *steps, says("user", f"{body}")) for n in range(8)]
    learnt = Learnt.from_bytes(learn(raw, (), policy=Policy()).to_bytes())
    for app in {one.app for one in raw}:
        judge(learnt.app(app), k=2)
    vault = Vault(None, SECRET)
    assert len(list(scrub(raw, learnt=learnt, vault=vault, policy=Policy()))) == len(raw)
