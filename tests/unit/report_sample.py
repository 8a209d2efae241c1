"""A realistic `ReportData` for the tests of the page: a bike-parts shop and a travel desk. Invented, no real data."""

from typing import Any

from dagster_project.report.data.arrivals import (
    Missing,
    OutcomeCount,
    QuarantineRow,
    RedactionCount,
    RedactionState,
)
from dagster_project.report.data.counts import Count, Fidelity, Figure, FunnelStage
from dagster_project.report.data.failures import ClusterRow, Example
from dagster_project.report.data.page import ReportData
from dagster_project.report.data.tasks import (
    GraderRow,
    GroundRow,
    TaskCount,
    TaskRow,
)
from dagster_project.report.data.worlds import ToolRow, VersionRow, WorldRow
from dagster_project.rollouts.reasons import PolicyReasons
from dagster_project.rollouts.store import RolloutRow
from dagster_project.runs.policy_pairs import ComparisonRow
from dagster_project.tasks.agreement import AgreementFigures
from dagster_project.tasks.grader_trust import UNPROVEN, UNTRUSTED, KindTrust, Share
from dagster_project.tasks.shares import interval
from environments.runtime.task.rubric import Check
from environments.unsettled_calls import UnsettledCall
from environments.verification.attack_table import AttackRow
from environments.verification.sentences import probe_says
from synth.clusters.clustering import Cluster, Member
from synth.clusters.trend import DayCount

SHOP = "bike-parts"
TRAVEL = "travel-desk"


def _attack(name: str, *, in_gate: bool = True, paid: int, paid_accepted: int = 0) -> AttackRow:
    return AttackRow(
        name=name,
        says=probe_says(name),
        in_gate=in_gate,
        tried=240,
        paid=paid,
        tried_accepted=180,
        paid_accepted=paid_accepted,
    )


_NONE = Share(count=0, of=0, low=0.0, high=1.0)


def _agreement(
    *, episodes: int, graded: int, agreed: int, false_pass: int, false_fail: int, kappa: float
) -> AgreementFigures:
    low, high = interval(agreed, graded)
    return AgreementFigures(
        episodes=episodes,
        graded=graded,
        agreed=agreed,
        false_pass=false_pass,
        false_fail=false_fail,
        kappa=kappa,
        low=low,
        high=high,
        false_pass_high=interval(false_pass, graded)[1],
        kappa_low=None,
        kappa_high=None,
    )


def _policy(
    name: str, rollouts: int, reasons: dict[str, int], *, mean: float, hides: bool = False
) -> PolicyReasons:
    return PolicyReasons(
        policy=name,
        rollouts=rollouts,
        tasks=231,
        graded=reasons.get("rewarded", 0) + reasons.get("failed", 0),
        mean_reward=mean,
        reasons=reasons,
        null_when_failing=0.04 if hides else None,
        null_when_succeeding=0.0 if hides else None,
        hides=hides,
    )


