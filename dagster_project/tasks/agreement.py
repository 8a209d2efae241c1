"""Agreement: what rubrics say of attempts that they were not made from, beside what users said.

Comes in: an app's clean episodes, labels, world and tasks. Goes out: `HeldOut`s, one per attempt that was left out once, and figures over
them with intervals. One attempt of each task is left out at a time; tasks and rubrics are derived from the rest; the attempt's actions are
made again and graded. The world is not learnt again: it says what tools answer, not who was right.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Final

from dagster_project.build.left_out import SkippedUnit, Skips, collect_skips, next_part
from dagster_project.engine.interface import Engine, Load
from dagster_project.engine.serial import Serial
from dagster_project.lake.documents import records
from dagster_project.lake.learnt_tables import AGREEMENT
from dagster_project.lake.store import Lake
from dagster_project.tasks.shares import agreement, interval, kappa, says_resolved
from dagster_project.worlds.stored_worlds import StoredWorld
from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import run_actions
from environments.runtime.task.candidate import Candidate, RecordedAttempt
from environments.runtime.values.grouping import by_key
from environments.runtime.world.world import World
from redact.records.clean_episode import CleanEpisode
from synth.attempts.readings import Readings
from synth.labels.label import Label
from synth.rubric.references import Reference
from synth.solutions.corrections import Said
from synth.tasks import derive_tasks

FOLDS: Final = 4
"""Attempts of one task that are left out, one after the other; each costs a derivation of the app's tasks."""
PARTS: Final = 4
"""In so many parts at most: what tools do is learnt from a whole app's outcomes, and a small app misses a fourth of them."""
SMALL: Final = 1_000
"""Episodes up to which every such attempt is left out; of more, the newest so many are judged, whatever else there is."""
FOLDS_OF_MANY: Final = 2
"""The same of an app with more episodes."""
ENOUGH: Final = 2_000
"""Attempts after which no more are left out: a share of 3 % is then known to 0.8 %."""
DRAWS: Final = 400
"""Times that tasks are drawn anew for the interval of kappa."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOut:
    """One attempt, graded by a rubric that was made without it."""

    episode_id: str
    task_id: str
    """The task as it stands, made from all attempts."""
    resolved: bool
    """What its user got."""
    predicted: float | None
    """None is not graded."""
    witness: bool
    """Whether another attempt at the task is resolved: without one there is little to go by."""
    paid: float | None = None
    """What training would pay; None is not graded."""
    by: str = "unknown"
    """Who says what its user got."""
    noise: float = 0.0
    """How probable it is that this is wrong."""

    @property
    def says(self) -> bool | None:
        """What the rubric says the user got."""
        return says_resolved(self.predicted)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementFigures:
    """How rubrics compare with outcomes that they have not seen."""

    episodes: int
    graded: int
    agreed: int
    false_pass: int
    false_fail: int
    kappa: float | None
    low: float
    high: float
    """95 % interval (Wilson) of agreed over graded."""
    false_pass_high: float
    """Upper end of the 95 % interval of false passes over graded."""
    kappa_low: float | None
    kappa_high: float | None
    """95 % interval of kappa, tasks drawn anew; None where every draw says the same."""

    @property
    def abstained(self) -> int:
        """Attempts that were not graded."""
        return self.episodes - self.graded


@dataclass
class _Leaving:
    """What all folds share; what was read of attempts is kept once per process."""

    stage: str
    episodes: Sequence[CleanEpisode]
    labels: Mapping[str, Label]
    world: StoredWorld
    candidates: Sequence[Candidate]
    corrections: Mapping[str, Said] | None
    references: Mapping[str, Reference] | None

    @cached_property
    def backend(self) -> World:
        """The app's world."""
        return World(self.world.document)

    @cached_property
    def readings(self) -> Readings:
        """What has been read of attempts."""
        return Readings()


