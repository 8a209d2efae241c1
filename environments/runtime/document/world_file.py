"""The world file: one app's tools as learnt, with the evidence for each behaviour.

Goes in: JSON. Comes out: `WorldDocument`, or `BadWorldError` in one sentence; and its JSON, equal for equal documents. Not here: answering
calls (`world.world`), learning (`synth.worlds`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ..task.attempt import Json
from .codec import BadPartError, Named, always_written, decode, encode, flat
from .recordings import ProsePart, RecallPart, RecordedPart, Recording
from .records import CounterPart, NestedPart, TablePart, TimelinePart
from .tools import ToolPart
from .views import ViewParts

WORLD_FORMAT: Final = "1"
LIVING: Final = "living"


class BadWorldError(ValueError):
    """The world file is not one this version can read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContinuityPart:
    """Whether the backend starts afresh with every episode (`reset`) or lives on (`living`), and what says so."""

    kind: str
    says: str = always_written("")
    evidence: Mapping[str, Json] = always_written(make=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerPart:
    """One agent that calls the tools."""

    envelope: Mapping[str, Json]
    """What it wraps results in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldDocument:
    """One app's backend as learnt: data only."""

    format: str = always_written(WORLD_FORMAT)
    app: str = always_written("")
    continuity: ContinuityPart | None = None
    callers: Mapping[Named, CallerPart] = always_written(make=dict)
    nested: Mapping[Named, NestedPart] = always_written(make=dict)
    counters: Mapping[Named, CounterPart] = always_written(make=dict)
    tools: Mapping[Named, ToolPart] = always_written(make=dict)
    """By name; an old version and a part of a tool have names of their own."""
    tables: Mapping[Named, TablePart] = always_written(make=dict)
    tape: Mapping[Named, Mapping[str, tuple[Recording, ...]]] = always_written(make=dict)
    """Recorded answers by tool and arguments."""
    timeline: Mapping[Named, TimelinePart] = always_written(make=dict)
    """Of a backend that lives on: rows over time by table."""
    reads: frozenset[str] = frozenset()
    """Tools of which a person says that they change nothing."""
    fields: frozenset[str] = frozenset()
    """Keys that look like ids and name nothing: fields and arguments."""
    views: ViewParts = flat(ViewParts)
    prose: Mapping[Named, ProsePart] = field(default_factory=dict)
    """Texts that agents word themselves, by tool as they call it."""
    recall: RecallPart | None = None
    """Recorded answers that are told though no behaviour says them; None where only what is certain is told."""
    recorded: RecordedPart | None = None
    """Tools that were not learnt."""

    @property
    def living(self) -> bool:
        """Whether the backend lives on from episode to episode."""
        return self.continuity is not None and self.continuity.kind == LIVING

    @property
    def writers(self) -> frozenset[str]:
        """The tools that change something."""
        return frozenset(name for name, tool in self.tools.items() if tool.kind == "write")

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> WorldDocument:
        """The document that a JSON value is; raises `BadWorldError`."""
        found = document.get("format") if isinstance(document, dict) else None
        if found != WORLD_FORMAT:
            raise BadWorldError(
                f"the world file has format {found!r}; this version reads {WORLD_FORMAT!r}"
            )
        try:
            return decode(cls, document)
        except BadPartError as fault:
            raise BadWorldError(f"the world file is damaged: {fault}") from fault

    def to_json(self) -> dict[str, Any]:
        """The document as JSON; values that are any JSON are its own, so nobody may change them."""
        return encode(self)
