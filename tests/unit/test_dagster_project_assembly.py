"""Assembly over partitions: in parts it makes what it makes at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dagster_project.arrival import assembly
from dagster_project.arrival.chat_lines import raw_lines
from dagster_project.arrival.files import append_outcomes, take_in
from dagster_project.arrival.outcome_days import outcomes_by_day
from dagster_project.home.layout import open_home
from dagster_project.lake.rows import constant_column, to_table
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import EPISODES

START = 1_790_000_000


def span(number: int, conversation: str | None) -> dict[str, object]:
    """One model call; without a conversation's id its history ties it to the one before."""
    said = [{"role": "user", "content": f"hello {number % 7}"}]
    values = {
        "gen_ai.operation.name": "chat",
        "gen_ai.response.id": f"r{number}",
        "gen_ai.input.messages": json.dumps(said),
        "gen_ai.output.messages": json.dumps([{"role": "assistant", "content": f"ok {number}"}]),
    }
    if conversation is not None:
        values["gen_ai.conversation.id"] = conversation
    at = (START + number) * 10**9
    return {
        "traceId": f"{number + 1:032x}",
        "spanId": f"{number + 1:016x}",
        "name": "chat",
        "startTimeUnixNano": str(at),
        "endTimeUnixNano": str(at + 1),
        "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in values.items()],
    }


def test_many_spans_are_assembled_in_parts_and_nothing_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Above the bound the spans go by way of a scratch folder that does not stay."""
    home = open_home(tmp_path / "home", create=True)
    spans = [span(n, f"c{n % 40}" if n % 3 else None) for n in range(200)]
    sent = tmp_path / "t.jsonl"
    sent.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}))
    take_in(home, [sent], app="shop")
    lake = Lake(home.private / "lake")
    days = assembly.days_of(lake, "shop")["shop"]
    whole = assembly.assemble_days(lake, "shop", days)
    monkeypatch.setattr(assembly, "AT_ONCE", 1 << 10)
    before = sorted(home.private.iterdir())
    assert assembly.assemble_days(lake, "shop", days) == whole
    assert sorted(home.private.iterdir()) == before
    assert whole.spans == 200
    assert sum(map(len, whole.episodes.values())) > 40


def test_a_service_in_which_nobody_speaks_says_how_it_went_elsewhere(tmp_path: Path) -> None:
    """Feedback that another service collects is about the conversation of its trace, read raw and built alike."""
    home = open_home(tmp_path / "home", create=True)
    asked = span(5, None) | {"traceId": f"{1:032x}", "parentSpanId": f"{1:016x}"}
    asked |= {
        "name": "feedback",
        "attributes": [{"key": "feedback.helpful", "value": {"boolValue": False}}],
    }
    parts = [
        ("a-desk", [span(0, "c1"), span(1, "c1")]),
        ("feedback-api", [asked]),
        ("z-desk", [span(8, "c2")]),
    ]
    resources = [
        {
            "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": name}}]},
            "scopeSpans": [{"spans": spans}],
        }
        for name, spans in parts
    ]
    file = tmp_path / "spans.json"
    file.write_text(json.dumps({"resourceSpans": resources}), encoding="utf-8")
    take_in(home, [file])
    for app in (None, "a-desk"):
        lines = list(map(json.loads, raw_lines(home, app=app)))
        said = [(line["app"], line["outcome"]["value"]) for line in lines if "outcome" in line]
        assert said == [("a-desk", 0.0)]
    lake = Lake(home.private / "lake")
    made = assembly.assemble_days(lake, "feedback-api", assembly.days_of(lake)["feedback-api"])
    append_outcomes(lake, made.outcomes, {})
    (day,) = assembly.days_of(lake)["a-desk"]
    (episode,) = assembly.assemble_days(lake, "a-desk", [day]).episodes[day]
    lake.append(EPISODES, to_table([episode], EPISODES.schema, day=constant_column(day)))
    (joined,) = outcomes_by_day(lake, "a-desk")[day]
    assert (joined.episode_id, joined.app, joined.name) == (episode.episode_id, "a-desk", "helpful")
