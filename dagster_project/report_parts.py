"""The report's data out of the lake: one record with everything on the page.

Comes in: both sides of a home. Goes out: `ReportData`. Only clean texts; of the private side only counts and the
reasons of quarantined records, which hold no text. Not here: how it looks (`report.page`).
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dagster_project.agreement import HeldOut
from dagster_project.arrival import quarantined
from dagster_project.clean_records import (
    clean_episodes_of,
    clean_outcomes_of,
    clusters_of,
    failures_of,
    labels_of,
)
from dagster_project.defs.agreement import held_out_of
from dagster_project.defs.resources import CleanSide
from dagster_project.feedback_gaps import changing_tools, feedback_gaps
from dagster_project.funnel import Standing, funnel_of, standing_of
from dagster_project.gate import HELD, REPLACED, WITHHELD, policy_of
from dagster_project.grader_parts import agreement_row, grader_rows
from dagster_project.home import Home, apps_of, open_home
from dagster_project.lake import Lake
from dagster_project.leak_check import leaks_of
from dagster_project.learnt_worlds import StoredWorld, world_of
from dagster_project.report.data import (
    CheckRow,
    ClusterRow,
    Count,
    DayCount,
    Example,
    Fidelity,
    Figure,
    Missing,
    OutcomeCount,
    ProbeRow,
    QuarantineRow,
    RedactionCount,
    RedactionState,
    ReportData,
    TaskCount,
    TaskRow,
    ToolRow,
    UnknownCall,
    WorldRow,
)
from dagster_project.report.page import write_report
from dagster_project.rollout_store import rollout_rows
from dagster_project.tables import CLEAN_EPISODES, REDACTIONS
from dagster_project.tool_costs import UNTIMED, ToolCost, tool_costs
from dagster_project.verification import VerifiedTask
from environments.runtime.candidate import Candidate
from environments.unsettled import settle
from environments.verification.sentences import reason_group, reason_says
from environments.verify import ACCEPTED, NEEDS_REVIEW, REJECTED
from redact.clean_outcome import CleanOutcome
from synth.clusters import Cluster
from synth.failures import Failure
from synth.labels import OutcomePolicy, label, load_outcome_policy, unknown_outcomes
from synth.worlds import ToolSummary

MOST_TURNS = 24
MOST_TEXT = 400
"""Of an attack's messages: what a reader looks at before opening the review page."""


def write_home_report(home: Home) -> ReportData:
    """Write the report of a home, and hand back what it says."""
    made_at = datetime.now(UTC).isoformat(timespec="seconds")
    clean = CleanSide(home=str(home.path))
    private = Lake(home.private / "lake")
    data = report_data(private, clean, apps=apps_of(home), made_at=made_at)
    write_report(data, home.report)
    return data


def report_data(
    private: Lake, clean: CleanSide, *, apps: Sequence[str], made_at: str
) -> ReportData:
    """Everything on the page."""
    standings = [standing_of(clean, app) for app in apps]
    clusters = {app: clusters_of(clean.lake, app) for app in apps}
    failures = {app: failures_of(clean.lake, app) for app in apps}
    held_out = {app: held_out_of(clean.lake, app) for app in apps}
    known = [world for app in apps if (world := world_of(clean.lake, app)) is not None]
    return ReportData(
        made_at=made_at,
        version=version("tracegym"),
        apps=tuple(apps),
        notices=_notices(clean),
        figures=_figures(standings, known),
        funnel=funnel_of(private, clean, standings),
        outcomes=tuple(row for app in apps for row in _outcomes(clean, app)),
        missing=tuple(row for app in apps for row in _missing(clean, app)),
        redaction=tuple(_redaction_state(clean, app) for app in apps),
        redacted=tuple(row for app in apps for row in _redacted(clean, app)),
        clusters=tuple(
            row for s in standings for row in _clusters(clusters[s.app], failures[s.app], s)
        ),
        failures=sum(map(len, failures.values())),
        worlds=tuple(_world(world, tool_costs(private, clean.lake, world)) for world in known),
        task_counts=tuple(_task_count(s) for s in standings),
        graders=tuple(
            row for s in standings for row in grader_rows(s, clusters[s.app], held_out[s.app])
        ),
        tasks=tuple(row for s in standings for row in _tasks(s, clusters[s.app], held_out[s.app])),
        quarantine=_quarantine(private),
        rollouts=rollout_rows(clean.lake),
    )


