"""Tasks: groups of recorded attempts become candidates with a task, a rubric and a solution.

In: clean episodes, their labels, the learnt world of their app. Out: one candidate per task, with the reasons why it
cannot be accepted as it stands. Episodes marked `do_not_train` teach nothing here. Not here: the attack on candidates
(`environments.verification`), files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import reduce
from typing import Final

from environments.runtime.document.tools import ToolPart
from environments.runtime.play.environment import run_actions
from environments.runtime.task.attempt import UNKNOWN, Attempt, Json
from environments.runtime.task.candidate import Action, Candidate, RecordedAttempt
from environments.runtime.task.rubric import Rubric
from environments.runtime.task.task import Limits, Task, UserTurn
from environments.runtime.task.tool_definition import definition_of, function_of, name_of
from environments.runtime.values.canonical import digest
from environments.runtime.values.normal import stable
from environments.runtime.views.formats import fits
from environments.runtime.views.multiplexed import EMPTY
from environments.runtime.world.versions import outdated
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.attempts.constructed_attempts import BY, actions_of, asked_after, consent_to
from synth.attempts.grouping import Group, join_attempts
from synth.attempts.host_arguments import injected_arguments, without_injected
from synth.attempts.later_attempts import join_later
from synth.attempts.readings import Readings
from synth.attempts.recorded_path import is_walked, path_of
from synth.attempts.reference_answers import (
    Wanted,
    label_by_answer,
    provenance_of,
    said_in,
    wanted_of,
    why_no_answer,
)
from synth.attempts.starts import LearntWorld, Start, Starts
from synth.attempts.user_turns import acts_first, user_turns
from synth.attempts.withheld_values import needs_withheld
from synth.inferred_tools import ToolBook, tools_from_calls
from synth.labels import Label
from synth.recordings.attempt import EpisodeAttempt, record
from synth.recordings.attempt_facts import Facts, facts_of
from synth.recordings.calculators import calculators
from synth.recordings.failing_writers import failing_writers
from synth.recordings.results import Results, plain_attempt
from synth.recordings.tool_kinds import ToolKinds, infer_tools
from synth.recordings.traits import AppTraits, language_of, traits_of
from synth.rubric.derive import Derived, derive_rubric
from synth.rubric.dictated_texts import as_dictated, as_worded
from synth.rubric.habits import FAIL, NO_ACT, faults_of, same_end
from synth.rubric.policy_rules import rule_checks
from synth.rubric.references import Reference
from synth.solutions.constructed_ends import Intents
from synth.solutions.corrected_ends import NOT_SAID, OTHER_TOOL, CorrectionPlanner, fault_of_run
from synth.solutions.corrections import Correction, Said, join_corrections
from synth.solutions.plans import Doubts, Plan, Unbound

ID_LENGTH: Final = 32
NEEDS_CONTENT: Final = frozenset({"no_content", "truncated"})
"""What an episode may lack that makes its task unusable."""
FAULT: Final = "fault"
"""Reason: making a part of it failed."""
MIN_MESSAGES: Final = 30
MIN_CALLS: Final = 40


Unit = Callable[[str, str], AbstractContextManager[object]]
"""What one episode is read inside of, or one task made."""


def _no_unit(_kind: str, _unit: str) -> AbstractContextManager[object]:
    return nullcontext()


def derive_tasks(  # noqa: PLR0913 - all that a build knows of an app
    episodes: Iterable[CleanEpisode],
    labels: Mapping[str, Label],
    world: LearntWorld | None,
    *,
    corrections: Mapping[str, Said] | None = None,
    references: Mapping[str, Reference] | None = None,
    unit: Unit = _no_unit,
    judged: bool = False,
    readings: Readings | None = None,
) -> list[Candidate]:
    """All candidates of one app, in order of their first episode; `corrections` say what people did about failed ones.

    `references` say what the right answers were; `judged`: a judge answers what only a judge can tell of the prompt's rules, without one
    no check asks it.

    Who derives from nearly the same episodes again hands in the same `readings`: each is then read once.

    Each episode is read, and each task made, inside a `unit` (its kind and our id of it): a caller that takes in what one raises gets all
    others.
    """
    backend = World(world.document) if world is not None else None
    several = backend.dispatched if backend is not None else EMPTY
    usable = [e for e in episodes if not e.do_not_train and e.steps]
    tools = ToolBook(usable)
    readings = readings or Readings()

    def read(whole: CleanEpisode) -> EpisodeAttempt:
        results = Results.of_episode(backend, whole) if backend is not None else None
        return record(whole, several, results)

    records: list[EpisodeAttempt] = []
    for e in usable:
        with unit("episode", e.episode_id):
            records.append(readings.attempt_of(tools.completed(e), read))
    injected = injected_arguments(records)
    kinds = infer_tools(records, reads=_reads(world), dispatched=several)
    kinds = kinds.with_injected(injected.tools)
    facts = {
        r.episode.episode_id: readings.facts(r, labels.get(r.episode.episode_id), kinds)
        for r in records
    }
    groups = join_attempts(records, kinds)
    attempts = [[facts[r.episode.episode_id] for r in group.records] for group in groups]
    failing = failing_writers(attempts)
    if failing:
        kinds = kinds.with_failing(failing)
        facts = {name: readings.facts(f.recorded, f.label, kinds) for name, f in facts.items()}
        attempts = [[facts[r.episode.episode_id] for r in group.records] for group in groups]
    silent = _silent(list(facts.values()), world, backend)
    if world is None or backend is None:
        traits = traits_of(kinds, attempts, silent=silent)
        alone = [_Attempts(g, m) for g, m in zip(groups, attempts, strict=True)]
        return [
            without_injected(c, injected)
            for c in _candidates(alone, traits, None, unit, judged=judged)
        ]
    starts = Starts(backend, world)
    intents = Intents(list(facts.values()), kinds, starts.session)
    if backend.living:
        groups = join_later(groups, facts, kinds, alike=intents.alike_episodes)
        attempts = [[facts[r.episode.episode_id] for r in group.records] for group in groups]
    language = language_of(list(facts.values()))
    wanted = [wanted_of(a, references or {}, kinds, language=language) for a in attempts]
    attempts = [label_by_answer(a, w) for a, w in zip(attempts, wanted, strict=True)]
    makers = _Makers(intents, CorrectionPlanner(intents, kinds, several), corrections or {})
    found: list[_Attempts] = []
    for g, mine, right in zip(groups, attempts, wanted, strict=True):
        made: _Construction | None = _Construction(why_not=FAULT)
        with unit("solution", _id_of(g)):
            begins = starts.start_of(g.begins)
            made = _construct(g, mine, makers, begins, kinds)
            if right is not None and (made is None or made.facts is None):
                made = _construct_answer(g, mine, right, begins, kinds) or made
        found.append(_Attempts(g, mine, made, right))
    also = [*intents.foretold_peers(), *(one for f in found for one in _ended_right(f, kinds))]
    risk = world.document.recall.risk if world.document.recall is not None else 0.0
    traits = traits_of(kinds, attempts, silent=silent, risk=risk, also=also)
    candidates = _candidates(found, traits, starts, unit, judged=judged)
    return [without_injected(c, injected) for c in candidates]


def _candidates(
    found: Sequence[_Attempts],
    traits: AppTraits,
    starts: Starts | None,
    unit: Unit,
    *,
    judged: bool,
) -> list[Candidate]:
    out: list[Candidate] = []
    for one in found:
        with unit("task", _id_of(one.group)):
            begins = starts.start_of(one.group.begins) if starts is not None else None
            begins = (one.made and one.made.start) or begins
            out.append(_candidate(one, traits, begins, judged=judged))
    return out


def _id_of(group: Group) -> str:
    anchor = group.anchor.episode
    return task_id_of(anchor.app, task_key=group.task_key, anchor=anchor.episode_id)


def _ended_right(found: _Attempts, kinds: ToolKinds) -> Iterable[tuple[bool, frozenset[str]]]:
    """Failed attempts that changed exactly what would have been right, with their faults: those are why they failed."""
    made = found.made.facts if found.made is not None else None
    if made is not None and made.writes:
        for attempt in found.facts:
            if attempt.resolved is False and same_end(attempt, made):
                yield False, faults_of(attempt, kinds)


@dataclass(frozen=True, slots=True)
class _Construction:
    """A constructed attempt, or why there is none."""

    facts: Facts | None = None
    plan: Plan | None = None
    turn: UserTurn | None = None
    failed: Facts | None = None
    places: tuple[int, ...] = ()
    """The user's turns before which `turn` comes."""
    why_not: str = ""
    start: Start | None = None
    """Where the task begins, with what is believed of the calls that make it right."""


