"""What all sessions of a world read: a world file, loaded, and what is kept for all of them.

Goes in: a world file. Comes out: `Learnt`, read-only but for what sessions keep for one another. Not here: opening sessions (`world`),
learning (`synth.worlds`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..answers.listed_names import key_words, listings_of
from ..answers.nested_tables import load_nested
from ..answers.recall import Recall
from ..answers.recorded_only import Recordings
from ..document.recordings import RecordedPart
from ..document.tools import ToolPart
from ..document.world_file import BadWorldError, WorldDocument
from ..expr.language import BadTreeError
from ..sessions.prose import Prose
from ..task.attempt import Json, ToolResult
from ..values.literals import parse_arguments
from ..views.argument_spelling import RecordNames
from ..views.chain import views_of
from ..views.multiplexed import Dispatched
from .cached_states import CacheBudget, CachedState
from .dated_rows import latest_rows
from .entries import Place
from .tool import SIMULATE, Tool, load_tool, written_fields
from .versions import origins


class Learnt:
    """One app's backend as learnt."""

    __slots__ = (
        "base",
        "bound",
        "cache",
        "cache_budget",
        "counters",
        "dispatched",
        "document",
        "envelopes",
        "fields",
        "keyed",
        "listed",
        "living",
        "nested",
        "origins",
        "prompt_subject",
        "prose",
        "recall",
        "recordings",
        "refusals",
        "roots",
        "row_names",
        "seen",
        "timeline",
        "tools",
        "versions",
        "views",
        "written",
    )

    def __init__(self, document: WorldDocument) -> None:
        found = document.views
        self.document = document
        self.tools: dict[str, Tool] = {
            name: _loaded(name, part, document) for name, part in document.tools.items()
        }
        self.written = {name: written_fields(tool.writes) for name, tool in self.tools.items()}
        """What each tool's successes were seen to change: fields of tables."""
        tables = document.tables
        self.base: dict[str, Mapping[str, Json]] = {n: t.rows for n, t in tables.items()}
        self.bound = found.bound
        """Tools that answer for whoever the session belongs to."""
        self.prompt_subject = found.prompt_subject
        """Where the instructions say whose it is."""
        self.living = document.living
        self.timeline = document.timeline
        where = latest_rows(self.timeline) if self.living else self.base
        self.nested = load_nested(document.nested, where)
        self.refusals = {n: t.refusals for n, t in tables.items()}
        self.seen: dict[tuple[str, str], frozenset[str]] = {
            (n, tool): keys for n, t in tables.items() for tool, keys in t.seen.items()
        }
        """By table and tool: the keys of the rows that its recorded results showed."""
        self.counters = document.counters
        self.versions = found.versions
        """Old versions of tools that drifted, oldest first, each with the moment until which it answered."""
        self.origins = origins(self.versions)
        self.views = views_of(found, self.tools)
        """What stands between calls and tools, the outermost first; empty where nothing is added or taken away."""
        self.dispatched = Dispatched(found.dispatched, RecordNames(found.spelling, found.names))
        """Tools that are several, and the names of records: what calls mean."""
        self.envelopes = {name: caller.envelope for name, caller in document.callers.items()}
        """What single agents wrap results in."""
        self.recordings = Recordings(document.recorded or RecordedPart())
        """Tools that were not learnt."""
        self.recall = None if document.recall is None else Recall(document.recall)
        """Recorded answers that are told though no behaviour says them; None where only what is certain is told."""
        self.prose = {tool: Prose(part) for tool, part in document.prose.items()}
        """Texts that agents word themselves, by tool as they call it."""
        self.cache_budget = CacheBudget()
        self.row_names: dict[Place, frozenset[str]] = {}
        """What each row of the base names, once a session asked."""
        self.listed = listings_of(self.base)
        """By name: the plain words that it is listed under, such as the day of an event."""
        self.keyed = key_words(self.base)
        """All plain words under which rows stand."""
        self.fields = document.fields
        """Keys that look like ids and name nothing: fields and arguments."""
        self.roots: dict[tuple[int, int], tuple[Mapping[str, Any] | None, CachedState]] = {}
        self.cache: dict[
            tuple[str, str], tuple[ToolResult, frozenset[str] | None, Place | None]
        ] = {}

    def part_name(self, tool: str, arguments: Mapping[str, Json] | str) -> str:
        """The name of what a call means: the part, of a tool that is several."""
        parsed = parse_arguments(arguments) if self.dispatched else None
        return tool if parsed is None else self.dispatched.meaning_of(tool, parsed).tool

    @property
    def risk(self) -> float:
        """The share of returned answers that may be wrong."""
        return self.recall.risk if self.recall is not None else 0.0

    @property
    def simulates(self) -> bool:
        """Whether any tool may be answered by a model."""
        return any(tool.policy == SIMULATE for tool in self.tools.values())


def _loaded(name: str, part: ToolPart, document: WorldDocument) -> Tool:
    """A tool, ready to answer; raises `BadWorldError` where one of its expressions is not in the language."""
    try:
        return load_tool(name, part, document.tape.get(name, {}), document.nested)
    except (LookupError, TypeError, AttributeError, ValueError) as fault:
        what = str(fault) if isinstance(fault, BadTreeError) else "an expression is malformed"
        raise BadWorldError(f"the world file is damaged: tools.{name}: {what}") from fault
