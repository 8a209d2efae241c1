"""The world: an app's tools rebuilt from recorded calls, answering truly or saying that it does not know.

Goes in: a world file (`World.from_json`), then calls. Comes out: `ToolResult` with its source, and the `EndState`.
A session is a thin layer over one shared, read-only world: thousands live side by side. Not here: learning
(`synth.worlds`), simulation by a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, Final

from ..answers.listed import keyed, listed
from ..answers.nested_tables import load_nested
from ..answers.partial_rows import load_parts
from ..answers.recall import Recall
from ..answers.recorded_only import RecordedSession, Recordings
from ..task.attempt import Json, ToolResult
from ..values.normal import parse_arguments
from ..views.chain import views_of
from ..views.multiplexed import EMPTY, Dispatched
from .believed import given_by
from .cached_states import CacheBudget, CachedState
from .dated_rows import dated_base, latest_rows
from .entries import Place
from .prose import WordedRecordedSession, WordedSession, prose_of
from .session import Session
from .state import State
from .tool import SIMULATE, Tool, load_tool, written
from .versions import origins

WORLD_FORMAT: Final = "1"


class BadWorldError(ValueError):
    """The world file is not one this version can read."""


class World:
    """One app's backend as learnt, read-only."""

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

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> World:
        """The world of a world file; raises `BadWorldError` or `BadTreeError` for anything else."""
        return cls(document)

    def meant(self, tool: str, arguments: Mapping[str, Json] | str) -> str:
        """The name of what a call means: the part, of a tool that is several."""
        parsed = parse_arguments(arguments) if self.dispatched else None
        return tool if parsed is None else self.dispatched.meant(tool, parsed).tool

    @property
    def risk(self) -> float:
        """The share of told answers that may be wrong."""
        return self.recall.risk if self.recall is not None else 0.0

    def at_risk(self, risk: float) -> World:
        """The same world, where another share of told answers may be wrong; itself where nothing was learnt of recalled answers."""
        if self.recall is None:
            return self
        other = copy(self)
        # Without any risk behaviours answer alone, as far as they go.
        other.recall = self.recall.at_risk(risk) if risk else None
        return other

    @property
    def simulates(self) -> bool:
        """Whether any tool may be answered by a model."""
        return any(tool.policy == SIMULATE for tool in self.tools.values())

    def session(
        self,
        start: Mapping[str, Any] | None = None,
        *,
        started_at: int = 0,
        caller: str | None = None,
    ) -> Session:
        """A fresh, isolated state; `start` is what a task carries, `caller` the agent whose forms apply."""
        given = given_by(start, self.tools, self.origins)
        # Whose session it is, and what is told on its path, changes no state: sessions of all subjects begin at one moment.
        state = start if start and not set(start) <= {"subject", "path"} else None
        moment = self._root(state, started_at)
        plain: tuple[type[Session], type[Session]] = (Session, RecordedSession)
        kinds = (WordedSession, WordedRecordedSession) if self.prose else plain
        kind = kinds[bool(self.recordings.tools or given.path)]
        return kind(self, moment, started_at=started_at, caller=caller, given=given)

    def _root(self, start: Mapping[str, Any] | None, started_at: int) -> CachedState:
        """The moment where sessions with this start begin; made once for all runs of one task."""
        key = id(start), started_at if self.living else 0
        known = self.roots.get(key)
        if known is not None:
            return known[1]
        moment = CachedState(self._opened(start, started_at))
        if self.room.moment():
            # The start is held too: as long as it lives, no other object has its id.
            self.roots[key] = (start, moment)
        return moment

    def _opened(self, start: Mapping[str, Any] | None, started_at: int) -> State:
        base = dated_base(self.timeline, started_at) if self.living else self.base
        state = State(
            base,
            self.nested,
            dated=self.living,
            row_names=self.row_names,
            parts=self.parts,
        )
        if not self.living:
            for name, part in self.counters.items():
                state.counters[name] = int(part["next"])
        if start:
            state.begin(start.get("rows", {}), start.get("counters", {}))
        return state
