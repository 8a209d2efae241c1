"""Which graders of an app are trusted: how often each kind of check errs on attempts that it has not seen.

Comes in: attempts that were left out once, the kind of each task, and which tasks their own gate accepted. Goes out: a row per kind, with
exact 95 % intervals, and the kinds whose tasks do not ship. Where a model or a program says what users got, figures are shown and decide
nothing.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from dagster_project.tasks.agreement import HeldOut, kappa_of
from environments.runtime.task.attempt import Json
from environments.runtime.values.grouping import by_key
from environments.verification.kinds import KINDS, REVIEWED
from synth.labels.policy import NEVER_ALONE

CHECK: Final = "graders_trusted"
"""The asset check that names the kinds in doubt."""
MOST_FALSE_PASSES: Final = 0.02
MOST_FALSE_FAILS: Final = 0.12
"""Shares of the graded attempts up to which graders are good enough.

A false pass teaches a fault. A false fail teaches nothing, as a task that is held back does at all its attempts, and the graders judged
here lack evidence that those which ship have.
"""
ENOUGH: Final = 20
"""Graded attempts without which a kind of an app whose graders err has not shown that it does better."""
_TAIL: Final = 0.025
_PROBABLY: Final = 0.25

GOOD: Final = "good_enough"
UNPROVEN: Final = "not_proven"
UNMEASURED: Final = "not_measured"
UNTRUSTED: Final = "not_trusted"
SHOWN: Final = "shown_only"
"""A model or a program said what users got."""
STANDINGS: Final[Mapping[str, str]] = {
    GOOD: "good enough",
    UNPROVEN: "not proven",
    UNMEASURED: "not measured",
    UNTRUSTED: "not trusted: its tasks are held back",
    SHOWN: "shown only: a model or a program said how it went",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How many of some, with the exact (Clopper-Pearson) 95 % interval of the share."""

    count: int
    of: int
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class KindTrust:
    """What is known of the graders of one kind."""

    kind: str
    """Of `environments.verification.kinds.KINDS`; empty: all graders, those of tasks that were not accepted included."""
    standing: str
    tasks: int
    """Tasks of this kind that their own gate accepted."""
    attempts: int
    """Attempts left out that had a resolved other."""
    graded: int
    kappa: float | None
    false_pass: Share
    """Bad attempts that training would pay, of the graded ones; an attempt is left out, its grader is made from the others at its task."""
    false_fail: Share
    """Good attempts that are foreseen to fail."""
    graded_tasks: int
    kappa_low: float | None
    """The lowest kappa that remains when one task is left out."""
    tasks_false_pass: Share
    """Of the graded tasks, those with a false pass: what the others let one expect of a task that nobody has tried."""
    tasks_false_fail: Share
    needed: int
    """Further graded attempts, all judged rightly, until at most `MOST_FALSE_PASSES` are possible."""
    app_errs: bool = False
    """Whether it is not trusted because the app's graders err and too few attempts show that this kind does better."""

    @property
    def title(self) -> str:
        """What decides, in words."""
        return KINDS.get(self.kind, "all graders, those of tasks that were not accepted included")

    @property
    def says(self) -> str:
        """How far they are trusted, in words; all graders together hold nothing back, their kinds do."""
        if self.standing == UNTRUSTED and not self.kind:
            return "not trusted"
        return STANDINGS[self.standing]

    @property
    def held_back(self) -> bool:
        """Whether tasks of this kind do not ship."""
        return bool(self.kind) and self.standing == UNTRUSTED

    @property
    def in_doubt(self) -> bool:
        """Whether more false passes are possible than allowed, and one was seen; that few attempts prove little is no fault."""
        return self.standing == UNTRUSTED or (
            self.standing == UNPROVEN
            and self.false_pass.count > 0
            and self.false_pass.high > MOST_FALSE_PASSES
        )

    @property
    def is_untested(self) -> bool:
        """Whether too few attempts speak for or against it."""
        return self.standing in {UNPROVEN, UNMEASURED} and not self.in_doubt


@dataclass(frozen=True, slots=True, kw_only=True)
class AppTrust:
    """What is known of the graders of one app."""

    whole: KindTrust
    kinds: tuple[KindTrust, ...]
    """Most tasks first; what models and programs said in rows of its own, `SHOWN`."""

    @property
    def untrusted(self) -> frozenset[str]:
        """The kinds whose tasks do not ship."""
        return frozenset(row.kind for row in self.kinds if row.standing == UNTRUSTED)


