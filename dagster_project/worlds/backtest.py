"""The backtest: held-out chat logs through the same redaction, replayed and graded by what a home has learnt.

Comes in: chat-log files and a home. Goes out: the JSON that `backtest --json` writes. The home is not changed: surrogates are keyed, so a value
gets here what it got there. Where a task names a held-out episode's key, calls start from its state, else from the app's at the time the
episode started.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any

from dagster_project.build.progress import report_each
from dagster_project.clean_records import (
    clean_episodes_of,
    outcome_policy_of,
)
from dagster_project.defs.resources import CleanSide
from dagster_project.errors import InputError
from dagster_project.home.layout import Home
from dagster_project.home.locks import lock
from dagster_project.lake.documents import records
from dagster_project.lake.learnt_tables import TASKS, VERIFIED, WORLDS
from dagster_project.lake.store import Lake
from dagster_project.privacy.gate import knowledge_of, policy_of, vault_of
from dagster_project.tasks.shares import agreement, says_resolved
from dagster_project.tasks.verification import VerifiedTask
from dagster_project.worlds.recorded_calls import recorded_calls, recorded_episodes
from dagster_project.worlds.stored_worlds import StoredWorld, world_of
from environments.fidelity import RecordedEpisode, record_tape, replay
from environments.frontier import Replayed, frontier, reliability
from environments.llm import ModelChoice
from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import run_actions
from environments.runtime.sessions.simulated_session import SimulatedWorld
from environments.runtime.task.candidate import Candidate
from environments.runtime.values.canonical import task_version
from environments.runtime.world.world import World
from environments.simulate import Background, Simulator
from environments.verify import ACCEPTED
from ingest.files.chat_log import Chat
from ingest.files.telemetry_files import read_file
from ingest.otlp.decode import decode
from ingest.records.app_name import UNNAMED
from ingest.records.quarantine import Rejected
from redact.apply.learn import learn
from redact.apply.scrub import scrub, scrub_outcomes
from redact.evidence.app_values import merge
from redact.records.clean_episode import CleanEpisode
from redact.records.clean_outcome import CleanOutcome
from synth.labels.label import label_episodes
from synth.recordings.attempt import record
from synth.task_parts import task_id_of
from synth.world.observation import histories
from synth.world.views.callers import learn_envelopes

VERDICTS = ("calls", "exact", "equivalent", "wrong", "unknown", "simulated")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """One held-out episode past the same gate."""

    given_id: str
    """The line's own id; another where it holds what is personal."""
    episode: CleanEpisode
    resolved: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedEpisode:
    """What a task's rubric says of a held-out episode, as the document has it."""

    episode_id: str
    """As it was given."""
    task_id: str | None = None
    task_version: str | None = None
    status: str = "no_task"
    """The task's own status, or why there is none: `no_task`, `no_app`."""
    outcome: float | None = None
    predicted: float | None = None
    reward: float | None = None
    reason: str = ""


def backtest(
    home: Home,
    files: Sequence[Path],
    *,
    secret: bytes,
    simulated_by: ModelChoice | None = None,
) -> dict[str, Any]:
    """Replay and grade held-out chat logs with what the home knows; nothing that a model simulates is kept."""
    clean = CleanSide(home=str(home.path))
    known = {app for (app,) in clean.lake.counts(WORLDS)}
    if not known:
        raise InputError(
            f"{home.path} has learnt nothing yet; make its worlds with: tracegym build --home {quote(str(home.path))}"
        )
    chats, rejected = _read(files, _app_of_unnamed(known))
    if not chats:
        why = f": {rejected[0].reason}" if rejected else ""
        raise InputError(f"no episode of {files[0]} can be used{why}")
    found = _Findings()
    for app in sorted({chat.episode.app for chat in chats}):
        mine = [chat for chat in chats if chat.episode.app == app]
        held = _past_the_gate(home, app, mine, clean, secret)
        if app in known:
            _App(clean.lake, app).measure(held, found, simulated_by)
        else:
            found.graded += [
                GradedEpisode(
                    episode_id=one.given_id,
                    status="no_app",
                    outcome=_number(one.resolved),
                    reason="the home has no world of this app",
                )
                for one in held
            ]
    return found.to_json(rejected)


