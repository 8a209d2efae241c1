"""What the report shows: plain records of clean counts and texts, filled by the pipeline from the lake.

Every number on the page is a field here; the page itself computes only shares, widths of pictures and sums over days.
Not here: how it looks (`page`, `pictures`, `templates/`), where the numbers come from (the pipeline).
Texts may hold anything: the page escapes them and cuts what is too long.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from dagster_project.causes.side_by_side import SideBySide
from dagster_project.report.faults import SkippedRow
from environments.verification.attack_table import AttackRow, WayRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One headline number at the top of the page."""

    name: str
    value: str
    """As it shall be read: `345`, `97.1 %`, `unknown`."""
    says: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How often something was seen."""

    name: str
    count: int
    says: str = ""
    """One sentence for a person who does not know the name."""
    action: str = ""
    """The one action that helps most, where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FunnelStage:
    """One stage of the yield, from what came in to what is exported, in conversations."""

    name: str
    """Which conversations are counted: `readable`, `with tools`, `past redaction`, `accepted`, `exported`, ..."""
    count: int
    says: str = ""
    lost: tuple[Count, ...] = ()
    """What was lost between the stage before and this one, by reason; with what is left it adds up to the stage before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeCount:
    """What one kind of outcome says, and who said it."""

    app: str
    name: str
    by: str
    """Who judged: `end_user`, `business_record`, `reviewer`, `code`, `model`, `implicit`, `unknown`."""
    good: int
    bad: int
    unknown: int = 0
    """Values that the outcome policy gives no meaning."""
    settle: str = ""
    """The line to add to `outcomes.toml` when the policy does not know the name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Who gives feedback and who does not: one group of episodes."""

    app: str
    group: str
    """`all`, the users, an agent, an intent (the tools that change something)."""
    episodes: int
    labelled: int
    unit: str = "episodes"
    """What is counted: `episodes`, or `users` (those who gave an outcome at least once)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionCount:
    """How many values of one kind were replaced in one place of one app's episodes on one day."""

    app: str
    day: str
    kind: str
    count: int
    place: str = ""
    """The path of a field of the episode, without positions: `steps[].content`."""
    characters: int = 0
    """How long what was replaced was, all in all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StaysRow:
    """Values under one key of an app that nothing changed."""

    kind: str
    """What they look like: `number of a record`, `free text`, ..."""
    key: str
    count: int
    episodes: int
    example: str = ""
    """One of them in its place, as it stands past the gate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageCount:
    """What the gate did in the conversations of one language."""

    language: str
    conversations: int
    replaced: int
    withheld: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactionState:
    """How the gate stands for one app."""

    app: str
    mode: str
    """`on`, or `off` where the data was declared free of personal data."""
    episodes: int
    replaced: int
    held: int = 0
    """Episodes that the gate kept back."""
    withheld: int = 0
    """Leaves that the policy could not judge and replaced by a marker."""
    leaks: int | None = None
    """What the independent leak check found; None when it has not run."""
    waivers: tuple[Count, ...] = ()
    """Hits of the leak check that do not count, by the reason."""
    calls: int = 0
    """Distinct recorded calls with their results."""
    calls_unlike: int = 0
    """Of them, those that read unlike in two episodes past the gate, or became one with another."""
    languages: tuple[LanguageCount, ...] = ()
    """By how many conversations they have."""
    stays: tuple[StaysRow, ...] = ()
    """What nothing changed, what identifies best first."""
    looked_at: int = 0
    """Conversations in which that was counted."""
    signed: str = ""
    """Who answers for the policy and the data as they are now, or why nobody does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCount:
    """One point of a trend."""

    day: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One episode that shows a failure."""

    episode_id: str
    says: str
    """One line: what happened."""
    signals: tuple[str, ...] = ()
    day: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentVersionRow:
    """A failure cluster in one version of the agent."""

    version: str
    failures: int
    episodes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRow:
    """One failure cluster."""

    app: str
    cluster_id: str
    name: str
    failures: int
    subjects: int | None = None
    """Distinct users; None when the episodes do not say whose they are."""
    named: bool = True
    """False where fewer than k users are behind it, so that the name stays generic."""
    says: str = ""
    """What the episodes of this cluster share, in one sentence."""
    whose: str = ""
    """Whose the cause is: `agent`, `tool`, `user`, `system` or `environment`."""
    agents: tuple[Count, ...] = ()
    """The agents that made the critical steps, where they have names."""
    confirmed: int = 0
    """Failures that an outcome confirms; the others rest on signals."""
    trend: tuple[DayCount, ...] = ()
    movement: str = ""
    """`new`, `growing`, `steady`, `fading`, `quiet`, or by version (`fixed since 2.1`); empty is not known."""
    versions: tuple[AgentVersionRow, ...] = ()
    cost: str = ""
    description: str = ""
    """What holds for how many of its failures."""
    lineage: str = ""
    """Where it comes from, in words."""
    beside: SideBySide | None = None
    """A failing step beside a resolved attempt at the same request."""
    signals: tuple[Count, ...] = ()
    examples: tuple[Example, ...] = ()
    tasks: tuple[Count, ...] = ()
    """What became of its episodes: `accepted`, `needs_review`, `rejected`, `no task`."""
    why: tuple[Count, ...] = ()
    """Why episodes gave no accepted task, by the first reason; `says` is the sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fidelity:
    """How held-out calls were answered."""

    calls: int = 0
    exact: int = 0
    equivalent: int = 0
    wrong: int = 0
    unknown: int = 0
    simulated: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownCall:
    """A kind of call that nobody can answer yet."""

    says: str
    """The call's shape, in words: arguments by name, no values."""
    count: int
    settle: str = ""
    """What recording would settle it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRow:
    """What was learnt of one tool."""

    name: str
    kind: str
    """`constant`, `pure`, `read`, `search`, `write`, `act`, `unknown`."""
    support: int
    """Recorded calls it was learnt from."""
    evidence: str = ""
    fidelity: Fidelity | None = None
    """None when it was not measured."""
    tape: Fidelity | None = None
    """The floor: the recorded answer to the same tool and arguments."""
    unknowns: tuple[UnknownCall, ...] = ()
    sources: tuple[Count, ...] = ()
    """Held-out answers by source."""
    real_ms: float | None = None
    """Median time of the real tool, from its spans; None where no span says."""
    ours_ms: float | None = None
    """Median processor time of the world's answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """A tool that became another one at some time."""

    tool: str
    version: int
    """2 for the first change."""
    since: str
    calls_before: int
    """Recorded calls of the version before."""
    changes: tuple[str, ...]
    """What changed, by names of fields and arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldRow:
    """The rebuilt backend of one app."""

    app: str
    continuity: str
    """`reset`, `living` or `unknown`."""
    continuity_says: str = ""
    continuity_evidence: tuple[str, ...] = ()
    episodes: int = 0
    calls: int = 0
    measured_on: str = ""
    """How the held-out calls were chosen, in one sentence."""
    reads: Fidelity | None = None
    writes: Fidelity | None = None
    tape: Fidelity | None = None
    unseen_tasks: Fidelity | None = None
    """Calls of tasks of which no attempt was learnt from."""
    sources: tuple[Count, ...] = ()
    """Answers by source: `recorded`, `derived`, `simulated`, `unknown`."""
    tools: tuple[ToolRow, ...] = ()
    versions: tuple[VersionRow, ...] = ()
    """Tools that drifted."""
    risk: float = 0.0
    """The share of told answers that may be wrong."""
    frontier: tuple[tuple[str, int, int, str, int, str], ...] = ()
    """Held-out calls at several risks (`environments.frontier.points`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRow:
    """One check of a rubric as a plain sentence."""

    says: str
    fn: str = ""
    role: str = "both"
    required: bool = False
    positive: bool = True
    weight: float = 1.0
    support: int = 0
    counter: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeRow:
    """One attack on a task, and what it was paid."""

    name: str
    passed: bool
    reward: float | None = None
    says: str = ""
    in_gate: bool = True
    """Families kept out of the gate decide nothing and are shown apart."""
    turns: tuple[str, ...] = ()
    """What the attack did, message by message; only where it was paid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundRow:
    """How many recorded attempts of an app told something of one kind that nothing had shown."""

    app: str
    kind: str
    """`number`, `date`, `time`, `id`, `email`; empty is any."""
    tell: int
    """Attempts that tell facts of this kind."""
    without: int
    """Those of them that tell one without a ground."""
    resolved: int
    """Attempts among the former whose user got what they asked for."""
    resolved_without: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackCount:
    """What one kind of attack earned on an app's tasks."""

    app: str
    attack: AttackRow


@dataclass(frozen=True, slots=True, kw_only=True)
class WayCount:
    """What became of another way of making an app's good attempts."""

    app: str
    way: WayRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How a rubric's agreement verdict compares with outcomes it has not seen."""

    episodes: int
    graded: int
    agreed: int
    false_pass: int = 0
    false_fail: int = 0
    kappa: float | None = None
    low: float | None = None
    high: float | None = None
    """95 % interval (Wilson) of the share that agrees."""
    false_pass_high: float | None = None
    """Upper end of the 95 % interval of the false passes among the graded."""
    kappa_low: float | None = None
    kappa_high: float | None = None
    """95 % interval of kappa, tasks drawn anew; None where it cannot be said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderRow:
    """Agreement of a set of rubrics, for one app."""

    app: str
    rubrics: str
    """`all` or `accepted`."""
    cluster: str = ""
    """A failure cluster's name; empty is the whole app."""
    agreement: Agreement


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """How many of some, with the 95 % interval of the share."""

    count: int
    of: int
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GraderKindRow:
    """How far the graders of one kind of check are trusted, for one app."""

    app: str
    kind: str
    """A name of the kind; empty: all graders of the app, those of tasks that were not accepted included."""
    says: str
    """What decides, as a sentence's words."""
    standing: str
    """In words: good enough, not proven, not measured, not trusted."""
    held_back: bool
    """Whether tasks of this kind do not ship."""
    tasks: int
    attempts: int
    graded: int
    kappa: float | None = None
    false_pass: Part
    false_fail: Part
    paid: Part
    """Attempts that ended badly and would be paid."""
    graded_tasks: int
    kappa_low: float | None = None
    """The lowest kappa that remains when one task is left out."""
    tasks_false_pass: Part
    """Of the graded tasks."""
    tasks_false_fail: Part
    needed: int
    """Further graded attempts without an error until too many false passes are ruled out."""
    app_errs: bool = False
    """Whether it is held back because the app's graders err and too few attempts show that this kind does better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRow:
    """One task version with its rubric and verification."""

    app: str
    task_id: str
    task_version: str
    title: str
    """A short line for a person: the intent."""
    status: str
    """`accepted`, `needs_review` or `rejected`."""
    opening: str = ""
    """The user's first words (clean)."""
    reasons: tuple[Count, ...] = ()
    """Why it is not accepted; `name` is the code, `says` the sentence."""
    checks: tuple[CheckRow, ...] = ()
    probes: tuple[ProbeRow, ...] = ()
    agreement: Agreement | None = None
    attempts: int = 0
    resolved: int = 0
    unresolved: int = 0
    solution_steps: int | None = None
    """Actions of the reference solution; None when there is none."""
    cluster: str = ""
    """The failure cluster's name, where the task comes out of one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskCount:
    """How many tasks of one app stand where, and the reasons of those that were not accepted."""

    app: str
    accepted: int
    needs_review: int
    rejected: int
    reasons: tuple[Count, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class QuarantineRow:
    """Input that could not be used, by reason."""

    app: str
    code: str
    count: int
    reason: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutRow:
    """How one policy did over a task set."""

    app: str
    policy: str
    tasks: int
    rollouts: int
    graded: int
    mean_reward: float | None = None
    null: int = 0
    """Rollouts that ended and have no reward."""
    reasons: Mapping[str, int] = field(default_factory=dict)
    """Rollouts by the code of their cause (`environments.rollout.causes`)."""
    hides: str = ""
    """A sentence where the policy has no reward more often where it fails; empty elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportData:
    """Everything on the page. Empty parts are shown as "nothing yet", with what would fill them."""

    made_at: str
    """ISO time of the build."""
    version: str
    apps: tuple[str, ...] = ()
    title: str = "What your agents\u2019 users got"
    says: str = ""
    notices: tuple[str, ...] = ()
    """Sentences that a reader must see first (redaction off, a blocked export)."""
    figures: tuple[Figure, ...] = ()
    funnel: tuple[FunnelStage, ...] = ()
    outcomes: tuple[OutcomeCount, ...] = ()
    missing: tuple[Missing, ...] = ()
    redaction: tuple[RedactionState, ...] = ()
    redacted: tuple[RedactionCount, ...] = ()
    clusters: tuple[ClusterRow, ...] = ()
    agreement: tuple[tuple[str, str, int, str, str, str, str], ...] = ()
    """Who names causes as people do: app, who, labelled failures, shares of cause, step, step within two, agent."""
    gone: tuple[tuple[str, str, str], ...] = ()
    """Clusters that were split, merged or retired: app, name, what became of them."""
    failures: int | None = None
    """All failures found; None before detection ran. Cluster counts need not add up to it."""
    worlds: tuple[WorldRow, ...] = ()
    graders: tuple[GraderRow, ...] = ()
    grader_kinds: tuple[GraderKindRow, ...] = ()
    attacks: tuple[AttackCount, ...] = ()
    ways: tuple[WayCount, ...] = ()
    grounds: tuple[GroundRow, ...] = ()
    task_counts: tuple[TaskCount, ...] = ()
    tasks: tuple[TaskRow, ...] = ()
    """May be all tasks: the page shows the first ones of each status and counts the rest."""
    quarantine: tuple[QuarantineRow, ...] = ()
    rollouts: tuple[RolloutRow, ...] = ()
    skipped: tuple[SkippedRow, ...] = ()
    """What was left out because tracegym itself failed at it."""
    broken: frozenset[str] = frozenset()
    """Sections of which a part could not be made."""


def ranked(counts: Counter[str]) -> tuple[Count, ...]:
    """The most frequent first."""
    most_first = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Count(name=name, count=n) for name, n in most_first)
