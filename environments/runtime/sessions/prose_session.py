"""Sessions of worlds whose tools take prose: a call that nobody can answer is asked in a recorded wording.

Goes in: a call with a text of the agent's own. Comes out: the answer to the same call in a recorded wording, with the text that was
sent wherever the recorded one stands; records that the call leaves hold the text that was sent. What the world knows of the
call as it is goes before. Not here: which wordings there are (`prose`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, Self

from ..task.attempt import DERIVED, UNKNOWN, AnsweredCall, EndState, Json, MeantCall, ToolResult
from ..values.literals import parse_arguments
from ..values.normal import stable
from ..views.view import in_form_of
from ..world.session import Session
from .prose import Prose, reworded, said_again, with_texts
from .recorded_session import RecordedSession

SAYS: Final = "asked in a recorded wording"


class _ProseMixin(Session):
    """What a session does where a tool takes prose; mixed into each kind of session."""

    __slots__ = ()

    def call(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        """The tool's answer to one call, and its effect."""
        return self.call_with_meaning(name, arguments).result

    def call_with_meaning(self, name: str, arguments: Mapping[str, Json] | str) -> AnsweredCall:
        """The same, with what the call meant."""
        prose = self._world.prose.get(name)
        parsed = parse_arguments(arguments) if prose is not None or self._wordings else None
        if parsed is None:
            return super().call_with_meaning(name, arguments)
        given = {mine: old for old, mine in self._wordings.items()}
        asked = {key: reworded(value, given) for key, value in parsed.items()}
        if asked != parsed:
            arguments = in_form_of(arguments, asked)
        before = self.fork() if prose is not None else None
        made = super().call_with_meaning(name, arguments)
        if made.result.source == UNKNOWN and prose is not None and before is not None:
            made = self._answer_reworded(name, asked, prose, before) or made
        return self._in_words(made)

    def _answer_reworded(
        self, name: str, asked: Mapping[str, Json], prose: Prose, before: Self
    ) -> AnsweredCall | None:
        """The answer to the call in a recorded wording; None, and all as it was, where no wording has one."""
        after = self.fork()
        mine = prose.texts(asked)
        for texts in prose.wordings(asked):
            stands = {
                o: m for o, m in zip(texts, mine, strict=True) if o is not None and m is not None
            }
            stands = {old: new for old, new in stands.items() if old != new}
            # One recorded text cannot stand for two, and a text that is there already is its own.
            if not self._wordings.keys().isdisjoint(stands):
                continue
            self._resume(before.fork())
            made = super().call_with_meaning(
                name, json.dumps(with_texts(asked, prose.paths, texts))
            )
            if made.result.source != UNKNOWN:
                self._wordings = {**self._wordings, **stands}
                evidence = f"{made.result.evidence}, {SAYS}" if made.result.evidence else SAYS
                return replaced(made, replace(made.result, source=DERIVED, evidence=evidence))
        self._resume(after)
        return None

    def _in_words(self, made: AnsweredCall) -> AnsweredCall:
        """An answer, and what was meant, in the words of this session."""
        result, meant = made
        if not self._wordings:
            return made
        if meant is not None:
            own = {n: reworded(v, self._wordings) for n, v in meant.arguments.items()}
            meant = MeantCall(meant.tool, own)
        content = said_again(result.content, self._wordings)
        if content != result.content:
            result = replace(result, content=content, source=DERIVED)
        return AnsweredCall(result, meant)

    def end_state(self) -> EndState:
        """What differs from the start, in the words of this session."""
        end = super().end_state()
        if not self._wordings:
            return end
        effects = tuple(replace(e, after=reworded(e.after, self._wordings)) for e in end.effects)
        events = tuple(
            replace(e, arguments=stable(reworded(json.loads(e.arguments), self._wordings)))
            for e in end.events
        )
        return replace(end, effects=effects, events=events)


def replaced(made: AnsweredCall, result: ToolResult) -> AnsweredCall:
    """The same call with another answer."""
    return AnsweredCall(result, made.meant)


class WordedSession(_ProseMixin, Session):
    """A session of a world whose tools take prose."""

    __slots__ = ()


class WordedRecordedSession(_ProseMixin, RecordedSession):
    """The same with answers recorded along a path."""

    __slots__ = ()
