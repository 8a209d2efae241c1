"""Values in results that are no records: tables in text, rows of labels and values, keys that are words, ids in sentences."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redact.apply.context import vocabulary_of
from redact.apply.learn import learn
from redact.decisions.judgement import judge
from redact.decisions.verdicts import NAME, PHONE
from redact.lists.lexicon import load_lexicon
from redact.policy import Policy
from redact.readers.labelled_rows import read_labelled_rows
from redact.readers.tables import is_label, records_in
from redact.values.dates import read_date
from redact.values.forms import shape_of
from redact.values.free_ids import is_free_id
from tests.unit.raw_conversations import calls, episode, says, texts_past_the_gate

PEOPLE = ("Anna Meier", "Jonas Weber", "Petra Vogel", "Marta Lang", "Otto Kraus", "Lena Beck")


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("id,who,born\n7,Anna,1980\n8,Otto,1981", {"id": "7", "who": "Anna", "born": "1980"}),
        ('a,b,c\n1,"x, y",3', {"a": "1", "b": "x, y", "c": "3"}),
        ("id\twho\n7\tAnna", {"id": "7", "who": "Anna"}),
        (
            "Here it is:\n| Unit | Who |\n|---|:--|\n| A-1 | **Anna** |\n\nbye",
            {"Unit": "A-1", "Who": "Anna"},
        ),
        ("- **Name:** Anna\n- Cell: 555", {"Name": ["Anna"], "Cell": ["555"]}),
        (
            '<c><who born="1980">Anna</who><cell>555</cell><b>x</b></c>',
            {"who": ["Anna"], "cell": ["555"], "born": ["1980"]},
        ),
        (
            "<table><tr><th>Who</th><th>Cell</th></tr><tr><td>Anna</td><td>555</td></tr></table>",
            {"Who": "Anna", "Cell": "555"},
        ),
        ("no\tfield\tvalue\n1\tWho\tAnna\n2\tCell\t555", {"Who": "Anna"}),
        ("क्रम\tविवरण\tमान\n१\tनाम\tदेव\n२\tफ़ोन\t555", {"नाम": "देव"}),
        (
            "<dl><dt>Who:</dt><dd>Anna</dd><dt>Cell</dt><dd>555</dd></dl>",
            {"Who": ["Anna"], "Cell": ["555"]},
        ),
        ("Name: Anna; Cell: 555", {"Name": ["Anna"], "Cell": ["555"]}),
    ],
)
def test_records_of_plain_text(text: str, first: dict[str, object]) -> None:
    """Headings and labels are keys."""
    assert records_in(text)[0] == first


@pytest.mark.parametrize(
    "text",
    [
        "Thanks, Anna\nBest, Otto",
        "one line only, with a comma, or two",
        "1,2,3\n4,5,6",
        "a,b,c\n1,2",
        "Note: nothing else\nhere",
        "<p>Dear <b>Anna</b>, we wrote <br/> twice</p>",
        "",
    ],
)
def test_prose_is_no_table(text: str) -> None:
    """Lines of unequal cells, headings that are data, one label alone."""
    assert records_in(text) == []


@given(st.text('a,;|\t\n:- *1"', max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    """No text raises, and what is found is objects with labels for keys."""
    for record in records_in(text):
        assert isinstance(record, dict)
        assert all(map(is_label, record))


@pytest.mark.parametrize(
    ("rows", "record"),
    [
        ([{"label": "Nome", "value": "x"}], {"Nome": ["x"]}),
        ([{"wert": 3, "feld": "Amt"}], {"Amt": [3]}),
        ([{"a": "E-Mail", "b": "x"}, {"a": "Amt", "b": "y"}], {"E-Mail": ["x"], "Amt": ["y"]}),
        (
            [["who", "Xu Qi"], ["doc", "E1234567"], ["class", "first"]],
            {"who": ["Xu Qi"], "doc": ["E1234567"], "class": ["first"]},
        ),
        ([{"name": "red mug", "price": "3"}, {"name": "blue mug", "price": "4"}], None),
        ([{"name": "Anna Meier", "value": "9"}, {"name": "Jonas Weber", "value": "8"}], None),
        ([["Anna", "Meier"], ["Jonas", "Weber"]], None),
        ([{"label": "Nome", "value": "x"}, {"label": "Amt"}], None),
        ([], None),
    ],
)
def test_rows_of_labels_and_values(
    rows: list[object], record: dict[str, list[object]] | None
) -> None:
    """Known by their two keys, by a label of the lexicon, or by values too unlike for a column; a catalogue is none."""
    assert read_labelled_rows(rows, load_lexicon()) == record


def test_each_row_is_judged_by_its_label() -> None:
    """The name and the number go, the post that many share stays."""
    raw = [
        episode(
            str(n),
            *calls(
                "sheet",
                {"i": n},
                [
                    {"label": "Xa", "value": name},
                    {"label": "Xb", "value": f"48{n}5550{n}31"},
                    {"label": "Xc", "value": ("clerk", "cook")[n % 2]},
                ],
            ),
        )
        for n, name in enumerate(PEOPLE)
    ]
    for number, text in enumerate(texts_past_the_gate(raw)):
        assert PEOPLE[number] not in text
        assert f"48{number}5550{number}31" not in text
        assert ("clerk", "cook")[number % 2] in text


def test_a_person_s_word_is_a_key_where_it_asks_for_her_record() -> None:
    """Short user names go wherever their episode says them; what is asked of no record stays."""
    words = ("luz", "brisa", "zeca", "pipa", "jota", "lobo")
    raw = [
        episode(
            str(n),
            *calls("sheet", {"q": word}, {"q": word, "email": f"p{n}@mail.example", "s": "on"}),
            *calls("colours", {"q": ("teal", "plum")[n % 2]}, {"stock": n}),
            says("user", f"I am {word} here"),
        )
        for n, word in enumerate(words)
    ]
    for number, text in enumerate(texts_past_the_gate(raw)):
        assert words[number] not in text.split()
        assert f'"{words[number]}"' not in text
        assert ("teal", "plum")[number % 2] in text


def test_an_identifier_in_a_sentence_is_replaced() -> None:
    """No key says what the numbers are, and each is another's; the year that all share stays."""
    raw = [
        episode(
            str(n),
            *calls("card", {"i": n}, f"Let since 2019 under LS-45{n}21{n}; call 0644{n}5550{n}."),
        )
        for n in range(6)
    ]
    for number, text in enumerate(texts_past_the_gate(raw)):
        assert "Let since 2019 under " in text
        assert f"0644{number}5550{number}" not in text
        assert f"LS-45{number}21{number}" not in text
        assert f"0644{number}5550{number}" not in text
        assert "since 2019" in text


