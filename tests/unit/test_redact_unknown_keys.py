"""Keys that no rule knows: surrogated, kept or withheld by what their values look like."""

from dataclasses import replace
from typing import Any

import pytest

from ingest.records.episode import Episode
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.decisions.judgement import judge
from redact.decisions.rules import RULES
from redact.decisions.verdicts import BIRTH, CODE, NAME, OPAQUE, STREET, WITHHOLD
from redact.evidence.app_values import merge
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.values.forms import shape_of
from tests.unit.raw_conversations import SECRET, calls, episode


def visits(key: str, values: list[Any]) -> list[Episode]:
    """One customer per value, with the value under an unknown key of her record."""
    return [
        episode(
            f"e{number}",
            *calls(
                "read_record",
                {"customer_id": f"cust_{number}4400"},
                {
                    "customer_id": f"cust_{number}4400",
                    "email": f"p{number}@mail.example",
                    key: value,
                },
            ),
        )
        for number, value in enumerate(values)
    ]


def verdict(key: str, values: list[Any]) -> str:
    """What the app's evidence makes of the key."""
    learnt = learn(visits(key, values), (), policy=Policy())
    verdicts = judge(learnt.app("app"), k=5).verdicts
    return next((found.action for place, found in verdicts.items() if key in place), "keep")


def test_identifiers_that_differ_from_person_to_person_become_opaque() -> None:
    """An unknown reference costs no meaning to replace."""
    assert verdict("xref", ["QX-88120-AA", "QX-77431-AB", "QX-10293-ZZ"]) == OPAQUE


def test_names_the_gazetteer_knows_are_names() -> None:
    """An unknown key of listed names is a key of names."""
    assert verdict("betreuer", ["Petra Schmidt", "Ines Vogel", "Karl Braun"]) == NAME


def test_address_lines_are_recognised_by_shape() -> None:
    """An unknown key of streets is a key of streets."""
    assert verdict("wohin", ["12 Larkspur Lane", "4 Mill Road", "Hauptstraße 12"]) == STREET


def test_free_text_that_differs_is_withheld() -> None:
    """A clinic's remark about one patient does not pass unjudged."""
    remarks = [
        "is afraid of the dentist since a fall",
        "came with her mother twice",
        "pays late, be firm please",
    ]
    assert verdict("bemerkung", remarks) == WITHHOLD


def test_choices_numbers_dates_and_shared_texts_stay() -> None:
    """What says nothing of one person is kept."""
    assert verdict("stage", ["open", "closed", "on_hold"]) == "keep"
    assert verdict("size", [12, 11, 40]) == "keep"
    assert verdict("due", ["2026-01-04", "2026-02-04", "2026-03-09"]) == "keep"
    assert verdict("plan", ["Family Plan Plus"] * 6) == "keep"


def test_a_withheld_leaf_is_named_with_its_key_and_path() -> None:
    """The reader learns which key to decide on; the text is not told."""
    remarks = [
        "is afraid of the dentist since a fall",
        "came with her mother twice",
        "pays late, be firm please",
    ]
    raw = visits("bemerkung", remarks)
    policy = Policy(unknown="withhold")
    learnt = learn(raw, (), policy=policy)
    done = next(iter(scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=policy)))
    assert done.clean.withheld == ("steps[1].content",)
    assert "dentist" not in (done.clean.steps[1].content or "")
    assert "[withheld]" in (done.clean.steps[1].content or "")
    assert [held.key for held in done.held] == ["read_record.bemerkung"]
    assert "dentist" not in done.held[0].reason


def test_a_policy_line_lets_the_key_pass_or_names_its_kind() -> None:
    """A person's decision comes before every rule."""
    remarks = ["is afraid of the dentist since a fall", "came with her mother twice"]
    raw = visits("bemerkung", remarks)
    for policy, stays in (
        (Policy(keys={"bemerkung": "public"}), True),
        (Policy(keys={"read_record.bem*": "full_name"}), False),
        (Policy(unknown="keep"), True),
    ):
        learnt = learn(raw, (), policy=policy)
        done = next(iter(scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=policy)))
        assert ("dentist" in (done.clean.steps[1].content or "")) is stays
        assert done.held == ()


