"""What rubrics say of the example support desk, beside what its real database says.

In: seeds and variants of `examples/support_desk` (other names for every tool and field). Out: tables. Rubrics are made
from recorded conversations and their labels; then every scripted policy (the good agent and seven faults) holds a fresh
conversation about the same request at the real database, and both judge it. Of the truth, only the label of a recorded
conversation is ever used to make a rubric. Run by `benchmarks.rubrics.agreement`.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from benchmarks.figures import Figure, Row, percent
from benchmarks.rubrics.masking import masks
from benchmarks.testbeds.desk.conversations import Shop, Talk, hold_living, hold_season, policies
from benchmarks.testbeds.desk.solvable import holds_every_value
from dagster_project.tasks.shares import kappa
from environments.runtime.checks.table import evaluate
from environments.runtime.play.environment import run_actions
from environments.runtime.task.candidate import Action, Candidate
from environments.runtime.task.verdict import Verdict
from environments.runtime.world.world import World
from environments.verify import ACCEPTED, Verification, verify
from redact.records.clean_outcome import CleanOutcome
from synth.labels.label import Label
from synth.labels.policy import OutcomePolicy
from synth.recordings.attempt import record
from synth.solutions.corrections import Said, corrections_of
from synth.tasks import derive_tasks
from synth.worlds import WorldSettings, learn_world

RIGHT_PASS: Final = "right pass"  # noqa: S105 - a verdict, not a secret
RIGHT_FAIL: Final = "right fail"
FALSE_PASS: Final = "false pass"  # noqa: S105 - a verdict, not a secret
FALSE_FAIL: Final = "false fail"
ABSTAINS: Final = "abstains"
HELD: Final = 10**5
"""Numbers from here on belong to conversations that tell what a request needs."""
WORDS: Final = (RIGHT_PASS, RIGHT_FAIL, FALSE_PASS, FALSE_FAIL, ABSTAINS)


@dataclass(slots=True)
class Confusion:
    """Verdicts beside the truth, by kind of fault."""

    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, policy: str, said: float | None, *, truth: bool) -> str:
        """Count one verdict."""
        word = judged(said, truth=truth)
        self.counts[policy][word] += 1
        return word

    def total(self) -> Counter[str]:
        """Over all policies."""
        return sum(self.counts.values(), Counter[str]())

    def rows(self, name: str) -> Iterator[Row]:
        """A row of counts for each policy, and one for all."""
        for policy, counts in [*sorted(self.counts.items()), ("all", self.total())]:
            yield Row(case=f"{name}, {policy}", figures={word: counts[word] for word in WORDS})


def judged(said: float | None, *, truth: bool) -> str:
    """One verdict beside the truth."""
    if said is None:
        return ABSTAINS
    if said >= 0.5:
        return RIGHT_PASS if truth else FALSE_PASS
    return FALSE_FAIL if truth else RIGHT_FAIL


def agreed(counts: Counter[str]) -> dict[str, Figure]:
    """Coverage, agreement and both kinds of error, of all that was graded."""
    asked = counts.total()
    graded = asked - counts[ABSTAINS]
    return {
        "asked": asked,
        "graded %": percent(graded, asked),
        "agree %": percent(counts[RIGHT_PASS] + counts[RIGHT_FAIL], graded),
        "false pass": counts[FALSE_PASS],
        "false pass %": percent(counts[FALSE_PASS], graded),
        "false fail": counts[FALSE_FAIL],
        "false fail %": percent(counts[FALSE_FAIL], graded),
    }


def kappa_of(counts: Counter[str]) -> float | None:
    """Cohen's kappa of what was graded."""
    said = ((RIGHT_PASS, (1, 1)), (RIGHT_FAIL, (0, 0)), (FALSE_PASS, (1, 0)), (FALSE_FAIL, (0, 1)))
    return kappa([pair for word, pair in said for _ in range(counts[word])])


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """All tasks made from one season."""

    shop: Shop
    world: World
    candidates: tuple[Candidate, ...]
    verdicts: Mapping[str, Verification]
    talks: Mapping[str, Talk]

    def accepted(self) -> list[Candidate]:
        """Tasks that passed the gate."""
        return [c for c in self.candidates if self.verdicts[c.task.task_id].status == ACCEPTED]

    def grade(self, candidate: Candidate, talk: Talk) -> Verdict:
        """What the rubric says of one conversation, made again in the learnt world."""
        return self.verdict(candidate, record(talk.episode).actions)

    def verdict(self, candidate: Candidate, actions: Sequence[Action]) -> Verdict:
        """What the rubric says of these actions in the learnt world."""
        attempt = run_actions(candidate.task, self.world, actions)
        return evaluate(candidate.rubric, attempt, task_version="measured")


def true_label(talk: Talk) -> Label:
    """What the real database says, as a label."""
    return Label(resolved=talk.resolved, confidence=0.98, by="reviewer")


