"""`tracegym outcomes`: a table of what users got, joined to their episodes."""

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from dagster_project.cli.apps import stored_name
from dagster_project.cli.options import HOME, HomeOption, JsonOption
from dagster_project.cli.output import how_many, notices, print_json, print_pairs, print_table
from dagster_project.errors import InputError
from dagster_project.home.layout import open_home
from dagster_project.home.settings import apps_of


def outcomes(  # noqa: PLR0913, PLR0917 - one option per column that a table may call otherwise
    table: Annotated[
        str,
        typer.Argument(
            metavar="FILE|SQL",
            help="CSV, JSON or Parquet; or a query over files (DuckDB), or a .sql file with one.",
        ),
    ],
    home: HomeOption = HOME,
    app: Annotated[
        str | None,
        typer.Option("--app", help="The app the rows are about.", callback=stored_name),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            "--key",
            help="Column that names what a row is about; without it `key`, else the one whose values name conversations that have arrived.",
        ),
    ] = None,
    target: Annotated[
        str,
        typer.Option(
            "--target",
            help="What the key is: conversation, episode, trace, response, user, task_key, attribute:NAME.",
        ),
    ] = "conversation",
    name: Annotated[str, typer.Option("--name", help="Column with the outcome's name.")] = "name",
    value: Annotated[str, typer.Option("--value", help="Column with its value.")] = "value",
    at: Annotated[str, typer.Option("--at", help="Column with its time.")] = "at",
    by: Annotated[str, typer.Option("--by", help="Column with who judged.")] = "by",
    correction: Annotated[
        str,
        typer.Option(
            "--correction",
            help="Column with what was done instead (calls as JSON) or what the right answer was.",
        ),
    ] = "correction",
    outcome: Annotated[
        str | None, typer.Option("--outcome", help="The name where no column holds it.")
    ] = None,
    window: Annotated[
        int | None,
        typer.Option(
            "--window",
            help="For users, task keys and attributes: seconds between the episode's end and the row.",
        ),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(
            "--database",
            help="Ask this database instead: postgresql://…",
            envvar="TRACEGYM_DATABASE",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Take in outcomes that live elsewhere: survey answers, reopened tickets, refunds.

    Rows whose episode has not arrived yet wait for it.

    Example: tracegym outcomes tickets.csv --value reopened --outcome ticket_reopened --home H
    """
    query = _query(table)
    if query is None and not Path(table).exists():
        raise InputError(
            f"{table} does not exist; check the path, or write SQL that starts with SELECT"
        )
    if query is None and database is not None:
        raise InputError("a database is asked with SQL: write a query that starts with SELECT")
    # pyarrow and deltalake: 0.6 s
    from dagster_project.arrival.outcome_tables import (  # noqa: PLC0415
        query_database,
        query_files,
        take_in_outcomes,
        take_in_rows,
    )
    from ingest.errors import SourceUnreadable  # noqa: PLC0415
    from ingest.files.outcome_table import OutcomeMapping, require_target  # noqa: PLC0415

    try:
        require_target(target)
    except SourceUnreadable as fault:
        raise typer.BadParameter(str(fault), param_hint="--target") from fault
    opened = open_home(home, create=True)
    mapping = OutcomeMapping(
        key=key,
        target=target,
        name=name,
        value=value,
        at=at,
        by=by,
        correction=correction,
        fixed_name=outcome,
        window_seconds=window,
    )
    if query is None:
        arrived = take_in_outcomes(opened, Path(table), mapping, app=app)
    else:
        rows_read = query_database(database, query) if database else query_files(query)
        arrived = take_in_rows(opened, rows_read, mapping, app=app)
    document = {
        "key": arrived.key,
        "rows": arrived.rows,
        "joined": arrived.joined,
        "waiting": arrived.waiting,
        "quarantined": sum(arrived.rejected.values()),
    }
    if as_json:
        print_json({**document, "reasons": arrived.reasons})
    else:
        print_pairs(
            "outcomes of the query" if query else f"outcomes of {Path(table).name}", document
        )
        if arrived.rejected:
            rows = [(c, n, arrived.reasons[c]) for c, n in sorted(arrived.rejected.items())]
            print_table("Quarantined", ("reason", "rows", "example"), rows)
    if not arrived.rows:
        why = next(iter(arrived.reasons.values()), "the table is empty")
        raise InputError(f"no row of {'the query' if query else table} could be used: {why}")
    if app and (known := apps_of(opened)) and app not in known:
        notices().print(
            f"{home} knows no app {app!r}, so these rows wait for it; it knows: {', '.join(known)}",
            soft_wrap=True,
            markup=False,
        )
    elif arrived.waiting:
        notices().print(
            f"{how_many(arrived.waiting, 'row')} {'waits' if arrived.waiting == 1 else 'wait'}: "
            "no conversation that has arrived answers to the key; every build tries again"
        )
    notices().print(f"next: tracegym build --home {quote(str(home))}")


def _query(table: str) -> str | None:
    """The SQL that was given, on the command line or in a file."""
    from dagster_project.arrival.outcome_tables import is_query  # noqa: PLC0415 - duckdb and pyarrow: 0.2 s

    if is_query(table):
        return table
    path = Path(table)
    return path.read_text(encoding="utf-8") if path.suffix == ".sql" and path.is_file() else None