def _app_of_unnamed(known: Collection[str]) -> str | None:
    """The app of held-out episodes that name none: the home's only one, or the one of data that never named any."""
    return next(iter(known)) if len(known) == 1 else UNNAMED if UNNAMED in known else None


def _read(files: Sequence[Path], named_after: str | None) -> tuple[list[Chat], list[Rejected]]:
    chats: list[Chat] = []
    rejected: list[Rejected] = []
    for path in files:
        for number, body in enumerate(read_file(path, named_after=named_after)):
            if isinstance(body, Rejected):
                rejected.append(body)
                continue
            decoded = decode(body.stored(number))
            chats += decoded.chats
            rejected += decoded.rejected
    return chats, rejected


def _past_the_gate(
    home: Home, app: str, chats: Sequence[Chat], clean: CleanSide, secret: bytes
) -> list[HeldOut]:
    """The episodes as the home's own would look, with their labels."""
    policy = policy_of(home)
    episodes = [chat.episode for chat in chats]
    outcomes = [outcome for chat in chats for outcome in chat.outcomes]
    with lock(home, "vault"):
        vault = vault_of(home, secret)
        known = knowledge_of(Lake(home.private / "lake"), vault, app).learnt
        learnt = merge(known, learn(episodes, outcomes, policy=policy))
        gate = scrub(episodes, learnt=learnt, vault=vault, policy=policy, judged_by=known)
        scrubbed = list(gate)
        said: list[CleanOutcome] = list(
            scrub_outcomes(outcomes, learnt=learnt, vault=vault, policy=policy)
        )
    labels = label_episodes(said, outcome_policy_of(clean.lake, app, clean.outcome_policy))
    return [
        HeldOut(
            given_id=one.given_id,
            episode=one.clean,
            resolved=labels[one.clean.episode_id].resolved
            if one.clean.episode_id in labels
            else None,
        )
        for one in scrubbed
    ]


class _App:
    """What a home knows of one app, ready to be asked."""

    def __init__(self, lake: Lake, app: str) -> None:
        world = world_of(lake, app)
        if world is None:
            raise InputError(f"the world of {app} is missing; run the build again")
        self._app = app
        self._stored: StoredWorld = world
        self._world = World(world.document)
        self._tasks = records(lake, TASKS, app, Candidate)
        self._verdicts = records(lake, VERIFIED, app, VerifiedTask)
        self._tape = record_tape(recorded_episodes(clean_episodes_of(lake, app)))

    def measure(
        self, held: Sequence[HeldOut], found: "_Findings", simulated_by: ModelChoice | None
    ) -> None:
        """Replay and grade, into the findings."""
        asked = []
        for one in held:
            task = self._task_of(one.episode)
            calls = (
                recorded_calls(one.episode, start=task.task.start, started_at=task.task.started_at)
                if task
                else recorded_calls(one.episode, place=self._world.prompt_subject)
            )
            asked.append(calls)
        with _with_simulator(self._world, simulated_by) as world:
            fidelity = replay(
                world,
                report_each("replay", asked, self._app),
                tape=self._tape,
                envelopes=self._envelopes(held),
            )
        new = {one.episode.episode_id for one in held if self._task_of(one.episode) is None}
        counts = fidelity.restricted_to(new).to_json()
        unseen = {name: counts[name] for name in (*VERDICTS, "tape")}
        if simulated_by is not None:
            found.add({"simulation": fidelity.simulation()})
        found.add(
            {
                "frontier": frontier(self._world, self._replayed(asked, held)),
                "reliability": reliability(fidelity.judged),
            }
        )
        found.risks[self._app] = self._world.risk
        found.add({**fidelity.to_json(), "unseen_tasks": {"episodes": len(new), **unseen}})
        for one in report_each("grade", held, self._app):
            found.graded.append(self._grade(one))

    def _replayed(self, asked: Sequence[RecordedEpisode], held: Sequence[HeldOut]) -> Replayed:
        envelopes = self._envelopes(held)
        return lambda world: replay(world, asked, envelopes=envelopes)

    def _envelopes(self, held: Sequence[HeldOut]) -> dict[str, dict[str, Any]]:
        """How callers that the home has never heard wrap their results, learnt from their own held-out logs."""
        found = learn_envelopes(histories([one.episode for one in held]))
        return {
            caller: form for caller, form in found.items() if caller not in self._world.envelopes
        }

    def _task_of(self, episode: CleanEpisode) -> Candidate | None:
        if episode.task_key is None:
            return None
        return self._tasks.get(task_id_of(self._app, task_key=episode.task_key, anchor=""))

    def _grade(self, one: HeldOut) -> GradedEpisode:
        candidate = self._task_of(one.episode)
        outcome = _number(one.resolved)
        if candidate is None:
            return GradedEpisode(
                episode_id=one.given_id,
                outcome=outcome,
                reason="no task of the home has this episode's task_key",
            )
        digest = self._stored.digest
        version = task_version(candidate.task, candidate.rubric, world_digest=digest)
        attempt = run_actions(candidate.task, self._world, record(one.episode).actions)
        verdict = evaluate(candidate.rubric, attempt, task_version=version)
        verified = self._verdicts.get(candidate.task.task_id)
        return GradedEpisode(
            episode_id=one.given_id,
            task_id=candidate.task.task_id,
            task_version=version,
            status=verified.status if verified else "not_verified",
            outcome=outcome,
            predicted=verdict.predicted,
            reward=verdict.reward,
            reason=verdict.reason,
        )


