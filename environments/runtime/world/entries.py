"""Entries of a session's log: calls that changed something, or may have.

Goes in: a call, what came back, and the rows it is about, as they were. Comes out: what it names, found when somebody asks:
most entries are never compared with another call. An entry is not changed once its call is answered: copies of a
state share it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from ..task.attempt import Event, Json
from ..values.canonical import canonical
from ..values.literals import parse_arguments, parse_json
from ..values.mentions import labels_in, leaves, names_in, names_in_text, tokens_in
from ..values.normal import simplify, stable

_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_JOINED: Final = re.compile(r"(?<![\w.@/-])[^\W\d]+(?:[.@/-][^\W\d]+)+(?![\w@/-])")
"""A login, an address or a path without digits: one word to whoever asks for it."""
_DAY: Final = re.compile(r"(\d{4}-\d\d-\d\d)[ T]\d\d")
"""A moment, as far as a day is asked for."""
_ARGUMENTS: Final = re.compile(r' (?=[{"])')
"""The blank between a tool and its arguments."""
_JSON: Final = ("{", "[", '"', "")
MAX_TEXT: Final = 2000
"""Characters of a result in words that are read for words."""

Place = tuple[str, str]
"""Table and key text."""
DOUBT: Final = "?"
"""Behind a call of which nobody knows what came."""


def call_text(tool: str, arguments: Mapping[str, Json]) -> str:
    """One text for a call, arguments in normal form."""
    return f"{tool} {stable(arguments)}"


def asked_text(name: str, arguments: Mapping[str, Json] | str) -> str:
    """One text for equal calls, as agents make them."""
    parsed = parse_arguments(arguments)
    if parsed is None:
        return f"{name} {stable(str(arguments))}"
    return call_text(name, {key: simplify(value) for key, value in parsed.items()})


def read_call_text(text: str) -> tuple[str, str]:
    """The tool of such a text, and its arguments; a name may hold a blank, and none ends where an object or a quoted text begins."""
    tool, *rest = _ARGUMENTS.split(text, maxsplit=1)
    arguments = "".join(rest)
    parsed = parse_json(arguments) if arguments.startswith('"') else None
    return tool, str(parsed.value) if parsed is not None else arguments


def _words_said(args: Mapping[str, Json], content: str) -> frozenset[str]:
    """The plain words of texts that were given, and of a result in words: what is asked for by one may show it.

    `Claim CL-315 filed for 320.00` shows in a queue of what is `filed`, a `Planning part two` in a search for `Planning`.
    """
    texts = [value for value in args.values() if isinstance(value, str) and " " in value]
    if content[:1] not in _JSON and len(content) <= MAX_TEXT:
        texts.append(content)
    found = (word for text in texts for form in (_WORD, _JOINED) for word in form.findall(text))
    return frozenset(f"={word}" for word in found)


def _days_in(value: Json) -> Iterator[str]:
    """The days of the moments in a value."""
    for leaf in leaves(value):
        if isinstance(leaf, str) and (day := _DAY.match(leaf)):
            yield f"={day[1]}"


@dataclass(slots=True, kw_only=True)
class CallResult:
    """What came back from a call."""

    content: str
    value: Json = None
    """What the content was rendered from, where it was rendered here from a record or a list."""

    def labels(self) -> set[str]:
        """What it names, short words and whole numbers included."""
        # NaN and infinities can be written, but nothing reads them again.
        if self.value is not None and "NaN" not in self.content and "Infinity" not in self.content:
            return labels_in(self.value)
        parsed = parse_json(self.content)
        return names_in_text(self.content) if parsed is None else labels_in(parsed.value)


@dataclass(slots=True, kw_only=True)
class RowSnapshot:
    """A row that a call is about, as it was."""

    place: Place
    row: Json
    kept: dict[Place, frozenset[str]] | None
    """Names in rows of the base, found once for all sessions; None for a row of this session."""

    def names(self) -> frozenset[str]:
        """Everything that the row names."""
        known = None if self.kept is None else self.kept.get(self.place)
        if known is None:
            known = frozenset(names_in(self.row))
            if self.kept is not None:
                self.kept[self.place] = known
        return known


@dataclass(slots=True, kw_only=True)
class Entry:
    """One call that changed something, or may have."""

    tool: str
    args: dict[str, Json]
    """In normal form."""
    known: bool
    """False when nobody knows what it did."""
    came: CallResult | None = None
    met: tuple[RowSnapshot, ...] = ()
    kind: str = ""
    """Of its event, where there is one."""
    is_result_unknown: bool = False
    """Nobody knows what came of it: no recorded history had that."""
    settled: frozenset[str] = frozenset()
    targets: set[Place] = field(default_factory=set)
    """Rows whose state after it is known."""
    about: tuple[Place, ...] = ()
    tainted_tables: frozenset[str] = frozenset()
    """Tables any row of which it may have touched: it was about a record that nobody has seen."""
    under: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Per name the words that lists with it were asked for by."""
    fields: frozenset[str] = frozenset()
    """Keys that look like ids and name nothing, unless the call gives one as a value."""
    _call: str | None = None
    _names: frozenset[str] | None = None
    _labels: frozenset[str] | None = None
    _issued: frozenset[str] | None = None
    _words: frozenset[str] | None = None
    _event: Event | None = None

    def leaves_alone(self, place: Place) -> bool:
        """Whether its tool leaves other rows of that table alone; what it is about never is while nobody knows what it did."""
        return place[0] in self.settled and (self.known or place not in self.about)

    @property
    def call(self) -> str:
        """Tool and arguments in normal form: what recorded histories are compared by."""
        if self._call is None:
            self._call = call_text(self.tool, self.args) + (DOUBT if self.is_result_unknown else "")
        return self._call

    @property
    def names(self) -> frozenset[str]:
        """Everything it names: ids in its arguments, its result and the rows it is about."""
        if self._names is None:
            if self.came is None:
                self._names = frozenset(names_in(self.args) - self._idle())
            else:
                met = (one.names() for one in self.met)
                named = labels_in(self.args).union(self.came.labels(), *met)
                self._names = frozenset(named - self._idle())
        return self._names

    def _idle(self) -> frozenset[str]:
        """Keys that name nothing here."""
        return self.fields.difference(map(str, leaves(self.args))) if self.fields else self.fields

    def issued(self) -> frozenset[str]:
        """What its result names and its arguments do not: it may be there because of this call."""
        if self.came is None:
            return frozenset()
        if self._issued is None:
            self._issued = frozenset(self.came.labels() - labels_in(self.args) - self._idle())
        return self._issued

    def words(self) -> frozenset[str]:
        """Short texts in the rows it is about, or that list them: what is asked for by such a word may show these rows."""
        if self._words is None:
            found = (tokens_in(one.row) for one in self.met)
            words = frozenset[str]().union(*found)
            said = _words_said(self.args, "" if self.came is None else self.came.content)
            self._words = self._listing_words().union(
                said, self.days(), (w for w in words if not w[1:].isdigit())
            )
        return self._words

    def days(self) -> frozenset[str]:
        """The days of the moments that it gives or that stood in the rows it is about: what is asked for by a day may show these."""
        return frozenset(
            d for one in (self.args, *(m.row for m in self.met)) for d in _days_in(one)
        )

    def _listing_words(self) -> frozenset[str]:
        """The words that what it names is listed under."""
        if not self.under:
            return frozenset()
        return frozenset[str]().union(*(self.under.get(name, ()) for name in names_in(self.args)))

    @property
    def labels(self) -> frozenset[str]:
        """Its names, the words in the rows it is about, and these rows."""
        if self._labels is None:
            places = {f"{table}|{key}" for table, key in self.about}
            self._labels = self.names | self.words() | places
        return self._labels

    @property
    def event(self) -> Event | None:
        """What it did, for the end state; None where nobody knows."""
        if self._event is None and self.kind:
            arguments = canonical(self.args)
            self._event = Event(tool=self.tool, arguments=arguments, kind=self.kind)
        return self._event


def count_empty_calls(log: Iterable[Entry]) -> Iterator[tuple[Entry, str]]:
    """Each call with its text; of one that is given nothing, how often it was made by then: each time it acts on something else."""
    made: Counter[str] = Counter()
    for entry in log:
        call = entry.call
        if not entry.args:
            made[call] += 1
            call = call if made[call] == 1 else f"{call} {made[call]}"
        yield entry, call
