"""Forms in which apps answer that no rule was made for: tables in JSON, tags, documents in base64, names on other keyboards."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.records.episode import Episode
from redact.apply.learn import learn
from redact.apply.scrub import Scrubbed, scrub
from redact.names.other_keyboards import typed_otherwise
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.readers.json_tables import described_rows, plain_rows
from redact.values.value_sets import are_amounts, are_names
from tests.unit.raw_conversations import SECRET, calls, episode, says

PEOPLE = ("Anna Meier", "Jonas Weber", "Petra Vogel", "Marta Lang", "Otto Kraus", "Lena Beck")


def past(raw: list[Episode]) -> list[Scrubbed]:
    """The episodes past the gate."""
    learnt = learn(raw, (), policy=Policy())
    return list(scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=Policy()))


def text_of(done: Scrubbed) -> str:
    """All texts of an episode as one."""
    return "\n".join(
        part
        for step in done.clean.steps
        for part in (step.content or "", *(call.arguments for call in step.tool_calls))
    )


@pytest.mark.parametrize(
    ("rows", "beside", "first"),
    [
        ([["7", "Anna"]], {"columns": ["id", "who"]}, {"id": "7", "who": "Anna"}),
        ([["7", 3]], {"schema": {"fields": [{"name": "id"}, {"name": "n"}]}}, {"id": "7", "n": 3}),
        ([["7", "Anna"]], {"columns": ["id"]}, None),
        ([["7", {"a": 1}]], {"columns": ["id", "who"]}, None),
        ([["7", "x"], ["8"]], {"columns": ["id", "who"]}, None),
    ],
)
def test_rows_are_read_by_the_columns_beside_them(
    rows: list[object], beside: dict[object, object], first: dict[str, object] | None
) -> None:
    """A list of as many labels as a row has cells says what the columns are called."""
    found = described_rows(rows, beside)
    assert (found[0] if found else None) == first


def test_rows_are_read_by_their_first_row_else_by_place() -> None:
    """Headings are labels that name nobody above cells that are no labels; without them a column is a place."""
    assert plain_rows([["id", "who"], ["7", "Anna"]]) == [{"id": "7", "who": "Anna"}]
    assert plain_rows([["Anna", "gold"], ["Otto", "7"]]) == [
        {"~0": "Anna", "~1": "gold"},
        {"~0": "Otto", "~1": "7"},
    ]


def test_columns_of_a_query_are_judged_apart() -> None:
    """Names and numbers of one column go, the states and courses of the others stay."""
    raw = []
    for number in range(30):
        rows = [[f"20{number:02}53{number:02}1", PEOPLE[number % 6], ("open", "shut")[number % 2]]]
        answer = json.dumps({"columns": ["sid", "wer", "stand"], "rows": rows})
        raw.append(episode(f"e{number}", says("user", "?"), *calls("sql", {}, answer)))
    for number, done in enumerate(past(raw)):
        assert PEOPLE[number % 6] not in text_of(done)
        assert f'"{("open", "shut")[number % 2]}"' in text_of(done)
        assert not done.held


def test_a_table_of_labels_and_values_is_a_record() -> None:
    """A Markdown table of two columns is judged by its labels and withholds nothing."""
    raw = [
        episode(
            f"e{number}",
            *calls("get", {}, f"| Field | Value |\n|---|---|\n| Client | {name} |\n| Type | Probate |\n| Phone | +44 20 7946 0{number:03} |"),
        )
        for number, name in enumerate(PEOPLE)
    ]  # fmt: skip
    for name, done in zip(PEOPLE, past(raw), strict=True):
        assert name not in text_of(done)
        assert "Probate" in text_of(done)
        assert not done.held


def test_tags_and_documents_in_base64_withhold_nothing() -> None:
    """A quoted tag becomes another one, and base64 that holds a record is scrubbed inside and stays base64."""
    raw = []
    for number, name in enumerate(PEOPLE):
        blob = base64.b64encode(json.dumps({"customer_name": name, "n": number}).encode()).decode()
        answer = {"etag": f'"5f2a{number:012x}"', "customer_name": name, "blob": blob}
        raw.append(episode(f"e{number}", *calls("get", {}, json.dumps(answer))))
    for number, (name, done) in enumerate(zip(PEOPLE, past(raw), strict=True)):
        answer = json.loads(done.clean.steps[-1].content or "")
        assert not done.held
        assert answer["etag"] != f'"5f2a{number:012x}"'
        assert answer["etag"].startswith('"')
        assert json.loads(base64.b64decode(answer["blob"]))["n"] == number
        assert name not in base64.b64decode(answer["blob"]).decode()


@pytest.mark.parametrize(
    ("name", "typed"),
    [("Jürgen Müller", "Juergen Mueller"), ("Mueller", "Müller"), ("Sørensen", "Soerensen")],
)
def test_a_name_is_found_as_another_keyboard_types_it(name: str, typed: str) -> None:
    """`ue` for `ü` is the same name, in either direction."""
    assert typed in typed_otherwise(name)
    answer = json.dumps({"customer_name": f"Anna {name}"})
    raw = [episode("e", *calls("get", {}, answer), says("user", f"Anna {typed} here, {typed}!"))]
    assert typed not in text_of(past(raw)[0])


@given(st.text(alphabet="Müller oea\u00e5SJ", max_size=20))
def test_other_spellings_are_never_the_name_itself(name: str) -> None:
    """A spelling that changes nothing is none."""
    assert name not in typed_otherwise(name)


def test_a_surname_that_k_customers_bear_is_no_word_of_the_app() -> None:
    """What a query asks for by name is each customer's own, however many are called so."""
    raw = [
        episode(
            f"e{number}",
            *calls("get", {"q": "SELECT x WHERE who LIKE '%Agaoglu%'"}, json.dumps({"full_name": f"Can{number:c} Agaoglu", "email": f"c{number}@x.example"})),
        )
        for number in range(97, 107)
    ]  # fmt: skip
    assert not any("Agaoglu" in text_of(done) for done in past(raw))


