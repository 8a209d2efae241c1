"""Results that are records written as text for a language model: records like any other, given back byte for byte."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from itertools import product

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from benchmarks.testbeds.invented.backend import Style as Backend
from benchmarks.testbeds.invented.devices.campus_tasks import CAMPUS
from benchmarks.testbeds.invented.office.crm import CRM
from benchmarks.testbeds.invented.office.tickets import TICKETS
from benchmarks.testbeds.invented.text_forms import TEXTS
from benchmarks.testbeds.invented.trade.stays import STAYS
from benchmarks.testbeds.result_forms import WRITTEN
from benchmarks.worlds.enveloped import measure
from environments.runtime.document.codec import decode, encode
from environments.runtime.document.views import TextsPart
from environments.runtime.task.attempt import UNKNOWN, Json, ToolResult
from environments.runtime.text_forms.style import LINES, XML, YAML, Style
from environments.runtime.views.text_records import Texts, from_text, read, to_text, write
from environments.runtime.views.view import CallInFlight
from redact.records.clean_episode import CleanEpisode, CleanStep
from synth.world.observation import History, Observation
from synth.world.views.text_records import learn_texts
from tests.unit.clean_seasons import call_and_result, conversation, world_from

pytestmark = pytest.mark.usefixtures("certain")
"""What learnt behaviour says by itself, without answers that are recalled."""

SYMBOLS = ("ALFA", "BETA", "GAMA")
ORDER = {
    "id": 7,
    "open": True,
    "note": "it's: late",
    "items": [{"sku": "A-1", "qty": 2}],
    "tags": [],
    "paid": None,
}
YAML_STYLE = Style(form=YAML, end="\n", quoted=True)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)
STYLES = [
    YAML_STYLE,
    Style(form=LINES, items=2, words={"None": None, "True": True}, empty={"*": "[]"}),
    Style(form=XML, words={"": None, "true": True}, lists={"/": "item"}),
]


@given(VALUES, st.sampled_from(STYLES))
def test_what_is_read_is_written_again(value: Json, style: Style) -> None:
    """Whatever a style writes is read into JSON only where the same bytes come back."""
    text = write({"result": value}, style)
    if text is not None:
        assert to_text(from_text(text, style), style) == text


@given(st.text(), st.sampled_from(STYLES))
def test_no_text_breaks_the_readers(text: str, style: Style) -> None:
    """Any text is a record that comes back byte for byte, or stays as it is."""
    value = read(text, style)
    assert value is None or write(value, style) == text


def test_yaml_is_written_as_its_dumpers_write_it() -> None:
    """Quotes where a text would read as something else, lists under their label, long texts folded."""
    text = "id: 7\nopen: true\nnote: 'it''s: late'\nitems:\n- sku: A-1\n  qty: 2\ntags: []\npaid: null\n"
    assert read(text, YAML_STYLE) == ORDER
    assert write({"day": "2026-03-01", "code": "0123", "no": "no"}, YAML_STYLE) == (
        "day: '2026-03-01'\ncode: '0123'\n'no': 'no'\n"
    )
    long = "text: " + "word " * 16 + "\n  end of it\n"
    assert read(long, YAML_STYLE) is None, "no dumper leaves a space before the end of a line"
    folded = "text: " + "word " * 15 + "word\n  end of it\n"
    assert read(folded, YAML_STYLE) == {"text": "word " * 16 + "end of it"}


PIECES = [*"ab '\"\\:#-\t\n\xa0é…😀", " ", "\n", "word ", "2024-05-01", "\x07", "x" * 30]
LETTERS = st.lists(st.sampled_from(PIECES), max_size=80).map("".join)


@given(st.lists(st.one_of(LETTERS, VALUES), min_size=1), st.booleans())
@example(
    [
        "Hi Ann,\n\nsee you at nine, as we said it in the note of last Monday, in the big hall.\n\nBo"
    ],
    False,
)
@example(
    ["one \n two\tthree four five six seven eight nine ten eleven twelve thirteen fourteen … so"],
    True,
)
def test_yaml_of_any_text_is_that_of_its_dumper(texts: list[Json], wide: bool) -> None:
    """Texts of several lines, escapes and folding: read as they were meant, and written byte for byte."""
    record: Json = {"notes": texts, "first": texts[0]}
    written = yaml.safe_dump(record, allow_unicode=wide, sort_keys=False)
    style = Style(form=YAML, end="\n", quoted=True, wide=wide)
    if "&id" not in written:
        assert read(written, style) in (record, None)
        assert all(isinstance(t, str) for t in texts) <= (read(written, style) == record)


def test_times_without_quotes_are_told_so() -> None:
    """A dumper writes a time plain and a text that looks like one in quotes; labels that show both stay texts."""
    shown = "at: 2024-05-01 10:00:00.000123\nday: '2024-05-02'\n"
    (style,) = learn_texts([_history("show", shown, shown.replace("10:", "11:"))])
    known = style.style
    assert read(shown, known) == {"at": "2024-05-01 10:00:00.000123", "day": "2024-05-02"}
    assert write({"at": "2025-01-01", "day": "2025-01-01"}, known) == (
        "at: 2025-01-01\nday: '2025-01-01'\n"
    )
    quoted = "at: '2024-05-01'\nday: '2024-05-02'\n"
    (style,) = learn_texts([_history("show", quoted, quoted.replace("01", "03"))])
    assert read(quoted, style.style) == {"at": "2024-05-01", "day": "2024-05-02"}


@pytest.mark.parametrize(
    "text",
    [
        "Sorry, that cannot be done: sold out",
        "Order A1\nStatus: open",
        "- CA-7001: Dana Levy",
        "a: 1\n\nb: 2",
        "a: 1\na: 2",
        "a:\n   b: 1",
        "a: 1 ",
        "# note: 1\nb: 2",
        "",
    ],
)
def test_any_other_text_stays_as_it_is(text: str) -> None:
    """Sentences, headings, data before a colon, empty lines, a label twice, other indentation, comments."""
    assert from_text(text, Style(form=LINES)) == text


@pytest.mark.parametrize(
    "text", ["<a id='1'>x</a>", "<a><b>1</b>x</a>", "<a>1</a><b>2</b>", "<a>", "a"]
)
def test_other_markup_stays_as_it_is(text: str) -> None:
    """Attributes in other quotes, mixed content, two elements, an open one."""
    assert from_text(text, Style(form=XML)) == text


def test_attributes_come_first_in_a_record() -> None:
    """Their names stand behind an `@`; what the element holds beside them is its record, its list or its text."""
    style = Style(form=XML, step=0, short=True, texts=frozenset({"@no"}))
    cases: tuple[tuple[str, Json], ...] = (
        ('<r no="07" n="2"><id>A1</id></r>', {"@no": "07", "@n": 2, "id": "A1"}),
        ('<r no="07"/>', {"@no": "07"}),
        ('<r no="07">late &amp; lost</r>', {"@no": "07", "#": "late & lost"}),
    )
    for text, value in cases:
        assert read(text, style) == {"r": value}
        assert write({"r": value}, style) == text
    text = '<rows n="2"><row>1</row><row>2</row></rows>'
    nested = replace(style, lists={"/": "row"})
    assert read(text, nested) == {"rows": {"@n": 2, "#": [1, 2]}}
    assert write({"rows": {"@n": 2, "#": [1, 2]}}, nested) == text


def test_a_tool_may_send_tables_and_refuse_in_elements() -> None:
    """A table is no record and stays; an id of random signs is a text where it has digits alone; a list elsewhere may be a number here."""
    texts = learn_texts(
        [
            _history("find", *["a  b\n1  2", "a  b\n3  4", '<r x="0F"/>', '<r x="17"/>']),
            _history("show", '<r x="A9"><notes><note>1</note><note>2</note></notes></r>', "none"),
            _history("more", '<r x="B3"><notes>2</notes></r>', '<r x="C4"><notes>1</notes></r>'),
        ]
    )
    styles = {tool: part.style for part in texts for tool in part.tools}
    assert from_text("a  b\n1  2", styles["find"]) == "a  b\n1  2"
    assert read('<r x="17"/>', styles["find"]) == {"r": {"@x": "17"}}
    assert read('<r x="C4"><notes>1</notes></r>', styles["more"]) == {"r": {"@x": "C4", "notes": 1}}


def _history(tool: str, *contents: str) -> History:
    seen = [
        Observation(tool=tool, arguments={}, content=c, episode=0, position=i, at=i, caller="")
        for i, c in enumerate(contents)
    ]
    for one in seen:
        one.settle()
    return History(
        index=0, episode_id="e", caller="", task="t", started_at=0, subject="", observations=seen
    )


def test_a_value_nobody_saw_written_is_unknown() -> None:
    """No null, no quotes and no empty list was ever shown: how the tool writes them is nobody's guess."""
    lines = learn_texts([_history("show", "Id: 1\nPaid: True", "Id: 2\nPaid: False")])
    view = Texts(lines)
    for value, told in (({"Id": 3}, "Id: 3"), ({"Id": None}, None), ({"Id": []}, None)):
        answer = view.outward(
            CallInFlight("show", {}), ToolResult(content=json.dumps(value), source="derived")
        )
        assert (answer.content if answer.source == "derived" else None) == told


