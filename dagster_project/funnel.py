"""The funnel: how many spans became episodes, tasks and accepted tasks, and what fell out where and why.

Comes in: both sides of a home. Goes out: `FunnelStage`s as the report and the build's summary show them. Every number
is counted from the lake; nothing is estimated.
"""

from collections import Counter
from dataclasses import dataclass

from dagster_project.arrival import quarantined
from dagster_project.clean_records import clean_episodes_of, labels_of
from dagster_project.defs.resources import CleanSide
from dagster_project.documents import records
from dagster_project.gate import HELD
from dagster_project.lake import Lake
from dagster_project.learnt_tables import TASKS, VERIFIED
from dagster_project.report.data import Count, FunnelStage
from dagster_project.skipped import skipped_of
from dagster_project.skipped_parts import counts_of
from dagster_project.tables import CHATS, CLEAN_EPISODES, EPISODES, LOG_EVENTS, REDACTIONS, SPANS
from dagster_project.verification import VerifiedTask
from environments.runtime.candidate import Candidate
from environments.verification.sentences import reason_group, reason_says
from environments.verify import ACCEPTED

WHY = {
    "no_outcome": "nobody said how it went",
    "no_known_outcome": "outcomes.toml does not know the outcome's name",
    "contradiction": "outcomes of equal standing contradict each other",
    "do_not_train": "the user or the app withheld consent",
    "leak": "the leak check found an identifier in it",
}

ENDS = {
    "": "from an attempt that was resolved",
    "later": "from a later attempt at a failed request",
    "constructed": "from how alike requests were resolved",
    "business_record": "from what business records say was done afterwards",
    "reviewer": "from what reviewers say should have been done",
    "code": "from what programs say should have been done",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Where the episodes and tasks of one app stand."""

    app: str
    episodes: int
    labelled: int
    resolved: int
    unlabelled: Counter[str]
    """Episodes without a label, by reason."""
    consent_withheld: int
    candidates: list[Candidate]
    verdicts: dict[str, VerifiedTask]

    @property
    def accepted(self) -> int:
        """Tasks that may be exported."""
        return sum(one.status == ACCEPTED for one in self.verdicts.values())


def standing_of(clean: CleanSide, app: str) -> Standing:
    """Count one app's clean side."""
    episodes = clean_episodes_of(clean.lake, app)
    labels = labels_of(clean.lake, app, clean.outcome_policy)
    unlabelled: Counter[str] = Counter()
    labelled = resolved = 0
    for episode in episodes:
        label = labels.get(episode.episode_id)
        if label is None:
            unlabelled["no_outcome"] += 1
        elif label.resolved is None:
            unlabelled[label.reason] += 1
        else:
            labelled += 1
            resolved += label.resolved
    return Standing(
        app=app,
        episodes=len(episodes),
        labelled=labelled,
        resolved=resolved,
        unlabelled=unlabelled,
        consent_withheld=sum(episode.do_not_train for episode in episodes),
        candidates=list(records(clean.lake, TASKS, app, Candidate).values()),
        verdicts=records(clean.lake, VERIFIED, app, VerifiedTask),
    )


def funnel_of(
    private: Lake, clean: CleanSide, standings: list[Standing]
) -> tuple[FunnelStage, ...]:
    """The stages from what arrived to accepted tasks."""
    refused = list(quarantined(private))
    reasons = {record.code: record.reason for record in refused}
    episodes = sum(private.counts(EPISODES).values())
    passed = sum(clean.lake.counts(CLEAN_EPISODES).values())
    held = Counter[str]()
    for row in clean.lake.read(REDACTIONS, columns=("what", "kind", "count")).to_pylist():
        if row["what"] == HELD:
            held[row["kind"]] += row["count"]
    unlabelled = sum((s.unlabelled for s in standings), Counter[str]())
    why_not = Counter(
        reason
        for s in standings
        for verdict in s.verdicts.values()
        if verdict.status != ACCEPTED
        for reason in map(reason_group, (verdict.reasons or (verdict.status,))[:1])
    )
    skipped = skipped_of(clean.lake)
    early = Counter(fault=counts_of(skipped, ["episodes"], "episode"))
    noted = any(one.stage in {"clean_episodes", "learnt"} for one in skipped)
    if noted and (waiting := episodes - passed - held.total()) > 0:
        held["fault"] = waiting
    lost_tasks = Counter(do_not_train=sum(s.consent_withheld for s in standings))
    lost_tasks["fault"] = counts_of(skipped, ["tasks"], "task")
    tasks = sum(len(s.candidates) for s in standings)
    attempts = sum(len(c.attempts) for s in standings for c in s.candidates)
    return (
        _arrived(private),
        FunnelStage(
            name="episodes",
            count=episodes,
            says="conversations and runs, put together from spans or read from chat logs",
            lost=tuple(
                Count(name=code, count=n, says=reasons[code])
                for code, n in sorted(Counter(record.code for record in refused).items())
            )
            + _lost(early),
        ),
        FunnelStage(
            name="clean episodes",
            count=passed,
            says="past the gate, pseudonymised",
            lost=_lost(held),
        ),
        FunnelStage(
            name="labelled episodes",
            count=sum(s.labelled for s in standings),
            says="somebody said how they went",
            lost=_lost(unlabelled),
        ),
        FunnelStage(
            name="tasks",
            count=tasks,
            says=f"{attempts} episodes are attempts at {tasks} requests",
            lost=_lost(lost_tasks),
        ),
        FunnelStage(
            name="accepted tasks",
            count=sum(s.accepted for s in standings),
            says=f"survived every attack; these are exported{right_ends(standings)}",
            lost=_lost(why_not),
        ),
    )


def right_ends(standings: list[Standing]) -> str:
    """Where the right ends of accepted tasks come from, as the end of a sentence; `""` where there is none."""
    sources = Counter(
        str(provenance.get("solution", "later" if provenance["joined_by"] == "later" else ""))
        for s in standings
        for candidate in s.candidates
        if (verdict := s.verdicts.get(candidate.task.task_id)) and verdict.status == ACCEPTED
        for provenance in (candidate.task.provenance,)
    )
    parts = [f"{n} {ENDS[source]}" for source, n in sorted(sources.items()) if source in ENDS]
    return f"; right ends: {', '.join(parts)}" if parts else ""


def _arrived(private: Lake) -> FunnelStage:
    """What came in, named by what most of it was: an app that sends chat logs has no spans."""
    tables = {"spans": SPANS, "log records": LOG_EVENTS, "chat-log lines": CHATS}
    counts = {name: sum(private.counts(table).values()) for name, table in tables.items()}
    first = max(counts, key=lambda name: counts[name])
    others = ", ".join(f"{n} {name}" for name, n in counts.items() if n and name != first)
    return FunnelStage(name=first, count=counts[first], says=f"and {others}" if others else "")


def _lost(counts: Counter[str]) -> tuple[Count, ...]:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(
        Count(name=name, count=n, says=WHY.get(name) or reason_says(name))
        for name, n in ranked
        if n
    )
