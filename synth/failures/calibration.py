"""Calibration: how much this app's signals really say about its own outcomes.

Labelled episodes of one app in; a small logistic model as plain data out, with its cross-validated AUC and interval,
or None when there are too few labels or the signals tell nothing. It ranks what nobody has labelled; it is never a
label and never a reward. Not here: which episodes are failures (`failures`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from synth.failures.reading import Reading
from synth.failures.reference import succeeded
from synth.failures.signals import Signal
from synth.one_thread import one_thread

if TYPE_CHECKING:
    from sklearn.linear_model import LogisticRegression

Floats = NDArray[np.float64]

MIN_LABELLED: Final = 50
MIN_OF_EACH: Final = 10
_STRENGTH: Final = 0.03
"""Inverse regularisation: best on two of three measured sets, 0.004 below the best on the third."""
_FOLDS: Final = 10
_REPEATS: Final = 4
_RESAMPLES: Final = 200
_SIGNALS: Final = (
    "tool_error",
    "tool_error_mended",
    "unanswered_call",
    "loop",
    "repeated_call",
    "repeated_reply",
    "user_corrects",
    "user_rephrases",
    "asked_for_human",
    "handed_over",
    "abandoned",
    "left_unanswered",
    "cut_off",
    "agent_declines",
    "unbacked_claim",
    "told_without_ground",
    "user_withdraws",
)
PRECISE: Final = 0.85
"""Share of suspected episodes that must have failed."""
_SHARE: Final = 0.05
"""Of the labelled episodes must change something with a tool for the tool to count by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One labelled episode as features."""

    features: tuple[float, ...]
    changes: Mapping[str, int]
    """Successful calls of tools that change something, by tool."""
    failed: bool
    group: str
    """Attempts at one request, or episodes of one user, are never split between fitting and testing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """A fitted model as plain data."""

    tools: tuple[str, ...]
    """Tools whose changes count by themselves, behind the features that every app has."""
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float
    episodes: int
    failed: int
    auc: float
    """On episodes of groups that were not fitted."""
    auc_low: float
    """Lower end of the 95 % interval, resampled by group."""
    auc_high: float
    suspects: float | None
    """From this probability on an episode is suspected: where `PRECISE` of the labelled ones had failed; None where that is nowhere so."""

    def probability(self, features: Sequence[float], changes: Mapping[str, int]) -> float:
        """How likely an episode with these features and changes failed."""
        row = _row(features, changes, self.tools)
        parts = zip(row, self.means, self.scales, self.weights, strict=True)
        logit = self.intercept + sum(w * (x - m) / s for x, m, s, w in parts)
        return round(1 / (1 + math.exp(-max(-50.0, min(50.0, logit)))), 4)


def features_of(reading: Reading, signals: Sequence[Signal]) -> tuple[float, ...]:
    """What the model sees of an episode: which signals it shows, and how long it was."""
    names = {signal.name for signal in signals}
    said = [s.content for s in reading.episode.steps if s.role == "user" and s.content]
    sizes = (
        math.log1p(len(said)),
        math.log1p(sum(map(len, said))),
        math.log1p(len(reading.calls)),
        math.log1p(changes_in(reading).total()),
        math.log1p(len({call.name for call in reading.calls})),
        _last_change(reading),
    )
    return (*(float(name in names) for name in _SIGNALS), *sizes)


def _last_change(reading: Reading) -> float:
    """How far into the conversation the last change was made; 0 where nothing was changed."""
    done = succeeded(reading.calls)
    steps = [call.step for call in done if reading.tools[call.name].changes]
    return max(steps, default=0) / max(1, len(reading.episode.steps))


def changes_in(reading: Reading) -> Counter[str]:
    """How often each tool changed something."""
    done = succeeded(reading.calls)
    return Counter(call.name for call in done if reading.tools[call.name].changes)


def _row(
    features: Sequence[float], changes: Mapping[str, int], tools: Sequence[str]
) -> tuple[float, ...]:
    return (*features, *(math.log1p(changes.get(tool, 0)) for tool in tools))


