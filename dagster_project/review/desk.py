"""The desk: what a reviewer needs of one home, read from the clean lake and kept while the page is open.

Comes in: the clean lake. Goes out: tasks with their runs and verdicts, ready to show; reviews go back to the lake. Attempts are made again
in the task's world once and only their verdicts are kept for all tasks.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Final

from dagster_project.clean_records import (
    clean_outcomes_of,
    clusters_of,
    home_days,
    labels_of,
    outcome_policy_of,
    stored_episodes_of,
)
from dagster_project.lake.documents import records
from dagster_project.lake.learnt_tables import FAILURES, ROLLOUTS, TASKS, VERIFIED
from dagster_project.lake.rows import from_rows
from dagster_project.lake.store import Lake
from dagster_project.review.editing.preview import BeforeEdit, Preview, preview
from dagster_project.review.entry import Entry, GradedAttempt
from dagster_project.review.feedback import STALE, with_decision, with_rubric
from dagster_project.review.regrading import Change, Run, compare
from dagster_project.review.review import Review
from dagster_project.review.store import Reviews, keep, reviews_of
from dagster_project.review.verdicts import (
    keep_verdicts,
    rollout_days,
    runs_of_task,
)
from dagster_project.tasks.agreement import HeldOut, held_out_of
from dagster_project.tasks.found_cheats import cheats_of
from dagster_project.tasks.judge_replies import judge_of, replies_of
from dagster_project.tasks.verification import TaskKnowledge, VerifiedTask
from dagster_project.worlds.simulated_replies import simulated_replies
from dagster_project.worlds.stored_worlds import world_of
from environments.diff import title_of
from environments.regrade import (
    Regraded,
    StoredRun,
    actions_of,
    backend_of,
    conversation,
    same_words,
    user_of,
)
from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.candidate import Action, Candidate
from environments.runtime.task.rubric import Rubric
from environments.runtime.task.verdict import Verdict
from environments.runtime.values.canonical import task_version
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.failures.detection import Failure
from synth.labels.label import UNLABELLED, Label, label_episodes
from synth.recordings.attempt import record

SEEN_FOR_S: Final = 5.0
"""For so long what was read is shown, whatever is clicked."""
REMEMBERED: Final = 48
"""Tasks whose runs stay in memory."""
ROLLOUTS_RUN: Final = 400
"""Stored rollouts of one task that are graded again while a person waits."""


class AppDesk:
    """One app on the desk."""

    def __init__(self, lake: Lake, app: str, outcome_policy: Path) -> None:
        self.app = app
        self._lake = lake
        self._policy = outcome_policy
        stored = world_of(lake, app)
        self._world = None if stored is None else World(stored.document)
        self._digest = "" if stored is None else stored.digest
        self._stored_world = stored
        self._stored = records(lake, TASKS, app, Candidate)
        self._verified = records(lake, VERIFIED, app, VerifiedTask)
        self._attacked: dict[tuple[str, str], VerifiedTask] = {}
        """What the gate said while this page was open, by task id and version."""
        self._days = home_days(lake, app)
        self._clusters = {
            member.episode_id: one.name for one in clusters_of(lake, app) for member in one.members
        }
        self._versions: dict[tuple[str, str], str] = {}
        self._verdicts: dict[tuple[str, str], dict[str, Verdict]] = {}
        self._rollout_days = rollout_days(lake, app)
        self.runs = lru_cache(maxsize=REMEMBERED)(self._made_again)
        """The recorded attempts at a task, made again in its world."""
        self.rollouts = lru_cache(maxsize=REMEMBERED)(self._stored_rollouts)
        """The stored rollouts of a task."""
        self._replies: dict[str, Json] = {}
        """What judges said: a verdict on this page is the one that a build and an export give."""
        self._simulated: dict[str, dict[str, Json]] | None = None
        self.reviews = Reviews()
        self.labels: dict[str, Label] = {}
        policy = outcome_policy_of(lake, app, outcome_policy)
        self.outcomes = label_episodes(clean_outcomes_of(lake, app), policy)
        self.refresh()

    @property
    def task_ids(self) -> Sequence[str]:
        """All tasks of the app."""
        return sorted(self._stored)

    @cached_property
    def held_out(self) -> list[HeldOut]:
        """The attempts that were left out once, graded by rubrics made without them."""
        return held_out_of(self._lake, self.app)

    def title(self, task_id: str) -> str:
        """What the user of a task asks for, in a few words."""
        return title_of(self._stored[task_id].task)

    def refresh(self) -> None:
        """Read what people said again: others may be reviewing, too."""
        self.reviews = reviews_of(self._lake, self.app)
        self.labels = labels_of(self._lake, self.app, self._policy)
        replies = replies_of(self._lake, [self.app])
        if replies != self._replies:
            self._replies = replies
            self._verdicts.clear()
            self._attacked.clear()

    def entry(self, task_id: str) -> Entry | None:
        """One task; None if the app has no such task."""
        stored = self._stored.get(task_id)
        if stored is None:
            return None
        candidate = self.in_force(stored)
        version = self._version_in_force(candidate)
        verified = self._verified.get(task_id)
        confirmed = STALE in stored.reasons and STALE not in candidate.reasons
        same = verified is not None and verified.task_version == version and not confirmed
        if verified is not None and same:
            verified = with_decision(verified, self.reviews.decisions.get(task_id))
        return Entry(
            app=self.app,
            stored=stored,
            candidate=candidate,
            version=version,
            verified=verified,
            pending=not same,
            attempts=self._graded_attempts(candidate, version),
            cluster=next(
                (n for a in stored.attempts if (n := self._clusters.get(a.episode_id))), ""
            ),
        )

    def in_force(self, stored: Candidate) -> Candidate:
        """The task with the rubric that holds now."""
        review = self.reviews.rubrics.get(stored.task.task_id)
        return with_rubric(stored, review)

    def _version_in_force(self, candidate: Candidate) -> str:
        """Hashing a task takes milliseconds, and the queue asks for all of them."""
        task_id = candidate.task.task_id
        review = self.reviews.rubrics.get(task_id)
        key = (task_id, review.review_id if review is not None else "")
        if key not in self._versions:
            self._versions[key] = self.version_of(candidate)
        return self._versions[key]

    def version_of(self, candidate: Candidate) -> str:
        """The version of a task as it would be built."""
        return task_version(candidate.task, candidate.rubric, world_digest=self._digest)

    def _graded_attempts(self, candidate: Candidate, version: str) -> tuple[GradedAttempt, ...]:
        task_id = candidate.task.task_id
        if (task_id, version) not in self._verdicts and self._world is not None:
            runs = self.runs(task_id)
            self._verdicts[task_id, version] = {
                key: self._evaluated(candidate.rubric, run, version) for key, run in runs.items()
            }
        verdicts = self._verdicts.get((task_id, version), {})
        return tuple(
            GradedAttempt(
                episode_id=attempt.episode_id,
                outcome=self.outcomes.get(attempt.episode_id, UNLABELLED),
                label=self.labels.get(attempt.episode_id, UNLABELLED),
                said=self.reviews.label_of(attempt.episode_id),
                verdict=verdicts.get(attempt.episode_id),
            )
            for attempt in candidate.attempts
        )

    def _made_again(self, task_id: str) -> dict[str, Attempt]:
        if self._world is None:
            return {}
        stored = self._stored[task_id]
        return {
            attempt.episode_id: run_actions(stored.task, self._world, attempt.actions)
            for attempt in stored.attempts
        }

    def _stored_rollouts(self, task_id: str) -> list[StoredRun]:
        days = self._rollout_days.get(task_id, [])
        return runs_of_task(self._lake, self.app, task_id, days)

    def rollout_run(self, candidate: Candidate, stored: StoredRun) -> Attempt | None:
        """One stored rollout made again; None where it cannot be."""
        messages = conversation(stored.trajectory)
        if messages is None or self._world is None:
            return None
        actions = actions_of(messages, stored.opening)
        if stored.simulator is not None and self._simulated is None:
            self._simulated = simulated_replies(self._lake, [self.app])
        world = backend_of(self._world, stored, self._simulated or {})
        user = user_of(stored, messages)
        return run_actions(candidate.task, world, actions, stored.seed, user=user)

    def verdict(self, entry: Entry, attempt: Attempt | None) -> Verdict | None:
        """What the rubric in force says of a run."""
        if attempt is None:
            return None
        return self._evaluated(entry.candidate.rubric, attempt, entry.version)

    def _evaluated(self, rubric: Rubric, attempt: Attempt, version: str) -> Verdict:
        return evaluate(rubric, attempt, task_version=version, recordings=self._replies)

    def act(self, candidate: Candidate, actions: Sequence[Action]) -> Attempt | None:
        """Actions made in a task's world, to show what a probe did."""
        return None if self._world is None else run_actions(candidate.task, self._world, actions)

    def episode(self, episode_id: str) -> CleanEpisode | None:
        """The clean episode with an id."""
        day = self._days.get(episode_id)
        found = stored_episodes_of(self._lake, self.app, [day]) if day else []
        return next((one for one in found if one.episode_id == episode_id), None)

    def failure(self, episode_id: str) -> Failure | None:
        """What the last build says went wrong in an episode; None where it found no failure."""
        rows = self._lake.read(FAILURES, app=self.app, equals={"episode_id": episode_id})
        return next(iter(from_rows(Failure, rows.to_pylist())), None)

    def episode_messages(self, episode_id: str) -> list[dict[str, Any]]:
        """The recorded conversation of one episode."""
        one = self.episode(episode_id)
        return [] if one is None else messages_of(one)

    def change(self, entry: Entry, rubric: Rubric) -> Change:
        """What another rubric would change for all attempts and rollouts of a task."""
        truth = {graded.episode_id: graded.resolved for graded in entry.attempts}
        runs = [
            Run(name=key, policy="", attempt=attempt, resolved=truth.get(key))
            for key, attempt in self.runs(entry.task_id).items()
        ]
        for stored in self.rollouts(entry.task_id)[:ROLLOUTS_RUN]:
            attempt = self.rollout_run(entry.candidate, stored)
            if attempt is not None:
                name = f"{stored.policy}, seed {stored.seed}"
                runs.append(Run(name=name, policy=stored.policy, attempt=attempt, resolved=None))
        version = self.version_of(replace(entry.candidate, rubric=rubric))
        return compare(
            runs,
            entry.candidate.rubric,
            rubric,
            task_version=version,
            recordings=self._replies,
        )

    def preview(self, review: Review) -> Preview | None:
        """What the next build would say if this rubric review were kept; None without a world to run the gate in."""
        if self._stored_world is None:
            return None
        edited = with_rubric(self._stored[review.task_id], review)
        judge = judge_of(None, self._lake, [self.app])
        before = BeforeEdit(
            world=self._stored_world,
            known=self._gate_verdicts(),
            reviews=self.reviews,
            seen=TaskKnowledge(
                judge=judge,
                found=cheats_of(self._lake, self.app),
                held_out=self.held_out,
            ),
            labels_wait=self.labels_wait,
        )
        stored = [self._stored[task_id] for task_id in self.task_ids]
        found, by_gate = preview(stored, edited, before)
        self._attacked |= {(one.task_id, one.task_version): one for one in by_gate}
        return found

    def _gate_verdicts(self) -> dict[str, VerifiedTask]:
        """What the gate said of each task's version in force; of its last version where it was not attacked yet."""
        known: dict[str, VerifiedTask] = {}
        for task_id, stored in self._stored.items():
            version = self._version_in_force(self.in_force(stored))
            said = self._attacked.get((task_id, version)) or self._verified.get(task_id)
            if said is not None:
                known[task_id] = said
        return known

    @property
    def labels_wait(self) -> bool:
        """Whether a label is newer than the last build: it derives the rubrics of the app again."""
        return any(
            (self.labels.get(attempt.episode_id, UNLABELLED)).resolved != attempt.resolved
            for stored in self._stored.values()
            for attempt in stored.attempts
            if attempt.episode_id in self.reviews.labels
        )

    def save(self, review: Review) -> None:
        """Keep a review; a new rubric's verdicts on stored rollouts are kept beside the old."""
        keep(self._lake, [review])
        self.refresh()
        if review.rubric is not None:
            keep_verdicts(self._lake, self._regraded(self.in_force(self._stored[review.task_id])))

    def _regraded(self, candidate: Candidate) -> list[Regraded]:
        """The stored rollouts of a task, graded with the rubric it carries."""
        version = self.version_of(candidate)
        found: list[Regraded] = []
        for stored in self.rollouts(candidate.task.task_id):
            attempt = self.rollout_run(candidate, stored)
            if attempt is not None:
                verdict = self._evaluated(candidate.rubric, attempt, version)
                same = same_words(attempt.messages, conversation(stored.trajectory) or [])
                found.append(Regraded(run=stored, verdict=verdict, same_run=same))
        return found


