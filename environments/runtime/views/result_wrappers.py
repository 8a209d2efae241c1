"""Wrappings: what stands around every result of a tool and says nothing of what was asked, a request's number or its duration.

Goes in: an answer without it. Comes out: the answer as the tool gives it, with marks where times, ids and numbers go
(`views.clock_and_ids` tells them), and a recorded result without its wrapping. Not here: how wrappings are found
(`synth.world.views.result_wrappers`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from ..answers.outcome import is_of_words, outcome_of
from ..document.views import ValueForm, WrappingPart
from ..task.attempt import UNKNOWN, Json, ToolResult
from ..text_forms.block import UnreadError
from ..text_forms.xml import elements
from ..values.formats import fits
from ..values.literals import parse_arguments, parse_json
from ..values.normal import same_json
from .clock_and_ids import MARK, Fresh, Marks
from .view import CallInFlight, View

if TYPE_CHECKING:
    from ..world.tool import Tool

OPEN: Final = "~body~"
"""Stands in a wrapping where the result's own part goes."""
_IN_TEXT: Final = re.compile(r"~(?:time|id|number|any)\.([a-z]+)~")
"""A mark where quotes around it are part of the text."""
IN_WORDS: Final = "in words"
AT_TIMES: Final = "at times"
"""The kind of a wrapping around the results of some classes (`bodies`) alone."""
ByTool = Mapping[str, Mapping[str, WrappingPart]]
"""What stands around successes (`good`), refusals (`refused`), all that is no record (`in words`), or some of all (`at times`)."""


def strip(around: WrappingPart, content: str, marks: Marks) -> str | None:
    """A result without its wrapping; None where it does not stand in this one."""
    if around.head is not None:
        return _without_frame(around.head, content, marks, behind=False)
    if around.record is None:
        return _without_frame(around.tail or "", content, marks, behind=True)
    parsed = parse_json(content)
    if parsed is None or not isinstance(parsed.value, dict):
        return None
    own = _unwrapped(parsed.value, around.record, marks)
    if own is None:
        return None
    if isinstance(own, str):
        return around.mark + own
    return None if around.mark else _laid_out(around, own)


def wrap(around: WrappingPart, body: str) -> str:
    """A result in its wrapping, with marks."""
    if around.head is not None:
        return around.head + body
    if around.record is None:
        return body + (around.tail or "")
    parsed = None if around.mark else parse_json(body)
    own = parsed.value if parsed is not None else body.removeprefix(around.mark)
    return _laid_out(around, _filled(around.record, own))


def _laid_out(around: WrappingPart, value: Json) -> str:
    return json.dumps(value) if around.style is None else around.style.dumps(value)


def is_in_words(content: str) -> bool:
    """Whether a result is no record, in JSON or in XML."""
    if content[:1] != "<":
        return parse_json(content) is None
    try:
        return elements(content) is None
    except UnreadError:
        return True


def _is_record(body: str, groups: Mapping[str, WrappingPart]) -> bool:
    """Whether a result without what stands around it came in a record: it is one, or the text of one."""
    if any(one.mark and body.startswith(one.mark) for one in groups.values()):
        return True
    if body[:1] == "<":
        return not is_in_words(body)
    parsed = parse_json(body)
    return parsed is not None and isinstance(parsed.value, dict)


def _has_place(around: WrappingPart, body: str) -> bool:
    """Whether a wrapping has a place for a result: words stand only where words stood, and what is no record in a record's gap alone."""
    if around.record is None:
        return True
    if around.mark:
        return body.startswith(around.mark)
    parsed = parse_json(body)
    if parsed is None and around.bodies and not any(map(is_of_words, around.bodies)):
        return False
    gap = _open_path(around.record) is not None
    return gap or (parsed is not None and isinstance(parsed.value, dict))


class Wrappings:
    """The wrappings of all tools of a world."""

    __slots__ = ("_by_tool", "_marks")

    def __init__(self, parts: ByTool, marks: Marks) -> None:
        self._marks = marks
        self._by_tool = parts

    def strip(self, tool: str, content: str) -> str:
        """A recorded result without what stands around it; unchanged where nothing does."""
        body = self.unwrap(tool, content)
        return content if body is None else body

    def unwrap(self, tool: str, content: str) -> str | None:
        """The same; None where a tool whose successes all stand in a wrapping says something without."""
        known = self._by_tool.get(tool, {})
        for one in known.values():
            body = strip(one, content, self._marks)
            if body is not None:
                return body
        if IN_WORDS in known and is_in_words(content):
            return None
        return None if "good" in known else content

    def wrap(
        self, tool: str, arguments: Mapping[str, Json] | str, result: ToolResult
    ) -> ToolResult:
        """An answer as the tool gives it."""
        groups = self._by_tool.get(tool)
        if groups is None or result.source == UNKNOWN:
            return result
        known = groups.get("refused" if result.is_error else "good")
        if IN_WORDS in groups and not _is_record(result.content, groups):
            known = groups[IN_WORDS]
        elif any(one.bodies for one in groups.values()):
            body = outcome_of(result.content, parse_arguments(arguments) or {})
            known = next((one for one in groups.values() if body in one.bodies), known)
        if known is None or not _has_place(known, result.content):
            return result
        return replace(result, content=wrap(known, result.content))


