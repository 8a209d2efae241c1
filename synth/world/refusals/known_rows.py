"""Known rows: a refusal of whatever a tool was never given successfully is not told of a record that others are known to show.

Comes from guards that list the values of an argument; sets `unless` of those that say something. A list of few values explains
refusals of what does not exist; what exists and was never tried is no evidence. Not here: which guards there are (`guards`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import stable
from synth.world.actions.examples import Example
from synth.world.model import ToolModel, Workbench


def known_after_all(bench: Workbench, tool: ToolModel, examples: Sequence[Example]) -> None:
    """Add to each refusal by a list the tables in which all that it lists has a record, and nothing refused has one."""
    for guard in tool.guards:
        held = guard["holds"]
        if not guard["message"] or held[0] != "among" or held[1][0] != "arg":
            continue
        name = str(held[1][1])
        tables = _tables_of(bench, held[2], _refused(examples, name, held[2]))
        if tables:
            guard["unless"] = [["row", table, [["arg", name]]] for table in tables]


def _refused(examples: Sequence[Example], name: str, listed: Sequence[Json]) -> list[Json]:
    """What the argument was in refused calls, where it is not listed."""
    given = (e.seen.arguments.get(name) for e in examples if e.refused)
    return [value for value in given if value not in listed]


def _tables_of(bench: Workbench, listed: Sequence[Json], strange: Sequence[Json]) -> list[str]:
    """The tables whose records are keyed by what is listed, and by nothing that was refused."""
    return [
        table.name
        for table in bench.tables.values()
        if len(table.key_names) == 1
        and all(_key(value) in table.rows for value in listed)
        and not any(_key(value) in table.rows for value in strange)
    ]


def _key(value: Any) -> str:
    return stable([value])
