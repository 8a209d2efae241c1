"""`tracegym build`: everything that changed, from spans to task sets, and the report."""

import signal
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from dagster_project.cli.bars import Bars
from dagster_project.cli.models import chosen_judge
from dagster_project.cli.options import (
    HOME,
    LOCAL,
    EngineOption,
    HomeOption,
    JsonOption,
    JudgeOption,
    JudgeUrlOption,
    MemoryOption,
    WorkersOption,
)
from dagster_project.cli.output import (
    how_many,
    lines_read_of,
    lines_to_settle,
    notices,
    print_json,
    print_table,
)
from dagster_project.cli.settings import read_settings
from dagster_project.errors import InputError, Interrupted, StrictError
from dagster_project.home.layout import open_home
from dagster_project.home.settings import MOST_REQUESTS, apps_of, set_redaction, set_risk
from environments.runtime.answers.recall import MOST_RISK, is_risk

if TYPE_CHECKING:
    from dagster_project.build.run import BuildResult
    from dagster_project.report.data.page import ReportData


def build(  # noqa: PLR0913, PLR0917 - one parameter per option
    home: HomeOption = HOME,
    redaction: Annotated[
        str | None,
        typer.Option(
            "--redaction",
            metavar="on|off",
            help="off: this home's data is declared free of personal data; every manifest says so.",
        ),
    ] = None,
    risk: Annotated[
        float | None,
        typer.Option(
            "--risk",
            metavar="SHARE",
            help="The share of the tools' answers in worlds that may be wrong, kept for later builds: 0.005 unless said, "
            "0 tells only what is certain. worlds.toml can say it for one app.",
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit 3 when an asset check did not pass, the gate withheld something, or a fault or a budget left something out.",
        ),
    ] = False,
    judge: JudgeOption = "",
    judge_url: JudgeUrlOption = "",
    judge_causes: Annotated[
        bool,
        typer.Option(
            "--judge-causes",
            help="Ask the judge's model for the causes of failures and the names of their groups as well: up to 13 requests a failure, each asked once; "
            "bound it with --budget failures=2usd. tracegym failures shows how often it agrees with people.",
        ),
    ] = False,
    budget: Annotated[
        list[str] | None,
        typer.Option(
            "--budget",
            metavar="STAGE=AMOUNT",
            help="What a stage may take before it stops with what is done: verified_tasks=5m, verified_tasks=2usd, worlds=30s; "
            "may be repeated. The next build goes on there.",
        ),
    ] = None,
    most_requests: Annotated[
        int | None,
        typer.Option(
            "--most-requests",
            metavar="N",
            min=0,
            help="Make tasks of at most so many requests of an app: some of every failure cluster, the rest evenly; "
            f"0 is all. [default: what home.json says, else {MOST_REQUESTS}]",
            show_default=False,
        ),
    ] = None,
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh",
            help="Take the figures over a whole app anew (agreement, held-out calls), also where it has grown by less than a quarter since.",
        ),
    ] = False,
    workers: WorkersOption = 0,
    memory: MemoryOption = 0,
    engine: EngineOption = LOCAL,
    as_json: JsonOption = False,
) -> None:
    """Make clean episodes, failures, worlds, tasks and task sets of what has arrived, and the report.

    Only what changed is made again. Interrupted, it goes on where it stopped.

    Example: tracegym build --home H --risk 0.02
    """
    if redaction not in {None, "on", "off"}:
        raise typer.BadParameter("pass on or off", param_hint="--redaction")
    if not judge and (judge_url or judge_causes):
        raise typer.BadParameter("name the model that is asked", param_hint="--judge")
    if risk is not None and not is_risk(risk):
        raise typer.BadParameter(
            f"pass a share from 0 to {MOST_RISK} (0.005 is 0.5 %)", param_hint="--risk"
        )
    _require_budgets(budget or ())
    opened = open_home(home)
    if risk is not None:
        set_risk(opened, risk)
    if redaction is not None:
        set_redaction(opened, redaction)
    console = notices()
    started = time.monotonic()
    try:
        with console.status("starting"):
            # dagster and pyarrow: 3 s
            from dagster_project.build.run import build as run_build  # noqa: PLC0415
            from dagster_project.build.run import note_yield  # noqa: PLC0415
            from dagster_project.engine.choice import EngineChoice, says  # noqa: PLC0415
            from dagster_project.lake.clean_files import publish  # noqa: PLC0415
            from dagster_project.privacy.leak_check import check_home_report  # noqa: PLC0415
            from dagster_project.report.parts import write_home_report  # noqa: PLC0415
        maps = EngineChoice(workers=workers, memory=memory, engine=engine)
        if may_take := says(maps.open()):
            console.print(may_take, soft_wrap=True)
        # A stopped container is an interrupted build as well.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        with Bars(console) as bars:
            built = run_build(
                opened,
                secret=read_settings().secret,
                judge=chosen_judge(judge, judge_url),
                judge_causes=judge_causes,
                budgets=budget or (),
                most_requests=most_requests,
                fresh=fresh,
                engine=maps,
                on_step=bars.hear,
                on_wait=lambda who: console.print(
                    f"another build ({who}) is running: waiting for it"
                ),
            )
            data = write_home_report(opened)
            note_yield(opened, data.funnel)
            searched = check_home_report(opened, read_settings().secret)
            publish(opened.clean, "reports")
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted; everything finished so far is stored. Go on with: tracegym build --home {quote(str(home))}"
        ) from None
    seconds = time.monotonic() - started
    if as_json:
        print_json(_document(built, data, _existing_report(opened.report), seconds))
    else:
        _show(built, data, home, seconds)
        report = _existing_report(opened.report)
        told = [*([searched] if searched else []), *([f"report: {report}"] if report else [])]
        console.print("\n".join(told), soft_wrap=True, markup=False)
    if strict:
        _require_whole(searched, built, data, home)


