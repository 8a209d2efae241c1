"""Verified tasks in the lake: what the gate of `environments.verify` said of each task version.

Comes in: candidates of an app and its world. Goes out: `VerifiedTask`s; a version that was verified before keeps its verdict, and what
depends on the other tasks of the set is said anew each time. What policies did at a task judges them, never the task.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from importlib.metadata import version as version_of
from typing import Any, Final

from dagster_project.build.budgets import Meter
from dagster_project.build.left_out import SkippedUnit, Skips, collect_skips, next_part
from dagster_project.build.left_out_rows import BUDGET
from dagster_project.engine.interface import Engine, Load
from dagster_project.engine.serial import Serial
from dagster_project.lake.freshness import CODE
from dagster_project.lake.rows import plain_json
from dagster_project.tasks.agreement import HeldOut
from dagster_project.tasks.grader_trust import AppTrust, trust_of
from dagster_project.tasks.kept_verdicts import Remembered
from dagster_project.worlds.stored_worlds import StoredWorld
from environments.judges.ask import Judge
from environments.judges.question import Question
from environments.kept_verdicts.reads import KeptVerdicts, Reads
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Candidate
from environments.runtime.values.canonical import task_version
from environments.runtime.world.world import World
from environments.search.found_cheats import FoundCheat, digest_of
from environments.verification.constant import PREFIX, surplus
from environments.verification.judge_checks import UNASKED, JudgeSays, asks_a_judge, verify_judged
from environments.verification.kinds import kind_of
from environments.verification.knowable import Given
from environments.verification.other_process import GradedElsewhere, verdicts_elsewhere
from environments.verify import ACCEPTED, NEEDS_REVIEW, REJECTED, Verification
from synth.tasks import FAULT

GATE: str = "40"
"""Goes up when the gate's probes change: every task is attacked again."""