def told_afterwards(shop: Shop, every: int) -> dict[str, Said]:
    """What the human did about every n-th failed request that something was to be changed for, as a business record says."""
    failed = [t for t in shop.talks if not t.resolved and any(t.request.truth.accepted)]
    shown = shop.plan.variant
    records = []
    for number, talk in enumerate(failed):
        if number % every == 0:
            calls = [
                {"name": shown.tools[c.name], "arguments": shown.outward(dict(c.arguments))}
                for c in talk.request.truth.accepted[0]
            ]
            records.append(
                CleanOutcome(
                    app=shop.plan.app,
                    outcome_id=f"told-{number}",
                    episode_id=talk.episode.episode_id,
                    name="done_by_hand",
                    correction=json.dumps(calls),
                    by="business_record",
                )
            )
    return corrections_of(records, OutcomePolicy())


def make(
    shop: Shop, labels: Mapping[str, Label], corrections: Mapping[str, Said] | None = None
) -> Made:
    """World, tasks, rubrics and the gate, from all of a season's conversations."""
    episodes = [talk.episode for talk in shop.talks]
    learnt = learn_world(episodes, WorldSettings())
    candidates = derive_tasks(episodes, labels, learnt, corrections=corrections)
    world = World(learnt.document)
    verdicts = {
        c.task.task_id: verify(
            c, others=candidates, run=lambda task, actions: run_actions(task, world, actions)
        )
        for c in candidates
    }
    talks = {talk.episode.episode_id: talk for talk in shop.talks}
    return Made(
        shop=shop, world=world, candidates=tuple(candidates), verdicts=verdicts, talks=talks
    )


@dataclass(slots=True)
class Judged:
    """Both verdicts of many conversations beside the truth."""

    predicted: Confusion = field(default_factory=Confusion)
    reward: Confusion = field(default_factory=Confusion)
    errors: list[str] = field(default_factory=list)

    def add(self, policy: str, verdict: Verdict, told: str, *, truth: bool) -> None:
        """Count one conversation's verdicts; those that are false are kept with what is told of it."""
        words = (
            self.predicted.add(policy, verdict.predicted, truth=truth),
            self.reward.add(policy, verdict.reward, truth=truth),
        )
        if set(words) & {FALSE_PASS, FALSE_FAIL}:
            checks = [(c.check_id, c.score, c.evidence) for c in verdict.checks if c.score != 1.0]
            said = f"{policy} predicted {words[0]}, reward {words[1]}"
            self.errors.append(f"{told} {said}; {checks[:4]}")


class Blind(Judged):
    """Fresh conversations of every policy, graded by rubrics that have not seen them."""

    def __init__(self) -> None:
        super().__init__()
        self.failing = 0
        """Conversations with reward 0."""
        self.masked: Counter[str] = Counter()
        """How many of them have no reward, by what is said or called before."""

    def judge(self, made: Made, candidates: Sequence[Candidate]) -> None:
        """Let every policy try every one of these tasks."""
        for number, candidate in enumerate(candidates):
            talk = made.talks[str(candidate.task.provenance["shown"])]
            begins = {t.episode.started_at: t for t in made.talks.values()}
            start = begins[candidate.task.started_at]
            for place, policy in enumerate(policies()):
                fresh = made.shop.fresh(talk, policy, 10 * number + place, at=start)
                held = {k: fresh.truth[k] for k in ("end_state", "told", "confirmed")}
                told = f"{candidate.task.task_id[:8]} {fresh.request.kind} truth {held}"
                verdict = made.grade(candidate, fresh)
                self.add(policy, verdict, told, truth=fresh.resolved)
                if verdict.reward == 0:
                    self._mask(made, candidate, fresh, told)

    def _mask(self, made: Made, candidate: Candidate, fresh: Talk, told: str) -> None:
        self.failing += 1
        for name, first in masks(candidate.task.tools):
            verdict = made.verdict(candidate, (*first, *record(fresh.episode).actions))
            if verdict.reward is None:
                self.masked[name] += 1
                self.errors.append(f"{told} {fresh.policy} masked by {name}: {verdict.reason}")

    def masking(self, name: str) -> Row:
        """How many failing conversations lose their reward to what comes first."""
        by_mask = {mask: self.masked[mask] for mask, _ in masks(())}
        return Row(case=f"{name}, no reward after", figures={"failing": self.failing, **by_mask})


