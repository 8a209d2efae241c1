"""Grading: a rubric and an attempt in, a verdict out, by a closed table of functions (`kinds`); data never becomes code.

A verdict is 0 if a required check of its role fails, else None if one is None, else the weighted mean of the graded others in
check order (1 if there are none). A certain failure is a failure whatever else is unknown: nobody can buy a None for it
with nonsense. Not here: running calls, asking judges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Final

from ..task.attempt import Attempt, Json
from ..task.rubric import AGREEMENT, BOTH, PASSES, REWARD, Check, Rubric
from ..task.share import PAYS_ALL, PAYS_SHARE, share_of
from ..task.verdict import CheckResult, Score, Verdict
from ..values.canonical import rubric_hash
from ..values.normal import as_list
from .kinds import KINDS, UNKNOWN
from .view import View

_LOOKS_AT: Final = ("after", "end")
"""Arguments that name another check."""
MOST_NAMES: Final = 4096
_NAMES: Final[dict[int, tuple[Rubric, str]]] = {}
"""Rubric hashes by identity; the rubric is kept beside its hash, so that an id is never used again."""


def evaluate(
    rubric: Rubric,
    attempt: Attempt,
    *,
    task_version: str,
    recordings: Mapping[str, Json] | None = None,
    pays: str = PAYS_ALL,
) -> Verdict:
    """Grade one attempt: reward for training, and the outcome the user would report.

    `pays`: `PAYS_ALL` (all or nothing) or `PAYS_SHARE` (the weighted share of what was asked for).
    """
    view = View(attempt, recordings or {})
    run = {n: _run(rubric.checks[n], view) for n in _order(rubric.checks)}
    results = [run[n] for n in range(len(rubric.checks))]
    scores = [result.score for result in results]
    reward, why = _combine(rubric.checks, scores, REWARD)
    predicted, _ = _combine(rubric.checks, scores, AGREEMENT)
    if view.attempt.tampered and reward:
        reward, why = None, "not graded: a claimed tool result differs from the re-run"
    # Tampering is never paid, not even in part.
    part = reward if view.attempt.tampered else share_of(rubric.checks, scores, reward)
    return Verdict(
        task_id=rubric.task_id,
        task_version=task_version,
        rubric=_name_of(rubric),
        reward=part if pays == PAYS_SHARE else reward,
        all_or_nothing=reward,
        share=part,
        predicted=predicted,
        reason=why,
        score=_score(rubric.checks, scores),
        checks=tuple(results),
    )


def _name_of(rubric: Rubric) -> str:
    """The rubric's hash, remembered: hashing 200 checks takes longer than running them."""
    known = _NAMES.get(id(rubric))
    if known is None or known[0] is not rubric:
        if len(_NAMES) >= MOST_NAMES:
            _NAMES.clear()
        known = (rubric, rubric_hash(rubric))
        _NAMES[id(rubric)] = known
    return known[1]


def _order(checks: Sequence[Check]) -> Sequence[int]:
    """The order to run checks in: behind those whose results they look at; as they stand where they go round in a circle."""
    places = {check.check_id: n for n, check in enumerate(checks)}
    needed = {
        n: [places[name] for key in _LOOKS_AT if (name := str(check.args.get(key))) in places]
        for n, check in enumerate(checks)
    }
    if all(place < n for n, found in needed.items() for place in found):
        return range(len(checks))
    try:
        return tuple(TopologicalSorter(needed).static_order())
    except CycleError:
        return range(len(checks))


def _run(check: Check, view: View) -> CheckResult:
    after = check.args.get("after")
    if isinstance(after, str) and view.scores.get(after) == 0.0:
        evidence = "not looked at: the end is wrong"
        view.scores[check.check_id] = 0.0
        return CheckResult(check_id=check.check_id, score=0.0, evidence=evidence)
    score, evidence = score_of(check, view)
    if score == 0.0 and check.args.get("on_missing") == "null":
        score, evidence = None, f"{evidence}; outcomes do not tell whether this matters"
    view.scores[check.check_id] = score
    return CheckResult(check_id=check.check_id, score=score, evidence=evidence)


def score_of(check: Check, view: View) -> tuple[float | None, str]:
    """What one check says of an attempt, and why. One that belongs to an end passes at any other: there the end decides."""
    ends, matched = as_list(check.args.get("ends")), view.matched.get(str(check.args.get("after")))
    if ends and matched is not None and matched not in ends:
        return 1.0, "not needed at this end"
    return KINDS.get(check.fn, UNKNOWN).function(check.args, view, check.check_id)


def _combine(
    checks: Sequence[Check], scores: Sequence[float | None], role: str
) -> tuple[float | None, str]:
    """The formula in `task/rubric.py` over the checks of one role, in check order."""
    roles = (role, BOTH)
    mine = [(c, s) for c, s in zip(checks, scores, strict=True) if c.role in roles]
    if not mine:
        return None, "no check grades this"
    required = [(c, s) for c, s in mine if c.required]
    failed = next((c for c, s in required if s is not None and s < PASSES), None)
    if failed is not None:
        return 0.0, f"failed: {failed.check_id}"
    unknown = next((c for c, s in required if s is None), None)
    if unknown is not None:
        return None, f"not graded: {unknown.check_id}"
    graded = [(c.weight, s) for c, s in mine if not c.required and s is not None]
    total = sum(weight for weight, _ in graded)
    if total <= 0:
        return 1.0, "every required check passed"
    return sum(w * s for w, s in graded) / total, "weighted mean of the graded checks"


def _score(checks: Sequence[Check], scores: Sequence[float | None]) -> Score:
    """How many checks that pay passed; what only predicts an outcome would count the same fact twice."""
    mine = [s for check, s in zip(checks, scores, strict=True) if check.role != AGREEMENT]
    graded = [score for score in mine if score is not None]
    passed = sum(score >= PASSES for score in graded)
    return Score(passed=passed, graded=len(graded), total=len(mine))
