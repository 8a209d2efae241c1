"""Spellings: arguments that a tool takes in several ways, put into the one that its records have.

Goes in: a call's arguments. Comes out: the same with spaces around words gone, in the recorded casing, numbers sent as text as
numbers, lists whose order means nothing in one order, one name of a record for all of them; only as far as the tool was seen to take
them for the same. Not here: how that is found (`synth.world.views.argument_spelling` and `record_names`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from ..document.views import SpellingPart
from ..task.attempt import UNKNOWN, Json, ToolResult
from ..values.literals import parse_arguments, parse_json
from ..values.mentions import names_in
from ..values.normal import is_number, is_plain, simplify, stable
from ..world.notice import notice
from .view import CallInFlight, View, keep

TRIM: Final = "trim"
CASE: Final = "case"
NUMBER: Final = "number"
ORDER: Final = "order"
KINDS: Final = (TRIM, CASE, NUMBER, ORDER)
REPEATS: Final = "whether this refusal repeats the argument as it was sent was never seen"

ELSEWHERE: Final = "an argument is spelt as only other tools were seen to take it"


def folded(value: Json, kinds: frozenset[str]) -> Json:
    """One value for all spellings of an argument."""
    if isinstance(value, list):
        items = [folded(item, kinds - {ORDER}) for item in value]
        return sorted(items, key=stable) if ORDER in kinds else items
    if not isinstance(value, str):
        return value
    text = value.strip() if TRIM in kinds else value
    if NUMBER in kinds:
        number = number_in(text)
        if number is not None:
            return number
    return text.casefold() if CASE in kinds else text


def number_in(text: str) -> int | float | None:
    """The number that a text is, written as JSON writes it."""
    parsed = parse_json(text)
    number = None if parsed is None else simplify(parsed.value)
    return number if is_number(number) else None


def recorded_spelling(value: Json, form: SpellingPart, kinds: frozenset[str] | None = None) -> Json:
    """The argument as the tool's records have it."""
    kinds = form.kinds if kinds is None else kinds
    if isinstance(value, list):
        items = [recorded_spelling(item, form, kinds - {ORDER}) for item in value]
        return sorted(items, key=stable) if ORDER in kinds else items
    plain = folded(value, kinds)
    if form.text and is_number(plain):
        return stable(plain)
    if not isinstance(plain, str) or CASE not in kinds:
        return plain
    known = form.spelt.get(plain)
    if known is not None:
        return known
    if form.upper is None:
        return folded(value, kinds - {CASE})
    return plain.upper() if form.upper else plain


Names = Mapping[str, Json]
"""By another name of a record, as text, the one that calls have."""


def usual_name(value: Json, names: Names) -> Json:
    """The argument with one name for each record that has several."""
    if isinstance(value, list):
        return [usual_name(item, names) for item in value]
    return names.get(name_key(value), value) if is_plain(value) else value


def name_key(value: Json) -> str:
    """A name as text, be it sent as a number or not."""
    return value if isinstance(value, str) else stable(value)


class RecordNames:
    """Names of one record that tools take for the same, by tool and argument; part of the world file."""

    __slots__ = ("_by_tool",)

    def __init__(
        self,
        known: Mapping[str, Mapping[str, SpellingPart]],
        tables: Mapping[str, Names],
    ) -> None:
        found = {
            tool: {name: tables[form.names] for name, form in forms.items() if form.names in tables}
            for tool, forms in known.items()
        }
        self._by_tool = {tool: names for tool, names in found.items() if names}

    def usual_in(self, tool: str, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """The arguments of a call that name a record otherwise, as calls have them."""
        names = self._by_tool.get(tool)
        if names is None:
            return {}
        found = {n: usual_name(v, names[n]) for n, v in arguments.items() if n in names}
        return {n: v for n, v in found.items() if v != arguments[n]}


NO_NAMES: Final = RecordNames({}, {})


class Spelling(View):
    """Arguments on their way inwards, spelt as recorded; remembers nothing of a session."""

    __slots__ = ("_kept", "_known", "_names")

    def __init__(self, known: Mapping[str, Mapping[str, SpellingPart]], names: RecordNames) -> None:
        self._known = known
        self._names = names
        self._kept: dict[tuple[str, str], str] = {}
        """Calls that are spelt as recorded."""

    def passes(self, name: str, arguments: Mapping[str, Json] | str) -> bool:
        """Whether the call is spelt as recorded, as one before it was."""
        return name not in self._known or (
            isinstance(arguments, str) and (name, arguments) in self._kept
        )

    def inward(self, asked: CallInFlight) -> None:
        """Spell the arguments as recorded."""
        known = self._known.get(asked.tool)
        text = asked.arguments if isinstance(asked.arguments, str) else None
        if not known or (text is not None and (asked.tool, text) in self._kept):
            return
        given = parse_arguments(asked.arguments)
        if given is None:
            return
        plain = {n: recorded_spelling(v, known[n]) if n in known else v for n, v in given.items()}
        if any(plain[n] != given[n] and not form.sure for n, form in known.items() if n in given):
            # The record is the same one, or none: what becomes of it is not known either way.
            asked.give_up(ELSEWHERE)
        asked.renamed = self._names.usual_in(asked.tool, plain)
        plain |= asked.renamed
        if plain != given:
            asked.arguments = plain if text is None else json.dumps(plain)
            asked.sent = given
        elif text is not None:
            keep(self._kept, (asked.tool, text), text)

    def outward(self, asked: CallInFlight, result: ToolResult) -> ToolResult:
        """A refusal that names what was sent, where nobody saw in which spelling."""
        if asked.sent is None or not result.is_error or result.source == UNKNOWN:
            return result
        plain = parse_arguments(asked.arguments) or {}
        for name, form in self._known.get(asked.tool, {}).items():
            value = plain.get(name)
            changed = value != asked.sent.get(name) and not form.refused
            if changed and any(text in result.content for text in _texts(value)):
                return notice(asked.tool, REPEATS)
        return result


def _texts(value: Json) -> set[str]:
    """What an answer would repeat of an argument."""
    return names_in(value) | ({value} if isinstance(value, str) else set())
