"""The world file: everything learnt as readable JSON, with the evidence for each behaviour.

Comes from the workbench; goes to `environments.runtime.world.world` and to people. No code in it, only trees and data.
"""

from __future__ import annotations

from environments.runtime.document.records import TablePart
from environments.runtime.document.tools import InfluencePart, RowRefPart, ToolPart
from environments.runtime.document.views import ViewParts
from environments.runtime.document.world_file import CallerPart, WorldDocument
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import stable
from redact.records.clean_episode import WITHHELD
from synth.world.model import TableModel, ToolModel, Tree, Workbench


def write_document(bench: Workbench) -> WorldDocument:
    """The world of a workbench as its observations are: of what stands around them it has what they still show."""
    return WorldDocument(
        app=bench.app,
        continuity=bench.continuity,
        callers={c: CallerPart(envelope=e) for c, e in sorted(bench.envelopes.items())},
        nested=bench.nested,
        counters=bench.counters,
        tools={
            name: _tool(tool, living=bench.living) for name, tool in sorted(bench.tools.items())
        },
        tables={name: _table(table) for name, table in sorted(bench.tables.items())},
        tape=dict(sorted(bench.tape.items())),
        timeline=dict(sorted(bench.timeline.items())),
        reads=frozenset(name for name, tool in bench.tools.items() if tool.declared),
        fields=bench.fields,
        views=ViewParts(
            versions=bench.views.versions,
            bound=bench.views.bound,
            owners=bench.views.owners,
            prompt_subject=bench.views.prompt_subject,
            fresh=bench.views.fresh,
            chosen=bench.views.chosen,
        ),
    )


def _tool(tool: ToolModel, *, living: bool) -> ToolPart:
    rows = tool.table is not None and tool.innocent
    shows = tool.table is not None and not tool.innocent and tool.evidence.get("shows")
    # A backend that starts afresh has its recorded answers for such calls, told after the same history only.
    key = tuple(_key(tool, tree) if living and rows else tree for tree in tool.key)
    row = RowRefPart(table=tool.table or "", key=key)
    return ToolPart(
        kind=tool.kind,
        says=tool.says,
        support=len(tool.observations),
        forms=tool.forms,
        style=tool.style,
        text=tool.text,
        bare=_is_bare(tool),
        ignore=tool.ignore,
        takes=frozenset(name for seen in tool.good() for name in seen.arguments),
        nulls=frozenset(n for seen in tool.good() for n, v in seen.arguments.items() if v is None),
        outcomes=dict(sorted(tool.outcomes.items())),
        evidence=tool.evidence,
        reads=row if rows else None,
        shows=row if shows else None,
        names=tuple(tool.refs),
        paired=tool.paired,
        paired_by=tuple(tool.paired_by),
        answer=tool.answer,
        computes=tool.computes,
        selects=tool.selects,
        writes=tuple(tool.writes),
        guards=tuple(tool.guards),
        early=tuple(tool.early),
        claims=tool.claims,
        influence=_influence(tool),
    )


def _influence(tool: ToolModel) -> InfluencePart:
    return InfluencePart(
        limit=tool.limit,
        again=tool.again,
        issues=tool.issues,
        loose=tool.loose,
        settled=frozenset(tool.settled),
        far=frozenset(tool.far),
        heeds=frozenset(tool.heeds),
        ignores=frozenset(tool.ignores),
        untried=frozenset(tool.untried),
        makers=frozenset(tool.makers),
    )


def _is_bare(tool: ToolModel) -> bool:
    """Whether texts stand without quotes beside results that are JSON."""
    texts = [seen.is_json for seen in tool.good() if isinstance(seen.value, str)]
    return bool(texts) and not any(texts) and not tool.text


def _key(tool: ToolModel, tree: Tree) -> Tree:
    """A part of a reader's key; an argument that some calls leave out stands as nothing there, as it was learnt."""
    if tree[0] != "arg" or all(tree[1] in seen.arguments for seen in tool.good()):
        return tree
    return ["if", ["exists", tree], tree, ["const", None]]


def holds_withheld(value: Json) -> bool:
    """Whether redaction withheld a part of a value: it is then no true answer to anything."""
    return WITHHELD in (value if isinstance(value, str) else stable(value))


def _table(table: TableModel) -> TablePart:
    return TablePart(
        key=table.key_names,
        rows={k: row for k, row in sorted(table.rows.items()) if not holds_withheld(row)},
        refusals=dict(sorted(table.refusals.items())),
        seen={tool: frozenset(keys) for tool, keys in sorted(table.seen.items())},
        unsure=frozenset(table.unsure),
        agreements=table.agreements,
        conflicts=table.conflicts,
    )