def agreement(
    seasons: Sequence[tuple[int, int]], conversations: int, *, errors: bool
) -> Iterator[Row]:
    """Requests with four attempts: tasks accepted, and fresh conversations graded, per fault."""
    every, accepted = Blind(), Blind()
    for variant, seed in seasons:
        shop = hold_season(variant=variant, seed=seed, conversations=conversations, attempts=4)
        made = make(shop, {t.episode.episode_id: true_label(t) for t in shop.talks})
        solved = [c for c in made.candidates if c.solution]
        chosen = made.accepted()
        accepted.judge(made, chosen)
        every.judge(made, [c for c in solved if c not in chosen])
        yield Row(
            case=f"desk {variant}:{seed}, tasks",
            figures={
                "tasks": len(made.candidates),
                "with a resolved attempt": len(solved),
                "accepted": len(chosen),
            },
        )
    for name, blind in (("accepted", accepted), ("not accepted", every)):
        yield Row(case=f"desk, {name}, predicted", figures=agreed(blind.predicted.total()))
        yield Row(case=f"desk, {name}, reward", figures=agreed(blind.reward.total()))
    yield from accepted.predicted.rows("desk, predicted")
    yield from accepted.reward.rows("desk, reward")
    yield accepted.masking("desk")
    if errors:
        print(*(f"  accepted {e}" for e in accepted.errors), sep="\n")
        print(*(f"  not accepted {e}" for e in every.errors), sep="\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Which failed requests are looked at."""

    conversations: int
    living: bool = False
    """One shop over thirty days, where customers who were not helped may come back."""
    told: int = 0
    """Of one failed request in so many a business record says what a human did about it."""


def failed_requests(
    seasons: Sequence[tuple[int, int]], wanted: Failed, *, errors: bool
) -> Iterator[Row]:
    """One attempt a request, no key: what the failed ones become, and what the real database says of the tasks."""
    blind = Blind()
    ways: Counter[tuple[str, str]] = Counter()
    held: Counter[tuple[str, bool]] = Counter()
    for variant, seed in seasons:
        made, said = _season_of(variant, seed, wanted)
        if said:
            found = _became(made, said).items()
            figures = {f"{status}, {why}": count for (status, why), count in found}
            yield Row(case=f"told of {len(said)}, desk {variant}:{seed}", figures=figures)
        chosen = []
        for candidate in made.candidates:
            failed = [t for a in candidate.attempts if not (t := made.talks[a.episode_id]).resolved]
            accepted = made.verdicts[candidate.task.task_id].status == ACCEPTED
            for talk in failed:
                kind = _grantable(talk)
                ways[kind, "all"] += 1
                ways[kind, _source(candidate) if accepted else "no task"] += 1
                if holds_every_value(made.shop, talk, HELD + len(made.talks) + held.total()):
                    held[kind, accepted] += 1
            if failed and accepted:
                chosen.append(candidate)
        blind.judge(made, chosen)
    for kind in GRANTABLE:
        taken = {why: n for (k, why), n in sorted(ways.items()) if k == kind and why not in REST}
        with_task, total = sum(taken.values()), ways[kind, "all"]
        yield Row(
            case=f"failed requests {kind}",
            figures={
                "requests": total,
                "with an accepted task": with_task,
                "with an accepted task %": percent(with_task, total),
                "recording holds every value": held[kind, True] + held[kind, False],
                "of these with a task": held[kind, True],
            },
        )
        yield Row(case=f"failed requests {kind}, solutions from", figures=taken)
    yield Row(case="failed requests, predicted", figures=agreed(blind.predicted.total()))
    yield Row(case="failed requests, reward", figures=agreed(blind.reward.total()))
    if errors:
        print(*(f"  {e}" for e in blind.errors), sep="\n")


def _season_of(variant: int, seed: int, wanted: Failed) -> tuple[Made, dict[str, Said]]:
    """A season without repeated requests, with what was told of its failed ones."""
    count = wanted.conversations
    shop = (
        hold_living(variant=variant, seed=seed, conversations=count)
        if wanted.living
        else hold_season(variant=variant, seed=seed, conversations=count, attempts=1)
    )
    said = told_afterwards(shop, wanted.told) if wanted.told else {}
    return make(shop, {t.episode.episode_id: true_label(t) for t in shop.talks}, said), said


def _became(made: Made, said: Mapping[str, Said]) -> Counter[tuple[str, str]]:
    """What the requests of which a record tells became: status, and the source of the right end or the reason."""
    found = Counter[tuple[str, str]]()
    for one in made.candidates:
        if any(a.episode_id in said for a in one.attempts):
            verdict = made.verdicts[one.task.task_id]
            why = _source(one) if verdict.status == ACCEPTED else (verdict.reasons or ("",))[-1]
            found[verdict.status, why] += 1
    return found


def _source(candidate: Candidate) -> str:
    """Where a task's right end comes from; `""` where there is none."""
    given = candidate.task.provenance
    return str(given.get("solution", given["joined_by"])) if candidate.solution else ""


REST: Final = frozenset({"all", "no task"})
GRANTABLE: Final = ("to be done", "to be answered", "to be declined")


def _grantable(talk: Talk) -> str:
    if talk.denied:
        return GRANTABLE[2]
    return GRANTABLE[0] if any(talk.request.truth.accepted) else GRANTABLE[1]
