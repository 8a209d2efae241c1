"""Apps no list was made for: keys outside the lexicon, scripts without spaces, people named in prose results only."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.redaction.quality import measure
from benchmarks.redaction.recordings import parsed, recorded
from benchmarks.redaction.sets import of_app
from benchmarks.testbeds.people.apps import APPS
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.decisions.judgement import judge
from redact.operators.surrogates import surrogate
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.readers.tables import records_in
from redact.values.forms import shape_of
from redact.values.permutations import KeyedDigest
from redact.values.scripts import is_unspaced, without_gaps
from redact.values.shapes import is_street
from tests.leak_hits import leaks_in
from tests.unit.raw_conversations import SECRET, calls, episode, says

RECORD = {"full_name": "高橋 美咲", "email": "m@mail.example", "phone": "090-5551-2213"}


def past(*said: str) -> list[str]:
    """Messages past the gate, after a tool returned the record."""
    steps = calls("look_up", {"q": 1}, RECORD)
    raw = episode("one", *steps, *(says("user", text) for text in said))
    learnt = learn([raw], (), policy=Policy())
    done = next(scrub([raw], learnt=learnt, vault=Vault(None, SECRET), policy=Policy()))
    return [step.content or "" for step in done.clean.steps if step.role == "user"]


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("episodes", [1, 4, 30])
def test_no_direct_identifier_is_left_in_an_app_that_nobody_foresaw(
    app: str, episodes: int
) -> None:
    """Surrogated or withheld, never left; the independent check finds nothing either."""
    found = measure(of_app(app, episodes, 11, third=False), known=True)
    assert found.counts["people"] >= 5 * episodes
    assert found.counts["left"] == 0, found.left
    assert found.counts["hits"] == 0


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("高橋 美咲です。", "美咲"),
        ("高橋美咲様、", "高橋"),
        ("担当は高橋さん", "高橋"),
        ("電話は090-5551-2213です", "5551"),
    ],
)
def test_a_name_among_letters_without_spaces_is_removed(said: str, name: str) -> None:
    """Nothing shows where a word ends there; the letters around it stay."""
    (after,) = past(said)
    assert name not in after
    assert after[-1] == said[-1]


def test_a_latin_name_still_ends_where_its_word_does() -> None:
    """Scripts with spaces are as before: no name is taken out of a longer word."""
    (after,) = past("the 090-5551-22134 of someone, x, 090-5551-2213")
    longer, alone = after.removeprefix("the ").split(" of someone, x, ")
    assert not longer.startswith(alone)


@pytest.mark.parametrize("left", ["高橋 美咲です", "高橋美咲様", "電話は090-5551-2213です"])
def test_the_leak_check_sees_names_among_letters_without_spaces(left: str) -> None:
    """The independent path takes each such letter for a word."""
    learnt = learn([episode("one", *calls("look_up", {"q": 1}, RECORD))], (), policy=Policy())
    assert leaks_in([("t", left)], learnt=learnt)
    assert leaks_in([("t", "高い橋の美しい花")], learnt=learnt) == []


def test_who_is_unspaced() -> None:
    """Han, Kana, Hangul, Thai; not Latin, Cyrillic, Arabic or Hebrew."""
    assert all(map(is_unspaced, "高たカ한ไ"))
    assert not any(map(is_unspaced, "aéжعא1 -"))
    assert without_gaps("高橋 美咲") == "高橋美咲"
    assert without_gaps("Anna 高橋") is None


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("090-5551-2213", "phone"),
        ("06.12.34.56.78", "phone"),
        ("+81 3 1234 5678", "phone"),
        ("(0341) 555 0192", "phone"),
        ("01.02.2024", "moment"),
        ("2024-05-15", "moment"),
        ("0.12345678", "number"),
        ("48,213.50", "number"),
    ],
)
def test_shapes_of_grouped_digits(value: str, shape: str) -> None:
    """A phone number under a key nobody knows is not a quantity, and a day is no phone number."""
    assert shape_of(value) == shape


def test_east_asian_address_lines() -> None:
    """Two different endings of address parts and a number; a shop's district alone is none."""
    assert is_street("東京都港区芝3-12-5")
    assert is_street("上海市南京路100号")
    assert not is_street("銀座店 2024")


