"""The report's rows on graders: how far rubrics agree with outcomes that they have not seen, by app, cluster, kind of check and task.

Comes in: attempts that were left out once, and where tasks stand. Goes out: `GraderRow`s and `KindTrust`s of the report.
"""

from collections.abc import Iterator, Sequence

from dagster_project.report.data.tasks import GraderRow
from dagster_project.tasks.agreement import HeldOut, by_cluster, figures_of
from dagster_project.tasks.app_state import Standing
from dagster_project.tasks.grader_trust import (
    KindTrust,
)
from dagster_project.tasks.verification import trust_in
from environments.verify import ACCEPTED
from synth.clusters.clustering import Cluster


def grader_rows(
    standing: Standing, clusters: Sequence[Cluster], held_out: Sequence[HeldOut]
) -> Iterator[GraderRow]:
    """All rubrics of an app, those of accepted tasks, and those of each failure cluster.

    Attempts without a resolved other count in the first row only: there a rubric can hardly say anything.
    """
    if not held_out:
        return
    accepted = {key for key, one in standing.verdicts.items() if one.status == ACCEPTED}
    with_witness = [one for one in held_out if one.witness]
    groups = {
        "all": held_out,
        "resolved before": with_witness,
        "accepted": [one for one in with_witness if one.task_id in accepted],
    }
    for name, group in groups.items():
        if group:
            yield GraderRow(rubrics=name, agreement=figures_of(group))
    for cluster, group in by_cluster(with_witness, _clusters_of(standing, clusters)).items():
        yield GraderRow(rubrics="all", cluster=cluster, agreement=figures_of(group))


def kind_rows(standing: Standing, held_out: Sequence[HeldOut]) -> tuple[KindTrust, ...]:
    """All graders of an app, then those of each kind of check among the tasks that their own gate accepted."""
    found = trust_in(standing.verdicts.values(), held_out)
    return (found.whole, *found.kinds) if found.kinds else ()


def _clusters_of(standing: Standing, clusters: Sequence[Cluster]) -> dict[str, str]:
    """The cluster's name of each task that one of its failed attempts belongs to."""
    names = {m.episode_id: one.name for one in clusters if one.failures for m in one.members}
    return {
        one.task.task_id: names[attempt.episode_id]
        for one in standing.candidates
        for attempt in one.attempts
        if attempt.episode_id in names
    }