def test_a_number_of_somebody_who_comes_back_is_no_catalogue_s() -> None:
    """Each phone number under two requests; only k of them make it nobody's."""
    raw = [
        episode(
            str(n), *calls("f", {"i": n}, {"zq": PEOPLE[n // 2], "zr": f"+49 341 555{n // 2}88"})
        )
        for n in range(12)
    ]
    verdicts = judge(learn(raw, (), policy=Policy()).app("app"), k=5).verdicts
    assert {key.rpartition(".")[2]: one.action for key, one in verdicts.items()} == {
        "zq": NAME,
        "zr": PHONE,
    }


def test_a_name_that_many_bear_is_no_public_word() -> None:
    """Six customers are called Anna Meier: each of them still is."""
    raw = [
        episode(
            str(n),
            *calls(
                "f",
                {"i": n},
                {"zq": "Anna Meier" if n < 6 else PEOPLE[n - 6], "email": f"a{n}@x.example"},
            ),
        )
        for n in range(12)
    ]
    app = learn(raw, (), policy=Policy()).app("app")
    public = vocabulary_of(app, k=5, words=(), judgement=judge(app, k=5))
    assert not public.holds("Anna")
    assert not public.holds("Anna Meier")


@pytest.mark.parametrize(
    "value", ["4 de março de 1981", "March 4, 1981", "4. Mai 1981", "4 juin 1981", "4 мая 1981"]
)
def test_a_day_written_out_is_a_moment(value: str) -> None:
    """In every language whose months are known."""
    day = read_date(value)
    assert day is not None
    assert (day.year, day.day) == (1981, 4)
    assert shape_of(value) == "moment"


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        (("Jack Russell", "Border Collie", "Shire Horse"), True),
        (("Anna Meier", "Jonas Weber"), False),
    ],
)
def test_choices_that_all_share_are_names_only_if_each_is(
    values: tuple[str, ...], kept: bool
) -> None:
    """Some breeds are called as people are; a team's doctors all are."""
    raw = [
        episode(
            str(n),
            *calls("f", {"i": n}, {"zq": values[n % len(values)], "email": f"a{n}@x.example"}),
        )
        for n in range(18)
    ]
    verdicts = judge(learn(raw, (), policy=Policy()).app("app"), k=5).verdicts
    assert [one.action for one in verdicts.values()] == ([] if kept else [NAME])


def test_settings_under_a_key_are_read_by_their_fields_and_not_withheld() -> None:
    """A text that opens with a bracket and is no JSON has fields: two answers about one person stay two answers."""
    rooms = ("Sala Roja", "Pista 2")
    raw = [
        episode(
            f"{place} {room}",
            *calls(
                "read_file",
                {"n": place},
                {
                    "files": [
                        f'[[slot]]\nroom = "{room}"\nwho = "{name}"\nacct = "{name[0]}K 44{place} 3318"\n'
                    ]
                },
            ),
        )
        for place, name in enumerate(PEOPLE)
        for room in rooms
    ]
    done = texts_past_the_gate(raw)
    assert not any("withheld" in text for text in done)
    assert len(set(done)) == len(raw)
    assert not any(name in text for text in done for name in PEOPLE)


@pytest.mark.parametrize(
    ("token", "expected"),
    [("1000-piece", False), ("2500-gallon", False), ("4821-anna", True), ("4821-BX", True)],
)
def test_a_number_and_what_it_counts_is_no_identifier(token: str, expected: bool) -> None:
    """A puzzle of a thousand pieces is not an account; a number before a name may be one."""
    assert is_free_id(token) is expected


KANA = (
    "サトウ ミサキ",
    "ワタナベ レン",
    "ナカムラ ヒナ",
    "ヤマグチ ユウマ",
    "サイトウ ユイ",
    "ハセガワ アオイ",
)
HAN = ("佐藤 美咲", "渡辺 大翔", "中村 陽菜", "山口 悠真", "斎藤 結衣", "長谷川 葵衣")
HINDI = ("अनन्या देशपांडे", "देवेंद्र चतुर्वेदी", "सुमित्रा शेखावत", "कैलाश नंबियार", "ईशानी जोगळेकर", "रघु पाटणकर")
ARABIC = (
    "ليلى الحربي",
    "يوسف المنصوري",
    "نورة الزهراني",
    "طارق القحطاني",
    "هند البلوي",
    "سلمان العتيبي",
)


@pytest.mark.parametrize(
    ("form", "names"),
    [
        ('member {{\n  who {{ sei: "{first}" mei: "{last}" }}\n  kind: "定期券"\n}}', HAN),
        ('member {{ full: "{name}" }}', KANA),
        ("<section><h3>{name}</h3><ul><li>مكتمل</ul></section>", ARABIC),
        ("<dl><dt>الاسم</dt><dd>{name}</dd><dt>الحالة</dt><dd>مكتمل</dd></dl>", ARABIC),
        ('[["नाम", "{name}"], ["वाहन", "UP{number}CY4695"]]', HINDI),
        ("क्रम\tविवरण\tमान\n१\tनाम\t{name}\n२\tफ़ोन\t98{number}26945", HINDI),
    ],
)
def test_names_in_scripts_without_capitals_go_from_text_of_any_form(
    form: str, names: tuple[str, ...]
) -> None:
    """What stands beside names, under a mark of layout or by a label with vowel signs is judged as elsewhere."""
    raw = [
        episode(
            str(place),
            *calls(
                "look_up",
                {"n": place},
                form.format(
                    name=name, first=name.split()[0], last=name.split()[1], number=10 + place
                ),
            ),
        )
        for place, name in enumerate(names)
    ]
    done = "\n".join(texts_past_the_gate(raw))
    assert [word for name in names for word in name.split() if word in done] == []
    assert "UP1" not in done
