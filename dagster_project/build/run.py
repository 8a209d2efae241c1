"""The build: everything that changed, through the same assets that the Dagster UI shows, in this process.

Comes in: a home. Goes out: rows in the lake, task sets, the report, and what was done. One build at a time per home;
`serve` and `ingest` may go on meanwhile, what they bring is the next build's. An interrupted build loses nothing:
every partition is stored in one commit and what is not stored is still stale.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Final

import dagster as dg

from dagster_project.arrival.files import land
from dagster_project.build.failed_checks import failed_checks_of
from dagster_project.build.interrupts import no_interrupt_lost
from dagster_project.build.left_out import SkippedUnit, Skips, Unit, skipped_of
from dagster_project.build.partitioned_runs import by_app, run_apart
from dagster_project.build.plan import plan_days, ranges, stale_apps
from dagster_project.build.progress import Step, listen_to_steps, tell
from dagster_project.definitions import definitions
from dagster_project.defs.automation import RANGE_END, RANGE_START
from dagster_project.defs.jobs import EXECUTOR
from dagster_project.defs.partitions import APP_DAYS, APPS, app_days
from dagster_project.defs.progress_log import LOGGER
from dagster_project.defs.resources import CleanSide, PrivateSide, secret_given
from dagster_project.defs.show import rows_of
from dagster_project.engine.choice import EngineChoice
from dagster_project.errors import InputError, StageError
from dagster_project.fatal import is_fatal
from dagster_project.home.layout import Home
from dagster_project.home.locks import lock
from dagster_project.home.owner import owned
from dagster_project.home.scratch import remove_abandoned
from dagster_project.home.settings import retention_of
from dagster_project.home.tidy import tidy
from dagster_project.lake.freshness import resting
from dagster_project.privacy.gate import vault_of
from dagster_project.privacy.leak_check import check_apps, check_texts, note_leaks, shown_texts
from dagster_project.report.data.counts import FunnelStage
from dagster_project.report.yield_table import HEADINGS, table_rows
from environments.llm import ModelChoice
from ingest.receiver.wal import Wal
from redact.apply.collector import seldom_collecting
from synth.labels.policy import load_outcome_policy
from synth.world_settings import apps_named

_ROUNDS: Final = 5
"""What a day teaches may re-open older days, which teach nothing new: two rounds settle it."""
_INSTANCE: Final = """\
# Dagster's storage of this home; `tracegym dev` opens the UI over it.
telemetry:
  enabled: false
nux:  # a dialog that asks for an e-mail address
  enabled: false
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildResult:
    """What a build did."""

    app_days: int
    """Partitions that were stale, over all rounds."""
    apps: int
    runs: tuple[str, ...]
    """Dagster run ids, to look up in the UI."""
    failed_checks: tuple[str, ...] = ()
    """Asset checks that do not hold, of this build or an earlier one, as `asset: check`, with the apps and what it says of them in brackets."""
    skipped: tuple[SkippedUnit, ...] = ()
    """Units of work that are left out now because tracegym itself failed at them, by this build or an earlier one."""


def build(  # noqa: PLR0913 - all that a person may set
    home: Home,
    *,
    secret: str | None,
    judge: ModelChoice | None = None,
    judge_causes: bool = False,
    budgets: Sequence[str] = (),
    most_requests: int | None = None,
    fresh: bool = False,
    engine: EngineChoice | None = None,
    on_step: Callable[[Step], None] = lambda _: None,
    on_wait: Callable[[str], None] | None = None,
) -> BuildResult:
    """Bring everything up to date with what has arrived; `budgets` and `most_requests` (0: all) go before those of home.json.

    `fresh`: figures over a whole app are taken anew, however little it has grown since (`figures`).
    """
    asked = judge or ModelChoice(model="")
    with owned(home, on_wait=on_wait), listen_to_steps(on_step), seldom_collecting():
        remove_abandoned(home.private)  # raw data that a killed build left lying
        with Wal(home.wal) as wal:
            land(home, wal)
        private = PrivateSide(home=str(home.path), secret=secret or "")
        maps = engine or EngineChoice()
        clean = CleanSide(
            home=str(home.path),
            judge_model=asked.model,
            judge_url=asked.url,
            judge_key=asked.api_key,
            judge_causes=judge_causes,
            budgets=list(budgets),
            most_requests=most_requests,
            fresh=fresh,
            workers=maps.workers,
            memory=maps.memory,
            engine=maps.engine,
        )
        # what cannot be read is said before anything is done
        _ = clean.limits, clean.sample, retention_of(home)
        load_outcome_policy(home.outcome_policy)
        _ = apps_named(home.world_settings)
        with instance_of(home) as instance:
            runner = _Runner(instance, private, clean)
            days = _build_days(runner)
            apps = _build_apps(runner)
            leaking = _leaking(home, private, clean, instance)
        tidy(home)
        return BuildResult(
            app_days=days,
            apps=apps,
            runs=tuple(runner.runs),
            failed_checks=(*failed_checks_of(clean.lake), *leaking),
            skipped=tuple(skipped_of(clean.lake)),
        )


