"""What a tool costs: medians of its spans, from whoever recorded them."""

from collections.abc import Sequence

import pyarrow as pa

from dagster_project.lake.store import Lake
from dagster_project.lake.tables import Table
from dagster_project.worlds.tool_costs import TOOL, real_times


class SpanLake(Lake):
    """A lake that holds nothing but spans in memory."""

    def __init__(self, rows: Sequence[tuple[str | None, int | None, int | None]]) -> None:
        self._rows = rows

    def read(  # type: ignore[override]  # only what is asked here
        self, table: Table, *, app: str, columns: Sequence[str]
    ) -> pa.Table:
        """The columns asked for."""
        assert (table.name, app) == ("spans", "shop")
        assert list(columns) == [TOOL, "started_at", "ended_at"]
        cells = zip(*self._rows, strict=True)
        return pa.table({name: list(cell) for name, cell in zip(columns, cells, strict=True)})


def test_only_spans_that_ran_a_tool_and_ended_count() -> None:
    """Spans without a tool, without an end, or that end before they begin say nothing about a tool's time."""
    second = 10**9
    rows = [
        ("pay", 0, 2 * second),
        ("pay", second, 2 * second),
        (None, 0, second),
        ("find", 0, None),
        ("find", second, 0),
    ]
    assert list(real_times(SpanLake(rows), "shop")) == [("pay", 2000.0), ("pay", 1000.0)]