def _require_budgets(texts: Sequence[str]) -> None:
    from dagster_project.build.budgets import budgets_of  # noqa: PLC0415 - deltalake: 0.6 s

    try:
        budgets_of(texts)
    except InputError as fault:
        raise typer.BadParameter(str(fault), param_hint="--budget") from fault


def _require_whole(searched: str, built: "BuildResult", data: "ReportData", home: Path) -> None:
    """Refuse a build that left something out, did not pass a check or waits for somebody."""
    if searched:
        raise StrictError(searched)
    if data.skipped:
        raise StrictError("; ".join(row.says for row in data.skipped))
    if built.failed_checks:
        raise StrictError(f"checks that did not pass: {', '.join(built.failed_checks)}")
    if told := _waits(data, home):
        raise StrictError("; ".join(told))


def _existing_report(report: Path) -> Path | None:
    """The report, unless the search for identifiers removed it."""
    return report if report.exists() else None


def _waits(data: "ReportData", home: Path) -> list[str]:
    """What the gate did not let pass, and what to do: a withheld value can be decided about, an episode that leaks cannot."""
    withheld = sum(state.withheld for state in data.redaction)
    held = sum(state.held for state in data.redaction)
    told = []
    if withheld:
        told.append(
            f"{how_many(withheld, 'value')} withheld at the gate; decide with: tracegym redact review --home {quote(str(home))}"
        )
    if held:
        told.append(
            f"{how_many(held, 'episode')} held back whole: the leak check found an identifier that could not be taken out; "
            f"the keys that taught them: tracegym redact review --home {quote(str(home))}"
        )
    return told


def _unknown_apps(home: Path) -> list[str]:
    """Apps of which `worlds.toml` says something and nothing has arrived."""
    from synth.world_settings import apps_named  # noqa: PLC0415 - 0.3 s

    opened = open_home(home)
    known = apps_of(opened)
    return [
        f"worlds.toml has a table [{name}], but no such app has arrived; the apps are: {', '.join(known)}"
        for name in sorted(apps_named(opened.world_settings) - set(known))
    ]


def _to_settle(data: "ReportData") -> list[str]:
    """The lines to add to `outcomes.toml` for outcomes whose names it does not know."""
    return list(dict.fromkeys(row.settle for row in data.outcomes if row.settle))


def _read(data: "ReportData") -> list[str]:
    """The lines of `outcomes.toml` that say what was read of the values of other names."""
    return list(dict.fromkeys(row.read_as for row in data.outcomes if row.read_as))


def _document(
    built: "BuildResult", data: "ReportData", report: Path | None, seconds: float
) -> dict[str, object]:
    from dagster_project.report.yield_table import as_documents  # noqa: PLC0415 - deltalake: 0.6 s

    return {
        "app_days": built.app_days,
        "apps": built.apps,
        "seconds": round(seconds, 2),
        "runs": list(built.runs),
        "failed_checks": list(built.failed_checks),
        "yield": as_documents(data.funnel),
        "tasks": {
            row.app: {one.name: one.count for one in row.statuses} for row in data.task_counts
        },
        "quarantined": {f"{row.app}: {row.code}": row.count for row in data.quarantine},
        "waiting": sum(state.withheld + state.held for state in data.redaction),
        "outcomes_to_settle": _to_settle(data),
        "outcomes_read": _read(data),
        "left_out": [
            {**asdict(row), "says": row.says, "report": row.report} for row in data.skipped
        ],
        "report": None if report is None else str(report),
    }


def _show(built: "BuildResult", data: "ReportData", home: Path, seconds: float) -> None:
    from dagster_project.build.left_out_rows import lines_of  # noqa: PLC0415 - deltalake: 0.6 s
    from dagster_project.report.tasks import task_lines  # noqa: PLC0415 - as above
    from dagster_project.report.yield_table import HEADINGS, table_rows  # noqa: PLC0415 - as above

    days, apps = how_many(built.app_days, "app-day"), how_many(built.apps, "app")
    made = f"{days} and {apps} made in {seconds:.0f} s"
    print_table(made, HEADINGS, table_rows(data.funnel))
    for line in task_lines(data.task_counts, data.worlds):
        notices().print(line, soft_wrap=True, markup=False)
    for check in built.failed_checks:
        notices().print(f"check not passed: {check}")
    for told in lines_of(data.skipped):
        notices().print(told, soft_wrap=True, markup=False)
    for told in [*_waits(data, home), *_unknown_apps(home)]:
        notices().print(told, soft_wrap=True, markup=False)
    for line in (*lines_to_settle(_to_settle(data)), *lines_read_of(_read(data))):
        notices().print(line, markup=False)
