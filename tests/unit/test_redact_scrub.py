"""Scrubbing: what was learnt from structure is gone everywhere, and nothing else moved."""

import json
from dataclasses import replace

import pytest

from ingest.records.episode import Episode, Step
from ingest.records.outcome import Outcome
from redact.apply.learn import learn
from redact.apply.scrub import Scrubbed, scrub, scrub_outcomes
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.records.clean_episode import REQUEST_REPLACED
from tests.unit.raw_conversations import (
    PROFILE,
    SECRET,
    calls,
    episode,
    profile_episode,
    says,
)


def clean(
    *episodes: Episode, policy: Policy | None = None, vault: Vault | None = None
) -> list[Scrubbed]:
    """The episodes past the gate, learnt from themselves."""
    policy = policy or Policy()
    learnt = learn(episodes, (), policy=policy)
    return list(scrub(episodes, learnt=learnt, vault=vault or Vault(None, SECRET), policy=policy))


def texts(scrubbed: Scrubbed) -> str:
    """Everything a reader past the gate sees of one episode."""
    parts = []
    for step in scrubbed.clean.steps:
        parts += [step.content or "", step.call_id or "", step.tool_name or ""]
        parts += [f"{call.name} {call.arguments}" for call in step.tool_calls]
    return "\n".join(parts)


def result_of(scrubbed: Scrubbed) -> dict[str, object]:
    """The first tool result as JSON."""
    value: dict[str, object] = json.loads(scrubbed.clean.steps[1].content or "")
    return value


@pytest.mark.parametrize(
    "mention",
    [
        "I am TAMSIN okafor",
        "tamsin_okafor_4417",
        "Okafor, Tamsin",
        "write to TAMSIN.OKAFOR88@mail.example.com",
        "mail%3Dtamsin.okafor88%40mail.example.com",
        "Tam\u200bsin Okafor",
        "T\u00e0msin Okafor",
        "\\u0054amsin",
        "line\\nOkafor",
        "born March 9, 1984 or 09.03.1984 or 1984/03/09",
        "card 7719203 ends in 8812",
        "12 larkspur lane",
        "lives in Norwich (48210)",
        "getTamsinOkafor()",
        "VGFtc2luIE9rYWZvciA8dGFtc2luLm9rYWZvcjg4QG1haWwuZXhhbXBsZS5jb20+",
        '{"a": "{\\"b\\": \\"Okafor\\"}"}',
        "T\u0430msin",
    ],
)
def test_no_spelling_of_a_learnt_value_survives(mention: str) -> None:
    """Every casing, encoding and composite of a value that a tool returned is replaced in messages."""
    out = texts(clean(profile_episode(says("user", mention)))[0]).lower()
    for gone in ("tamsin", "okafor", "7719203", "larkspur", "norwich", "48210", "march 9", "8812"):
        assert gone not in out
    assert "09.03.1984" not in out
    assert "vgftc2lu" not in out
    assert "\\u0054" not in out


def test_structure_numbers_and_choices_stay() -> None:
    """JSON keeps its keys and bytes around the values; tiers, order numbers and types of card stay."""
    scrubbed = clean(profile_episode())[0]
    before, after = PROFILE, result_of(scrubbed)
    assert list(after) == list(before)
    assert (after["tier"], after["orders"]) == ("gold", ["#Z1009"])
    assert str(after["email"]).endswith("@" + str(after["email"]).partition("@")[2])
    card = next(iter(after["payment_methods"]))  # type: ignore[call-overload]  # a JSON object
    assert card.startswith("credit_card_")
    assert card == after["payment_methods"][card]["id"]  # type: ignore[index]  # a JSON object


def test_composites_are_rebuilt_from_the_surrogates_of_their_atoms() -> None:
    """The name in the user id, in the address and in the record is one invented name."""
    after = result_of(clean(profile_episode())[0])
    name = after["name"]
    assert isinstance(name, dict)
    first, last = name["first_name"].lower(), name["last_name"].lower()
    assert str(after["user_id"]).startswith(f"{first}_{last}_")
    assert str(after["email"]).startswith(f"{first}.{last}")


def test_formats_are_kept() -> None:
    """Digits stay digits of the same length, dates stay dates of the same year, casing stays."""
    after = result_of(clean(profile_episode())[0])
    address = after["address"]
    assert isinstance(address, dict)
    assert len(address["zip"]) == 5
    assert address["zip"].isdecimal()
    assert str(after["dob"]).startswith("1984-")
    assert after["dob"] != PROFILE["dob"]
    assert address["address1"].endswith(" Lane")


def test_the_same_value_is_the_same_surrogate_in_every_episode() -> None:
    """Two conversations of one customer still join, whichever is scrubbed first."""
    one, two = profile_episode(conversation="one"), profile_episode(conversation="two")
    vault = Vault(None, SECRET)
    forth = [result_of(item) for item in clean(one, two, vault=vault)]
    back = [result_of(item) for item in clean(two, one)]
    assert forth[0] == forth[1] == back[0] == back[1]