def leave_one_out(  # noqa: PLR0913 - all that tasks are made of
    episodes: Sequence[CleanEpisode],
    labels: Mapping[str, Label],
    world: StoredWorld,
    candidates: Sequence[Candidate],
    *,
    corrections: Mapping[str, Said] | None = None,
    references: Mapping[str, Reference] | None = None,
    step: Callable[[int, int], None] = lambda _done, _all: None,
    skips: Skips | None = None,
    engine: Engine | None = None,
    known: Sequence[HeldOut] = (),
    left: Callable[[int], bool] = lambda _fold: False,
) -> list[HeldOut]:
    """Grade every attempt of a task with several, by a rubric made from the others; `skips` notes the units at which that fails.

    Of more than `SMALL` episodes, the newest are judged, by rubrics made from them: what this costs then grows no more.
    A fold of which all attempts are `known` is not made again; from the first on that is `left` (told the fold's number) nothing is found.
    """
    skips = Skips("agreement", world.app) if skips is None else skips
    every = len(episodes)
    episodes, candidates = newest(episodes, candidates)
    folds = folds_of(candidates, every)
    done = {one.episode_id: one for one in known}
    fresh = [held for held in folds if not held <= done.keys()]
    shared = _Leaving(skips.stage, episodes, labels, world, candidates, corrections, references)
    load = Load(stage=skips.stage, conversations=len(episodes))
    made = (engine or Serial()).map_items(_left_out, fresh, shared=shared, load=load)
    over = False
    found: list[HeldOut] = []
    for number in range(len(folds)):
        step(number, len(folds))
        held = folds[number]
        if held <= done.keys():
            found += [done[name] for name in held]
            continue
        over = left(number) or over
        if not over:
            found += next_part(made, skips)
    return sorted(found, key=lambda one: (one.task_id, one.episode_id))


def _left_out(shared: _Leaving, held: frozenset[str]) -> tuple[list[HeldOut], list[SkippedUnit]]:
    """One fold: the attempts left out, graded by what is made of the others."""
    found: list[HeldOut] = []
    with collect_skips(shared.stage, shared.world.app) as skips:
        derived = derive_tasks(
            [one for one in shared.episodes if one.episode_id not in held],
            shared.labels,
            shared.world,
            corrections=shared.corrections,
            references=shared.references,
            unit=skips.unit,
            readings=shared.readings,
        )
        by_episode = {a.episode_id: one for one in derived for a in one.attempts}
        for candidate in shared.candidates:
            mine = next((a for a in candidate.attempts if a.episode_id in held), None)
            if mine is not None:
                others = [a for a in candidate.attempts if a is not mine]
                with skips.unit("task", candidate.task.task_id):
                    graded = _grade(candidate, mine, others, (by_episode, shared.backend))
                    found.append(_told_by(graded, shared.labels.get(mine.episode_id)))
    return found, skips.found


def held_out_of(lake: Lake, app: str) -> list[HeldOut]:
    """The attempts of an app that were left out once, out of the lake."""
    return list(records(lake, AGREEMENT, app, HeldOut).values())


def newest(
    episodes: Sequence[CleanEpisode], candidates: Sequence[Candidate]
) -> tuple[Sequence[CleanEpisode], Sequence[Candidate]]:
    """The last `SMALL` episodes, and the candidates of which all attempts are among them; everything where there are no more."""
    if len(episodes) <= SMALL:
        return episodes, candidates
    taken = sorted(episodes, key=lambda one: (one.started_at, one.episode_id))[-SMALL:]
    ids = {one.episode_id for one in taken}
    whole = [one for one in candidates if all(a.episode_id in ids for a in one.attempts)]
    return [one for one in episodes if one.episode_id in ids], whole


