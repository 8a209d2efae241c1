"""Recorded answers, told after the very same calls: of tools that were not learnt, and along the path of a task's own attempts.

Goes in: the `recorded` part of a world file, the `path` of a task's start, then calls. Comes out: recorded answers, else `unknown`.
Nobody knows what a tool that was not learnt changes, so after a call of one that may change something every tool has its
recordings only. Not here: which tools these are, and what is recorded of them (`synth.world.recorded_only`, `synth.recorded_path`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Self

from ..task.attempt import RECORDED, UNKNOWN, Answered, Json, ToolResult
from ..values.canonical import digest_bytes
from ..values.normal import parse_arguments, same_answer, unwrap
from ..world.cached_states import CachedState
from ..world.entries import CallResult, Entry, asked_text
from ..world.notice import notice, whole
from ..world.session import Session

if TYPE_CHECKING:
    from ..world.believed import Given
    from ..world.world import World

NEVER_LEARNT: Final = "learning this tool failed, and no recording has the same calls before it"
NOT_KNOWN: Final = "?"
"""Behind a call of which nobody knows what came: no recording has that."""
PATH: Final = "path"
"""Where an answer comes from that was recorded along a path of the task."""
_LENGTH: Final = 32


def past_key(past: Sequence[str]) -> str:
    """The name of everything that was called before and may have changed something."""
    return digest_bytes("\n".join(past).encode("utf-8", "surrogatepass"))[:_LENGTH] if past else ""


class Recordings:
    """What a world file has of tools that were not learnt."""

    __slots__ = ("_told", "looks", "shared", "tools")

    def __init__(self, part: Mapping[str, Any]) -> None:
        self.tools = frozenset(part.get("tools", {}))
        self.looks = frozenset(n for n, said in part.get("tools", {}).items() if said["looks"])
        """Those of them that change nothing."""
        self.shared = bool(part.get("shared"))
        """Whether every episode starts from the same: else a recording says nothing to others."""
        self._told: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]] = part.get("told", {})

    def told(self, past: Sequence[str], call: str, own: frozenset[str]) -> ToolResult | None:
        """The one answer that was recorded to a call after these.

        `own` are the episodes that the session goes on from: what they were told counts. What others were told counts where every episode
        starts from the same, and is no clock's or dice's.
        """
        every = self._told.get(past_key(past), {}).get(call, ())
        found = [one for one in every if not own.isdisjoint(one["from"])]
        if not found and self.shared and not any(one["varies"] for one in every):
            found = list(every)
        if len(found) != 1:
            return None
        (one,) = found
        return ToolResult(
            content=one["content"],
            source=RECORDED,
            is_error=one["failed"],
            evidence=str(one["from"][0]),
        )


def only_looks(world: World, name: str) -> bool:
    """Whether a call of this tool changes nothing, as far as is known."""
    tool = world.tools.get(name)
    return name in world.recordings.looks or (tool is not None and tool.innocent)


class RecordedSession(Session):
    """A session of a world with tools that were not learnt, or of a task with the answers recorded along the paths of its own attempts.

    Whoever makes the calls of a path gets its answers, whatever the world believes of the tools. Elsewhere the world answers.
    """

    __slots__ = ("_dark", "_past", "_times")

    def __init__(
        self,
        world: World,
        moment: CachedState,
        *,
        started_at: int,
        caller: str | None,
        given: Given,
    ) -> None:
        super().__init__(world, moment, started_at=started_at, caller=caller, given=given)
        self._past: tuple[str, ...] = ()
        """Every call so far that may have changed something, whatever came of it."""
        self._dark = False
        """Whether a tool that was not learnt may have changed something."""
        self._times: Mapping[tuple[str, str], int] = {}
        """How often each call of the path was made after the same calls."""

    def call(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        """The tool's answer to one call, and its effect."""
        return self.made(name, arguments).result

    def made(self, name: str, arguments: Mapping[str, Json] | str) -> Answered:
        """The same, with what the call meant."""
        call = asked_text(name, arguments)
        told = self._told_on_path(call)
        if told is None:
            return self._made_elsewhere(name, arguments, call)
        before = self.fork()
        made = self._made_elsewhere(name, arguments, call)
        if made.result.source != UNKNOWN and same_answer(made.result.content, told.content):
            return made
        self._go_back(before)
        self.observe(name, arguments, told.content)
        for entry in self.state.log[len(before.state.log) :]:
            if not entry.known:
                # What exactly it changed nobody knows; whoever makes the call on this path changes the same.
                entry.known, entry.kind = True, entry.kind or "write"
        return Answered(told, made.meant)

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
    ) -> Answered:
        """What the world answers, or the recordings of a tool that was not learnt."""
        if not self._of_recordings(name):
            made = super().made(name, arguments)
            self._note(name, call, known=made.result.source != UNKNOWN)
            return made
        told = self._world.recordings.told(self._past, call, self._given.own)
        args = parse_arguments(arguments) or {}
        result = whole(name, args, told or notice(name, NEVER_LEARNT))
        known = result.source != UNKNOWN
        self._note(name, call, known=known)
        self._follow(name, args, result if known else None)
        return Answered(result)

    def observe(self, name: str, arguments: Mapping[str, Json] | str, content: str) -> None:
        """Follow a recording: the call was made and this is what really came back."""
        call = asked_text(name, arguments)
        if not self._of_recordings(name):
            super().observe(name, arguments, content)
            self._note(name, call, known=True)
            return
        told = self._world.recordings.told(self._past, call, self._given.own)
        content = unwrap(content, self._envelope())
        failed = told is not None and told.content == content and told.is_error
        seen = ToolResult(content=content, source=RECORDED, is_error=failed)
        self._note(name, call, known=True)
        self._follow(name, parse_arguments(arguments) or {}, seen)

    def fork(self) -> Self:
        """An independent session in the same state."""
        other = super().fork()
        other._past, other._dark, other._times = self._past, self._dark, self._times  # noqa: SLF001 - one of its own kind
        return other

    def _resume(self, before: Session) -> None:
        """Go on from where another session of the same kind is; that one is used up."""
        super()._resume(before)
        if isinstance(before, RecordedSession):
            self._past, self._dark, self._times = before._past, before._dark, before._times  # noqa: SLF001 - as above

    def _go_back(self, before: Session) -> None:
        super()._go_back(before)
        if isinstance(before, RecordedSession):
            self._past, self._dark = before._past, before._dark  # noqa: SLF001 - one of its own kind

    def _of_recordings(self, name: str) -> bool:
        """Whether only recordings say what such a call is answered; from the first one that may change something all are."""
        recordings = self._world.recordings
        if name in recordings.tools and name not in recordings.looks:
            self._dark = True
        return self._dark or name in recordings.tools

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
