"""The log of a session: the calls that changed something, and which of them matter for a later one.

Goes in: a world, the state of a session, a call. Comes out: `Entry` records in the state's log, and histories. Not here:
what a call changes (`world_writes`), recorded answers (`world_tape`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from .attempt import Event, Json
from .canonical import canonical
from .expression_scope import Missing, NotKnown
from .normal import names_in, parse_json, tokens_in
from .world_scope import Here, place_of, scope_of
from .world_state import ABSENT, Entry, Place, call_text
from .world_tool import Tool

DOUBT: Final = "?"
"""Behind a call of which nobody knows what came."""


def history(here: Here, tool: Tool, args: dict[str, Json], content: str) -> tuple[str, ...]:
    """The earlier calls that matter for this one: they share a name with it or with its result."""
    if not here.state.log:
        return ()
    about = _about(here, tool, args)
    names = _names(here, args, content, about)
    tokens = {f"{table}|{key}" for table, key in about}
    return tuple(
        e.call
        for e in here.state.log
        if e.tool in tool.heeds
        or (tool.issues and e.tool == tool.name)
        or (
            e.tool not in tool.ignores
            and (
                not names
                or e.nameless
                or not names.isdisjoint(e.names)
                or not tokens.isdisjoint(f"{t}|{k}" for t, k in e.about)
            )
        )
    )


def entry_of(here: Here, tool: Tool, args: dict[str, Json], content: str, *, known: bool) -> Entry:
    """A call for the log: which rows it is about, and what it may have touched besides if nobody knows what it did."""
    about = _about(here, tool, args)
    kind = "act" if tool.kind == "act" else "write"
    lost = not known and not content
    return Entry(
        tool=tool.name,
        # Nobody knows what came of it: no recorded history had that.
        call=call_text(tool.name, args) + (DOUBT if lost else ""),
        nameless=lost and tool.news,
        names=frozenset(_names(here, args, content, about)),
        settled=tool.settled,
        known=known,
        event=Event(tool=tool.name, arguments=canonical(args), kind=kind) if known else None,
        about=about,
        blind=tool.far if known else tool.far | _blind(here, tool, about),
    )


def log_unknown(here: Here, name: str, args: Mapping[str, Json], content: str) -> None:
    """Remember a call of which nobody knows what it did."""
    tool = here.world.tools.get(name)
    if tool is not None:
        here.state.add(entry_of(here, tool, dict(args), content, known=False))
        return
    names = frozenset(names_in(dict(args)))
    here.state.add(
        Entry(
            tool=name,
            call=call_text(name, args),
            names=names,
            settled=frozenset(),
            known=False,
            event=None,
        )
    )


def _about(here: Here, tool: Tool, args: dict[str, Json]) -> tuple[Place, ...]:
    """The rows that a call names."""
    scope = scope_of(here, args, None)
    places: list[Place] = []
    refs = [*tool.names]
    if tool.shows is not None:
        refs.append(tool.shows)
    for ref in refs:
        try:
            place = place_of(ref, scope)
        except (Missing, NotKnown):
            continue
        if place not in places:
            places.append(place)
    return tuple(places)


def _names(here: Here, args: dict[str, Json], content: str, about: tuple[Place, ...]) -> set[str]:
    names = names_in(args)
    parsed = parse_json(content)
    if parsed is None:
        names |= names_in([*content.split()])
    else:
        names |= names_in(parsed.value) | tokens_in(parsed.value)
    names |= tokens_in(args)
    for place in about:
        found = here.state.look(place)
        if found is not ABSENT:
            names |= here.state.names_at(place, found)
    return names


def _blind(here: Here, tool: Tool, about: tuple[Place, ...]) -> frozenset[str]:
    """What a call with an unknown outcome may reach beyond the rows it names."""
    seen = bool(about) and all(here.state.look(place) is not ABSENT for place in about)
    return frozenset() if seen else tool.reach - {place[0] for place in about}
