"""The report's rows on worlds.

Comes in: a learnt world and what its calls cost. Goes out: `WorldRow` records.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from dagster_project.report.data.counts import Count, Fidelity
from dagster_project.report.data.worlds import ToolRow, VersionRow, WorldRow
from dagster_project.worlds.stored_worlds import StoredWorld
from dagster_project.worlds.tool_costs import UNTIMED, ToolCost
from environments.frontier import points
from environments.runtime.document.world_file import WorldDocument
from environments.unsettled_calls import unsettled_calls
from synth.world.model import TOO_FEW
from synth.worlds import ToolSummary

DOUBTED: Final = (
    "Too few calls after it show that it changes nothing. If it only looks, name it in worlds.toml: "
    "reads = [...] under the app's name."
)


def world_row(world: StoredWorld, costs: Mapping[str, ToolCost]) -> WorldRow:
    """A world: how its backend goes on, how right it answers, and each tool's part in it."""
    found = world.fidelity
    by_tool = found.get("by_tool", {})
    evidence = world.continuity.get("evidence", {})
    return WorldRow(
        app=world.app,
        continuity=str(world.continuity.get("kind", "unknown")),
        continuity_says=str(world.continuity.get("says", "")),
        continuity_evidence=tuple(f"{k}: {v}" for k, v in sorted(evidence.items()))
        if isinstance(evidence, Mapping)
        else (),
        episodes=world.episodes,
        calls=sum(tool.support for tool in world.tools),
        measured_on=f"{found['episodes']} held-out episode{'s' * (found['episodes'] != 1)}, learnt from the other {found['learnt_from']}"
        if found
        else "",
        reads=_fidelity(found.get("reads")),
        writes=_fidelity(found.get("writes")),
        tape=_tape(found),
        unseen_tasks=_fidelity(found.get("unseen_tasks")),
        versions=version_rows(world.document),
        risk=world.risk,
        frontier=tuple(points(found.get("frontier", {}), world.risk)),
        sources=tuple(
            Count(name=source, count=int(counts["calls"]))
            for source, counts in found.get("by_source", {}).items()
        ),
        tools=tuple(
            _tool(tool, by_tool.get(tool.name), costs.get(tool.name, UNTIMED))
            for tool in world.tools
        ),
    )


def version_rows(document: WorldDocument) -> tuple[VersionRow, ...]:
    """The tools that became others, oldest change first: when, and what changed about them."""
    rows = [
        VersionRow(
            tool=tool,
            version=number,
            since=datetime.fromtimestamp(known.until // 10**9, tz=UTC).strftime(
                "%Y-%m-%d %H:%M UTC"
            ),
            calls_before=known.calls,
            changes=tuple(change.says for change in known.changes),
        )
        for tool, versions in document.views.versions.items()
        for number, known in enumerate(versions, start=2)
    ]
    return tuple(sorted(rows, key=lambda row: (row.since, row.tool)))


def _tool(tool: ToolSummary, counts: Mapping[str, Any] | None, cost: ToolCost) -> ToolRow:
    found = counts or {}
    return ToolRow(
        name=tool.name,
        kind=tool.kind,
        support=tool.support,
        evidence=tool.says or (DOUBTED if tool.evidence.get("suspected") == TOO_FEW else ""),
        fidelity=_fidelity(counts),
        tape=_tape(found) if found else None,
        unknowns=tuple(unsettled_calls({tool.name: found})),
        sources=tuple(Count(name=name, count=n) for name, n in found.get("sources", {}).items()),
        real_ms=cost.real_ms,
        ours_ms=cost.ours_ms,
    )


def _fidelity(counts: Mapping[str, Any] | None) -> Fidelity | None:
    if not counts:
        return None
    names = ("calls", "exact", "equivalent", "wrong", "unknown", "simulated")
    return Fidelity(**{name: int(counts.get(name, 0)) for name in names})


def _tape(found: Mapping[str, Any]) -> Fidelity | None:
    tape = found.get("tape")
    if tape is None:
        return None
    exact, wrong, calls = int(tape["exact"]), int(tape["wrong"]), int(found["calls"])
    return Fidelity(calls=calls, exact=exact, wrong=wrong, unknown=calls - exact - wrong)
