"""Text frames, found: words before or behind every result that differ from call to call, as gateways and loggers write them.

Comes from results as recorded; goes to `result_wrappers`. A frame is one text of most tools. What differs in it is a clock's times, ids
drawn by dice, or a value that differs between equal calls though the rest of the result is equal. Not here: records around results.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from environments.runtime.document.views import MarkPart, ValueForm, WrappingPart
from environments.runtime.values.formats import read_time
from environments.runtime.values.literals import parse_json
from environments.runtime.views.clock_and_ids import ANY
from environments.runtime.views.result_wrappers import IN_WORDS, is_in_words
from synth.world.grouping import sets_by_key
from synth.world.observation import History, Observation
from synth.world.support import HALF_OF_CASES, HARDLY_EVER, MOSTLY, SEEN_TWICE
from synth.world.volatile.bench_clock import Rows, usual_clock
from synth.world.volatile.clock_and_ids import MIN_SEEN, mark_name, moving_form
from synth.world.volatile.idle_values import (
    SOME,
    WORDS,
    Pasts,
    are_idle,
    stands_still,
    usual_number,
    usual_value,
)

MIN_TOOLS: Final = SEEN_TWICE
"""Tools that have a frame in common."""
MOST: Final = MOSTLY
"""Share of all results in words, or of all refusals, that have it."""
MAX_WORDS: Final = 16
MAX_TIME: Final = 6
"""Words of a time."""
EVERY: Final = ("good", "refused")
"""Kinds of results."""
FAMILY: Final = (IN_WORDS,)
HOLE: Final = "\x00"
_HOLE: Final = re.compile("\x00")
_FIRST: Final = re.compile(r"\A[^\w#+-]*")
_LAST: Final = re.compile(r"[^\w#+-]*\Z")
_WORDS: Final = re.compile(r"\s*\S+")
_LINE: Final = re.compile(r"\s*[^\n]+")
_VALUE: Final = re.compile(
    r"(?P<before>[^\w#+-]*)(?P<value>[\w#+-](?:.*[\w#+-])?)(?P<behind>[^\w#+-]*)", re.DOTALL
)

Groups = Mapping[tuple[str, str], Sequence[Observation]]
Turn = Callable[[str], str]
"""A text as it is for what stands before results, from its end for what stands behind them."""


def learn_frames(
    groups: Groups, histories: Sequence[History], marks: dict[str, MarkPart], taken: int
) -> dict[tuple[str, str], WrappingPart]:
    """What stands before or behind the results of each tool; else of each tool's refusals. Its marks are added, numbered from `taken`."""
    search = _Search(groups, histories, Pasts(histories), marks, taken)
    for kinds in (EVERY, ("refused",)):
        pool = [seen for name, group in groups.items() if name[1] in kinds for seen in group]
        for turn in (_ahead, _backwards):
            found = search.frame_of(pool, turn, kinds)
            if found:
                return found
    out: dict[tuple[str, str], WrappingPart] = {}
    for turn in (_ahead, _backwards):
        for pool in _families(groups, turn):
            out |= search.frame_of(pool, turn, FAMILY)
        if out:
            break
    return out


@dataclass(frozen=True, slots=True)
class _Search:
    """What frames are looked for in."""

    groups: Groups
    histories: Sequence[History]
    pasts: Pasts
    marks: dict[str, MarkPart]
    taken: int

    def frame_of(
        self, pool: Sequence[Observation], turn: Turn, kinds: tuple[str, ...]
    ) -> dict[tuple[str, str], WrappingPart]:
        """The frame that most results of a pool have, for its tools and kinds of results; of a tool that sends records too, for its texts."""
        for readers in (_BY_WORD, _BY_LINE):
            reader = _Reader(pool, turn)
            reader.read_all(readers)
            parts = _frame(reader, self.histories, self.pasts) if reader.is_shared() else None
            if parts is None:
                continue
            if kinds == FAMILY and not _is_line(parts):
                continue
            text = _with_marks(parts, turn, self.marks, self.taken)
            known = WrappingPart(head=text) if turn is _ahead else WrappingPart(tail=text)
            mixed = {name[0] for name, seen in self.groups.items() if not all(map(text_of, seen))}
            return {
                (tool, kind): known
                for tool in sorted({row.seen.tool for row in reader.rows})
                for kind in ((IN_WORDS,) if tool in mixed and kinds == EVERY else kinds)
            }
        return {}


