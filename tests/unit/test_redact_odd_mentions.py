"""Mentions that stand where nobody thinks of them: addresses of pages, brackets, dots, one letter, a query's quotes, a comment."""

import json
from dataclasses import replace

import pytest

from ingest.records.outcome import Outcome
from redact.apply.learn import learn
from redact.apply.scrub import scrub, scrub_outcomes
from redact.audit.leaks import LeakSearch
from redact.evidence.language import language_of
from redact.fold import fold_value
from redact.operators.surrogates import surrogate
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.values.free_ids import free_ids
from redact.values.shapes import emails_in
from tests.leak_hits import leaks_in
from tests.unit.raw_conversations import SECRET, calls, episode, says, texts_past_the_gate


@pytest.mark.parametrize(
    "written",
    [
        "https://x.example/r?to=lidia.bern%40kumu.test&lang=et",
        "see https://x.example/r?to=lidia.bern%40kumu.test&lang=et&page=2, please",
        "https://x.example/go?next=https%3A%2F%2Fy.example%3Fto%3Dlidia.bern%2540kumu.test",
        "log: owner=lidia.bern\\u0040kumu.test lang=et",
    ],
)
def test_an_address_that_stands_nowhere_else_is_found_in_its_code(written: str) -> None:
    """An e-mail address that only the address of a page holds is learnt from there, and what stands behind it stays."""
    (said,) = texts_past_the_gate([episode("e1", says("user", written))])
    (shown,) = texts_past_the_gate([episode("e1", *calls("open", {"url": written}, {"ok": True}))])
    for text in (said, shown):
        assert "lidia" not in text
        assert "kumu" not in text
        assert ("lang=et" in text) == ("lang=et" in written)


def test_an_address_is_the_same_in_a_page_s_address_and_beside_it() -> None:
    """What stands behind `&` is no part of an address, so that both mentions have one surrogate."""
    link = "https://x.example/n?to=lidia.bern23%40kumu.test&name=x"
    steps = calls("find", {"email": "lidia.bern23@kumu.test"}, {"link": link})
    (text,) = texts_past_the_gate([episode("e1", *steps)])
    argument, result = (line for line in text.split("\n") if line)
    name, place = json.loads(argument)["email"].split("@")
    assert f"{name}%40{place}&name=" in result


def test_a_number_in_brackets_is_the_number() -> None:
    """A screen shows a telephone in brackets and a record without: one surrogate."""
    raw = []
    for number in range(12):
        phone = f"07{number:02}5 55{number:02}{number + 10}"
        shown = {"contact": {"phone": phone, "email": f"k{number}@a.test"}}
        log = f"0{number % 9 + 1}.10.2026 seen\n02.10.2026 rang ({phone})\n03.10.2026 done"
        steps = (*calls("get", {"no": number}, shown), *calls("log", {"no": number}, log))
        raw.append(episode(f"e{number}", *steps))
    for text in texts_past_the_gate(raw):
        record = next(line for line in text.split("\n") if "contact" in line)
        assert f"({json.loads(record)['contact']['phone']})" in text
    assert list(free_ids("rang (0171) 555 0123 or (0171 555 0123)")) == [
        "(0171) 555 0123",
        "0171 555 0123",
    ]


def test_days_with_dots_begin_with_the_day() -> None:
    """The fourth of March is one day whether a record or a person writes it."""
    keyed = Vault(None, SECRET).key_of("app")
    for plain, dotted in (
        ("1976-03-04", "04.03.1976"),
        ("1949-03-14", "14.03.1949"),
        ("1961-05-05", "05.05.1961"),
    ):
        year, month, day = surrogate(keyed, "date", plain).split("-")
        assert surrogate(keyed, "date", dotted) == f"{day}.{month}.{year}"


def test_a_surname_of_one_letter_goes_and_its_words_stay() -> None:
    """Under its key, in the full name and in a call it is replaced; in a king and a dish it is a letter like any other."""
    raw = [
        episode(
            "e1",
            says("user", "我是王秀英。国王好。"),
            *calls("get", {"who": "王秀英"}, '{"first_name": "秀英", "last_name": "王"}'),
            *calls("send", '{"to": "秀英 王", "sign": "王"}', {"ok": True}),
        ),
        episode(
            "e2",
            *calls("get", {"who": 7}, '{"first_name": "서연", "last_name": "김"}'),
            says("assistant", "김서연 님, 김치"),
        ),
    ]
    chinese, korean = texts_past_the_gate(raw)
    assert chinese.count("王") == 1
    assert "国王好" in chinese
    assert "秀英" not in chinese
    assert "서연" not in korean
    assert korean.endswith("김치")


