"""What a rubric says of ends, typed: the arguments of the check `end_state`.

In: the JSON of the check. Out: `EndTerms` with its `RecordedEnd`s. A key that is not there is empty. Not here: how ends are compared
(`ends.compare`), and how they are derived (`synth.rubric`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ...task.attempt import Json
from ...values.normal import as_list, as_names, as_object
from ..view import objects_of

Write = tuple[str, str]
"""Tool and canonical arguments."""
Row = tuple[Json, ...]
"""Entity, key, field and canonical value after a change."""


def end_id(number: int) -> str:
    """What a rubric calls its accepted end of this number, from 1 on; checks of what was told at one end name it so."""
    return f"e{number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOrder:
    """An end with every list in the order in which it was given."""

    writes: frozenset[Write]
    effects: frozenset[Row] | None
    """None: not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedEnd:
    """One end that recorded attempts reached."""

    end_id: str = ""
    """What checks on what was told at this end call it; empty for an end that is not accepted."""
    writes: Counter[Write] = field(default_factory=Counter)
    maybe: tuple[Counter[Write], ...] = ()
    """What its attempts called of tools that may or may not change something, each once."""
    dirty: tuple[Counter[Write], ...] = ()
    """Their calls that failed in a way that may leave a trace, each once."""
    effects: frozenset[Row] | None = None
    """The records it left; None: the world does not know them."""
    events: Counter[Write] = field(default_factory=Counter)
    """Its writes that leave no record."""
    order: ListOrder | None = None
    """Where some list of it would be another one in another order."""
    is_unconfirmed: bool = False
    """One outcome alone calls it right, and such outcomes are often wrong."""
    ignore: Mapping[str, Json] = field(default_factory=dict)
    """Of an end without the values that users correct: the arguments that make no difference to it."""

    @classmethod
    def from_json(cls, end: Mapping[str, Json]) -> RecordedEnd:
        """Read one end of the check's arguments."""
        order = end.get("ordered")
        return cls(
            end_id=str(end.get("id", "")),
            writes=_multiset(end.get("writes")),
            maybe=tuple(map(_multiset, as_list(end.get("maybe")))),
            dirty=tuple(map(_multiset, as_list(end.get("dirty")))),
            effects=_rows(end.get("effects")),
            events=_multiset(end.get("events")),
            order=_order(order) if isinstance(order, dict) else None,
            is_unconfirmed=end.get("unconfirmed") is True,
            ignore=as_object(end.get("ignore")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EndTerms:
    """The ends of a task and what they are compared by."""

    ends: tuple[RecordedEnd, ...] = ()
    """Accepted: equality with one is enough."""
    doubtful: tuple[RecordedEnd, ...] = ()
    """Ends of which labels contradict each other."""
    corrected: tuple[RecordedEnd, ...] = ()
    """Accepted ends without the values that users of such requests correct."""
    bad: tuple[RecordedEnd, ...] = ()
    """Where no end is accepted: those that users called unresolved."""
    writes: frozenset[str] = frozenset()
    """Tools that change something."""
    maybe: frozenset[str] = frozenset()
    """Tools that may or may not."""
    lasting: frozenset[str] = frozenset()
    """Tools whose failed calls change something as well."""
    dirty: frozenset[str] = frozenset()
    """Tools whose failed calls may leave a trace."""
    once: frozenset[str] = frozenset()
    """Tools whose second equal call changes no more than the first."""
    again: frozenset[str] = frozenset()
    """Tools whose second equal call changes something once more."""
    takes: frozenset[str] = frozenset()
    """Tools that refuse so seldom that a call without an answer counts as taken."""
    silent: frozenset[str] = frozenset()
    """Tools that change something and leave neither a record nor an event."""
    ignore: Mapping[str, Json] = field(default_factory=dict)
    """Arguments that agents word freely, by tool."""
    refusals: Mapping[str, float] | None = None
    """For a prediction: the share of refused calls by tool. None: what is not known stays so, since the check pays."""

    @classmethod
    def from_args(cls, args: Mapping[str, Json]) -> EndTerms:
        """Read the check's arguments."""
        shares = args.get("refusals")
        return cls(
            ends=_ends(args, "ends"),
            doubtful=_ends(args, "doubtful"),
            corrected=_ends(args, "corrected"),
            bad=_ends(args, "bad"),
            **{name: as_names(args.get(name)) for name in _TOOLS},
            ignore=as_object(args.get("ignore")),
            refusals=_shares(shares) if isinstance(shares, dict) else None,
        )


_TOOLS: Final = ("writes", "maybe", "lasting", "dirty", "once", "again", "takes", "silent")
"""The fields of `EndTerms` that list tools."""


def _ends(args: Mapping[str, Json], name: str) -> tuple[RecordedEnd, ...]:
    return tuple(map(RecordedEnd.from_json, objects_of(args, name)))


def _shares(value: Mapping[str, Json]) -> dict[str, float]:
    return {tool: share for tool, share in value.items() if isinstance(share, int | float)}


def _order(value: Mapping[str, Json]) -> ListOrder:
    pairs = (row for row in as_list(value.get("writes")) if isinstance(row, list))
    return ListOrder(
        writes=frozenset((str(row[0]), str(row[1])) for row in pairs),
        effects=_rows(value.get("effects")),
    )


def _rows(value: Json) -> frozenset[Row] | None:
    if not isinstance(value, list):
        return None
    return frozenset(tuple(row) for row in value if isinstance(row, list))


def _multiset(value: Json) -> Counter[Write]:
    """`[[tool, arguments, count], ...]` as a multiset."""
    found: Counter[Write] = Counter()
    for row in as_list(value):
        if isinstance(row, list) and len(row) == 3 and isinstance(row[2], int):
            found[str(row[0]), str(row[1])] += max(row[2], 0)
    return +found
