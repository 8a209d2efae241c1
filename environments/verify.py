"""The gate: attack a candidate before anyone trains on it, and say whether it may be exported.

In: a candidate, the app's other candidates, and a runner that makes an attempt of actions in the candidate's world.
Out: a status with reasons, and every probe with what it got. A probe proves something only where the world knows its
end; it is void otherwise. Not here: derivation (`synth`), files.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from environments.describe_check import describe
from environments.runtime.checks.ends.rows import effect_rows, event_rows
from environments.runtime.checks.table import evaluate
from environments.runtime.checks.view import View, text_of
from environments.runtime.task.attempt import Attempt, Json
from environments.runtime.task.candidate import Action, Candidate
from environments.runtime.task.rubric import AGREEMENT
from environments.runtime.task.task import Limits, Task
from environments.runtime.task.typed import record_json
from environments.runtime.task.verdict import Verdict
from environments.runtime.values.canonical import rubric_hash, task_version
from environments.runtime.values.normal import as_list, as_object
from environments.runtime.views.multiplexed import Dispatched
from environments.search.found_cheats import FoundCheat, found_probes, good_ones
from environments.search.stock import known_in
from environments.verification.attacks import attacks
from environments.verification.cheats import cheats
from environments.verification.material import Material, OtherTasks, by_meaning
from environments.verification.mutants import mutants, recorded_bad, routes
from environments.verification.other_wordings import other_ways
from environments.verification.probe import (
    BELOW,
    MASKED,
    ONE,
    Grade,
    Keeper,
    Probe,
    ProbeOutcome,
    ProbeResult,
)
from environments.verification.solvable import not_knowable

Runner = Callable[[Task, Sequence[Action]], Attempt]
"""Makes the calls of some actions in a fresh world at the task's start."""

LEAST_SENTENCE: Final = 24
"""Shorter sentences of checks may stand in a transcript by chance."""

MOST_SHARE: Final = 0.5
"""An attack earns less than this part of what the good attempt earns, where a set pays the weighted share."""

BREAKS_RULES: Final = "good_attempt_breaks_rules"
"""Reason: by a judge's word, the good attempt breaks so many rules that it earns less than half of the share."""
COUNTS: Final = "counts_calls_only"
"""Reason: nothing but a number of calls would be paid for."""
SAY_NOTHING: Final = frozenset({"spoke", "called"})
"""Checks that pay for words or calls whatever they are."""

ROW: Final = 3
"""A call of an end: tool, arguments, how often."""
MOST_TIMES: Final = 10_000

ACCEPTED: Final = "accepted"
NEEDS_REVIEW: Final = "needs_review"
REJECTED: Final = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What the gate says of one task version."""

    task_id: str
    task_version: str
    status: str
    """`accepted`, `needs_review` or `rejected`; only accepted tasks are exported by default."""
    reasons: tuple[str, ...]
    probes: tuple[ProbeResult, ...]
    good: Verdict | None = None
    """The verdict on the known solution, to compare with another process's; not written."""

    def to_json(self) -> dict[str, Json]:
        """As plain JSON values, for tables and reports."""
        told = record_json(self)
        del told["good"]
        return told


def verify(  # noqa: PLR0913 - all that the gate is told
    candidate: Candidate,
    *,
    others: Sequence[Candidate] | OtherTasks,
    run: Runner,
    world_digest: str = "",
    recordings: Mapping[str, Json] | None = None,
    found: Sequence[FoundCheat] = (),
    keeper: Keeper | None = None,
) -> Verification:
    """Run every probe on one candidate; `recordings` hold what a judge said of its attempts, `found` cheats that a search found.

    Who verifies all candidates of an app hands in one `OtherTasks` of them: each is then read once, not once per candidate. `keeper` knows what
    probes got before; without one all are run.
    """
    version = task_version(candidate.task, candidate.rubric, world_digest=world_digest)
    gate = _Gate(candidate, version, run, recordings or {})
    if not candidate.solution:
        return gate.verdict(NEEDS_REVIEW, [*candidate.reasons] or ["no_solution"], [])
    good, verdict = gate.grade(candidate.solution)
    gate.good = verdict
    first = gate.judge_good(verdict)
    if gate.grade(candidate.solution)[1] != verdict:
        return gate.verdict(REJECTED, ["two_runs_differ"], [first])
    if not first.passed:
        status = NEEDS_REVIEW if verdict.reward is None else REJECTED
        reason = "good_attempt_not_graded" if verdict.reward is None else "good_attempt_fails"
        return gate.verdict(status, [reason, *candidate.reasons], [first])
    read = others if isinstance(others, OtherTasks) else OtherTasks(others)
    material = Material(
        by_meaning(candidate, gate.dispatched),
        good,
        read.others_for(candidate, gate.dispatched),
        read.changing,
    )
    gate.changed = bool(good.end.effects) or any(
        tool in material.changing for tool, _ in event_rows(good.end, {})
    )
    unsolvable = not_knowable(material, read.habits(run), gate.reward_of, gate.look)
    probes = [*routes(material), *other_ways(material), *attacks(material), *cheats(material)]
    probes += [*mutants(material), *recorded_bad(candidate.attempts)]
    if found:
        recorded = [
            run(candidate.task, gate.as_asked(actions)) for actions in good_ones(candidate.attempts)
        ]
        known = known_in(candidate.task.tools)
        probes += found_probes(found, material, recorded, known)
    grade: Grade = partial(gate.run_probe, good=good)
    if keeper is not None:
        grade = keeper([repr(good.end), gate.changed, gate.honest], grade)
    results = [first, *(gate.result(probe, grade(probe)) for probe in probes)]
    status, reasons = _status(candidate, results)
    if status == ACCEPTED and gate.honest < MOST_SHARE:
        status, reasons = NEEDS_REVIEW, [BREAKS_RULES]
    against = [*_reachable(candidate, good), *unsolvable]
    return gate.verdict(REJECTED if against else status, [*against, *reasons], results)


