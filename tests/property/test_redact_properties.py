"""Properties of redaction: order-free, injective, nothing planted survives, JSON stays JSON."""

import json
import re
import string
from dataclasses import replace

from hypothesis import example, given, settings
from hypothesis import strategies as st

from dagster_project.lake.rows import constant_column, to_table
from ingest.records.episode import Episode, Step, episode_id_of
from redact.apply.learn import learn
from redact.apply.matcher import Matcher, searched
from redact.apply.scrub import Scrubbed, scrub
from redact.evidence.app_values import merge
from redact.fold import fold, fold_value
from redact.lists.lexicon import load_lexicon
from redact.operators.surrogates import opaque_surrogate, surrogate
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.readers.documents import Documents, FoundValue, Unexplained
from redact.recognizers.analyzer import Finder
from redact.recognizers.registry import NAMED_ID, named_ids_in
from redact.records.clean_episode import CLEAN_EPISODE_SCHEMA
from redact.records.clean_rows import clean_episode_from_row
from redact.values.free_ids import windows_of
from redact.values.permutations import KeyedDigest
from redact.values.shapes import NOTHING
from tests.leak_hits import leaks_in

SECRET = b"a secret for tests only, 32 bytes"
NAMES = (
    st.text(string.ascii_lowercase, min_size=5, max_size=10)
    .filter(lambda name: name not in NOTHING)
    .map(str.title)
)
PEOPLE = st.builds(
    lambda first, last, number: {
        "user_id": f"{first}_{last}_{number}".lower(),
        "first_name": first,
        "last_name": last,
        "email": f"{first}.{last}{number}@mail.example".lower(),
        "zip": f"{number:05d}",
        "note": None,
        "total": number / 100,
    },
    NAMES,
    NAMES,
    st.integers(10_000, 99_999),
)
FRAMES = st.sampled_from(
    [
        "{}",
        "<{}>",
        "x_{}_y",
        "Dear {},",
        '{{"k": "{}"}}',
        "\\n{}",
        "({})",
        "{}'s",
        "%20{}%20",
        "*{}*",
        "\u00ab{}\u00bb",
    ]
)


def conversation(number: int, person: dict[str, object], said: list[str]) -> Episode:
    """A lookup and some messages."""
    steps = [Step(role="tool", tool_name="get_user", content=json.dumps(person))]
    steps += [Step(role="user", content=text) for text in said]
    return Episode(
        app="app",
        episode_id=episode_id_of("app", str(number)),
        conversation_id=str(number),
        source="test",
        started_at=0,
        steps=tuple(steps),
    )


def passed(episodes: list[Episode]) -> list[Scrubbed]:
    """The episodes past the gate."""
    learnt = learn(episodes, (), policy=Policy())
    return list(scrub(episodes, learnt=learnt, vault=Vault(None, SECRET), policy=Policy()))


@settings(max_examples=60, deadline=None)
@given(st.lists(PEOPLE, min_size=1, max_size=4), st.randoms())
def test_order_does_not_matter(people: list[dict[str, object]], random: object) -> None:
    """Any order of episodes gives the same clean episodes."""
    raw = [conversation(number, person, ["hello"]) for number, person in enumerate(people)]
    other = list(raw)
    random.shuffle(other)  # type: ignore[attr-defined]  # hypothesis hands out a random.Random
    one = {item.clean.episode_id: item.clean for item in passed(raw)}
    two = {item.clean.episode_id: item.clean for item in passed(other)}
    assert one == two


@settings(max_examples=60, deadline=None)
@given(
    st.lists(PEOPLE, min_size=1, max_size=2), st.lists(FRAMES, max_size=4), st.sampled_from([0, 14])
)
def test_who_comes_back_is_scrubbed_as_if_alone(
    people: list[dict[str, object]], frames: list[str], days: int
) -> None:
    """What the gate remembers of a person's texts changes nothing in her next episode."""
    said = [frame.format(person["first_name"]) for frame in frames for person in people]
    said.append("Born 1961-06-08, not on 20 February, February 20 or 02/20")
    raw = [
        replace(conversation(number, person, said[number % 2 :]), started_at=number * 10**17)
        for number, person in enumerate([*people, *people, *people])
    ]
    policy = Policy(date_shift_days={"app": days})
    learnt = learn(raw, (), policy=policy)

    def past(episodes: list[Episode]) -> list[Scrubbed]:
        vault = Vault(None, SECRET)
        return list(scrub(episodes, learnt=learnt, vault=vault, policy=policy))

    assert past(raw) == [past([episode])[0] for episode in raw]


