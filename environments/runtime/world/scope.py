"""What the expressions of a world see of a session, and the rows they name.

Goes in: a call and `CallContext`, the place where it is answered. Comes out: `Scope` and `Place`. Not here: evaluating (`expr.evaluate`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..expr.gaps import Gap, required, unknown
from ..expr.scope import Scope
from ..task.attempt import Json
from ..values.normal import key_of_text, key_text, simplify
from .entries import Place
from .state import State
from .task_start import Calls
from .tool import RowRef

if TYPE_CHECKING:
    from .learnt import Learnt


@dataclass(slots=True)
class CallContext:
    """Where a call is answered: a world, and the state of the session that asks."""

    world: Learnt
    state: State
    own: frozenset[str]
    """Episodes whose recordings count where the backend lives on."""
    believed: Calls = frozenset()
    """Calls that the task believes to succeed."""
    sent: Mapping[str, Json] | str | None = None
    """The arguments as they were sent."""

    def number(self, counter: str) -> int | Gap:
        """The number that the next call draws from a counter: one for each call so far that drew from it; a gap where nobody can tell."""
        if counter not in self.state.counters:
            return unknown("a counter without a value")
        known = self.world.counters.get(counter)
        fed = known.fed_by if known is not None else ()
        drawn = [entry.known for entry in self.state.log if entry.tool in fed]
        if not all(drawn):
            return unknown("an earlier call may have counted")
        value = self.state.counters[counter] + len(drawn)
        if known is not None and known.limit is not None and value > known.limit:
            return unknown("a counter beyond what was seen")
        return value

    def scope(self, args: dict[str, Json]) -> Scope:
        """What an expression sees: the call, every row of the session, and its counters; `old`, the record before the call, is set once it is found."""
        state = self.state
        last = state.last_row if state.log else None
        scope = Scope(args, None, row=state.lookup, number=self.number, last=last)
        scope.sent = self.sent
        return scope


def place_of(ref: RowRef, scope: Scope) -> Place:
    """The row that a reference names; raises `NoValueError` where the key is not there, or nobody can tell."""
    plain = plain_place(ref, scope.arg)
    if plain is not None:
        return plain
    return ref.table, key_text([simplify(required(key(scope))) for key in ref.keys])


def plain_place(ref: RowRef, arguments: Json) -> Place | None:
    """The row that a text among the arguments names on its own, as in most tables."""
    if ref.argument is None or not isinstance(arguments, dict):
        return None
    value = arguments.get(ref.argument)
    return (ref.table, key_of_text(value)) if type(value) is str else None