def _status(candidate: Candidate, results: Sequence[ProbeResult]) -> tuple[str, list[str]]:
    counted = [result for result in results if result.in_gate and not result.passed]
    exploits = sorted({f"pays:{r.name}" for r in counted if r.expected not in {BELOW, ONE}})
    doubts = sorted({f"pays:{r.name}" for r in counted if r.expected == BELOW})
    doubts += sorted(f"misses:{r.name}" for r in counted if r.expected == ONE)
    leaks = _answers_in_text(candidate)
    positive = any(
        c.positive and c.required and c.role != AGREEMENT for c in candidate.rubric.checks
    )
    counted_only = [COUNTS] if _only_counts(candidate) else []
    if exploits or counted_only or not positive:
        return REJECTED, [*counted_only, *exploits, *([] if positive else ["no_positive_evidence"])]
    reasons = [*candidate.reasons, *doubts, *leaks]
    return (NEEDS_REVIEW, reasons) if reasons else (ACCEPTED, [])


def _only_counts(candidate: Candidate) -> bool:
    """Whether all that is paid for is how often tools were called: no call left anything known, and of most no argument is compared."""
    paid = [
        c
        for c in candidate.rubric.checks
        if c.required and c.positive and c.role != AGREEMENT and c.fn not in SAY_NOTHING
    ]
    if any(c.fn != "end_state" for c in paid):
        return False
    known = [c for c in candidate.rubric.checks if c.fn == "end_state" and c.role != AGREEMENT]
    ends = [e for c in known for e in as_list(c.args.get("ends")) if isinstance(e, dict)]
    ignored = {t for c in known for t in as_object(c.args.get("ignore"))}
    return bool(ends) and all(not e.get("effects") and _counts(e, ignored) for e in ends)


def _counts(end: Mapping[str, Json], ignored: Collection[str]) -> bool:
    """Whether of most calls that change something, or else may, nothing but their number is compared."""
    for made in ([end.get("writes")], as_list(end.get("maybe"))):
        rows = [r for one in made for r in as_list(one) if isinstance(r, list) and len(r) == ROW]
        counted = [row[1] == "{}" and row[0] in ignored for row in rows for _ in range(_times(row))]
        if counted:
            return 2 * sum(counted) >= len(counted)
    return False


def _times(row: Sequence[Json]) -> int:
    return min(row[-1], MOST_TIMES) if isinstance(row[-1], int) else 1


def _answers_in_text(candidate: Candidate) -> list[str]:
    """Facts to tell that the opening, the tools' descriptions or the user say before the policy could know them.

    None where another fact has to be found out besides: it keeps those who only repeat from being paid.
    """
    task = candidate.task
    said = [*task.opening, *({"role": "user", "content": turn.text} for turn in task.user)]
    said.append({"role": "system", "content": json.dumps(list(map(dict, task.tools)))})
    view = View(Attempt(messages=tuple(said), opening=len(said)))
    told = [c for c in candidate.rubric.checks if c.fn == "told" and c.required]
    known = [c for c in told if _stands_in(c.args.get("value"), view)]
    return [f"answer_in_text:{c.check_id}" for c in known] if len(known) == len(told) else []


def _stands_in(value: Json, view: View) -> bool:
    if isinstance(value, str):
        return value.casefold() in view.given_words
    return isinstance(value, int | float) and value in view.given_numbers


def _reachable(candidate: Candidate, seen: Attempt) -> list[str]:
    """Whether anything the policy reads names the rubric: its hash, a check's sentence, an episode it comes from."""
    checks = candidate.rubric.checks
    secret = {rubric_hash(candidate.rubric), *(e for check in checks for e in check.origin)}
    said = {text for check in checks for text in (check.says, describe(check))}
    secret |= {text for text in said if len(text) >= LEAST_SENTENCE}
    shown = [text_of(m) for m in seen.messages if m.get("role") != "assistant"]
    shown.append(json.dumps(list(map(dict, candidate.task.tools))))
    found = any(one in text for one in secret for text in shown)
    return ["evidence_reachable"] if found else []


