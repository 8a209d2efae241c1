"""Records to rows and back, and what is computed over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from dagster_project.cli.faults import fault_of
from dagster_project.difficulty.pass_rates import rate_of
from dagster_project.errors import HomeError, StrictError
from dagster_project.lake.rows import canonical_text, from_json, from_rows, plain_json, to_table
from dagster_project.lake.tables import EPISODES
from dagster_project.tasks.shares import kappa
from dagster_project.worlds.backtest import GradedEpisode, grader_figures
from environments.runtime.task.attempt import Json
from ingest.errors import StorageFull
from ingest.records.episode import Episode, Step, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """A nested record."""

    name: str
    note: str | None = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    """A record with every kind of field."""

    inner: Inner
    many: tuple[Inner, ...] = ()
    free: Mapping[str, Json] = field(default_factory=dict)
    count: int = 7
    score: float | None = None


def test_an_episode_survives_the_lake() -> None:
    """Nested steps and calls come back as they were."""
    episode = Episode(
        app="a",
        episode_id="e",
        conversation_id=None,
        source="chat_log",
        started_at=5,
        steps=(
            Step(role="assistant", tool_calls=(ToolCall(call_id="1", name="f", arguments="{}"),)),
            Step(role="tool", content="ü\u0000", call_id="1", is_error=False),
        ),
        trace_ids=("t",),
    )

    rows = to_table([episode], EPISODES.schema, day=lambda _: "2026-01-01").to_pylist()

    assert from_rows(Episode, rows) == [episode]
    assert rows[0]["day"] == "2026-01-01"


def test_a_tree_survives_as_text() -> None:
    """Free-form values keep their types, and an explicit None is not the default."""
    outer = Outer(
        inner=Inner(name="x", note=None),
        many=(Inner(name="y"),),
        free={"a": [1, 1.5, True, None, {"b": "ü"}]},
        score=0.0,
    )

    assert from_json(Outer, plain_json(outer)) == outer
    assert canonical_text({"b": 1, "a": 2}) == '{"a":2,"b":1}'


def test_a_column_that_came_later_reads_as_the_default() -> None:
    """Rows written before a field existed are still records."""
    assert from_rows(Outer, [{"inner": {"name": "x"}, "count": None}])[0].count == 7


def test_agreement_counts_what_was_graded() -> None:
    """Null is not graded; an episode without a task or an outcome does not count."""
    graded = [
        GradedEpisode(episode_id="1", task_id="t", outcome=1.0, predicted=1.0),
        GradedEpisode(episode_id="2", task_id="t", outcome=0.0, predicted=0.0),
        GradedEpisode(episode_id="3", task_id="t", outcome=0.0, predicted=0.5),
        GradedEpisode(episode_id="4", task_id="t", outcome=1.0, predicted=None),
        GradedEpisode(episode_id="5", task_id="t", outcome=None, predicted=1.0),
        GradedEpisode(episode_id="6", outcome=1.0),
    ]

    found = grader_figures(graded)

    assert (found["episodes"], found["graded"]) == (4, 3)
    assert (found["false_pass"], found["false_fail"]) == (1, 0)
    assert found["agreement"] == pytest.approx(2 / 3)
    assert found["kappa"] == pytest.approx(0.4)
    assert grader_figures([])["agreement"] is None


def test_kappa_knows_what_it_cannot_say() -> None:
    """Where both always say yes, agreement proves nothing."""
    assert kappa([(True, True)] * 5) is None
    assert kappa([]) is None


def test_a_rate_nobody_tried_is_not_known() -> None:
    """No attempts is no 0, and few attempts have a wide interval."""
    assert rate_of([]).rate is None
    few, many = rate_of([1.0, 0.0]), rate_of([1.0, 0.0] * 50)
    assert few.rate == many.rate == 0.5
    assert (few.high or 0) - (few.low or 0) > (many.high or 0) - (many.low or 0)


@pytest.mark.parametrize(
    ("error", "code", "says"),
    [
        (HomeError("the sentence"), 1, "the sentence"),
        (StrictError("a gate"), 3, "a gate"),
        (StorageFull("ingest's own sentence"), 1, "ingest's own sentence"),
        (KeyboardInterrupt(), 130, "interrupted"),
        (OSError(28, "No space left on device"), 1, "disk is full"),
        (PermissionError(13, "Permission denied", "/x/y"), 1, "/x/y: permission denied"),
        (ValueError("a user's secret text"), 1, "ValueError"),
    ],
)
def test_every_fault_is_one_sentence(error: BaseException, code: int, says: str) -> None:
    """Our errors speak for themselves; foreign ones are named by type, because they may quote data."""
    fault = fault_of(error)

    assert (fault.exit_code, says in fault.sentence) == (code, True)
    assert "secret text" not in fault.sentence
