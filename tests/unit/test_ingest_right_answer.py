"""Right answers beside conversations: from chat logs, tables, result files and telemetry into one text."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.dialects.evaluation import read_evaluation
from ingest.files.chat_log import Chat, to_line
from ingest.files.outcome_table import OutcomeMapping, OutcomeRow, read_outcomes
from ingest.formats.records.fields import Fields
from ingest.formats.records.verdicts import outcomes_of
from ingest.records.right_answer import right_answer
from ingest.records.text import Json
from tests.chat_line import parse_line


def said(outcome: dict[str, Json]) -> str | None:
    """The correction of a chat log's line with this outcome, after it was written and read once more."""
    line = json.dumps(
        {
            "app": "a",
            "episode_id": "e",
            "messages": [{"role": "user", "content": "?"}],
            "outcome": outcome,
        }
    )
    chat = parse_line(line, source="s", position="1")
    assert isinstance(chat, Chat), chat
    again = parse_line(to_line(chat.episode, chat.outcomes), source="s", position="1")
    assert isinstance(again, Chat)
    assert again.outcomes == chat.outcomes
    return chat.outcomes[0].correction


@pytest.mark.parametrize("name", ["correction", "reference", "answer"])
@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Boston", "Boston"),
        (42, "42"),
        (42.0, "42"),
        (1234.5, "1234.5"),
        (True, "yes"),
        (["Boston"], "Boston"),
        (["Myanmar", "Burma"], '["Myanmar", "Burma"]'),
        ("", None),
        ([], None),
        (None, None),
        ({"price": 3}, '{"price": 3}'),
    ],
)
def test_an_outcome_may_carry_what_would_have_been_right(
    name: str, value: Json, text: str | None
) -> None:
    """Under any of three names, as a text, a number, a truth, or a list of several that are right."""
    assert said({"name": "resolved", "value": 0, name: value}) == text


def test_the_first_name_that_says_something_counts() -> None:
    """A correction goes before a reference, a reference before an answer."""
    assert said({"name": "n", "correction": "", "reference": "b", "answer": "c"}) == "b"


def test_a_table_may_hold_references_alone(tmp_path: Path) -> None:
    """Two columns are enough: which conversation, and the right answer; the row then says nothing of how it went."""
    path = tmp_path / "t.csv"
    path.write_text("key,reference\nc1,Boston\n")
    row = next(iter(read_outcomes(path, OutcomeMapping(), app="a")))
    assert isinstance(row, OutcomeRow)
    assert (row.name, row.value, row.label, row.correction) == ("reference", None, None, "Boston")


def test_a_named_column_keeps_others_out(tmp_path: Path) -> None:
    """Who says which column holds it gets no other one, even where that is empty."""
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"key": "c1", "name": "solved", "value": 0, "done": "", "answer": "what the agent said"}\n'
    )
    row = next(iter(read_outcomes(path, OutcomeMapping(correction="done"), app="a")))
    assert isinstance(row, OutcomeRow)
    assert row.correction is None


def test_telemetry_may_carry_a_reference() -> None:
    """Beside OpenTelemetry's evaluation, under tracegym's own attributes."""
    found = read_evaluation(
        "gen_ai.evaluation.result",
        {
            "gen_ai.evaluation.name": "exact",
            "gen_ai.evaluation.score.value": 0,
            "tracegym.outcome.reference": "Boston",
        },
        at=None,
    )
    assert found is not None
    assert found.correction == "Boston"


@pytest.mark.parametrize(
    "name", ["ground_truth", "target", "gold_answers", "Expected Answer", "referenceAnswers"]
)
def test_result_files_name_it_in_many_ways(name: str) -> None:
    """Whatever a file calls it, the right answer goes to the verdict beside it."""
    found = outcomes_of(Fields({"is_correct": False, name: ["Myanmar", "Burma"]}), answered=True)
    assert [(o["name"], o["correction"]) for o in found] == [("is_correct", '["Myanmar", "Burma"]')]


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(_JSON)
def test_any_value_becomes_a_text_or_nothing(value: object) -> None:
    """No value under these names breaks a line."""
    found = right_answer(value)
    assert found is None or found.strip()
