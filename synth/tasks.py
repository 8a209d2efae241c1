"""Tasks: groups of recorded attempts become candidates with a task, a rubric and a solution.

In: clean episodes, their labels, the learnt world of their app. Out: one candidate per task, with the reasons why it
cannot be accepted as it stands. Episodes marked `do_not_train` teach nothing here. Not here: the attack on candidates
(`environments.verification`), files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Final

from environments.runtime.checks.arguments import at_value
from environments.runtime.document.tools import ToolPart
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Candidate, RecordedAttempt
from environments.runtime.task.rubric import Rubric
from environments.runtime.task.task import Task
from environments.runtime.values.formats import fits, is_day
from environments.runtime.views.idle_arguments import DEFAULT
from environments.runtime.views.multiplexed import EMPTY
from environments.runtime.world.versions import outdated
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.attempts.constructed_attempts import BY
from synth.attempts.grouping import Group, join_attempts
from synth.attempts.host_arguments import injected_arguments, without_injected
from synth.attempts.later_attempts import join_later
from synth.attempts.readings import Readings
from synth.attempts.recorded_path import is_walked, path_of
from synth.attempts.reference_answers import (
    Wanted,
    label_by_answer,
    provenance_of,
    wanted_of,
)
from synth.attempts.starts import LearntWorld, Start, Starts
from synth.attempts.user_turns import acts_first
from synth.attempts.withheld_values import needs_withheld
from synth.inferred_tools import ToolBook
from synth.labels.label import Label
from synth.recordings.attempt import EpisodeAttempt, record
from synth.recordings.attempt_facts import Facts, facts_of
from synth.recordings.calculators import calculators
from synth.recordings.contrasted_tools import failing_writers, harmless_tools, hidden_writers
from synth.recordings.idle_arguments import idle_arguments
from synth.recordings.results import Results, without_drawn
from synth.recordings.tool_kinds import ToolKind, ToolKinds, infer_tools
from synth.recordings.traits import AppTraits, language_of, traits_of
from synth.rubric.derive import Derived, derive_rubric
from synth.rubric.dictated_texts import as_dictated, as_worded
from synth.rubric.habits import FAIL, NO_ACT, faults_of, same_end
from synth.rubric.policy_rules import rule_checks
from synth.rubric.references import Reference
from synth.solutions.constructed_ends import Intents
from synth.solutions.constructions import Construction, Makers, construct, construct_answer
from synth.solutions.corrected_ends import CorrectionPlanner
from synth.solutions.corrections import Said
from synth.solutions.plans import Doubts, Plan
from synth.task_parts import id_of, task_of, with_consent
from synth.world.admission import arguments_read
from synth.world.unusable_answers import without_unusable

NEEDS_CONTENT: Final = frozenset({"no_content", "truncated"})
"""What an episode may lack that makes its task unusable."""
LOOKS: Final = -1.0
"""Log-odds that a tool writes which the learnt world holds for a look."""
FAULT: Final = "fault"
"""Reason: making a part of it failed."""


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
    usable = without_unusable([e for e in episodes if not e.do_not_train and e.steps])
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
    kinds = infer_tools(
        records,
        reads=_reads(world),
        learnt=_learnt_kinds(world),
        dispatched=several,
        drawn=lambda tool, told: told if backend is None else without_drawn(backend, tool, told),
    )
    kinds = kinds.map_tools(lambda n, t: replace(t, injected=tuple(injected.tools.get(n, ()))))
    groups = join_attempts(records, kinds)
    idle = idle_arguments([g.records for g in groups], labels, kinds)
    known = _idle_in(world)
    kinds = kinds.map_tools(
        lambda n, t: replace(t, idle=tuple(sorted(idle.get(n, set()) | known.get(n, set()))))
    )

    def facts_as(kinds: ToolKinds) -> dict[str, Facts]:
        named = ((r.episode.episode_id, r) for r in records)
        return {name: readings.facts(r, labels.get(name), kinds) for name, r in named}

    kinds, facts = _told_by_outcomes(kinds, groups, facts_as, world)
    attempts = _by_group(groups, facts)
    silent = _silent(list(facts.values()), kinds, world, backend)
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
        attempts = _by_group(groups, facts)
    language = language_of(list(facts.values()))
    wanted = [wanted_of(a, references or {}, kinds, language=language) for a in attempts]
    attempts = [label_by_answer(a, w) for a, w in zip(attempts, wanted, strict=True)]
    makers = Makers(intents, CorrectionPlanner(intents, kinds, several), corrections or {})
    found: list[_Attempts] = []
    for g, mine, right in zip(groups, attempts, wanted, strict=True):
        made: Construction | None = Construction(why_not=FAULT)
        with unit("solution", id_of(g)):
            begins = starts.start_of(g.begins)
            made = construct(g, mine, makers, begins, kinds)
            if right is not None and (made is None or made.facts is None):
                made = construct_answer(g, mine, right, begins, kinds) or made
        found.append(_Attempts(g, mine, made, right))
    also = [*intents.foretold_peers(), *(one for f in found for one in _ended_right(f, kinds))]
    risk = world.document.recall.risk if world.document.recall is not None else 0.0
    traits = traits_of(kinds, attempts, silent=silent, risk=risk, also=also)
    traits = replace(traits, repeats=traits.repeats.with_once(_naming_makers(world)))
    candidates = _candidates(found, traits, starts, unit, judged=judged)
    return [without_injected(c, injected) for c in candidates]


def _told_by_outcomes(
    kinds: ToolKinds,
    groups: Sequence[Group],
    facts_as: Callable[[ToolKinds], dict[str, Facts]],
    world: LearntWorld | None,
) -> tuple[ToolKinds, dict[str, Facts]]:
    """What tools are held to be, with what outcomes say of looks and of failed calls, and the facts read so."""
    facts = facts_as(kinds)
    # Who asked the same is known by a key or by the words: a goal is read off what was done.
    keyed = [group for group in groups if group.joined_by in {"task_key", "request"}]
    hidden = hidden_writers(_by_group(keyed, facts), _reads(world), _answered_as_looks(world))
    found = {**harmless_tools(_by_group(keyed, facts), kinds), **hidden}
    if found:
        kinds = kinds.map_tools(
            lambda n, t: (
                replace(t, kind=found[n], evidence=(*t.evidence, "outcomes")) if n in found else t
            )
        )
        facts = facts_as(kinds)
    failing = failing_writers(_by_group(groups, facts))
    if failing:
        kinds = kinds.map_tools(lambda n, t: replace(t, failing=failing.get(n, "")))
        facts = facts_as(kinds)
    return kinds, facts


def _by_group(groups: Iterable[Group], facts: Mapping[str, Facts]) -> list[list[Facts]]:
    return [[facts[r.episode.episode_id] for r in group.records] for group in groups]


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
        with unit("task", id_of(one.group)):
            begins = starts.start_of(one.group.begins) if starts is not None else None
            begins = (one.made and one.made.start) or begins
            out.append(_candidate(one, traits, begins, judged=judged))
    return out


def _ended_right(found: _Attempts, kinds: ToolKinds) -> Iterable[tuple[bool, frozenset[str]]]:
    """Failed attempts that changed exactly what would have been right, with their faults: those are why they failed."""
    made = found.made.facts if found.made is not None else None
    if made is not None and made.writes:
        for attempt in found.facts:
            if attempt.resolved is False and same_end(attempt, made):
                yield False, faults_of(attempt, kinds)


@dataclass(frozen=True, slots=True)
class _Attempts:
    """The attempts at one task, and the constructed one where nobody resolved it."""

    group: Group
    facts: Sequence[Facts]
    made: Construction | None = None
    wanted: Wanted | None = None


def _learnt_kinds(world: LearntWorld | None) -> dict[str, float]:
    """What the learnt world holds of tools, as log-odds that they write: it answers a look from records, and writes what it saw written."""
    if world is None:
        return {}
    tools = world.document.tools
    looks = dict.fromkeys((n for n, t in tools.items() if t.kind in {"read", "search"}), LOOKS)
    return looks | dict.fromkeys((n for n, t in tools.items() if t.writes), -LOOKS)


def _answered_as_looks(world: LearntWorld | None) -> frozenset[str]:
    """Tools of which more than a name says that they look: the learnt world answers them so."""
    return frozenset(name for name, odds in _learnt_kinds(world).items() if odds < 0)


def _reads(world: LearntWorld | None) -> dict[str, str]:
    """Tools that change nothing whatever their names say, each with the reason."""
    if world is None:
        return {}
    found = dict.fromkeys(calculators(world.document.tools), "it calculates")
    return found | dict.fromkeys(world.document.reads, "a person says so")


def _idle_in(world: LearntWorld | None) -> dict[str, set[str]]:
    """By tool the arguments that no answer of the world hangs on: a time, a key, a session, or a default at its value."""
    parts = world.document.views.idle if world is not None else {}
    return {
        tool: {
            at_value(name, part.form.value) if part.form.kind == DEFAULT else name
            for name, part in known.items()
        }
        for tool, known in parts.items()
    }


def _silent(
    attempts: Sequence[Facts], kinds: ToolKinds, world: LearntWorld | None, backend: World | None
) -> frozenset[str]:
    """Tools whose writes leave no effect in the world as learnt, which may hold them for reads, or one that lacks what a call gives."""
    if world is None or backend is None:
        return frozenset()
    known = world.document.tools
    written = {tool for attempt in attempts for tool, _ in attempt.writes}
    found = {
        name
        for name in written & known.keys()
        if _changes_no_record(known[name]) or _keeps_less(known[name], kinds.tools[name])
    }
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


def _naming_makers(world: LearntWorld) -> Iterator[str]:
    """Tools that only make a record under a name that the call gives: the same call once more makes no other."""
    for name, tool in world.document.tools.items():
        keys = [key for write in tool.writes if write.creates for key in write.key]
        if (
            keys
            and all(write.creates for write in tool.writes)
            and all(k[0] == "arg" for k in keys)
        ):
            yield name


def _keeps_less(tool: ToolPart, held: ToolKind) -> bool:
    """Whether a record that it makes lacks an argument: looks show a part of what it leaves."""
    kept = {
        name
        for write in tool.writes
        if write.creates and write.whole is not None
        for tree in (*write.key, write.whole)
        for name in arguments_read(tree)
    }
    return bool(kept) and not (tool.takes or frozenset()) <= kept.union(
        held.authored, held.injected
    )


def _candidate(
    found: _Attempts, traits: AppTraits, start: Start | None, *, judged: bool
) -> Candidate:
    group, attempts, made = found.group, found.facts, found.made or Construction()
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
    task_id = id_of(group)
    derived, shown, task = _derived(task_id, found, shows, traits, start)
    if start is not None and made.plan is None and derived.solution is not None:
        others = [r for r in group.records if r is not shown]
        if not is_walked(task, start.world, shown):
            start = start.along_path(path_of(start.world, shown, others))
            derived, shown, task = _derived(task_id, found, shows, traits, start)
    if made.plan is not None:
        task = with_consent(task, made.turn, made.places, made.plan.answers)
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
    return derived, shown, task_of(task_id, found.group, shown, kinds=traits.kinds, start=start)


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
    # What keeps to no format fits everything that a user is told, and a day is written like every other day.
    drawn = [
        mark.form
        for mark in marks.values()
        if mark.form.kind in {"time", "id"} and not is_day(mark.form)
    ]
    anew = any(fits(mark, value) for mark in drawn for value in values)
    return ("told_by_format",) if anew else ()
