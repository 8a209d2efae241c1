"""What the expressions of a world see of a session, and the rows they name.

Goes in: a call and `Here`, the place where it is answered. Comes out: `Scope` and `Place`. Not here: evaluating (`expression`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .attempt import Json
from .expression_scope import NotKnown, Scope
from .normal import key_text, simplify
from .world_entry import Place
from .world_state import State
from .world_tool import RowRef

if TYPE_CHECKING:
    from .world import World


@dataclass(frozen=True, slots=True)
class Here:
    """Where a call is answered: a world, and the state of the session that asks."""

    world: World
    state: State
    own: frozenset[str]
    """Episodes whose recordings count where the backend lives on."""


def scope_of(here: Here, args: dict[str, Json], old: Json) -> Scope:
    """What an expression sees: the call, the record before it, every row of the session, and its counters."""

    def number(counter: str) -> int:
        if counter not in here.state.counters:
            raise NotKnown("a counter without a value")
        fed = here.world.counters.get(counter, {}).get("fed_by", ())
        if any(not e.known and e.tool in fed for e in here.state.log):
            raise NotKnown("an earlier call may have counted")
        value = here.state.counters[counter]
        limit = here.world.counters.get(counter, {}).get("limit")
        if limit is not None and value > limit:
            raise NotKnown("a counter beyond what was seen")
        here.state.counters[counter] = value + 1
        return value

    return Scope(args, old, row=here.state.lookup, number=number)


def place_of(ref: RowRef, scope: Scope) -> Place:
    """The row that a reference names.

    Raises `Missing` where the key is not there, `NotKnown` where nobody can tell.
    """
    return ref.table, key_text([simplify(key(scope)) for key in ref.keys])