def test_shapes() -> None:
    """The shapes that verdicts are made of."""
    seen = {
        value: shape_of(value)
        for value in ("12.50", "2026-01-02", "over-ear", "A9Z0-77Q", "6992792935", "Rex", "a longer remark, here",
                      "https://x.example/u/1", "14 Mill Road", "0042")
    }  # fmt: skip
    assert seen == {
        "12.50": "number",
        "2026-01-02": "moment",
        "over-ear": "choice",
        "A9Z0-77Q": "identifier",
        "6992792935": "identifier",
        "Rex": "names",
        "a longer remark, here": "text",
        "https://x.example/u/1": "identifier",
        "14 Mill Road": "street",
        "0042": "code",
    }


def test_a_key_that_learning_never_saw_is_not_let_through() -> None:
    """A held-out episode with a new key fails closed: its value is judged alone, not kept for want of evidence."""
    policy = Policy()
    learnt = learn(visits("stage", ["open", "closed"]), (), policy=policy)
    for key, value, gone in (
        ("bemerkung", "is afraid of Dr. Zwerenz since a fall", "Zwerenz"),
        ("xref", "QX-88120-AA", "88120"),
    ):
        raw = visits(key, [value])
        done = next(scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=policy))
        assert gone not in (done.clean.steps[1].content or "")


def test_letters_after_many_digits_are_an_identifier_and_not_a_unit() -> None:
    """`720067-F` was once read as a number with its unit and kept."""
    assert verdict("fno", ["720067-F", "145165-F", "881888-F"]) == OPAQUE
    assert verdict("weight", ["12 kg", "14 kg", "9 kg"]) == "keep"


def test_short_codes_of_any_length_in_personal_records_are_replaced() -> None:
    """Postcodes of several countries under one unknown key have no one length."""
    assert verdict("bezirkscode", ["80296", "LS9 5HX", "3542 BD", "97282"]) == CODE


def test_days_of_several_decades_are_birth_dates() -> None:
    """A birth date under a key nobody knows is recognised by its spread; order dates are not."""
    assert verdict("tag_x", ["1961-07-12", "1988-11-30", "1999-02-01"]) == BIRTH
    assert verdict("due_x", ["2026-01-04", "2026-02-04", "2026-03-09"]) == "keep"


def test_a_name_that_is_an_ordinary_word_goes_under_a_judged_key() -> None:
    """Hunter and Moore are removed where the key was judged to hold names, though they are words."""
    raw = visits("rufname", ["Hunter", "Petra", "Ines", "Karl"])
    policy = Policy()
    learnt = learn(raw, (), policy=policy)
    done = next(scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=policy))
    assert "Hunter" not in (done.clean.steps[1].content or "")


def test_what_also_stands_in_records_of_no_person_is_a_catalogues() -> None:
    """A product's make in a customer's order is not a town, because the product itself has it."""
    raw = visits("make", ["Boston A", "Denver B", "Boston A"])
    raw.append(episode("p", *calls("get_product", {"sku": "1"}, {"sku": "1", "make": "Boston A"})))
    raw.append(episode("q", *calls("get_product", {"sku": "2"}, {"sku": "2", "make": "Denver B"})))
    verdicts = judge(learn(raw, (), policy=Policy()).app("app"), k=5).verdicts
    assert verdicts == {}


def few(*records: dict[str, Any], at: int = 0) -> list[Episode]:
    """One episode per record, in an app that has no others."""
    return [
        replace(episode(f"f{number}", *calls("look_up", {}, record)), started_at=at)
        for number, record in enumerate(records)
    ]


def left(raw: list[Episode], *, policy: Policy | None = None) -> str:
    """All that passes the gate of these episodes."""
    policy = policy or Policy()
    learnt = learn(raw, (), policy=policy)
    vault = Vault(None, SECRET)
    done = scrub(raw, learnt=learnt, vault=vault, policy=policy)
    return "\n".join(step.content or "" for one in done for step in one.clean.steps)


def test_a_reference_in_a_record_without_a_person_is_not_taken_for_a_catalogue_s() -> None:
    """A look-up that answers with an account's key only says nothing else of the person."""
    text = left(
        few({"zzkonto": "w_d74849f6"}, {"zzkonto": "w_19af3ce7"}, {"zzkonto": "w_fd6e2a89"})
    )
    assert not any(key in text for key in ("d74849f6", "19af3ce7", "fd6e2a89"))


def test_one_person_s_codes_and_old_days_go_in_an_app_with_one_episode() -> None:
    """A postcode and a birth date under keys nobody knows do not wait for more people."""
    record = {"zzm": "p@mail.example", "zzb": "1971-02-06", "zzc": "80261", "zzd": "2026-01-02"}
    text = left(few(record, at=1_767_571_200_000_000_000))
    assert "1971-02-06" not in text
    assert "80261" not in text
    assert "2026-01-02" in text


