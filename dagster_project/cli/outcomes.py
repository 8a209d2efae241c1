"""`tracegym outcomes`: a table of what users got, joined to their episodes."""

from pathlib import Path
from typing import Annotated

import typer

from dagster_project.cli.options import HOME, HomeOption, JsonOption
from dagster_project.cli.output import notices, print_json, print_pairs, print_table
from dagster_project.errors import InputError
from dagster_project.home import open_home


def outcomes(  # noqa: PLR0913, PLR0917 - one option per column that a table may call otherwise
    table: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, JSON lines or Parquet.")],
    home: HomeOption = HOME,
    app: Annotated[str | None, typer.Option("--app", help="The app the rows are about.")] = None,
    key: Annotated[
        str, typer.Option("--key", help="Column that names what a row is about.")
    ] = "key",
    target: Annotated[
        str,
        typer.Option(
            "--target",
            help="What the key is: conversation, episode, trace, response, user, task_key.",
        ),
    ] = "conversation",
    name: Annotated[str, typer.Option("--name", help="Column with the outcome's name.")] = "name",
    value: Annotated[str, typer.Option("--value", help="Column with its value.")] = "value",
    at: Annotated[str, typer.Option("--at", help="Column with its time.")] = "at",
    by: Annotated[str, typer.Option("--by", help="Column with who judged.")] = "by",
    outcome: Annotated[
        str | None, typer.Option("--outcome", help="The name where no column holds it.")
    ] = None,
    window: Annotated[
        int | None,
        typer.Option("--window", help="For users: seconds between the episode's end and the row."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Take in outcomes that live elsewhere: survey answers, reopened tickets, refunds.

    Rows whose episode has not arrived yet wait for it.

    Example: tracegym outcomes tickets.csv --key conversation_id --outcome ticket_reopened --home H
    """
    if not table.exists():
        raise InputError(f"{table} does not exist; check the path")
    opened = open_home(home, create=True)
    # pyarrow and deltalake: 0.6 s
    from dagster_project.outcome_arrival import take_in_outcomes  # noqa: PLC0415
    from ingest.outcome_table import OutcomeMapping  # noqa: PLC0415

    mapping = OutcomeMapping(
        key=key,
        target=target,
        name=name,
        value=value,
        at=at,
        by=by,
        fixed_name=outcome,
        window_seconds=window,
    )
    arrived = take_in_outcomes(opened, table, mapping, app=app)
    document = {
        "rows": arrived.rows,
        "joined": arrived.joined,
        "waiting": arrived.waiting,
        "quarantined": sum(arrived.rejected.values()),
    }
    if as_json:
        print_json({**document, "reasons": arrived.reasons})
    else:
        print_pairs(f"outcomes of {table.name}", document)
        if arrived.rejected:
            rows = [(c, n, arrived.reasons[c]) for c, n in sorted(arrived.rejected.items())]
            print_table("Quarantined", ("reason", "rows", "example"), rows)
    if not arrived.rows:
        why = next(iter(arrived.reasons.values()), "the table is empty")
        raise InputError(f"no row of {table} could be used: {why}")
    notices().print(f"next: tracegym build --home {home}")
