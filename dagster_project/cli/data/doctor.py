"""`tracegym doctor`: what has arrived, in which dialect, is content on, what is missing."""

from typing import TYPE_CHECKING

import typer

from dagster_project.cli.options import HOME, HomeOption, JsonOption
from dagster_project.cli.output import (
    lines_read_of,
    lines_to_settle,
    print_json,
    print_pairs,
    print_table,
)
from dagster_project.home.layout import open_home

if TYPE_CHECKING:
    from dagster_project.report.doctor import AppDiagnosis


def doctor(home: HomeOption = HOME, as_json: JsonOption = False) -> None:
    """Say what has arrived, whether message content is switched on, and what is missing.

    Example: tracegym doctor --home H
    """
    opened = open_home(home)
    # pyarrow and deltalake: 0.6 s
    from dagster_project.build.left_out_rows import lines_of  # noqa: PLC0415
    from dagster_project.report.doctor import diagnose, to_json  # noqa: PLC0415
    from dagster_project.report.yield_table import HEADINGS, table_rows  # noqa: PLC0415

    found = diagnose(opened)
    if as_json:
        print_json(to_json(found))
        return
    print_pairs(
        f"home {found.home}",
        {
            "tracegym": found.version,
            "home format": found.format,
            "redaction": found.redaction,
            "bodies in the log": found.wal_records,
            "of them to decode": found.wal_pending,
            "size of the log": f"{found.wal_bytes / 1e6:.1f} MB",
            "free on the disk": f"{found.disk_free_bytes / 1e9:.1f} GB",
            "quarantined": _counts(found.quarantined),
            "outcomes of no app, waiting for an episode": found.waiting_outcomes,
        },
    )
    print_table(
        "yield of the last build" if found.built else "yield before the first build",
        HEADINGS,
        table_rows(found.stages),
    )
    for app in found.apps:
        _show(app)
    for advice in found.advice:
        typer.echo(f"• {advice}")
    for check in found.failed_checks:
        typer.echo(f"• check not passed: {check}")
    for told in lines_of(found.left_out):
        typer.echo(f"• {told}")
    for line in lines_to_settle([line for app in found.apps for line in app.outcomes_to_settle]):
        typer.echo(line)
    for line in lines_read_of([line for app in found.apps for line in app.outcomes_read]):
        typer.echo(line)


def _show(app: "AppDiagnosis") -> None:
    print_pairs(
        f"app {app.app}",
        {
            "content": app.content,
            "dialects": _counts(app.dialects),
            "spans": app.spans,
            "log records": app.log_events,
            "episodes": app.episodes,
            "days": f"{app.days} ({f'{app.first_day} to {app.last_day}' if app.first_day else 'no time is known'})",
            "outcomes": _counts(app.outcomes),
            "outcomes waiting for an episode": app.waiting_outcomes,
            "episodes with a user": app.subjects,
            "episodes with a task key": app.task_keys,
            "missing": _counts(app.missing),
            "spans of no convention with content": _counts(app.unread),
        },
    )
    for advice in app.advice:
        typer.echo(f"• {app.app}: {advice}")


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{n} {name}" for name, n in counts.items()) or "none"
