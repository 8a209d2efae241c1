"""Tools that are several: what one argument, a path or an object of arguments says which of them is meant.

Goes in: a call as agents make it (`orders(action="cancel", id=7)`, `request(method="GET", path="/users/7?full=1")`, `call(name=…,
arguments={…})`). Comes out: the part that it means, under a readable name (`orders[action=cancel]`) with arguments of its own, and the
way back. Rubrics and attacks see parts too, so that a write is a write whatever carries it. Not here: how such tools are found
(`synth.world.multiplexed.operations`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final
from urllib.parse import parse_qsl, quote, unquote, urlencode

from ..document.codec import decode_all, encode
from ..document.views import OperationPart, RulePart
from ..task.attempt import Json, MeantCall, ToolResult
from ..task.tool_definition import function_of, name_of
from ..values.literals import object_in, parse_arguments, parse_json
from ..world.notice import notice_for
from .argument_spelling import NO_NAMES, RecordNames
from .view import CallInFlight, View, in_form_of

NEVER: Final = "no call of it with such a value was ever recorded"
GIVEN: Final = "?"
"""Behind an argument's name where it tells parts apart by being there."""
VARIABLE: Final = "{"
"""What a segment of a template begins with where any value may stand."""
Change = Callable[[str, Mapping[str, Json]], "tuple[str, Mapping[str, Json]] | None"]
"""Another name and arguments for a call; None leaves it as it is."""


def split_path(path: str) -> tuple[tuple[str, ...], str]:
    """The segments of a path and its query; the host is one segment, slashes at the ends are none."""
    plain, _, query = path.partition("?")
    scheme, mark, rest = plain.partition("://")
    host, _, below = rest.partition("/") if mark else ("", "", plain)
    segments = tuple(unquote(part) for part in below.strip("/").split("/"))
    return ((f"{scheme}://{host}", *segments) if mark else segments), query


def plain_number(text: str) -> Json:
    """A number or truth value that is spelt as JSON spells it; any other text stays one."""
    parsed = parse_json(text)
    value = parsed.value if parsed is not None else None
    is_plain = isinstance(value, bool | int | float) and json.dumps(value) == text
    return value if is_plain else text


def label_value(arguments: Mapping[str, Json], by: str) -> Json:
    """What a call says at an argument that tells parts apart: its value, or (`set?`) whether it is there."""
    return by[: -len(GIVEN)] in arguments if by.endswith(GIVEN) else arguments.get(by)