def sample_report() -> ReportData:
    """The page as a customer would see it after three weeks."""
    return ReportData(
        made_at="2026-11-20T18:04:11Z",
        version="0.1.0",
        apps=(SHOP, TRAVEL),
        figures=(
            Figure(
                name="Episodes", value="4,182", says="conversations put together from 61,930 spans"
            ),
            Figure(name="Failures", value="613", says="418 confirmed by an outcome, 195 suspected"),
            Figure(
                name="Answers right", value="96.8 %", says="of held-out tool calls; 0.3 % wrong"
            ),
            Figure(name="Tasks accepted", value="287", says="of 402 derived; 61 wait for a review"),
        ),
        funnel=_funnel(),
        outcomes=(
            OutcomeCount(app=SHOP, name="thumbs", by="end_user", good=812, bad=143, unknown=0),
            OutcomeCount(
                app=SHOP, name="ticket_reopened", by="business_record", good=1610, bad=204
            ),
            OutcomeCount(
                app=TRAVEL, name="survey_csat", by="end_user", good=207, bad=71, unknown=12
            ),
            OutcomeCount(
                app=TRAVEL,
                name="nps_bucket",
                by="end_user",
                good=0,
                bad=0,
                unknown=96,
                settle='nps_bucket = { good = "promoter", bad = "detractor" }',
            ),
        ),
        missing=(
            Missing(app=SHOP, group="all", episodes=2871, labelled=1954),
            Missing(app=SHOP, group="agent chat-v2", episodes=640, labelled=12),
            Missing(app=TRAVEL, group="all", episodes=1311, labelled=278),
        ),
        redaction=(
            RedactionState(
                app=SHOP, mode="on", episodes=2871, replaced=41208, held=3, withheld=18, leaks=0
            ),
            RedactionState(app=TRAVEL, mode="on", episodes=1311, replaced=19877, leaks=None),
        ),
        redacted=_redacted(),
        failures=613,
        clusters=_clusters(),
        worlds=_worlds(),
        graders={
            SHOP: (
                GraderRow(
                    rubrics="accepted",
                    agreement=_agreement(
                        episodes=611,
                        graded=588,
                        agreed=567,
                        false_pass=7,
                        false_fail=14,
                        kappa=0.91,
                    ),
                ),
                GraderRow(
                    rubrics="all",
                    agreement=_agreement(
                        episodes=940,
                        graded=851,
                        agreed=799,
                        false_pass=21,
                        false_fail=31,
                        kappa=0.86,
                    ),
                ),
            )
        },
        grounds={
            SHOP: (
                GroundRow(kind="", tell=812, without=31, resolved=540, resolved_without=9),
                GroundRow(kind="date", tell=402, without=12, resolved=280, resolved_without=2),
                GroundRow(kind="number", tell=711, without=22, resolved=499, resolved_without=7),
            )
        },
        attacks={
            SHOP: (
                _attack("claims_success", paid=2),
                _attack("falsifies_every_figure", paid=31),
                _attack("dumps_in_chunks", in_gate=False, paid=4, paid_accepted=4),
            )
        },
        grader_kinds={
            SHOP: (
                KindTrust(
                    kind="changes",
                    standing=UNPROVEN,
                    tasks=180,
                    attempts=400,
                    graded=388,
                    kappa=0.91,
                    false_pass=Share(count=7, of=388, low=0.0073, high=0.0368),
                    false_fail=Share(count=9, of=388, low=0.0107, high=0.0436),
                    graded_tasks=171,
                    kappa_low=0.905,
                    tasks_false_pass=Share(count=6, of=171, low=0.013, high=0.0748),
                    tasks_false_fail=Share(count=8, of=171, low=0.0204, high=0.0901),
                    needed=330,
                ),
                KindTrust(
                    kind="explains",
                    standing=UNTRUSTED,
                    tasks=3,
                    attempts=0,
                    graded=0,
                    kappa=None,
                    false_pass=_NONE,
                    false_fail=_NONE,
                    graded_tasks=0,
                    kappa_low=None,
                    tasks_false_pass=_NONE,
                    tasks_false_fail=_NONE,
                    needed=183,
                    app_errs=True,
                ),
            )
        },
        task_counts=(
            TaskCount(
                app=SHOP,
                accepted=231,
                needs_review=38,
                rejected=29,
                reasons=(
                    Count(
                        name="no_resolved_attempt",
                        count=31,
                        says="No attempt at this request was resolved, so nothing shows what right looks like.",
                    ),
                    Count(name="noop_pays", count=19, says="Doing nothing would be paid."),
                    Count(
                        name="unknown_write",
                        count=12,
                        says="The solution needs a write whose effect nobody knows.",
                    ),
                    Count(
                        name="withheld_leaf",
                        count=5,
                        says="The gate withheld a value that the task needs.",
                    ),
                ),
            ),
            TaskCount(
                app=TRAVEL,
                accepted=56,
                needs_review=23,
                rejected=25,
                reasons=(
                    Count(
                        name="no_positive_check",
                        count=48,
                        says="Nothing positive was required of the agent.",
                    ),
                ),
            ),
        ),
        tasks=_tasks(),
        quarantine=(
            QuarantineRow(
                app=SHOP,
                code="not_json",
                count=3,
                reason="The line is not JSON; export the file again.",
                source="nightly-export.jsonl",
            ),
            QuarantineRow(
                app=TRAVEL,
                code="unknown_role",
                count=1,
                reason="A message has a role that is none of system, user, assistant, tool.",
                source="desk.jsonl",
            ),
        ),
        comparisons=(
            ComparisonRow(
                app=SHOP,
                a="does nothing",
                b="openai/small-chat",
                tasks=229,
                mean_a=0.0,
                mean_b=0.37,
                low=0.31,
                high=0.43,
                null_a=(2, 231),
                null_b=(23, 924),
                says="B is better than A: 0.370 more a task (95 % interval 0.310 to 0.430, p = 0.0001)",
            ),
        ),
        rollouts=(
            RolloutRow(app=SHOP, found=_policy("gold script", 231, {"rewarded": 231}, mean=1.0)),
            RolloutRow(
                app=SHOP,
                found=_policy("does nothing", 231, {"failed": 229, "undecided": 2}, mean=0.0),
            ),
            RolloutRow(
                app=SHOP,
                found=_policy(
                    "openai/small-chat",
                    924,
                    {"rewarded": 333, "failed": 568, "unknown_tool": 21, "judge": 2},
                    mean=0.37,
                    hides=True,
                ),
            ),
        ),
    )


