"""The report's data out of the lake: one record with everything on the page.

Comes in: both sides of a home. Goes out: `ReportData`. Only clean texts; of the private side only counts and the reasons of quarantined
records, which hold no text.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

from dagster_project.arrival.files import quarantined
from dagster_project.build.failed_checks import failed_checks_of
from dagster_project.build.left_out import Skips, skipped_of
from dagster_project.build.left_out_rows import rows_of
from dagster_project.causes.cluster_rows import agreement_rows
from dagster_project.clean_records import (
    clean_episodes_of,
    clean_outcomes_of,
    clusters_of,
    failures_of,
    labels_of,
    outcome_policy_of,
)
from dagster_project.defs.resources import CleanSide
from dagster_project.home.layout import Home, open_home
from dagster_project.home.settings import apps_of
from dagster_project.lake.store import Lake
from dagster_project.lake.tables import CLEAN_EPISODES
from dagster_project.privacy.account import HELD, LANGUAGE, REPLACED, TALKS, WITHHELD, account_in
from dagster_project.privacy.gate import policy_of
from dagster_project.privacy.leaks import leaks_of
from dagster_project.privacy.signoff import says
from dagster_project.report.clusters import cluster_rows, gone_rows
from dagster_project.report.data.arrivals import (
    LanguageCount,
    Missing,
    OutcomeCount,
    QuarantineRow,
    RedactionCount,
    RedactionState,
)
from dagster_project.report.data.counts import Figure, ranked
from dagster_project.report.data.page import ReportData
from dagster_project.report.feedback_gaps import feedback_gaps
from dagster_project.report.page import write_report
from dagster_project.report.remaining_values import stays_rows
from dagster_project.report.tasks import (
    attacks_on,
    grader_rows,
    ground_rows,
    kind_rows,
    task_count,
    task_rows,
    ways_of,
)
from dagster_project.report.worlds import world_row
from dagster_project.report.yield_table import yield_of
from dagster_project.rollouts.store import rollout_rows
from dagster_project.runs.policy_pairs import comparison_rows
from dagster_project.tasks.agreement import held_out_of
from dagster_project.tasks.app_state import Standing, standing_of
from dagster_project.worlds.stored_worlds import StoredWorld, world_of
from dagster_project.worlds.tool_costs import tool_costs
from environments.runtime.values.grouping import by_key
from environments.runtime.views.multiplexed import EMPTY, Dispatched
from redact.records.clean_outcome import CleanOutcome
from synth.inferred_tools import tools_from_calls
from synth.labels.label import label
from synth.labels.meanings import (
    lines_read,
    unknown_outcomes,
)
from synth.labels.policy import OutcomePolicy

Item = TypeVar("Item")
Part = TypeVar("Part")


def write_home_report(home: Home) -> ReportData:
    """Write the report of a home, and hand back what it says, what failed on the way included."""
    made_at = datetime.now(UTC).isoformat(timespec="seconds")
    clean = CleanSide(home=str(home.path))
    private = Lake(home.private / "lake")
    skips = Skips("report", "")
    data = report_data(private, clean, apps=apps_of(home), made_at=made_at, skips=skips)
    with skips.unit("page"):
        write_report(data, home.report, unit=skips.unit)
    skips.keep(clean.lake)
    return replace(data, skipped=rows_of(skipped_of(clean.lake)))


def report_data(
    private: Lake,
    clean: CleanSide,
    *,
    apps: Sequence[str],
    made_at: str,
    skips: Skips | None = None,
) -> ReportData:
    """Everything on the page; a section at which that fails is named as broken, and `skips` notes it."""
    parts = _Parts(Skips("report", "") if skips is None else skips)
    standings = [
        s for app in apps if (s := parts.part_of("tasks", partial(standing_of, clean, app)))
    ]
    clusters = {
        app: parts.rows_of("failures", partial(clusters_of, clean.lake, app)) for app in apps
    }
    failures = {
        app: parts.rows_of("failures", partial(failures_of, clean.lake, app)) for app in apps
    }
    held_out = {app: parts.rows_of("tasks", partial(held_out_of, clean.lake, app)) for app in apps}
    known = [
        w for app in apps if (w := parts.part_of("worlds", partial(world_of, clean.lake, app)))
    ]
    return ReportData(
        made_at=made_at,
        version=version("tracegym"),
        apps=tuple(apps),
        notices=(*_notices(clean), *_inferred(standings), *_failed_checks(clean)),
        figures=parts.rows_of("funnel", lambda: _figures(standings, known)),
        funnel=parts.rows_of("funnel", lambda: yield_of(private, clean, standings)),
        outcomes=parts.joined_rows("outcomes", apps, partial(_outcomes, clean)),
        missing=parts.joined_rows("outcomes", apps, partial(_missing, clean)),
        redaction=parts.joined_rows("privacy", apps, lambda app: [_redaction_state(clean, app)]),
        redacted=parts.joined_rows("privacy", apps, partial(_redacted, clean)),
        clusters=parts.joined_rows(
            "failures",
            standings,
            lambda s: cluster_rows(clusters[s.app], failures[s.app], s, clean.lake),
        ),
        agreement=parts.joined_rows(
            "failures", apps, lambda app: agreement_rows(app, failures[app])
        ),
        gone=parts.joined_rows("failures", apps, lambda app: gone_rows(clusters[app])),
        failures=sum(map(len, failures.values())),
        worlds=parts.joined_rows(
            "worlds", known, lambda w: [world_row(w, tool_costs(private, clean.lake, w))]
        ),
        task_counts=parts.joined_rows("tasks", standings, lambda s: [task_count(s)]),
        graders=parts.rows_by_app(
            "tasks", standings, lambda s: grader_rows(s, clusters[s.app], held_out[s.app])
        ),
        attacks=parts.rows_by_app("tasks", standings, attacks_on),
        ways=parts.rows_by_app("tasks", standings, ways_of),
        grounds=parts.rows_by_app("tasks", standings, ground_rows),
        grader_kinds=parts.rows_by_app("tasks", standings, lambda s: kind_rows(s, held_out[s.app])),
        tasks=parts.joined_rows(
            "tasks", standings, lambda s: task_rows(s, clusters[s.app], held_out[s.app])
        ),
        quarantine=parts.rows_of("quarantine", lambda: _quarantine(private)),
        rollouts=parts.rows_of("tasks", lambda: rollout_rows(clean.lake)),
        comparisons=parts.rows_of(
            "tasks", lambda: comparison_rows(open_home(Path(clean.home)).clean)
        ),
        skipped=rows_of(skipped_of(clean.lake)),
        broken=frozenset(parts.broken),
    )


class _Parts:
    """Makes the parts of the report one by one; where one fails, its section is broken and the others are made."""

    def __init__(self, skips: Skips) -> None:
        self.broken: set[str] = set()
        self._skips = skips

    def part_of(self, section: str, make: Callable[[], Part]) -> Part | None:
        """One part; None where it cannot be made."""
        made: Part | None = None
        with self._skips.unit("section", section) as making:
            made = make()
        if making.failed:
            self.broken.add(section)
        return made

    def rows_of(self, section: str, make: Callable[[], Iterable[Part]]) -> tuple[Part, ...]:
        """Rows; none where they cannot be made."""
        return tuple(self.part_of(section, lambda: tuple(make())) or ())

    def joined_rows(
        self, section: str, items: Iterable[Item], make: Callable[[Item], Iterable[Part]]
    ) -> tuple[Part, ...]:
        """The rows of all items, without those at which that fails."""
        return tuple(row for item in items for row in self.rows_of(section, partial(make, item)))

    def rows_by_app(
        self,
        section: str,
        standings: Iterable[Standing],
        make: Callable[[Standing], Iterable[Part]],
    ) -> dict[str, tuple[Part, ...]]:
        """The rows of each app."""
        return {s.app: self.rows_of(section, partial(make, s)) for s in standings}


def _failed_checks(clean: CleanSide) -> list[str]:
    return [f"Check not passed: {check}." for check in failed_checks_of(clean.lake)]


def _notices(clean: CleanSide) -> tuple[str, ...]:
    if clean.redaction == "off":
        return ("Redaction is off: this data was declared free of personal data.",)
    return ("The data on this page is pseudonymised, not anonymous.",)


def _inferred(standings: Sequence[Standing]) -> tuple[str, ...]:
    """How many tools of each app nobody defined, as one notice."""
    counts = [(standing.app, len(_undefined_tools(standing))) for standing in standings]
    listed = ", ".join(f"{count} tools of {app}" for app, count in counts if count)
    if not listed:
        return ()
    told = (
        f"Nobody sent definitions of {listed}: they are inferred from the recorded calls. "
        "Send them if you can, since a model reads their descriptions."
    )
    return (told,)


def _undefined_tools(standing: Standing) -> set[str]:
    return {
        name for candidate in standing.candidates for name in tools_from_calls(candidate.task.tools)
    }


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
            says=f"of {calls:,} held-out calls; {_share(wrong, calls)} wrong, {_share(calls - right - wrong, calls)} unknown",
        ),
    )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "unknown"


def _outcomes(clean: CleanSide, app: str) -> list[OutcomeCount]:
    policy = outcome_policy_of(clean.lake, app, clean.outcome_policy)
    said = clean_outcomes_of(clean.lake, app)
    settle, read = unknown_outcomes(said, policy), lines_read(policy)
    groups = by_key(((outcome.name, outcome.by), outcome) for outcome in said)
    return [
        OutcomeCount(
            app=app,
            name=name,
            by=by,
            **_count_labels(group, policy),
            settle=settle.get(name, ""),
            read_as=read.get(name, ""),
        )
        for (name, by), group in sorted(groups.items())
    ]


def _missing(clean: CleanSide, app: str) -> tuple[Missing, ...]:
    world = world_of(clean.lake, app)
    return feedback_gaps(
        app,
        clean_episodes_of(clean.lake, app),
        labels_of(clean.lake, app, clean.outcome_policy),
        world.document.writers if world is not None else (),
        Dispatched(world.document.views.dispatched) if world is not None else EMPTY,
    )


def _count_labels(group: Sequence[CleanOutcome], policy: OutcomePolicy) -> dict[str, int]:
    found = Counter(label([outcome], policy).resolved for outcome in group)
    return {"good": found[True], "bad": found[False], "unknown": found[None]}


def _redaction_state(clean: CleanSide, app: str) -> RedactionState:
    counts: Counter[str] = Counter()
    spoken: dict[str, Counter[str]] = defaultdict(Counter)
    for row in account_in(clean.lake, app):
        counts[row.what] += row.count
        if row.what == LANGUAGE:
            spoken[row.kind][row.place] += row.count
    checked = leaks_of(clean.folder, app) if clean.redaction == "on" else None
    replayed = checked.commutation if checked else {}
    stays, looked_at = stays_rows(clean.lake, app)
    return RedactionState(
        stays=stays,
        looked_at=looked_at,
        signed=says(open_home(Path(clean.home)), app),
        app=app,
        mode=clean.redaction,
        episodes=sum(n for (a, _), n in clean.lake.counts(CLEAN_EPISODES).items() if a == app),
        replaced=counts[REPLACED],
        held=counts[HELD],
        withheld=counts[WITHHELD],
        leaks=checked.leaks if checked else None,
        waivers=ranked(Counter(checked.waivers)) if checked else (),
        calls=replayed.get("calls", 0),
        calls_unlike=replayed.get("split", 0) + replayed.get("merged", 0),
        languages=tuple(
            LanguageCount(
                language=name,
                conversations=found[TALKS],
                replaced=found[REPLACED],
                withheld=found[WITHHELD],
            )
            for name, found in sorted(spoken.items(), key=lambda one: (-one[1][TALKS], one[0]))
        ),
    )


def _redacted(clean: CleanSide, app: str) -> list[RedactionCount]:
    """Counts by day as the policy moves days: partitions keep the true ones, which would give the shift away."""
    shift = policy_of(open_home(Path(clean.home))).shift_of(app)
    counts: Counter[tuple[str, str, str]] = Counter()
    lengths: Counter[tuple[str, str, str]] = Counter()
    for row in account_in(clean.lake, app):
        if row.what == REPLACED:
            key = (shift.text(row.day, 0), row.kind, row.place)
            counts[key] += row.count
            lengths[key] += row.length
    return [
        RedactionCount(
            app=app, day=day, kind=kind, place=place, count=n, characters=lengths[day, kind, place]
        )
        for (day, kind, place), n in sorted(counts.items())
    ]


def _quarantine(private: Lake) -> tuple[QuarantineRow, ...]:
    groups = by_key(
        ((record.app or "unknown", record.code), record) for record in quarantined(private)
    )
    return tuple(
        QuarantineRow(
            app=app, code=code, count=len(group), reason=group[0].reason, source=group[0].source
        )
        for (app, code), group in sorted(groups.items())
    )