def _is_line(parts: Sequence[str | ValueForm]) -> bool:
    """Whether a frame, read from its side, ends with its line: else it may be the end of a record."""
    last = parts[-1]
    return isinstance(last, str) and last.endswith("\n")


def _families(groups: Groups, turn: Turn) -> Iterator[list[Observation]]:
    """The texts of tools that begin alike, where the app's tools begin in several ways."""
    first: dict[str, dict[str, list[Observation]]] = defaultdict(lambda: defaultdict(list))
    for (tool, _), group in sorted(groups.items()):
        for seen in group:
            if text_of(seen) and (word := _WORDS.match(turn(seen.content))) is not None:
                first[tool][WORDS.sub(HOLE, turn(word[0]))].append(seen)
    alike: dict[str, list[Observation]] = defaultdict(list)
    for words in first.values():
        usual = max(words, key=lambda word: len(words[word]))
        if len(words[usual]) >= MOST * sum(map(len, words.values())):
            alike[usual] += words[usual]
    if len(alike) > 1:
        yield from alike.values()


def _ahead(text: str) -> str:
    return text


def _backwards(text: str) -> str:
    return text[::-1]


def _with_marks(
    parts: Sequence[str | ValueForm], turn: Turn, marks: dict[str, MarkPart], taken: int
) -> str:
    text: list[str] = []
    for part in parts if turn is _ahead else reversed(parts):
        if isinstance(part, str):
            text.append(turn(part))
            continue
        code = mark_name(taken + len(marks))
        marks[code] = MarkPart(tool=ANY, place=f"around {len(marks)}", form=part)
        text.append(f"~{part.kind}.{code}~")
    return "".join(text)


@dataclass(slots=True)
class _Row:
    """One result, read from the side of the frame."""

    seen: Observation
    text: str
    ends: list[int] = field(default_factory=lambda: [0])
    """Where each piece that is read by now ends."""
    values: list[tuple[str, ...]] = field(default_factory=list)
    """What stands in the holes of each piece."""

    def body(self, count: int = -1) -> str:
        """What is left after so many pieces."""
        return self.text[self.ends[count] :]


def text_of(seen: Observation) -> str:
    """A result in words; empty where it is a record, or has the sign of a hole."""
    is_record = seen.is_json or not is_in_words(seen.content)
    return "" if is_record or HOLE in seen.content else seen.content


Shape = tuple[str, tuple[str, ...]]
"""A piece with holes, and what stands in them."""