def _notices(clean: CleanSide) -> tuple[str, ...]:
    if clean.redaction == "off":
        return ("Redaction is off: this data was declared free of personal data.",)
    return ("The data on this page is pseudonymised, not anonymous.",)


def _figures(standings: Sequence[Standing], worlds: Sequence[StoredWorld]) -> tuple[Figure, ...]:
    episodes = sum(s.episodes for s in standings)
    labelled = sum(s.labelled for s in standings)
    tasks = sum(len(s.candidates) for s in standings)
    calls = sum(int(w.fidelity.get("calls", 0)) for w in worlds)
    right = sum(int(w.fidelity.get(k, 0)) for w in worlds for k in ("exact", "equivalent"))
    wrong = sum(int(w.fidelity.get("wrong", 0)) for w in worlds)
    return (
        Figure(name="episodes", value=f"{episodes:,}", says="past the gate"),
        Figure(
            name="resolved",
            value=_share(sum(s.resolved for s in standings), labelled),
            says=f"of {labelled:,} episodes that somebody judged",
        ),
        Figure(
            name="accepted tasks",
            value=f"{sum(s.accepted for s in standings):,}",
            says=f"of {tasks:,} requests",
        ),
        Figure(
            name="world answers right",
            value=_share(right, calls),
            says=f"of {calls:,} held-out calls; {wrong:,} wrong",
        ),
    )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "unknown"


def _outcomes(clean: CleanSide, app: str) -> list[OutcomeCount]:
    policy = load_outcome_policy(clean.outcome_policy)
    said = clean_outcomes_of(clean.lake, app)
    settle = unknown_outcomes(said, policy)
    groups: dict[tuple[str, str], list[CleanOutcome]] = defaultdict(list)
    for outcome in said:
        groups[outcome.name, outcome.by].append(outcome)
    return [
        OutcomeCount(
            app=app,
            name=name,
            by=by,
            **_judged(group, policy),
            settle=settle.get(name, ""),
        )
        for (name, by), group in sorted(groups.items())
    ]


def _missing(clean: CleanSide, app: str) -> tuple[Missing, ...]:
    world = world_of(clean.lake, app)
    return feedback_gaps(
        app,
        clean_episodes_of(clean.lake, app),
        labels_of(clean.lake, app, clean.outcome_policy),
        changing_tools(world.document) if world is not None else (),
    )


def _judged(group: Sequence[CleanOutcome], policy: OutcomePolicy) -> dict[str, int]:
    found = Counter(label([outcome], policy).resolved for outcome in group)
    return {"good": found[True], "bad": found[False], "unknown": found[None]}


def _redaction_state(clean: CleanSide, app: str) -> RedactionState:
    counts: Counter[str] = Counter()
    for row in clean.lake.read(REDACTIONS, app=app).to_pylist():
        counts[row["what"]] += row["count"]
    checked = leaks_of(clean.folder, app) if clean.redaction == "on" else None
    return RedactionState(
        app=app,
        mode=clean.redaction,
        episodes=sum(n for (a, _), n in clean.lake.counts(CLEAN_EPISODES).items() if a == app),
        replaced=counts[REPLACED],
        held=counts[HELD],
        withheld=counts[WITHHELD],
        leaks=checked.leaks if checked else None,
        waivers=_counts(Counter(checked.waivers)) if checked else (),
    )


def _redacted(clean: CleanSide, app: str) -> list[RedactionCount]:
    """Counts by day as the policy moves days: partitions keep the true ones, which would give the shift away."""
    shift = policy_of(open_home(Path(clean.home))).shift_of(app)
    counts: Counter[tuple[str, str]] = Counter()
    for row in clean.lake.read(REDACTIONS, app=app).to_pylist():
        if row["what"] == REPLACED:
            counts[shift.text(row["day"], 0), row["kind"]] += row["count"]
    return [
        RedactionCount(app=app, day=day, kind=kind, count=n)
        for (day, kind), n in sorted(counts.items())
    ]


def _clusters(
    clusters: Sequence[Cluster], failures: Sequence[Failure], standing: Standing
) -> list[ClusterRow]:
    by_episode = {failure.episode_id: failure for failure in failures}
    status: dict[str, str] = {}
    why: dict[str, str] = {}
    for candidate in standing.candidates:
        verdict = standing.verdicts.get(candidate.task.task_id)
        for attempt in candidate.attempts:
            status[attempt.episode_id] = verdict.status if verdict else "not verified"
            if verdict and verdict.status != ACCEPTED:
                first = (*verdict.reasons, verdict.status)[0]
                why[attempt.episode_id] = reason_group(first)
    shown = [one for one in clusters if one.failures]
    return [
        _cluster(one, by_episode, status, why)
        for one in sorted(shown, key=lambda c: (-c.failures, c.cluster_id))
    ]


