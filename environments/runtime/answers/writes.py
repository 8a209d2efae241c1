"""Calls that change something: what they answer, and what they leave behind.

Goes in: a call in a state that is the session's own, or a recorded call with its result. Comes out: `ToolResult`; the
state is changed. Not here: sharing states between sessions (`world.session`), tools that change nothing (`answers.reads`).
"""

from __future__ import annotations

from ..expr.gaps import TOUCHED, Gap, NoValueError, required
from ..expr.scope import Scope
from ..task.attempt import DERIVED, Json, ToolResult
from ..values.literals import parse_json
from ..values.mentions import labels_in, leaves, names_in
from ..values.normal import stable
from ..views.implicit_subject import SUBJECT
from ..world.entries import CallResult, Entry, Place
from ..world.log import entry_of, gives_again, log_unknown
from ..world.notice import NEVER_DONE, NEVER_SO, ONCE_ONLY
from ..world.scope import CallContext, place_of
from ..world.state import ABSENCE, ABSENT
from ..world.tool import Tool, Write

_BELIEVED = "the task takes it that this call goes through, as alike users' calls did"


def repeated(here: CallContext, tool: Tool, args: dict[str, Json]) -> ToolResult | None:
    """What a tool says that repeats what it is given and never refused a call, where that is sure enough."""
    echo = here.world.recall.echoes(tool.name) if here.world.recall is not None else None
    if echo is None or tool.answer is None or _unlike_any(here, tool, args) is not None:
        return None
    sure, named = echo
    if any(not here.state.has_record(str(args[name])) for name in named if name in args):
        return None
    mine = [e.args for e in here.state.log if e.tool == tool.name]
    names = names_in(args)
    if args in mine or (names and any(names <= names_in(given) for given in mine)):
        return None  # a second one about the same may be one too many
    try:
        content = tool.render(required(tool.answer(here.scope(args))))
    except NoValueError:
        return None
    if not tool.innocent:
        follow_change(here, tool, args, content)
    evidence = f"{tool.name}: repeats what it is given"
    return ToolResult(content=content, source=DERIVED, evidence=evidence, confidence=sure)


def follow_change(here: CallContext, tool: Tool, args: dict[str, Json], content: str) -> None:
    """The call was made and this came back: the state after it."""
    refused = tool.refused(content, args)
    if refused:
        return
    if refused is None:
        log_unknown(here, tool.name, args, content)
        return
    parsed = parse_json(content)
    entry = entry_of(here, tool, args, CallResult(content=content), known=True)
    scope = here.scope(args)
    old = scope.old = _old_record(here, tool, scope)
    rows = _predicted(here, tool, scope)
    here.state.add(entry)
    for place, row in rows:
        here.state.put(place, row, entry)
    if tool.shows is not None and parsed is not None and not _can_follow(old, parsed.value):
        entry.known = False
    elif tool.shows is not None and parsed is not None:
        shown = here.scope(args)
        shown.it = parsed.value
        try:
            here.state.put(place_of(tool.shows, shown), parsed.value, entry)
        except NoValueError:
            entry.known = False
    elif tool.writes and not rows:
        entry.known = False


def follow_read(here: CallContext, tool: Tool, args: dict[str, Json], content: str) -> None:
    """The record was read and this came back: where it says something else than the state, it is right."""
    if tool.reads is None:
        return
    try:
        place = place_of(tool.reads, here.scope(args))
    except NoValueError:
        return
    if tool.refused(content, args):
        return
    parsed = parse_json(content)
    value: Json = content if parsed is None or tool.part.text else parsed.value
    known = here.state.look(place)
    if known is ABSENT or known != value or here.state.is_tainted(place, names_in(value)):
        here.state.put(place, value, None)


def _unlike_any(here: CallContext, tool: Tool, args: dict[str, Json]) -> str | None:
    """Why nobody knows what becomes of such a call at this point of an episode, whatever the records are."""
    strange = tool.strange(args)
    if strange is not None:
        return strange
    if tool.influence.limit is not None and _count_calls(here, tool) >= tool.influence.limit:
        return "more calls than were ever seen in one episode"
    return None


def derive_change(here: CallContext, tool: Tool, args: dict[str, Json]) -> ToolResult:
    """What learnt refusals and effects say; raises `NoValueError` where nobody knows."""
    unlike = _unlike_any(here, tool, args)
    if unlike is not None:
        raise NoValueError(unlike)
    scope = here.scope(args)
    scope.old = _old_record(here, tool, scope)
    scope.memo = {}
    believed = bool(here.believed) and (tool.name, stable(args)) in here.believed
    parted = tool.parted(args) if tool.part.paired else frozenset[str]()
    guards = tool.guards
    again = tool.influence.again or _count_calls(here, tool) == 0
    guard = (
        guards.objection_believed(scope)
        if believed
        else guards.objection(scope, again=again, sight=tool.sight)
    )
    if guard is not None:
        if guard.message is None:
            raise NoValueError(NEVER_DONE + guard.name)
        if not guard.resembles_refused(scope) or not parted <= guard.asks():
            raise NoValueError(NEVER_SO + guard.name)
        message = required(guard.message(scope))
        return ToolResult(
            content=message if isinstance(message, str) else tool.render(message),
            source=DERIVED,
            is_error=True,
            evidence=f"{tool.name}: {guard.name}",
        )
    if parted:
        raise NoValueError("these arguments were never given together")
    return _take_effect(here, tool, args, scope, believed=believed)


