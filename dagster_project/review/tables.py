"""The clean lake's tables of what people said, and of verdicts that a rubric gave to a stored rollout later.

Both only ever grow: a review is taken back by a later one, a verdict stands beside the earlier ones.
"""

from typing import Final

import pyarrow as pa

from dagster_project.lake.tables import BY_APP, Table, layout
from dagster_project.review.review import Review
from ingest.records.columns import schema_of

REVIEWS: Final = Table(name="reviews", schema=schema_of(Review), by=BY_APP, identity=("review_id",))

VERDICT_SCHEMA: Final = layout(
    app=pa.string(),
    rollout_id=pa.string(),
    rubric=pa.string(),
    task_id=pa.string(),
    task_version=pa.string(),
    policy=pa.string(),
    seed=pa.int64(),
    reward=pa.float64(),
    predicted=pa.float64(),
    reason=pa.string(),
    passed=pa.int64(),
    graded=pa.int64(),
    total=pa.int64(),
    same_run=pa.bool_(),
    at=pa.int64(),
)
VERDICTS: Final = Table(
    name="verdicts", schema=VERDICT_SCHEMA, by=BY_APP, identity=("rollout_id", "task_version")
)
"""A later verdict on a stored rollout. It names the rubric's hash, so that scores of two rubrics are never mixed."""