def test_a_full_name_of_ordinary_words_goes_from_a_query() -> None:
    """Small letters between quotes are a value, Ms May Order's; in a sentence they are words; the leak check says the same."""
    record = {"customer_id": "may_order_4417", "first_name": "May", "last_name": "Order"}
    asked = calls("sql", {"q": "select 1 where lower(name)='may order'"}, {"rows": 1})
    said = says("assistant", "you may order a shirt")
    raw = [
        episode("e1", *calls("get", {"customer_id": "may_order_4417"}, record)),
        episode("e2", *asked, said),
    ]
    _, text = texts_past_the_gate(raw)
    assert "'may order'" not in text
    assert "you may order a shirt" in text
    search = LeakSearch(learn(raw, (), policy=Policy()))
    assert [leak.waiver for leak in search.find("x", "where name='may order'")] == [""]
    assert [leak.waiver for leak in search.find("x", "you may order a shirt")] == ["ordinary"]
    shown = LeakSearch(learn(raw, (), policy=Policy()), is_public={"may order"}.__contains__)
    assert [leak.waiver for leak in shown.find("x", "kind='may order'")] == ["ordinary"]


def test_a_name_that_is_a_word_goes_where_it_is_the_one_capital_of_a_sentence() -> None:
    """Mr Mason Hill loses his name where somebody speaks of him; bricklayers, hills and months keep their words."""
    record = {"user_id": "u_7", "first_name": "Mason", "last_name": "Hill"}
    asked = "find a tutor for Mason with patience. Then amend Mason's goal."
    stays = "A mason built the hill. Mason jars are sold at Silver Hill Market in may."
    raw = [
        episode("e1", says("user", asked), *calls("get", {"user_id": "u_7"}, record)),
        episode("e2", *calls("get", {"user_id": "u_7"}, record), says("assistant", stays)),
    ]
    first, second = texts_past_the_gate(raw)
    assert "Mason" not in first
    assert stays in second


def test_a_comment_names_nobody_whose_keys_no_rule_knows() -> None:
    """Names that only a verdict over values found go from what is said of the episode too, ordinary words beside each other as well."""
    names = [
        ("Bence", "Szabolcsi"),
        ("Tamsin", "Okafor"),
        ("Bill", "Court"),
        ("Oksana", "Hrytsenko"),
        ("Tane", "Ngapuhi"),
        ("สมชาย", "ใจดี"),
    ]
    raw = [
        replace(
            episode(
                f"e{number}",
                *calls(
                    "find",
                    {"q": number},
                    {"party": {"gvn": first, "fml": last, "mail": f"p{number}q@a.test"}},
                ),
            ),
            subject=f"u{number}",
        )
        for number, (first, last) in enumerate(names)
    ]
    outcomes = [
        Outcome(
            app="app", outcome_id=one.episode_id, target_kind="episode", target_id=one.episode_id,
            episode_id=one.episode_id, name="resolved", value=1.0, text=f"{first} {last} got it", source="test",
        )
        for one, (first, last) in zip(raw, names, strict=True)
    ]  # fmt: skip
    learnt = learn(raw, outcomes, policy=Policy())
    vault = Vault(None, SECRET)
    clean = list(scrub_outcomes(outcomes, learnt=learnt, vault=vault, policy=Policy()))
    for one, (first, last) in zip(clean, names, strict=True):
        assert first not in (one.text or "")
        assert last not in (one.text or "")
        assert (one.text or "").endswith(" got it")


def test_a_mark_behind_a_name_goes_with_it() -> None:
    """A mark that no composed letter takes is part of the mention."""
    said = "I met Adébáyọ̀ today"
    record = {"first_name": "Oluwaseun", "last_name": "Adébáyọ̀"}
    (text,) = texts_past_the_gate(
        [episode("e1", *calls("get", {}, record), says("assistant", said))]
    )
    assert "\u0300 today" not in text
    assert fold_value("adebayo") not in fold_value(text)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("run", ["a", "7", "A1", "%41", "1 ", "%40", "a@", "\\"])
