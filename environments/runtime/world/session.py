"""A session: one running copy of a world, answering calls and following recordings.

Goes in: calls, or recorded calls with their results. Comes out: `ToolResult` with its source, and the `EndState`. A
session shares its state with the others that came the same way (`world.cached_states`) until it leaves that way. Not here: how
an answer is found (`answers.reads`, `answers.writes`), what all sessions share (`world`), learning (`synth.worlds`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from ..answers.reads import show
from ..answers.recall import Recall
from ..answers.writes import follow_change, follow_read
from ..task.attempt import DERIVED, RECORDED, UNKNOWN, AnsweredCall, EndState, Json, ToolResult
from ..values.literals import parse_arguments
from ..values.normal import unwrap
from ..views.view import CallInFlight
from .answerers import LookUp, ToolCall, change, read
from .cached_states import CachedState
from .entries import Place
from .log import log_unknown
from .notice import NOT_MADE, ONLY_RECORDED, SELDOM_RIGHT, notice, notice_if_withheld
from .scope import CallContext
from .state import ABSENCE
from .task_start import StartFacts
from .tool import STRICT, Tool

if TYPE_CHECKING:
    from ..answers.differing_pasts import DoneCall
    from .learnt import Learnt


class Session:
    """One running copy of a world."""

    __slots__ = (
        "_cached",
        "_done",
        "_given",
        "_let_in",
        "_shared",
        "_views",
        "_wordings",
        "_world",
        "caller",
        "started_at",
        "state",
        "subject",
    )

    def __init__(
        self,
        world: Learnt,
        cached: CachedState,
        *,
        started_at: int,
        caller: str | None,
        given: StartFacts,
    ) -> None:
        self._world = world
        self._given = given
        views = world.views
        # Most worlds have none, and sessions open by the thousand.
        self._views = tuple(v.opened(started_at, given.subject) for v in views) if views else ()
        self._done: tuple[DoneCall, ...] = ()
        """The calls that may have changed something, in a world that recalls answers."""
        self._let_in: tuple[DoneCall, ...] = ()
        """The calls without which other tools refuse."""
        self._wordings: Mapping[str, str] = {}
        """Recorded texts, each with the one that this session sent instead."""
        self._cached: CachedState | None = cached
        self._shared = True
        self.state = cached.state
        """What others may hold too: never to be changed but by `_leave` first."""
        self.started_at = started_at
        self.caller = caller
        self.subject = given.subject

    def call(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        """The tool's answer to one call, and its effect."""
        for view in self._views:
            if not view.passes(name, arguments):
                return self.call_with_meaning(name, arguments).result
        recall = self._world.recall
        if recall is None:
            return self._answer_marked(name, arguments)
        if name not in recall.looks:
            return self.call_with_meaning(name, arguments).result
        result = self._trusted_result(
            recall, (name, arguments), self._answer_marked(name, arguments)
        )
        self._note_gate(name, arguments, result)
        return result

    def call_with_meaning(self, name: str, arguments: Mapping[str, Json] | str) -> AnsweredCall:
        """The same, with what the call meant."""
        asked = CallInFlight(name, arguments)
        views = self._views
        for view in views:
            view.inward(asked)
        result = self._answer_inner_call(asked)
        for view in reversed(views):
            result = view.outward(asked, result)
        return AnsweredCall(result, asked.meaning_of(name, arguments))

    def _answer_inner_call(self, asked: CallInFlight) -> ToolResult:
        """The answer to a call as its tool takes it."""
        name, arguments = asked.version, asked.arguments
        recall = self._world.recall
        is_followed = (
            recall is None
            or name in recall.looks
            or (
                self._went_before(name, arguments)
                and not self._is_lacking(recall, (name, arguments))
                and not self._is_barred(recall, (name, arguments))
            )
        )
        before = None if is_followed else self._hold_state()
        if asked.why is None:
            result = self._answer_marked(name, arguments)
        else:
            result = self._not_known(name, arguments, asked.why)
        if recall is None:
            return result
        result = self._trusted_result(recall, (name, arguments), result, before)
        self._remember(asked, result)
        return result

    def _remember(self, asked: CallInFlight, result: ToolResult) -> None:
        """Later answers may hang on a call that may have changed something."""
        recall = self._world.recall
        self._note_gate(asked.version, asked.arguments, result)
        if recall is not None and asked.version not in recall.looks and not result.is_error:
            self._done = (*self._done, recall.done_call(asked.version, asked.arguments))

    def _note_gate(
        self, name: str, arguments: Mapping[str, Json] | str, result: ToolResult
    ) -> None:
        """Other tools may refuse without this call."""
        recall = self._world.recall
        if recall is not None and result.source != UNKNOWN and not result.is_error:
            self._note_let_in(recall, (name, arguments), result.content)

    def _note_let_in(
        self, recall: Recall, asked: tuple[str, Mapping[str, Json] | str], answer: str
    ) -> None:
        """Keep a call that lets others in by what it was answered."""
        if recall.is_gate(asked[0]) and recall.lets_in(call := recall.done_call(*asked), answer):
            self._let_in = (*self._let_in, call)

    def _went_before(self, name: str, arguments: Mapping[str, Json] | str) -> bool:
        """Whether a run made this call here, and knew the answer."""
        if self._cached is None or not isinstance(arguments, str):
            return False
        known = self._cached.calls.get((name, arguments))
        return known is not None and known[0].source != UNKNOWN

    def _trusted_result(
        self,
        recall: Recall,
        asked: tuple[str, Mapping[str, Json] | str],
        result: ToolResult,
        before: CachedState | None = None,
    ) -> ToolResult:
        """A behaviour's answer as far as it is trusted, a recorded one where nobody knows; `before`: the state before the call."""
        name, is_known = asked[0], result.source != UNKNOWN
        if is_known and (
            self._is_barred(recall, asked)
            or (not result.is_error and self._is_lacking(recall, asked))
        ):
            if before is not None:
                self._go_to(before)
            result = self._not_known(*asked, NOT_MADE)
        elif is_known:
            trusted = recall.trusted(self._world.origins.get(name, name), result)
            # What a call changed stays believed: only answers of tools that change nothing can be taken back.
            if trusted is not None or name not in recall.looks:
                return trusted or result
            result = notice(name, SELDOM_RIGHT)
        return self._recalled(recall, asked, before) or result

    def _is_lacking(self, recall: Recall, asked: tuple[str, Mapping[str, Json] | str]) -> bool:
        """Whether a call is about a thing that no call of this session made, though a behaviour lets it succeed."""
        return recall.is_lacking(recall.done_call(*asked, self._recall_subject()), self._done)

    def _is_barred(self, recall: Recall, asked: tuple[str, Mapping[str, Json] | str]) -> bool:
        """Whether a call lacks what has to come first: what it is told then was never recorded."""
        return recall.needs_gate(asked[0]) and recall.is_barred(
            recall.done_call(*asked, self._recall_subject()), self._let_in
        )

    def _go_to(self, cached: CachedState) -> None:
        """To a state that others may hold too."""
        self.state, self._cached, self._shared = cached.state, cached, True

    def _recalled(
        self,
        recall: Recall,
        asked: tuple[str, Mapping[str, Json] | str],
        before: CachedState | None,
    ) -> ToolResult | None:
        """The recorded answer, followed like a recording; None where none is sure enough."""
        call = recall.done_call(*asked, self._recall_subject())
        barred = self._is_barred(recall, asked)
        best = None if barred else recall.recalled_answer(call, self._done, self._given.own)
        refused = None
        if best is None:
            refused = recall.refused_unmade(call, self._done) or recall.refused(call.tool)
        if before is not None and (best is not None or refused is not None):
            self._go_to(before)
        if best is None:
            return refused
        logged_before = len(self.state.log)
        self._leave()
        self._follow_recording(*asked, best.answer.content)
        again = any(earlier.text == call.text for earlier in self._done)
        for entry in self.state.log[logged_before:]:
            # What exactly it changed nobody knows; whoever makes the same call changes the same. Made once more it may
            # change that again, or nothing.
            entry.known, entry.kind = not again, entry.kind or "write"
        return best.result()

    def _answer_marked(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        """The answer with marks where fresh values go."""
        if not isinstance(arguments, str):
            return self._answer(name, arguments)
        call = (name, arguments)
        cached = self._cached
        if cached is not None:
            known = cached.calls.get(call)
            if known is not None:
                if known[1] is not None:
                    self._cached, self.state = known[1], known[1].state
                return known[0]
        hit = self._world.cache.get(call)
        if hit is not None and self._untouched(hit[1], hit[2]):
            return hit[0]
        result = self._answer(name, arguments)
        after = self._cached
        if cached is not None and after is not None and self._world.cache_budget.take_answer():
            cached.calls[call] = (result, None if after is cached else after)
        return result

    def _answer(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        tool = self._world.tools.get(name)
        if tool is None:
            why = "no call of this tool was ever recorded"
            return self._changing(lambda: self._note_unknown(name, {}, why))
        parsed = parse_arguments(arguments)
        if parsed is None:
            return notice(name, "the arguments are not a JSON object")
        args = tool.normal(parsed)
        if tool.innocent:
            return self._show(tool, args, arguments)
        return self._changing(lambda: self._change(tool, args, arguments))

    def _change(
        self, tool: Tool, args: dict[str, Json], arguments: Mapping[str, Json] | str
    ) -> ToolResult:
        """The answer of a tool that may change something."""
        call = ToolCall(context=self.call_context(arguments), tool=tool, args=args)
        return notice_if_withheld(tool.name, args, change(call))

    def _show(
        self, tool: Tool, args: dict[str, Json], arguments: Mapping[str, Json] | str
    ) -> ToolResult:
        """The answer of a tool that changes nothing."""
        context = self.call_context(arguments)
        found, place, names = show(context, tool, args)
        shown = notice_if_withheld(tool.name, args, found)
        if tool.policy == STRICT and shown.source == DERIVED:
            return notice(tool.name, ONLY_RECORDED)
        call = LookUp(context=context, tool=tool, args=args, shown=shown)
        result = read(call)
        if result is not shown:
            is_replayed = result.source == RECORDED
            return (
                self._changing(lambda: self._follow_recorded_read(tool, args, result))
                if is_replayed
                else result
            )
        if isinstance(arguments, str) and not (tool.part.early or tool.influence.makers):
            self._keep(
                (tool.name, arguments), result, place, None if tool.influence.loose else names
            )
        return result

    def _follow_recorded_read(
        self, tool: Tool, args: dict[str, Json], told: ToolResult
    ) -> ToolResult:
        """A recorded answer of a reader: what it shows is known from here on."""
        follow_read(self.call_context(), tool, args, told.content)
        return told

    def _changing(self, change: Callable[[], ToolResult]) -> ToolResult:
        """The answer to a call that may change something; the state that it leads to is cached."""
        before, cached, shared = self.state, self._cached, self._shared
        self._leave()
        result = change()
        if self.state.same_as(before):
            self.state, self._cached, self._shared = before, cached, shared
        elif cached is not None and self._world.cache_budget.take_state():
            self._cached, self._shared = CachedState(self.state), True
        return result

    def _leave(self) -> None:
        """From here on the state is this session's own."""
        if self._shared:
            self.state, self._shared = self.state.copy(), False
        self._cached = None

    def _keep(
        self, call: tuple[str, str], result: ToolResult, place: Place | None, names: set[str] | None
    ) -> None:
        """Keep an answer for all sessions, whatever they did that does not touch it."""
        state = self.state
        pristine = not state.log and not self._world.living and place not in state.rows
        if pristine and result.source != UNKNOWN and self._world.cache_budget.take_answer():
            if place is not None and names is not None:
                names.add(place[0] + "|" + place[1])
            self._world.cache[call] = (result, frozenset(names) if names else None, place)

    def observe(self, name: str, arguments: Mapping[str, Json] | str, content: str) -> None:
        """Follow a recording: the call was made and this is what really came back."""
        self._leave()
        asked, inside = CallInFlight(name, arguments), unwrap(content, self._envelope())
        for view in self._views:
            inside = view.observed(asked, inside)
        if asked.is_effect_unknown:
            log_unknown(
                self.call_context(), asked.version, parse_arguments(asked.arguments) or {}, inside
            )
        else:
            self._follow_recording(asked.version, asked.arguments, inside)
        recall = self._world.recall
        if recall is not None:
            if asked.version not in recall.looks:
                self._done = (*self._done, recall.done_call(asked.version, asked.arguments))
            self._note_let_in(recall, (asked.version, asked.arguments), inside)

    def _recall_subject(self) -> str:
        """Whose session it is, where any tool answers by that."""
        return self.subject or "" if self._world.bound else ""

    def _follow_recording(
        self, name: str, arguments: Mapping[str, Json] | str, content: str
    ) -> None:
        """Follow a recorded call and result as the tool takes and gives them."""
        tool, parsed = self._world.tools.get(name), parse_arguments(arguments)
        if tool is None or parsed is None:
            log_unknown(self.call_context(), name, parsed or {}, content)
            return
        args = tool.normal(parsed)
        if tool.innocent:
            follow_read(self.call_context(), tool, args, content)
        else:
            follow_change(self.call_context(), tool, args, content)

    def call_context(self, sent: Mapping[str, Json] | str | None = None) -> CallContext:
        """Where the next call is answered; `sent`: its arguments as they were sent."""
        given = self._given
        return CallContext(self._world, self.state, given.own, given.believed, sent)

    def end_state(self) -> EndState:
        """What differs from the start, what was done without a record, and what nobody knows."""
        end, origins = self.state.end(self._world.written), self._world.origins
        if not origins:
            return end
        events = tuple(replace(e, tool=origins.get(e.tool, e.tool)) for e in end.events)
        return replace(end, events=events)

    def fork(self) -> Self:
        """An independent session in the same state; whichever goes on first copies it."""
        other = type(self)(
            self._world,
            self._hold_state(),
            started_at=self.started_at,
            caller=self.caller,
            given=self._given,
        )
        other._views = tuple(view.copy() for view in self._views)  # noqa: SLF001 - one of its own kind
        other._wordings, other._done, other._let_in = self._wordings, self._done, self._let_in  # noqa: SLF001 - as above
        return other

    def _hold_state(self) -> CachedState:
        """The state as it is now: whatever is done next copies it first."""
        self._shared = True
        return self._cached or CachedState(self.state)

    def _go_back(self, before: Session) -> None:
        """To where the session was before a call; `before` is used up."""
        self.state, self._cached, self._shared = before.state, before._cached, True
        self._views = before._views
        self._done, self._let_in = before._done, before._let_in

    def _resume(self, before: Session) -> None:
        """Go on from where another session of the same kind is; that one is used up."""
        self._go_back(before)
        self._wordings = before._wordings

    def _untouched(self, names: frozenset[str] | None, place: Place | None) -> bool:
        state = self.state
        if place is not None and place in state.rows:
            return False
        if not state.log:
            return True
        if place is not None and (
            place[0] in state.tainted_tables or place[0] + ABSENCE in state.tainted_tables
        ):
            return False
        return names is not None and not state.touches(names)

    def _envelope(self) -> Mapping[str, Json] | None:
        return None if self.caller is None else self._world.envelopes.get(self.caller)

    def _not_known(self, name: str, arguments: Mapping[str, Json] | str, why: str) -> ToolResult:
        """Nobody knows what a backend does with such a call, nor what it changes."""
        tool, parsed = self._world.tools.get(name), parse_arguments(arguments) or {}
        if tool is not None and tool.innocent:
            return notice(name, why)
        return self._changing(lambda: self._note_unknown(name, parsed, why))

    def _note_unknown(self, name: str, args: Mapping[str, Json], why: str) -> ToolResult:
        """The notice, with the call in the log."""
        log_unknown(self.call_context(), name, args, "")
        return notice(name, why)
