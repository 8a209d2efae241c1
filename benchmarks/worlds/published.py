"""Worlds learnt of published backends: held-out attempts at their tasks, and sequences of calls that no attempt made.

Run: `TRACEGYM_OUTSIDE=FOLDER python -m benchmarks published [--backend NAME] [--seed N] [--living | --tasks] [--tools] [--wrong N]
[--unknown N]`. The table is that of `benchmarks.worlds.unseen`, with `--living` that of `benchmarks.worlds.unseen_living`, with `--tasks` that of
`benchmarks.worlds.unseen_living_tasks`. Each module of `BACKENDS` says which package its folder needs.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from benchmarks.testbeds.invented.backend import Style
from benchmarks.worlds import unseen_living, unseen_living_tasks
from benchmarks.worlds.unseen import measure, parse, table

BACKENDS: dict[str, str] = {
    "bfcl-files": "bfcl",
    "bfcl-math": "bfcl",
    "bfcl-messages": "bfcl",
    "bfcl-posts": "bfcl",
    "bfcl-tickets": "bfcl",
    "bfcl-trading": "bfcl",
    "bfcl-travel": "bfcl",
    "bfcl-vehicle": "bfcl",
    **dict.fromkeys(
        ("appworld-todo", "appworld-notes", "appworld-pay", "appworld-split"), "appworld.appworld"
    ),
    "banking": "tau2",
    "banking_starts": "tau2",
    "mcp-calculator": "mcp.mcp",
    "mcp-everything": "mcp.mcp",
    "mcp-files": "mcp.mcp",
    "mcp-git": "mcp.mcp",
    "mcp-memory": "mcp.mcp",
    "mcp-sqlite": "mcp.mcp",
    "mcp-time": "mcp.mcp",
    **{
        f"cloud-{name}{end}": "cloud.cloud"
        for end in ("", "-raw")
        for name in ("tables", "queues", "users", "secrets", "servers", "logs")
    },
    "telecom": "tau2",
    "telecom_solo": "tau2",
    "telecom_starts": "tau2",
    "dojo-banking": "agentdojo",
    "dojo-slack": "agentdojo",
    "dojo-travel": "agentdojo",
    "dojo-workspace": "agentdojo",
    **{
        name + end: module
        for end in ("", "-json")
        for module, names in (
            ("are.are_shops", ("shopping", "cab", "apartments")),
            ("are.are_office", ("calendar", "contacts", "email", "messaging", "reminders")),
        )
        for name in names
    },
}
"""A backend's name, and the module of `benchmarks.testbeds.published` whose `STYLES` hold it."""


def styles(wanted: Sequence[str]) -> list[Style]:
    """The backends asked for, all where none was named; a package is imported only where it is needed."""
    modules = dict.fromkeys(BACKENDS[name] for name in (wanted or BACKENDS))
    found = [
        style
        for module in modules
        for style in importlib.import_module(f"benchmarks.testbeds.published.{module}").STYLES
    ]
    return [style for style in found if not wanted or style.name in wanted]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table, and the sums of each kind."""
    options = parse(arguments, "--living", "--tasks")
    wanted = options.backend.split(",") if options.backend else []
    if unknown := [name for name in wanted if name not in BACKENDS]:
        raise SystemExit(f"no backend {', '.join(unknown)}: there are {', '.join(BACKENDS)}")
    otherwise = unseen_living_tasks.measure if options.tasks else measure
    table(styles(wanted), options, unseen_living.told if options.living else otherwise)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