def test_a_tool_that_sends_json_too_stays_as_it_is() -> None:
    """Which of both it would answer in is not known."""
    assert learn_texts([_history("show", "Id: 1\nPaid: 2", "Id: 2\nPaid: 3", '{"Id": 1}')]) == ()


def test_numbers_are_numbers_only_where_they_come_back() -> None:
    """A label that shows 12.50 holds texts; one whose numbers have a point keeps it, and so does one without."""
    (style,) = learn_texts(
        [_history("show", "Total: 12.50\nGb: 1.0\nN: 1", "Total: 7.25\nGb: 2.5\nN: 2")]
    )
    known = style.style
    assert read("Total: 7.25\nGb: 2.5\nN: 2", known) == {"Total": "7.25", "Gb": 2.5, "N": 2}
    assert write({"Total": "1", "Gb": 4, "N": 3.0}, known) == "Total: 1\nGb: 4.0\nN: 3"
    assert decode(TextsPart, encode(style)) == style


@pytest.mark.parametrize("style", [STAYS, CRM, TICKETS])
@pytest.mark.parametrize("form", ["as text: yaml", "as text: nested lines", "as text: xml"])
def test_a_backend_that_writes_so_is_known_as_well(style: Backend, form: str) -> None:
    """As much of it is right as in JSON, but for a hundredth, and no more is wrong."""
    for plain, found in zip(
        measure(style, None, 0, flags=True),
        measure(style, WRITTEN[form], 0, flags=True),
        strict=True,
    ):
        n = sum(plain[v] for v in ("exact", "equivalent", "wrong", "unknown"))
        right = [c["exact"] + c["equivalent"] for c in (plain, found)]
        assert right[1] >= right[0] - n * 0.02
        assert found["wrong"] <= plain["wrong"]


