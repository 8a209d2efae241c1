"""The report's rows on graders: how far rubrics agree with outcomes that they have not seen, by app, cluster and task.

Comes in: attempts that were left out once, and where tasks stand. Goes out: `GraderRow`s and `Agreement`s of the report.
Not here: the comparison itself (`agreement`), how it looks.
"""

from collections.abc import Iterable, Iterator, Sequence

from dagster_project.agreement import HeldOut, agreed, by_cluster
from dagster_project.report.data import Agreement, GraderRow
from dagster_project.standing import Standing
from environments.verify import ACCEPTED
from synth.clusters import Cluster


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
            yield GraderRow(app=standing.app, rubrics=name, agreement=agreement_row(group))
    for cluster, group in by_cluster(with_witness, _clusters_of(standing, clusters)).items():
        yield GraderRow(
            app=standing.app, rubrics="all", cluster=cluster, agreement=agreement_row(group)
        )


def _clusters_of(standing: Standing, clusters: Sequence[Cluster]) -> dict[str, str]:
    """The cluster's name of each task that one of its failed attempts belongs to."""
    names = {m.episode_id: one.name for one in clusters if one.failures for m in one.members}
    return {
        one.task.task_id: names[attempt.episode_id]
        for one in standing.candidates
        for attempt in one.attempts
        if attempt.episode_id in names
    }


def agreement_row(held_out: Iterable[HeldOut]) -> Agreement:
    """The figures of some attempts as the report shows them."""
    found = agreed(held_out)
    return Agreement(
        episodes=found.episodes,
        graded=found.graded,
        agreed=found.agreed,
        false_pass=found.false_pass,
        false_fail=found.false_fail,
        kappa=found.kappa,
        low=found.low if found.graded else None,
        high=found.high if found.graded else None,
        false_pass_high=found.false_pass_high if found.graded else None,
        kappa_low=found.kappa_low,
        kappa_high=found.kappa_high,
    )