@dataclass(frozen=True, slots=True)
class _Attempts:
    """The attempts at one task, and the constructed one where nobody resolved it."""

    group: Group
    facts: Sequence[Facts]
    made: _Construction | None = None
    wanted: Wanted | None = None


@dataclass(frozen=True, slots=True)
class _Makers:
    """What tells the right ends of failed requests."""

    intents: Intents
    corrected: CorrectionPlanner
    corrections: Mapping[str, Said]

    def said_correction(self, attempts: Iterable[Facts]) -> tuple[Facts | None, Said | None]:
        """What people say that they did about a request, with the first attempt of which they say it."""
        told = [a for a in attempts if a.episode_id in self.corrections]
        said = [self.corrections[a.episode_id] for a in told]
        return (told[0], reduce(join_corrections, said)) if told else (None, None)


def _construct(
    group: Group, attempts: Sequence[Facts], makers: _Makers, start: Start, kinds: ToolKinds
) -> _Construction | None:
    """A solution of a request that nobody resolved: what a person did, else what alike requests got."""
    if any(a.resolved for a in attempts):
        return None
    unresolved = [a for a in attempts if a.resolved is False]
    why_not = ""
    about, said = makers.said_correction(unresolved)
    if about is not None and said is not None:
        plan = makers.corrected.plan(about, said) if isinstance(said, Correction) else said
        if isinstance(plan, Plan):
            made, run = _construct_from_plan(plan, group, about, start=start, kinds=kinds)
            plan = fault_of_run(run, plan) or plan
            if isinstance(plan, Plan):
                return made
        if plan not in {OTHER_TOOL, NOT_SAID}:
            # Whoever did it knows better than requests that look alike.
            return _Construction(why_not=plan.reason)
        why_not = plan.reason
    for failed in unresolved:
        plan = makers.intents.construct(failed)
        if isinstance(plan, Unbound):
            why_not = why_not or plan.reason
            continue
        if why_not == NOT_SAID.reason and not makers.corrected.agrees(plan, said):
            continue
        return _construct_from_plan(plan, group, failed, start=start, kinds=kinds)[0]
    return _Construction(why_not=why_not) if why_not else None