class Wrapped(View):
    """Wrappings, and the times, ids and numbers in them."""

    __slots__ = ("_fresh", "_known", "_tools")

    def __init__(self, known: Wrappings, fresh: Fresh, tools: Mapping[str, Tool]) -> None:
        self._known = known
        self._fresh = fresh
        self._tools = tools

    def opened(self, at: int, subject: str | None) -> Wrapped:  # noqa: ARG002 - whose session it is does not matter
        """Of a session that has told nothing yet."""
        return Wrapped(self._known, self._fresh.begin_at(at), self._tools)

    def copy(self) -> Wrapped:
        """The same past, independent from now on."""
        return Wrapped(self._known, self._fresh.copy(), self._tools)

    def outward(self, asked: CallInFlight, result: ToolResult) -> ToolResult:
        """An answer in its wrapping, with a value for each mark."""
        return self._fresh.fill_marks(
            asked.version, self._known.wrap(asked.tool, asked.arguments, result)
        )

    def observed(self, asked: CallInFlight, content: str) -> str:
        """A recorded result without its wrapping."""
        inside = self._known.unwrap(asked.tool, content)
        if inside is None:
            tool = self._tools.get(asked.version)
            given = parse_arguments(asked.arguments) or {}
            asked.is_effect_unknown = tool is None or not tool.refused(content, given)
        return content if inside is None else inside

    def strip_result(self, asked: CallInFlight, content: str, drawn: dict[str, Json]) -> str:  # noqa: ARG002 - what is drawn there is gone
        """The same."""
        return self._known.strip(asked.tool, content)


def _without_frame(frame: str, content: str, marks: Marks, *, behind: bool) -> str | None:
    """A text without the frame before or behind it; None where it has none. What stands at a mark is in its format, or one word."""
    turn = -1 if behind else 1
    text, (first, *parts) = content[::turn], _IN_TEXT.split(frame)[::turn]
    if not text.startswith(first[::turn]):
        return None
    at = len(first)
    for code, piece in zip(parts[::2], parts[1::2], strict=True):
        known = marks.get(code)
        end = _end_of_value(text, at, piece[::turn], None if known is None else known.form, turn)
        if end is None:
            return None
        at = end + len(piece)
    return text[at:][::turn]


def _end_of_value(text: str, at: int, piece: str, form: ValueForm | None, turn: int) -> int | None:
    """Where the value of a mark ends, right before the next piece of its frame."""
    word: int | None = None
    end = text.find(piece, at + 1) if piece else len(text)
    while end > at and "\n" not in (value := text[at:end][::turn]):
        if form is not None and fits(form, value):
            return end
        if word is None and not any(sign.isspace() for sign in value):
            word = end
        end = text.find(piece, end + 1) if piece else -1
    return word


def _unwrapped(record: Mapping[str, Json], known: Mapping[str, Json], marks: Marks) -> Json:
    """The part of a record that is not its wrapping; None where it has another one."""
    path = _open_path(known)
    if path is None:
        return _inner_record(record, known, marks)
    if _inner_record(record, known, marks) != {}:
        return None
    own: Json = dict(record)
    for name in path:
        own = own[name] if isinstance(own, dict) else None
    return own


def _open_path(known: Mapping[str, Json]) -> tuple[str, ...] | None:
    """Where in a wrapping the result's own part goes; None where it is what the record holds beside."""
    for name, value in known.items():
        if value == OPEN:
            return (name,)
        below = _open_path(value) if isinstance(value, dict) else None
        if below is not None:
            return (name, *below)
    return None


def _inner_record(
    record: Mapping[str, Json], known: Mapping[str, Json], marks: Marks
) -> dict[str, Json] | None:
    """What a record holds beyond its wrapping."""
    if not known.keys() <= record.keys():
        return None
    out: dict[str, Json] = {}
    for name, value in record.items():
        if name not in known:
            out[name] = value
            continue
        told = known[name]
        if told == OPEN:
            continue
        if isinstance(told, dict):
            inner = _inner_record(value, told, marks) if isinstance(value, dict) else None
            if inner is None:
                return None
            if inner:
                out[name] = inner
        elif not _tells(told, value, marks):
            return None
    return out


def _tells(told: Json, value: Json, marks: Marks) -> bool:
    """Whether a value stands where its wrapping has this mark or this constant."""
    found = MARK.fullmatch(told) if isinstance(told, str) else None
    if found is None:
        return same_json(told, value)
    known = marks.get(found[1])
    return value == told or (known is not None and fits(known.form, value))


def _filled(known: Mapping[str, Json], own: Json) -> dict[str, Json]:
    """A wrapping with the result's own part in it."""
    path = _open_path(known)
    if path is None:
        return _merged(known, own) if isinstance(own, dict) else dict(known)
    below = known[path[0]]
    return {**known, path[0]: _filled(below, own) if isinstance(below, dict) else own}


def _merged(known: Mapping[str, Json], own: Mapping[str, Json]) -> dict[str, Json]:
    out: dict[str, Json] = {name: value for name, value in own.items() if name not in known}
    for name, value in known.items():
        inner = own.get(name)
        if isinstance(value, dict):
            out[name] = _merged(value, inner if isinstance(inner, dict) else {})
        else:
            out[name] = value
    return out


def without_places(record: Mapping[str, Json], places: Sequence[str]) -> dict[str, Json]:
    """A record without the values at some paths, and without records that held nothing else."""
    out: dict[str, Json] = {}
    for name, value in record.items():
        below = [p.split("/", 1)[1] for p in places if p.startswith(name + "/")]
        if name in places:
            continue
        left = without_places(value, below) if below and isinstance(value, dict) else value
        if left or left == value:
            out[name] = left
    return out
