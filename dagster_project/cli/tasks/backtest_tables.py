"""What a backtest found, as tables: those that fit a screen, or all.

Comes in: the document of `worlds.backtest`. Goes out: tables on stdout.
"""

from collections.abc import Mapping
from typing import Any, Final

from dagster_project.cli.output import notices, print_table
from environments.frontier import RIGHT, points
from environments.unsettled_calls import unsettled_calls

_VERDICTS: Final = ("exact", "equivalent", "wrong", "unknown", "simulated")
_TOOLS_SHOWN: Final = 5
"""Tools of the table that fits a screen."""
_CALLS_SHOWN: Final = 10
"""Kinds of calls that end in unknown."""


def print_summary(found: Mapping[str, Any]) -> None:
    """How the calls were answered, what risk buys, how far confidence holds, the worst tools and the graders: about forty lines."""
    _print_calls(found)
    _print_frontier(found)
    _print_confidence(found)
    _print_worst_tools(found["by_tool"])
    _print_graders(found)
    notices().print("every tool, and what recording would settle the unknown: --all, or --json OUT")


def print_all(found: Mapping[str, Any]) -> None:
    """Every table."""
    _print_calls(found)
    _print_parts(found)
    _print_tools(found["by_tool"])
    _print_frontier(found)
    _print_confidence(found)
    print_table(
        "The same by tool",
        ("tool", "told", "right", "promised"),
        [(name, *_calibration(part)) for name, part in found["reliability"]["by_tool"].items()],
    )
    _print_simulation(found.get("simulation", {}))
    print_table(
        "Calls that most often end in unknown, and what recording would settle them",
        ("tool", "call", "why", "calls", "settled by"),
        unsettled_calls(found["by_tool"])[:_CALLS_SHOWN],
    )
    _print_graders(found)


def _print_calls(found: Mapping[str, Any]) -> None:
    calls, tape = found["calls"], found["tape"]
    rows = [(name, found[name], _share(found[name], calls)) for name in _VERDICTS]
    rows += [(f"a tape: {name}", count, _share(count, calls)) for name, count in tape.items()]
    print_table(
        f"{calls:,} held-out calls; for comparison a tape, which repeats the recorded answer to the same call",
        ("", "calls", "share"),
        rows,
    )


def _print_parts(found: Mapping[str, Any]) -> None:
    unseen = found["unseen_tasks"]
    parts = {"reads": found["reads"], "writes": found["writes"], "tasks never seen": unseen}
    print_table(
        "Parts",
        ("", "calls", *_VERDICTS),
        [(name, *(part[n] for n in ("calls", *_VERDICTS))) for name, part in parts.items()],
    )


def _print_tools(by_tool: Mapping[str, Any]) -> None:
    print_table(
        "Tools",
        ("tool", "calls", *_VERDICTS, "a tape: exact"),
        [
            (name, *(part[n] for n in ("calls", *_VERDICTS)), part["tape"]["exact"])
            for name, part in by_tool.items()
        ],
    )


def _print_worst_tools(by_tool: Mapping[str, Any]) -> None:
    """Those with the most wrong answers, then the most unknown ones."""
    faulty = [(name, part) for name, part in by_tool.items() if part["wrong"] or part["unknown"]]
    faulty.sort(key=lambda tool: (-tool[1]["wrong"], -tool[1]["unknown"], tool[0]))
    shown = faulty[:_TOOLS_SHOWN]
    if not shown:
        return
    print_table(
        f"The worst tools: {len(shown)} of {len(faulty)} with answers that are wrong or unknown, of {len(by_tool)}",
        ("tool", "calls", "right", "wrong", "unknown"),
        [
            (name, part["calls"], sum(part[n] for n in RIGHT), part["wrong"], part["unknown"])
            for name, part in shown
        ],
    )


def _print_frontier(found: Mapping[str, Any]) -> None:
    chosen = set(found["risk"].values())
    print_table(
        "What risk buys: the share of returned answers that may be wrong, and what it gives",
        ("risk", "right", "wrong", "wrong of told", "unknown", ""),
        points(found["frontier"], chosen.pop() if len(chosen) == 1 else None),
    )


def _print_confidence(found: Mapping[str, Any]) -> None:
    bands = sorted(found["reliability"]["by_confidence"].items(), key=lambda band: float(band[0]))
    print_table(
        "Told answers by confidence: how many were right, and how many should be",
        ("confidence from", "told", "right", "promised"),
        [(name, *_calibration(part)) for name, part in bands],
    )


def _print_simulation(simulation: Mapping[str, Any]) -> None:
    if not simulation:
        return
    parts = {"all": simulation, **simulation.get("by_tool", {})}
    print_table(
        "Simulated answers beside the truth",
        ("tool", "calls", "exact", "wrong"),
        [
            (name, part["calls"], part["exact"], part["wrong"])
            for name, part in parts.items()
            if part.get("calls")
        ],
    )


def _print_graders(found: Mapping[str, Any]) -> None:
    figures = ("episodes", "graded", "agreement", "kappa", "false_pass", "false_fail")
    print_table(
        "Graders",
        ("rubrics", *(name.replace("_", " ") for name in figures)),
        [(who, *(counts[name] for name in figures)) for who, counts in found["graders"].items()],
    )


def _calibration(part: Mapping[str, float]) -> tuple[float, ...]:
    return part["told"], part["right"], round(part["promised"], 1)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"