def _construct_answer(
    group: Group, attempts: Sequence[Facts], wanted: Wanted, start: Start, kinds: ToolKinds
) -> _Construction | None:
    """A solution that says the reference, of a request that nobody is known to have resolved."""
    if any(a.resolved for a in attempts):
        return None
    offered = [name_of(function_of(tool)) for tool in _tools(group)]
    why_not = why_no_answer(attempts, wanted, kinds, offered)
    if why_not:
        return _Construction(why_not=why_not)
    shown = next((a for a in attempts if a.resolved is False), attempts[0])
    task = _task("", group, shown.recorded, kinds=kinds, start=start)
    return _Construction(said_in(task, start, shown, wanted, kinds), failed=shown)


def _construct_from_plan(
    plan: Plan, group: Group, failed: Facts, *, start: Start, kinds: ToolKinds
) -> tuple[_Construction, Attempt]:
    """The constructed attempt of a plan, and its run."""
    turn = consent_to(plan, failed, kinds)
    places = asked_after(failed, kinds, changes=len(plan.steps))
    task = _task("", group, failed.recorded, kinds=kinds, start=start)
    task = _agreeing(task, turn, places, plan.answers)
    steps = actions_of(plan, failed, kinds)
    actions = tuple(map(start.world.dispatched.as_asked, steps))
    begins, attempt = _played(task, actions, plan, start)
    told = plain_attempt(start.world, attempt)
    recorded = replace(failed.recorded, attempt=told, actions=actions, unanswered=0)
    label = Label(resolved=True, confidence=plan.confidence, by=BY, provenance=plan.origin)
    made = facts_of(recorded, label, kinds)
    return _Construction(made, plan, turn, failed, places, start=begins), attempt


def _played(
    task: Task, actions: Sequence[Action], plan: Plan, start: Start
) -> tuple[Start, Attempt]:
    """The solution's run; where the world knows everything but whether a change succeeds, alike users' success counts."""
    attempt = run_actions(task, start.world, actions)
    steps = {(step.tool, stable(step.arguments)) for step in plan.steps}
    dark = {(c.name, stable(c.arguments)) for c in attempt.calls if c.result.source == UNKNOWN}
    if not dark or not dark <= steps or plan.chose_a_record:
        return start, attempt
    believing = start.believing(plan)
    again = run_actions(replace(task, start=believing.start), start.world, actions)
    known = all(c.result.source != UNKNOWN for c in again.calls)
    return (believing, again) if known else (start, attempt)


def _reads(world: LearntWorld | None) -> dict[str, str]:
    """Tools that change nothing whatever their names say, each with the reason."""
    if world is None:
        return {}
    found = dict.fromkeys(calculators(world.document.tools), "it calculates")
    return found | dict.fromkeys(world.document.reads, "a person says so")