def told_of(row: KindTrust) -> str:
    """A kind in doubt as words: what is possible, and how many graded attempts would settle it."""
    wrong, missed = row.false_pass, row.false_fail
    seen = f"of {row.graded} graded false passes: {wrong.count}, up to {100 * wrong.high:.1f} % possible"
    fails = f", false fails: {missed.count}" if missed.count else ""
    why = "; the app's graders err and too few attempts show that this kind does better"
    more = f"{row.needed} more graded attempts without an error would prove it"
    return (
        f"{row.kind}: {STANDINGS[row.standing]}; {seen}{fails}{why if row.app_errs else ''}; {more}"
    )


def card_rows(app: str, found: AppTrust) -> list[Json]:
    """All graders of an app and those of each kind, for the card of a task set, as plain JSON; rounded, so that equal lakes give equal cards anywhere."""
    if not found.kinds:
        return []
    return [
        {
            "app": app,
            "kind": row.kind,
            "standing": row.says,
            "tasks": row.tasks,
            "left_out": {
                "attempts": {
                    "graded": row.graded,
                    "of": row.attempts,
                    "kappa": _rounded(row.kappa),
                    "false_pass": _share_json(row.false_pass),
                    "false_fail": _share_json(row.false_fail),
                },
                "tasks": {
                    "graded": row.graded_tasks,
                    "of": row.tasks if row.kind else row.graded_tasks,
                    "kappa": _rounded(row.kappa_low),
                    "false_pass": _share_json(row.tasks_false_pass),
                    "false_fail": _share_json(row.tasks_false_fail),
                },
            },
        }
        for row in (found.whole, *found.kinds)
    ]


def _rounded(value: float | None) -> float | None:
    """Never -0.0, which sums in floating point leave."""
    return None if value is None else round(value, 4) + 0.0


def _share_json(share: Share) -> dict[str, Json]:
    return {
        "count": share.count,
        "of": share.of,
        "low": round(share.low, 4),
        "high": round(share.high, 4),
    }


def trust_of(
    held_out: Iterable[HeldOut], kinds: Mapping[str, str], accepted: Collection[str]
) -> AppTrust:
    """Judge the graders of an app by kind; `accepted`: tasks that their own gate let through.

    Graders of tasks that did not pass the gate say how far graders are to be trusted in this app at all.
    """
    tasks = Counter(kinds[task_id] for task_id in accepted if task_id in kinds)
    seen = [one for one in held_out if one.witness and one.task_id in kinds]
    said = [one for one in seen if one.by in NEVER_ALONE]
    users = [one for one in seen if one.by not in NEVER_ALONE]
    here: dict[str, list[HeldOut]] = defaultdict(list)
    shown: dict[str, list[HeldOut]] = defaultdict(list)
    for groups, listed in ((here, users), (shown, said)):
        for one in listed:
            kind = kinds[one.task_id]
            # Left out, an attempt is graded by the derived rubric: that says nothing of a reviewer's own.
            if one.task_id in accepted and kind != REVIEWED:
                groups[kind].append(one)
    # What others' tasks say of a kind is indirect: it has to be sure.
    doubtful = errs(users, surely=True)
    ranked = [kind for kind, _ in sorted(tasks.items(), key=lambda item: (-item[1], item[0]))]
    rows = [_trust_in(kind, here[kind], tasks[kind], doubtful=doubtful) for kind in ranked]
    rows += [_row(kind, shown[kind], tasks[kind], SHOWN) for kind in ranked if shown[kind]]
    whole = UNTRUSTED if doubtful else _evident(users)
    return AppTrust(whole=_row("", users, tasks.total(), whole), kinds=tuple(rows))


def _trust_in(kind: str, group: Sequence[HeldOut], tasks: int, *, doubtful: bool) -> KindTrust:
    """A kind is refuted by errors of its own, or by those of the app's graders unless it has shown that it does better."""
    if errs(group):
        return _row(kind, group, tasks, UNTRUSTED)
    if doubtful and kind != REVIEWED and not does_better(group):
        return replace(_row(kind, group, tasks, UNTRUSTED), app_errs=True)
    return _row(kind, group, tasks, _evident(group))


def _evident(group: Sequence[HeldOut]) -> str:
    graded = [one for one in group if one.says is not None]
    if not graded:
        return UNMEASURED
    wrong = share(sum(map(_passes, graded)), len(graded))
    return GOOD if wrong.high <= MOST_FALSE_PASSES else UNPROVEN


def errs(group: Sequence[HeldOut], *, surely: bool = False) -> bool:
    """Whether probably (three to one) more is judged wrongly than allowed, whichever task is left out: one task's fault is not its kind's.

    `surely`: 39 to one, the lower end of the 95 % interval.
    """
    rest = _without_each(group)
    return any(
        bool(rest) and all(_exceeds(*one[side], surely=surely) for one in rest) for side in (0, 1)
    )


