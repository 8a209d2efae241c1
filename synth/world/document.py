"""The world file: everything learnt as readable JSON, with the evidence for each behaviour.

Comes from the workbench; goes to `environments.runtime.world.world` and to people. No code in it, only trees and data.
"""

from __future__ import annotations

from typing import Any

from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import stable
from environments.runtime.world.learnt import WORLD_FORMAT
from redact.clean_episode import WITHHELD
from synth.world.model import TableModel, ToolModel, Tree, Workbench


def write_document(bench: Workbench) -> dict[str, Any]:
    """The world file of a workbench."""
    document: dict[str, Any] = {
        "format": WORLD_FORMAT,
        "app": bench.app,
        "continuity": bench.continuity,
        "callers": {c: {"envelope": e} for c, e in sorted(bench.envelopes.items())},
        "nested": bench.nested,
        "counters": bench.counters,
        "tools": {
            name: _tool(tool, living=bench.living) for name, tool in sorted(bench.tools.items())
        },
        "tables": {name: _table(table) for name, table in sorted(bench.tables.items())},
        "tape": {name: bench.tape[name] for name in sorted(bench.tape)},
        "timeline": {name: bench.timeline[name] for name in sorted(bench.timeline)},
    }
    if bench.parts:
        document["parts"] = bench.parts
    if bench.versions:
        document["versions"] = bench.versions
    if bench.bound:
        document["bound"] = list(bench.bound)
    declared = sorted(name for name, tool in bench.tools.items() if tool.declared)
    if declared:
        document["reads"] = declared
    if bench.chosen:
        document["chosen"] = {tool: list(choice) for tool, choice in sorted(bench.chosen.items())}
    if bench.owners:
        document["owners"] = bench.owners
    if bench.fields:
        document["fields"] = sorted(bench.fields)
    if bench.fresh:
        document["fresh"] = bench.fresh
    return document


def _tool(tool: ToolModel, *, living: bool) -> dict[str, Any]:
    part: dict[str, Any] = {
        "kind": tool.kind,
        "says": tool.says,
        "support": len(tool.observations),
        "forms": tool.forms,
        "style": tool.style,
        "text": tool.text,
        "loose": tool.loose,
        "claims": tool.claims,
        "issues": tool.issues,
        "limit": tool.limit,
        "alone": tool.alone,
        "outcomes": dict(sorted(tool.outcomes.items())),
        "settled": sorted(tool.settled),
        "reach": sorted(tool.reach - tool.settled),
        "evidence": tool.evidence,
    }
    for name in (
        "heeds",
        "ignores",
        "beneath",
        "untried",
        "makers",
        "modes",
        "far",
    ):
        if getattr(tool, name):
            part[name] = sorted(getattr(tool, name))
    part |= {"news": True} if tool.news else {}
    part |= _taken(tool) | _bare(tool) | _computed(tool)
    if tool.ignore:
        part["ignore"] = list(tool.ignore)
    if tool.table is not None and tool.innocent:
        # A backend that starts afresh has its recorded answers for such calls, told after the same history only.
        key = [_key(tool, tree) for tree in tool.key] if living else tool.key
        part["reads"] = {"table": tool.table, "key": key}
    elif tool.table is not None and tool.evidence.get("shows"):
        part["shows"] = {"table": tool.table, "key": tool.key}
    for name in ("answer", "guards", "writes", "early", "paired", "paired_by"):
        if getattr(tool, name):
            part[name] = getattr(tool, name)
    if tool.refs:
        part["names"] = tool.refs
    return part


def _computed(tool: ToolModel) -> dict[str, Any]:
    return {} if tool.computes is None else {"computes": tool.computes}


def _bare(tool: ToolModel) -> dict[str, bool]:
    """Whether texts stand without quotes beside results that are JSON."""
    texts = [seen.is_json for seen in tool.good() if isinstance(seen.value, str)]
    return {"bare": True} if texts and not any(texts) and not tool.text else {}


def _taken(tool: ToolModel) -> dict[str, list[str]]:
    """The arguments that successful calls had, and those that some had as null."""
    given = [
        (name, value is None) for seen in tool.good() for name, value in seen.arguments.items()
    ]
    nulls = sorted({name for name, null in given if null})
    return {"takes": sorted({name for name, _ in given})} | ({"nulls": nulls} if nulls else {})


def _key(tool: ToolModel, tree: Tree) -> Tree:
    """A part of a reader's key; an argument that some calls leave out stands as nothing there, as it was learnt."""
    if tree[0] != "arg" or all(tree[1] in seen.arguments for seen in tool.good()):
        return tree
    return ["if", ["exists", tree], tree, ["const", None]]


def holds_withheld(value: Json) -> bool:
    """Whether redaction withheld a part of a value: it is then no true answer to anything."""
    return WITHHELD in (value if isinstance(value, str) else stable(value))


def _table(table: TableModel) -> dict[str, Any]:
    return {
        "key": list(table.key_names),
        "rows": {k: row for k, row in sorted(table.rows.items()) if not holds_withheld(row)},
        "refusals": dict(sorted(table.refusals.items())),
        "seen": {tool: sorted(keys) for tool, keys in sorted(table.seen.items())},
        "unsure": sorted(table.unsure),
        "agreements": table.agreements,
        "conflicts": table.conflicts,
    }
