"""The report's rows on failure clusters.

Comes in: clusters, failures and the standing of their tasks. Goes out: `ClusterRow` records. Not here: the other parts of the page (`report_parts`), how it looks (`report.page`).
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from dagster_project.report.data import (
    ClusterRow,
    Count,
    DayCount,
    Example,
    ranked,
)
from dagster_project.tasks.app_state import Standing
from environments.verification.sentences import reason_group, reason_says
from environments.verify import ACCEPTED
from synth.clusters.clustering import Cluster
from synth.failures.causes import PARTIES
from synth.failures.detection import Failure


def cluster_rows(
    clusters: Sequence[Cluster], failures: Sequence[Failure], standing: Standing
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
    return [
        _cluster(one, by_episode, status, why)
        for one in sorted(shown, key=lambda c: (-c.failures, c.cluster_id))
    ]


def _cluster(
    one: Cluster,
    failures: Mapping[str, Failure],
    status: Mapping[str, str],
    why: Mapping[str, str],
) -> ClusterRow:
    mine = [failures[m.episode_id] for m in one.members if m.episode_id in failures]
    signals = Counter(signal.name for failure in mine for signal in failure.signals)
    tasks = Counter(status.get(failure.episode_id, "no task") for failure in mine)
    reasons = Counter(why[f.episode_id] for f in mine if f.episode_id in why)
    day = {member.episode_id: member.day for member in one.members}
    return ClusterRow(
        app=one.app,
        cluster_id=one.cluster_id,
        name=one.name,
        failures=one.failures,
        subjects=one.subjects,
        named=one.named,
        says=one.says,
        whose=PARTIES.get(one.cause, ""),
        agents=ranked(Counter(f.agent for f in mine if f.agent is not None)),
        confirmed=one.confirmed,
        trend=tuple(DayCount(day=point.day, count=point.count) for point in one.trend),
        movement=one.movement,
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
        why=tuple(
            Count(name=r.name, count=r.count, says=reason_says(r.name)) for r in ranked(reasons)
        ),
    )


def _says(failure: Failure) -> str:
    """What happened, the critical step first."""
    at = [piece.says for piece in failure.evidence if piece.step == failure.step]
    step = "" if failure.step is None or not at else f"Step {failure.step}: "
    return step + "; ".join(dict.fromkeys([*at, *(signal.says for signal in failure.signals)]))