class Rule:
    """How the calls of one tool are several tools' calls."""

    __slots__ = ("_by", "_exact", "_names", "_open", "_path", "_templates", "part", "parts", "tool")

    def __init__(self, tool: str, part: RulePart) -> None:
        self.tool = tool
        self.part = part
        self.parts = part.parts
        self._by = part.by
        self._path = part.path
        self._open = part.open
        self._exact: dict[tuple[str, ...], str] = {}
        self._templates: dict[tuple[str, ...], list[tuple[tuple[str, ...], str]]] = {}
        self._names: dict[str, dict[tuple[str, ...], str]] = {}
        """Per part, what its arguments are called by where they stand."""
        for name, known in self.parts.items():
            self._names[name] = {place: own for own, place in known.names.items()}
            key = tuple(json.dumps(known.when.get(by)) for by in self._by)
            if self._path is None:
                self._exact[key] = name
            else:
                segments = split_path(str(known.when[self._path]))[0]
                self._templates.setdefault(key, []).append((segments, name))
        for found in self._templates.values():
            # A segment that is spelt out is nearer than one in which anything may stand.
            found.sort(key=lambda one: [s[:1] == VARIABLE for s in one[0]])

    def meaning_of(self, arguments: Mapping[str, Json]) -> MeantCall | None:
        """The call by what it means; None where no such call was ever recorded."""
        key = tuple(json.dumps(label_value(arguments, by)) for by in self._by)
        path = arguments.get(self._path) if self._path is not None else None
        if self._path is None:
            name = self._exact.get(key)
            taken: dict[tuple[str, ...], Json] = {}
        elif isinstance(path, str):
            name, taken = self._matched(key, path)
        else:
            return None
        if name is None:
            return None
        for argument, value in arguments.items():
            inner = object_in(value) if argument in self._open else None
            if inner is not None:
                taken |= {("open", argument, k): v for k, v in inner.items()}
            elif argument not in self._by and argument != self._path:
                taken["top", argument] = value
        return MeantCall(name, self._arguments_named(name, taken))

    def _matched(
        self, key: tuple[str, ...], path: str
    ) -> tuple[str | None, dict[tuple[str, ...], Json]]:
        segments, query = split_path(path)
        known = self._templates.get(key, ())
        found = next((one for one in known if _fits(one[0], segments)), None)
        if found is None:
            return None, {}
        template, name = found
        numbers = self.parts[name].numbers
        taken: dict[tuple[str, ...], Json] = {
            ("path", t[1:-1]): s
            for t, s in zip(template, segments, strict=True)
            if t[:1] == VARIABLE
        }
        for field, value in parse_qsl(query, keep_blank_values=True):
            before = taken.get(("query", field))
            several: list[Json] = [*before] if isinstance(before, list) else [before]
            taken["query", field] = value if before is None else [*several, value]
        return name, {
            place: plain_number(value) if isinstance(value, str) and place[1] in numbers else value
            for place, value in taken.items()
        }

    def _arguments_named(self, part: str, taken: Mapping[tuple[str, ...], Json]) -> dict[str, Json]:
        names, known = self._names[part], self.parts[part].names
        out: dict[str, Json] = {}
        for place, value in taken.items():
            own = place[-1] if place[-1] not in known else ".".join(place[1:])
            out[names.get(place, own)] = value
        return out

    def are_as_asked(self, name: str, arguments: Mapping[str, Json]) -> bool:
        """Whether arguments are an agent's already, of a tool that is one but for the record around its arguments."""
        return name == self.tool and not arguments.keys().isdisjoint(self._open)

    def arguments_as_asked(self, name: str, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """The arguments that agents make a part's call with."""
        part = self.parts[name]
        out: dict[str, Json] = {
            by: value
            for by, value in part.when.items()
            if by != self._path and value is not None and not by.endswith(GIVEN)
        }
        inner: dict[str, dict[str, Json]] = {c: {} for c in part.always}
        filled: dict[str, str] = {}
        query: list[tuple[str, str]] = []
        for argument, value in arguments.items():
            place = part.names.get(argument) or self._place(part, argument)
            if place[0] == "open":
                inner.setdefault(place[1], {})[place[2]] = value
            elif place[0] == "path":
                filled[place[1]] = _text(value)
            elif place[0] == "query":
                values = value if isinstance(value, list) else [value]
                query += [(place[1], _text(one)) for one in values]
            else:
                out[place[1]] = value
        if self._path is not None:
            out[self._path] = _rendered(str(part.when[self._path]), filled, query)
        for container, held in inner.items():
            is_text = container in part.text
            out[container] = json.dumps(held, ensure_ascii=False) if is_text else held
        return out

    @staticmethod
    def _place(part: OperationPart, argument: str) -> Sequence[str]:
        """Where an argument that no recorded call had would go: beside those that it had."""
        held = [place[1] for place in part.names.values() if place[0] == "open"]
        always = [*held, *part.always]
        return ("open", always[0], argument) if always else ("top", argument)


def _fits(template: Sequence[str], segments: Sequence[str]) -> bool:
    return len(template) == len(segments) and all(
        t[:1] == VARIABLE or t == s for t, s in zip(template, segments, strict=True)
    )


def _text(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _rendered(template: str, filled: Mapping[str, str], query: Sequence[tuple[str, str]]) -> str:
    """A path with values in its template's gaps."""
    for name, value in filled.items():
        template = template.replace("{" + name + "}", quote(value, safe=""))
    return template + ("?" + urlencode(query, quote_via=quote) if query else "")


class Dispatched(View):
    """All tools of an app that are several, part of the world file and of every task; in a world it knows the names of records, too."""

    __slots__ = ("_names", "_of", "_rules")

    def __init__(self, parts: Mapping[str, RulePart], names: RecordNames = NO_NAMES) -> None:
        self._names = names
        self._rules = {tool: Rule(tool, part) for tool, part in parts.items()}
        self._of = {name: rule for rule in self._rules.values() for name in rule.parts}

    @classmethod
    def from_json(cls, parts: Mapping[str, Json]) -> Dispatched:
        """Of a task; raises `BadPartError`."""
        return cls(decode_all(RulePart, parts))

    def to_json(self) -> dict[str, Json]:
        """For tasks."""
        return {tool: encode(rule.part) for tool, rule in self._rules.items()}

    def __bool__(self) -> bool:
        return bool(self._rules)

    def meaning_of(self, tool: str, arguments: Mapping[str, Json]) -> MeantCall:
        """A call by what it means, records by one of their names; as it is where the tool is one, or nobody knows which is meant."""
        meant = self._part(tool, arguments) or MeantCall(tool, arguments)
        renamed = self._names.usual_in(meant.tool, meant.arguments)
        return MeantCall(meant.tool, {**meant.arguments, **renamed}) if renamed else meant

    def call_as_asked(
        self, name: str, arguments: Mapping[str, Json]
    ) -> tuple[str, dict[str, Json]]:
        """The tool and arguments that a part's call is made with; any other call as it is."""
        rule = self._of.get(name)
        if rule is None or rule.are_as_asked(name, arguments):
            return name, dict(arguments)
        return rule.tool, rule.arguments_as_asked(name, arguments)

    def as_asked(self, message: Mapping[str, Json]) -> Mapping[str, Json]:
        """An assistant message whose calls name parts, as agents make them."""
        return self._change_calls(
            message, lambda n, a: self.call_as_asked(n, a) if n in self._of else None
        )

    def as_meant(self, message: Mapping[str, Json]) -> Mapping[str, Json]:
        """An assistant message as agents make it, its calls naming parts."""
        return self._change_calls(message, self._meant_or_none)

    def _meant_or_none(
        self, tool: str, arguments: Mapping[str, Json]
    ) -> tuple[str, Mapping[str, Json]] | None:
        found = self._part(tool, arguments)
        return None if found is None else (found.tool, found.arguments)

    def _part(self, tool: str, arguments: Mapping[str, Json]) -> MeantCall | None:
        rule = self._rules.get(tool)
        return rule.meaning_of(arguments) if rule is not None else None

    def _change_calls(self, message: Mapping[str, Json], change: Change) -> Mapping[str, Json]:
        calls = message.get("tool_calls")
        if not self._rules or not isinstance(calls, list):
            return message
        return {**message, "tool_calls": [_changed_call(call, change) for call in calls]}

    def definitions(self, tools: Iterable[Mapping[str, Json]]) -> dict[str, Mapping[str, Json]]:
        """Every tool's function by name, parts in the place of the tools that they are parts of."""
        out: dict[str, Mapping[str, Json]] = {}
        for tool in tools:
            function = function_of(tool)
            name = name_of(function)
            if not name:
                continue
            rule = self._rules.get(name)
            if rule is None:
                out[name] = function
            for part, known in rule.parts.items() if rule is not None else ():
                schema: dict[str, Json] = {"type": "object", "properties": dict(known.schema)}
                out[part] = {"name": part, "parameters": schema}
        return out

    def inward(self, asked: CallInFlight) -> None:
        """Name the part that is meant, with its arguments."""
        rule = self._rules.get(asked.tool)
        parsed = parse_arguments(asked.arguments) if rule is not None else None
        if rule is None or parsed is None:
            return
        found = rule.meaning_of(parsed)
        if found is None:
            asked.give_up(NEVER)
            return
        asked.meant = found
        asked.called, asked.tool = asked.tool, found.tool
        asked.version = found.tool
        own = dict(found.arguments)
        asked.arguments = in_form_of(asked.arguments, own)

    def outward(self, asked: CallInFlight, result: ToolResult) -> ToolResult:
        """A notice under the name that agents know."""
        return notice_for(asked.called, result) if asked.called else result


def _changed_call(call: Json, change: Change) -> Json:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(call, dict) or not isinstance(function, dict):
        return call
    name, text = function.get("name"), function.get("arguments") or "{}"
    given = parse_arguments(text) if isinstance(text, str | dict) else None
    found = change(name, given) if isinstance(name, str) and given is not None else None
    if found is None:
        return call
    arguments = json.dumps(dict(found[1]), ensure_ascii=False)
    return {**call, "function": {**function, "name": found[0], "arguments": arguments}}


def words_of_part(name: str) -> list[str]:
    """What a part's name says without the words that every part has, value by value; any other name as it is."""
    _, mark, inside = name.partition("[")
    if not mark or not inside.endswith("]"):
        return [name]
    values = [one.partition("=")[2] for one in inside[:-1].split(", ")]
    return [" ".join(w for w in v.split("/") if w[:1] != VARIABLE) for v in values]


EMPTY: Final = Dispatched({})
