"""What stands beside a record's messages, by the names in common use: ids, user, model, times, tools, question, answer.

Comes in: a record, the objects around its messages, and the objects around the record. Goes out: values of the right type;
a value of another type under such a name is left out and its name kept, so that nothing disappears silently.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from ingest.dialects.tool_schemas import read_tools
from ingest.files.partial_json import parse_json
from ingest.formats.records.speech import moment
from ingest.formats.records.words import KNOWN_AS, NAMES, snake_case
from ingest.records.moments import to_text
from ingest.records.outcome_words import is_about_else, is_measure
from ingest.records.text import Json, objects_in

Value = TypeVar("Value")

CONVERSATION: Final = NAMES["conversation"]
"""Names of ids that one conversation has for itself."""
TASK: Final = NAMES["task"]
"""Names of ids that all attempts at one request share."""
ROW: Final = NAMES["row"]
"""Names of ids that may be either."""
TRIAL: Final = NAMES["trial"]
USER: Final = NAMES["user"]
MODEL: Final = NAMES["model"]
AGENT: Final = NAMES["agent"]
APP: Final = NAMES["app"]
STARTED: Final = NAMES["started"]
ENDED: Final = NAMES["ended"]
TOOLS: Final = NAMES["tools"]
SYSTEM: Final = NAMES["system"]
QUESTION: Final = NAMES["question"]
ANSWER: Final = "answer"
"""The agent's answer where nothing else is; otherwise more often the right one."""
RESPONSE: Final = NAMES["response"]

BODIES: Final = NAMES["bodies"]
"""Names of a model API's whole response, which gateways and clouds log."""
_DEEPEST: Final = 3
_OTHERS: Final = frozenset(NAMES["of_others"])
"""Objects that speak of somebody or something else than the agent and its user."""
COUNTS: Final = ("count", "counts", "counters")
"""Endings of objects whose numbers count something: `{"status_counts": {"success": 1}}` is no verdict."""
ITEM_NAMES: Final = ("metric_name", "metric", "key", "name")
"""Names of what names an item of a list of figures."""
FIGURE_NAMES: Final = frozenset(NAMES["figures"])
"""Names that say nothing without the one above: `overall.result`."""
_NO_VERDICTS: Final = frozenset(
    {*NAMES["messages"], *TOOLS, *NAMES["references"], *BODIES, "scenario"}
)
_ROWS: Final = frozenset({"conversation", "chat", "thread", "dialogue", "dialog"})
"""Names of messages that are as often what is known of them all, where that is an object."""
_SENTENCE: Final = 3
"""Words from which a text is a sentence."""
_LONGEST_NAME: Final = 200
_MOST_WORDS: Final = 4
"""Words of a user's name; more of them are something that the user said."""


@dataclass(slots=True)
class Fields:
    """The values beside the messages of one record."""

    own: dict[str, Any]
    """The record itself."""
    holders: tuple[dict[str, Any], ...] = ()
    """The objects that enclose its messages, the record first."""
    around: tuple[dict[str, Any], ...] = ()
    """The objects that enclose the record, the outermost first."""
    passed_over: set[str] = field(default_factory=set)
    """Names of fields with a value of a type that they cannot have."""

    def text(self, names: Sequence[str], *, deep: int = _DEEPEST) -> str | None:
        """The first id or name under one of these names, the likeliest name first."""
        return self._first_read(names, _name_of, self.own, deep)

    def user(self) -> str | None:
        """Who the conversation is about."""
        named = self.text(USER)
        return named if named and len(named.split()) <= _MOST_WORDS else None

    def top_text(self, names: Sequence[str]) -> str | None:
        """The same, of the record's own fields only."""
        return self._first_read(names, _name_of, self.own, 1)

    def text_around(self, names: Sequence[str]) -> str | None:
        """The same, of what is said of the whole file."""
        found = (self._first_read(names, _name_of, one, _DEEPEST) for one in reversed(self.around))
        return next((text for text in found if text is not None), None)

    def words(self, names: Sequence[str]) -> str | None:
        """The first text of any length."""
        return self._first_read(names, _words_of, self.own, 2)

    def time(self, names: Sequence[str]) -> str | None:
        """The first moment, as ISO text."""
        nanoseconds = self._first_read(names, moment, self.own, 2)
        return None if nanoseconds is None else to_text(nanoseconds)

    def flag(self, name: str) -> bool:
        """Whether a switch is on."""
        return any(value is True for value, _ in _values_named(self.own, name, 2))

    def tools(self) -> list[Any]:
        """Tool definitions in OpenAI's form, or the record's own list where it is in that form already."""
        places = (*reversed(self.holders), self.own, *reversed(self.around))
        below = (self.own, *objects_in([*self.own.values()]))
        words = {snake_case(key) for place in below for key in place}
        for name in (*TOOLS, *sorted(one for one in words if one.endswith("_tools"))):
            for place in places:
                for value, _ in _values_named(place, name, _DEEPEST):
                    tools = _definitions(value)
                    # Under other names stand calls, too.
                    if tools and (
                        name in TOOLS or all("parameters" in one["function"] for one in tools)
                    ):
                        return tools
        return []

    def values(self, name: str, *, deep: int = _DEEPEST) -> Iterator[tuple[Any, str]]:
        """Everything under one name, with the key as it is written, the outermost first."""
        return _values_named(self.own, name, deep)

    def without_others(self) -> Fields:
        """The same record without the objects in it that are about something else (`ces.score`)."""
        return Fields(own=_without_others(self.own))

    def leaves(self) -> Iterator[tuple[str, Any, dict[str, Any]]]:
        """Each value that is no object, with its name and the object that it stands in; of lists under a name that measures the last item.

        A name that says nothing by itself has the one above before it (`overall.result`); not those of messages, tools and right answers.
        """
        return _leaves_of(self.own, "", _DEEPEST + 2)

    def _first_read(
        self,
        names: Sequence[str],
        read: Callable[[Any], Value | None],
        place: dict[str, Any],
        deep: int,
    ) -> Value | None:
        for name in filter(None, names):  # a key of marks alone (`#`) has no name
            for value, key in _values_named(place, name, deep):
                found = read(value)
                if found is not None:
                    return found
                if value not in (None, "", [], {}) and not isinstance(value, dict | list):
                    self.passed_over.add(key)
        return None