def test_a_third_argument_is_left_out_only_where_it_did_not_matter() -> None:
    """A converter's lines repeat one argument and hang on a second: the third is part of the question, or 14 more calls are wrong."""
    assert measure(CAMPUS, None, 5, flags=True)[1]["wrong"] <= 6


def _watched(number: int) -> CleanEpisode:
    """A visit to a watch list that is `[]` or lines of items, beside records as lines and answers in JSON."""
    rng = random.Random(f"watch {number}")  # noqa: S311 - dice
    held, steps = ["ALFA"], list[CleanStep]()
    for at in range(4):
        tool, symbol = rng.choice(["watch", "unwatch", "info", "list"]), rng.choice(SYMBOLS)
        there = symbol in held
        said = {
            "watch": json.dumps({"watching": symbol}),
            "unwatch": json.dumps({"status": f"{symbol} removed"} if there else {"error": "none"}),
            "info": f"symbol: {symbol}\nprice: {10 * ord(symbol[0])}\nsector: tech",
            "list": _lines(held),
        }[tool]
        if tool == "watch" and not there:
            held.append(symbol)
        elif tool == "unwatch" and there:
            held.remove(symbol)
        steps += call_and_result(2 * at, tool, {} if tool == "list" else {"symbol": symbol}, said)
        steps += call_and_result(2 * at + 1, "list", {}, _lines(held))
    return conversation("watch", number, steps)


def _lines(held: list[str]) -> str:
    return "\n".join(f"- {one}" for one in held) or "[]"


def test_a_text_beside_lists_is_told_without_quotes() -> None:
    """A list that is `[]` or lines of items was once told as a JSON string."""
    world, told = world_from(_watched(number) for number in range(30)), 0
    for calls in product(product(["watch", "unwatch"], SYMBOLS), repeat=3):
        session, held = world.session(), ["ALFA"]
        for tool, symbol in calls:
            session.call(tool, {"symbol": symbol})
            held = [one for one in held if one != symbol or tool == "watch"]
            held += [symbol] if tool == "watch" and symbol not in held else []
        result = session.call("list", {})
        told += result.source != UNKNOWN
        assert result.source == UNKNOWN or result.content == _lines(held)
    assert told > 50


def test_every_form_is_written_by_the_benchmark() -> None:
    """Each has its rows in the table."""
    assert {f"as text: {name}" for name in TEXTS} == set(WRITTEN)
