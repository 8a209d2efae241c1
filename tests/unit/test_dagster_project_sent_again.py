"""What a sender sent again after a crash counts once, before any build has folded it."""

from __future__ import annotations

import json
from pathlib import Path

from dagster_project.arrival.files import take_in
from dagster_project.arrival.repetitions import counts_once, fold
from dagster_project.home.layout import open_home
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import SPANS
from dagster_project.report.doctor import diagnose
from dagster_project.worlds.tool_costs import real_times

TOOL = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "pay"}


def body(*numbers: int) -> str:
    """OTLP/JSON with one span for each number."""
    spans = [
        {
            "traceId": f"{n:032x}",
            "spanId": f"{n:016x}",
            "name": "execute_tool pay",
            "startTimeUnixNano": str(1_760_000_000_000_000_000 + n),
            "endTimeUnixNano": str(1_760_000_002_000_000_000 + n),
            "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in TOOL.items()],
        }
        for n in numbers
    ]
    service = [{"key": "service.name", "value": {"stringValue": "shop"}}]
    held = [{"resource": {"attributes": service}, "scopeSpans": [{"spans": spans}]}]
    return json.dumps({"resourceSpans": held})


def test_spans_that_came_twice_are_counted_once(tmp_path: Path) -> None:
    """In other batches, as a client sends them that got no answer: the log cannot know them."""
    home = open_home(tmp_path / "home", create=True)
    for n, numbers in enumerate([(1, 2, 3), (3,), (2, 3, 4)]):
        path = tmp_path / f"{n}.json"
        path.write_text(body(*numbers))
        take_in(home, [path])
    lake = Lake(home.private / "lake")
    assert sum(lake.counts(SPANS).values()) == 7
    assert sum(counts_once(lake, SPANS).values()) == 4
    (app,) = diagnose(home).apps
    assert app.spans == 4
    assert list(real_times(lake, "shop")) == [("pay", 2000.0)] * 4
    fold(lake, [(app, day) for app, day in lake.counts(SPANS)])
    assert sum(lake.counts(SPANS).values()) == sum(counts_once(lake, SPANS).values()) == 4