class _Reader:
    """Reads the pieces that most results have in common; results of another shape are left out on the way."""

    def __init__(self, seen: Iterable[Observation], turn: Turn) -> None:
        self.turn = turn
        self.rows = [_Row(one, turn(text)) for one in seen if (text := text_of(one))]
        self._least = max(MIN_SEEN, MOST * len(self.rows))
        self.pieces: list[tuple[str, int]] = []
        """Each piece with holes, and how many results have all up to it."""

    def read_all(self, readers: Sequence[Callable[[_Reader], bool]]) -> None:
        """Read until results have nothing in common, or are records."""
        while len(self.pieces) < MAX_WORDS and len(self.rows) >= self._least:
            if self._are_records() or not any(read(self) for read in readers):
                return

    def is_shared(self) -> bool:
        """Whether several tools have it."""
        return len({row.seen.tool for row in self.rows}) >= MIN_TOOLS

    def _are_records(self) -> bool:
        bodies = [self.turn(row.body()) for row in self.rows]
        begun = [body for body in bodies if body.lstrip()[:1] in {"{", "["}]
        return sum(parse_json(body) is not None for body in begun) > HALF_OF_CASES * len(bodies)

    def read_time(self) -> bool:
        """Words that tell a time."""
        for count in range(MAX_TIME, 0, -1):
            shapes = [self._with_hole(self._next_piece(row, _WORDS, count)) for row in self.rows]
            times = sum(read_time(value) is not None for _, values in shapes for value in values)
            if times >= MOST * len(shapes):
                return self._take(shapes)
        return False

    def read_like_words(self) -> bool:
        """A word that differs in what has digits alone."""
        shapes: list[Shape] = []
        for row in self.rows:
            piece = self.turn(self._next_piece(row, _WORDS, 1))
            values = WORDS.findall(piece)
            shapes.append(
                (self.turn(WORDS.sub(HOLE, piece)), tuple(values[:: 1 if self.ahead else -1]))
            )
        return self._take(shapes)

    def read_word(self) -> bool:
        """Any word."""
        return self._read_any(_WORDS)

    def read_line(self) -> bool:
        """All the rest of a line."""
        return self._read_any(_LINE)

    def _read_any(self, pattern: re.Pattern[str]) -> bool:
        pieces = [self.turn(self._next_piece(row, pattern, 1)) for row in self.rows]
        before, behind = self._usual(_FIRST, pieces), self._usual(_LAST, pieces)
        shape = self.turn(before + HOLE + behind)
        fits = (
            len(p) > len(before + behind) and p.startswith(before) and p.endswith(behind)
            for p in pieces
        )
        values = (p[len(before) : len(p) - len(behind)] for p in pieces)
        return self._take(
            [(shape, (v,)) if fit else ("", ()) for fit, v in zip(fits, values, strict=True)]
        )

    def _usual(self, pattern: re.Pattern[str], pieces: Sequence[str]) -> str:
        """The signs at one end of most pieces; of those that differ, the space alone."""
        ends = [found[0] if (found := pattern.search(piece)) else "" for piece in pieces]
        usual, often = Counter(ends).most_common(1)[0]
        if often < self._least:
            usual, _ = Counter(
                (end[: len(end) - len(end.lstrip())] or end[len(end.rstrip()) :]) for end in ends
            ).most_common(1)[0]
        return usual

    @property
    def ahead(self) -> bool:
        """Whether the frame stands before results."""
        return self.turn is _ahead

    def _next_piece(self, row: _Row, pattern: re.Pattern[str], count: int) -> str:
        at = row.ends[-1]
        for _ in range(count):
            found = pattern.match(row.text, at)
            if found is None:
                return ""
            at = found.end()
        return row.text[row.ends[-1] : at]

    def _with_hole(self, piece: str) -> Shape:
        found = _VALUE.fullmatch(self.turn(piece))
        if found is None:
            return "", ()
        return self.turn(found["before"] + HOLE + found["behind"]), (found["value"],)

    def _take(self, shapes: Sequence[Shape]) -> bool:
        """Read the commonest shape, if most results have it."""
        usual, often = Counter(text for text, _ in shapes).most_common(1)[0]
        if not usual or often < self._least:
            return False
        kept = [
            (row, values)
            for row, (text, values) in zip(self.rows, shapes, strict=True)
            if text == usual
        ]
        for row, values in kept:
            around = len(usual) - len(values)
            row.ends.append(row.ends[-1] + around + sum(map(len, values)))
        self.rows = [row for row, _ in kept]
        # What differs nowhere is no hole: the year of a date.
        columns = list(zip(*(values for _, values in kept), strict=True))
        fixed = [column[0] if len(set(column)) == 1 else None for column in columns]
        texts = iter(HOLE if value is None else self.turn(value) for value in fixed)
        self.pieces.append((_HOLE.sub(lambda _: next(texts), usual), len(kept)))
        for row, values in kept:
            row.values.append(
                tuple(v for v, known in zip(values, fixed, strict=True) if known is None)
            )
        return True


