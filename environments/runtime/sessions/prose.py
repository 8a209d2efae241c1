"""Prose in calls: texts that agents word themselves, and no answer hangs on but by saying them again.

Goes in: a call with such a text. Comes out: the recorded wordings that may stand in for it, and values with texts replaced. Not here:
sessions that ask in another wording (`prose_session`), which arguments these are (`synth.world.views.prose`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ..document.recordings import ProsePart
from ..task.attempt import Json
from ..values.canonical import digest_bytes
from ..values.literals import object_in, parse_json
from ..values.normal import simplify, stable

_LENGTH: Final = 32
_ABSENT: Final = "\x00"

Path = tuple[str, ...]
"""Keys from the arguments down to one text."""


class Prose:
    """The prose that one tool takes."""

    __slots__ = ("_said", "_usual", "paths")

    def __init__(self, part: ProsePart) -> None:
        self.paths = part.paths
        self._said = part.said
        self._usual = part.usual

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
        same = self._said.get(name_without_prose(arguments, self.paths), ())
        for one in dict.fromkeys((*same, *self._usual)):
            if one != mine and [t is None for t in one] == [t is None for t in mine]:
                yield one


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


def name_without_prose(arguments: Mapping[str, Json], paths: Sequence[Path]) -> str:
    """The name of all that a call has beside its prose."""
    bare = with_texts(
        arguments, paths, [_ABSENT if text_at(arguments, p) is not None else None for p in paths]
    )
    text = stable({name: simplify(value) for name, value in bare.items()})
    return digest_bytes(text.encode("utf-8", "surrogatepass"))[:_LENGTH]


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