def test_what_stands_beside_a_name_is_personal_without_a_known_key() -> None:
    """A record that shows who it is about by its values only hides the rest of it as well."""
    people = ("Anna Meier", "Jonas Weber", "Petra Vogel", "Marta Lang", "Otto Kraus", "Lena Beck")
    raw = [
        episode(str(n), *calls("q", {"i": n}, {"ab": {"xx": name, "yy": f"Wert {name[::-1]}"}}))
        for n, name in enumerate(people)
    ]
    app = learn(raw, (), policy=Policy()).app("app")
    verdicts = {key.split("|")[3]: one.action for key, one in judge(app, k=5).verdicts.items()}
    assert verdicts["q.ab.xx"] == "full_name"
    assert verdicts["q.ab.yy"] == "withhold"


def test_a_catalogue_of_authors_makes_nobodys_record_of_its_books() -> None:
    """A list that shows many names to each reader is not about them."""
    shelf = [
        {"by": name, "copies": n, "kind": "novel of the sea and the shore"}
        for n, name in enumerate(("Anna Meier", "Jonas Weber", "Petra Vogel", "Marta Lang"))
    ]
    raw = [episode(str(n), *calls("shelf", {"i": n}, {"books": shelf})) for n in range(2)]
    app = learn(raw, (), policy=Policy()).app("app")
    verdicts = {key.split("|")[3] for key in judge(app, k=5).verdicts}
    assert "shelf.books.kind" not in verdicts


def test_a_result_that_is_prose_is_read_for_names() -> None:
    """A log line without any structure names people as a message does."""
    log = "Called back at noon. My wife Marta Lindqvist will open the door for the courier."
    raw = episode("one", *calls("log", {"q": 1}, log))
    learnt = learn([raw], (), policy=Policy())
    done = next(scrub([raw], learnt=learnt, vault=Vault(None, SECRET), policy=Policy()))
    shown = json.dumps([step.content for step in done.clean.steps])
    assert "Lindqvist" not in shown
    assert "will open the door" in shown


@given(ids=st.sets(st.text("王李明A9-é", min_size=2, max_size=6), min_size=2, max_size=8))
@pytest.mark.parametrize("family", ["opaque", "identifier"])
def test_opaque_surrogates_of_other_letters_never_stay_and_never_meet(
    family: str, ids: set[str]
) -> None:
    """A name that was judged an identifier for the values beside it: no Han letter has a permutation, and none stays."""
    moved = {one: surrogate(KeyedDigest(b"k"), family, one) for one in ids}
    assert len(set(moved.values())) == len(ids)
    assert not [one for one, other in moved.items() if set("王李明") & set(one) & set(other)]


@pytest.mark.parametrize("app", ["screen", "segments", "printed"])
def test_the_words_of_a_form_that_nothing_parses_stay(app: str) -> None:
    """States, amounts and units are as before, once many people were seen, and no value reads unlike in two conversations."""
    told = of_app(app, 40, 12, third=False)
    found = measure(told, known=True)
    assert found.counts["left"] == 0, found.left
    assert not found.changed
    assert found.counts["withheld"] == 0
    raw = [one.episode for one in told]
    learnt = learn(raw, (), policy=Policy())
    done = scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=Policy())
    images: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for before, item in zip(raw, done, strict=True):
        for one, two in zip(recorded(before), recorded(item.clean), strict=True):
            for left, right in zip(one[1:], two[1:], strict=True):
                for place, value, other in places(left, right, one[0]):
                    images[place, value].add(other)
    assert not Counter(place for (place, _), read in images.items() if len(read) > 1)


def places(one: object, two: object, at: str) -> Iterator[tuple[str, str, str]]:
    """Place, value and what it became, for every text of a call or result; JSON inside texts is opened."""
    if isinstance(one, str):
        inner = parsed(one)
        if isinstance(inner, dict | list):
            yield from places(inner, parsed(str(two)), at)
        elif "\n" in one:
            yield from places(records_in(one), records_in(str(two)), at)
        else:
            yield at, one, str(two)
    elif isinstance(one, dict) and isinstance(two, dict):
        for (name, left), right in zip(one.items(), two.values(), strict=False):
            yield from places(left, right, f"{at}.{name}")
    elif isinstance(one, list) and isinstance(two, list):
        for left, right in zip(one, two, strict=False):
            yield from places(left, right, at)


@pytest.mark.parametrize(
    ("value", "street"),
    [
        ("PL587A", False),
        ("ST-10023", False),
        ("dr_100234", False),
        ("WEG-1001", False),
        ("Ringweg12", True),
        ("12 Pl. Neuve", True),
        ("54,Main,St", True),
    ],
)
def test_numbers_with_letters_in_front_are_no_streets(value: str, *, street: bool) -> None:
    """A short word for a street stands apart from its number; one that ends a street's name need not."""
    assert is_street(value) is street