def _silent(
    attempts: Sequence[Facts], world: LearntWorld | None, backend: World | None
) -> frozenset[str]:
    """Tools whose writes leave neither an effect nor a write in the world as learnt, which may hold them for reads."""
    if world is None or backend is None:
        return frozenset()
    known = world.document.tools
    written = {tool for attempt in attempts for tool, _ in attempt.writes}
    found = {n for n in written & known.keys() if _changes_no_record(known[n])}
    for attempt in attempts:
        tools = {tool for tool, _ in attempt.writes}
        if len(tools) == 1 and not tools <= found:
            episode = attempt.recorded.episode
            end = Start(backend, world.start_of(episode), episode.started_at).end_of(attempt)
            written_down = any(event.kind == "write" for event in end.events)
            if not (end.effects or written_down or end.unknown):
                found |= tools
    return frozenset(found)


def _changes_no_record(tool: ToolPart) -> bool:
    """Whether the world holds that it looks or only happens: what it may leave, the world does not show."""
    return tool.kind != "write" and not tool.writes


def task_id_of(app: str, *, task_key: str | None, anchor: str) -> str:
    """The task's identity: over app and task key, else over app and anchor episode."""
    named: list[Json] = ["key", app, task_key] if task_key is not None else ["episode", app, anchor]
    return digest(named)[:ID_LENGTH]


def _candidate(
    found: _Attempts, traits: AppTraits, start: Start | None, *, judged: bool
) -> Candidate:
    group, attempts, made = found.group, found.facts, found.made or _Construction()
    shows = [*attempts, made.facts] if made.facts is not None else attempts
    prose = start.world.prose if start is not None else {}
    free = {tool: one.names for tool, one in prose.items()}
    kinds = as_worded(shows, as_dictated(shows, traits.kinds, free))
    if kinds is not traits.kinds:
        traits = replace(traits, kinds=kinds)
        shows = [facts_of(f.recorded, f.label, kinds) for f in shows]
    if made.facts is not None and made.facts.acts:
        # Who alike handed over or acted otherwise shows in no end: here the act is the end.
        traits = replace(traits, unforgiven={**traits.unforgiven, NO_ACT: FAIL})
    task_id = _id_of(group)
    derived, shown, task = _derived(task_id, found, shows, traits, start)
    if start is not None and made.plan is None and derived.solution is not None:
        others = [r for r in group.records if r is not shown]
        if not is_walked(task, start.world, shown):
            start = start.along_path(path_of(start.world, shown, others))
            derived, shown, task = _derived(task_id, found, shows, traits, start)
    if made.plan is not None:
        task = _agreeing(task, made.turn, made.places, made.plan.answers)
        named = "outcomes" if made.plan.source else "like"
        solved: dict[str, Json] = {
            "solution": made.plan.source or BY,
            named: list[Json](made.plan.origin),
        }
        if made.plan.supposed:
            solved["supposed"] = {t: list[Json](sorted(n)) for t, n in made.plan.supposed.items()}
        task = replace(task, provenance={**task.provenance, **solved})
    elif made.facts is not None and found.wanted is not None:
        task = replace(task, provenance={**task.provenance, **provenance_of(found.wanted)})
    return Candidate(
        task=task,
        rubric=_with_rules(derived, shows, task, judged=judged),
        solution=derived.solution.recorded.actions if derived.solution else (),
        attempts=tuple(
            RecordedAttempt(
                episode_id=a.episode_id,
                actions=a.recorded.actions,
                resolved=a.resolved,
                tells=tuple(sorted(a.told_facts.kinds)),
                without_ground=tuple(sorted({f.kind for f in a.told_facts.groundless})),
            )
            for a in attempts
        ),
        reasons=(
            *_reasons(derived, shown, start, task),
            *_outdated(group, start),
            *_told_anew(derived, start),
            *([made.why_not] if made.why_not else []),
        ),
    )


def _with_rules(derived: Derived, shows: Sequence[Facts], task: Task, *, judged: bool) -> Rubric:
    """The rubric with the rules that the task's instructions state, where it is known how the task is done."""
    if derived.solution is None:
        return derived.rubric
    resolved = [a.recorded.attempt for a in shows if a.resolved]
    rules = rule_checks(task, resolved, judged=judged)
    return replace(derived.rubric, checks=(*derived.rubric.checks, *rules))


def _derived(
    task_id: str, found: _Attempts, shows: Sequence[Facts], traits: AppTraits, start: Start | None
) -> tuple[Derived, EpisodeAttempt, Task]:
    """What derivation finds, the attempt that the task shows, and the task."""
    derived = derive_rubric(
        task_id,
        shows,
        traits,
        end_of=start.end_of if start is not None else None,
        doubts=_doubts(found.made.plan if found.made is not None else None),
        wanted=found.wanted.check if found.wanted is not None else None,
    )
    shown = (derived.solution or found.facts[0]).recorded
    return derived, shown, _task(task_id, found.group, shown, kinds=traits.kinds, start=start)


