"""Prose in calls: texts that agents word themselves, and no answer hangs on but by saying them again.

Goes in: a call with such a text that nobody can answer. Comes out: the answer to the same call in a recorded wording, with the text
that was sent wherever the recorded one stands; records that the call leaves hold the text that was sent. What the world knows of
the call as it is goes before. Not here: which arguments these are (`synth.world.views.prose`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from ..answers.recorded_only import RecordedSession
from ..task.attempt import DERIVED, UNKNOWN, Answered, EndState, Json, Meant, ToolResult
from ..values.canonical import digest_bytes
from ..values.normal import parse_arguments, parse_json, simplify, stable
from .session import Session

SAYS: Final = "asked in a recorded wording"
_LENGTH: Final = 32
_ABSENT: Final = "\x00"

Path = tuple[str, ...]
"""Keys from the arguments down to one text."""


@dataclass(frozen=True, slots=True)
class Prose:
    """The prose that one tool takes."""

    paths: tuple[Path, ...]
    said: Mapping[str, Sequence[Sequence[str | None]]]
    """By all other arguments, the recorded texts, one per path; None where a call had none."""
    usual: Sequence[Sequence[str | None]]
    """Recorded texts of the tool that may stand in where nobody recorded these other arguments."""

    @property
    def names(self) -> tuple[str, ...]:
        """The arguments that are prose as a whole."""
        return tuple(path[0] for path in self.paths if len(path) == 1)

    def texts(self, arguments: Mapping[str, Json]) -> tuple[str | None, ...]:
        """The prose of a call; None where it has no text in that place."""
        return tuple(text_at(arguments, path) for path in self.paths)

    def wordings(self, arguments: Mapping[str, Json]) -> Iterator[tuple[str | None, ...]]:
        """Recorded texts that may stand for those of a call: in the same places, best first."""
        mine = self.texts(arguments)
        if all(text is None for text in mine):
            return
        same = self.said.get(beside(arguments, self.paths), ())
        for one in dict.fromkeys(tuple(found) for found in (*same, *self.usual)):
            if one != mine and [t is None for t in one] == [t is None for t in mine]:
                yield one


def prose_of(part: Mapping[str, Any]) -> dict[str, Prose]:
    """The `prose` of a world file, by tool as agents call it."""
    return {
        tool: Prose(
            paths=tuple(tuple(path) for path in known["paths"]),
            said=known["said"],
            usual=known["usual"],
        )
        for tool, known in part.items()
    }


def text_at(arguments: Mapping[str, Json], path: Path) -> str | None:
    """The text at a path that says something; None where there is none."""
    value: Json = dict(arguments)
    for key in path:
        inside = object_in(value)
        value = None if inside is None else inside.get(key)
    return value if isinstance(value, str) and value.strip() else None


def with_texts(
    arguments: Mapping[str, Json], paths: Sequence[Path], texts: Sequence[str | None]
) -> dict[str, Json]:
    """The arguments with other texts at their paths."""
    changed = dict(arguments)
    for path, text in zip(paths, texts, strict=True):
        if text is not None:
            _put(changed, path, text)
    return changed


def beside(arguments: Mapping[str, Json], paths: Sequence[Path]) -> str:
    """The name of all that a call has beside its prose."""
    bare = with_texts(
        arguments, paths, [_ABSENT if text_at(arguments, p) is not None else None for p in paths]
    )
    text = stable({name: simplify(value) for name, value in bare.items()})
    return digest_bytes(text.encode("utf-8", "surrogatepass"))[:_LENGTH]


def object_in(value: Json) -> dict[str, Json] | None:
    """An object, also one that was sent as JSON text."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        parsed = parse_json(value)
        value = None if parsed is None else parsed.value
    return value if isinstance(value, dict) else None


def _put(inside: dict[str, Json], path: Path, text: str) -> None:
    """Set a text, with what is on the way to it copied first."""
    name, *rest = path
    below = inside.get(name)
    if not rest:
        inside[name] = text
        return
    known = object_in(below)
    if known is not None:
        copied = dict(known)
        _put(copied, tuple(rest), text)
        inside[name] = json.dumps(copied) if isinstance(below, str) else copied