ODD = {
    "user_id": "order_payment_12345",
    "first_name": "Order",
    "last_name": "Payment",
    "email": "order.payment12345@mail.example",
    "zip": "12345",
    "note": None,
    "total": 123.45,
}
"""Somebody whose names say what identifiers identify."""


@settings(max_examples=80, deadline=None)
@given(PEOPLE, FRAMES, st.sampled_from([str.upper, str.lower, str.title]))
@example(ODD, "x_{}_y", str.lower)
def test_nothing_planted_survives(person: dict[str, object], frame: str, case: object) -> None:
    """Whatever stands around a value and however it is cased, it is gone, and both checks agree."""
    values = [str(person[key]) for key in ("user_id", "email", "first_name", "last_name", "zip")]
    said = [frame.format(case(value)) for value in values]  # type: ignore[operator]  # a str method
    raw = [conversation(0, person, said)]
    learnt = learn(raw, (), policy=Policy())
    done = passed(raw)[0].clean
    out = [(str(place), step.content or "") for place, step in enumerate(done.steps)]
    text = "\n".join(part for _, part in out).lower()
    assert str(person["email"]) not in text
    assert str(person["user_id"]) not in text
    assert f"{person['first_name']} {person['last_name']}".lower() not in text
    assert leaks_in(out, learnt=learnt) == []


@settings(max_examples=60, deadline=None)
@given(PEOPLE)
def test_json_stays_json_with_its_numbers(person: dict[str, object]) -> None:
    """Keys, order, numbers and nulls are untouched; only strings under personal keys differ."""
    done = passed([conversation(0, person, [])])[0].clean
    after = json.loads(done.steps[0].content or "")
    assert list(after) == list(person)
    assert (after["total"], after["note"]) == (person["total"], None)
    assert all(
        after[key] != person[key] for key in ("user_id", "first_name", "last_name", "email", "zip")
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(PEOPLE, min_size=2, max_size=5, unique_by=lambda person: person["user_id"]))
def test_different_people_stay_different(people: list[dict[str, object]]) -> None:
    """Surrogates are injective: joins neither break nor appear."""
    done = passed([conversation(number, person, []) for number, person in enumerate(people)])
    after = [json.loads(item.clean.steps[0].content or "") for item in done]
    for key in ("user_id", "email"):
        assert len({person[key] for person in after}) == len({person[key] for person in people})


@settings(max_examples=40, deadline=None)
@given(st.lists(PEOPLE, min_size=1, max_size=4))
def test_learning_by_parts_is_learning_the_whole(people: list[dict[str, object]]) -> None:
    """Days merge in any order to what one pass would have learnt."""
    raw = [conversation(number, person, ["hi"]) for number, person in enumerate(people)]
    parts = [learn([item], (), policy=Policy()) for item in raw]
    assert merge(*parts) == merge(*reversed(parts)) == learn(raw, (), policy=Policy())


@settings(max_examples=40, deadline=None)
@given(PEOPLE)
def test_clean_episodes_survive_the_table(person: dict[str, object]) -> None:
    """A row holds the whole record."""
    done = passed([conversation(0, person, ["hi"])])[0].clean
    (row,) = to_table([done], CLEAN_EPISODE_SCHEMA, day=constant_column("2026-01-01")).to_pylist()
    assert clean_episode_from_row(row) == done


@given(st.text(max_size=60))
def test_every_folded_span_lies_in_the_original(text: str) -> None:
    """Spans never leave the text, and the whole maps to the whole."""
    folded = fold(text)
    for place in range(len(folded.text)):
        begin, end = folded.span(place, place + 1)
        assert 0 <= begin < end <= len(text)


@given(st.sets(st.text("aZ09-_", min_size=4, max_size=6), min_size=2, max_size=12))
def test_opaque_surrogates_never_meet(ids: set[str]) -> None:
    """Ids of any pattern keep apart."""
    assert len({opaque_surrogate(KeyedDigest(b"k"), text) for text in ids}) == len(ids)