def _cluster(
    one: Cluster,
    failures: Mapping[str, Failure],
    status: Mapping[str, str],
    why: Mapping[str, str],
) -> ClusterRow:
    mine = [failures[m.episode_id] for m in one.members if m.episode_id in failures]
    signals = Counter(signal.name for failure in mine for signal in failure.signals)
    tasks = Counter(status.get(failure.episode_id, "no task") for failure in mine)
    reasons = Counter(why[f.episode_id] for f in mine if f.episode_id in why)
    day = {member.episode_id: member.day for member in one.members}
    return ClusterRow(
        app=one.app,
        cluster_id=one.cluster_id,
        name=one.name,
        failures=one.failures,
        subjects=one.subjects,
        named=one.named,
        says=one.says,
        confirmed=one.confirmed,
        trend=tuple(DayCount(day=point.day, count=point.count) for point in one.trend),
        movement=one.movement,
        signals=_counts(signals),
        examples=tuple(
            Example(
                episode_id=episode_id,
                says="; ".join(signal.says for signal in failures[episode_id].signals),
                signals=tuple(signal.name for signal in failures[episode_id].signals),
                day=day.get(episode_id, ""),
            )
            for episode_id in one.examples
            if episode_id in failures
        ),
        tasks=_counts(tasks),
        why=tuple(
            Count(name=r.name, count=r.count, says=reason_says(r.name)) for r in _counts(reasons)
        ),
    )


def _counts(counts: Counter[str]) -> tuple[Count, ...]:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Count(name=name, count=n) for name, n in ranked)


def _world(world: StoredWorld, costs: Mapping[str, ToolCost]) -> WorldRow:
    found = world.fidelity
    by_tool = found.get("by_tool", {})
    evidence = world.continuity.get("evidence", {})
    return WorldRow(
        app=world.app,
        continuity=str(world.continuity.get("kind", "unknown")),
        continuity_says=str(world.continuity.get("says", "")),
        continuity_evidence=tuple(f"{k}: {v}" for k, v in sorted(evidence.items()))
        if isinstance(evidence, Mapping)
        else (),
        episodes=world.episodes,
        calls=sum(tool.support for tool in world.tools),
        measured_on=f"{found['episodes']} held-out episodes, learnt from the other {found['learnt_from']}"
        if found
        else "",
        reads=_fidelity(found.get("reads")),
        writes=_fidelity(found.get("writes")),
        tape=_tape(found),
        unseen_tasks=_fidelity(found.get("unseen_tasks")),
        sources=tuple(
            Count(name=source, count=int(counts["calls"]))
            for source, counts in found.get("by_source", {}).items()
        ),
        tools=tuple(
            _tool(tool, by_tool.get(tool.name), costs.get(tool.name, UNTIMED))
            for tool in world.tools
        ),
    )


def _tool(tool: ToolSummary, counts: Mapping[str, Any] | None, cost: ToolCost) -> ToolRow:
    found = counts or {}
    return ToolRow(
        name=tool.name,
        kind=tool.kind,
        support=tool.support,
        evidence=tool.says,
        fidelity=_fidelity(counts),
        tape=_tape(found) if found else None,
        unknowns=_unknowns(found.get("unknowns", {})),
        sources=tuple(Count(name=name, count=n) for name, n in found.get("sources", {}).items()),
        real_ms=cost.real_ms,
        ours_ms=cost.ours_ms,
    )


def _unknowns(shapes: Mapping[str, Mapping[str, int]]) -> tuple[UnknownCall, ...]:
    """The calls that most often end in `unknown`, first."""
    rows = [
        UnknownCall(says=f"{shape}: {reason}", count=n, settle=settle(reason))
        for shape, reasons in shapes.items()
        for reason, n in reasons.items()
    ]
    return tuple(sorted(rows, key=lambda row: (-row.count, row.says)))


def _fidelity(counts: Mapping[str, Any] | None) -> Fidelity | None:
    if not counts:
        return None
    names = ("calls", "exact", "equivalent", "wrong", "unknown", "simulated")
    return Fidelity(**{name: int(counts.get(name, 0)) for name in names})


