"""Two rollout runs or policies compared on the tasks that both tried: over all of them, by split and by cluster.

Comes in: rollouts of A and of B, and what is known of their tasks. Goes out: `Comparison`. Only equal versions of a task are compared; of
several the one that was tried last. Rollouts that a fault broke do not count. Pure.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import fsum
from pathlib import Path
from typing import Any, Final, NamedTuple

from dagster_project.rollouts.reasons import PolicyReasons, by_policy
from dagster_project.runs.paired_policies import PairedDifference, paired_difference
from dagster_project.runs.run import RunRow
from environments.runtime.task.errors import TaskSetError
from environments.runtime.task.task_set import TaskSet
from environments.runtime.values.grouping import by_key

NO_SPLIT: Final = "no split"
NO_CLUSTER: Final = "no cluster"


class Version(NamedTuple):
    """One version of a task."""

    task_id: str
    task_version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFacts:
    """What a task set says of one version of a task; empty where it says nothing."""

    split: str = ""
    cluster: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UncomparedTasks:
    """Tasks that are not compared, each counted once."""

    only_a: int = 0
    """B has no rollout of them."""
    only_b: int = 0
    other_version: int = 0
    """Both have rollouts, and none of the same version (of the task set, where one is named)."""
    ungraded_a: int = 0
    """Both tried the same version, and A has no reward there; B has one."""
    ungraded_b: int = 0
    ungraded_both: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A and B on the same tasks; differences are B minus A."""

    a: str
    """A policy's name, or a file's."""
    b: str
    overall: PairedDifference
    """Over tasks at which both have a reward."""
    null_as_zero: PairedDifference
    """The same over all tasks that both tried, with 0 for each rollout without a reward."""
    splits: Mapping[str, PairedDifference]
    """Empty where no task set knows the tasks."""
    clusters: Mapping[str, PairedDifference]
    """By failure cluster; empty where none is known."""
    reasons_a: PolicyReasons | None
    """Rewards and null by reason at the tasks that both tried; None where there is none."""
    reasons_b: PolicyReasons | None
    left: UncomparedTasks

    def says(self) -> str:
        """Which is better, or that this cannot be told and why, in one sentence."""
        found = self.overall
        if not found.tasks:
            return "not enough tasks to tell: no task has a reward of both"
        if found.doubt:
            return f"not enough tasks to tell: {found.doubt}"
        worse = "A" if found.better == "B" else "B"
        low, high = sorted((abs(found.low or 0.0), abs(found.high or 0.0)))
        more = abs(found.difference or 0.0)
        return (
            f"{found.better} is better than {worse}: {more:.3f} more a task "
            f"(95 % interval {low:.3f} to {high:.3f}, p = {found.p_value:.2g})"
        )

    def warns(self) -> str:
        """What runs without a reward make of that, where it is not the same; else empty."""
        better, other = self.overall.better, self.null_as_zero
        if not better or other.better == better:
            return ""
        turned = (
            f"{other.better} is better" if other.better else f"nothing can be told ({other.doubt})"
        )
        return f"with 0 for runs without a reward, {turned}: null decides this comparison"

    def to_json(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "a": self.a,
            "b": self.b,
            "says": self.says(),
            "warns": self.warns(),
            "overall": self.overall.to_json(),
            "null_as_zero": self.null_as_zero.to_json(),
            "splits": {name: one.to_json() for name, one in self.splits.items()},
            "clusters": {name: one.to_json() for name, one in self.clusters.items()},
            "rewards_a": _reasons(self.reasons_a, self.a),
            "rewards_b": _reasons(self.reasons_b, self.b),
            "not_compared": asdict(self.left),
        }


def known_of(task_set: TaskSet) -> dict[Version, TaskFacts]:
    """Split and failure cluster of every task of a task set."""
    return {
        Version(task.task_id, task.task_version): TaskFacts(
            split=task_set.manifest.split_of(task.task_id),
            cluster=str(task.provenance.get("cluster") or ""),
        )
        for task in task_set.tasks
    }


def known_in(folder: Path) -> dict[Version, TaskFacts]:
    """The same of a home's task set; nothing where it was not built yet: rollouts are compared all the same."""
    try:
        return known_of(TaskSet.load(folder))
    except TaskSetError:
        return {}


