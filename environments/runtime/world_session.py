"""A session: one running copy of a world, answering calls and following recordings.

Goes in: calls, or recorded calls with their results. Comes out: `ToolResult` with its source, and the `EndState`. A
session shares its state with the others that came the same way (`world_moment`) until it leaves that way. Not here: what
all sessions share (`world`), learning (`synth.worlds`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from .attempt import DERIVED, RECORDED, UNKNOWN, EndState, Event, Json, ToolResult
from .canonical import canonical
from .expression_scope import Missing, NotKnown, Scope
from .normal import (
    key_text,
    names_in,
    parse_arguments,
    parse_json,
    simplify,
    stable,
    tokens_in,
    unwrap,
)
from .world_moment import Moment
from .world_state import ABSENCE, ABSENT, Entry, Place, call_text, names_of_key
from .world_tool import STRICT, RowRef, Taped, Tool, Write

if TYPE_CHECKING:
    from .world import World

ONLY_RECORDED: Final = "only recorded answers are allowed for this tool"


DOUBT: Final = "?"
"""Behind a call of which nobody knows what came."""
MAX_DOUBTS: Final = 4


class Session:
    """One running copy of a world."""

    __slots__ = ("_moment", "_own", "_shared", "_world", "caller", "started_at", "state")

    def __init__(
        self,
        world: World,
        moment: Moment,
        *,
        started_at: int,
        caller: str | None,
        own: frozenset[str] = frozenset(),
    ) -> None:
        self._world = world
        self._own = own
        self._moment: Moment | None = moment
        self._shared = True
        self.state = moment.state
        """What others may hold too: never to be changed but by `_leave` first."""
        self.started_at = started_at
        self.caller = caller

    def call(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        """The tool's answer to one call, and its effect."""
        if not isinstance(arguments, str):
            return self._answer(name, arguments)
        call = (name, arguments)
        moment = self._moment
        if moment is not None:
            way = moment.ways.get(call)
            if way is not None:
                if way[1] is not None:
                    self._moment, self.state = way[1], way[1].state
                return way[0]
        hit = self._world.cache.get(call)
        if hit is not None and self._untouched(hit[1], hit[2]):
            return hit[0]
        result = self._answer(name, arguments)
        after = self._moment
        if moment is not None and after is not None and self._world.room.answer():
            moment.ways[call] = (result, None if after is moment else after)
        return result

    def _answer(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        tool = self._world.tools.get(name)
        if tool is None:
            return self._changing(lambda: self._unknown_tool(name))
        parsed = parse_arguments(arguments)
        if parsed is None:
            return _notice(name, "the arguments are not a JSON object")
        args = tool.normal(parsed)
        if not tool.innocent:
            return self._changing(lambda: self._change(tool, args))
        result, place, names = self._show(tool, args)
        if tool.policy == STRICT and result.source == DERIVED:
            return _notice(name, ONLY_RECORDED)
        if result.source == UNKNOWN and tool.tape:
            taped = self._taped(tool, args)
            if taped is not None:
                is_error = bool(tool.refused(taped[0], args))
                return ToolResult(
                    content=taped[0], source=RECORDED, is_error=is_error, evidence=taped[1]
                )
        if isinstance(arguments, str):
            self._keep((name, arguments), result, place, None if tool.loose else names)
        return result

    def _changing(self, change: Callable[[], ToolResult]) -> ToolResult:
        """The answer to a call that may change something; the state that it leads to becomes a moment."""
        before, moment, shared = self.state, self._moment, self._shared
        self._leave()
        result = change()
        if self.state.same_as(before):
            self.state, self._moment, self._shared = before, moment, shared
        elif moment is not None and self._world.room.moment():
            self._moment, self._shared = Moment(self.state), True
        return result

    def _leave(self) -> None:
        """From here on the state is this session's own."""
        if self._shared:
            self.state, self._shared = self.state.copy(), False
        self._moment = None

    def _keep(
        self, call: tuple[str, str], result: ToolResult, place: Place | None, names: set[str] | None
    ) -> None:
        """Keep an answer for all sessions, whatever they did that does not touch it."""
        state = self.state
        pristine = not state.log and not self._world.living and place not in state.rows
        if pristine and result.source != UNKNOWN and self._world.room.answer():
            if place is not None and names is not None:
                names.add(place[0] + "|" + place[1])
            self._world.cache[call] = (result, frozenset(names) if names else None, place)

    def observe(self, name: str, arguments: Mapping[str, Json] | str, content: str) -> None:
        """Follow a recording: the call was made and this is what really came back."""
        self._leave()
        tool = self._world.tools.get(name)
        parsed = parse_arguments(arguments)
        content = unwrap(content, self._envelope())
        if tool is None or parsed is None:
            self._log_unknown(name, parsed or {}, content)
            return
        args = tool.normal(parsed)
        if tool.innocent:
            self._saw(tool, args, content)
        else:
            self._did(tool, args, content)

    def end_state(self) -> EndState:
        """What differs from the start, what was done without a record, and what nobody knows."""
        return self.state.end()

    def fork(self) -> Session:
        """An independent session in the same state; whichever goes on first copies it."""
        self._shared = True
        return Session(
            self._world,
            self._moment or Moment(self.state),
            started_at=self.started_at,
            caller=self.caller,
            own=self._own,
        )

    # -- reading ---------------------------------------------------------------------------------

    def _untouched(self, names: frozenset[str] | None, place: Place | None) -> bool:
        state = self.state
        if place is not None and place in state.rows:
            return False
        if not state.log:
            return True
        if place is not None and (place[0] in state.blind or place[0] + ABSENCE in state.blind):
            return False
        return names is not None and names.isdisjoint(state.named)

    def _show(self, tool: Tool, args: dict[str, Json]) -> tuple[ToolResult, Place | None, set[str]]:
        """The answer of a tool that changes nothing, with the row it shows and the names it hangs on."""
        names = names_in(args)
        try:
            if tool.reads is None:
                return self._compute(tool, args), None, names
            scope = self._scope(args, None)
            place = self._place(tool.reads, scope)
        except (Missing, NotKnown) as fault:
            return _notice(tool.name, str(fault) or "the arguments lack the key"), None, names
        try:
            result, shown = self._show_row(tool, args, place, names)
        except (Missing, NotKnown) as fault:
            return _notice(tool.name, str(fault) or "the record lacks a part"), place, names
        return result, place, shown

    def _compute(self, tool: Tool, args: dict[str, Json]) -> ToolResult:
        if tool.answer is None:
            raise NotKnown("no behaviour was learnt")
        if self.state.log and tool.loose and self.state.clouded_at_large("=" + tool.name):
            raise NotKnown("an earlier call may have changed this")
        value = tool.answer(self._scope(args, None))
        return ToolResult(content=tool.render(value), source=DERIVED, evidence=tool.name)

    def _show_row(
        self, tool: Tool, args: dict[str, Json], place: Place, names: set[str]
    ) -> tuple[ToolResult, set[str]]:
        state, world = self.state, self._world
        found = state.look(place)
        if found is ABSENT:
            text = world.refusals.get(place[0], {}).get(place[1], {}).get(tool.name)
            unsure = state.log and (
                state.clouded(place, names) or state.clouded((place[0] + ABSENCE, place[1]), names)
            )
            if text is None or unsure:
                raise NotKnown("never seen")
            refusal = ToolResult(
                content=text, source=RECORDED, is_error=True, evidence=":".join(place)
            )
            return refusal, names
        shown = names | state.names_at(place, found) | names_of_key(place[1])
        if (
            state.log
            and tool.loose
            and place not in state.rows
            and state.clouded_at_large(place[0])
        ):
            raise NotKnown("an earlier call may have changed what this finds")
        row = state.row(place, shown)
        value = row if tool.view is None else tool.view(self._scope(args, row))
        seen = place[1] in world.seen.get((place[0], tool.name), ()) and place not in state.rows
        source = RECORDED if seen else DERIVED
        content = tool.render(value)
        return ToolResult(content=content, source=source, evidence=":".join(place)), shown

    # -- writing ---------------------------------------------------------------------------------

    def _change(self, tool: Tool, args: dict[str, Json]) -> ToolResult:
        taped = self._taped(tool, args)
        if taped is not None:
            is_error = bool(tool.refused(taped[0], args))
            self._did(tool, args, taped[0])
            return ToolResult(
                content=taped[0], source=RECORDED, is_error=is_error, evidence=taped[1]
            )
        why = ONLY_RECORDED
        if tool.policy != STRICT:
            try:
                return self._derive_change(tool, args)
            except (Missing, NotKnown) as fault:
                why = str(fault) or "no behaviour was learnt for this case"
        self._log_unknown(tool.name, args, "")
        return _notice(tool.name, why)

    def _taped(self, tool: Tool, args: dict[str, Json]) -> tuple[str, str] | None:
        entries = tool.tape.get(stable(args), ())
        if not entries:
            return None
        for entry in entries:
            # A living backend had another state in every other episode, whatever its history here.
            if self._world.living and entry.evidence not in self._own:
                continue
            before = self.history(tool, args, entry.content)
            if entry.before == before:
                return entry.content, entry.evidence
            if self._agreed(entries, entry.content, before):
                return entry.content, entry.evidence
        return None

    def _agreed(self, entries: Sequence[Taped], content: str, before: tuple[str, ...]) -> bool:
        """Whether the answer was recorded for each way in which unknown calls may have ended: done, or refused."""
        doubts = sum(call.endswith(DOUBT) for call in before)
        if not 0 < doubts <= MAX_DOUBTS:
            return False
        told = {entry.before for entry in entries if entry.content == content}
        return all(past in told for past in self._endings(before))

    def _endings(self, before: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        ways: list[tuple[str, ...]] = [()]
        for call in before:
            if not call.endswith(DOUBT):
                ways = [(*way, call) for way in ways]
                continue
            done = [(*way, call.removesuffix(DOUBT)) for way in ways]
            tool = self._world.tools.get(call.split(" ", 1)[0])
            ways = [*ways, *done] if tool is None or tool.refusals else done
        return iter(ways)

    def history(self, tool: Tool, args: dict[str, Json], content: str) -> tuple[str, ...]:
        """The earlier calls that matter for this one: they share a name with it or with its result."""
        if not self.state.log:
            return ()
        about = self._about(tool, args)
        names = self._names(args, content, about)
        tokens = {f"{table}|{key}" for table, key in about}
        return tuple(
            e.call
            for e in self.state.log
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

    def _derive_change(self, tool: Tool, args: dict[str, Json]) -> ToolResult:
        if tool.limit is not None and self._made(tool) >= tool.limit:
            raise NotKnown("more calls than were ever seen in one episode")
        done = {e.tool for e in self.state.log}
        if not tool.needs <= done or not tool.bars.isdisjoint(done):
            raise NotKnown("success was never seen after these calls")
        if tool.alone and self.history(tool, args, ""):
            raise NotKnown("an earlier call may have changed what this does")
        old = self._old(tool, args)
        scope = self._scope(args, old)
        for guard in tool.guards:
            if not guard.objects(scope):
                continue
            if guard.message is None:
                raise NotKnown("success was never seen under this condition: " + guard.name)
            message = guard.message(scope)
            return ToolResult(
                content=message if isinstance(message, str) else tool.render(message),
                source=DERIVED,
                is_error=True,
                evidence=f"{tool.name}: {guard.name}",
            )
        if not tool.claims or tool.answer is None:
            raise NotKnown("when this succeeds is not known well enough")
        changes = self._changes(tool, scope)
        if changes:
            scope.it = changes[0][1]
        content = tool.render(tool.answer(scope))
        entry = self._entry(tool, args, content, known=True)
        self.state.add(entry)
        for place, row in changes:
            self.state.put(place, row, entry)
        return ToolResult(content=content, source=DERIVED, evidence=tool.name)

    def _made(self, tool: Tool) -> int:
        return sum(e.tool == tool.name for e in self.state.log)

    def _changes(self, tool: Tool, scope: Scope) -> list[tuple[Place, Json]]:
        """Every row that a successful call changes or creates, as it is afterwards."""
        out: list[tuple[Place, Json]] = []
        for write in tool.writes:
            if write.whole is not None:
                row: Json = write.whole(scope)
                scope.it = row
                out.append((self._place(write.target, scope), row))
                scope.it = None
            else:
                out.append(self._changed(write, scope))
        return out

    def _changed(self, write: Write, scope: Scope) -> tuple[Place, Json]:
        place = self._place(write.target, scope)
        before = self.state.row(place, ())
        if not isinstance(before, dict):
            raise NotKnown("the record is not an object")
        outer, scope.old = scope.old, before
        after = dict(before)
        for name, value, when in write.fields:
            if when is None or when(scope):
                after[name] = value(scope)
            else:
                after.pop(name, None)
        scope.old = outer
        return place, after

    def _old(self, tool: Tool, args: dict[str, Json]) -> Json:
        ref = tool.shows or (tool.writes[0].target if tool.writes else None)
        if ref is None or (tool.writes and tool.writes[0].creates):
            return None
        try:
            place = self._place(ref, self._scope(args, None))
            return self.state.row(place, names_in(args))
        except (Missing, NotKnown):
            return None

    # -- following -------------------------------------------------------------------------------

    def _saw(self, tool: Tool, args: dict[str, Json], content: str) -> None:
        if tool.reads is None or tool.view is not None:
            return
        try:
            place = self._place(tool.reads, self._scope(args, None))
        except (Missing, NotKnown):
            return
        if tool.refused(content, args):
            return
        parsed = parse_json(content)
        value: Json = content if parsed is None or tool.as_text else parsed.value
        known = self.state.look(place)
        if known is ABSENT or known != value or self.state.clouded(place, names_in(value)):
            self.state.put(place, value, None)

    def _did(self, tool: Tool, args: dict[str, Json], content: str) -> None:
        refused = tool.refused(content, args)
        if refused:
            return
        if refused is None:
            self._log_unknown(tool.name, args, content)
            return
        parsed = parse_json(content)
        old = self._old(tool, args)
        entry = self._entry(tool, args, content, known=True)
        scope = self._scope(args, old)
        rows = self._predicted(tool, scope)
        self.state.add(entry)
        for place, row in rows:
            self.state.put(place, row, entry)
        if tool.shows is not None and parsed is not None and not _alike(old, parsed.value):
            entry.known = False
        elif tool.shows is not None and parsed is not None:
            shown = self._scope(args, None)
            shown.it = parsed.value
            try:
                self.state.put(self._place(tool.shows, shown), parsed.value, entry)
            except (Missing, NotKnown):
                entry.known = False
        elif tool.writes and not rows:
            entry.known = False

    def _predicted(self, tool: Tool, scope: Scope) -> list[tuple[Place, Json]]:
        try:
            return self._changes(tool, scope)
        except (Missing, NotKnown):
            return []

    def _log_unknown(self, name: str, args: Mapping[str, Json], content: str) -> None:
        tool = self._world.tools.get(name)
        if tool is not None:
            self.state.add(self._entry(tool, dict(args), content, known=False))
            return
        names = frozenset(names_in(dict(args)))
        self.state.add(
            Entry(
                tool=name,
                call=call_text(name, args),
                names=names,
                settled=frozenset(),
                known=False,
                event=None,
            )
        )

    # -- small parts -----------------------------------------------------------------------------

    def _scope(self, args: dict[str, Json], old: Json) -> Scope:
        state = self.state

        def number(counter: str) -> int:
            if counter not in state.counters:
                raise NotKnown("a counter without a value")
            fed = self._world.counters.get(counter, {}).get("fed_by", ())
            if any(not e.known and e.tool in fed for e in state.log):
                raise NotKnown("an earlier call may have counted")
            value = state.counters[counter]
            limit = self._world.counters.get(counter, {}).get("limit")
            if limit is not None and value > limit:
                raise NotKnown("a counter beyond what was seen")
            state.counters[counter] = value + 1
            return value

        return Scope(args, old, row=state.lookup, number=number)

    @staticmethod
    def _place(ref: RowRef, scope: Scope) -> Place:
        return ref.table, key_text([simplify(key(scope)) for key in ref.keys])

    def _about(self, tool: Tool, args: dict[str, Json]) -> tuple[Place, ...]:
        scope = self._scope(args, None)
        places: list[Place] = []
        refs = [*tool.names]
        if tool.shows is not None:
            refs.append(tool.shows)
        for ref in refs:
            try:
                place = self._place(ref, scope)
            except (Missing, NotKnown):
                continue
            if place not in places:
                places.append(place)
        return tuple(places)

    def _names(self, args: dict[str, Json], content: str, about: tuple[Place, ...]) -> set[str]:
        names = names_in(args)
        parsed = parse_json(content)
        if parsed is None:
            names |= names_in([*content.split()])
        else:
            names |= names_in(parsed.value) | tokens_in(parsed.value)
        names |= tokens_in(args)
        for place in about:
            found = self.state.look(place)
            if found is not ABSENT:
                names |= self.state.names_at(place, found)
        return names

    def _entry(self, tool: Tool, args: dict[str, Json], content: str, *, known: bool) -> Entry:
        about = self._about(tool, args)
        kind = "act" if tool.kind == "act" else "write"
        lost = not known and not content
        return Entry(
            tool=tool.name,
            # Nobody knows what came of it: no recorded history had that.
            call=call_text(tool.name, args) + (DOUBT if lost else ""),
            nameless=lost and tool.news,
            names=frozenset(self._names(args, content, about)),
            settled=tool.settled,
            known=known,
            event=Event(tool=tool.name, arguments=canonical(args), kind=kind) if known else None,
            about=about,
            blind=tool.far if known else tool.far | self._blind(tool, about),
        )

    def _blind(self, tool: Tool, about: tuple[Place, ...]) -> frozenset[str]:
        """What a call with an unknown outcome may reach beyond the rows it names."""
        seen = bool(about) and all(self.state.look(place) is not ABSENT for place in about)
        return frozenset() if seen else tool.reach - {place[0] for place in about}

    def _envelope(self) -> Mapping[str, Json] | None:
        if self.caller is None:
            return None
        envelope: Mapping[str, Json] | None = self._world.callers.get(self.caller, {}).get(
            "envelope"
        )
        return envelope

    def _unknown_tool(self, name: str) -> ToolResult:
        self._log_unknown(name, {}, "")
        return _notice(name, "no call of this tool was ever recorded")


def _alike(old: Json, new: Json) -> bool:
    """Whether a result can be the record after a change: one that says why nothing was done looks otherwise."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return True
    before, after = _fields(old), _fields(new)
    return len(before & after) * 3 >= len(before)


def _fields(record: dict[str, Json]) -> set[str]:
    """Names of fields, and of fields inside fields."""
    inner = {f"{n}.{m}" for n, value in record.items() if isinstance(value, dict) for m in value}
    return inner | set(record)


def _notice(tool: str, reason: str) -> ToolResult:
    content = stable({"error": "unknown", "tool": tool, "reason": reason})
    return ToolResult(content=content, source=UNKNOWN)