def reworded(value: Json, texts: Mapping[str, str]) -> Json:
    """A value with each text that is one of these replaced."""
    if isinstance(value, str):
        inside = None if value in texts else object_in(value)
        changed = None if inside is None else reworded(inside, texts)
        same = inside is None or changed == inside
        return texts.get(value, value) if same else json.dumps(changed)
    if isinstance(value, list):
        return [reworded(item, texts) for item in value]
    if isinstance(value, dict):
        return {name: reworded(item, texts) for name, item in value.items()}
    return value


def said_again(content: str, texts: Mapping[str, str]) -> str:
    """A result with these texts replaced wherever they stand, as JSON escapes them too; what is put in is not replaced again."""
    forms: dict[str, str] = {}
    for old, new in texts.items():
        for ascii_only in (True, False):
            was = json.dumps(old, ensure_ascii=ascii_only)[1:-1]
            forms.setdefault(was, json.dumps(new, ensure_ascii=ascii_only)[1:-1])
    if parse_json(content) is None:
        forms |= texts
    found = sorted((form for form in forms if form in content), key=len, reverse=True)
    if not found:
        return content
    return re.sub("|".join(map(re.escape, found)), lambda match: forms[match[0]], content)


class _Worded(Session):
    """What a session does where a tool takes prose; mixed into each kind of session."""

    __slots__ = ()

    def call(self, name: str, arguments: Mapping[str, Json] | str) -> ToolResult:
        """The tool's answer to one call, and its effect."""
        return self.made(name, arguments).result

    def made(self, name: str, arguments: Mapping[str, Json] | str) -> Answered:
        """The same, with what the call meant."""
        prose = self._world.prose.get(name)
        parsed = parse_arguments(arguments) if prose is not None or self._wordings else None
        if parsed is None:
            return super().made(name, arguments)
        given = {mine: old for old, mine in self._wordings.items()}
        asked = {key: reworded(value, given) for key, value in parsed.items()}
        if asked != parsed:
            arguments = _like(asked, arguments)
        before = self.fork() if prose is not None else None
        made = super().made(name, arguments)
        if made.result.source == UNKNOWN and prose is not None and before is not None:
            made = self._otherwise(name, asked, prose, before) or made
        return self._in_words(made)

    def _otherwise(
        self, name: str, asked: Mapping[str, Json], prose: Prose, before: Self
    ) -> Answered | None:
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
            made = super().made(name, json.dumps(with_texts(asked, prose.paths, texts)))
            if made.result.source != UNKNOWN:
                self._wordings = {**self._wordings, **stands}
                evidence = f"{made.result.evidence}, {SAYS}" if made.result.evidence else SAYS
                return replaced(made, replace(made.result, source=DERIVED, evidence=evidence))
        self._resume(after)
        return None

    def _in_words(self, made: Answered) -> Answered:
        """An answer, and what was meant, in the words of this session."""
        result, meant = made
        if not self._wordings:
            return made
        if meant is not None:
            own = {n: reworded(v, self._wordings) for n, v in meant.arguments.items()}
            meant = Meant(meant.tool, own)
        content = said_again(result.content, self._wordings)
        if content != result.content:
            result = replace(result, content=content, source=DERIVED)
        return Answered(result, meant)

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


def replaced(made: Answered, result: ToolResult) -> Answered:
    """The same call with another answer."""
    return Answered(result, made.meant)


def _like(
    asked: Mapping[str, Json], arguments: Mapping[str, Json] | str
) -> Mapping[str, Json] | str:
    return json.dumps(asked) if isinstance(arguments, str) else asked


class WordedSession(_Worded, Session):
    """A session of a world whose tools take prose."""

    __slots__ = ()


class WordedRecordedSession(_Worded, RecordedSession):
    """The same with answers recorded along a path."""

    __slots__ = ()