@given(
    st.text(max_size=40),
    st.sampled_from(["name", "identifier", "email", "phone", "street", "date", "card", "iban"]),
)
def test_any_mention_has_a_surrogate(mention: str, family: str) -> None:
    """No text makes a family fail, and the answer is always the same."""
    assert surrogate(KeyedDigest(b"k"), family, mention) == surrogate(
        KeyedDigest(b"k"), family, mention
    )


PIECES = st.sampled_from(
    [
        "+49 30 1234567", "(212) 555-0143", "212-555-0143", "4111 1111 1111 1111", "4111111111111111", "078-05-1120",
        "DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819", "10.0.12.7", "fe80:1:2:3:4:5:6:7", "a://u:p4ss@h",
        "sk-abcdefghijklmnop1234", "Bearer abcdefghijklmnop12345", "password: hunter22", "API_KEY=abc12345", "PWD=x1y2z3w4",
        "12 Maple Street, Berlin, 10115", "742b Evergreen Terrace", "Hauptstraße 12", "Lindenweg 3a", "anna_meier_42",
        "José.García7", "anna.meier@mail.example", "hf_abcdefghijklmnopqrstuvwx", "\u0661\u0662\u0663-\u0664\u0665-6789", "\u017fecret: abc123",
        "-----BEGIN PRIVATE KEY-----\nMII", "eyJhbGciOi.J9eyJzdWIi.abcd", "12:30:45", "1.2.3", "My name is Anna Meier.",
        "born 1988-06-08", "N\u00e9e le 08.06.1988", "F\u00d8DSELSDATO: 8 June 1988",
        "this            Anna", "my name\u2019s Bob", "ich heiße Éva", "is,:.Anna", "named\u2028Otto", "mr. \u00c5sa", "\u212aey is Jo", "x\u00b2",
        "ID-1\u00e92\u00e9\u00e93", "1961-06-08", "8th of August 1961", "3 \u0441\u0435\u043d\u0442\u044f\u0431\u0440\u044f 1961", "May 3rd, 1961", "1 Augu\u017ft 1961",
        "08.06.1961", "19610608", "1 M\u00c4RZ 1961", "B-MW 421", "482 1133-7",
        "hchatterj43", "hchatterj\u0664", "7 Rue Älgatan", "me@straße.example", "mia dot lee at x dot org", "5 bis, rue de l'Église", "12 allée des Pins", "Calle de la Cruz 7", "ul. Długa 7", "Via Roma, 5", "M.Lee (at) x.org", "mia[AT]x[dot]org", "Ruf @ x.org",
        "ONE two, three.four Five six", "f\u00fcnf sechs sieben acht neun null", "\u017fix six six six six six", "double one oh two three",
        "\u0645\u062d\u0645\u062f", "名前は田中",
    ]
)  # fmt: skip
MIXED = st.lists(
    st.one_of(PIECES, st.text(max_size=8), st.text("0123456789 .:-_+Aa,()ß", max_size=12)),
    max_size=6,
).map("".join)


@given(MIXED, st.sampled_from(["", " ", ", ", '"']))
@example("00A08.06.196112:30:45anna_meier_42", "")
@example("anna_meier_42M.Lee (at) x.org000", "")
@settings(max_examples=400, deadline=None)
def test_the_cheap_look_never_hides_what_a_search_finds(text: str, joint: str) -> None:
    """A reader that looks at classes of characters first finds exactly what one that searches everything finds."""
    said = joint.join((text, text))
    lexicon = load_lexicon()
    quick = Finder(lexicon).in_prose(said)
    thorough = Finder(lexicon, prefiltered=False).in_prose(said)
    assert quick.values == thorough.values
    assert quick.sightings == thorough.sightings
    assert quick.numbered == thorough.numbered


LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-9, 99), NAMES, PIECES, st.text(max_size=6)
)
RECORDS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["name", "email", "id", "note", "user", "zip"]), inner),
    ),
    max_leaves=12,
)


@given(st.lists(RECORDS.map(json.dumps), min_size=2, max_size=5))
@settings(max_examples=200, deadline=None)
def test_a_leaf_seen_before_reads_as_one_never_seen(texts: list[str]) -> None:
    """What a reader remembers of keys and their values changes nothing of what a document says."""
    lexicon = load_lexicon()
    reader = Documents(lexicon)
    for text in (*texts, *texts):
        again: tuple[list[FoundValue], list[Unexplained]] = ([], [])
        fresh: tuple[list[FoundValue], list[Unexplained]] = ([], [])
        reader.read(text, "look_up", *again)
        Documents(lexicon).read(text, "look_up", *fresh)
        assert again == fresh


