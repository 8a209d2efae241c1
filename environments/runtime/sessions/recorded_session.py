"""Sessions with answers that are told after the very same calls: of tools that were not learnt, and along a task's own attempts.

Goes in: the recordings of a world, the `path` of a task's start, then calls. Comes out: recorded answers, else what the world says, else
`unknown`. Nobody knows what a tool that was not learnt changes, so after a call of one that may change something every tool has
its recordings only. Not here: what is recorded (`answers.recorded_only`, `synth.attempts.recorded_path`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Self

from ..answers.recorded_only import past_key
from ..task.attempt import RECORDED, UNKNOWN, AnsweredCall, Json, ToolResult
from ..values.literals import parse_arguments
from ..values.normal import same_answer, unwrap
from ..views.result_wrappers import Wrapped
from ..views.view import CallInFlight
from ..world.cached_states import CachedState
from ..world.entries import CallResult, Entry, asked_text
from ..world.notice import notice, notice_if_withheld
from ..world.session import Session

if TYPE_CHECKING:
    from ..world.learnt import Learnt
    from ..world.task_start import StartFacts

NEVER_LEARNT: Final = "learning this tool failed, and no recording has the same calls before it"
NOT_KNOWN: Final = "?"
"""Behind a call of which nobody knows what came: no recording has that."""
PATH: Final = "path"
"""Where an answer comes from that was recorded along a path of the task."""


def only_looks(world: Learnt, name: str) -> bool:
    """Whether a call of this tool changes nothing, as far as is known."""
    tool = world.tools.get(name)
    return name in world.recordings.looks or (tool is not None and tool.innocent)


class RecordedSession(Session):
    """A session of a world with tools that were not learnt, or of a task with the answers recorded along the paths of its own attempts.

    Whoever makes the calls of a path gets its answers, whatever the world believes of the tools. Elsewhere the world answers.
    """

    __slots__ = ("_past", "_times", "_unlearnt")

    def __init__(
        self,
        world: Learnt,
        cached: CachedState,
        *,
        started_at: int,
        caller: str | None,
        given: StartFacts,
    ) -> None:
        super().__init__(world, cached, started_at=started_at, caller=caller, given=given)
        self._past: tuple[str, ...] = ()
        """Every call so far that may have changed something, whatever came of it."""
        self._unlearnt = False
        """Whether a tool that was not learnt may have changed something."""
        self._times: Mapping[tuple[str, str], int] = {}
        """How often each call of the path was made after the same calls."""

    def call(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        """The tool's answer to one call, and its effect."""
        return self.call_with_meaning(name, arguments).result

    def call_with_meaning(self, name: str, arguments: Mapping[str, Json] | str) -> AnsweredCall:
        """The same, with what the call meant."""
        call = asked_text(name, arguments)
        told = self._told_on_path(call)
        if told is None:
            return self._made_elsewhere(name, arguments, call)
        before = self.fork()
        made = self._made_elsewhere(name, arguments, call)
        if made.result.source != UNKNOWN and self._is_same(name, made.result.content, told.content):
            return made
        self._go_back(before)
        self.observe(name, arguments, told.content)
        for entry in self.state.log[len(before.state.log) :]:
            if not entry.known:
                # What exactly it changed nobody knows; whoever makes the call on this path changes the same.
                entry.known, entry.kind = True, entry.kind or "write"
        return AnsweredCall(told, made.meant)

    def _is_same(self, name: str, made: str, told: str) -> bool:
        """Whether two answers are equal but for what stands around results and differs at each call: it tells the time of this call, not of that one."""
        return same_answer(made, told) or same_answer(
            self._inner_answer(name, made), self._inner_answer(name, told)
        )

    def _inner_answer(self, name: str, content: str) -> str:
        """An answer as it stands in its wrapping; whole where results have none."""
        asked, inside = CallInFlight(name, ""), content
        for view in self._views:
            inside = view.strip_result(asked, inside, {})
            if isinstance(view, Wrapped):
                return inside
        return content

    def _told_on_path(self, call: str) -> ToolResult | None:
        """What was answered along the path the n-th time that this call came after the same calls; None off the path."""
        path = self._given.path
        if not path:
            return None
        at = past_key(self._past), call
        answers = path.get(at[0], {}).get(call)
        if not answers:
            return None
        times = self._times.get(at, 0)
        self._times = {**self._times, at: times + 1}
        content, failed = answers[min(times, len(answers) - 1)]
        return ToolResult(content=content, source=RECORDED, is_error=failed, evidence=PATH)

    def _made_elsewhere(
        self, name: str, arguments: Mapping[str, Json] | str, call: str
    ) -> AnsweredCall:
        """What the world answers, or the recordings of a tool that was not learnt."""
        if not self._of_recordings(name):
            made = super().call_with_meaning(name, arguments)
            self._note(name, call, known=made.result.source != UNKNOWN)
            return made
        told = self._world.recordings.recorded_answer(self._past, call, self._given.own)
        args = parse_arguments(arguments) or {}
        result = notice_if_withheld(name, args, told or notice(name, NEVER_LEARNT))
        known = result.source != UNKNOWN
        self._note(name, call, known=known)
        self._follow(name, args, result if known else None)
        return AnsweredCall(result)

    def observe(self, name: str, arguments: Mapping[str, Json] | str, content: str) -> None:
        """Follow a recording: the call was made and this is what really came back."""
        call = asked_text(name, arguments)
        if not self._of_recordings(name):
            super().observe(name, arguments, content)
            self._note(name, call, known=True)
            return
        told = self._world.recordings.recorded_answer(self._past, call, self._given.own)
        content = unwrap(content, self._envelope())
        failed = told is not None and told.content == content and told.is_error
        seen = ToolResult(content=content, source=RECORDED, is_error=failed)
        self._note(name, call, known=True)
        self._follow(name, parse_arguments(arguments) or {}, seen)

    def fork(self) -> Self:
        """An independent session in the same state."""
        other = super().fork()
        other._past, other._unlearnt, other._times = self._past, self._unlearnt, self._times  # noqa: SLF001 - one of its own kind
        return other

    def _resume(self, before: Session) -> None:
        """Go on from where another session of the same kind is; that one is used up."""
        super()._resume(before)
        if isinstance(before, RecordedSession):
            self._times = before._times  # noqa: SLF001 - as above

    def _go_back(self, before: Session) -> None:
        super()._go_back(before)
        if isinstance(before, RecordedSession):
            self._past, self._unlearnt = before._past, before._unlearnt  # noqa: SLF001 - one of its own kind

    def _of_recordings(self, name: str) -> bool:
        """Whether only recordings say what such a call is answered; from the first one that may change something all are."""
        recordings = self._world.recordings
        if name in recordings.tools and name not in recordings.looks:
            self._unlearnt = True
        return self._unlearnt or name in recordings.tools

    def _note(self, name: str, call: str, *, known: bool) -> None:
        if not self._only_looks(name):
            self._past = (*self._past, call if known else call + NOT_KNOWN)

    def _follow(self, name: str, args: dict[str, Json], result: ToolResult | None) -> None:
        """What is known of the backend after such a call."""
        if self._only_looks(name) or (result is not None and result.is_error):
            return
        self._leave()
        known = result is not None
        came = CallResult(content=result.content) if result is not None else None
        kind = "write" if known else ""
        self.state.add(Entry(tool=name, args=args, known=known, came=came, kind=kind))

    def _only_looks(self, name: str) -> bool:
        return only_looks(self._world, name)
