"""`verified_tasks`: every task version attacked, with the verdict whether it may be exported."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

import dagster as dg
import pyarrow as pa

from dagster_project.build.budgets import Meter, meter_of
from dagster_project.build.left_out import Skips
from dagster_project.build.progress import report_each
from dagster_project.defs.asset import lake_asset, make_each
from dagster_project.defs.partitions import APPS
from dagster_project.defs.resources import CleanSide
from dagster_project.defs.result import AssetResult, Checked, asset_result
from dagster_project.defs.show import bars, rows_of, table_of
from dagster_project.defs.tasks import candidates_of
from dagster_project.lake.documents import Document, records, to_rows
from dagster_project.lake.freshness import Key, digests, made_of, work
from dagster_project.lake.learnt_tables import VERIFIED
from dagster_project.lake.store import Lake
from dagster_project.review.feedback import undecided, with_decisions
from dagster_project.review.store import ASSET as REVIEWS
from dagster_project.review.store import reviews_of
from dagster_project.tasks.agreement import held_out_of
from dagster_project.tasks.found_cheats import cheats_of, cheats_seen
from dagster_project.tasks.grader_trust import (
    CHECK,
    STANDINGS,
    UNTRUSTED,
    KindTrust,
    told_of,
)
from dagster_project.tasks.judge_replies import judge_of, keep_fresh, replies_seen
from dagster_project.tasks.kept_verdicts import keep_reads, remembered
from dagster_project.tasks.verification import (
    GATE,
    TaskKnowledge,
    VerifiedTask,
    trust_in,
    verify_all,
)
from dagster_project.worlds.stored_worlds import world_of
from environments.runtime.task.verdict import count_text
from environments.runtime.values.grouping import by_key
from environments.verification.judge_checks import UNASKED
from environments.verification.sentences import reason_group, reason_says
from environments.verify import ACCEPTED

ASSET = "verified_tasks"


@lake_asset(
    APPS,
    group="environments",
    deps=["tasks", "worlds", "agreement"],
    says="Each task is accepted, rejected or waits for review, by what attacks on its grader earn (doing nothing, claiming success, copying and others).",
    checks={
        "probes_hold": "No accepted task rewards an attack, and each rewards its recorded good attempt with 1.",
        CHECK: "Each kind of check passes at most 2 % of bad attempts that were left out when it was made (upper bound at 95 %).",
    },
    blocking=("probes_hold",),
)
def verified_tasks(context: dg.AssetExecutionContext, clean: CleanSide) -> AssetResult:
    """Verify the task versions that are new."""
    lake = clean.lake
    asking = clean.judge is not None
    todo = work(lake, ASSET, ingredients(lake, context.partition_keys, asking=asking))
    make_each(lake, VERIFIED, todo, partial(_verified, clean, meter_of(ASSET, clean.limits)))
    everything = {app: list(verified_of(lake, app).values()) for app in context.partition_keys}
    listed = [one for group in everything.values() for one in group]
    broken = [one for one in listed if one.status == ACCEPTED and not _holds(one)]
    statuses = Counter(one.status for one in listed)
    return asset_result(
        lake,
        todo,
        lambda: {
            "tasks": len(listed),
            "accepted": statuses[ACCEPTED],
            "by_app": rows_of(
                ("app", "accepted", "needs review", "rejected"),
                [
                    (app, *(sum(o.status == s for o in group) for s in _STATUSES))
                    for app, group in everything.items()
                ],
            ),
            "why_not": table_of(
                "reason",
                Counter(
                    reason_says(reason_group(r))
                    for one in listed
                    if one.status != ACCEPTED
                    for r in one.reasons
                ),
            ),
            "picture": bars("tasks by status", statuses),
        },
        {
            "probes_hold": lambda: Checked(
                failing={
                    app: f"{count_text(n, 'accepted task', 'accepted tasks')} would pay an attack or not pay the recorded good attempt; they are not exported, "
                    "please report it as a fault of tracegym"
                    for app, group in everything.items()
                    if (n := sum(one in broken for one in group))
                },
                metadata={"accepted": statuses[ACCEPTED], "broken": len(broken)},
            ),
            CHECK: lambda: _graders_trusted(lake, everything),
        },
    )


def _verified(clean: CleanSide, meter: Meter, app: str, skips: Skips) -> pa.Table:
    """What the gate and people say of an app's tasks, as rows."""
    lake = clean.lake
    judge = judge_of(clean.judge, lake, [app], spent=meter.spent)
    judge.may_ask = lambda: not meter.dear
    reads = remembered(lake, app)
    by_gate = verify_all(
        candidates_of(lake, app),
        world_of(lake, app),
        known=undecided(verified_of(lake, app)),
        seen=TaskKnowledge(
            judge=judge,
            found=cheats_of(lake, app),
            held_out=held_out_of(lake, app),
            reads=reads,
            meter=meter,
        ),
        track=partial(report_each, ASSET, says=app),
        skips=skips,
        engine=clean.maps,
    )
    keep_fresh(lake, judge)
    keep_reads(lake, app, reads.now)
    return to_rows(
        Document(app=app, id=one.task_id, version=one.task_version, content=one)
        for one in with_decisions(by_gate, reviews_of(lake, app))
    )


