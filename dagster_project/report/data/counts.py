"""Counts and headline numbers, as every section of the report has them."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One headline number at the top of the page."""

    name: str
    value: str
    """As it shall be read: `345`, `97.1 %`, `unknown`."""
    says: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How often something was seen."""

    name: str
    count: int
    says: str = ""
    """One sentence for a person who does not know the name."""
    action: str = ""
    """The one action that helps most, where there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FunnelStage:
    """One stage of the yield, from what came in to what is exported, in conversations."""

    name: str
    """Which conversations are counted: `readable`, `with tools`, `past redaction`, `accepted`, `exported`, ..."""
    count: int
    says: str = ""
    lost: tuple[Count, ...] = ()
    """What was lost between the stage before and this one, by reason; with what is left it adds up to the stage before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fidelity:
    """How held-out calls were answered."""

    calls: int = 0
    exact: int = 0
    equivalent: int = 0
    wrong: int = 0
    unknown: int = 0
    simulated: int = 0


def ranked(counts: Counter[str], says: Callable[[str], str] = lambda _: "") -> tuple[Count, ...]:
    """The most frequent first, each with what a name says."""
    most_first = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Count(name=name, count=n, says=says(name)) for name, n in most_first)