def test_a_long_run_takes_linear_time(run: str) -> None:
    """Half a million characters that repeat themselves, with an address behind them, in a message, an argument and a result."""
    text = run * (500_000 // len(run)) + " x@y.example"
    assert list(emails_in(text))[-1:] == ["x@y.example"]
    raw = episode(
        "e1",
        says("user", text),
        *calls("f", {"t": text[:100_000]}, {"email": "z@y.example", "t": text}),
    )
    learnt = learn([raw], (), policy=Policy())
    (done,) = scrub([raw], learnt=learnt, vault=Vault(None, SECRET), policy=Policy())
    left = [(str(n), step.content or "") for n, step in enumerate(done.clean.steps)]
    assert all("y.example" not in said for _, said in left)
    assert not leaks_in(left, learnt=learnt)


def test_digits_without_end_stop_nothing() -> None:
    """Python reads no number of more than 4300 digits; rows of digits are none, and a long number has a surrogate of its length."""
    rows = "1 " * 9_000
    (text,) = texts_past_the_gate(
        [episode("e1", *calls("get", {"id": "k-7741-22"}, f"rows {rows}"))]
    )
    assert text.count("1 ") > 8_000
    number = "4709" * 2_000
    moved = Vault(None, SECRET).surrogate("app", "person_id", number)
    assert moved.isdecimal()
    assert len(moved) == len(number)
    assert moved != number


def test_a_name_of_ordinary_words_goes_from_an_address_and_a_query() -> None:
    """Neither `%20` nor small letters make Bill Court two words: not in a link, not between a query's quotes."""
    people = [("Anna", "Meier"), ("Boris", "Novak"), ("Clara", "Rossi"), ("Bill", "Court")] * 4
    raw = []
    for number, (first, last) in enumerate(people):
        party = {"party": {"gvn": first, "fml": last, "mail": f"p{number}q@a.test"}}
        asked = {
            "url": f"https://x.example/n?name={first}%20{last}&page=2",
            "q": f"select 1 where lower(name)='{first.lower()} {last.lower()}'",
        }
        steps = (*calls("get", {"n": number}, party), *calls("open", asked, {"ok": True}))
        raw.append(episode(f"e{number}", *steps, says("assistant", "I bill the court.")))
    for text, (first, last) in zip(texts_past_the_gate(raw), people, strict=True):
        assert f"{first}%20" not in text
        assert f"{first} {last}".lower() not in text
        assert "page=2" in text
        assert "I bill the court." in text


def test_who_stands_before_a_number_is_no_field_of_the_app() -> None:
    """A log has a name before each telephone: the name is not the app's language for that, in whatever script."""
    people = [
        "Nurlanbek",
        "Xochitl",
        "Ugochukwu",
        "Zsofiette",
        "Tanewhare",
        "Kealanui",
        "Dagnyra",
        "Thandisa",
    ]
    raw = []
    for number, name in enumerate(people):
        phone = f"+353 87 6{number:02} 9{number:02}2"
        log = f"08.10.2026 07:4{number} Fetched: {name} Bo (Tel. {phone})\n06.10.2026 Note: {name} slept well"
        shown = [{"kin": "aunt", "wer": name, "mail": f"q{number}x@a.test"}]
        logged = calls("log", {"no": number}, log)
        raw.append(episode(f"e{number}", *logged, *calls("who", {"no": number}, shown)))
    language = language_of(learn(raw, (), policy=Policy()).app("app"), k=5)
    assert not language & {name.lower() for name in people}
    for text, name in zip(texts_past_the_gate(raw), people, strict=True):
        assert name not in text


def test_who_approves_is_a_person_whatever_the_words() -> None:
    """Two managers of everybody, one of whom is called by an ordinary word, and the key says so: both go, wherever they stand."""
    raw = []
    for number in range(12):
        boss = ("Ugochukwu Court", "Xochitl Quispe")[number % 2]
        slip = f"SLIP\nGross: {3000 + number}.00\nApproved by: {boss}"
        steps = (
            *calls("who", {"no": number}, {"mgr": boss, "grade": "B2"}),
            *calls("slip", {"no": number}, slip),
        )
        raw.append(
            replace(
                episode(f"e{number}", *steps, says("assistant", f"Approved by {boss}.")),
                subject=f"u{number}",
            )
        )
    for text in texts_past_the_gate(raw):
        assert "Ugochukwu" not in text
        assert "Xochitl" not in text
        assert "Quispe" not in text
        assert '"grade": "B2"' in text
