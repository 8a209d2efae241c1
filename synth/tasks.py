"""Tasks: groups of recorded attempts become candidates with a task, a rubric and a solution.

In: clean episodes, their labels, the learnt world of their app. Out: one candidate per task, with the reasons why it
cannot be accepted as it stands. Episodes marked `do_not_train` teach nothing here. Not here: the attack on candidates
(`environments.verification`), files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from environments.runtime.attempt import EndState, Json
from environments.runtime.candidate import Candidate, RecordedAttempt
from environments.runtime.canonical import digest
from environments.runtime.task import Limits, Task, UserTurn
from environments.runtime.world import World
from redact.clean_episode import CleanEpisode
from synth.attempts import Group, join_attempts
from synth.labels import Label
from synth.rubric.derive import Derived, derive_rubric
from synth.rubric.facts import Facts, facts_of
from synth.rubric.recorded import Recorded, opening_length, record
from synth.rubric.tool_kinds import ToolKinds, infer_tools
from synth.rubric.traits import AppTraits, traits_of

ID_LENGTH: Final = 32
NEEDS_CONTENT: Final = frozenset({"no_content", "truncated"})
"""What an episode may lack that makes its task unusable."""
MIN_MESSAGES: Final = 30
MIN_CALLS: Final = 40


class LearntWorld(Protocol):
    """What derivation needs of a learnt world (`synth.worlds`)."""

    @property
    def document(self) -> Mapping[str, Any]:
        """The world file."""
        ...

    def start_of(self, episode: CleanEpisode) -> Mapping[str, Any]:
        """The state at an episode's start."""
        ...


@dataclass(frozen=True, slots=True)
class _Start:
    """Where a group's task begins."""

    world: World
    start: Mapping[str, Any]
    at: int

    def end_of(self, facts: Facts) -> EndState:
        """Where the world ends when the attempt's calls are made again."""
        session = self.world.session(self.start, started_at=self.at)
        for call in facts.recorded.attempt.calls:
            session.call(call.name, call.arguments)
        return session.end_state()


def derive_tasks(
    episodes: Iterable[CleanEpisode],
    labels: Mapping[str, Label],
    world: LearntWorld | None,
) -> list[Candidate]:
    """All candidates of one app, in order of their first episode."""
    records = [record(e) for e in episodes if not e.do_not_train and e.steps]
    kinds = infer_tools(records)
    backend = World.from_json(world.document) if world is not None else None
    facts = {
        r.episode.episode_id: facts_of(r, labels.get(r.episode.episode_id), kinds) for r in records
    }
    groups = join_attempts(records, kinds)
    attempts = [[facts[r.episode.episode_id] for r in group.records] for group in groups]
    silent = _silent(list(facts.values()), world, backend)
    traits = traits_of(kinds, attempts, silent=silent)
    candidates = []
    for group, mine in zip(groups, attempts, strict=True):
        start = None
        if world is not None and backend is not None:
            episode = group.anchor.episode
            start = _Start(backend, world.start_of(episode), episode.started_at)
        candidates.append(_candidate(group, mine, traits, start))
    return candidates


def _silent(
    attempts: Sequence[Facts], world: LearntWorld | None, backend: World | None
) -> frozenset[str]:
    """Tools whose writes leave neither an effect nor an event in the world as learnt."""
    if world is None or backend is None:
        return frozenset()
    found: set[str] = set()
    for attempt in attempts:
        tools = {tool for tool, _ in attempt.writes}
        if len(tools) == 1 and not tools <= found:
            episode = attempt.recorded.episode
            end = _Start(backend, world.start_of(episode), episode.started_at).end_of(attempt)
            if not (end.effects or end.events or end.unknown):
                found |= tools
    return frozenset(found)


def task_id_of(app: str, *, task_key: str | None, anchor: str) -> str:
    """The task's identity: over app and task key, else over app and anchor episode."""
    named: list[Json] = ["key", app, task_key] if task_key is not None else ["episode", app, anchor]
    return digest(named)[:ID_LENGTH]