def test_a_surname_does_not_recolour_a_shirt() -> None:
    """The single word Brown is personal beside her first name and in her record, not as a colour."""
    person = {"user": {"first_name": "Ayla", "last_name": "Brown", "email": "ayla.brown@x.example"}}
    shirt = {"product_id": "77", "name": "Shirt", "color": "brown"}
    scrubbed = clean(
        episode(
            "a",
            *calls("get_user", {}, person),
            *calls("get_product", {"product_id": "77"}, shirt, call_id="c2"),
            says("assistant", "Thank you, Ms. Brown. The shirt comes in brown."),
        )
    )[0]
    assert json.loads(scrubbed.clean.steps[3].content or "") == shirt
    assert result_of(scrubbed)["user"]["last_name"] != "Brown"  # type: ignore[index]  # a JSON object
    spoken = scrubbed.clean.steps[4].content or ""
    assert "Ms. Brown" not in spoken
    assert spoken.endswith("comes in brown.")


def test_a_person_called_order_may() -> None:
    """A name made of ordinary words is removed as a name and left in ordinary sentences."""
    person = {"customer": {"first_name": "Order", "last_name": "May", "phone": "415-555-2671"}}
    scrubbed = clean(
        episode(
            "a",
            *calls("get_customer", {}, person),
            says("user", "I am Order May. You may order what you want."),
        )
    )[0]
    spoken = scrubbed.clean.steps[2].content or ""
    assert "Order May" not in spoken
    assert spoken.endswith("You may order what you want.")


def test_an_airport_code_is_not_a_first_name() -> None:
    """MIA, a code that five travellers share, stays while the traveller Mia is renamed."""
    trips = [
        episode(
            f"t{number}",
            *calls("get_user", {}, {"user_id": f"mia_li_{number}00", "first_name": "Mia"}),
            *calls("search", {"origin": "MIA"}, {"origin": "MIA", "seats": number}, call_id="c2"),
            says("assistant", "Thank you, Mia. You leave from MIA."),
        )
        for number in range(1, 7)
    ]
    scrubbed = clean(*trips)[0]
    assert json.loads(scrubbed.clean.steps[3].content or "")["origin"] == "MIA"
    spoken = scrubbed.clean.steps[4].content or ""
    assert "Mia" not in spoken
    assert spoken.endswith("leave from MIA.")


def test_numbers_in_text_that_happen_to_equal_a_code_are_amounts() -> None:
    """A postcode is not replaced inside a price or a longer number."""
    scrubbed = clean(profile_episode(says("user", "That is $48210 or 48210.50 or 148210.")))[0]
    assert scrubbed.clean.steps[-1].content == "That is $48210 or 48210.50 or 148210."


def test_notes_hold_no_text() -> None:
    """The account of what was removed has kind, path and length only."""
    scrubbed = clean(profile_episode(says("user", "I am Tamsin")))[0]
    assert {note.kind for note in scrubbed.notes} >= {"email", "street", "birth_date", "phone"}
    told = json.dumps([(note.kind, note.path, note.length) for note in scrubbed.notes]).lower()
    assert "tamsin" not in told
    assert "okafor" not in told
    assert any(note.path == "steps[2].content" and note.length == 6 for note in scrubbed.notes)


def test_ids_and_subject_are_surrogates() -> None:
    """The clean episode's id cannot be computed from the raw one; the subject joins with its mentions."""
    raw = profile_episode(subject="tamsin_okafor_4417", task_key="refund for Tamsin")
    scrubbed = clean(raw)[0].clean
    assert scrubbed.episode_id != raw.episode_id
    assert len(scrubbed.episode_id) == 32
    assert scrubbed.subject == result_of(clean(raw)[0])["user_id"]
    assert "Tamsin" not in (scrubbed.task_key or "")
    assert scrubbed.redaction == "on"


def test_another_secret_gives_other_surrogates() -> None:
    """Two homes cannot be joined."""
    raw = profile_episode()
    ours, theirs = (
        clean(raw)[0],
        clean(raw, vault=Vault(None, b"another secret of 32 bytes......"))[0],
    )
    assert result_of(ours)["user_id"] != result_of(theirs)["user_id"]
    assert ours.clean.episode_id != theirs.clean.episode_id


def test_redaction_off_changes_nothing_and_says_so() -> None:
    """Data declared free of personal data keeps its text; the record says `off`."""
    raw = profile_episode(says("user", "I am Tamsin"))
    scrubbed = clean(raw, policy=Policy(enabled=False))[0].clean
    assert scrubbed.redaction == "off"
    assert [step.content for step in scrubbed.steps] == [step.content for step in raw.steps]