_BY_WORD: Final = (_Reader.read_time, _Reader.read_like_words, _Reader.read_word)
_BY_LINE: Final = (_Reader.read_time, _Reader.read_line)


def _frame(
    reader: _Reader, histories: Sequence[History], pasts: Pasts
) -> list[str | ValueForm] | None:
    """The longest frame of the pieces read, as texts and the formats of what stands between them."""
    for count in range(len(reader.pieces), 0, -1):
        if HOLE not in reader.pieces[count - 1][0]:
            continue
        columns = [
            [(row.seen, row.values[number][hole]) for row in reader.rows]
            for number in range(count)
            for hole in range(reader.pieces[number][0].count(HOLE))
        ]
        rests = {
            id(row.seen): rest for row, rest in zip(reader.rows, _rests(reader, count), strict=True)
        }
        if sum(map(bool, rests.values())) < MOST * len(rests):
            continue
        forms = [_form_of(rows, rests, histories, pasts) for rows in columns]
        if any(forms):
            forms = [
                form or (usual_value(rows) if _goes_with_time(rows) else None)
                for form, rows in zip(forms, columns, strict=True)
            ]
        if None in forms:
            continue
        text = "".join(piece for piece, _ in reader.pieces[: _length_of(reader, count)])
        texts = (text + _gap(reader, _length_of(reader, count))).split(HOLE)
        holes = [form for form in forms if form is not None]
        # A bare word at the end may be of another kind at each tool.
        if not "".join(texts).strip() and any(form.kind == "any" for form in holes):
            continue
        return [texts[0], *(part for pair in zip(holes, texts[1:], strict=True) for part in pair)]
    return None


def _length_of(reader: _Reader, count: int) -> int:
    """How many pieces belong to a frame: behind its last hole all that no result lacks."""
    shared = reader.pieces[count - 1][1]
    while count < len(reader.pieces) and reader.pieces[count][1] == shared:
        if HOLE in reader.pieces[count][0]:
            break
        count += 1
    return count


def _gap(reader: _Reader, count: int) -> str:
    """The space between a frame and what it is around."""
    gaps = Counter(rest[: len(rest) - len(rest.lstrip())] for rest in _rests(reader, count) if rest)
    return gaps.most_common(1)[0][0] if gaps else ""


def _rests(reader: _Reader, count: int) -> list[str]:
    return [row.body(count) for row in reader.rows]


def _form_of(
    rows: Rows, rests: Mapping[int, str], histories: Sequence[History], pasts: Pasts
) -> ValueForm | None:
    """The format of what stands in a hole; None where it may say something. `rests`: the results without the frame."""
    form = moving_form(rows, histories)
    if form is not None:
        return form
    known = usual_number(rows) or usual_clock(rows)
    still = known is None and stands_still(rows)
    if not are_idle(rows, lambda seen, _: rests[id(seen)], pasts, share=SOME, still=still):
        return None
    return known or (usual_value(rows) if _is_said_by_any(rows) else None)


def _is_said_by_any(rows: Rows) -> bool:
    """Whether words say nothing of one tool's results: most sentences stand at several tools."""
    tools = sets_by_key((value, seen.tool) for seen, value in rows)
    sentences = [value for _, value in rows if " " in str(value)]
    shared = sum(len(tools[value]) >= MIN_TOOLS for value in sentences)
    return shared >= MOST * len(sentences)


def _goes_with_time(rows: Rows) -> bool:
    """Whether a value stays for many calls, whoever makes them, before another takes its place: a day in a calendar of its own."""
    ordered = sorted(rows, key=lambda row: (row[0].at, row[0].episode, row[0].position))
    changes = sum(before != after for (_, before), (_, after) in pairwise(ordered))
    return changes <= HARDLY_EVER * len(ordered)