@contextmanager
def _with_simulator(world: World, choice: ModelChoice | None) -> Iterator[World | SimulatedWorld]:
    """The world, with a model where nobody knows and the tool's policy allows one."""
    if choice is None or not world.simulates:
        yield world
        return
    with closing(Background()) as background:
        ask = Simulator(
            document=world.document, complete=choice.complete(), background=background, breaks=True
        )
        yield SimulatedWorld(world, ask=ask)


@dataclass(slots=True)
class _Findings:
    """Findings over all apps."""

    fidelity: dict[str, Any] = field(default_factory=dict)
    graded: list[GradedEpisode] = field(default_factory=list)
    risks: dict[str, float] = field(default_factory=dict)
    """The chosen risk of each app."""

    def add(self, counts: Mapping[str, Any]) -> None:
        """Add one app's counts."""
        self.fidelity = _added(self.fidelity, counts)

    def to_json(self, rejected: Sequence[Rejected]) -> dict[str, Any]:
        """The whole document; every key is there even when nothing was counted."""
        nothing = dict.fromkeys(VERDICTS, 0)
        tape = {"exact": 0, "wrong": 0}
        empty = {
            **nothing,
            "by_tool": {},
            "by_source": {},
            "writes": dict(nothing),
            "reads": dict(nothing),
            "tape": tape,
            "unseen_tasks": {"episodes": 0, **nothing, "tape": tape},
            "frontier": {},
            "reliability": {"by_confidence": {}, "by_tool": {}},
        }
        document = _added(empty, self.fidelity)
        accepted = [one for one in self.graded if one.status == ACCEPTED]
        return {
            **document,
            "risk": dict(sorted(self.risks.items())),
            "episodes": [asdict(one) for one in self.graded],
            "graders": {"all": grader_figures(self.graded), "accepted": grader_figures(accepted)},
            "quarantined": dict(Counter(record.code for record in rejected)),
        }


def _added(left: Mapping[str, Any], right: Mapping[str, Any]) -> dict[str, Any]:
    total = dict(left)
    for key, value in right.items():
        before = total.get(key)
        total[key] = (
            _added(before or {}, value) if isinstance(value, Mapping) else (before or 0) + value
        )
    return total


def grader_figures(graded: Iterable[GradedEpisode]) -> dict[str, Any]:
    """How the agreement verdict of rubrics compares with what users reported; None is not graded."""
    judged = [one for one in graded if one.task_id is not None]
    found = agreement((says_resolved(one.outcome), one.predicted) for one in judged)
    return {
        "episodes": found.labelled,
        "graded": found.graded,
        "agreement": found.share,
        "kappa": found.kappa,
        "false_pass": found.false_pass,
        "false_fail": found.false_fail,
    }


def _number(resolved: bool | None) -> float | None:  # noqa: FBT001 - a label, not a switch
    return None if resolved is None else float(resolved)
