"""The world: an app's tools rebuilt from recorded calls, answering truly or saying that it does not know.

Goes in: a world file (`World.from_json`), then calls. Comes out: `ToolResult` with its source, and the `EndState`.
A session is a thin layer over one shared, read-only world: thousands live side by side. Not here: learning
(`synth.worlds`), simulation by a model.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

from ..document.world_file import BadWorldError, WorldDocument
from ..sessions.prose_session import WordedRecordedSession, WordedSession
from ..sessions.recorded_session import RecordedSession
from .cached_states import CachedState
from .dated_rows import dated_base
from .learnt import Learnt
from .session import Session
from .state import State
from .task_start import read_start


class World(Learnt):
    """One app's backend, of which sessions are opened."""

    __slots__ = ()

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> World:
        """The world of a world file; raises `BadWorldError` for anything else."""
        found = WorldDocument.from_json(document)
        try:
            return cls(found)
        except (LookupError, TypeError, AttributeError, ArithmeticError) as fault:
            raise BadWorldError(
                "the world file is damaged: its parts do not fit together"
            ) from fault

    def at_risk(self, risk: float) -> World:
        """The same world, where another share of returned answers may be wrong; itself where nothing was learnt of recalled answers."""
        if self.recall is None:
            return self
        other = copy(self)
        # Without any risk behaviours answer alone, as far as they go.
        other.recall = self.recall.at_risk(risk) if risk else None
        return other

    def session(
        self,
        start: Mapping[str, Any] | None = None,
        *,
        started_at: int = 0,
        caller: str | None = None,
    ) -> Session:
        """A fresh, isolated state; `start` is what a task carries, `caller` the agent whose forms apply."""
        given = read_start(start, self.tools, self.origins)
        # Whose session it is, and what is told on its path, changes no state: sessions of all subjects begin in one state.
        state = start if start and not set(start) <= {"subject", "path"} else None
        cached = self._root(state, started_at)
        plain: tuple[type[Session], type[Session]] = (Session, RecordedSession)
        kinds = (WordedSession, WordedRecordedSession) if self.prose else plain
        kind = kinds[bool(self.recordings.tools or given.path)]
        return kind(self, cached, started_at=started_at, caller=caller, given=given)

    def _root(self, start: Mapping[str, Any] | None, started_at: int) -> CachedState:
        """The state in which sessions with this start begin; made once for all runs of one task."""
        key = id(start), started_at if self.living else 0
        known = self.roots.get(key)
        if known is not None:
            return known[1]
        cached = CachedState(self._opened(start, started_at))
        if self.cache_budget.take_state():
            # The start is held too: as long as it lives, no other object has its id.
            self.roots[key] = (start, cached)
        return cached

    def _opened(self, start: Mapping[str, Any] | None, started_at: int) -> State:
        base = dated_base(self.timeline, started_at) if self.living else self.base
        state = State(
            base,
            self.nested,
            dated=self.living,
            row_names=self.row_names,
        )
        if not self.living:
            for name, part in self.counters.items():
                state.counters[name] = part.next
        if start:
            state.begin(start.get("rows", {}), start.get("counters", {}))
        return state
