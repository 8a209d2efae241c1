"""The clean lake's tables of what is learnt and tried: failures, clusters, worlds, tasks, rollouts.

Apart from `tables`, because the records beside these layouts take longer to import, which `ingest` must not pay.
"""

from typing import Final

import pyarrow as pa

from dagster_project.lake.tables import BY_APP, Table, layout
from environments.rollout.rollout import ROLLOUT_SCHEMA
from synth.clusters.clustering import CLUSTER_SCHEMA
from synth.failures.detection import FAILURE_SCHEMA

DOCUMENT_SCHEMA: Final = layout(
    app=pa.string(), id=pa.string(), version=pa.string(), document=pa.string()
)
"""A learnt thing per app as canonical JSON, for records whose shape is a tree (worlds, tasks, clusters)."""

FAILURES: Final = Table(name="failures", schema=FAILURE_SCHEMA)
CLUSTERS: Final = Table(name="failure_clusters", schema=CLUSTER_SCHEMA, by=BY_APP)
WORLDS: Final = Table(name="worlds", schema=DOCUMENT_SCHEMA, by=BY_APP)
TASKS: Final = Table(name="tasks", schema=DOCUMENT_SCHEMA, by=BY_APP)
VERIFIED: Final = Table(name="verified_tasks", schema=DOCUMENT_SCHEMA, by=BY_APP)
SAMPLES: Final = Table(name="samples", schema=DOCUMENT_SCHEMA, by=BY_APP)
"""Which requests of an app went on, where not all did."""
VERDICT_READS: Final = Table(name="verdict_reads", schema=DOCUMENT_SCHEMA, by=BY_APP)
"""What each verdict was made of: calls and digests, compressed."""
FIGURES: Final = Table(name="figures", schema=DOCUMENT_SCHEMA, by=BY_APP)
"""Of which conversations the figures of an app were taken."""
AGREEMENT: Final = Table(name="agreement", schema=DOCUMENT_SCHEMA, by=BY_APP)
TASK_SETS: Final = Table(name="task_sets", schema=DOCUMENT_SCHEMA, by=BY_APP)
ROLLOUTS: Final = Table(name="rollouts", schema=ROLLOUT_SCHEMA, identity=("rollout_id",))
DIFFICULTY: Final = Table(name="difficulty", schema=DOCUMENT_SCHEMA, by=BY_APP)
