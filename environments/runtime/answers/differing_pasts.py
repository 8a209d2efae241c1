"""Differing pasts: what the calls before one recording of a call have that another past lacks, and how probably that changes the answer.

Goes in: calls, and recordings of one call with the calls before each. Comes out: a cell for each call by which two pasts differ (earlier
tool, answering tool, what the two calls have in common), and, from the probabilities of cells, how probably the answer is the same.
Not here: how these probabilities are learnt (`synth.world.influence.noisy_or`), which recording is told (`recall`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from ..task.attempt import Json
from ..values.literals import parse_arguments, parse_json
from ..values.mentions import figures_in, labels_in, long_numbers_in, names_in
from ..values.normal import is_whole
from ..views.implicit_subject import SUBJECT
from ..world.entries import asked_text

REPEAT: Final = "repeat"
"""The earlier call is the same call."""
RECORD: Final = "record"
"""Both calls give the same values for all arguments that both take: one record, however many arguments are its key."""
GROUP: Final = "group"
"""They give the same value for one argument and not for another: two records of one group."""
ROW: Final = "row"
"""Both calls name the same thing, under other arguments."""
ANSWER: Final = "answer"
"""The earlier call names something that the answer shows."""
TOLD: Final = "told"
"""The answers to the earlier call name something that this call names or its answer shows."""
LINK: Final = "link"
"""A look at what one of the two calls names shows what the other names: a ticket and its booking."""
TOOL: Final = "tool"
"""Both calls are of one tool."""
NONE: Final = "none"
ALWAYS: Final = "always"
"""An earlier call of a tool that every recording has before the answering tool, and nobody made now: no recording shows what then happens."""
OWN: Final = "own"
"""No earlier call at all: what else differs between two attempts at one task."""
OTHER: Final = "other"
"""No earlier call at all: what else differs between two tasks."""
WHOSE: Final = "whose"
"""No earlier call at all: what differs between two tasks of two subjects, in a world with tools that answer by the subject."""
Cell = tuple[str, str, str]
"""Earlier tool (empty for `OWN`, `OTHER` and `WHOSE`), answering tool (empty for the average of an earlier tool), relation."""
MOST_LETTERS: Final = 80
"""Longer texts are no keys."""


@dataclass(frozen=True, slots=True)
class DoneCall:
    """A call that was made, as others are compared with it: as its tool takes it, behind all views."""

    text: str
    """Equal for equal calls."""
    tool: str
    names: frozenset[str]
    """What its arguments name; where nothing else does, long numbers."""
    whose: str = field(default="", compare=False)
    """Whose session it was made in, where any tool answers by that; part of no past."""
    given: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Its arguments that may be a record's key."""
    labels: frozenset[str] = field(default=frozenset(), compare=False)
    """Its names, short words and numbers."""
    told: frozenset[str] = field(default=frozenset(), compare=False)
    """What its recorded answers name."""
    linked: frozenset[str] = field(default=frozenset(), compare=False)
    """What recorded looks at the things that it names show."""


def done_call(tool: str, arguments: Mapping[str, Json] | str, whose: str = "") -> DoneCall:
    """A call to compare."""
    parsed = parse_arguments(arguments)
    if parsed is None:
        return DoneCall(asked_text(tool, arguments), tool, frozenset(), whose)
    parsed.pop(SUBJECT, None)
    given = {name: str(value) for name, value in parsed.items() if _may_be_key(value)}
    names = frozenset(names_in(parsed)) or long_numbers_in(parsed)
    labels = frozenset(labels_in(parsed))
    return DoneCall(asked_text(tool, parsed), tool, names, whose, given, labels)


def _may_be_key(value: Json) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= MOST_LETTERS
    return is_whole(value)


def names_shown(content: str) -> frozenset[str]:
    """Everything that an answer names."""
    value = _value_of(content)
    return frozenset(labels_in(value) | figures_in(value))


def names_told(contents: Iterable[str]) -> frozenset[str]:
    """Everything that some answers give a name of."""
    values = [_value_of(content) for content in contents]
    return frozenset(name for value in values for name in names_in(value) | figures_in(value))


def links_shown(looks: Iterable[tuple[DoneCall, str]]) -> Mapping[str, frozenset[str]]:
    """By name what answers of looks show that are asked for it alone, and that is a name or was asked for; `looks`: successful ones with their answers."""
    found: dict[str, frozenset[str]] = {}
    made = list(looks)
    asked = frozenset[str]().union(*(call.names for call, _ in made))
    for call, content in made:
        if len(call.names) == 1:
            (name,) = call.names
            numbers = long_numbers_in(_value_of(content)) & asked
            found[name] = found.get(name, frozenset()) | names_told((content,)) | numbers
    return found


def linked_to(call: DoneCall, links: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """What looks at the things that a call names show."""
    return frozenset[str]().union(*(links.get(name, frozenset()) for name in call.names))


def _value_of(content: str) -> Json:
    """An answer's JSON, else its text."""
    parsed = parse_json(content)
    return parsed.value if parsed else content


def relation(earlier: DoneCall, call: DoneCall, shown: frozenset[str]) -> str:
    """What an earlier call has in common with one that is answered now; the closest counts."""
    if earlier.text == call.text:
        return REPEAT
    alike = len(earlier.given.items() & call.given.items())
    if alike:
        return RECORD if alike == len(earlier.given.keys() & call.given.keys()) else GROUP
    if not earlier.names.isdisjoint(call.names):
        return ROW
    if not earlier.names.isdisjoint(shown):
        return ANSWER
    return _relation_by_answers(earlier, call, shown)


def _relation_by_answers(earlier: DoneCall, call: DoneCall, shown: frozenset[str]) -> str:
    """What recorded answers say that two calls without a common name have in common."""
    if not (earlier.told.isdisjoint(call.names) and earlier.told.isdisjoint(shown)):
        return TOLD
    if not (earlier.linked.isdisjoint(call.names) and call.linked.isdisjoint(earlier.names)):
        return LINK
    return TOOL if earlier.tool == call.tool else NONE


def differing(
    call: DoneCall, shown: frozenset[str], past: Iterable[DoneCall], other: Iterable[DoneCall]
) -> Iterator[Cell]:
    """The cells of the calls that one past has more often than the other."""
    times = Counter(past)
    times.subtract(other)
    for earlier, more in times.items():
        if more:
            yield earlier.tool, call.tool, relation(earlier, call, shown)


def baseline_cell(call: DoneCall, whose: str, *, is_own: bool) -> Cell:
    """The cell of what differs though no call does."""
    other = OTHER if call.whose == whose else WHOSE
    return "", call.tool, OWN if is_own else other


class Influence:
    """How probably an earlier call changes an answer, by cell; of cells that were never tried what others of the writer say."""

    __slots__ = ("_cells", "_pooled")

    def __init__(self, cells: Mapping[Cell, float], pooled: Mapping[str, float]) -> None:
        self._cells = cells
        self._pooled = pooled

    def probability_of(self, cell: Cell) -> float:
        """The probability that the answer is another one for it."""
        known = self._cells.get(cell)
        if known is not None:
            return known
        writer, reader, related = cell
        usual = self._cells.get((writer, "", related), self._pooled[related])
        if related != NONE:
            return usual
        # Whether an answer shows what the writer names hangs on the answer: an empty list shows nothing, and may be changed all the same.
        return max(usual, self._cells.get((writer, reader, ANSWER), 0.0) / 2)

    def unchanged(self, cells: Iterable[Cell]) -> float:
        """The probability that none of several changed it."""
        left = 1.0
        for cell in cells:
            left *= 1.0 - self.probability_of(cell)
        return left
