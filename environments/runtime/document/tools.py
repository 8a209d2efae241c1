"""One tool as the world file has it: what kind it is, what it reads and writes, when it refuses, what its answers hang on.

Not here: how a tool is asked (`world.tool`), records and recordings (`records`, `recordings`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..expr.scope import Tree
from ..task.attempt import Json
from .codec import Named, always_written, flat, written_if
from .selections import SelectionPart


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRefPart:
    """Which row of a table a call is about."""

    table: str
    key: tuple[Tree, ...]
    """One expression for each part of the row's key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WritePart:
    """What a successful call does to one row: fields that it sets, or the whole row."""

    table: str
    key: tuple[Tree, ...]
    set: Mapping[Named, Tree] = written_if(lambda write: write.whole is None, make=dict)
    """New values by field."""
    creates: bool = False
    """The row was not there before."""
    whole: Tree | None = None
    """The whole new row, where the call creates it or it is no object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalPart:
    """Where an expression comes from that was not searched; nothing of one that was."""

    proposed_by: str | None = None
    examples: int | None = None
    """Different calls that it reproduced."""
    examples_not_shown: int | None = None
    """Those of them that the proposer did not see."""
    counter_examples: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardPart:
    """A condition on a tool's success."""

    holds: Tree
    """True where the call may succeed."""
    message: Tree | None = always_written(default=None)
    """What the tool says where it does not hold; None where nobody knows what becomes of the call."""
    says: str = always_written("")
    """The condition or the refusal in words, for people."""
    support: int = always_written(0)
    """Different refused calls that broke it; 0 where no recorded call did."""
    against: int = always_written(0)
    """Different successful calls in which it held."""
    gone: bool = False
    """A refusal was recorded where a part of the condition was missing."""
    facts: int | None = None
    """Of a guard that repeats refusals by name: how many different things were refused."""
    also: tuple[Tree, ...] | None = None
    """What every recorded refusal met besides; None where nothing was compared."""
    beside: tuple[Tree, ...] | None = None
    """The same, of records that some refused calls were told without a sight of, and of what other refusals are about."""
    proposal: ProposalPart = flat(ProposalPart)


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyPart:
    """What a tool says, whatever it is asked, before another tool was called."""

    says: str
    without: frozenset[str]
    """Tools that came before each other answer."""
    beside: frozenset[str] = always_written(frozenset())
    """Tools that came before this one: they do not matter."""
    undone_by: frozenset[str] = always_written(frozenset())
    """Tools after which what came first is as if it had not."""
    calls: int = always_written(0)
    tasks: int = always_written(0)
    only: Mapping[Named, frozenset[str]] = always_written(make=dict)
    """By argument that other refusals are about, the values that were in order."""
    together: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The same of two such arguments, by their names with a comma."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CasePart:
    """One kind of call whose answer is computed."""

    takes: Mapping[Named, str]
    """Arguments that are numbers (`number`) or lists of them (`list`)."""
    words: tuple[str, ...] = always_written(())
    """Arguments that are words, any of them."""
    given: Mapping[Named, str] = always_written(make=dict)
    """Arguments that have one value here, by its text."""
    text: tuple[str | int | tuple[str, ...], ...]
    """The answer in parts: fixed text, the number of a slot, or arguments of which each says the word that stands there."""
    slots: tuple[tuple[tuple[Json, str], ...], ...]
    """For each number of the answer, the formulas that gave it, with the form that it is written in."""
    refusals: Mapping[str, str] = field(default_factory=dict)
    """What is said where there is no result, by reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComputedPart:
    """What a tool computes from its arguments alone."""

    cases: tuple[CasePart, ...]
    untried: frozenset[str] | None = None
    """Tools after which it was hardly asked, where it may keep a number; None where it keeps none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutPart:
    """How a tool lays out results that are JSON."""

    separators: tuple[str, str] | None = None
    """None where no result was JSON."""
    ascii: bool = written_if(lambda layout: layout.separators is not None, default=True)
    indent: int | str | None = written_if(
        lambda layout: layout.separators is not None, default=None
    )
    sorted: bool = False
    """Keys stand in alphabetical order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InfluencePart:
    """What earlier calls may change in a tool's answers, and what its own calls may change in others'.

    Its answers: from `limit` to `loose`, and from `heeds` to `makers`, which name earlier tools. An earlier call matters if it shares a name with
    the call, unless its tool is one of `ignores`; if it does not, only if its tool is one of `heeds`. The other sets name tools of
    which too little was recorded: they matter to some answers only. Its own calls: `settled` and `far`, which name tables.
    """

    limit: int | None = always_written(None)
    """Of what the tool answers: calls in one session after which that is no longer known."""
    again: bool = always_written(default=False)
    """Its calls about one record were seen one after the other, and answered as ever."""
    issues: bool = always_written(default=False)
    """Names new things: its own earlier calls are always relevant history."""
    loose: bool = always_written(default=False)
    """A search: what it shows may change with rows that the call does not name."""
    settled: frozenset[str] = always_written(frozenset())
    """Tables whose named rows it was seen not to change."""
    far: frozenset[str] = frozenset()
    """Tables whose rows a call may change without naming them."""
    heeds: frozenset[str] = frozenset()
    """Tools whose every earlier call is relevant history."""
    ignores: frozenset[str] = frozenset()
    """Tools whose earlier calls never are."""
    untried: frozenset[str] = frozenset()
    """Tools of which too few calls say that they do not matter."""
    makers: frozenset[str] = frozenset()
    """Of the untried: tools that may have made what an empty answer lacks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolPart:
    """One tool."""

    kind: str
    """`constant`, `pure`, `read`, `search`, `write`, `act` or `unknown`."""
    says: str = always_written("")
    """What it does in words, for people."""
    support: int = always_written(0)
    """Recorded calls with a result."""
    forms: Mapping[Named, str] = always_written(make=dict)
    """The declared or seen type of each argument."""
    style: LayoutPart = always_written(LayoutPart())
    text: bool = always_written(default=True)
    """Texts stand as they are."""
    bare: bool = False
    """Texts stand as they are beside results that are JSON."""
    ignore: tuple[str, ...] = ()
    """Arguments that change nothing."""
    takes: frozenset[str] | None = None
    """The arguments that successful calls had."""
    nulls: frozenset[str] = frozenset()
    """Those that some of them had as null."""
    outcomes: Mapping[str, str] = always_written(make=dict)
    """By class of result, whether it is a `success` or a `refusal`."""
    evidence: Mapping[str, Json] = always_written(make=dict)
    """What speaks for all this, for people."""
    policy: str | None = None
    """What it may answer, where that is not `derive`."""

    reads: RowRefPart | None = None
    """The row that its answer is."""
    shows: RowRefPart | None = None
    """The row that a successful result of a writer is."""
    names: tuple[RowRefPart, ...] = ()
    """Rows that a call names by its arguments."""
    paired: Mapping[Named, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    """By argument beside a record's key: the values that each record was asked for with."""
    paired_by: tuple[str, ...] = ()
    """Of a writer: the arguments that are the key there."""

    answer: Tree | None = None
    """What it answers, as an expression; `it` is the row after the call."""
    computes: ComputedPart | None = None
    selects: SelectionPart | None = None
    writes: tuple[WritePart, ...] = ()
    guards: tuple[GuardPart, ...] = ()
    early: tuple[EarlyPart, ...] = ()
    claims: bool = always_written(default=False)
    """Success may be claimed where no guard objects."""
    influence: InfluencePart = flat(InfluencePart)
