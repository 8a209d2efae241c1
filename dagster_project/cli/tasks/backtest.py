"""`tracegym backtest`: how truly a home answers and grades episodes that it has not seen."""

from pathlib import Path
from typing import Annotated

import typer

from dagster_project.cli.bars import Bars
from dagster_project.cli.models import simulator_of
from dagster_project.cli.options import (
    HOME,
    HomeOption,
    OutOption,
    SimulateOption,
    SimulateUrlOption,
)
from dagster_project.cli.output import notices, write_document
from dagster_project.cli.settings import read_settings
from dagster_project.cli.tasks.backtest_tables import print_all, print_summary
from dagster_project.home.layout import open_home
from dagster_project.home.vault_key import vault_secret


def backtest(  # noqa: PLR0913, PLR0917 - one parameter per option
    episodes: Annotated[
        list[Path], typer.Argument(help="Held-out chat logs.", metavar="EPISODES.jsonl...")
    ],
    home: HomeOption = HOME,
    simulate: SimulateOption = "",
    simulate_url: SimulateUrlOption = "",
    out: OutOption = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every tool, and what recording would settle the unknown.")
    ] = False,
) -> None:
    """Replay held-out episodes in the home's worlds and grade those whose task it knows.

    Example: tracegym backtest held_out.jsonl --home H --json figures.json
    """
    simulated_by = simulator_of(simulate, simulate_url)
    opened = open_home(home)
    console = notices()
    with console.status("starting"):
        # pyarrow and dagster: 3 s
        from dagster_project.build.progress import listen_to_steps  # noqa: PLC0415
        from dagster_project.worlds.backtest import backtest as run_backtest  # noqa: PLC0415
    with Bars(console) as bars, listen_to_steps(bars.hear):
        found = run_backtest(
            opened,
            episodes,
            secret=vault_secret(opened, read_settings().secret),
            simulated_by=simulated_by,
        )
    if write_document(found, out):
        return
    if everything:
        print_all(found)
    else:
        print_summary(found)