def calibrate(examples: Sequence[Example]) -> Calibration | None:
    """Fit on one app's labelled episodes; None when they are too few or say nothing beyond chance."""
    failed = sum(example.failed for example in examples)
    groups = {example.group for example in examples}
    enough = len(examples) >= MIN_LABELLED and min(failed, len(examples) - failed) >= MIN_OF_EACH
    if not enough or len(groups) < _FOLDS:
        return None
    used = Counter(tool for example in examples for tool in example.changes)
    tools = tuple(sorted(t for t, count in used.items() if count >= _SHARE * len(examples)))
    rows = [_row(example.features, example.changes, tools) for example in examples]
    matrix = np.array(rows, dtype=np.float64)
    labels = np.array([example.failed for example in examples], dtype=np.int64)
    names = np.array([example.group for example in examples])
    with one_thread():
        held_out = _held_out(matrix, labels, names)
    low, high = _interval(labels, held_out, names)
    if low <= 0.5:
        return None
    means, scales = _scaling(matrix)
    with one_thread():
        model = _fitted((matrix - means) / scales, labels)
    return Calibration(
        tools=tools,
        means=tuple(map(float, means)),
        scales=tuple(map(float, scales)),
        weights=tuple(map(float, np.asarray(model.coef_)[0])),
        intercept=float(np.asarray(model.intercept_)[0]),
        episodes=len(examples),
        failed=failed,
        auc=round(_auc(labels, held_out), 4),
        auc_low=round(low, 4),
        auc_high=round(high, 4),
        suspects=_suspects_from(labels, held_out),
    )


def _suspects_from(labels: NDArray[np.int64], scores: Floats) -> float | None:
    """The lowest probability from which on enough of the episodes that were not fitted had failed."""
    order = np.argsort(-scores, kind="stable")
    right = np.cumsum(labels[order]) / np.arange(1, len(labels) + 1)
    precise = np.flatnonzero((right >= PRECISE) & (np.arange(1, len(labels) + 1) >= MIN_OF_EACH))
    return round(float(scores[order][precise[-1]]), 4) if len(precise) else None


def _scaling(matrix: Floats) -> tuple[Floats, Floats]:
    spread = matrix.std(axis=0)
    return matrix.mean(axis=0), np.where(spread > 0, spread, 1.0)


def _auc(labels: NDArray[np.int64], scores: Floats) -> float:
    # Local import, as below: see `clusters.names`.
    from sklearn.metrics import roc_auc_score  # noqa: PLC0415

    return float(roc_auc_score(labels, scores))


def _fitted(matrix: Floats, labels: NDArray[np.int64]) -> LogisticRegression:
    from sklearn.linear_model import LogisticRegression  # noqa: PLC0415

    return LogisticRegression(C=_STRENGTH, max_iter=500).fit(matrix, labels)


def _held_out(matrix: Floats, labels: NDArray[np.int64], groups: NDArray[np.str_]) -> Floats:
    """The mean of what models say that were not fitted on an episode's group, over several ways to part the groups."""
    from sklearn.model_selection import StratifiedGroupKFold  # noqa: PLC0415

    scores = np.zeros(len(labels))
    for seed in range(_REPEATS):
        folds = StratifiedGroupKFold(n_splits=_FOLDS, shuffle=True, random_state=seed)
        for fit, test in folds.split(matrix, labels, groups):
            means, scales = _scaling(matrix[fit])
            model = _fitted((matrix[fit] - means) / scales, labels[fit])
            scores[test] += model.predict_proba((matrix[test] - means) / scales)[:, 1] / _REPEATS
    return scores


def _interval(
    labels: NDArray[np.int64], scores: Floats, groups: NDArray[np.str_]
) -> tuple[float, float]:
    random = np.random.default_rng(7)
    rows = [np.flatnonzero(groups == name) for name in np.unique(groups)]
    found: list[float] = []
    for _ in range(_RESAMPLES):
        drawn = np.concatenate([rows[i] for i in random.integers(len(rows), size=len(rows))])
        if 0 < labels[drawn].sum() < len(drawn):
            found.append(_auc(labels[drawn], scores[drawn]))
    return float(np.percentile(found, 2.5)), float(np.percentile(found, 97.5))