def _graders_trusted(lake: Lake, found: Mapping[str, Sequence[VerifiedTask]]) -> Checked:
    """The kinds of check of which more false passes are possible than allowed, and what would settle it."""
    doubted: list[tuple[str, KindTrust]] = []
    untested: list[str] = []
    for app, verdicts in found.items():
        trust = trust_in(verdicts, held_out_of(lake, app))
        doubted += [(app, row) for row in trust.kinds if row.in_doubt]
        untested += [f"{app}: {row.title}" for row in trust.kinds if row.is_untested]
    told = by_key((app, told_of(row)) for app, row in doubted)
    few = f"not proven, as too few attempts were left out: {', '.join(sorted(untested))}"
    refuted = any(row.standing == UNTRUSTED for _, row in doubted)
    return Checked(
        failing={app: "; ".join(rows) for app, rows in told.items()},
        severity=dg.AssetCheckSeverity.ERROR if refuted else dg.AssetCheckSeverity.WARN,
        besides=few if untested else "",
        metadata={
            "kinds_in_doubt": len(doubted),
            "kinds_untested": len(untested),
            "by_kind": rows_of(
                ("app", "kind of check", "standing", "graded", "false pass", "at most", "needed"),
                [
                    (
                        app,
                        row.kind,
                        STANDINGS[row.standing],
                        row.graded,
                        row.false_pass.count,
                        row.false_pass.high,
                        f"{row.needed} more graded attempts, all judged rightly",
                    )
                    for app, row in doubted
                ],
            ),
        },
    )


_STATUSES = (ACCEPTED, "needs_review", "rejected")


def _wait_for_a_judge(lake: Lake, app: str) -> bool:
    return any(UNASKED in one.reasons for one in verified_of(lake, app).values())


def ingredients(lake: Lake, apps: Sequence[str], *, asking: bool = False) -> dict[Key, str]:
    """What each app's verdicts are made of now; with a judge to ask, tasks that wait for one are never up to date."""
    return {
        (app, ""): made_of(
            digests(lake, "tasks", app),
            digests(lake, "worlds", app),
            digests(lake, "agreement", app),
            digests(lake, REVIEWS, app),
            GATE,
            *replies_seen(lake, app),
            *cheats_seen(lake, app),
            *([f"asked {time.time_ns()}"] if asking and _wait_for_a_judge(lake, app) else []),
        )
        for app in apps
    }


def verified_of(lake: Lake, app: str) -> dict[str, VerifiedTask]:
    """What the gate said, by task id."""
    return records(lake, VERIFIED, app, VerifiedTask)


def _holds(one: VerifiedTask) -> bool:
    return bool(one.probes) and all(probe["passed"] for probe in one.probes if probe["in_gate"])
