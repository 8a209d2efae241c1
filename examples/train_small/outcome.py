"""What the arms showed: gains at the real backend with intervals, and how far rewards ran ahead of them.

In: exams by arm and seed, on the same requests. Out: one record. Requests are the units; a request's score is its share of seeds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Any, Final

from dagster_project.runs.paired_policies import PairedDifference, paired_difference
from examples.train_small.arms import EXPORTED, REAL, SAME, UNTRAINED

Documents = Mapping[str, Sequence[Mapping[str, Any]]]
_DRAWS: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One app's figures."""

    exported: PairedDifference
    """Practised in exported environments, less not practised."""
    real: PairedDifference
    """Practised at the real backend, less not practised."""
    share: float | None
    """The first gain as a share of the second; None where the second is not above 0."""
    share_interval: tuple[float, float] | None
    """Bootstrap over requests, 95 %."""
    ahead: float | None
    """How much more the exported arm earns in the end at held-out tasks than it scores at the same requests at the real backend."""
    null: tuple[float, float]
    """Share of rollouts without a reward in the first and in the second half of the steps."""
    spread: float
    """Share of the exported arm's groups that taught something."""

    @property
    def says(self) -> str:
        """The result in a sentence, and what to run where it shows nothing."""
        first, last = self.exported, self.real
        if not any((first.mean_a, first.mean_b, last.mean_b)):
            return (
                f"No arm resolves any of {first.tasks} unseen requests: production had too few good attempts to "
                "imitate. Give it more --conversations."
            )
        told = (
            f"Of {first.tasks} unseen requests {_percent(first.mean_a)} are resolved after imitation of exported attempts alone, "
            f"{_percent(first.mean_b)} after practice in exported environments, {_percent(last.mean_b)} after practice "
            "at the real backend."
        )
        if first.better and last.better:
            return told
        return f"{told} That is too little to tell practice from luck: more requests and seeds do (without --quick)."

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "says": self.says,
            **asdict(self),
            "exported": self.exported.to_json(),
            "real": self.real.to_json(),
        }


def _percent(share: float | None) -> str:
    return f"{100 * (share or 0):.1f} %"


def outcome_of(found: Documents) -> Outcome:
    """Compare the arms."""
    scores = {arm: _scores(documents) for arm, documents in found.items()}
    before = scores[UNTRAINED]
    exported, real = (paired_difference(before, scores[arm]) for arm in (EXPORTED, REAL))
    gains = [
        [after - first for first, after in zip(before, scores[arm], strict=True)]
        for arm in (EXPORTED, REAL)
    ]
    return Outcome(
        exported=exported,
        real=real,
        share=_ratio(sum(gains[0]), sum(gains[1])),
        share_interval=_interval(gains[0], gains[1]),
        ahead=_ahead(found[EXPORTED]),
        null=_null(found[EXPORTED]),
        spread=_spread(found[EXPORTED]),
    )


def _scores(documents: Sequence[Mapping[str, Any]]) -> list[float]:
    return [sum(one) / len(one) for one in zip(*(d["exam"] for d in documents), strict=True)]


def _ratio(above: float, below: float) -> float | None:
    return above / below if below > 0 else None


def _interval(first: Sequence[float], second: Sequence[float]) -> tuple[float, float] | None:
    dice, count = Random(0), len(first)
    drawn = []
    for _ in range(_DRAWS):
        at = dice.choices(range(count), k=count)
        ratio = _ratio(sum(first[i] for i in at), sum(second[i] for i in at))
        if ratio is None:
            return None
        drawn.append(ratio)
    drawn.sort()
    return drawn[_DRAWS // 40], drawn[-_DRAWS // 40 - 1]


def _ahead(documents: Sequence[Mapping[str, Any]]) -> float | None:
    """By dice, as the policy practises, where it never did; None where it is not known which requests the tasks were made of."""
    last = [one["looks"][max(one["looks"], key=int)] for one in documents]
    known = [look for look in last if look.get(SAME) is not None and look[EXPORTED] is not None]
    return sum(look[EXPORTED] - look[SAME] for look in known) / len(known) if known else None


def _null(documents: Sequence[Mapping[str, Any]]) -> tuple[float, float]:
    halves: tuple[list[float], list[float]] = ([], [])
    for one in documents:
        for step in one["steps"]:
            half = halves[2 * step["step"] >= len(one["steps"])]
            half.append(step["masked"] / max(1, step["rollouts"]))
    early, late = (sum(half) / max(1, len(half)) for half in halves)
    return early, late


def _spread(documents: Sequence[Mapping[str, Any]]) -> float:
    steps = [step for one in documents for step in one["steps"]]
    taught, all_of_them = (sum(int(step[name]) for step in steps) for name in ("spread", "groups"))
    return taught / max(1, all_of_them)
