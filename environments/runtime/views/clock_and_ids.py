"""Fresh values: what a tool tells anew at every call, a time or an id drawn by dice, told by its format.

Goes in: an answer in which such a value stands as a mark (`~time.a~`, `~id.b~2`). Comes out: the answer with a value in the
learnt format, the same for the same task and the same calls, and its rule in the evidence. What was told once is told again
wherever a record shows it. States and ends keep the marks, so ends are equal whatever the values. Not here: how marks are found
(`synth.world.volatile.clock_and_ids`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from ..document.views import FreshPart, JsonStyle, MarkPart, ValueForm
from ..task.attempt import DERIVED, Json, ToolResult
from ..values.formats import draw_id, fits, write_time
from ..values.literals import parse_json
from ..world.notice import notice
from .view import CallInFlight, View

MARK: Final = re.compile(r'"?~(?:time|id|number|any)\.([a-z]+)~(\d*)"?')
BY_FORMAT: Final = "; by format: "
"""In the evidence of every answer that holds such a value, before the rule."""
ANY: Final = "*"
"""In place of a tool: a value that stands around every tool's results."""
WHOLE: Final = "."
"""The place of a value that is the whole text."""
WORD: Final = "word "
"""Before a word's number in a text; the last ones are counted from the end as well (`word -1`), whatever stands before them."""
MOST_WORDS: Final = 40
"""Of a longer text only the last words are places."""
LAST_WORDS: Final = 8
PUNCTUATION: Final = ".,;:!?()[]\"'"
Marks = Mapping[str, MarkPart]
"""By the code that stands in marks."""
STYLES: Final = [
    JsonStyle(separators=separators, ensure_ascii=ascii_only, indent=indent)
    for indent, separators in (
        (None, (", ", ": ")),
        (None, (",", ":")),
        *((indent, (",", ": ")) for indent in (1, 2, 3, 4)),
    )
    for ascii_only in (True, False)
]


class Fresh:
    """What one session has told by format so far."""

    __slots__ = ("_at", "_calls", "_formats", "_part", "_step", "_told")

    def __init__(self, part: FreshPart, started_at: int = 0) -> None:
        self._part = part
        self._formats: Marks = part.marks
        self._step = part.step
        self._at = started_at or part.latest
        self._calls = 0
        self._told: dict[str, list[Json]] = {}

    def begin_at(self, at: int) -> Fresh:
        """Of a session that began at a moment and has told nothing yet."""
        return Fresh(self._part, at)

    def copy(self) -> Fresh:
        """The same past, independent from now on."""
        other = object.__new__(Fresh)
        other._part = self._part
        other._formats, other._step, other._at = self._formats, self._step, self._at
        other._calls = self._calls
        other._told = {mark: list(values) for mark, values in self._told.items()}
        return other

    def fill_marks(self, tool: str, result: ToolResult) -> ToolResult:
        """An answer with a value for each of its marks."""
        self._calls += 1
        if "~" not in result.content:
            return result
        rules: list[str] = []
        unsure: list[str] = []
        own: dict[str, Json] = {}

        def value(found: re.Match[str]) -> str:
            mark = found[1] + "~" + found[2]
            form = self._formats.get(found[1])
            if form is None:
                return found[0]
            mine = form.tool in {tool, ANY}
            if not mine and not self._told.get(mark):
                unsure.append(mark)
                return found[0]
            if not mine and (len(self._told[mark]) > 1 or self._told[mark][0] is None):
                # Several calls told a value of this kind, or one that nobody could tell: what the record keeps, nobody knows.
                unsure.append(mark)
            if mine and mark not in own:
                own[mark] = self._new(form.form, mark)
                if own[mark] is None:
                    unsure.append(mark)
                self._told.setdefault(mark, []).append(own[mark])
            rules.append(form.form.says or "")
            return _quoted(found[0], self._told[mark][-1])

        content = MARK.sub(value, result.content)
        if unsure:
            return notice(tool, "a time or id that nobody can tell")
        if not rules:
            return result
        said = ", ".join(dict.fromkeys(rules))
        evidence = result.evidence + BY_FORMAT + said
        return replace(result, content=content, source=DERIVED, evidence=evidence)

    def _new(self, form: ValueForm, mark: str) -> Json:
        """A value that was never told; None where the recordings do not say which day a moment belongs to."""
        if form.untold or form.at not in {None, self._calls}:
            return None
        if form.kind == "time" and form.offset is None:
            gone = 0 if form.at else (form.each or self._step) * self._calls
            return write_time(form, (form.origin or 0) + gone)
        if form.kind == "time":
            at = self._at + self._step * self._calls
            earliest = form.offset or 0
            told = write_time(form, at + earliest)
            latest = write_time(form, at + (earliest if form.latest is None else form.latest))
            return told if told == latest else None
        if form.kind in {"number", "any"}:
            return form.value if form.each is None else self._number_of_call(form)
        known = self._told.get(mark)
        if known and mark[-1:].isdigit():
            return known[-1]
        return draw_id(form, f"{self._at}|{mark}|{len(known or ())}")

    def _number_of_call(self, form: ValueForm) -> Json:
        """As long as the recorded one where that is a text: `004021`."""
        number = (form.origin or 0) + (form.each or 0) * self._calls
        return f"{number:0{len(form.value)}}" if isinstance(form.value, str) else number


