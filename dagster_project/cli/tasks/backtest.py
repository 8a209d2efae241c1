"""`tracegym backtest`: how truly a home answers and grades episodes that it has not seen."""

from pathlib import Path
from typing import Annotated, Any

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
from dagster_project.cli.output import notices, print_table, write_document
from dagster_project.cli.settings import read_settings
from dagster_project.home.layout import open_home
from dagster_project.home.vault_key import vault_secret
from environments.frontier import points
from environments.unsettled_calls import unsettled_calls


def backtest(
    episodes: Annotated[
        list[Path], typer.Argument(help="Held-out chat logs.", metavar="EPISODES.jsonl...")
    ],
    home: HomeOption = HOME,
    simulate: SimulateOption = "",
    simulate_url: SimulateUrlOption = "",
    out: OutOption = None,
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
    if not write_document(found, out):
        _show(found)


def _show(found: dict[str, Any]) -> None:
    calls = found["calls"]
    names = ("exact", "equivalent", "wrong", "unknown", "simulated")
    rows = [(name, found[name], _share(found[name], calls)) for name in names]
    tape = found["tape"]
    rows.append(("tape: exact (the floor)", tape["exact"], _share(tape["exact"], calls)))
    print_table(f"{calls} held-out calls", ("", "calls", "share"), rows)
    unseen = found["unseen_tasks"]
    parts = {"reads": found["reads"], "writes": found["writes"], "tasks never seen": unseen}
    print_table(
        "Parts",
        ("", "calls", *names),
        [(name, *(part[n] for n in ("calls", *names))) for name, part in parts.items()],
    )
    by_tool = found["by_tool"].items()
    print_table(
        "Tools",
        ("tool", "calls", *names, "tape exact"),
        [(t, *(part[n] for n in ("calls", *names)), part["tape"]["exact"]) for t, part in by_tool],
    )
    chosen = set(found["risk"].values())
    print_table(
        "What risk buys: the share of returned answers that may be wrong, and what it gives",
        ("risk", "right", "wrong", "wrong of told", "unknown", ""),
        points(found["frontier"], chosen.pop() if len(chosen) == 1 else None),
    )
    held = found["reliability"]
    print_table(
        "Told answers by confidence: how many were right, and how many should be",
        ("confidence from", "told", "right", "promised"),
        [(name, *_calibration_row(part)) for name, part in held["by_confidence"].items()],
    )
    print_table(
        "The same by tool",
        ("tool", "told", "right", "promised"),
        [(name, *_calibration_row(part)) for name, part in held["by_tool"].items()],
    )
    simulated_rows: list[tuple[str, int, int, int]] = []
    simulation = found.get("simulation", {})
    for name, part in {"all": simulation, **simulation.get("by_tool", {})}.items():
        if part.get("calls"):
            simulated_rows.append((name, part["calls"], part["exact"], part["wrong"]))
    if simulation:
        print_table(
            "Simulated answers beside the truth",
            ("tool", "calls", "exact", "wrong"),
            simulated_rows,
        )
    print_table(
        "Calls that most often end in unknown, and what recording would settle them",
        ("tool", "call", "why", "calls", "settled by"),
        unsettled_calls(found["by_tool"])[:10],
    )
    figures = ("episodes", "graded", "agreement", "kappa", "false_pass", "false_fail")
    print_table(
        "Graders",
        ("rubrics", *(name.replace("_", " ") for name in figures)),
        [(who, *(counts[name] for name in figures)) for who, counts in found["graders"].items()],
    )


def _calibration_row(part: dict[str, float]) -> tuple[float, ...]:
    return part["told"], part["right"], round(part["promised"], 1)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
