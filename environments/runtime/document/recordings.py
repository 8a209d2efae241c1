"""Recordings as the world file has them: answers with the earlier calls that they hang on, recalled answers, prose.

Not here: which of them a call is answered with (`answers.tape`, `answers.recall`, `answers.recorded_only`, `sessions.prose`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from .codec import Named, always_written, renamed_field


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One recorded answer of a tool."""

    before: tuple[str, ...] = always_written(())
    """The relevant earlier calls, in order."""
    content: str
    evidence: str = renamed_field("from", "")
    """The episode that recorded it."""
    n: int = always_written(0)
    """How often it was recorded."""
    after: frozenset[str] = always_written(frozenset())
    """Calls that came before each recorded one and may matter: nobody knows how it is without."""


class RecalledCall(NamedTuple):
    """One call that was made in some recorded past."""

    text: str
    """As the tool takes it, behind all views."""
    tool: str


class RecalledAnswer(NamedTuple):
    """One recorded answer to a call."""

    content: int
    """Which of the texts."""
    failed: bool
    episodes: tuple[str, ...]
    past: tuple[int, ...]
    """Which of the calls came before and may have changed something."""
    whose: str = ""
    """Whose session it was, where any tool answers by that."""


class InfluenceCell(NamedTuple):
    """How probably a call changes a later answer."""

    writer: str
    reader: str
    relation: str
    chance: float


class Trust(NamedTuple):
    """How often a tool's answers from one source were right on held-out calls."""

    tool: str
    source: str
    right: float


@dataclass(frozen=True, slots=True, kw_only=True)
class UnmadePart:
    """What a tool says of a thing that no call has made yet."""

    words: tuple[str, ...]
    """Fixed words and names of arguments in turn, words first; none where it answers as if the thing were there."""
    sure: float
    checked: frozenset[str] = frozenset()
    """Arguments that other refusals name, which may come first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallPart:
    """Recorded answers with what is needed to tell how probably they still hold."""

    calls: tuple[RecalledCall, ...]
    texts: tuple[str, ...]
    answers: Mapping[str, tuple[RecalledAnswer, ...]]
    """By the text of the call."""
    risk: float
    """The share of returned answers that may be wrong."""
    looks: frozenset[str]
    """Tools that change nothing, as their names say or calls made again in one episode show."""
    cells: tuple[InfluenceCell, ...]
    pooled: Mapping[Named, float]
    """By relation, the chance of cells that were never tried."""
    scale: Mapping[Named, float]
    """How many times more often answers were wrong than promised, of the own task's episodes and of others'."""
    refused: Mapping[Named, tuple[str, float]] = field(default_factory=dict)
    """By tool that refused every recorded call in the same words: the words, and how sure they are."""
    echoes: Mapping[Named, tuple[float, tuple[str, ...]]] = field(default_factory=dict)
    """By tool whose answer repeats its arguments, how sure an answer to values that nobody recorded is, and the arguments that have to name records."""
    made: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By the name of a thing that is not there at the start, the tools of which a call made it."""
    chosen: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By the name that callers choose for such a thing, the tools that make it when they are given the name."""
    unmade: Mapping[Named, UnmadePart] = field(default_factory=dict)
    """By tool, what it says of such a thing before a call made it."""
    issued: Mapping[Named, frozenset[str]] = field(default_factory=dict)
    """By tool the names that it gives once in a session: no later call of it is answered with them."""
    gates: Mapping[Named, frozenset[str]] = field(default_factory=dict)
    """By tool that changes something the tools without which it refuses: a caller is verified first."""
    admits: Mapping[Named, frozenset[str]] = field(default_factory=dict)
    """By such a first tool, what it said where others then succeeded, without what it names."""
    trust: tuple[Trust, ...] | None = None
    """None before held-out calls were asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnlearntPart:
    """A tool at which learning failed."""

    looks: bool
    """Whether it changes nothing, as far as is known."""
    says: str = always_written("")
    fault: str = always_written("")


@dataclass(frozen=True, slots=True, kw_only=True)
class TruePast:
    """One answer that was recorded after the very same calls."""

    content: str
    failed: bool
    episodes: tuple[str, ...] = renamed_field("from")
    varies: bool
    """Whether its tool answered otherwise after the same calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedPart:
    """Tools that were not learnt, and what was recorded of them."""

    tools: Mapping[Named, UnlearntPart] = always_written(make=dict)
    told: Mapping[str, Mapping[str, tuple[TruePast, ...]]] = always_written(make=dict)
    """By everything called before, and by call."""
    shared: bool = always_written(default=False)
    """Whether every episode starts from the same: else a recording says nothing to others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProsePart:
    """The texts that agents word themselves in calls of one tool."""

    paths: tuple[tuple[str, ...], ...]
    """Where they stand in the arguments."""
    said: Mapping[str, tuple[tuple[str | None, ...], ...]]
    """By all other arguments, the recorded texts, one for each path; None where a call had none."""
    usual: tuple[tuple[str | None, ...], ...]
    """Texts that may stand in where nobody recorded these other arguments."""