VALUES = st.dictionaries(
    st.one_of(
        NAMES,
        PIECES,
        st.sampled_from(["ab", "b1", "1961-06-08", "19610608", "08", "mia", "\u6e21\u8fba"]),
    ).map(fold_value),
    st.sampled_from(["last_name", "opaque_id", "birth_date", "payment_id", "full_name"]),
    max_size=4,
)


@given(st.lists(VALUES, min_size=1, max_size=4), st.data())
@settings(max_examples=300, deadline=None)
def test_values_of_several_episodes_are_found_together_as_each_ones_alone(
    several: list[dict[str, str]], data: st.DataObject
) -> None:
    """Of all that one automaton finds, what has an episode's value and kind, or is the app's, is what an automaton alone finds."""
    every = sorted({value for values in several for value in values}) or ["x"]
    parts = st.one_of(
        st.sampled_from(every), st.sampled_from(list(" 1a-_.,T$\u6e21")), st.text(max_size=3)
    )
    texts = data.draw(st.lists(st.lists(parts, max_size=6).map("".join), min_size=1, max_size=4))
    texts += [f"get{value.title()}Id" for value in every]
    folded = list(map(fold, texts))
    sets = list(map(searched, several))
    app, *sets = sets
    together = Matcher(*sets, everywhere=app).matches_of(folded, texts)
    for kinds in sets:
        alone = [
            [m for m in found if app.get(m.value) != m.kind]
            for found in Matcher(kinds).matches_of(folded, texts)
        ]
        own = [[m for m in found if m.local and kinds.get(m.value) == m.kind] for found in together]
        assert own == alone
    of_app = [[m for m in found if not m.local] for found in together]
    assert of_app == Matcher(everywhere=app).matches_of(folded, texts)


@given(st.lists(st.one_of(NAMES, PIECES, st.text(max_size=12)), min_size=1, max_size=6), NAMES)
@example(["A\x00"], "Aaaaa")
@settings(max_examples=200, deadline=None)
def test_one_walk_over_several_texts_finds_what_a_walk_over_each_does(
    texts: list[str], name: str
) -> None:
    """Joining texts neither makes a match across two of them nor hides one."""
    words = [fold_value(word) for text in (*texts, name) for word in (text, *text.split())]
    matcher = Matcher(searched(dict.fromkeys(words, "last_name")))
    several = [*texts, f"get{name}Id", f"{name}\x00{name}"]
    folded = list(map(fold, several))
    alone = [matcher.matches(*one) for one in zip(folded, several, strict=True)]
    assert matcher.matches_of(folded, several) == alone


@given(st.lists(st.text("ab1_.- Z", max_size=9), max_size=6).map("".join))
@settings(max_examples=400, deadline=None)
def test_ids_made_of_names_are_found_as_the_whole_pattern_finds_them(text: str) -> None:
    """Trying the pattern only at its core finds what trying it everywhere does, but for acronyms with a version (`CRISPR-Cas9`)."""
    everywhere = [(one[0], one[1], one[3]) for one in NAMED_ID.finditer(text)]
    acronyms = {
        one for one in everywhere if len(one[1]) > 2 and one[1].isupper() and not one[2].isupper()
    }
    assert list(named_ids_in(text)) == [one for one in everywhere if one not in acronyms]


WINDOW = re.compile(
    r"(?<!\S)(?:[A-Z]{1,3}-[A-Z]{1,2} )?[^\s\d]*+\d\S*+(?: [^\s\d]*+\d\S*+)*(?: [A-Z]{3}(?!\w))?"
)


@given(st.lists(st.one_of(PIECES, st.text("AB12-. \n\xa0é²", max_size=9)), max_size=6).map("".join))
@settings(max_examples=400, deadline=None)
def test_words_with_digits_are_found_as_one_pattern_finds_them(text: str) -> None:
    """Jumping to the next digit finds the words that the pattern finds at every word, but for those too short for an id."""
    windows = [window[0] for window in WINDOW.finditer(text)]
    assert list(windows_of(text)) == [one for one in windows if re.search(r"\d..", one, re.DOTALL)]