class MarkedResults(View):
    """Marks in tools' own results."""

    __slots__ = ("_formats", "_fresh")

    def __init__(self, formats: Marks, fresh: Fresh) -> None:
        self._formats = formats
        self._fresh = fresh

    def opened(self, at: int, subject: str | None) -> MarkedResults:  # noqa: ARG002 - whose session it is does not matter
        """Of a session that has told nothing yet."""
        return MarkedResults(self._formats, self._fresh.begin_at(at))

    def copy(self) -> MarkedResults:
        """The same past, independent from now on."""
        return MarkedResults(self._formats, self._fresh.copy())

    def outward(self, asked: CallInFlight, result: ToolResult) -> ToolResult:
        """An answer with a value for each mark."""
        return self._fresh.fill_marks(asked.version, result)

    def observed(self, asked: CallInFlight, content: str) -> str:
        """A recorded result with marks."""
        return masked(self._formats, asked.version, content)[0]

    def strip_result(self, asked: CallInFlight, content: str, drawn: dict[str, Json]) -> str:
        """The same, with the values by mark."""
        content, values = masked(self._formats, asked.version, content)
        drawn |= values
        return content


def _quoted(mark: str, value: Json) -> str:
    """A value where its mark stood: numbers lose the quotes that a mark in JSON has."""
    if not isinstance(value, str):
        return json.dumps(value)
    if mark[0] == mark[-1] == '"':
        return json.dumps(value)
    return ('"' if mark[0] == '"' else "") + value + ('"' if mark[-1] == '"' else "")


def places_of(content: str) -> dict[str, Json]:
    """Every place in a result where a fresh value may stand, with what stands there: fields by path, words by number.

    Of a list the values that stand in it by themselves: records and lists inside it have no place of their own.
    """
    parsed = parse_json(content)
    if parsed is not None and isinstance(parsed.value, dict):
        return dict(fields_of(parsed.value))
    if parsed is not None and isinstance(parsed.value, list):
        return dict(_elements_of(parsed.value))
    if parsed is not None and isinstance(parsed.value, int | float):
        return {WHOLE: parsed.value}
    last = content.rsplit(" ", LAST_WORDS)[1:]
    found: dict[str, Json] = {
        f"{WORD}{i}": word.strip(PUNCTUATION) for i, word in enumerate(last, -len(last))
    }
    words = content.split(" ", MOST_WORDS)
    if len(words) <= MOST_WORDS:
        found |= {f"{WORD}{i}": word.strip(PUNCTUATION) for i, word in enumerate(words)}
        found[WHOLE] = content
    return found


def fields_of(record: Mapping[str, Json], under: str = "") -> list[tuple[str, Json]]:
    """Every scalar of a record but of its lists, by path."""
    out: list[tuple[str, Json]] = []
    for name, value in record.items():
        path = f"{under}{name}"
        if isinstance(value, dict) and under.count("/") < 4:
            out += fields_of(value, path + "/")
        elif isinstance(value, str | int | float):
            out.append((path, value))
    return out


def _elements_of(values: Sequence[Json]) -> Iterator[tuple[str, Json]]:
    if len(values) <= MOST_WORDS:
        for at, value in enumerate(values):
            if isinstance(value, str | int | float):
                yield str(at), value


def replaced(content: str, new: Mapping[str, str]) -> str | None:
    """A result with other values at some places, laid out as before; None where its layout cannot be kept."""
    parsed = parse_json(content)
    if parsed is not None and isinstance(parsed.value, dict | list):
        return _replaced_fields(content, parsed.value, new)
    if WHOLE in new:
        return new[WHOLE]
    words = content.split(" ")
    for place, value in new.items():
        at = int(place.removeprefix(WORD))
        words[at] = words[at].replace(words[at].strip(PUNCTUATION), value)
    return " ".join(words)


def _replaced_fields(
    content: str, record: dict[str, Json] | list[Json], new: Mapping[str, str]
) -> str | None:
    style = next((s for s in STYLES if s.dumps(record) == content), None)
    if style is None:
        return None
    for path, value in new.items():
        inner: Any = record
        *parents, last = path.split("/")
        for name in parents:
            inner = inner[name]
        inner[int(last) if isinstance(inner, list) else last] = value
    return style.dumps(record)


def masked(formats: Marks, tool: str, content: str) -> tuple[str, dict[str, Json]]:
    """A result with marks where its tool tells fresh values in their formats, and the values by mark."""
    found: dict[str, str] = {}
    values: dict[str, Json] = {}
    mine = {f.place: (code, f.form) for code, f in formats.items() if f.tool == tool}
    if not mine:
        return content, {}
    for place, value in places_of(content).items():
        code, form = mine.get(place, ("", None))
        if form is not None and fits(form, value):
            found[place] = f"~{form.kind}.{code}~"
            values[found[place]] = value
    out = replaced(content, found) if found else content
    return (content, {}) if out is None else (out, values)