def compare(
    a: tuple[str, Iterable[RunRow]],
    b: tuple[str, Iterable[RunRow]],
    known: Mapping[Version, TaskFacts],
    *,
    only_known: bool = False,
) -> Comparison:
    """Compare two named runs; `known` may lack any version of a task, which `only_known` leaves out."""
    tasks = {one.task_id for one in known} if only_known else None
    runs_a, runs_b = _by_version(a[1], tasks), _by_version(b[1], tasks)
    shared = runs_a.keys() & runs_b.keys()
    both = _newest(shared & known.keys() if only_known else shared, runs_a, runs_b)
    means = {one: (_mean(runs_a[one]), _mean(runs_b[one])) for one in both}
    graded = {one: (x, y) for one, (x, y) in means.items() if x is not None and y is not None}
    zeros = {one: (_with_zeros(runs_a[one]), _with_zeros(runs_b[one])) for one in both}

    def by_group(name: Callable[[TaskFacts], str], rest: str) -> dict[str, PairedDifference]:
        groups = by_key((name(known.get(one, TaskFacts())) or rest, one) for one in graded)
        if groups.keys() <= {rest}:
            return {}
        return {n: _difference(graded[one] for one in groups[n]) for n in sorted(groups)}

    reasons = {one.policy: one for one in by_policy(_as_policies(runs_a, runs_b, both))}
    return Comparison(
        a=a[0],
        b=b[0],
        overall=_difference(graded.values()),
        null_as_zero=_difference(zeros.values()),
        splits=by_group(lambda one: one.split, NO_SPLIT),
        clusters=by_group(lambda one: one.cluster, NO_CLUSTER),
        reasons_a=reasons.get("A"),
        reasons_b=reasons.get("B"),
        left=_uncompared_tasks(runs_a, runs_b, means),
    )


_Runs = Mapping[Version, Sequence[RunRow]]


def _by_version(rows: Iterable[RunRow], tasks: Container[str] | None) -> _Runs:
    return by_key(
        (Version(row.task_id, row.task_version), row)
        for row in rows
        if row.error is None and (tasks is None or row.task_id in tasks)
    )


def _newest(shared: Iterable[Version], a: _Runs, b: _Runs) -> list[Version]:
    """One version of each task: of several the one tried last; in an order that knows no A and B."""
    newest: dict[str, Version] = {}
    for one in sorted(shared, key=lambda v: (max(row.started_at for row in (*a[v], *b[v])), v)):
        newest[one.task_id] = one
    return sorted(newest.values())


def _difference(pairs: Iterable[tuple[float, float]]) -> PairedDifference:
    listed = list(pairs)
    return paired_difference([one for one, _ in listed], [other for _, other in listed])


def _mean(rows: Sequence[RunRow]) -> float | None:
    """Over the graded; None where there is none."""
    rewards = [row.reward for row in rows if row.reward is not None]
    return fsum(rewards) / len(rewards) if rewards else None


def _with_zeros(rows: Sequence[RunRow]) -> float:
    return fsum(row.reward or 0.0 for row in rows) / len(rows)


def _as_policies(a: _Runs, b: _Runs, both: Iterable[Version]) -> list[dict[str, Any]]:
    """Rows of the compared versions, by policies named A and B: two runs of one policy are told apart."""
    return [
        {**row.model_dump(), "policy": name}
        for one in both
        for name, runs in (("A", a), ("B", b))
        for row in runs[one]
    ]


def _uncompared_tasks(
    a: _Runs, b: _Runs, means: Mapping[Version, tuple[float | None, float | None]]
) -> UncomparedTasks:
    tried_a, tried_b = {one.task_id for one in a}, {one.task_id for one in b}
    paired = {one.task_id for one in means}
    lacks = [(x is None, y is None) for x, y in means.values()]
    return UncomparedTasks(
        only_a=len(tried_a - tried_b),
        only_b=len(tried_b - tried_a),
        other_version=len((tried_a & tried_b) - paired),
        ungraded_a=lacks.count((True, False)),
        ungraded_b=lacks.count((False, True)),
        ungraded_both=lacks.count((True, True)),
    )


def _reasons(found: PolicyReasons | None, name: str) -> dict[str, Any] | None:
    return None if found is None else replace(found, policy=name).to_json()
