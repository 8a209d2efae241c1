"""People called by their name, remarks with commas in tables, and texts with a long number each."""

from __future__ import annotations

import pytest

from ingest.records.episode import Episode
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.decisions.field_forms import are_numbered
from redact.names.unknown_names import unknown_runs
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.readers.tables import records_in
from tests.unit.raw_conversations import SECRET, calls, episode, says


def past(raw: list[Episode]) -> list[str]:
    """The texts of each conversation past the gate."""
    learnt = learn(raw, (), policy=Policy())
    done = scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=Policy())
    return [" ".join(str(step.content) for step in one.clean.steps) for one in done]


@pytest.mark.parametrize("name", ["Martin Bergström", "Victor Chambers", "Frank Oyelaran"])
def test_a_first_name_that_is_also_a_word_goes_where_its_owner_is_called_by_it(name: str) -> None:
    """A word of a full name is learnt as a surname, whichever of them it is."""
    steps = [
        says("user", "It is slow."),
        *calls("find_person", {"key": "7"}, f'{{"full_name": "{name}", "state": "open"}}'),
        says("assistant", f"Is it better now, {name.split(maxsplit=1)[0]}?"),
    ]
    assert name.split(maxsplit=1)[0] not in past([episode("one", *steps)])[0]


@pytest.mark.parametrize("sign", ["'", "\u2019"])
def test_what_somebody_has_is_theirs_under_either_sign(sign: str) -> None:
    """A name that is also a word, with a capital inside a sentence, before a straight sign and a curly one."""
    people = calls("find_person", {"key": "7"}, '{"first_name": "Rose", "last_name": "Oyelaran"}')
    steps = [*people, says("user", f"Please open the file of Rose{sign}s account.")]
    assert "Rose" not in past([episode("one", *steps)])[0]


@pytest.mark.parametrize(
    "text",
    [
        "Hi, Oluwaremi here. The door is stuck.",
        "This is Oluwaremi. Visit me.",
        "Anything else, Oluwaremi?",
    ],
)
def test_a_name_of_no_list_is_one_where_somebody_is_called_so(text: str) -> None:
    """A sentence may end behind it, and the next begin with a capital."""
    runs = [text[text.index("Oluwaremi") :].split(" ", maxsplit=1)[0]]
    runs = ["Oluwaremi. Visit"] if "Visit" in text else [runs[0].rstrip("?")]
    assert "Oluwaremi" in unknown_runs(text, runs, alone=True)


def test_a_word_that_begins_a_sentence_or_stands_in_a_list_is_no_name() -> None:
    """`Visit` begins a sentence, `Zorbing` is one of several things."""
    assert not unknown_runs("Done. Visit", ["Visit"], alone=True)
    assert not unknown_runs("We have Rafting, Zorbing and more", ["Zorbing"], alone=True)


def test_commas_in_the_last_column_of_a_table_are_part_of_it() -> None:
    """Nobody puts a remark in quotes."""
    table = "no,person,team,remark\n7,Ilvy Kettunen,Sales,Good, but slow\n8,Ruska Ybarra,Sales,Fine"
    assert records_in(table) == [
        {"no": "7", "person": "Ilvy Kettunen", "team": "Sales", "remark": "Good, but slow"},
        {"no": "8", "person": "Ruska Ybarra", "team": "Sales", "remark": "Fine"},
    ]


def test_texts_with_a_long_number_each_are_no_addresses() -> None:
    """What a bill is for, with the line it is for; addresses have short numbers."""
    lines = [f"{what} - Line 555-{n:03}-20{n:02}" for n in range(9) for what in ("Basic", "Extra")]
    assert are_numbered(lines)
    assert not are_numbered([f"{n} Maple Avenue" for n in range(10, 30)])
    assert not are_numbered([f"Flat of {n}, line 555-010-20{n}" for n in "abcdef"])


def test_bills_keep_what_they_are_for() -> None:
    """The number goes, the words of the product stay."""
    raw = []
    for n in range(16):
        bill = f'{{"owner_email": "p{n}.ilvy@post.example", "rows": [{{"what": "Garden Plan - Line 555-3{n:02}-71{n:02}"}}]}}'
        steps = [
            says("user", f"My bill, line 555-3{n:02}-71{n:02}."),
            *calls("bill_of", {"n": f"{n}"}, bill),
        ]
        raw.append(episode(f"b{n}", *steps))
    for n, text in enumerate(past(raw)):
        assert "Garden Plan - Line" in text
        assert f"555-3{n:02}-71{n:02}" not in text