def _take_effect(
    here: CallContext, tool: Tool, args: dict[str, Json], scope: Scope, *, believed: bool
) -> ToolResult:
    """What a call that nothing refuses says and changes; raises `NoValueError` where nobody knows."""
    if not (tool.part.claims or believed) or tool.answer is None:
        raise NoValueError("when this succeeds is not known well enough")
    if _said_once(here, tool, args):
        raise NoValueError(ONCE_ONLY)
    rows_known = not any(_out_of_sight(here, write, scope) for write in tool.writes)
    changes = _changes(here, tool, scope) if rows_known else []
    _must_be_fresh(here, tool, changes)
    if changes:
        scope.it = changes[0][1]
    value = required(tool.answer(scope))
    content = tool.render(value)
    if gives_again(here, tool, content, here.state.log):
        raise NoValueError(ONCE_ONLY)
    came = CallResult(content=content, value=value if isinstance(value, dict | list) else None)
    entry = entry_of(here, tool, args, came, known=rows_known)
    here.state.add(entry)
    for place, row in changes:
        here.state.put(place, row, entry)
    evidence = f"{tool.name}: {_BELIEVED}" if believed else tool.name
    return ToolResult(content=content, source=DERIVED, evidence=evidence)


def _must_be_fresh(here: CallContext, tool: Tool, changes: list[tuple[Place, Json]]) -> None:
    """What an answer shows whole and an earlier call named may have changed: who reads it is not told it either."""
    for place, _ in changes if here.state.log and tool.shows is not None else ():
        row = here.state.look(place)
        if row is not ABSENT and here.state.is_tainted(place, here.state.names_at(place, row)):
            raise NoValueError(TOUCHED.reason)


def _out_of_sight(here: CallContext, write: Write, scope: Scope) -> bool:
    """Whether nobody knows the record that a call changes, which is there all the same: it is the only one."""
    if write.creates or (write.target.keys and write.target.argument != SUBJECT):
        return False
    return type(here.state.row(place_of(write.target, scope), ())) is Gap


def _changes(here: CallContext, tool: Tool, scope: Scope) -> list[tuple[Place, Json]]:
    """Every row that a successful call changes or creates, as it is afterwards."""
    out: list[tuple[Place, Json]] = []
    for write in tool.writes:
        if write.creates and write.whole is not None:
            row: Json = required(write.whole(scope))
            scope.it = row
            place = place_of(write.target, scope)
            scope.it = None
            if here.state.look(place) is not ABSENT:
                raise NoValueError(ONCE_ONLY)
            out.append((place, row))
        else:
            out.append(_changed_row(here, write, scope))
    return out


def _changed_row(here: CallContext, write: Write, scope: Scope) -> tuple[Place, Json]:
    place = place_of(write.target, scope)
    before = required(here.state.row(place, ()))
    outer, scope.old = scope.old, before
    if before is not outer:
        scope.memo = None
    if write.whole is not None:
        whole: Json = required(write.whole(scope))
        scope.old = outer
        return place, whole
    if not isinstance(before, dict):
        raise NoValueError("the record is not an object")
    after = dict(before)
    for name, value in write.fields:
        after[name] = required(value(scope))
    scope.old = outer
    return place, after


def _predicted(here: CallContext, tool: Tool, scope: Scope) -> list[tuple[Place, Json]]:
    try:
        return _changes(here, tool, scope)
    except NoValueError:
        return []


def _old_record(here: CallContext, tool: Tool, scope: Scope) -> Json:
    ref = tool.shows or (tool.writes[0].target if tool.writes else None)
    if ref is None or (tool.writes and tool.writes[0].creates):
        return None
    try:
        place = place_of(ref, scope)
    except NoValueError:
        return None
    row = here.state.row(place, names_in(scope.arg) if here.state.log else ())
    known: Json = None if type(row) is Gap else row
    return known


def _said_once(here: CallContext, tool: Tool, args: dict[str, Json]) -> bool:
    """Whether the very call was made before, of a tool whose rows nobody knows, and may be answered otherwise now.

    `true` may mean that the call changed something, `false` that it was done already, a number may count calls, and one word may turn into another.
    """
    same = [e for e in here.state.log if e.tool == tool.name and e.args == args]
    if tool.writes or not same:
        return False
    removes = any(table.endswith(ABSENCE) for table in tool.influence.far)
    if removes or tool.name in tool.influence.heeds:
        return True
    # An act was seen to say the same whatever it is given.
    if tool.influence.again or tool.part.kind == "act":
        return False
    return not all(map(_only_repeats, same))


def _only_repeats(entry: Entry) -> bool:
    """Whether an answer names something that the call gives, and holds no number, true or false of its own."""
    if entry.came is None or entry.came.labels().isdisjoint(labels_in(entry.args)):
        return False
    parsed = parse_json(entry.came.content)
    given = [leaf for leaf in leaves(entry.args) if isinstance(leaf, int | float)]
    told = leaves(parsed.value) if parsed is not None else ()
    return all(leaf in given for leaf in told if isinstance(leaf, int | float))


def _count_calls(here: CallContext, tool: Tool) -> int:
    return sum(e.tool == tool.name for e in here.state.log)


def _can_follow(old: Json, new: Json) -> bool:
    """Whether a result can be the record after a change: one that says why nothing was done looks otherwise."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return True
    before, after = _fields(old), _fields(new)
    return len(before & after) * 3 >= len(before)


def _fields(record: dict[str, Json]) -> set[str]:
    """Names of fields, and of fields inside fields."""
    inner = {f"{n}.{m}" for n, value in record.items() if isinstance(value, dict) for m in value}
    return inner | set(record)
