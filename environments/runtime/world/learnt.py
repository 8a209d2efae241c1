"""What all sessions of a world read: a world file, loaded, and what is kept for all of them.

Goes in: a world file. Comes out: `Learnt`, read-only but for what sessions keep for one another. Not here: opening sessions (`world`),
learning (`synth.worlds`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..answers.listed import keyed, listed
from ..answers.nested_tables import load_nested
from ..answers.partial_rows import load_parts
from ..answers.recall import Recall
from ..answers.recorded_only import Recordings
from ..sessions.prose import prose_of
from ..task.attempt import Json, ToolResult
from ..values.normal import parse_arguments
from ..views.chain import views_of
from ..views.multiplexed import EMPTY, Dispatched
from .cached_states import CacheBudget, CachedState
from .dated_rows import latest_rows
from .entries import Place
from .tool import SIMULATE, Tool, load_tool, written
from .versions import origins

WORLD_FORMAT: Final = "1"


class BadWorldError(ValueError):
    """The world file is not one this version can read."""


class Learnt:
    """One app's backend as learnt."""

    __slots__ = (
        "around",
        "base",
        "bound",
        "cache",
        "callers",
        "counters",
        "dispatched",
        "document",
        "fields",
        "fresh",
        "keyed",
        "listed",
        "living",
        "nested",
        "origins",
        "parts",
        "prose",
        "recall",
        "recordings",
        "refusals",
        "room",
        "roots",
        "row_names",
        "seen",
        "timeline",
        "tools",
        "versions",
        "written",
    )

    def __init__(self, document: Mapping[str, Any]) -> None:
        if document.get("format") != WORLD_FORMAT:
            raise BadWorldError(
                f"the world file has format {document.get('format')!r}; this version reads {WORLD_FORMAT!r}"
            )
        tape = document.get("tape", {})
        self.document = document
        self.tools: dict[str, Tool] = {
            name: load_tool(name, part, tape.get(name, {}), document.get("nested", {}))
            for name, part in document.get("tools", {}).items()
        }
        self.written = {name: written(tool.writes) for name, tool in self.tools.items()}
        """What each tool's successes were seen to change: fields of tables."""
        tables = document.get("tables", {})
        self.base: dict[str, Mapping[str, Json]] = {n: t.get("rows", {}) for n, t in tables.items()}
        self.bound = frozenset(document.get("bound", ()))
        """Tools that answer for whoever the session belongs to."""
        self.living = document.get("continuity", {}).get("kind") == "living"
        self.timeline: Mapping[str, Any] = document.get("timeline", {})
        where = latest_rows(self.timeline) if self.living else self.base
        self.nested = load_nested(document.get("nested", {}), where)
        self.parts = load_parts(document.get("parts", {}))
        self.refusals: dict[str, Mapping[str, Any]] = {
            n: t.get("refusals", {}) for n, t in tables.items()
        }
        self.seen: dict[tuple[str, str], frozenset[str]] = {
            (n, tool): frozenset(keys)
            for n, t in tables.items()
            for tool, keys in t.get("seen", {}).items()
        }
        self.counters: Mapping[str, Any] = document.get("counters", {})
        self.fresh: Mapping[str, Any] | None = document.get("fresh")
        """Places where times and random ids stand, with their formats; None where there are none."""
        self.versions: Mapping[str, Any] = document.get("versions", {})
        """Old versions of tools that drifted, oldest first, each with the moment until which it answered."""
        self.origins = origins(self.versions)
        self.around = views_of(document, self.tools)
        """What stands between calls and tools, the outermost first; empty where nothing is added or taken away."""
        self.dispatched = next((v for v in self.around if isinstance(v, Dispatched)), EMPTY)
        """Tools that are several."""
        self.callers: Mapping[str, Any] = document.get("callers", {})
        self.recordings = Recordings(document.get("recorded", {}))
        """Tools that were not learnt."""
        self.recall = Recall(document["recall"]) if "recall" in document else None
        """Recorded answers that are told though no behaviour says them; None where only what is certain is told."""
        self.prose = prose_of(document.get("prose", {}))
        """Texts that agents word themselves, by tool as they call it."""
        self.room = CacheBudget()
        self.row_names: dict[Place, frozenset[str]] = {}
        self.listed = listed(self.base)
        self.keyed = keyed(self.base)
        self.fields = frozenset(document.get("fields", ()))
        """Keys that look like ids and name nothing: fields and arguments."""
        self.roots: dict[tuple[int, int], tuple[Mapping[str, Any] | None, CachedState]] = {}
        self.cache: dict[
            tuple[str, str], tuple[ToolResult, frozenset[str] | None, Place | None]
        ] = {}

    def meant(self, tool: str, arguments: Mapping[str, Json] | str) -> str:
        """The name of what a call means: the part, of a tool that is several."""
        parsed = parse_arguments(arguments) if self.dispatched else None
        return tool if parsed is None else self.dispatched.meant(tool, parsed).tool

    @property
    def risk(self) -> float:
        """The share of told answers that may be wrong."""
        return self.recall.risk if self.recall is not None else 0.0

    @property
    def simulates(self) -> bool:
        """Whether any tool may be answered by a model."""
        return any(tool.policy == SIMULATE for tool in self.tools.values())