def test_do_not_train_survives() -> None:
    """Withheld consent passes the gate."""
    assert clean(profile_episode(do_not_train=True))[0].clean.do_not_train


def test_outcomes_lose_the_words_of_their_episode() -> None:
    """A comment that names the customer is scrubbed with what her episode taught."""
    raw = profile_episode()
    outcome = Outcome(
        app="app",
        outcome_id="o1",
        target_kind="episode",
        target_id="one",
        episode_id=raw.episode_id,
        name="csat",
        value=1.0,
        text="Tamsin here, thanks! Reply to tamsin.okafor88@mail.example.com",
        source="table",
    )
    learnt = learn([raw], [outcome], policy=Policy())
    vault = Vault(None, SECRET)
    done = next(iter(scrub_outcomes([outcome], learnt=learnt, vault=vault, policy=Policy())))
    assert "tamsin" not in (done.text or "").lower()
    assert done.episode_id == vault.episode_id("app", raw.episode_id)
    assert (done.value, done.name) == (1.0, "csat")


def test_an_outcome_without_an_episode_waits() -> None:
    """What is joined to nothing does not pass the gate."""
    lone = Outcome(
        app="app",
        outcome_id="o",
        target_kind="user",
        target_id="x",
        episode_id=None,
        name="n",
        source="t",
    )
    done = scrub_outcomes(
        [lone],
        learnt=learn([], [], policy=Policy()),
        vault=Vault(None, SECRET),
        policy=Policy(),
    )
    assert list(done) == []


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        '{"a": ' * 60 + "1" + "}" * 60,
        "[" * 5000,
        '{"name": {"first_name": ',
        "\x00\ud800 lone surrogate",
        "İstanbul'da İpek",
        "שלום, שמי אבי",
        "{'first_name': 'Tamsin', 'last_name': 'Okafor'}",
        '# var_3 = {"first_name": "Tamsin"}',
    ],
)
def test_any_text_passes_without_an_error(content: str) -> None:
    """Broken JSON, deep nesting, odd scripts and lone surrogates are text."""
    scrubbed = clean(episode("a", Step(role="tool", tool_name="t", content=content)))[0]
    assert "Tamsin" not in texts(scrubbed)


def test_a_huge_text_is_scrubbed_in_time() -> None:
    """Ten megabytes in one string pass."""
    text = "lorem ipsum dolor sit amet " * 370_000 + " Tamsin Okafor"
    scrubbed = clean(profile_episode(says("user", text)))[0]
    assert "Okafor" not in (scrubbed.clean.steps[-1].content or "")[-100:]


def test_a_text_without_personal_values_is_the_same_object() -> None:
    """What holds nothing personal is not copied or re-encoded."""
    content = '{ "status" : "ok",\n "n": 1.0 }'
    scrubbed = clean(episode("a", Step(role="tool", tool_name="t", content=content)))[0]
    assert scrubbed.clean.steps[0].content is content


def test_a_learnt_value_of_another_episode_is_removed_here() -> None:
    """Direct identifiers are app-wide: a customer known from one conversation is hidden in all."""
    other = episode("b", says("user", "My colleague's address is tamsin.okafor88@mail.example.com"))
    assert "okafor88" not in texts(clean(profile_episode(), other)[1])


def test_app_keys_differ() -> None:
    """The same person in two apps has two surrogates."""
    here = profile_episode()
    there = replace(here, app="elsewhere")
    one, two = clean(here, there)
    assert result_of(one)["user_id"] != result_of(two)["user_id"]


def test_a_name_of_ordinary_words_written_small_is_removed_where_somebody_introduces_herself() -> (
    None
):
    """People type their names as they type everything else; in an ordinary sentence the words stay."""
    person = {"customer": {"first_name": "Lily", "last_name": "Lee", "phone": "415-555-2671"}}
    (scrubbed,) = clean(
        episode(
            "one",
            says("user", "my name is lily lee, and the lily lee side of the pond is shady"),
            *calls("find", {}, person),
        )
    )
    spoken = scrubbed.clean.steps[0].content or ""
    assert "name is lily lee" not in spoken
    assert "the lily lee side" in spoken


def test_a_request_in_which_something_was_replaced_says_so() -> None:
    """Whoever grades an answer can tell a question that was changed from one that stands as it was asked."""
    named = episode(
        "c1",
        says("user", "I am Tamsin Okafor, where is my parcel?"),
        says("assistant", "On its way."),
    )
    plain = episode(
        "c2", says("user", "Where is my parcel?"), says("assistant", "Hello Tamsin Okafor!")
    )
    assert REQUEST_REPLACED in clean(profile_episode(), named)[1].clean.completeness
    assert REQUEST_REPLACED not in clean(profile_episode(), plain)[1].clean.completeness
