"""The parts of a task set, out of the clean lake: entries with their verdicts, world files, provenance.

Comes in: the clean lake, which apps and which statuses. Goes out: what `environments.export.taskset` writes. Equal lakes give equal parts:
no clock, sorted by task id.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from typing import Any

from dagster_project.lake.documents import records
from dagster_project.lake.learnt_tables import TASKS, VERIFIED
from dagster_project.lake.rows import texts
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_EPISODES
from dagster_project.tasks.agreement import held_out_of
from dagster_project.tasks.grader_trust import card_rows
from dagster_project.tasks.judge_replies import replies_of
from dagster_project.tasks.sampling import Sample, cluster_by_episode, sample_of
from dagster_project.tasks.verification import VerifiedTask, trust_in
from dagster_project.worlds.stored_worlds import world_of
from environments.export.taskset import Entry, entry_of
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Candidate
from environments.verification.attack_table import attack_rows, way_rows
from environments.verification.judge_checks import asks_a_judge
from ingest.records.moments import day_of


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSetParts:
    """Everything a task set is written from."""

    entries: tuple[Entry, ...]
    worlds: Mapping[str, Mapping[str, Any]]
    provenance: Mapping[str, Json]


def parts_of(lake: Lake, apps: Sequence[str], *, name: str | None = None) -> TaskSetParts:
    """All verified tasks of some apps, whatever their status; the writer chooses."""
    entries: list[Entry] = []
    graders: list[Json] = []
    answers: list[Json] = []
    attacks: list[Json] = []
    ways: list[Json] = []
    worlds: dict[str, Mapping[str, Any]] = {}
    samples: dict[str, Json] = {}
    for app in sorted(apps):
        world = world_of(lake, app)
        if world is not None:
            worlds[app] = world.document.to_json()
            answers.append(
                {"app": app, "risk": world.risk, "held_out": world.fidelity.get("frontier", {})}
            )
        verdicts = records(lake, VERIFIED, app, VerifiedTask)
        clusters = cluster_by_episode(lake, app)
        sample = sample_of(lake, app)
        if sample is not None:
            samples[app] = sample.to_json()
        said = cache(partial(_judge_scores, lake, app))
        held_out = held_out_of(lake, app)
        graders += card_rows(app, trust_in(verdicts.values(), held_out))
        probes = [(one.status, one.probes) for one in verdicts.values()]
        attacks += [{"app": app, **asdict(row)} for row in attack_rows(probes)]
        ways += [{"app": app, **asdict(row)} for row in way_rows(probes)]
        for candidate in records(lake, TASKS, app, Candidate).values():
            verdict = verdicts.get(candidate.task.task_id)
            if verdict is not None and world is not None:
                made = _entry(candidate, verdict, clusters, sample)
                asks = asks_a_judge(candidate.rubric)
                entries.append(replace(made, recordings=said()) if asks else made)
    return TaskSetParts(
        entries=tuple(sorted(entries, key=lambda entry: entry.task.task_id)),
        worlds=worlds,
        provenance={
            **_provenance(lake, sorted(apps), name),
            "answers": answers,
            "graders": graders,
            "attacks": attacks,
            "ways": ways,
            **({"sampling": samples} if samples else {}),
        },
    )


def _judge_scores(lake: Lake, app: str) -> dict[str, Json]:
    """What judges said of an app's attempts: the scores, for a quote may hold words of an episode that stays here."""
    replies = replies_of(lake, [app])
    return {
        key: {"score": reply.get("score")}
        for key, reply in replies.items()
        if isinstance(reply, dict)
    }


def _entry(
    candidate: Candidate,
    verdict: VerifiedTask,
    clusters: Mapping[str, str],
    sample: Sample | None,
) -> Entry:
    if sample is not None:
        note = {**candidate.task.provenance, "weight": sample.weight_of(candidate)}
        candidate = replace(candidate, task=replace(candidate.task, provenance=note))
    found = Counter(
        cluster for a in candidate.attempts if (cluster := clusters.get(a.episode_id)) is not None
    )
    if found:
        # The most frequent; of equals the first by name, so that equal lakes give equal task sets.
        cluster = min(found, key=lambda name: (-found[name], name))
        note = {**candidate.task.provenance, "cluster": cluster}
        candidate = replace(candidate, task=replace(candidate.task, provenance=note))
    probes = [{k: v for k, v in probe.items() if k != "actions"} for probe in verdict.probes]
    return entry_of(
        candidate,
        status=verdict.status,
        reasons=verdict.reasons,
        verification={"gate": verdict.gate, "probes": list[Json](probes)},
    )


def _provenance(lake: Lake, apps: Sequence[str], name: str | None) -> dict[str, Json]:
    modes: set[str] = set()
    days: set[str] = set()
    episodes = 0
    for app in apps:
        rows = lake.read(CLEAN_EPISODES, app=app, columns=("redaction", "started_at"))
        modes |= set(texts(rows, "redaction"))
        # Not the rows' `day`: partitions keep the true days, where the policy moves dates.
        starts = rows.column("started_at").to_pylist()
        # What came without times begins at the epoch: nobody knows when it was recorded.
        days |= {day_of(at) for at in starts if at}
        episodes += rows.num_rows
    return {
        "name": name or (" + ".join(apps) if apps else "empty task set"),
        "apps": list[Json](apps),
        "redaction": "off" if "off" in modes else "on" if modes else "unknown",
        "episodes": episodes,
        "period": f"{min(days)} to {max(days)}" if days else "",
    }