def _funnel() -> tuple[FunnelStage, ...]:
    return (
        FunnelStage(name="conversations in", count=4186, says="put together from 61,930 spans"),
        FunnelStage(
            name="readable",
            count=4182,
            lost=(
                Count(
                    name="not_json",
                    count=4,
                    says="the body is no JSON",
                    action="see what the file holds: tracegym ingest FILE --explain",
                ),
            ),
        ),
        FunnelStage(
            name="with tools",
            count=2968,
            lost=(Count(name="no_tools", count=1214, says="no tool was called or offered"),),
        ),
        FunnelStage(
            name="past redaction",
            count=2965,
            lost=(Count(name="leak", count=3, says="the leak check found an identifier"),),
        ),
        FunnelStage(
            name="with an outcome",
            count=1018,
            lost=(
                Count(
                    name="no_outcome",
                    count=1851,
                    says="nobody said how it went",
                    action="say how 1851 conversations ended: tracegym outcomes FILE",
                ),
                Count(name="no_known_outcome", count=96, says="outcomes without a meaning"),
            ),
        ),
        FunnelStage(
            name="in a task",
            count=810,
            says="attempts at 402 requests",
            lost=(Count(name="no_resolved_attempt", count=208, says="nobody got what was asked"),),
        ),
        FunnelStage(
            name="accepted",
            count=695,
            says="attempts at 287 tasks that survived every attack",
            lost=(
                Count(name="needs_review", count=61, says="wait for a reviewer"),
                Count(name="rejected", count=54, says="rejected by verification"),
            ),
        ),
        FunnelStage(name="exported", count=695),
    )


def _trend(counts: list[int], month: str = "2026-11") -> tuple[DayCount, ...]:
    return tuple(
        DayCount(day=f"{month}-{day:02d}", count=count)
        for day, count in enumerate(counts, start=1)
        if count
    )


def _redacted() -> tuple[RedactionCount, ...]:
    kinds = {"person_name": 190, "email": 120, "postal_address": 88, "order_id": 141, "phone": 23}
    return tuple(
        RedactionCount(app=SHOP, day=f"2026-11-{day:02d}", kind=kind, count=base + (day * 37) % 41)
        for kind, base in kinds.items()
        for day in range(1, 21)
    )


def _cluster(
    *,
    app: str,
    cluster_id: str,
    name: str,
    failures: int,
    confirmed: int,
    movement: str,
    trend: tuple[DayCount, ...],
    subjects: int = 0,
    error: str = "",
    named: bool = True,
) -> Cluster:
    return Cluster(
        app=app,
        cluster_id=cluster_id,
        kind="fingerprint",
        cause="wrong_tool",
        focus=(),
        error=error,
        fingerprints=(),
        name=name,
        named=named,
        failures=failures,
        confirmed=confirmed,
        subjects=subjects,
        trend=trend,
        movement=movement,
        examples=(),
        members=(Member(episode_id="e", day="2026-11-01", who="u", status="confirmed"),),
    )