def folds_of(candidates: Iterable[Candidate], episodes: int) -> list[frozenset[str]]:
    """The n-th attempt with a known outcome of every task that has another attempt, for each n; few where there are many.

    Small apps leave out a part of these at once, as far as that costs no more than `SMALL` episodes do.
    """
    held: dict[int, set[str]] = defaultdict(set)
    for one in candidates:
        known = sorted(a.episode_id for a in one.attempts if a.resolved is not None)
        if len(one.attempts) > 1:
            for number, episode_id in enumerate(known[:FOLDS]):
                held[number].add(episode_id)
    folds = [frozenset(held[number]) for number in sorted(held)]
    if episodes <= SMALL:
        parts = min(PARTS, SMALL // max(1, episodes))
        split = (frozenset(sorted(each)[n::parts]) for each in folds for n in range(parts))
        return [part for part in split if part]
    left_out = accumulate(map(len, folds))
    wanted = 1 + sum(done < ENOUGH for done in left_out)
    return folds[: min(wanted, FOLDS_OF_MANY)]


def _grade(
    candidate: Candidate,
    held: RecordedAttempt,
    others: Sequence[RecordedAttempt],
    made: tuple[Mapping[str, Candidate], World],
) -> HeldOut:
    """The task made from the other attempts may be in parts: the one with a solution speaks first."""
    by_episode, backend = made
    ids = sorted(a.episode_id for a in others)
    parts = {id(by_episode[i]): by_episode[i] for i in ids if i in by_episode}
    ranked = sorted(parts.values(), key=lambda c: (not c.solution, c.task.task_id))
    predicted = paid = None
    if ranked:
        attempt = run_actions(ranked[0].task, backend, held.actions)
        verdict = evaluate(ranked[0].rubric, attempt, task_version="held out")
        predicted, paid = verdict.predicted, verdict.reward
    return HeldOut(
        episode_id=held.episode_id,
        task_id=candidate.task.task_id,
        resolved=bool(held.resolved),
        predicted=predicted,
        witness=any(a.resolved for a in others),
        paid=paid,
    )


def _told_by(one: HeldOut, label: Label | None) -> HeldOut:
    if label is None or label.by is None:
        return one
    return replace(one, by=label.by, noise=1 - label.confidence)


def figures_of(held_out: Iterable[HeldOut]) -> AgreementFigures:
    """The figures over some attempts."""
    listed = list(held_out)
    found = agreement((one.resolved, one.predicted) for one in listed)
    low, high = interval(found.agreed, found.graded)
    kappa_low, kappa_high = _kappa_interval([one for one in listed if one.says is not None])
    return AgreementFigures(
        episodes=found.labelled,
        graded=found.graded,
        agreed=found.agreed,
        false_pass=found.false_pass,
        false_fail=found.false_fail,
        kappa=found.kappa,
        low=low,
        high=high,
        false_pass_high=interval(found.false_pass, found.graded)[1],
        kappa_low=kappa_low,
        kappa_high=kappa_high,
    )


def kappa_of(graded: Sequence[HeldOut]) -> float | None:
    """How far rubrics and users agree beyond chance."""
    return kappa([(one.says, one.resolved) for one in graded])


def _kappa_interval(graded: Sequence[HeldOut]) -> tuple[float | None, float | None]:
    """Attempts at one task are alike, so tasks are drawn, not attempts; a draw without errors proves nothing."""
    by_task = by_key((one.task_id, one) for one in graded)
    groups = [by_task[name] for name in sorted(by_task)]
    if len(groups) < 2 or all(one.says is one.resolved for one in graded):
        return None, None
    chance = random.Random(0)  # noqa: S311 - a repeatable sample, not a secret
    drawn = sorted(
        value
        for _ in range(DRAWS)
        if (value := kappa_of([o for g in chance.choices(groups, k=len(groups)) for o in g]))
        is not None
    )
    if len(drawn) < DRAWS // 2:
        return None, None
    return drawn[int(0.025 * len(drawn))], drawn[int(0.975 * len(drawn)) - 1]


def by_cluster(
    held_out: Iterable[HeldOut], cluster_of: Mapping[str, str]
) -> dict[str, list[HeldOut]]:
    """The attempts at tasks that come out of a failure cluster, largest first."""
    groups = by_key((name, one) for one in held_out if (name := cluster_of.get(one.task_id)))
    sizes = Counter({name: len(group) for name, group in groups.items()})
    return {name: groups[name] for name, _ in sizes.most_common()}
