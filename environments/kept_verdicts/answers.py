"""What a world answered while a task was attacked, and whether another world would answer all of it alike.

In: a world, then the runs of one task. Out: every call that was made at every state, with a digest of its answer, once
however many runs came that way; later, whether a world gives the same answers. What grades attempts sees nothing else
of a world. Not here: what else a verdict depends on (`reads`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from environments.runtime.play.environment import Session, World
from environments.runtime.task.attempt import AnsweredCall, EndState, Json, ToolResult
from environments.runtime.task.task import Task

Answer = tuple[int, str, str, str, str]
"""The place of the call before it (-1: none), tool, arguments as text, digest of the answer, digest of the end (empty: nobody asked)."""
ROOT: Final = -1
OBJECT: Final = "\0"
"""Before arguments that did not come as text: a world may remember answers by the text they were asked with."""


@dataclass(slots=True)
class AnswerNode:
    """Where some calls led."""

    answer: str = ""
    end: str = ""
    ways: dict[tuple[str, str], AnswerNode] = field(default_factory=dict)
    at: int = ROOT
    """Where `HeardWorld.answers` put it."""


class HeardWorld:
    """A world whose answers to the runs of one task are noted."""

    def __init__(self, world: World, task: Task) -> None:
        self._world = world
        self._task = task
        self._root = AnswerNode()
        self.last = self._root
        """Where the last run ended."""
        self.whole = True
        """Whether every run began where the task begins: nothing else can be asked again."""

    def session(self, start: Mapping[str, Json], *, started_at: int) -> _HeardSession:
        """A fresh backend that notes what it answers."""
        self.whole &= start is self._task.start and started_at == self._task.started_at
        session = self._world.session(start, started_at=started_at)
        return _HeardSession(session, self, self._root)

    def take(self, kept: Sequence[Answer], end: int) -> None:
        """Note a run of before that ended there, as if it had been made now."""
        self.last = self._root
        for at in _path(kept, end):
            _, tool, text, answer, _ = kept[at]
            if tool:
                self.last = self.last.ways.setdefault((tool, text), AnswerNode(answer=answer))
        self.last.end = kept[end][-1]

    def answers(self) -> tuple[Answer, ...]:
        """What was answered, each call behind the one that it followed."""
        found: list[Answer] = []
        open_: list[tuple[int, tuple[str, str], AnswerNode]] = [
            (ROOT, call, place) for call, place in self._root.ways.items()
        ]
        if self._root.end:
            self._root.at = 0
            found.append((ROOT, "", "", "", self._root.end))
        while open_:
            before, call, place = open_.pop()
            found.append((before, *call, place.answer, place.end))
            place.at = len(found) - 1
            open_ += [(place.at, way, after) for way, after in place.ways.items()]
        return tuple(found)


class _HeardSession:
    """A session that notes what it answers."""

    def __init__(self, session: Session, heard: HeardWorld, place: AnswerNode) -> None:
        self._session = session
        self._heard = heard
        self._place = place

    def call(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        """Answer one call."""
        return self.call_with_meaning(name, arguments).result

    def call_with_meaning(self, name: str, arguments: Mapping[str, Json] | str) -> AnsweredCall:
        """The same, with what the call meant."""
        made = self._session.call_with_meaning(name, arguments)
        text = arguments if isinstance(arguments, str) else OBJECT + json.dumps(arguments)
        place = self._place.ways.get((name, text))
        if place is None:
            place = self._place.ways[name, text] = AnswerNode(answer=_digest_of(made))
        self._place = place
        return made

    def end_state(self) -> EndState:
        """What differs from the start."""
        end = self._session.end_state()
        if not self._place.end:
            self._place.end = _digest(repr(end))
        self._heard.last = self._place
        return end


def answers_alike(world: World, task: Task, kept: Sequence[Answer]) -> bool:
    """Whether a world answers all that was asked as it was answered then."""
    return next(_unlike(world, task, kept), None) is None


def ends_alike(
    world: World, task: Task, kept: Sequence[Answer], ends: Iterable[int]
) -> frozenset[int]:
    """The ends to which a world leads as it did then, each answer on the way alike."""
    unlike = set(_unlike(world, task, kept))
    return frozenset(end for end in ends if unlike.isdisjoint(_path(kept, end)))


def _unlike(world: World, task: Task, kept: Sequence[Answer]) -> Iterator[int]:
    """The calls that a world answers or ends otherwise."""
    checked: set[int] = set()
    for path in _paths(kept):
        session = world.session(task.start, started_at=task.started_at)
        for at in path:
            _, tool, text, answer, end = kept[at]
            if tool:
                is_object = text.startswith(OBJECT)
                given: Mapping[str, Json] | str = json.loads(text[1:]) if is_object else text
                made = session.call_with_meaning(tool, given)
                if at not in checked and _digest_of(made) != answer:
                    yield at
            if end and at not in checked and _digest(repr(session.end_state())) != end:
                yield at
            checked.add(at)


def _paths(kept: Sequence[Answer]) -> Iterator[list[int]]:
    """The ways from the start to each last call."""
    followed = {one[0] for one in kept}
    for last in range(len(kept)):
        if last in followed:
            continue
        yield _path(kept, last)


def _path(kept: Sequence[Answer], last: int) -> list[int]:
    """The way from the start to a call."""
    path = [last]
    while (before := kept[path[-1]][0]) != ROOT:
        path.append(before)
    return path[::-1]


def _digest_of(made: AnsweredCall) -> str:
    result, meant = made.result, made.meant
    what = None if meant is None else [meant.tool, meant.arguments]
    told = [result.content, result.source, result.is_error, result.evidence, what]
    return _digest(json.dumps(told, default=repr))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