CONSTANT: Final = "paid_by_constant_policy"
"""Reason: a policy that does the same at every task would earn too much on the set with this task in it."""
NOT_TRUSTED: Final = "grader_not_trusted"
"""Reason, with the kind of check: on attempts that they had not seen, its graders erred too often (`grader_trust`)."""
ELSEWHERE: Final = "another_process_differs"
"""Reason: a process of its own with another hash seed gave the known solution another verdict."""
FAILED_ELSEWHERE: Final = "another_process_failed"
"""Reason: that process failed at grading the known solution; the next build attacks the task once more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedTask:
    """What is known of one task version."""

    task_id: str
    task_version: str
    status: str
    reasons: tuple[str, ...]
    probes: tuple[Mapping[str, Any], ...]
    gate: str
    found: str = ""
    """Which found cheats it was attacked with (`environments.search.found_cheats.digest_of`)."""
    kind: str = ""
    """The kind of check that decides it (`environments.verification.kinds`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskKnowledge:
    """What is known of an app's tasks besides their recordings."""

    judge: Judge | None = None
    """Who answers judge checks; one without a model knows its recordings only."""
    replies_known: bool = False
    """Nothing was said since `known` was made: tasks with judge checks are not attacked once more."""
    found: Mapping[str, Sequence[FoundCheat]] = field(default_factory=dict)
    """Cheats that a search found, by task id."""
    held_out: Sequence[HeldOut] = ()
    """Attempts that were graded by rubrics made without them."""
    meter: Meter = field(default_factory=partial(Meter, stage="verified_tasks"))
    """What may be taken until everything else waits for the next build."""
    reads: Remembered = field(default_factory=Remembered)
    """What the verdicts of before were made of; `now` takes what these are made of."""


def verify_all(  # noqa: PLR0913 - all that the gate is told
    candidates: Sequence[Candidate],
    world: StoredWorld | None,
    *,
    known: Mapping[str, VerifiedTask],
    seen: TaskKnowledge | None = None,
    track: Callable[[Sequence[Candidate]], Iterable[Candidate]] = lambda items: items,
    skips: Skips | None = None,
    engine: Engine | None = None,
) -> list[VerifiedTask]:
    """Attack every candidate whose version is new, then look at the set as a whole.

    Tasks with judge checks are attacked each time: what the judge has said meanwhile counts. A task at which the gate itself fails waits
    for the next build; `skips` notes it. `engine` says where the attacks run: here where it is not given.
    """
    seen = seen or TaskKnowledge()
    skips = Skips("verified_tasks", "") if skips is None else skips
    judge = seen.judge
    digest = "" if world is None else world.digest
    versions: dict[str, str] = {}
    for one in candidates:
        versions[one.task.task_id] = ""
        with skips.unit("task", one.task.task_id):
            versions[one.task.task_id] = task_version(one.task, one.rubric, world_digest=digest)
    judged = {one.task.task_id for one in candidates if asks_a_judge(one.rubric)}
    anew = frozenset() if seen.replies_known else judged
    cheats = {task_id: digest_of(found) for task_id, found in seen.found.items()}
    kept = {
        task_id: _own_verdict(one)
        for task_id, one in known.items()
        if one.task_version == versions.get(task_id)
        and one.gate == GATE
        and one.found == cheats.get(task_id, "")
        and task_id not in anew
    }
    reads = seen.reads
    reads.now.update(
        {key: reads.known[key] for key in versions.items() & reads.known.keys() if key[0] in kept}
    )
    ground: _Ground | None = None
    if world is not None and len(kept) < len(candidates):
        doubtful = {name: one for name, one in known.items() if name not in {*kept, *judged}}
        with skips.unit("kept verdicts"):
            ground = _ground(candidates, world, seen, doubtful, stage=skips.stage)
            kept |= _standing(ground.keeping, doubtful, versions, seen)
    fresh = [one for one in candidates if one.task.task_id not in kept]
    found = {c.task.task_id: _unverifiable(c, versions[c.task.task_id], FAULT) for c in fresh}
    if world is None:
        found = {c.task.task_id: _unverifiable(c, versions[c.task.task_id]) for c in fresh}
    elif ground is not None:
        attacked = _attack(fresh, ground, seen, skips, (engine or Serial(), track))
        replies = judge.replies if judge is not None and judged else {}
        waiting = {one.unit for one in skips.found if one.error == BUDGET} - attacked.keys()
        later = [one for one in fresh if one.task.task_id in waiting]
        found |= {c.task.task_id: _unverifiable(c, versions[c.task.task_id], BUDGET) for c in later}
        with skips.unit("other process"):
            known_there = [one for one in fresh if one.task.task_id in attacked]
            pairs = [(one, versions[one.task.task_id]) for one in known_there]
            elsewhere = _regrade_elsewhere(pairs, ground, replies, engine or Serial())
            compared = _compared(attacked, elsewhere, skips)
            found |= {key: replace(one, found=cheats.get(key, "")) for key, one in compared.items()}
    everything = [(kept | found)[one.task.task_id] for one in candidates]
    trusted = _trusted(everything, candidates, seen.held_out, skips)
    return _as_a_set(trusted, candidates)


@dataclass
class _Ground:
    """What attacks on the tasks of an app share, read once per process."""

    stage: str
    world: StoredWorld
    digest: str
    candidates: Sequence[Candidate]
    found: Mapping[str, Sequence[FoundCheat]]
    """Cheats that a search found, by task id."""
    reads: Mapping[str, Reads]
    """What verdicts of versions that are no more were made of, by task id."""
    given: Mapping[str, Sequence[Given]]
    """What is known already of how tasks give their arguments, by task id."""

    @cached_property
    def keeping(self) -> KeptVerdicts:
        """The tasks of the app and its world, with the verdicts that new ones are compared with."""
        keeping = KeptVerdicts(
            self.candidates,
            World(self.world.document),
            known=self.reads,
            cheats=self.found,
            rules=f"{GATE} {CODE} {version_of('tracegym')}",
        )
        keeping.others.given.update(self.given)
        return keeping

    def __getstate__(self) -> dict[str, Any]:
        """For another process, which compares nothing: it attacks what does not stand."""
        fields = {k: v for k, v in self.__dict__.items() if k != "keeping"}
        return fields | {"reads": {}, "given": dict(self.keeping.others.given)}


def _ground(
    candidates: Sequence[Candidate],
    world: StoredWorld,
    seen: TaskKnowledge,
    doubtful: Mapping[str, VerifiedTask],
    *,
    stage: str,
) -> _Ground:
    reads = {name: seen.reads.known.get((name, one.task_version)) for name, one in doubtful.items()}
    return _Ground(
        stage,
        world,
        world.digest,
        candidates,
        seen.found,
        {name: one for name, one in reads.items() if one is not None},
        {name: one.given for (name, _), one in seen.reads.now.items()},
    )


def _standing(
    keeping: KeptVerdicts,
    doubtful: Mapping[str, VerifiedTask],
    versions: Mapping[str, str],
    seen: TaskKnowledge,
) -> dict[str, VerifiedTask]:
    """The verdicts that the gate would give again, of the versions of today."""
    found: dict[str, VerifiedTask] = {}
    for name, reads in keeping.standing().items():
        found[name] = replace(_own_verdict(doubtful[name]), task_version=versions[name])
        seen.reads.now[name, versions[name]] = reads
    return found


def _trusted(
    found: Sequence[VerifiedTask],
    candidates: Sequence[Candidate],
    held_out: Sequence[HeldOut],
    skips: Skips,
) -> list[VerifiedTask]:
    """Hold back the tasks whose kind of check errs too often; where that cannot be said, everything stays as it is."""
    named, untrusted = list(found), frozenset[str]()
    with skips.unit("grader trust"):
        kinds = {one.task.task_id: kind_of(one.rubric, one.task.provenance) for one in candidates}
        named = [replace(one, kind=kinds[one.task_id]) for one in found]
        untrusted = trust_in(named, held_out).untrusted
    return [
        _in_doubt(one, f"{NOT_TRUSTED}:{one.kind}")
        if one.status == ACCEPTED and one.kind in untrusted
        else one
        for one in named
    ]


def trust_in(found: Iterable[VerifiedTask], held_out: Iterable[HeldOut]) -> AppTrust:
    """How far the graders of an app are trusted, by kind of check."""
    listed = list(found)
    kinds = {one.task_id: one.kind for one in listed if one.kind}
    return trust_of(held_out, kinds, accepted_alone(listed))


def accepted_alone(found: Iterable[VerifiedTask]) -> frozenset[str]:
    """The tasks that the gate accepts by themselves, whatever the rest of the set or a reviewer says of them."""
    return frozenset(one.task_id for one in found if _own_verdict(one).status == ACCEPTED)


def _attack(
    fresh: Sequence[Candidate],
    ground: _Ground,
    seen: TaskKnowledge,
    skips: Skips,
    how: tuple[Engine, Callable[[Sequence[Candidate]], Iterable[Candidate]]],
) -> dict[str, Verification]:
    """The tasks without judge checks wherever the engine runs them; a judge is asked from here, one task after the other."""
    engine, track = how
    places = {id(one): place for place, one in enumerate(ground.candidates)}
    plain = [one for one in fresh if not asks_a_judge(one.rubric)]
    judged = [one for one in fresh if asks_a_judge(one.rubric)]
    made = engine.map_items(
        _attacked,
        [(places[id(one)], ground.reads.get(one.task.task_id)) for one in plain],
        shared=ground,
        load=Load(stage=skips.stage, conversations=len(plain)),
    )
    found: dict[str, Verification] = {}
    says = _says(seen.judge, ground.world.app)
    late = False
    for one in track([*plain, *judged]):
        name = one.task.task_id
        # One is attacked whatever else took the time: a build that goes on gets somewhere.
        late = late or (seen.meter.is_late and bool(found or not seen.meter.budget.seconds))
        if late:
            skips.leave("task", name, BUDGET)
        elif not asks_a_judge(one.rubric):
            for verdict, reads in next_part(made, skips):
                found[name] = verdict
                if reads is not None:
                    seen.reads.now[name, verdict.task_version] = reads
        else:
            with skips.unit("task", name):
                found[name] = verify_judged(
                    one,
                    others=ground.keeping.others,
                    run=ground.keeping.run,
                    judge=says,
                    world_digest=ground.digest,
                    found=ground.found.get(name, ()),
                )
                if seen.meter.dear and UNASKED in found[name].reasons:
                    skips.leave("task", name, BUDGET)
    return found


def _attacked(
    ground: _Ground, item: tuple[int, Reads | None]
) -> tuple[list[tuple[Verification, Reads | None]], list[SkippedUnit]]:
    """One task attacked, with what its verdict is made of; nothing with a note where the gate itself fails at it.

    The item is its place, and what its verdict was made of before: only probes that would get something else are run.
    """
    place, before = item
    one = ground.candidates[place]
    made = []
    with (
        collect_skips(ground.stage, ground.world.app) as skips,
        skips.unit("task", one.task.task_id),
    ):
        made.append(ground.keeping.verify(one, world_digest=ground.digest, before=before))
    return made, skips.found


def _regrade_elsewhere(
    pairs: Sequence[tuple[Candidate, str]],
    ground: _Ground,
    replies: Mapping[str, Json],
    engine: Engine,
) -> GradedElsewhere:
    """The verdicts of processes with another hash seed; two that start side by side where there are many tasks."""
    load = Load(stage=ground.stage, conversations=len(pairs))
    parts = [pairs[0::2], pairs[1::2]] if load.pays else [pairs]
    shared = _GradingInput(ground.world.document.to_json(), replies)
    made = list(engine.map_items(_graded_there, parts, shared=shared, load=load))
    return GradedElsewhere(
        verdicts={task_id: verdict for one in made for task_id, verdict in one.verdicts.items()},
        faults={task_id: fault for one in made for task_id, fault in one.faults.items()},
    )


@dataclass(frozen=True, slots=True)
class _GradingInput:
    """What all solutions are graded with."""

    world: Mapping[str, Any]
    replies: Mapping[str, Json]


def _graded_there(shared: _GradingInput, pairs: Sequence[tuple[Candidate, str]]) -> GradedElsewhere:
    return verdicts_elsewhere(pairs, shared.world, recordings=shared.replies)


def _says(judge: Judge | None, app: str) -> JudgeSays:
    def answer(questions: Sequence[Question]) -> Mapping[str, Json]:
        if judge is not None:
            asyncio.run(judge.answer(questions, app=app))
        return says.replies

    says = JudgeSays(replies={} if judge is None else judge.replies, answer=answer)
    return says


def _compared(
    attacked: Mapping[str, Verification], elsewhere: GradedElsewhere, skips: Skips
) -> dict[str, VerifiedTask]:
    """Reject what another process grades otherwise; what it failed at is noted, and waits for the next build."""
    found: dict[str, VerifiedTask] = {}
    for task_id, verdict in attacked.items():
        one = _verified(verdict)
        if task_id in elsewhere.faults:
            skips.leave("task", task_id, *elsewhere.faults[task_id])
            status = NEEDS_REVIEW if one.status == ACCEPTED else one.status
            one = replace(one, status=status, reasons=(FAILED_ELSEWHERE, *one.reasons), gate="")
        elif verdict.good is not None and verdict.good.to_json() != elsewhere.verdicts.get(task_id):
            one = replace(one, status=REJECTED, reasons=(ELSEWHERE, *one.reasons))
        found[task_id] = one
    return found


def _verified(verdict: Verification) -> VerifiedTask:
    return VerifiedTask(
        task_id=verdict.task_id,
        task_version=verdict.task_version,
        status=verdict.status,
        reasons=tuple(verdict.reasons),
        probes=tuple(plain_json(probe.to_json()) for probe in verdict.probes),
        gate=GATE,
    )


def _own_verdict(one: VerifiedTask) -> VerifiedTask:
    """What the gate said of the task by itself."""
    by_set = {CONSTANT, NOT_TRUSTED}
    reasons = tuple(r for r in one.reasons if r.partition(":")[0] not in by_set)
    lifted = one.status == NEEDS_REVIEW and reasons != one.reasons and not reasons
    return replace(one, reasons=reasons, status=ACCEPTED if lifted else one.status)


def _as_a_set(found: Sequence[VerifiedTask], candidates: Sequence[Candidate]) -> list[VerifiedTask]:
    """Hold back what lets a constant policy earn too much beside what recorded attempts at the accepted tasks did."""
    accepted = [one for one in found if one.status == ACCEPTED]
    inside = {one.task_id for one in accepted}
    ends = [
        attempt.resolved
        for candidate in candidates
        if candidate.task.task_id in inside
        for attempt in candidate.attempts
        if attempt.resolved is not None
    ]
    paid: dict[str, set[str]] = defaultdict(set)
    graded: Counter[str] = Counter()
    for one in accepted:
        for probe in one.probes:
            if str(probe["name"]).startswith(PREFIX) and probe["reward"] is not None:
                graded[probe["name"]] += 1
                if probe["reward"] > 0:
                    paid[probe["name"]].add(one.task_id)
    held = surplus(paid, graded, earned=sum(ends) / max(1, len(ends)))
    return [_in_doubt(one, CONSTANT) if one.task_id in held else one for one in found]


def _in_doubt(one: VerifiedTask, reason: str) -> VerifiedTask:
    status = NEEDS_REVIEW if one.status == ACCEPTED else one.status
    return replace(one, status=status, reasons=(*one.reasons, reason))


def _unverifiable(candidate: Candidate, version: str, why: str = "no_world") -> VerifiedTask:
    """A task of which the gate can say nothing; after a fault, or where a budget was spent, the next build attacks it."""
    return VerifiedTask(
        task_id=candidate.task.task_id,
        task_version=version,
        status=NEEDS_REVIEW,
        reasons=(why,),
        probes=(),
        gate="" if why in {FAULT, BUDGET} else GATE,
    )