def _tape(found: Mapping[str, Any]) -> Fidelity | None:
    tape = found.get("tape")
    if tape is None:
        return None
    exact, wrong, calls = int(tape["exact"]), int(tape["wrong"]), int(found["calls"])
    return Fidelity(calls=calls, exact=exact, wrong=wrong, unknown=calls - exact - wrong)


def _task_count(standing: Standing) -> TaskCount:
    statuses = Counter(one.status for one in standing.verdicts.values())
    reasons = Counter(
        reason
        for one in standing.verdicts.values()
        if one.status != ACCEPTED
        for reason in {reason_group(code) for code in one.reasons}
    )
    return TaskCount(
        app=standing.app,
        accepted=statuses[ACCEPTED],
        needs_review=statuses[NEEDS_REVIEW],
        rejected=statuses[REJECTED],
        reasons=tuple(
            Count(name=one.name, count=one.count, says=reason_says(one.name))
            for one in _counts(reasons)
        ),
    )


def _tasks(
    standing: Standing, clusters: Sequence[Cluster], held_out: Sequence[HeldOut]
) -> list[TaskRow]:
    cluster_of = {m.episode_id: one.name for one in clusters for m in one.members}
    left_out: dict[str, list[HeldOut]] = defaultdict(list)
    for one in held_out:
        left_out[one.task_id].append(one)
    rows = [
        _task(candidate, verdict, cluster_of, left_out[candidate.task.task_id])
        for candidate in standing.candidates
        if (verdict := standing.verdicts.get(candidate.task.task_id)) is not None
    ]
    order = {ACCEPTED: 0, NEEDS_REVIEW: 1, REJECTED: 2}
    return sorted(rows, key=lambda row: (order.get(row.status, 3), row.task_id))


def _task(
    candidate: Candidate,
    verdict: VerifiedTask,
    cluster_of: Mapping[str, str],
    held_out: Sequence[HeldOut],
) -> TaskRow:
    first = next(
        (str(m.get("content") or "") for m in candidate.task.opening if m.get("role") == "user"), ""
    )
    resolved = Counter(attempt.resolved for attempt in candidate.attempts)
    named = [cluster_of[a.episode_id] for a in candidate.attempts if a.episode_id in cluster_of]
    return TaskRow(
        app=candidate.task.app,
        task_id=candidate.task.task_id,
        task_version=verdict.task_version,
        title=" ".join(first.split())[:90],
        status=verdict.status,
        opening=first,
        reasons=tuple(
            Count(name=code, count=1, says=reason_says(code))
            for code in {reason_group(code): code for code in verdict.reasons}.values()
        ),
        checks=tuple(
            CheckRow(
                says=check.says or check.fn,
                fn=check.fn,
                role=check.role,
                required=check.required,
                positive=check.positive,
                weight=check.weight,
                support=check.support,
                counter=check.counter,
            )
            for check in candidate.rubric.checks
        ),
        probes=tuple(
            ProbeRow(
                name=probe["name"],
                passed=probe["passed"],
                reward=probe["reward"],
                says=probe["why"],
                in_gate=probe["in_gate"],
                turns=_turns(probe["actions"]),
            )
            for probe in verdict.probes
        ),
        agreement=agreement_row(held_out) if held_out else None,
        attempts=len(candidate.attempts),
        resolved=resolved[True],
        unresolved=resolved[False],
        solution_steps=len(candidate.solution) or None,
        cluster=named[0] if named else "",
    )


def _turns(actions: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What an attack did, a line each: its words, or its calls."""
    found: list[str] = []
    for action in actions[:MOST_TURNS]:
        if action.get("content"):
            found.append(f"says: {str(action['content'])[:MOST_TEXT]}")
        for call in action.get("tool_calls") or ():
            function = call.get("function") or {}
            asked = f"{function.get('name')} {function.get('arguments')}"
            found.append(f"calls {asked[:MOST_TEXT]}")
    return tuple(found)


def _quarantine(private: Lake) -> tuple[QuarantineRow, ...]:
    groups: dict[tuple[str, str], list[Any]] = defaultdict(list)
    for record in quarantined(private):
        groups[record.app or "unknown", record.code].append(record)
    return tuple(
        QuarantineRow(
            app=app, code=code, count=len(group), reason=group[0].reason, source=group[0].source
        )
        for (app, code), group in sorted(groups.items())
    )