def test_sizes_and_units_are_no_references_in_a_small_app() -> None:
    """What describes a product stays."""
    sizes = ["6-inch", "512GB", "20000mAh", "1000-piece"]
    text = left(few(*({"zzsize": size} for size in sizes)))
    assert all(size in text for size in sizes)


def test_a_records_key_that_stands_under_an_unknown_key_too_stays_everywhere() -> None:
    """Order keys join the calls of an app however few episodes it has."""
    text = left(
        few(
            {"order_id": "W5490111", "email": "p1@mail.example"},
            {"zzref": "W5490111", "email": "p2@mail.example"},
        )
    )
    assert text.count("W5490111") == 2


def test_a_key_judged_to_identify_people_does_so_in_every_record() -> None:
    """The account's number in a booking goes as the one in the profile did."""
    profiles = [{"zzmail": f"p{n}@mail.example", "zzno": f"K00{n}94{n}"} for n in range(6)]
    bookings = [{"zzstate": "open", "zzno": f"K10{n}33{n}"} for n in range(6)]
    text = left(few(*profiles, *bookings))
    assert not any(record["zzno"] in text for record in profiles + bookings)


def test_held_out_episodes_are_judged_by_their_homes_evidence() -> None:
    """A key that the home keeps is kept for held-out people too, whatever their own values would have said."""
    seen = visits("plug", [*["USB-C", "Type G"] * 6, "Barrel Jack", "Magsafe Three"])
    home, held_out = seen[:12], seen[12:]
    policy, vault = Policy(unknown="withhold"), Vault(None, SECRET)
    known = learn(home, (), policy=policy)
    both = merge(known, learn(held_out, (), policy=policy))
    done = list(scrub(held_out, learnt=both, vault=vault, policy=policy, judged_by=known))
    assert [one.held for one in done] == [(), ()]
    alone = learn(held_out, (), policy=policy)
    strict = list(scrub(held_out, learnt=alone, vault=vault, policy=policy))
    assert any(one.held for one in strict)


def followers(names: list[str], alone: str | None = None) -> list[Episode]:
    """One user an episode who looks at a bare list of all names; some also ask for one by a key that says who it is."""
    return [
        episode(
            f"e{number}",
            *(calls("follow", {"username": alone or name}, "ok") if number % 3 == 0 else ()),
            *calls("list_following", {}, names, call_id="c9"),
        )
        for number, name in enumerate(names * 2)
    ]


def test_a_bare_list_of_people_reads_alike_in_every_episode() -> None:
    """Whether an episode also has a key that says who they are must not decide over the list's answer."""
    names = ["tolvin", "maruska", "oswaldt", "perrine"]
    episodes = followers(names)
    clean = list(
        scrub(
            episodes,
            learnt=learn(episodes, (), policy=Policy()),
            vault=Vault(None, SECRET),
            policy=Policy(),
        )
    )
    lists = {one.clean.steps[-1].content for one in clean}
    assert len(lists) == 1
    assert not any(name in text for text in lists if text for name in names)


def test_one_id_that_is_no_word_makes_a_place_of_people() -> None:
    """Nothing else is called `m_tolvin` by chance: who is moved up reads alike whether the episode names her before or not."""
    episodes = [
        episode(
            f"e{number}",
            *(calls("show", {"member": "m_tolvin"}, "ok") if number % 2 else ()),
            *calls("resize", {}, {"moved_up": ["m_tolvin"]}, call_id="c9"),
        )
        for number in range(6)
    ]
    learnt = learn(episodes, (), policy=Policy())
    done = list(scrub(episodes, learnt=learnt, vault=Vault(None, SECRET), policy=Policy()))
    assert len({one.clean.steps[-1].content for one in done}) == 1
    assert not any("m_tolvin" in (step.content or "") for one in done for step in one.clean.steps)


def test_a_list_of_colours_is_no_list_of_people() -> None:
    """Mr Brown and Mrs White are customers; a shirt comes in brown and white."""
    episodes = followers(["brown", "white", "green", "black"])
    verdicts = judge(learn(episodes, (), policy=Policy()).app("app"), k=5).verdicts
    assert not any("list_following" in place for place in verdicts)


def test_one_person_in_a_list_of_other_things_makes_no_people_of_them() -> None:
    """A coincidence shows nothing."""
    episodes = followers(["tolvin", "cargo", "freight", "parcel"], alone="tolvin")
    verdicts = judge(learn(episodes, (), policy=Policy()).app("app"), k=5).verdicts
    assert not any("list_following" in place for place in verdicts)


