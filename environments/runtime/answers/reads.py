"""Answers of tools that change nothing: a row shown, or a value computed.

Goes in: a call in a state. Comes out: `ToolResult`, with the row it shows and the names it hangs on. Not here: caching
(`world.session`), tools that change something (`answers.writes`).
"""

from __future__ import annotations

from ..expr.gaps import TOUCHED, NoValueError, required
from ..task.attempt import DERIVED, RECORDED, Json, ToolResult
from ..values.literals import parse_arguments
from ..values.mentions import names_in
from ..world.entries import Entry, Place
from ..world.log import words_in
from ..world.notice import notice
from ..world.scope import CallContext, place_of
from ..world.state import ABSENCE, ABSENT, names_of_key
from ..world.tool import Tool
from .computed import as_sent, compute
from .tape import EMPTY


def show(
    here: CallContext, tool: Tool, args: dict[str, Json]
) -> tuple[ToolResult, Place | None, set[str]]:
    """The answer of a tool that changes nothing, with the row it shows and the names it hangs on."""
    names = names_in(args)
    strange = tool.strange(args)
    if strange is not None:
        return notice(tool.name, strange), None, names
    try:
        if tool.reads is None:
            return _compute(here, tool, args), None, names
        scope = here.scope(args)
        place = place_of(tool.reads, scope)
    except NoValueError as fault:
        return notice(tool.name, str(fault) or "the arguments lack the key"), None, names
    if tool.part.paired and tool.is_unpaired(args, place[1]):
        return notice(tool.name, "these arguments were never given together"), place, names
    try:
        result, shown = _show_row(here, tool, place, names)
    except NoValueError as fault:
        return notice(tool.name, str(fault) or "the record lacks a part"), place, names
    return result, place, shown


def show_computed(here: CallContext, tool: Tool) -> ToolResult | None:
    """What the tool computes from the arguments as they were sent; None where nobody knows."""
    parsed = None if here.sent is None else parse_arguments(here.sent)
    computes = tool.part.computes
    if computes is None or parsed is None:
        return None
    if any(entry.tool in (computes.untried or ()) for entry in here.state.log):
        return None
    told = compute(computes, as_sent(parsed, tool.part.forms, tool.ignore))
    if told is None:
        return None
    return ToolResult(content=told[0], source=DERIVED, is_error=told[1], evidence=tool.name)


def select(here: CallContext, tool: Tool, args: dict[str, Json]) -> ToolResult | None:
    """What a look-up picks out of the records that were shown; None where nobody knows, or a call may have changed them."""
    if tool.selection is None:
        return None
    table = "=" + tool.name if tool.reads is None else tool.reads.table
    if here.state.log and here.state.is_tainted_at_large(table):
        return None
    found = tool.selection.answer(args)
    if found is None:
        return None
    content = tool.render(found.value) if found.text is None else found.text
    is_error = bool(tool.refused(content, args))
    return ToolResult(content=content, source=DERIVED, is_error=is_error, evidence=tool.name)


def _compute(here: CallContext, tool: Tool, args: dict[str, Json]) -> ToolResult:
    if tool.answer is None:
        raise NoValueError("no behaviour was learnt")
    if here.state.log and tool.influence.loose and here.state.is_tainted_at_large("=" + tool.name):
        raise NoValueError(TOUCHED.reason)
    value = required(tool.answer(here.scope(args)))
    return ToolResult(content=tool.render(value), source=DERIVED, evidence=tool.name)


def _show_row(
    here: CallContext, tool: Tool, place: Place, names: set[str]
) -> tuple[ToolResult, set[str]]:
    found = here.state.look(place)
    if found is ABSENT:
        text = here.world.refusals.get(place[0], {}).get(place[1], {}).get(tool.name)
        unsure = here.state.log and (
            here.state.is_tainted(place, names)
            or here.state.is_tainted((place[0] + ABSENCE, place[1]), names)
        )
        if text is None or unsure:
            raise NoValueError("never seen")
        refusal = ToolResult(content=text, source=RECORDED, is_error=True, evidence=":".join(place))
        return refusal, names
    words = words_in(here, found)
    shown = names | here.state.names_at(place, found) | names_of_key(place[1])
    if (
        here.state.log
        and tool.influence.loose
        and place not in here.state.rows
        and here.state.is_tainted_at_large(place[0])
    ):
        raise NoValueError("an earlier call may have changed what this finds")
    row = required(here.state.row(place, shown))
    content = tool.render(row)
    if here.state.log:
        since = here.state.log[here.state.fresh.get(place, 0) :]
        if words and any(_is_about_row_words(tool, place, entry, words) for entry in since):
            raise NoValueError(TOUCHED.reason)
        if content in EMPTY and any(entry.tool in tool.influence.makers for entry in since):
            raise NoValueError("an earlier call may have made something")
    seen = (
        place[1] in here.world.seen.get((place[0], tool.name), ()) and place not in here.state.rows
    )
    source = RECORDED if seen else DERIVED
    return ToolResult(content=content, source=source, evidence=":".join(place)), shown | words


def _is_about_row_words(tool: Tool, place: Place, entry: Entry, words: frozenset[str]) -> bool:
    """Whether a call of a tool hardly tried before this one is about something whose key is a word in this row."""
    if entry.tool not in tool.influence.untried or place in entry.targets:
        return False
    return not entry.leaves_alone(place) and not words.isdisjoint(entry.labels)