def _exceeds(part: Share, allowed: float, *, surely: bool) -> bool:
    if not part.count:
        return False
    low = part.low if surely else _quantile(part.count, part.of - part.count + 1, _PROBABLY)
    return low > allowed


def does_better(group: Sequence[HeldOut]) -> bool:
    """Whether enough attempts show, whichever task is left out, no more errors than allowed."""
    rest = _without_each(group)
    return bool(rest) and all(
        part.of >= ENOUGH and part.count <= allowed * part.of
        for one in rest
        for part, allowed in one
    )


def _without_each(
    group: Sequence[HeldOut],
) -> list[tuple[tuple[Share, float], tuple[Share, float]]]:
    """False passes and false fails, each beside the share allowed, with every task left out in turn.

    Users err too: what wrong labels explain is allowed on top.
    """
    by_task = by_key((one.task_id, one) for one in group if one.says is not None)
    sums = {name: _sums(mine) for name, mine in by_task.items()}
    total = [sum(column) for column in zip(*sums.values(), strict=True)]
    found = []
    # Tasks with the same counts leave the same behind.
    for mine in sorted(set(sums.values())):
        graded, passes, fails, by_pass, by_fail = (t - m for t, m in zip(total, mine, strict=True))
        of = round(graded)
        found.append(
            (
                (share(round(passes), of), MOST_FALSE_PASSES + by_pass / max(of, 1)),
                (share(round(fails), of), MOST_FALSE_FAILS + by_fail / max(of, 1)),
            )
        )
    return found


def _sums(graded: Sequence[HeldOut]) -> tuple[float, ...]:
    """Graded, false passes, false fails, and how many of each wrong labels explain."""
    return (
        len(graded),
        sum(map(_passes, graded)),
        sum(map(_fails, graded)),
        sum(one.noise for one in graded if not one.resolved),
        sum(one.noise for one in graded if one.resolved),
    )


def _passes(one: HeldOut) -> bool:
    """A bad attempt that training would pay: one that is masked teaches nothing, whatever the grader foresees."""
    return bool(one.paid) and not one.resolved


def _fails(one: HeldOut) -> bool:
    return one.says is False and one.resolved


def _row(kind: str, group: Sequence[HeldOut], tasks: int, standing: str) -> KindTrust:
    graded = [one for one in group if one.says is not None]
    by_task = by_key((one.task_id, one) for one in graded)
    wrong = share(sum(map(_passes, graded)), len(graded))
    return KindTrust(
        kind=kind,
        standing=standing,
        tasks=tasks,
        attempts=len(group),
        graded=len(graded),
        kappa=kappa_of(graded),
        false_pass=wrong,
        false_fail=share(sum(map(_fails, graded)), len(graded)),
        graded_tasks=len(by_task),
        kappa_low=_lowest(graded, by_task),
        tasks_false_pass=share(sum(any(map(_passes, g)) for g in by_task.values()), len(by_task)),
        tasks_false_fail=share(sum(any(map(_fails, g)) for g in by_task.values()), len(by_task)),
        needed=needed(wrong.count, wrong.of),
    )


def _lowest(graded: Sequence[HeldOut], by_task: Mapping[str, Sequence[HeldOut]]) -> float | None:
    found = (kappa_of([one for one in graded if one.task_id != name]) for name in by_task)
    return min((value for value in found if value is not None), default=None)


def share(count: int, of: int) -> Share:
    """The share with its exact interval; everything is possible while nothing was seen."""
    low, high = 0.0, 1.0
    if count:
        low = _quantile(count, of - count + 1, _TAIL)
    if count < of:
        high = _quantile(count + 1, of - count, 1 - _TAIL)
    return Share(count=count, of=of, low=low, high=high)


def _quantile(a: int, b: int, at: float) -> float:
    """Of the beta distribution; by hand where one of its sides is 1, which is every count of nothing or all."""
    if a == 1:
        return 1.0 - float((1 - at) ** (1 / b))
    if b == 1:
        return float(at ** (1 / a))
    from scipy.special import betaincinv  # noqa: PLC0415 - half a second

    return float(betaincinv(a, b, at))


def needed(errors: int, graded: int) -> int:
    """Further graded attempts without an error until no more than `MOST_FALSE_PASSES` are possible; 0: none."""
    low, high = 0, 1
    while share(errors, graded + high).high > MOST_FALSE_PASSES:
        low, high = high, 2 * high
    if share(errors, graded).high <= MOST_FALSE_PASSES:
        return 0
    while high - low > 1:
        middle = (low + high) // 2
        enough = share(errors, graded + middle).high <= MOST_FALSE_PASSES
        low, high = (low, middle) if enough else (middle, high)
    return high
