"""The doctor: what has arrived in a home, in which dialects, and what is missing to make tasks of it.

Comes in: a home. Goes out: `Diagnosis`: counts and one sentence per thing to do. Reads only what is stored, and
assembles in memory what no build has seen yet; never shows a text.
"""

import shutil
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

from dagster_project.arrival.assembly import assemble_days, days_of
from dagster_project.arrival.files import land, quarantined
from dagster_project.arrival.outcome_days import arrived_outcomes, attach_arrived
from dagster_project.arrival.repetitions import counts_once
from dagster_project.build.failed_checks import failed_checks_of
from dagster_project.build.left_out import SkippedUnit, Skips, skipped_of
from dagster_project.build.left_out_rows import SkippedRow, rows_of
from dagster_project.defs.resources import CleanSide
from dagster_project.home.layout import HOME_FORMAT, Home
from dagster_project.home.settings import redaction_of
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import EPISODES, LOG_EVENTS, SPANS
from dagster_project.report.data.counts import FunnelStage
from dagster_project.report.yield_table import as_documents, first_stages, yield_of
from dagster_project.tasks.app_state import has_tools, standing_of
from ingest.assembly.unread import unread
from ingest.receiver.wal import Wal
from ingest.records.app_name import UNNAMED
from ingest.records.episode import Episode
from ingest.records.outcome import Outcome
from ingest.records.span import Span, span_of_row
from synth.labels.meanings import (
    lines_read,
    unknown_outcomes,
    with_meanings,
)
from synth.labels.policy import OutcomePolicy, load_outcome_policy

