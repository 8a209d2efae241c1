"""What the steps of learning build up together: one working record per tool and per table.

Mutable on purpose, alive only inside `synth.worlds.learn_world`; what comes out of it is the world file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import isnan, nan
from typing import Any, Final

from environments.runtime.answers.outcome import outcome_of
from environments.runtime.document.recordings import Recording
from environments.runtime.document.records import CounterPart, NestedPart, TimelinePart
from environments.runtime.document.selections import SelectionPart
from environments.runtime.document.tools import (
    ComputedPart,
    EarlyPart,
    GuardPart,
    LayoutPart,
    RowRefPart,
    WritePart,
)
from environments.runtime.document.views import ViewParts
from environments.runtime.document.world_file import LIVING, ContinuityPart
from environments.runtime.task.attempt import Json
from environments.runtime.world.tool import INNOCENT
from synth.llm import LlmSettings
from synth.world.observation import History, Observation
from synth.world.stated_effects import says_write
from synth.world.time.own_starts import OwnStarts

Tree = list[Any]

TOO_FEW: Final = "too few calls after it"
"""Why a tool that may only look is held to be a writer."""


@dataclass(slots=True, kw_only=True)
class TableModel:
    """Rows of one kind, by key text."""

    name: str
    key_names: tuple[str, ...]
    own_key: str | None = None
    """The field of the record that is its key; None where only arguments name it."""
    rows: dict[str, Json] = field(default_factory=dict)
    unsure: set[str] = field(default_factory=set)
    """Keys whose recorded states contradict each other."""
    refusals: dict[str, dict[str, str]] = field(default_factory=dict)
    seen: dict[str, set[str]] = field(default_factory=dict)
    conflicts: int = 0
    agreements: int = 0


@dataclass(slots=True, kw_only=True)
class ToolModel:
    """One tool as far as it is understood."""

    name: str
    observations: list[Observation]
    reshaped: bool = False
    """An old version whose calls or results looked otherwise than those of the newer ones."""
    declared: bool = False
    """A person says that calling it changes nothing."""
    stated: float = nan
    """What its name and description state, from -1 (it looks) to 1 (it changes something); its name alone where nobody says."""
    kind: str = "unknown"
    forms: dict[str, str] = field(default_factory=dict)
    ignore: tuple[str, ...] = ()
    style: LayoutPart = field(default_factory=LayoutPart)
    outcomes: dict[str, str] = field(default_factory=dict)
    table: str | None = None
    key: list[Tree] = field(default_factory=list)
    """Trees over the arguments (`it`: over the result) that give the row's key."""
    answer: Tree | None = None
    text: bool = True
    computes: ComputedPart | None = None
    """What it computes from its arguments alone."""
    selects: SelectionPart | None = None
    """How it picks records out of a list."""
    loose: bool = False
    claims: bool = False
    again: bool = False
    """Its calls about one record were seen one after the other, and answered as ever."""
    issues: bool = False
    """Its results name things that were not there before: earlier calls of its own matter."""
    limit: int | None = None
    """Calls in one episode up to which its answer was seen to hold."""
    settled: set[str] = field(default_factory=set)
    heeds: set[str] = field(default_factory=set)
    """Tools whose every earlier call may matter to its answers, whatever the call names."""
    ignores: set[str] = field(default_factory=set)
    """Tools whose earlier calls never mattered, though they named the same things."""
    untried: set[str] = field(default_factory=set)
    """Of the others: no two equal calls, one after it and one not, say that it does not matter from afar."""
    makers: set[str] = field(default_factory=set)
    """Of the untried: known to change other tools' answers from afar; what an empty answer lacks may be theirs."""
    suspects: set[str] = field(default_factory=set)
    """Of the untried, where others are known to change its answers from afar: what it shows after them only may be their doing."""
    early: list[EarlyPart] = field(default_factory=list)
    """What it says, whatever it is asked, before anybody called what has to come first."""
    far: set[str] = field(default_factory=set)
    """Tables whose rows it may change without naming them; with `!` only what is not there."""
    paired: dict[str, dict[str, frozenset[str]]] = field(default_factory=dict)
    """By argument beside a record's key, the values that each record was asked for with."""
    paired_by: list[str] = field(default_factory=list)
    """Of a writer: the arguments that are the key there."""
    doubted: bool = False
    """Taken for a writer only for want of evidence: where its answers contradict, nothing explains it."""
    restless: bool = False
    """Its answers differ though nothing was done differently: a clock or dice."""
    guards: list[GuardPart] = field(default_factory=list)
    writes: list[WritePart] = field(default_factory=list)
    refs: list[RowRefPart] = field(default_factory=list)
    evidence: dict[str, Any] = field(default_factory=dict)
    says: str = ""

    def __post_init__(self) -> None:
        """Read the name where nobody read the description."""
        if isnan(self.stated):
            self.stated = says_write(self.name)

    @property
    def innocent(self) -> bool:
        """Whether calling it changes nothing."""
        return self.kind in INNOCENT

    def take_for_reader(self) -> None:
        """Hold that it shows what is there: a record, or a list of them."""
        lists = sum(isinstance(s.value, list) for s in self.good())
        self.kind = "search" if lists * 2 > len(self.good()) else "read"
        self.loose = self.kind == "search" or not self.key

    @property
    def key_arguments(self) -> list[str] | None:
        """The arguments that name its row; None where a part of the key stands in the result, or it has no table."""
        if self.table is None or any(tree[0] != "arg" for tree in self.key):
            return None
        return [str(tree[1]) for tree in self.key]

    def good(self) -> list[Observation]:
        """Observations of calls that succeeded."""
        return [o for o in self.observations if not refused(self, o)]