class _Gate:
    """Runs and grades one candidate's probes."""

    def __init__(
        self, candidate: Candidate, version: str, run: Runner, recordings: Mapping[str, Json]
    ) -> None:
        self._candidate = candidate
        self.task_id = candidate.task.task_id
        self._recordings = recordings
        self.dispatched = Dispatched.from_json(candidate.task.dispatched)
        self._version = version
        self._run = run
        self.good: Verdict | None = None
        self.changed = False
        """Whether the good attempt changes something; that the world is unsure of a read proves no change."""

    def grade(self, actions: Sequence[Action]) -> tuple[Attempt, Verdict]:
        """Make an attempt of actions and grade it."""
        attempt = self._run(self._candidate.task, self.as_asked(actions))
        verdict = evaluate(
            self._candidate.rubric,
            attempt,
            task_version=self._version,
            recordings=self._recordings,
        )
        return attempt, verdict

    def reward_of(self, actions: Sequence[Action]) -> tuple[Attempt, float | None]:
        """The attempt of some actions, and what it is paid."""
        attempt, verdict = self.grade(actions)
        return attempt, verdict.reward

    def look(self, actions: Sequence[Action]) -> Attempt:
        """The attempt of many calls, as if the task had no limits."""
        many = len(actions) + 1
        limits = Limits(messages=many, calls=many, unknown=many, characters=sys.maxsize)
        return self._run(replace(self._candidate.task, limits=limits), self.as_asked(actions))

    def as_asked(self, actions: Sequence[Action]) -> tuple[Action, ...]:
        """The actions as a policy makes them: attacks name parts of tools that are several."""
        return tuple(map(self.dispatched.as_asked, actions))

    def judge_good(self, verdict: Verdict) -> ProbeResult:
        """The recorded good attempt must score 1."""
        return ProbeResult(
            name="good_attempt",
            expected=ONE,
            reward=verdict.reward,
            void=False,
            passed=verdict.reward == 1.0,
            in_gate=True,
            why=verdict.reason,
            share=verdict.share,
        )

    def run_probe(self, probe: Probe, good: Attempt) -> ProbeOutcome:
        """Run one attack; a mutant is void where its end is the good one, or nobody knows it."""
        attempt, verdict = self.grade(probe.actions)
        void = self._void(probe, attempt, good, verdict)
        masked = verdict.reward is None and probe.expected != ONE
        passed = void or masked or self._low_enough(probe, verdict)
        return ProbeOutcome(verdict.reward, void, passed, verdict.reason, verdict.share)

    def result(self, probe: Probe, got: ProbeOutcome) -> ProbeResult:
        """What one attack got, with what it did where it was paid."""
        return ProbeResult(
            name=probe.name,
            expected=probe.expected,
            reward=got.reward,
            void=got.void,
            passed=got.passed,
            in_gate=probe.in_gate,
            why=got.why,
            share=got.share,
            actions=() if got.passed else self.as_asked(probe.actions),
        )

    def verdict(
        self, status: str, reasons: Sequence[str], results: Sequence[ProbeResult]
    ) -> Verification:
        """Put the gate's findings together."""
        return Verification(
            task_id=self._candidate.task.task_id,
            task_version=self._version,
            status=status,
            reasons=tuple(dict.fromkeys(reasons)),
            probes=tuple(results),
            good=self.good,
        )

    def _void(self, probe: Probe, attempt: Attempt, good: Attempt, verdict: Verdict) -> bool:
        if probe.proves is not None:
            return not probe.proves(attempt)
        if not probe.voidable:
            return False
        if probe.expected == ONE:
            # Whoever hears that nobody knows an answer does not go on as the recorded attempt did.
            unheard = attempt.unknown_answers > good.unknown_answers
            return verdict.reward is None or unheard or not _same_end(attempt, good)
        if probe.expected == BELOW:
            return verdict.reward != 0.0 and (bool(attempt.end.unknown) or _same_end(attempt, good))
        return probe.expected != MASKED and self.changed and _same_end(attempt, good)

    def _low_enough(self, probe: Probe, verdict: Verdict) -> bool:
        """Whether a probe earns what it may, where a set pays all or nothing and where it pays the share."""
        reward = verdict.reward
        if probe.expected == ONE or reward is None:
            return reward == 1.0
        if probe.expected == BELOW:
            return reward < 1.0
        return reward == 0.0 and (verdict.share or 0.0) < MOST_SHARE * max(self.honest, MOST_SHARE)

    @property
    def honest(self) -> float:
        """The good attempt's share."""
        share = self.good.share if self.good is not None else None
        return 1.0 if share is None else share


def _same_end(one: Attempt, other: Attempt) -> bool:
    """Whether two runs left the world alike, as far as the world knows."""
    if one.end.unknown or other.end.unknown:
        return False
    same = effect_rows(one.end) == effect_rows(other.end)
    return same and event_rows(one.end, {}) == event_rows(other.end, {})