ADVICE = {
    "no_content": "message content is switched off in the app: turn on content capture "
    "(for the OpenTelemetry instrumentations: OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true)",
    "missing_results": "some tool calls have no result: trace the tools as well, or let the next model call carry them",
    "orphan_results": "some tool results belong to no call: the model call that asked for them was not traced",
    "truncated": "attribute values were cut: raise OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT in the app",
    "no_tool_definitions": "tools are called whose definitions nobody sends: they are inferred from the calls; send tool definitions, since a "
    "model reads their descriptions",
    "no_conversation_id": "no conversation id: set gen_ai.conversation.id (or a session id), else one trace is one episode",
    "no_time": "messages carry no time: outcomes of users cannot be placed",
}
"""What to do about the commonest gaps."""
NO_DAY = "1970-01-01"
"""Where data without a time lies."""
_LOOKED_AT = 20_000
"""Spans outside of all episodes that are looked at: enough to name what an app's own tracing sends."""
_NAMES = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class AppDiagnosis:
    """What is known of one app."""

    app: str
    spans: int
    log_events: int
    episodes: int
    dialects: dict[str, int]
    content: str
    """`on`, `off`, `partly`, or `unknown` while nothing has arrived."""
    with_tools: int
    """Episodes that called a tool, or were offered one."""
    missing: dict[str, int]
    """Episodes by what is missing in them."""
    unread: dict[str, int]
    """Spans of no convention that seem to hold content, by name, among the first of those in no episode's trace."""
    days: int
    first_day: str
    """Of those with a time; empty where nothing has one."""
    last_day: str
    outcomes: dict[str, int]
    waiting_outcomes: int
    subjects: int
    """Episodes that say whose they are."""
    task_keys: int
    outcomes_to_settle: tuple[str, ...]
    """The lines to add to `outcomes.toml` for outcomes whose names it does not know."""
    outcomes_read: tuple[str, ...]
    """Lines of `outcomes.toml` that say what was read of the values of names without a line."""
    advice: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What is known of a home."""

    home: str
    format: int
    version: str
    redaction: str
    wal_records: int
    wal_pending: int
    wal_bytes: int
    disk_free_bytes: int
    quarantined: dict[str, int]
    waiting_outcomes: int
    """Of those that name no app: how many join no episode of any."""
    apps: tuple[AppDiagnosis, ...]
    advice: tuple[str, ...]
    stages: tuple[FunnelStage, ...] = ()
    """The yield: of the conversations that came in, how many came how far."""
    built: bool = False
    """Whether the yield is that of the last build; else it ends where a build begins."""
    left_out: tuple[SkippedRow, ...] = ()
    """What the last builds left out because tracegym itself failed at it."""
    failed_checks: tuple[str, ...] = ()
    """Asset checks that do not hold since the last build that asked them."""


_Statement = tuple[str, str, str]
"""What an outcome is about and its name: the same whether or not it names its app."""


def _statement(outcome: Outcome) -> _Statement:
    return outcome.target_kind, outcome.target_id, outcome.name


def diagnose(home: Home) -> Diagnosis:
    """Look at a home."""
    lake = Lake(home.private / "lake")
    with Wal(home.wal) as wal:
        land(home, wal)
        counts = wal.counts()
    policy = load_outcome_policy(home.outcome_policy)
    joined: set[_Statement] = set()
    apps, seen = _apps(lake, policy, joined)
    homeless = sum(_statement(one) not in joined for one in arrived_outcomes(lake, UNNAMED))
    skipped = [*skipped_of(Lake(home.clean / "lake")), *seen]
    records = list(quarantined(lake))
    refused = Counter(f"{r.app or UNNAMED}: {r.code}" for r in records)
    lost = sum(not record.is_outcome for record in records)
    return Diagnosis(
        home=str(home.path),
        format=HOME_FORMAT,
        version=version("tracegym"),
        redaction=redaction_of(home),
        wal_records=counts.records,
        wal_pending=counts.pending,
        wal_bytes=counts.bytes,
        disk_free_bytes=shutil.disk_usage(home.path).free,
        quarantined=dict(sorted(refused.items())),
        apps=apps,
        waiting_outcomes=homeless,
        advice=_home_advice(apps, refused, homeless),
        stages=_stages(home, lake, apps, lost),
        built=_is_built(lake),
        left_out=rows_of(skipped),
        failed_checks=tuple(failed_checks_of(Lake(home.clean / "lake"))),
    )


def _is_built(lake: Lake) -> bool:
    return bool(sum(lake.counts(EPISODES).values()))


def _stages(
    home: Home, lake: Lake, apps: Sequence[AppDiagnosis], refused: int
) -> tuple[FunnelStage, ...]:
    """The yield of the last build; before the first one, what is known without it."""
    if _is_built(lake):
        clean = CleanSide(home=str(home.path))
        return yield_of(lake, clean, [standing_of(clean, app.app) for app in apps])
    return first_stages(
        refused=refused,
        readable=sum(app.episodes for app in apps),
        with_tools=sum(app.with_tools for app in apps),
    )


def _apps(
    lake: Lake, policy: OutcomePolicy, joined: set[_Statement]
) -> tuple[tuple[AppDiagnosis, ...], list[SkippedUnit]]:
    """Every app; one at which the look itself fails is noted, and the others are shown. What joins an episode goes into `joined`."""
    found: list[AppDiagnosis] = []
    noted: list[SkippedUnit] = []
    for app, days in sorted(days_of(lake).items()):
        skips = Skips("doctor", app)
        with skips.unit("app"):
            found.append(_app(lake, app, days, policy, joined))
        noted += skips.found
    return tuple(found), noted


def _app(
    lake: Lake, app: str, days: Iterable[str], policy: OutcomePolicy, joined: set[_Statement]
) -> AppDiagnosis:
    ordered = sorted(days)
    timed = [day for day in ordered if day != NO_DAY]
    assembly = assemble_days(lake, app, ordered)
    episodes = [e for group in assembly.episodes.values() for e in group]
    outcomes = attach_arrived(lake, app, assembly.outcomes, episodes, responses=assembly.responses)
    joined |= {_statement(outcome) for outcome in outcomes if outcome.episode_id is not None}
    policy = with_meanings(policy, outcomes)
    missing = Counter(gap for episode in episodes for gap in episode.completeness)
    subjects = sum(episode.subject is not None for episode in episodes)
    keys = sum(episode.task_key is not None for episode in episodes)
    known = {trace for episode in episodes for trace in episode.trace_ids}
    strange = _unread(lake, app, ordered, known) if assembly.spans_without_episode else {}
    return AppDiagnosis(
        app=app,
        spans=_of_app(counts_once(lake, SPANS), app),
        log_events=_of_app(counts_once(lake, LOG_EVENTS), app),
        episodes=len(episodes),
        dialects=dict(Counter(episode.source for episode in episodes).most_common()),
        content=_content(episodes),
        with_tools=sum(map(has_tools, episodes)),
        missing=dict(missing.most_common()),
        unread=strange,
        days=len(ordered),
        first_day=timed[0] if timed else "",
        last_day=timed[-1] if timed else "",
        outcomes=dict(Counter(f"{o.name} by {o.by}" for o in outcomes).most_common()),
        waiting_outcomes=sum(outcome.episode_id is None for outcome in outcomes),
        subjects=subjects,
        task_keys=keys,
        outcomes_to_settle=tuple(unknown_outcomes(outcomes, policy).values()),
        outcomes_read=tuple(lines_read(policy).values()),
        advice=(*_app_advice(episodes, outcomes, missing), *_unread_advice(strange)),
    )


def _unread(lake: Lake, app: str, days: Sequence[str], known: AbstractSet[str]) -> dict[str, int]:
    """What spans outside of all episodes may hold; the first ones are enough to name them."""
    seen: dict[tuple[str, str], Span] = {}  # by identity: what was sent again may stand there twice
    for day in days:
        for batch in lake.read(SPANS, app=app, days=[day]).to_batches(max_chunksize=_LOOKED_AT):
            names = batch.column("trace_id").to_pylist()
            outside = [index for index, trace in enumerate(names) if trace not in known]
            for row in batch.take(outside[: _LOOKED_AT - len(seen)]).to_pylist():
                seen[row["trace_id"], row["span_id"]] = span_of_row(row)
            if len(seen) >= _LOOKED_AT:
                break
    return dict(unread(seen.values()).most_common(_NAMES))


def _unread_advice(strange: dict[str, int]) -> tuple[str, ...]:
    if not strange:
        return ()
    told = f"{sum(strange.values())} spans in no episode follow no convention but seem to hold what was said or done"
    names = ", ".join(strange)
    return (
        f"{told} ({names}): give them the attributes that docs/dialects.md names under 'Spans of your own'",
    )


def _of_app(counts: dict[tuple[str, ...], int], app: str) -> int:
    return sum(count for key, count in counts.items() if key[0] == app)


def _content(episodes: Sequence[Episode]) -> str:
    if not episodes:
        return "unknown"
    silent = sum("no_content" in episode.completeness for episode in episodes)
    if not silent:
        return "on"
    return "off" if silent == len(episodes) else "partly"


def _app_advice(
    episodes: Sequence[Episode], outcomes: Sequence[Outcome], missing: Counter[str]
) -> tuple[str, ...]:
    found = [ADVICE[gap] for gap, _ in missing.most_common() if gap in ADVICE]
    if not episodes:
        found.append(
            "spans have arrived but no model or tool call is among them: trace the agent itself"
        )
    elif not outcomes:
        found.append(
            "no outcome has arrived, so no task can be graded: send feedback events, or a table with: tracegym outcomes"
        )
    elif all(outcome.episode_id is None for outcome in outcomes):
        found.append("no outcome joins an episode: check the key that the outcomes name")
    return tuple(found)


def _home_advice(
    apps: Sequence[AppDiagnosis], refused: Counter[str], homeless: int
) -> tuple[str, ...]:
    found: list[str] = []
    if not apps:
        found.append(
            "nothing has arrived: point the app at `tracegym serve` with OTEL_EXPORTER_OTLP_ENDPOINT, or take files in "
            "with: tracegym ingest FILE"
        )
    if any(app.app == UNNAMED for app in apps):
        found.append("some data names no app: set service.name in the app, or pass --app to ingest")
    if homeless and apps:
        found.append(
            f"{homeless} outcomes name no app and join no episode of any: check --key and --target of tracegym outcomes"
        )
    if refused:
        found.append(f"{sum(refused.values())} records are in quarantine, by reason above")
    return tuple(found)


def to_json(diagnosis: Diagnosis) -> dict[str, Any]:
    """As plain JSON values."""
    shown = {"apps", "left_out", "stages"}
    fields = {name: getattr(diagnosis, name) for name in Diagnosis.__slots__ if name not in shown}
    apps = [{name: getattr(app, name) for name in AppDiagnosis.__slots__} for app in diagnosis.apps]
    left_out = [
        {**asdict(row), "says": row.says, "report": row.report} for row in diagnosis.left_out
    ]
    return {**fields, "yield": as_documents(diagnosis.stages), "apps": apps, "left_out": left_out}
