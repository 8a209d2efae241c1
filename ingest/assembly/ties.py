"""Which traces may belong to one conversation: groups that can be assembled one after the other.

Comes in: the spans and log events of one app, in any order, twice (the content of traces without a conversation id is
read the second time only). Goes out: a group for each trace. A group may hold more than one conversation and never less
than one: whatever `ingest.assembly.conversations` could join is in one group. What is kept is some bytes a span, never a text.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable

from ingest.assembly.conversations import history_marks
from ingest.assembly.forest import group_key
from ingest.dialects.attributes import first_text
from ingest.dialects.identity import PREVIOUS_RESPONSE_KEYS, RESPONSE_KEYS, identity, identity_in
from ingest.dialects.otel_genai_events import read_sayings, sayings, told_in
from ingest.dialects.reading import Reading
from ingest.dialects.table import read_span
from ingest.formats.spans.model_calls import NAME as LOGGED_CALL
from ingest.records.span import LogEvent, Span


class Ties:
    """Traces tied into groups."""

    def __init__(self) -> None:
        self._place: dict[str, int] = {}
        self._above = array("q")
        self._named = bytearray()
        self._of_conversation: dict[int, int] = {}
        self._response = array("q")
        self._response_of = array("q")
        self._asked: dict[int, list[int]] = {}
        self._offered: dict[int, list[int]] = {}
        self._history: dict[int, set[int]] = {}

    def add(self, span: Span) -> None:
        """Take in what a span says of its conversation; its content is not read."""
        place = self._trace(span.trace_id)
        said = identity(span)
        if said["conversation"]:
            is_loose = said.get("conversation_is_argument") or span.scope == LOGGED_CALL
            self._name(place, said["conversation"], is_sure=not is_loose)
        self._answer(place, said["response_id"], said["previous_response_id"])
        for link in span.links if len(span.links) == 1 and not span.parent_id else ():
            self._tie(place, self._trace(link.trace_id))

    def add_event(self, event: LogEvent) -> None:
        """Take in what a log event says of its conversation."""
        place = self._trace(group_key(event))
        held = {**(event.body if isinstance(event.body, dict) else {}), **event.attributes}
        conversation = identity_in(held, {})["conversation"]
        if conversation:
            self._name(place, conversation, is_sure=True)
        response = first_text(event.attributes, RESPONSE_KEYS)
        self._answer(place, response, first_text(event.attributes, PREVIOUS_RESPONSE_KEYS))

    def unnamed(self) -> set[str]:
        """The traces of which nothing names a conversation: only their content can tie them."""
        return {trace for trace, place in self._place.items() if not self._named[place]}

    def add_content(self, spans: Iterable[Span]) -> None:
        """Take in the histories of spans of unnamed traces."""
        for span in spans:
            self._take_history(self._trace(span.trace_id), read_span(span))

    def add_event_content(self, events: Iterable[LogEvent]) -> None:
        """Take in the histories that log events of unnamed traces carry."""
        said_in: dict[tuple[str, str | None], list[LogEvent]] = defaultdict(list)
        for event in events:
            if any(told_in(event)):
                said_in[group_key(event), event.span_id].append(event)
        for (trace, _), said in said_in.items():
            told = read_sayings(sayings(None, said))
            if told is not None:
                self._take_history(self._trace(trace), told)

    def _take_history(self, place: int, reading: Reading) -> None:
        # Marks of one conversation's calls share their beginnings: the set grows with it, not with its square.
        marks = history_marks((*reading.input, *reading.output))
        self._history.setdefault(place, set()).update(
            hash(mark) for mark in marks[: len(reading.input) + 1]
        )
        if reading.input and reading.output:
            self._offered.setdefault(hash(marks[-1]), []).append(place)

    def group(self) -> dict[str, int]:
        """The group of every trace; call once, at the end."""
        for response, place in zip(self._response, self._response_of, strict=True):
            for asking in self._asked.get(response, ()):
                self._tie(asking, place)
        for place, marks in self._history.items():
            for mark in marks:
                for offering in self._offered.get(mark, ()):
                    self._tie(place, offering)
        return {trace: self._top(place) for trace, place in self._place.items()}

    def _trace(self, trace_id: str) -> int:
        place = self._place.setdefault(trace_id, len(self._above))
        if place == len(self._above):
            self._above.append(place)
            self._named.append(0)
        return place

    def _name(self, place: int, conversation: str, *, is_sure: bool) -> None:
        self._named[place] |= is_sure
        self._tie(place, self._of_conversation.setdefault(hash(conversation), place))

    def _answer(self, place: int, response: str | None, previous: str | None) -> None:
        if response:
            self._response.append(hash(response))
            self._response_of.append(place)
        if previous:
            self._asked.setdefault(hash(previous), []).append(place)

    def _tie(self, one: int, other: int) -> None:
        top, below = sorted((self._top(one), self._top(other)))
        self._above[below] = top

    def _top(self, place: int) -> int:
        above = self._above
        while above[place] != place:
            above[place] = above[above[place]]  # halves the way for the next one
            place = above[place]
        return place