@dataclass(slots=True, kw_only=True)
class Workbench:
    """Everything learnt so far about one app."""

    app: str
    histories: list[History]
    tools: dict[str, ToolModel]
    tables: dict[str, TableModel] = field(default_factory=dict)
    envelopes: dict[str, dict[str, Json]] = field(default_factory=dict)
    views: ViewParts = field(default_factory=ViewParts)
    """What stands between calls and tools."""
    nested: dict[str, NestedPart] = field(default_factory=dict)
    counters: dict[str, CounterPart] = field(default_factory=dict)
    tape: dict[str, dict[str, tuple[Recording, ...]]] = field(default_factory=dict)
    continuity: ContinuityPart | None = None
    own_starts: OwnStarts | None = None
    """Where every subject has a start of its own: what says so."""
    is_certain: bool = True
    """Whether nothing may be told that recordings do not show (risk 0)."""
    fields: frozenset[str] = frozenset()
    """Keys that look like ids and name nothing: fields and arguments."""
    model: LlmSettings | None = None
    """Who may propose behaviours where the search finds none."""
    timeline: dict[str, TimelinePart] = field(default_factory=dict)
    """Of a living backend: versions and horizon per table."""

    @property
    def living(self) -> bool:
        """Whether the backend lives on from episode to episode."""
        return self.continuity is not None and self.continuity.kind == LIVING

    def refused(self, seen: Observation) -> bool:
        """Whether a call was answered with a refusal."""
        return refused(self.tools[seen.tool], seen)

    def has_changed(self, seen: Observation) -> bool:
        """Whether a call changed something, or may have: its tool is no reader, and did not refuse it."""
        return not self.tools[seen.tool].innocent and not self.refused(seen)

    def with_pasts(
        self, counts: Callable[[Observation], bool]
    ) -> Iterator[tuple[History, Observation, tuple[Observation, ...]]]:
        """Every call with its episode, and with the earlier calls of the episode that count."""
        for history in self.histories:
            past: tuple[Observation, ...] = ()
            for seen in history.observations:
                yield history, seen, past
                if counts(seen):
                    past = (*past, seen)


def refused(tool: ToolModel, seen: Observation) -> bool:
    """Whether an observation is of a class that means "nothing was done"."""
    from_class = tool.outcomes.get(outcome_class(seen))
    return from_class == "refusal"


def outcome_class(seen: Observation) -> str:
    """The class of an observation's result."""
    # Of the arguments only texts change it. Steps change contents and arguments in place.
    texts = frozenset(v for v in seen.arguments.values() if isinstance(v, str))
    found = seen.outcome
    if found is None or found[0] != seen.content or found[1] != texts:
        found = seen.content, texts, outcome_of(seen.content, seen.arguments)
        seen.outcome = found
    return found[2]