def _candidate(
    group: Group, attempts: Sequence[Facts], traits: AppTraits, start: _Start | None
) -> Candidate:
    anchor = group.anchor.episode
    task_id = task_id_of(anchor.app, task_key=group.task_key, anchor=anchor.episode_id)
    derived = derive_rubric(
        task_id, attempts, traits, end_of=start.end_of if start is not None else None
    )
    shown = (derived.solution or attempts[0]).recorded
    task = _task(task_id, group, shown, kinds=traits.kinds, start=start)
    return Candidate(
        task=task,
        rubric=derived.rubric,
        solution=derived.solution.recorded.actions if derived.solution else (),
        attempts=tuple(
            RecordedAttempt(
                episode_id=a.episode_id, actions=a.recorded.actions, resolved=a.resolved
            )
            for a in attempts
        ),
        reasons=_reasons(derived, shown, start),
    )


def _reasons(derived: Derived, shown: Recorded, start: _Start | None) -> tuple[str, ...]:
    reasons = list(derived.reasons)
    missing = NEEDS_CONTENT.intersection(shown.episode.completeness)
    reasons += sorted(missing)
    if shown.episode.withheld:
        reasons.append("withheld_leaf")
    if not any(m.get("role") == "user" for m in shown.attempt.messages[: shown.attempt.opening]):
        reasons.append("no_request")
    if start is None:
        reasons.append("no_world")
    return tuple(reasons)


def _task(
    task_id: str, group: Group, shown: Recorded, *, kinds: ToolKinds, start: _Start | None
) -> Task:
    episode = shown.episode
    longest = max(len(r.actions) for r in group.records)
    most = max(len(r.attempt.calls) for r in group.records)
    return Task(
        task_id=task_id,
        app=episode.app,
        opening=shown.attempt.messages[: shown.attempt.opening],
        tools=_tools(group),
        world=episode.app,
        start=start.start if start is not None else {},
        started_at=group.anchor.episode.started_at,
        user=_user_turns(shown),
        limits=Limits(
            messages=max(MIN_MESSAGES, 2 * longest + 10), calls=max(MIN_CALLS, 3 * most + 10)
        ),
        terminal_tools=kinds.terminal(),
        provenance=_provenance(group, shown),
    )


def _provenance(group: Group, shown: Recorded) -> dict[str, Json]:
    ids: Sequence[str] = [r.episode.episode_id for r in group.records]
    return {
        "anchor": group.anchor.episode.episode_id,
        "shown": shown.episode.episode_id,
        "episodes": list[Json](ids),
        "joined_by": group.joined_by,
        "subject": group.anchor.episode.subject,
        "redaction": "off" if any(r.episode.redaction == "off" for r in group.records) else "on",
    }


def _tools(group: Group) -> tuple[Mapping[str, Json], ...]:
    """Every tool that any attempt at the task was offered."""
    found: dict[str, Mapping[str, Json]] = {}
    for text in (t for recorded in group.records for t in recorded.episode.tools):
        definition = json.loads(text)
        function = definition.get("function", definition)
        found.setdefault(str(function.get("name")), definition)
    return tuple(found[name] for name in sorted(found))


def _user_turns(shown: Recorded) -> tuple[UserTurn, ...]:
    """What the user said after the opening, each turn with the words it answered."""
    steps = shown.episode.steps
    last = max((i for i, s in enumerate(steps) if s.role == "assistant"), default=-1)
    turns: list[UserTurn] = []
    asked = ""
    for index, step in enumerate(steps):
        if step.role == "assistant" and step.content:
            asked = step.content
        elif step.role == "user" and index >= opening_length(shown.episode):
            turns.append(UserTurn(text=step.content or "", asked=asked, ends=index > last))
    return tuple(turns)