def test_a_door_of_the_driver_is_locked_as_every_other_door_is() -> None:
    """A lexicon takes `driver` for a person; what the app says under other keys in its own words is a choice."""
    states = ["locked", "unlocked"]
    episodes = [
        replace(
            episode(
                f"e{number}",
                *calls("status", {}, {"driver": states[number % 2], "rear": states[number % 2]}),
                *calls("lock", {}, {"lockStatus": states[(number + 1) % 2]}, call_id="c9"),
            ),
            subject=f"customer-{number}",
        )
        for number in range(14)
    ]
    learnt = learn(episodes, (), policy=Policy())
    done = list(scrub(episodes, learnt=learnt, vault=Vault(None, SECRET), policy=Policy()))
    assert [one.clean.steps[1].content for one in done] == [
        one.steps[1].content for one in episodes
    ]


def test_a_handle_that_many_see_is_still_somebody() -> None:
    """Five users seeing the same person does not make a word of the app of them."""
    episodes = [
        replace(
            episode(
                f"e{number}",
                *calls("show", {"username": "jdoele"}, {"assigned_to": "jdoele", "state": "open"}),
            ),
            subject=f"customer-{number}",
        )
        for number in range(9)
    ]
    learnt = learn(episodes, (), policy=Policy())
    done = list(scrub(episodes, learnt=learnt, vault=Vault(None, SECRET), policy=Policy()))
    assert not any("jdoele" in (step.content or "") for one in done for step in one.clean.steps)


def test_one_listed_name_of_two_values_makes_no_names() -> None:
    """Yoga is a name in some country; beside a word that is none anywhere it is a course."""
    courses = ["Yoga", "Pilates"] * 6
    assert verdict("course", courses) != NAME


def orders(options: list[dict[str, str]]) -> list[Episode]:
    """One customer per item, each with many attributes that several customers' items share."""
    shared = {f"attribute {number}": f"{'abc'[number % 3]}-{number}" for number in range(24)}
    return [
        episode(
            f"e{number}",
            *calls(
                "read_order",
                {"order_no": f"#W{number}771"},
                {
                    "order_no": f"#W{number}771",
                    "email": f"p{number}@mail.example",
                    "items": [{"item_no": 4400 + number, "options": {**shared, **own}}],
                },
            ),
        )
        for number, own in enumerate(options)
    ]


def option_verdict(key: str, values: list[str]) -> str:
    """What is made of one attribute of an item, of whose attributes all others are shared."""
    learnt = learn(orders([{key: value} for value in values]), (), policy=Policy())
    verdicts = judge(learnt.app("app"), k=5).verdicts
    return next((found.action for place, found in verdicts.items() if key in place), "keep")


def test_a_persons_own_words_are_withheld_among_a_catalogues_attributes() -> None:
    """An engraving, a gift note and a monogram stand in the same map as size and colour."""
    for own in ("Anna K", "A-K", "Zofia", "Rose"):
        assert option_verdict("engraving", [own, "USB-C", "Wireless", "Wireless"]) == WITHHOLD
    assert option_verdict("engraving", ["Xuxu", "Bibo", "Wuppi", "none", "none"]) == WITHHOLD
    notes = ["see you soon, old friend", "for the best mother there is", "get well soon, you two"]
    assert option_verdict("gift", notes) == WITHHOLD


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (["QX-88120-AA", "QX-77431-AB", "QX-10293-ZZ"], "looks like an identifier and differs"),
        (["1961-04-12", "1988-11-02", "1974-07-30"], "looks like birth dates"),
        (["12 Elm Street", "4 Harbour Road", "77 Mill Lane"], "looks like address lines"),
        (["Ana Prado", "Grace Okonjo", "Peter Green"], "looks like names of people"),
    ],
)
def test_the_first_rule_that_speaks_is_the_reason(values: list[str], reason: str) -> None:
    """Whoever asks why a value went reads the name of the rule."""
    learnt = learn(visits("xref", values), (), policy=Policy())
    verdicts = judge(learnt.app("app"), k=5).verdicts
    (found,) = [one.reason for place, one in verdicts.items() if "xref" in place]
    assert found.startswith(reason)


def test_every_rule_has_a_name_and_speaks_of_one_place_or_of_many() -> None:
    """The table is read from above: a line without a name gives no reason."""
    assert all(rule.verdict.reason for rule in RULES)
    assert all((rule.when is None) != (rule.among is None) for rule in RULES)
