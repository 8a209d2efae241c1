"""Results written as YAML's blocks: read as JSON is, with the letters that YAML escapes and the lines it breaks."""

from __future__ import annotations

import json
import random

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ingest.records.episode import Episode
from redact.apply.learn import learn
from redact.apply.scrub import scrub
from redact.audit.spellings import plain_reading
from redact.fold import fold, fold_value
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.readers.yaml_blocks import block_in
from tests.leak_hits import leaks_in
from tests.unit.raw_conversations import SECRET, calls, episode, says

FIRST = ("Inés", "Søren", "Halcyon", "Maëlle", "Özge", "Ferrand", "Ruska", "Ilvy")
LAST = ("Quiroga", "Åkesson", "Wiśniewska", "Dravenport", "Ostrander", "Ybarra", "Kettunen")
_WORDS = st.text(alphabet="abcé:#'\"\\-\n ", max_size=90)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | _WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.from_regex(r"\A[a-z]{1,6}\Z"), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(_VALUES)
def test_what_is_read_is_what_was_written(value: object) -> None:
    """A block is read as the values it was written from, or not at all."""
    read = block_in(yaml.safe_dump(value))
    assert read is None or read == value


def test_blocks_of_records_are_read_whole() -> None:
    """Objects in lists, texts over several lines, and both kinds of quotes."""
    value = [
        {"to": ["ana@post.example"], "body": "Hi Inés,\n\nsee: you!\n", "read": True, "cc": []},
        {"to": [], "body": "it's " + "long " * 40, "read": False, "size": 3},
    ]
    assert block_in(yaml.safe_dump(value)) == value


@pytest.mark.parametrize(
    "text",
    [
        "Name: Ana\nAge: 3",
        "Dear Ana,\n- bread: two\nand milk",
        '{"a":\n- 1}',
        "a: 1\n- b: 2\n",
        "a: *b\nc:\n- d\n",
        "a: 1\na: 2\nb:\n- c\n",
        "a:\n- &b 1\n- *b\n",
        "a:\n- !!python/object:os.system c\n",
        "a:\n- \ud800\n",
        "".join(f"{' ' * at}- b:\n" for at in range(500)),
    ],
)
def test_what_is_no_block_of_yaml_is_left(text: str) -> None:
    """Labelled lines, letters, JSON and broken blocks are read by others."""
    assert block_in(text) is None


@pytest.mark.parametrize(
    "written", [r"In\xE9s", r"In\xe9s", r"In\xc3\xa9s", r"In\\xE9s", r"In\U000000E9s"]
)
def test_letters_in_hexadecimal_are_the_letters(written: str) -> None:
    """Both readings, the gate's and the check's, see the name; its place in the text is kept."""
    assert fold_value(written) == "ines"
    assert fold(f"a {written} b").span(2, 6) == (2, 2 + len(written))
    if "U" not in written:
        assert "ines" in plain_reading(written)


def test_a_word_that_yaml_breaks_is_whole() -> None:
    """Behind an escaped letter a line may end within a word, and between two words a gap is written."""
    broken = 'a "S\\xF8\\\n    ren\\\n    \\ Ybarra" b'
    assert fold(broken).text == 'a "soren ybarra" b'
    start = fold(broken).text.index("soren")
    assert fold(broken).span(start, start + 12) == (3, broken.index('" b'))
    assert "soren ybarra" in plain_reading(broken)


def inboxes(count: int = 24) -> list[Episode]:
    """Conversations about inboxes whose tools answer in YAML; every person of another inbox is another."""
    made = []
    for number in range(count):
        draw = random.Random(number)  # noqa: S311 - invented data
        people = [f"{draw.choice(FIRST)} {last}" for last in draw.sample(LAST, 3)]
        rows: list[dict[str, object]] = [
            {
                "body": f"Hi {people[0].split()[0]},\n\nthe file of {people[2]} is: late.\n\nBest,\n{one.split()[0]}",
                "labels": [],
                "sender": one,
                "status": draw.choice(("received", "sent")),
                "subject": "Roof repairs",
            }
            for one in people[1:]
        ]
        steps = [
            says("user", f"I am {people[0]}. What is new?"),
            *calls("look_through", {"words": "roof"}, yaml.safe_dump(rows)),
            says("assistant", f"There are two mails. Is that all, {people[0].split()[0]}?"),
        ]
        made.append(episode(f"y{number}", *steps))
    return made


def test_people_in_yaml_go_and_words_of_the_product_stay() -> None:
    """Names escaped by the writer, in bodies and lists, are gone; statuses and subjects are as they were."""
    raw = inboxes()
    learnt = learn(raw, (), policy=Policy())
    done = list(scrub(raw, learnt=learnt, vault=Vault(None, SECRET), policy=Policy()))
    for before, after in zip(raw, done, strict=True):
        rows = yaml.safe_load(next(s.content or "" for s in before.steps if s.role == "tool"))
        clean = yaml.safe_load(next(s.content or "" for s in after.clean.steps if s.role == "tool"))
        said = " ".join(str(step.content) for step in after.clean.steps)
        for one, other in zip(rows, clean, strict=True):
            assert one["status"] == other["status"]
            assert one["subject"] == other["subject"]
            assert one["sender"] != other["sender"]
            for word in str(one["sender"]).split():
                assert word not in json.dumps(other, ensure_ascii=False) + said
    texts = [step.content or "" for item in done for step in item.clean.steps]
    assert not leaks_in([(str(n), text) for n, text in enumerate(texts)], learnt=learnt)