def _clusters() -> tuple[ClusterRow, ...]:
    first = ClusterRow(
        cluster=_cluster(
            app=SHOP,
            cluster_id="9f2c11aa03be4471",
            name="Start return fails: item was already refunded",
            error="The agent retries the return instead of reading the refund first.",
            failures=94,
            subjects=81,
            confirmed=77,
            movement="growing",
            trend=_trend([1, 2, 0, 3, 2, 4, 3, 5, 2, 4, 6, 5, 7, 6, 5, 8, 9, 7, 8, 7]),
        ),
        signals=(
            Count(name="tool_error", count=94, says="A call failed."),
            Count(name="repeated_call", count=51),
            Count(name="user_corrects", count=22),
        ),
        examples=(
            Example(
                episode_id="b1946ac92492d2347c6235b4d2611184",
                day="2026-11-19",
                says="Wants money back for a derailleur; the agent calls the same tool four times.",
                signals=("tool_error", "loop"),
            ),
            Example(
                episode_id="591785b794601e212b260e25925636fd",
                day="2026-11-18",
                says="Asks for a second refund; the refusal is never explained.",
                signals=("tool_error",),
            ),
        ),
        tasks=(
            Count(name="accepted", count=41),
            Count(name="needs_review", count=12),
            Count(name="rejected", count=6),
            Count(name="no_task", count=35),
        ),
    )
    return (
        first,
        ClusterRow(
            cluster=_cluster(
                app=SHOP,
                cluster_id="1c",
                name="Change address: done, but not what was needed (billing · second address)",
                failures=61,
                subjects=58,
                confirmed=61,
                movement="steady",
                trend=_trend([3, 2, 4, 3, 3, 2, 4, 3, 3, 4, 2, 3, 3, 4, 3, 3, 4, 3, 2, 3]),
            ),
            signals=(Count(name="outcome", count=61),),
            tasks=(Count(name="accepted", count=52), Count(name="no_task", count=9)),
        ),
        ClusterRow(
            cluster=_cluster(
                app=TRAVEL,
                cluster_id="2d",
                name="Handed over, nothing changed",
                failures=40,
                confirmed=17,
                movement="fading",
                trend=_trend([6, 5, 4, 5, 3, 4, 2, 2, 3, 1, 1, 1, 0, 1, 1, 0, 0, 1]),
            ),
            signals=(Count(name="handed_over", count=40), Count(name="asked_for_human", count=28)),
        ),
        ClusterRow(
            cluster=_cluster(
                app=TRAVEL,
                cluster_id="3e",
                name="Breaks off",
                failures=3,
                subjects=2,
                named=False,
                confirmed=0,
                movement="new",
                trend=_trend([0] * 17 + [1, 0, 2]),
            ),
            signals=(Count(name="cut_off", count=3),),
        ),
    )


def _worlds() -> tuple[WorldRow, ...]:
    tools = (
        ToolRow(
            name="lookup_order",
            kind="read",
            support=3102,
            evidence="one record per order_id; reads follow writes of 4 tools",
            fidelity=Fidelity(calls=611, exact=598, equivalent=6, unknown=7),
            tape=Fidelity(calls=611, exact=402, wrong=88, unknown=121),
        ),
        ToolRow(
            name="search_parts",
            kind="search",
            support=1240,
            evidence="filters by category and brand; order by price",
            fidelity=Fidelity(calls=240, exact=201, equivalent=11, unknown=25, wrong=3),
            tape=Fidelity(calls=240, exact=90, unknown=150),
            unknowns=(
                UnsettledCall(
                    tool="search_parts",
                    shape="with category, max_price",
                    reason="never seen",
                    times=19,
                    settle="One recorded search with both arguments on the same day.",
                ),
            ),
        ),
        ToolRow(
            name="start_return",
            kind="write",
            support=418,
            evidence="sets status; refuses when refunded",
            fidelity=Fidelity(calls=77, exact=61, equivalent=9, unknown=7),
            tape=Fidelity(calls=77, exact=20, unknown=57),
            unknowns=(
                UnsettledCall(
                    tool="start_return",
                    shape="with order_id",
                    reason="no behaviour was learnt for this case",
                    times=7,
                    settle="A recorded return of a split order.",
                ),
            ),
        ),
        ToolRow(
            name="quote_shipping",
            kind="pure",
            support=96,
            fidelity=Fidelity(calls=12, exact=12),
            tape=Fidelity(calls=12, exact=9, unknown=3),
        ),
        ToolRow(name="hand_over_to_workshop", kind="act", support=88, fidelity=Fidelity()),
        ToolRow(name="calendar_slots", kind="unknown", support=4),
    )
    return (
        WorldRow(
            app=SHOP,
            continuity="living",
            continuity_says="Later episodes see what earlier ones wrote.",
            continuity_evidence=(
                "47 of 49 re-reads after a write by another episode show that write.",
                "2 contradict it; both lie within the same second.",
            ),
            episodes=2871,
            calls=4948,
            measured_on="Every fifth episode was held out and never learnt from.",
            reads=Fidelity(calls=863, exact=811, equivalent=17, unknown=32, wrong=3),
            writes=Fidelity(calls=77, exact=61, equivalent=9, unknown=7),
            tape=Fidelity(calls=940, exact=521, wrong=88, unknown=331),
            sources=(
                Count(name="recorded", count=522),
                Count(name="derived", count=379),
                Count(name="unknown", count=39),
            ),
            tools=tools,
            versions=(
                VersionRow(
                    tool="refund_payment",
                    version=2,
                    since="2026-10-16 08:20 UTC",
                    calls_before=41,
                    changes=("calls now have the argument reason",),
                ),
            ),
        ),
        WorldRow(
            app=TRAVEL,
            continuity="reset",
            continuity_says="Every episode starts from the same state.",
            episodes=1311,
            calls=902,
        ),
    )