def _doubts(plan: Plan | None) -> Doubts:
    return Doubts() if plan is None else Doubts(corrected=plan.corrected, supposed=plan.supposed)


def _reasons(
    derived: Derived, shown: EpisodeAttempt, start: Start | None, task: Task
) -> tuple[str, ...]:
    reasons = list(derived.reasons)
    missing = NEEDS_CONTENT.intersection(shown.episode.completeness)
    reasons += sorted(missing)
    if shown.episode.withheld and (by := needs_withheld(task, shown.attempt, derived.rubric)):
        reasons.append(f"withheld_leaf:{by}")
    if not any(m.get("role") == "user" for m in shown.attempt.messages[: shown.attempt.opening]):
        reasons.append("no_request")
    if start is None:
        reasons.append("no_world")
    if acts_first(shown.episode):
        reasons.append("user_acts_first")
    return tuple(reasons)


def _outdated(group: Group, start: Start | None) -> tuple[str, ...]:
    """A reason where a tool that the attempts call has become another since: what is trained on would be the past."""
    versions = start.world.versions if start is not None else {}
    gone = any(
        outdated(versions, (c.name for c in r.attempt.calls), r.episode.started_at)
        for r in group.records
    )
    return ("tool_changed",) if gone else ()


def _told_anew(derived: Derived, start: Start | None) -> tuple[str, ...]:
    """A reason where users have to be told a time or id that every run of the world tells otherwise."""
    fresh = start.world.document.views.fresh if start is not None else None
    marks = fresh.marks if fresh is not None else {}
    values = [check.args.get("value") for check in derived.rubric.checks if check.fn == "told"]
    # A number that says nothing of the answer fits every number that a user is told.
    drawn = [mark.form for mark in marks.values() if mark.form.kind != "number"]
    anew = any(fits(mark, value) for mark in drawn for value in values)
    return ("told_by_format",) if anew else ()


def _task(
    task_id: str,
    group: Group,
    shown: EpisodeAttempt,
    *,
    kinds: ToolKinds,
    start: Start | None,
) -> Task:
    episode = shown.episode
    longest = max(len(r.actions) for r in group.records)
    most = max(len(r.attempt.calls) for r in group.records)
    offered = _tools(group)
    return Task(
        task_id=task_id,
        app=episode.app,
        opening=shown.attempt.messages[: shown.attempt.opening],
        tools=offered,
        world=episode.app,
        start=start.start if start is not None else {},
        started_at=group.begins.episode.started_at,
        user=user_turns(shown.episode),
        limits=Limits(
            messages=max(MIN_MESSAGES, 2 * longest + 10), calls=max(MIN_CALLS, 3 * most + 10)
        ),
        terminal_tools=kinds.stopping(),
        closing_tools=kinds.closing(),
        dispatched=start.world.dispatched.to_json() if start is not None else {},
        provenance=_provenance(group, shown, offered),
    )


def _provenance(
    group: Group, shown: EpisodeAttempt, tools: Iterable[Mapping[str, Json]]
) -> dict[str, Json]:
    ids: Sequence[str] = [r.episode.episode_id for r in group.records]
    inferred = tools_from_calls(tools)
    return {
        "anchor": group.anchor.episode.episode_id,
        "shown": shown.episode.episode_id,
        "episodes": list[Json](ids),
        "joined_by": group.joined_by,
        "subject": group.anchor.episode.subject,
        "redaction": "off" if any(r.episode.redaction == "off" for r in group.records) else "on",
        **({"tools_from_calls": list[Json](inferred)} if inferred else {}),
    }


def _tools(group: Group) -> tuple[Mapping[str, Json], ...]:
    """Every tool that any attempt at the task was offered."""
    found: dict[str, Mapping[str, Json]] = {}
    for text in (t for recorded in group.records for t in recorded.episode.tools):
        definition = definition_of(text)
        function = function_of(definition)
        # Nobody can call what has no name.
        if function:
            found.setdefault(name_of(function), definition)
    return tuple(found[name] for name in sorted(found))


def _agreeing(
    task: Task, consent: UserTurn | None, places: Sequence[int], answers: Sequence[UserTurn]
) -> Task:
    """The task with a user who agrees when asked, wherever the question was due, and answers what comes before it."""
    if consent is None:
        return task
    turns = list(task.user)
    for place in sorted(places, reverse=True):
        turns.insert(place, consent)
    first = min(places)
    return replace(task, user=(*turns[:first], *answers, *turns[first:]))