def test_names_in_chinese_letters_are_told_from_choices() -> None:
    """Surnames before ever other given names are people; levels and colours end alike, or are shared by k."""
    people = [
        "\u738b\u4f1f",
        "\u5f20\u5a1c",
        "\u674e\u82e5\u66e6",
        "\u6b27\u9633\u660e",
        "\u5218\u5fd7\u5f3a",
    ]
    assert are_names(people)
    assert not are_names(people, each=True)
    assert not are_names(["\u9ec4\u8272", "\u767d\u8272", "\u91d1\u8272", "\u53f2\u8272"])
    assert not are_names(["\u666e\u901a", "\u9ad8\u7ea7", "\u767d\u91d1", "\u94f6\u5361"])


@pytest.mark.parametrize(
    ("values", "counts"),
    [
        (["5700", "6500", "11200", "9900"], True),
        (["4312", "998", "15023", "871"], True),
        (["4312", "9981", "150", "8714"], True),
        (["4312", "9981", "1502", "8714"], False),
        (["0312", "9980", "150", "87140"], False),
        (["10115", "60310"], False),
    ],
)
def test_amounts_are_told_from_codes(values: list[str], counts: bool) -> None:
    """Round numbers and numbers of several lengths count something; a code has its length, or a zero before."""
    assert are_amounts(values) is counts


def test_a_name_beside_its_address_is_nothing_to_withhold() -> None:
    """`From: Name <address>` holds no word that is not replaced anyway."""
    raw = [
        episode(f"e{number}", *calls("get", {}, {"von": f"{name} <{name.replace(' ', '.').lower()}@x.example>", "n": number}))
        for number, name in enumerate(PEOPLE)
    ]  # fmt: skip
    for name, done in zip(PEOPLE, past(raw), strict=True):
        assert not done.held
        assert name not in text_of(done)
        assert "<" in text_of(done)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("85 The Old Rectory, Church Lane, OX13 3BJ", "85 the old rectory, church lane"),
        ("85 The Old Rectory, Church Lane, OX13 3BJ", "85 The Old Rectory"),
        ("12 Elm Road, Leeds, LS18 2BJ", "LS18 2BJ"),
    ],
)
def test_the_lines_of_an_address_are_each_hers(address: str, said: str) -> None:
    """What is said of an address is its beginning or its code."""
    raw = [episode("e", *calls("get", {}, {"address": address}), says("user", f"It is {said}."))]
    assert said not in text_of(past(raw)[0])


@pytest.mark.parametrize(
    "line",
    ["54 rue des Martyrs", "5 bis, rue de l'\u00c9glise", "Calle de la Cruz 7", "ul. D\u0142uga 12", "Via Roma, 5"],
)  # fmt: skip
def test_a_street_whose_kind_comes_first_is_a_street(line: str) -> None:
    """Romance and Polish addresses are found in a message by themselves."""
    assert line not in text_of(past([episode("e", says("user", f"Voil\u00e0: {line}."))])[0])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"link": "https://desk.example/sys_user/zpri34?x=1"}, "reset by zpri34"),
        ({"link": "/members/anna-7"}, "ask anna-7"),
        ({"polis": "525.294.957"}, "number 525294957"),
        ({"html": "<div><p>Getuige: Tjitske Zijlstra</p></div>"}, "Tjitske Zijlstra has seen it"),
        (
            {
                "html": "<table><tr><th>Soort</th><td>Brand</td></tr><tr><th>Naam</th><td>Wubbo Bos</td></tr></table><p>Getuige: Tjitske Zijlstra</p>"
            },
            "Tjitske Zijlstra",
        ),
    ],
)
def test_what_pages_and_dotted_numbers_show_is_somebodys(answer: object, said: str) -> None:
    """User names in addresses of pages, numbers in three groups of three, a label and a name in a paragraph."""
    raw = [episode("e", *calls("get", {}, answer), says("user", said))]
    assert said not in text_of(past(raw)[0])


def test_pages_of_an_app_are_nobodys() -> None:
    """Words and versions below such an address stay."""
    text = "see /users/settings, /u/v2 and /profiles/new"
    assert text_of(past([episode("e", says("user", text))])[0]) == text


def test_an_initial_before_an_ordinary_surname_is_a_person() -> None:
    """`G. Price` is Grace Price, and the price stays."""
    answer = {"customer_name": "Grace Price"}
    message = "the price for G. Price, please"
    raw = [episode("e", *calls("get", {}, answer), says("user", message))]
    past_it = text_of(past(raw)[0])
    assert "the price for" in past_it
    assert "G. Price" not in past_it


def test_a_heading_that_everybody_sees_is_no_name() -> None:
    """Where a text names people, the words of nearly all of its readers stay."""
    names = [f"{first} {last}" for first in ("Anna", "Otto", "Lena") for last in ("Trefusis", "Wraxall", "Nkemelu", "Swithinbank")]  # fmt: skip
    raw = [
        episode(f"e{number}", *calls("get", {}, f"### Attendance notes\n- Spoke to {name.split()[0]}; {name.split()[1]} denies it.\n"), *calls("who", {}, {"customer_name": name}))
        for number, name in enumerate(names)
    ]  # fmt: skip
    assert all("Attendance notes" in text_of(done) for done in past(raw))
