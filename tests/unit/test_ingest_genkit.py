"""Genkit's spans beyond the common dialogue: what users said of an answer, tools that failed or returned nothing."""

from __future__ import annotations

import pytest

from ingest.assembly.assemble import assemble
from ingest.dialects.table import read_span
from tests.unit.ingest_emitters import APP, genkit, span


@pytest.mark.parametrize(
    ("subtype", "key"), [("userFeedback", "feedbackValue"), ("userAcceptance", "acceptanceValue")]
)
def test_what_a_user_said_is_an_outcome_of_the_trace(subtype: str, key: str) -> None:
    """An engagement span stands in the trace that it is about."""
    said = {
        "genkit:type": "userEngagement",
        "genkit:metadata:subtype": subtype,
        f"genkit:metadata:{key}": "negative",
        "genkit:metadata:textFeedback": "too slow",
    }
    found = assemble([*genkit().spans, span(90, said)], app=APP)
    (outcome,) = found.outcomes
    (episode,) = found.episodes
    assert (outcome.name, outcome.label, outcome.text) == (subtype, "negative", "too slow")
    assert (outcome.by, outcome.episode_id) == ("end_user", episode.episode_id)


def test_a_tool_that_failed_says_why() -> None:
    """The error stands in the place of the output."""
    run = {
        "genkit:type": "action",
        "genkit:metadata:subtype": "tool",
        "genkit:name": "find_order",
        "genkit:state": "error",
        "genkit:error": "no such order",
    }
    told = read_span(span(1, run))
    assert (told.result, told.is_error, told.arguments) == ("no such order", True, None)