def _probe(name: str, *, passed: bool, reward: float | None, why: str = "") -> dict[str, Any]:
    known = {"name": name, "passed": passed, "reward": reward, "why": why}
    return {**known, "in_gate": True, "actions": []}


def _tasks() -> tuple[TaskRow, ...]:
    checks = (
        Check(
            check_id="c",
            says="The return of item 2 is started once, to the original payment method.",
            fn="effect",
            required=True,
            weight=3.0,
            support=6,
            counter=0,
        ),
        Check(
            check_id="c",
            says="The customer is told that the money arrives in five to seven days.",
            fn="asks",
            weight=1.0,
            support=5,
            counter=1,
        ),
        Check(
            check_id="c",
            says="Nothing else of the order changes.",
            fn="only_effects",
            required=True,
            positive=False,
            support=6,
        ),
        Check(
            check_id="c",
            says="The agent asks for confirmation before it writes.",
            fn="judge",
            role="reward",
            weight=0.5,
            support=4,
            counter=2,
        ),
    )
    probes = (
        _probe(name="recorded_solution", passed=True, reward=1.0),
        _probe(name="do_nothing", passed=True, reward=0.0),
        _probe(name="claim_success", passed=True, reward=0.0),
        _probe(name="call_every_tool", passed=True, reward=0.0),
        _probe(name="other_solution", passed=True, reward=0.0),
        _probe(name="two_runs_agree", passed=True, reward=1.0),
    )
    accepted = [
        TaskRow(
            app=SHOP,
            task_id=f"{i:032x}",
            task_version=f"{i * 7919:016x}",
            title="Return one of two brake sets",
            status="accepted",
            opening="Hello, I ordered two sets of brake pads by mistake and would like to send one back. Can I get the money on my card?",
            checks=checks,
            probes=probes,
            attempts=7,
            resolved=6,
            unresolved=1,
            solution_steps=9,
            cluster="Start return fails: item was already refunded",
            agreement=_agreement(
                episodes=7, graded=7, agreed=7, false_pass=0, false_fail=0, kappa=1.0
            ),
        )
        for i in range(1, 32)
    ]
    review = TaskRow(
        app=SHOP,
        task_id="a" * 32,
        task_version="b" * 16,
        title="Change the billing address of an open order",
        status="needs_review",
        opening="My card has another address than my parcel.",
        checks=checks[:2],
        attempts=3,
        resolved=0,
        unresolved=3,
        reasons=(
            Count(
                name="no_resolved_attempt",
                count=1,
                says="No attempt at this request was resolved; the end is inferred from 14 others with the same intent.",
            ),
        ),
        probes=(
            *probes[1:3],
            _probe(name="recorded_solution", passed=False, reward=None, why="there is none"),
        ),
    )
    return (*accepted, review)
