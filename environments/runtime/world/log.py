"""The log of a session: the calls that changed something, and which of them matter for a later one.

Goes in: a world, the state of a session, a call. Comes out: `Entry` records in the state's log, and histories. Not here:
what a call changes (`answers.writes`), recorded answers (`answers.tape`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..expr.gaps import NoValueError
from ..task.attempt import Json
from ..values.mentions import labels_in, tokens_in
from .entries import CallResult, Entry, Place, RowSnapshot
from .scope import CallContext, place_of, plain_place
from .state import ABSENT, ONLY
from .tool import RowRef, Tool


def history(here: CallContext, tool: Tool, args: dict[str, Json], content: str) -> tuple[str, ...]:
    """The earlier calls that matter for this one: they share a name with it or with its result."""
    if not here.state.log:
        return ()
    about = _named_places(here, tool, args)
    asked = labels_in(args)
    names = asked | CallResult(content=content).labels()
    met = _row_snapshots(here, about)
    names = names.union(*(one.names() for one in met))
    words = frozenset[str]().union(*(words_in(here, one.row) for one in met))
    tokens = {f"{table}|{key}" for table, key in about}
    shown = _shown_place(here, tool, args)
    # Of a backend that lives on few calls say that one does not matter: hardly any was about the very same thing.
    about_same = asked if here.world.living else set[str]()
    return tuple(
        e.call
        for e in here.state.log
        if e.tool in tool.influence.heeds
        or (tool.influence.issues and e.tool == tool.name)
        or _touches(e, shown)
        or not asked.isdisjoint(e.issued())
        or (
            not _ignored(tool, e, about_same)
            and (
                not names.isdisjoint(e.names)
                or (e.tool in tool.influence.untried and not words.isdisjoint(e.names))
                or not asked.isdisjoint(e.words())
                or not tokens.isdisjoint(f"{t}|{k}" for t, k in e.about)
            )
        )
    )


def gives_again(here: CallContext, tool: Tool, content: str, earlier: Iterable[Entry]) -> bool:
    """Whether an answer holds a name that the tool gives to its first call, though it was called before."""
    recall = here.world.recall
    return (
        recall is not None
        and recall.gives_once(tool.name, content)
        and any(entry.tool == tool.name for entry in earlier)
    )


def _ignored(tool: Tool, entry: Entry, about_same: set[str]) -> bool:
    """Whether a call never matters to a tool, unless it names what is asked for."""
    if entry.tool not in tool.influence.ignores:
        return False
    return entry.tool == tool.name or about_same.isdisjoint(labels_in(entry.args))


def words_in(here: CallContext, row: Json) -> frozenset[str]:
    """The plain words in a row under which rows stand: what a call about such a row does may show in this one."""
    return here.world.keyed & tokens_in(row) if here.world.keyed else frozenset()


def _touches(entry: Entry, place: Place) -> bool:
    """Whether a call may have changed the record itself: whoever leaves other records alone may be ignored elsewhere, not here."""
    return place in entry.about and (place in entry.targets or not entry.leaves_alone(place))


def _shown_place(here: CallContext, tool: Tool, args: dict[str, Json]) -> Place:
    """The record that a reader is asked for, or that a writer's answer shows."""
    shown = tool.reads if tool.reads is not None else tool.shows
    if shown is not None:
        try:
            return place_of(shown, here.scope(args))
        except NoValueError:
            pass
    return "", ""


def entry_of(
    here: CallContext, tool: Tool, args: dict[str, Json], came: CallResult, *, known: bool
) -> Entry:
    """A call for the log: which rows it is about, and what it may have touched besides if nobody knows what it did."""
    about = _named_places(here, tool, args)
    is_result_unknown = not known and not came.content
    return Entry(
        tool=tool.name,
        args=args,
        known=known,
        came=came,
        met=_row_snapshots(here, about),
        kind="" if not known else "act" if tool.part.kind == "act" else "write",
        is_result_unknown=is_result_unknown,
        under=here.world.listed,
        fields=here.world.fields,
        settled=tool.influence.settled,
        about=about,
        tainted_tables=tool.influence.far,
    )


def log_unknown(here: CallContext, name: str, args: Mapping[str, Json], content: str) -> None:
    """Remember a call of which nobody knows what it did."""
    tool = here.world.tools.get(name)
    if tool is not None:
        came = CallResult(content=content)
        here.state.add(entry_of(here, tool, dict(args), came, known=False))
        return
    here.state.add(Entry(tool=name, args=dict(args), known=False, fields=here.world.fields))


def _named_places(here: CallContext, tool: Tool, args: dict[str, Json]) -> tuple[Place, ...]:
    """The rows that a call names."""
    places: list[Place] = []
    for ref in tool.names if tool.shows is None else (*tool.names, tool.shows):
        place = plain_place(ref, args) or _place_named(here, ref, args)
        if place is not None and place not in places:
            places.append(place)
    return tuple(places)


def _place_named(here: CallContext, ref: RowRef, args: dict[str, Json]) -> Place | None:
    try:
        return place_of(ref, here.scope(args))
    except NoValueError:
        return None


def _row_snapshots(here: CallContext, about: tuple[Place, ...]) -> tuple[RowSnapshot, ...]:
    """The rows that a call is about, as they are now."""
    state = here.state
    met: list[RowSnapshot] = []
    for place in about:
        row = state.look(place)
        # The one record of a table holds all sorts of things that a call about it is not about.
        if row is not ABSENT and place[1] != ONLY:
            met.append(RowSnapshot(place=place, row=row, kept=state.names_kept(place)))
    return tuple(met)
