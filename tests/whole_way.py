"""The whole way in memory: lines of a chat log in, through the gate, failures, worlds, tasks, the gate of tasks, to a task set.

What a build does without the lake and without Dagster, so that a property test can go it in a fraction of a second.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from dagster_project.build.left_out import Skips
from dagster_project.engine.serial import Serial
from dagster_project.lake.documents import to_rows
from dagster_project.lake.learnt_tables import CLUSTERS, FAILURES
from dagster_project.lake.rows import (
    canonical_text,
    constant_column,
    from_json,
    from_rows,
    to_table,
)
from dagster_project.lake.tables import CLEAN_EPISODES, EPISODES, OUTCOMES
from dagster_project.privacy.account import account_of
from dagster_project.privacy.consistency import pairs_of
from dagster_project.privacy.gate import index_of, rules_of
from dagster_project.privacy.gate_leaks import leak_checked
from dagster_project.privacy.leak_search import Searcher, search_with
from dagster_project.tasks import verification
from dagster_project.tasks.agreement import leave_one_out
from dagster_project.tasks.verification import VerifiedTask
from dagster_project.worlds.held_out import measure
from dagster_project.worlds.stored_worlds import StoredWorld, world_document
from environments.export.errors import ExportError
from environments.export.registry import FORMATS
from environments.export.taskset import Choice, entry_of, write_task_set
from environments.runtime.document.world_file import WorldDocument
from environments.runtime.play.environment import run_actions
from environments.runtime.play.play import Play, actions_of
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Candidate
from environments.runtime.task.task_set import TaskSet
from environments.runtime.world.world import World
from environments.verify import ACCEPTED, NEEDS_REVIEW, REJECTED
from ingest.files.chat_log import Chat
from ingest.records.episode import Episode
from ingest.records.outcome import Outcome
from redact.apply.learn import learn
from redact.apply.scrub import scrub, scrub_outcomes
from redact.evidence.app_values import Learnt
from redact.operators.vault import Vault
from redact.policy import Policy
from redact.records.clean_episode import CleanEpisode
from redact.records.clean_rows import clean_episode_from_row
from synth.clusters.clustering import Clusters, cluster
from synth.failures.calls import differing_in
from synth.failures.detection import Failure, calibrate_on, detect
from synth.failures.named_parts import learn_named_parts
from synth.failures.reading import AppReading
from synth.labels.label import Label, label_episodes
from synth.labels.policy import OutcomePolicy
from synth.solutions.corrections import corrections_of
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world
from tests.chat_line import parse_line
from tests.failure_reference import reference_from
from tests.unit.raw_conversations import SECRET

DAY = "2026-03-01"
GATE = Policy()


@dataclass(frozen=True, slots=True, kw_only=True)
class Walked:
    """What came out at the end."""

    episodes: list[CleanEpisode]
    failures: list[Failure]
    world: StoredWorld
    candidates: list[Candidate]
    verified: list[VerifiedTask]
    task_set: TaskSet | None


def chats_of(lines: Iterable[dict[str, Any]]) -> list[Chat]:
    """The lines that are episodes; a line that is none is refused with a reason."""
    read = [
        parse_line(json.dumps(line), source="odd", position=str(number), app="odd")
        for number, line in enumerate(lines)
    ]
    found = {one.episode.episode_id: one for one in read if isinstance(one, Chat)}
    return list(found.values())  # of an episode that came twice the lake keeps the later one


def past_the_gate(
    episodes: Sequence[Episode], outcomes: Sequence[Outcome], *, policy: Policy = GATE
) -> tuple[list[CleanEpisode], dict[str, Label], Any]:
    """Raw episodes learnt from, judged, scrubbed, searched for leaks, and stored as rows of the lake."""
    raw = from_rows(
        Episode, to_table(episodes, EPISODES.schema, day=constant_column(DAY)).to_pylist()
    )
    said = from_rows(
        Outcome, to_table(outcomes, OUTCOMES.schema, day=constant_column(DAY)).to_pylist()
    )
    learnt = Learnt.from_bytes(learn(raw, said, policy=policy).to_bytes())
    vault = Vault(None, SECRET)
    index_of(raw)
    for app in sorted({one.app for one in raw}):
        rules_of(learnt.app(app), policy, vault, app)
    scrubbed = list(scrub(raw, learnt=learnt, vault=vault, policy=policy))
    search = Searcher(search_with(learnt, policy, "odd", ()), vault, "odd")
    checked = leak_checked(raw, scrubbed, search)
    account_of("odd", DAY, checked.passed)
    together = zip(raw, (one.clean for one in scrubbed), strict=True)
    pairs_of(("odd", DAY), together, vault.key_of("odd"))
    rows = to_table(
        (one.clean for one in checked.passed), CLEAN_EPISODES.schema, day=constant_column(DAY)
    )
    found = [clean_episode_from_row(row) for row in rows.to_pylist()]
    assert len(found) + len(checked.held) == len(raw)
    cleaned = list(scrub_outcomes(said, learnt=learnt, vault=vault, policy=policy))
    labels = label_episodes(cleaned, OutcomePolicy())
    ordered = sorted(found, key=lambda e: (e.started_at, e.episode_id))
    return ordered, labels, corrections_of(cleaned, OutcomePolicy())


def failures_among(episodes: Sequence[CleanEpisode], labels: dict[str, Label]) -> list[Failure]:
    """Failures as the lake has them, and their clusters."""
    app = AppReading(parts=learn_named_parts(episodes, k=2), differing=differing_in(episodes))
    labelled = [(e, labels[e.episode_id]) for e in episodes if e.episode_id in labels]
    app = replace(app, reference=reference_from(labelled, app))
    calibration = calibrate_on(labelled, app)
    found = [
        failure
        for one in episodes
        if (
            failure := detect(
                one,
                labels.get(one.episode_id),
                calibration=calibration,
                app=app,
            )
        )
        is not None
    ]
    rows = to_table(found, FAILURES.schema, day=constant_column(DAY)).to_pylist()
    kept = from_rows(Failure, rows)
    clusters = cluster(kept, Clusters(clusters=()))
    to_table(clusters.clusters, CLUSTERS.schema)
    return kept


def world_from(episodes: Sequence[CleanEpisode]) -> StoredWorld:
    """A world as the lake has it."""
    settings = WorldSettings()
    app = episodes[0].app if episodes else "odd"
    fidelity = measure(list(episodes), settings)
    learnt = learn_world(episodes, settings)
    document = world_document(app, learnt, list(episodes), fidelity)
    text = to_rows([document]).to_pylist()[0]["document"]
    content = orjson.loads(text)
    content.pop("tools")
    content["document"] = WorldDocument.from_json(content["document"])
    world = StoredWorld(**content, tools=learnt.tools)
    World(world.document)
    return world


def walk(
    lines: Iterable[dict[str, Any]],
    folder: Path,
    *,
    policy: Policy = GATE,
    formats: bool = False,
) -> Walked:
    """All of it; raises whatever a stage raises."""
    chats = chats_of(lines)
    outcomes = [outcome for chat in chats for outcome in chat.outcomes]
    episodes, labels, said = past_the_gate([c.episode for c in chats], outcomes, policy=policy)
    failures = failures_among(episodes, labels)
    world = world_from(episodes)
    derived = derive_tasks(episodes, labels, world, corrections=said)
    candidates = [from_json(Candidate, json.loads(canonical_text(one))) for one in derived]
    leave_one_out(episodes, labels, world, candidates, corrections=said)
    verified = _verified(candidates, world)
    task_set = _task_set(folder, candidates, verified, world)
    if formats and task_set is not None:
        _in_every_format(folder, task_set)
    return Walked(
        episodes=episodes,
        failures=failures,
        world=world,
        candidates=candidates,
        verified=verified,
        task_set=task_set,
    )


def _verified(candidates: Sequence[Candidate], world: StoredWorld) -> list[VerifiedTask]:
    """What `verify_all` says, without the other process, which takes a second."""
    skips = Skips("verified_tasks", "odd")
    seen = verification.TaskKnowledge()
    ground = verification._ground(candidates, world, seen, {}, stage="verified_tasks")
    attacked = verification._attack(candidates, ground, seen, skips, (Serial(), list))
    assert not skips
    return [verification._verified(attacked[one.task.task_id]) for one in candidates]


def _task_set(
    folder: Path,
    candidates: Sequence[Candidate],
    verified: Sequence[VerifiedTask],
    world: StoredWorld,
) -> TaskSet | None:
    entries = [
        entry_of(
            one,
            status=verdict.status,
            reasons=verdict.reasons,
            verification={"probes": list[Json](json.loads(canonical_text(verdict.probes)))},
        )
        for one, verdict in zip(candidates, verified, strict=True)
    ]
    if not entries:
        return None
    dest = folder / "taskset"
    write_task_set(
        dest,
        entries,
        {world.app: world.document.to_json()},
        provenance={"name": "odd", "redaction": "on"},
        choice=Choice(statuses=(ACCEPTED, NEEDS_REVIEW, REJECTED)),
    )
    opened = TaskSet.load(dest)
    backend = World(world.document)
    for entry in entries:
        env = opened.environment(entry.task.task_id, seed=0)
        env.reset()
        for action in entry.solution:
            env.step(action)
        env.grade()
        for attempt in entry.attempts:
            run_actions(entry.task, backend, attempt.actions)
    return opened


def _in_every_format(folder: Path, opened: TaskSet) -> None:
    for task in opened.tasks:
        play = Play(opened, task.task_id)
        json.dumps([play.tools, play.opening])
        list(actions_of([dict(a) for a in opened.solution(task.task_id)], play.names))
    for name, known in FORMATS.items():
        with contextlib.suppress(
            ExportError
        ):  # some take accepted tasks only, or none without a solution
            known.write(opened.path, folder / name)