def instance_of(home: Home) -> dg.DagsterInstance:
    """The persistent Dagster instance of a home."""
    settings = home.dagster / "dagster.yaml"
    if not settings.exists():
        settings.write_text(_INSTANCE, encoding="utf-8")
    return dg.DagsterInstance.from_config(str(home.dagster))


def note_yield(home: Home, stages: Sequence[FunnelStage]) -> None:
    """Show the table of the yield in the Dagster UI, beside `task_sets`."""
    with instance_of(home) as instance:
        instance.report_runless_asset_event(
            dg.AssetObservation(
                asset_key="task_sets",
                description="Of the conversations that came in, how many a policy can be trained on.",
                metadata={"yield": rows_of(HEADINGS, table_rows(stages))},
            )
        )


def _build_days(runner: "_Runner") -> int:
    done: set[str] = set()
    left = 0
    for round_number in range(_ROUNDS):
        tell("plan", round_number, _ROUNDS, "looking for what changed")
        # What was left out in the first round is not tried again before the next build.
        with resting() if round_number else nullcontext():
            plan = plan_days(runner.private, runner.clean)
            left = len(plan.stale_days)
            if not plan.known_days:
                raise InputError(
                    "nothing has arrived in this home yet; take something in with: tracegym ingest FILE"
                )
            if not plan.stale_days or runner.broken:
                tell("plan", 1, 1, f"{len(done)} app-days to make again")
                return len(done)
            done |= set(plan.stale_days)
            runner.run("redact_days", APP_DAYS, plan.known_days, plan.stale_days)
    raise StageError(
        f"{left} partitions are still not up to date after {_ROUNDS} rounds; "
        "run the build again when nothing else writes to this home"
    )


def _build_apps(runner: "_Runner") -> int:
    # Apps whose raw data has expired are known by their clean data.
    known = sorted({app for app, _ in runner.clean.lake.stamps("clean_episodes")})
    stale = stale_apps(runner.clean, known)
    runner.run("make_tasks", APPS, known, stale)
    return len(stale)


def _leaking(
    home: Home, private: PrivateSide, clean: CleanSide, instance: dg.DagsterInstance
) -> list[str]:
    """The apps past whose gate the independent search finds an identifier (its tasks are not exported), or calls read unlike."""
    apps = sorted({app for app, _ in clean.lake.stamps("clean_episodes")})
    tell("leak_check", 0, 1, "searching everything past the gate")
    with lock(home, "vault"):
        vault = vault_of(home, private.vault_secret())
        found = check_apps(home, vault, apps, unit=_searching(clean))
        skips = Skips("leak_check", "")
        with skips.unit("metadata"):
            note_leaks(instance, found)
        shown = ["not searched"]
        with skips.unit("metadata"):
            shown = check_texts(home, vault, apps, shown_texts(home, instance))
        skips.keep(clean.lake)
    tell("leak_check", 1, 1, f"{sum(one.texts for one in found.values())} texts")
    leaking = [
        f"{app}: no_leaks past the gate (identifiers: {one.leaks}; {'none of its tasks is' if one.shared else 'tasks that hold one are not'} exported)"
        for app, one in found.items()
        if one.leaks
    ]
    leaking += [
        f"{app}: calls_commute past the gate ({unlike} of {one.commutation['calls']} recorded calls do not)"
        for app, one in found.items()
        if (unlike := one.commutation["split"] + one.commutation["merged"])
    ]
    return [
        *leaking,
        *([f"dagster metadata: no_leaks (identifiers: {len(shown)})"] if shown else []),
    ]


def _searching(clean: CleanSide) -> Callable[[str], AbstractContextManager[Unit]]:
    """What each app is searched inside of: one that cannot be searched is not exported, and the others are searched."""

    @contextmanager
    def unit(app: str) -> Iterator[Unit]:
        skips = Skips("leak_check", app)
        with skips.unit("app") as searching:
            yield searching
        skips.keep(clean.lake)

    return unit