class Desk:
    """All apps of a home on one desk."""

    def __init__(self, clean: Path, outcome_policy: Path, apps: Sequence[str]) -> None:
        self._lake = Lake(clean / "lake")
        self._policy = outcome_policy
        self._names = tuple(apps)
        self._apps: dict[str, AppDesk] = {}
        self._built: dict[str, str] = {}
        self._seen_at = 0.0
        self.reload()

    def reload(self) -> None:
        """Read again what a build has changed meanwhile."""
        stamps = self._lake.stamps("tasks")
        verified = self._lake.stamps("verified_tasks")
        rollouts = self._lake.version(ROLLOUTS)
        for app in self._names:
            key = (app, "")
            found = [side[key].digest for side in (stamps, verified) if key in side]
            built = "".join([*found, f"{rollouts}"])
            if self._built.get(app) != built:
                self._apps[app] = AppDesk(self._lake, app, self._policy)
                self._built[app] = built
            else:
                self._apps[app].refresh()
        self._seen_at = time.monotonic()

    def reload_if_old(self) -> None:
        """Read again, but not with every click."""
        if time.monotonic() - self._seen_at > SEEN_FOR_S:
            self.reload()

    @property
    def apps(self) -> tuple[str, ...]:
        """The names of the apps."""
        return self._names

    def app(self, name: str) -> AppDesk | None:
        """One app; None if the home has no such app."""
        return self._apps.get(name)

    def entries(self, heard: Callable[[int, int], None] | None = None) -> Iterator[Entry]:
        """All tasks of all apps."""
        ids = [(one, task_id) for one in self._apps.values() for task_id in one.task_ids]
        for number, (one, task_id) in enumerate(ids, 1):
            entry = one.entry(task_id)
            if entry is not None:
                yield entry
            if heard is not None:
                heard(number, len(ids))


def messages_of(episode: CleanEpisode) -> list[dict[str, Any]]:
    """An episode's messages; a call without a result, which attempts do not hold, is told where nothing else was said."""
    messages = [dict(message) for message in record(episode).attempt.messages]
    said = (message for message in messages if message["role"] == "assistant")
    acts = (step for step in episode.steps if step.role == "assistant")
    for message, step in zip(said, acts, strict=False):
        if step.tool_calls and not message.get("content") and not message.get("tool_calls"):
            made = ", ".join(f"{call.name}({call.arguments})" for call in step.tool_calls)
            message["content"] = f"(called {made}; no answer was recorded)"
    return messages
