"""The report's rows on failure clusters.

Comes in: clusters, failures and the standing of their tasks. Goes out: `ClusterRow` records.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from dagster_project.causes.cluster_rows import cost_of, lineage_of
from dagster_project.causes.side_by_side import side_by_side
from dagster_project.lake.store import Lake
from dagster_project.report.data.counts import ranked
from dagster_project.report.data.failures import ClusterRow, Example
from dagster_project.report.page import CLUSTERS_SHOWN
from dagster_project.tasks.app_state import Standing
from environments.verification.sentences import reason_group, reason_says
from environments.verify import ACCEPTED
from synth.clusters.clustering import Cluster
from synth.failures.causes import PARTIES
from synth.failures.detection import Failure


def cluster_rows(
    clusters: Sequence[Cluster], failures: Sequence[Failure], standing: Standing, lake: Lake
) -> list[ClusterRow]:
    """Clusters with failures, the largest first, each with what became of its episodes' tasks."""
    by_episode = {failure.episode_id: failure for failure in failures}
    status: dict[str, str] = {}
    why: dict[str, str] = {}
    for candidate in standing.candidates:
        verdict = standing.verdicts.get(candidate.task.task_id)
        for attempt in candidate.attempts:
            status[attempt.episode_id] = verdict.status if verdict else "not verified"
            if verdict and verdict.status != ACCEPTED:
                first = (*verdict.reasons, verdict.status)[0]
                why[attempt.episode_id] = reason_group(first)
    shown = [one for one in clusters if one.failures]
    ranked_by_size = sorted(shown, key=lambda c: (-c.failures, c.cluster_id))
    rows = [_cluster(one, by_episode, status, why) for one in ranked_by_size]
    return [
        replace(
            row,
            lineage=lineage_of(one, clusters),
            beside=side_by_side(lake, _members(one, by_episode))
            if one.named and place < CLUSTERS_SHOWN
            else None,
        )
        for place, (one, row) in enumerate(zip(ranked_by_size, rows, strict=True))
    ]


def gone_rows(clusters: Sequence[Cluster]) -> list[tuple[str, str, str]]:
    """Clusters without failures, with what became of them."""
    told = ((one.app, one.name, lineage_of(one, clusters)) for one in clusters if not one.members)
    return [row for row in told if row[2]]


def _members(one: Cluster, failures: Mapping[str, Failure]) -> list[Failure]:
    return [failures[key] for key in one.episode_ids if key in failures]


def _cluster(
    one: Cluster,
    failures: Mapping[str, Failure],
    status: Mapping[str, str],
    why: Mapping[str, str],
) -> ClusterRow:
    mine = _members(one, failures)
    signals = Counter(signal.name for failure in mine for signal in failure.signals)
    tasks = Counter(status.get(failure.episode_id, "no task") for failure in mine)
    reasons = Counter(why[f.episode_id] for f in mine if f.episode_id in why)
    day = {member.episode_id: member.day for member in one.members}
    return ClusterRow(
        cluster=one,
        whose=PARTIES.get(one.cause, ""),
        agents=ranked(Counter(f.agent for f in mine if f.agent is not None)),
        cost=cost_of(one),
        signals=ranked(signals),
        examples=tuple(
            Example(
                episode_id=episode_id,
                says=_says(failures[episode_id]),
                signals=tuple(signal.name for signal in failures[episode_id].signals),
                day=day.get(episode_id, ""),
            )
            for episode_id in one.examples
            if episode_id in failures
        ),
        tasks=ranked(tasks),
        why=ranked(reasons, reason_says),
    )


def _says(failure: Failure) -> str:
    """What happened, the critical step first."""
    at = [piece.says for piece in failure.evidence if piece.step == failure.step]
    step = "" if failure.step is None or not at else f"Step {failure.step}: "
    signals = [signal.says for signal in failure.signals]
    return step + " ".join(dict.fromkeys(at or signals))