@cache
def _definitions() -> dg.Definitions:
    """Loading takes a second; one process needs it once."""
    return definitions()


class _Runner:
    """Runs jobs over ranges of partitions in the persistent instance."""

    def __init__(
        self, instance: dg.DagsterInstance, private: PrivateSide, clean: CleanSide
    ) -> None:
        self.private = private
        self.clean = clean
        self.runs: list[str] = []
        self.broken = False
        """Whether a run ended before its end: its later stages are for the next build."""
        self._instance = instance
        # A secret that no other process has cannot be handed to one: it would be stored with the run.
        self._is_apart = not EXECUTOR.is_in_process and private.secret in {"", secret_given()}
        self._definitions = _definitions()

    def run(
        self,
        job: str,
        partitions: dg.DynamicPartitionsDefinition,
        known: Sequence[str],
        wanted: Sequence[str],
    ) -> None:
        """Materialise the wanted partitions, in as few runs as pays."""
        name = partitions.name or ""
        there = set(self._instance.get_dynamic_partitions(name))
        self._instance.add_dynamic_partitions(name, [k for k in known if k not in there])
        order = list(self._instance.get_dynamic_partitions(name))
        if self._is_apart:
            self._run_elsewhere(job, order, wanted)
            return
        for first, last in ranges(order, wanted):
            inside = order[order.index(first) : order.index(last) + 1]
            keys = [key for key in wanted if key in inside]
            # A stage keeps the faults of its units: what comes out here is a fault of a stage as a whole.
            try:
                self._run_range(job, first, last)
            except Exception as fault:
                if is_fatal(fault):
                    raise
                self._run_apart(job, order, keys)
            else:
                self._went_well(job, keys)

    def _run_elsewhere(self, job: str, order: Sequence[str], wanted: Sequence[str]) -> None:
        """Run each app in processes of its own, several apps at a time; a fault costs the app at which it comes up."""
        asked = [
            (keys, {RANGE_START: first, RANGE_END: last})
            for keys in by_app(wanted)
            for first, last in ranges(order, keys)
        ]
        done = run_apart(
            job,
            asked,
            instance=self._instance,
            resources=_for_processes(self.private, self.clean),
            at_once=EXECUTOR.runs_at_once,
        )
        for run in done:
            self.runs.append(run.run_id)
            skips = Skips(job, next(iter(app_days(run.keys))))
            with skips.unit("app") as running:
                run.require()
            self.broken = self.broken or running.failed
            if running.failed:
                skips.keep(self.clean.lake)
            else:
                self._went_well(job, run.keys)

    def _run_apart(self, job: str, order: Sequence[str], wanted: Sequence[str]) -> None:
        """Run one app after the other: the fault costs the apps at which it comes again."""
        for app, keys in groupby(sorted(wanted), key=lambda key: next(iter(app_days([key])))):
            skips = Skips(job, app)
            for first, last in ranges(order, list(keys)):
                with skips.unit("app") as running:
                    self._run_range(job, first, last)
                self.broken = self.broken or running.failed
            skips.keep(self.clean.lake)

    def _went_well(self, job: str, keys: Sequence[str]) -> None:
        """Forget that the whole job failed at these apps in an earlier build."""
        for one in skipped_of(self.clean.lake, app_days(keys), stages=[job]):
            Skips(job, one.app).keep(self.clean.lake)

    def _run_range(self, job: str, first: str, last: str) -> None:
        try:
            with no_interrupt_lost():
                result = self._definitions.resolve_job_def(job).execute_in_process(
                    instance=self._instance,
                    resources={"private": self.private, "clean": self.clean},
                    run_config={"loggers": {LOGGER: {}}},
                    tags={RANGE_START: first, RANGE_END: last},
                    raise_on_error=True,
                )
        except dg.DagsterExecutionInterruptedError as interrupt:
            raise KeyboardInterrupt from interrupt
        self.runs.append(result.run_id)


def _for_processes(private: PrivateSide, clean: CleanSide) -> dict[str, object]:
    """The resources as a run's configuration: no secret and no key."""
    place = Home(path=Path(private.home)).place
    # Another machine has a folder of its own for what lies in object storage.
    home = private.home if place is None or EXECUTOR.is_here else place.url
    judge = {"judge_model": clean.judge_model, "judge_url": clean.judge_url}
    return {"private": {"config": {"home": home}}, "clean": {"config": {"home": home, **judge}}}
