"""The report's rows on tasks and their graders.

Comes in: candidates with their verdicts, and attempts that were left out once: how far rubrics agree with outcomes that they have not seen.
Goes out: `TaskRow` and `TaskCount` records, and `GraderRow`s by app and cluster, `KindTrust`s by kind of check.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from dagster_project.report.data.counts import Count, Fidelity, ranked
from dagster_project.report.data.tasks import GraderRow, GroundRow, TaskCount, TaskRow
from dagster_project.report.data.worlds import WorldRow
from dagster_project.tasks.agreement import HeldOut, by_cluster, figures_of
from dagster_project.tasks.app_state import Standing
from dagster_project.tasks.grader_trust import KindTrust
from dagster_project.tasks.verification import VerifiedTask, trust_in
from environments.diff import title_of
from environments.runtime.task.candidate import Candidate
from environments.runtime.task.verdict import count_text
from environments.runtime.values.grouping import by_key
from environments.verification.attack_table import AttackRow, WayRow, attack_rows, way_rows
from environments.verification.sentences import reason_group, reason_says
from environments.verify import ACCEPTED, NEEDS_REVIEW, REJECTED
from synth.clusters.clustering import Cluster

MOST_TURNS = 24
MOST_TEXT = 400
"""Of an attack's messages: what a reader looks at before opening the review page."""


_MOST_UNKNOWN: Final = (
    "Most attempts that go another way than the recorded ones will end without a reward: "
    "record further attempts at the same requests, or use these tasks to replay and to compare only"
)


def task_count(standing: Standing) -> TaskCount:
    """How many of an app's tasks the gate let through, and why not the others."""
    statuses = Counter(one.status for one in standing.verdicts.values())
    reasons = Counter(
        reason
        for one in standing.verdicts.values()
        if one.status != ACCEPTED
        for reason in {reason_group(code) for code in one.reasons}
    )
    return TaskCount(
        app=standing.app,
        accepted=statuses[ACCEPTED],
        needs_review=statuses[NEEDS_REVIEW],
        rejected=statuses[REJECTED],
        reasons=ranked(reasons, reason_says),
    )


def task_lines(counts: Iterable[TaskCount], worlds: Iterable[WorldRow]) -> list[str]:
    """For each app how many tasks were accepted, and how its world answers calls that were left out when it was learnt."""
    parts = {row.app: [one for one in (row.reads, row.writes) if one] for row in worlds}
    return [
        f"{row.app}: {row.accepted} of {count_text(sum(one.count for one in row.statuses), 'task', 'tasks')} accepted; "
        + _says_of_world(parts.get(row.app, ()))
        for row in counts
    ]


def _says_of_world(parts: Iterable[Fidelity]) -> str:
    found = list(parts)
    calls = sum(part.calls for part in found)
    right = sum(part.exact + part.equivalent for part in found)
    wrong = sum(part.wrong for part in found)
    if not calls:
        return "how its world answers could not be measured"
    unknown = calls - right - wrong
    told = (
        f"its world answers {right} of {calls} held-out calls rightly and {wrong} wrongly, "
        f"{unknown} {'is' if unknown == 1 else 'are'} unknown"
    )
    return f"{told}. {_MOST_UNKNOWN}" if unknown > right else told


def attacks_on(standing: Standing) -> list[AttackRow]:
    """What each kind of attack earned on the app's tasks."""
    return attack_rows((one.status, one.probes) for one in standing.verdicts.values())


def ways_of(standing: Standing) -> list[WayRow]:
    """What became of other ways of making the good attempts of the app's accepted tasks."""
    return way_rows((one.status, one.probes) for one in standing.verdicts.values())


def ground_rows(standing: Standing) -> list[GroundRow]:
    """How many recorded attempts told what nothing had shown: all kinds together, then each."""
    attempts = {a.episode_id: a for one in standing.candidates for a in one.attempts}.values()
    kinds = sorted({kind for a in attempts for kind in a.tells})
    rows = []
    for kind in ("", *kinds):
        tell = [a for a in attempts if (kind in a.tells if kind else a.tells)]
        without = [a for a in tell if (kind in a.without_ground if kind else a.without_ground)]
        rows.append(
            GroundRow(
                kind=kind,
                tell=len(tell),
                without=len(without),
                resolved=sum(a.resolved is True for a in tell),
                resolved_without=sum(a.resolved is True for a in without),
            )
        )
    return rows if kinds else []


def task_rows(
    standing: Standing, clusters: Sequence[Cluster], held_out: Sequence[HeldOut]
) -> list[TaskRow]:
    """Every verified task, the accepted first."""
    cluster_of = {m.episode_id: one.name for one in clusters for m in one.members}
    left_out = by_key((one.task_id, one) for one in held_out)
    rows = [
        _task(candidate, verdict, cluster_of, left_out.get(candidate.task.task_id, ()))
        for candidate in standing.candidates
        if (verdict := standing.verdicts.get(candidate.task.task_id)) is not None
    ]
    order = {ACCEPTED: 0, NEEDS_REVIEW: 1, REJECTED: 2}
    return sorted(rows, key=lambda row: (order.get(row.status, 3), row.task_id))


def _task(
    candidate: Candidate,
    verdict: VerifiedTask,
    cluster_of: Mapping[str, str],
    held_out: Sequence[HeldOut],
) -> TaskRow:
    first = next(
        (str(m.get("content") or "") for m in candidate.task.opening if m.get("role") == "user"), ""
    )
    resolved = Counter(attempt.resolved for attempt in candidate.attempts)
    named = [cluster_of[a.episode_id] for a in candidate.attempts if a.episode_id in cluster_of]
    return TaskRow(
        app=candidate.task.app,
        task_id=candidate.task.task_id,
        task_version=verdict.task_version,
        title=title_of(candidate.task),
        status=verdict.status,
        opening=first,
        reasons=tuple(
            Count(name=code, count=1, says=reason_says(code))
            for code in {reason_group(code): code for code in verdict.reasons}.values()
        ),
        checks=candidate.rubric.checks,
        probes=verdict.probes,
        agreement=figures_of(held_out) if held_out else None,
        attempts=len(candidate.attempts),
        resolved=resolved[True],
        unresolved=resolved[False],
        solution_steps=len(candidate.solution) or None,
        cluster=named[0] if named else "",
    )


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


def turns_of(actions: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What an attack did, a line each: its words, or its calls."""
    found: list[str] = []
    for action in actions[:MOST_TURNS]:
        if action.get("content"):
            found.append(f"says: {str(action['content'])[:MOST_TEXT]}")
        for call in action.get("tool_calls") or ():
            function = call.get("function") or {}
            asked = f"{function.get('name')} {function.get('arguments')}"
            found.append(f"calls {asked[:MOST_TEXT]}")
    return tuple(found)