def _values_named(place: dict[str, Any], name: str, deep: int) -> Iterator[tuple[Any, str]]:
    """Values whose key is a name, or whose key and the one above make it up (`task.id`), the outermost first."""
    level: list[tuple[str, dict[str, Any]]] = [("", place)]
    for _ in range(deep):
        below: list[tuple[str, dict[str, Any]]] = []
        for above, one in level:
            for key, value in one.items():
                word = KNOWN_AS.get(snake_case(key), snake_case(key))
                if name in {word, f"{above}_{word}"}:
                    yield value, key
                if isinstance(value, dict) and word not in _OTHERS and not word.endswith(COUNTS):
                    below.append((word, value))
        level = below


def _name_of(value: Json) -> str | None:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    text = str(value).strip()
    return text if text and len(text) <= _LONGEST_NAME and "\n" not in text else None


def _words_of(value: Json) -> str | None:
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        value = value["text"]
    return value if isinstance(value, str) and value.strip() else None


def _definitions(value: Json) -> list[Any]:
    if isinstance(value, str):
        read = parse_json(value)
        value = read.value if read else None
    if isinstance(value, list) and value and all(_is_openai(one) for one in value):
        return value
    return [read_back.value for tool in read_tools(value) if (read_back := parse_json(tool))]


def _is_openai(value: Json) -> bool:
    function = value.get("function") if isinstance(value, dict) else None
    return isinstance(function, dict) and isinstance(function.get("name"), str)


def _leaves_of(
    place: dict[str, Any], above: str, deep: int
) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    named = next((place[key] for key in ITEM_NAMES if isinstance(place.get(key), str)), above)
    if is_about_else(named):
        return
    for key, value in place.items():
        word = snake_case(key)
        is_row = word in _ROWS and isinstance(value, dict)
        if (word in _NO_VERDICTS and not is_row) or word.endswith(COUNTS):
            continue
        if is_about_else(key) and isinstance(value, dict | list):
            continue
        told = told_in(value) if is_measure(key) else value
        for one in _judging(key, told) if isinstance(told, list) else [told]:
            if not isinstance(one, dict | list):
                is_bare = word in FIGURE_NAMES or word.isdecimal()
                yield f"{named}.{key}" if named and is_bare else key, one, place
            elif isinstance(one, dict) and deep > 1:
                yield from _leaves_of(one, key, deep - 1)


def _without_others(place: dict[str, Any], deep: int = _DEEPEST) -> dict[str, Any]:
    """An object without those inside it that are about something else."""
    return {
        key: _without_others(value, deep - 1) if isinstance(value, dict) and deep > 1 else value
        for key, value in place.items()
        if not (isinstance(value, dict) and is_about_else(key))
    }


def told_in(value: object) -> object:
    """A value, read where it is JSON as text."""
    if not isinstance(value, str) or value[:1] not in {"{", "["}:
        return value
    parsed = parse_json(value)
    return value if parsed is None else parsed.value


def _judging(key: str, items: list[Any]) -> list[Any]:
    """The items of a list that may judge: those with names, or the last one under a name that measures."""
    if all(map(_is_named, items)):
        return items
    return items[-1:] if is_measure(key) and not _are_parts(items) else []


def _are_parts(items: list[Any]) -> bool:
    """Whether each item is about something else, a sentence under a name that all have: `{"claim": "It is found.", "outcome": "met"}`."""
    keys = objects_in(items[:1])[:1] if items[1:] else []
    told = {key: [str(one.get(key)) for one in objects_in(items)] for one in keys for key in one}
    return any(
        len({*texts}) == len(items) and all(len(one.split()) >= _SENTENCE for one in texts)
        for key, texts in told.items()
        if snake_case(key) not in NAMES["reasons"]
    )


def _is_named(item: object) -> bool:
    return isinstance(item, dict) and any(isinstance(item.get(key), str) for key in ITEM_NAMES)
