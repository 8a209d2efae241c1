"""Apps of every odd shape, as lines of a chat log: definitions, arguments and results of every JSON shape that telemetry may hold.

Two ways: `lines()` draws small apps out of nothing; `Mutator` changes recorded lines of a real backend at random, so that what has
records, writes and reads meets the same oddities.
"""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, Final

from hypothesis import strategies as st

NAMES: Final = ("get_item", "set_item", "list_items", "Ünï.code/tool-9", "", "a b", "x" * 90)
ARGUMENTS: Final = ("id", "item_id", "type", "$ref", "1", "", "name", "e-mail", "properties")
IDS: Final = ("IT-1001", "IT-1002", "7", "anna_lopez_44")
TYPES: Final = ("string", "integer", "number", "boolean", "array", "object", "null")
LONG: Final = 12_000
TEXTS: Final = (
    "", " ", "null", "{}", "[1", "2026-03-01", "2026-99-99", "\ud800", "\x00", "a\u2028b", "Error: no", "9" * 5000, "9" * 320, "²³", "x²", "١٢٣",
    "e\u0301", "\u202eabc", "👩‍👩‍👧", "-", "#", "%s %d {0}", "${x}", "\\", '\\"', "'", "`", "<b>", "a,b,c", "1e999", "0x1F", "١.٥", "=1+1", "-0", "1_000", "12:99",  # noqa: RUF001 - meant so
    "QUJD" * 40, "a@b", "+1 555 0100", "true", "None", "nan", "Infinity", "|a|b|\n|-|-|\n|1|2|", "- a: 1\n- a: 2", "a: b: c", "<a><b/></a>", "A" * 81,
)  # fmt: skip
"""Texts that some reader takes for a number, a date, a table, a document, or chokes on."""
NUMBERS: Final = (0, 1, -1, 2**53 + 1, 10**40, 10**99, 10**400, 0.5, -0.0, 1e300, 5e-324, 5.0, 1e17)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from(NUMBERS),
    st.sampled_from(IDS),
    st.sampled_from(TEXTS),
    st.text(max_size=6),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from((*ARGUMENTS, *TEXTS)), inner, max_size=3),
    ),
    max_leaves=8,
)


def nested(depth: int, leaf: Any = "IT-1001") -> Any:  # noqa: ANN401 - any JSON value
    """A value inside `depth` lists and objects."""
    for level in range(depth):
        leaf = [leaf] if level % 2 else {"in": leaf}
    return leaf


def _schemas() -> st.SearchStrategy[Any]:
    types = st.one_of(
        st.sampled_from(TYPES),
        st.lists(st.sampled_from(TYPES), max_size=3),
        st.sampled_from(["str", "any", "", None, 5, {"type": "string"}, [["string"]], [None]]),
    )
    references = st.sampled_from(
        ["#/$defs/Item", "#/$defs/Loop", "#", "#/$defs/None", "http://x/y", "", 7, None]
    )

    def grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        listed = st.lists(inner, max_size=3)
        several = st.one_of(listed, inner, st.none())
        return st.fixed_dictionaries(
            {},
            optional={
                "type": types,
                "properties": st.one_of(
                    st.dictionaries(st.sampled_from(ARGUMENTS), inner, max_size=3),
                    listed,
                    st.none(),
                ),
                "items": st.one_of(inner, listed, st.booleans(), st.none()),
                "anyOf": several,
                "oneOf": several,
                "allOf": several,
                "not": inner,
                "$ref": references,
                "$defs": st.one_of(
                    st.fixed_dictionaries(
                        {
                            "Item": inner,
                            "Loop": st.just({"properties": {"id": {"$ref": "#/$defs/Loop"}}}),
                        }
                    ),
                    st.none(),
                    st.booleans(),
                ),
                "enum": st.one_of(st.lists(values, max_size=4), scalars, values),
                "const": values,
                "default": values,
                "examples": values,
                "required": st.one_of(
                    st.lists(st.one_of(st.sampled_from(ARGUMENTS), scalars), max_size=3), values
                ),
                "additionalProperties": st.one_of(st.booleans(), inner),
                "description": st.one_of(st.text(max_size=20), st.none(), values),
                "title": values,
            },
        )

    return st.recursive(
        st.one_of(st.booleans(), st.just({}), st.none(), types, scalars), grown, max_leaves=6
    )


schemas = _schemas()


def _definitions() -> st.SearchStrategy[Any]:
    function = st.fixed_dictionaries(
        {},
        optional={
            "name": st.one_of(st.sampled_from(NAMES), scalars),
            "description": st.one_of(st.text(max_size=30), scalars, values),
            "parameters": schemas,
            "strict": scalars,
        },
    )
    return st.one_of(
        st.fixed_dictionaries({"type": st.just("function"), "function": function}),
        st.fixed_dictionaries({"function": st.one_of(scalars, values)}),
        function,
        st.fixed_dictionaries({"name": st.sampled_from(NAMES), "input_schema": schemas}),
        st.just({}),
    )


definitions = _definitions()

arguments = st.one_of(
    st.dictionaries(st.sampled_from(ARGUMENTS), values, max_size=3).map(json.dumps),
    values.map(json.dumps),
    st.sampled_from(
        [
            "", " ", "{", "not json", "NaN", '{"id": NaN}', '{"id": 1e999}', "[]", "null", '"{}"',
            '{"id": 1, "id": 2}', '{"id": "\\ud800"}', "{'id': 'IT-1001'}", json.dumps(nested(70)),
            json.dumps({"id": nested(40)}), '{"id": ' + "9" * 400 + "}", "[" * 3000,
        ]
    ),
)  # fmt: skip
results = st.one_of(
    values.map(json.dumps),
    st.lists(
        st.fixed_dictionaries({"id": st.sampled_from(IDS)}, optional={"name": values, "type": values}),
        max_size=4,
    ).map(json.dumps),
    st.fixed_dictionaries({"id": st.sampled_from(IDS)}, optional={"name": scalars, "items": values}).map(json.dumps),
    values,
    st.sampled_from(
        [
            None, "", "null", "true", "5", "Error: not found", "ok", "[" * 3000, json.dumps(nested(70)),
            '{"id": "IT-1001", "id": "IT-1002"}', '{"n": NaN}', "x" * LONG, "Traceback (most recent call last):\n  File",
            "<r><id>IT-1001</id></r>", "id: IT-1001\nname: a", "{'id': 'IT-1001', 'n': None}", '# var_1 = "{}"',
        ]
    ),
)  # fmt: skip


@st.composite
def messages(draw: st.DrawFn) -> list[dict[str, Any]]:
    """The messages of one conversation: mostly calls with results, in any order."""
    out: list[dict[str, Any]] = []
    if draw(st.booleans()):
        out.append({"role": draw(st.sampled_from(["system", "developer"])), "content": "Be kind."})
    out.append(
        {
            "role": "user",
            "content": draw(
                st.one_of(st.just("please show IT-1001"), st.text(max_size=9), st.none())
            ),
        }
    )
    for turn in range(draw(st.integers(0, 4))):
        called = [
            {
                "id": draw(st.sampled_from([f"c{turn}{n}", f"c{turn}{n}", "c", None])),
                "type": "function",
                "function": {"name": draw(st.sampled_from(NAMES)), "arguments": draw(arguments)},
            }
            for n in range(draw(st.integers(0, 2)))
        ]
        out.append(
            {
                "role": "assistant",
                "content": draw(st.one_of(st.none(), st.just("Done: IT-1001."))),
                "tool_calls": called,
            }
        )
        for call in called:
            if draw(st.integers(0, 9)):
                out.append(_result(draw, call["id"]))  # noqa: PERF401 - draws in this order
        if not draw(st.integers(0, 5)):
            out.append(_result(draw, draw(st.sampled_from(["nobody", None]))))
        if draw(st.booleans()):
            out.append({"role": "user", "content": draw(st.sampled_from(["yes", "no", "", None]))})
    out.append({"role": "assistant", "content": draw(st.sampled_from(["All done.", "", None]))})
    if not draw(st.integers(0, 4)):
        out = list(draw(st.permutations(out)))
    return out


def _result(draw: st.DrawFn, call_id: object) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "tool", "tool_call_id": call_id, "content": draw(results)}
    if not draw(st.integers(0, 3)):
        message["tg"] = {"is_error": draw(st.booleans())}
    return message


@st.composite
def lines(draw: st.DrawFn, *, most: int = 4) -> list[dict[str, Any]]:
    """A small app of odd conversations; some are recorded several times, as attempts at one task."""
    offered = draw(st.lists(definitions, max_size=4))
    out: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, most))):
        said = draw(messages())
        for again in range(draw(st.integers(1, 3))):
            out.append(  # noqa: PERF401 - draws in this order
                {
                    "episode_id": f"e{number}-{again}",
                    "task_key": draw(st.sampled_from([f"t{number}", f"t{number}", None])),
                    "user_id": draw(st.sampled_from([None, "u1", "u2", ""])),
                    "started_at": f"2026-03-01T{number:02}:{again:02}:00Z",
                    "tools": offered
                    if draw(st.integers(0, 4))
                    else draw(st.lists(definitions, max_size=3)),
                    "messages": said,
                    "outcome": {
                        "name": "resolved",
                        "value": draw(st.sampled_from([1, 0, 1, None, "x"])),
                    },
                }
            )
    return out


Change = Callable[["Mutator", dict[str, Any]], None]


class Mutator:
    """Changes lines of a chat log at random; the same dice make the same changes."""

    def __init__(self, dice: random.Random, *, share: float = 0.15) -> None:
        self.dice = dice
        self.share = share
        self.changes: Sequence[Change] = [dice.choice(group) for group in CHANGES]

    def changed(self, lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Copies of the lines, some of them changed."""
        out = []
        for line in deepcopy(list(lines)):
            for change in self.changes:
                change(self, line)
            out.append(line)
        return out

    def often(self) -> bool:
        """Whether to change this one."""
        return self.dice.random() < self.share

    def value(self, depth: int = 0) -> Any:  # noqa: ANN401 - any JSON value
        """Any JSON value."""
        dice = self.dice
        kind = dice.randrange(14 if depth < 3 else 10)
        if kind == 10:
            return [self.value(depth + 1) for _ in range(dice.randrange(4))]
        if kind > 10:
            names = TEXTS if dice.random() < 0.2 else ARGUMENTS
            return {dice.choice(names): self.value(depth + 1) for _ in range(dice.randrange(4))}
        text = "".join(dice.choice(string.printable + "éß漢") for _ in range(dice.randrange(8)))
        return [
            None, True, dice.choice(TEXTS), dice.randrange(-5, 50), dice.choice(NUMBERS), dice.random() * 100, text, dice.choice(IDS), dice.choice(TEXTS), nested(dice.choice([1, 5, 58, 59, 60, 61, 62])),
        ][kind]  # fmt: skip

    def schema(self, depth: int = 0) -> Any:  # noqa: ANN401 - any JSON value
        """Any JSON Schema, or nearly one."""
        dice = self.dice
        some = [
            True, False, {}, None, {"type": dice.choice(TYPES)}, {"type": dice.sample(TYPES, 2)},
            {"type": ["string", "null"], "enum": [None, {"a": 1}, 5, "x"]}, {"enum": []},
            {"$ref": "#/$defs/Item"}, {"$ref": "#"}, {"const": self.value()}, {"enum": self.value()},
            {"type": self.value()}, {"required": self.value(), "properties": self.value()},
        ]  # fmt: skip
        if depth < 3:
            some += [
                {
                    dice.choice(["anyOf", "oneOf", "allOf"]): [
                        self.schema(depth + 1) for _ in range(2)
                    ]
                },
                {
                    "type": "object",
                    "properties": {a: self.schema(depth + 1) for a in dice.sample(ARGUMENTS, 2)},
                },
                {
                    "type": "array",
                    "items": dice.choice([self.schema(depth + 1), [self.schema(depth + 1)], True]),
                },
                {"type": "object", "additionalProperties": self.schema(depth + 1)},
            ]
        return dice.choice(some)

    def result(self) -> Any:  # noqa: ANN401 - any JSON value
        """Any result."""
        dice = self.dice
        return dice.choice(
            [
                None, "", "null", "ok", "Error: no such thing", "5", "true", json.dumps(self.value()), json.dumps(self.value()), self.value(),
                json.dumps([{"id": dice.choice(IDS), "n": self.value(2)} for _ in range(3)]), "[" * 2000,
                json.dumps(nested(65)), "x y " * 3000, '{"a": NaN}', '{"id": "IT-1001", "id": 2}', "{'id': None, 'x': [1, 2]}",
            ]
        )  # fmt: skip


def _functions(line: dict[str, Any]) -> list[dict[str, Any]]:
    return [t["function"] for t in line.get("tools") or () if isinstance(t.get("function"), dict)]


def _types_as_lists(how: Mutator, line: dict[str, Any]) -> None:
    for function in _functions(line):
        parameters = function.get("parameters")
        properties = parameters.get("properties") if isinstance(parameters, dict) else None
        for schema in properties.values() if isinstance(properties, dict) else ():
            if isinstance(schema, dict) and "type" in schema:
                schema["type"] = [schema["type"], "null"]


def _odd_properties(how: Mutator, line: dict[str, Any]) -> None:
    for function in _functions(line):
        parameters = function.get("parameters")
        properties = parameters.get("properties") if isinstance(parameters, dict) else None
        if not isinstance(properties, dict):
            continue
        for name in list(properties):
            dice = random.Random(f"{how.changes}{function.get('name')}{name}")  # noqa: S311 - the same for all lines
            if dice.random() < 0.5:
                properties[name] = Mutator(dice).schema()


def _odd_parameters(how: Mutator, line: dict[str, Any]) -> None:
    for function in _functions(line):
        dice = random.Random(f"{function.get('name')}")  # noqa: S311 - the same for all lines
        if dice.random() < 0.5:
            function["parameters"] = Mutator(dice).schema()


def _fewer_definitions(how: Mutator, line: dict[str, Any]) -> None:
    line["tools"] = how.dice.choice([None, [], (line.get("tools") or [])[:1]])


def _bare_definitions(how: Mutator, line: dict[str, Any]) -> None:
    line["tools"] = [t.get("function", t) for t in line.get("tools") or ()]


def _no_function(how: Mutator, line: dict[str, Any]) -> None:
    for tool in line.get("tools") or ():
        if how.often():
            tool["function"] = how.value()


def _twice_defined(how: Mutator, line: dict[str, Any]) -> None:
    line["tools"] = (line.get("tools") or []) * 2


def _odd_results(how: Mutator, line: dict[str, Any]) -> None:
    for message in line["messages"]:
        if message["role"] == "tool" and how.often():
            message["content"] = how.result()


def _null_results(how: Mutator, line: dict[str, Any]) -> None:
    for message in line["messages"]:
        if message["role"] == "tool" and how.often():
            message["content"] = how.dice.choice([None, "null", ""])


def _one_tool_answers_oddly(how: Mutator, line: dict[str, Any]) -> None:
    names = {
        c["id"]: c["function"]["name"] for m in line["messages"] for c in m.get("tool_calls") or ()
    }
    for message in line["messages"]:
        name = names.get(message.get("tool_call_id"))
        if message["role"] == "tool" and name is not None and random.Random(name).random() < 0.3:  # noqa: S311 - no secret
            message["content"] = how.result()


def _inside_results(how: Mutator, line: dict[str, Any]) -> None:
    """Replace a part of a result's record."""
    for message in line["messages"]:
        if message["role"] != "tool" or not how.often() or not isinstance(message["content"], str):
            continue
        try:
            value = json.loads(message["content"])
        except (ValueError, RecursionError):
            continue
        message["content"] = json.dumps(_replaced(value, how))


def _replaced(value: Any, how: Mutator, depth: int = 0) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict) and value and how.dice.random() < 0.8:
        key = how.dice.choice(sorted(value))
        return {**value, key: _replaced(value[key], how, depth + 1)}
    if isinstance(value, list) and value and how.dice.random() < 0.8:
        at = how.dice.randrange(len(value))
        return [
            *value[:at],
            _replaced(value[at], how, depth + 1),
            *value[at + how.dice.randrange(2) :],
        ]
    return how.value()


def _odd_arguments(how: Mutator, line: dict[str, Any]) -> None:
    for message in line["messages"]:
        for call in message.get("tool_calls") or ():
            if how.often():
                call["function"]["arguments"] = how.dice.choice(
                    [
                        "", "{", "null", "[]", "5", json.dumps(how.value()), json.dumps({"id": how.value()}), '{"id": NaN}',
                        json.dumps({"a": nested(70)}), '{"id": 1, "id": 2}',
                    ]
                )  # fmt: skip


def _inside_arguments(how: Mutator, line: dict[str, Any]) -> None:
    for message in line["messages"]:
        for call in message.get("tool_calls") or ():
            if how.often():
                try:
                    value = json.loads(call["function"]["arguments"])
                except (ValueError, RecursionError):
                    continue
                call["function"]["arguments"] = json.dumps(_replaced(value, how))


def _odd_words(how: Mutator, line: dict[str, Any]) -> None:
    for message in line["messages"]:
        if message["role"] in {"user", "assistant"} and how.often():
            message["content"] = (
                f"{message['content'] or ''} {how.dice.choice(TEXTS)} {how.dice.choice(IDS)}"
            )


def _odd_people(how: Mutator, line: dict[str, Any]) -> None:
    for name in ("user_id", "task_key", "agent", "model", "episode_id"):
        if how.often():
            line[name] = how.dice.choice(TEXTS)


def _odd_times(how: Mutator, line: dict[str, Any]) -> None:
    moments = [
        0,
        -1,
        5e-324,
        1e18,
        10**30,
        "9999-12-31",
        "2262-04-11T23:47:16Z",
        "1677-09-22",
        "x",
        "",
        None,
        "2026-03-01T10:00:00+23:59",
    ]
    if how.often():
        line["started_at"] = how.dice.choice(moments)
    for message in line["messages"]:
        if how.often():
            message.setdefault("tg", {})["time"] = how.dice.choice(moments)


def _wrong_flags(how: Mutator, line: dict[str, Any]) -> None:
    for message in line["messages"]:
        if message["role"] == "tool" and how.often():
            message["tg"] = {"is_error": how.dice.choice([True, False])}


def _lost_messages(how: Mutator, line: dict[str, Any]) -> None:
    kept = [m for m in line["messages"] if not how.often()]
    line["messages"] = kept or line["messages"]


def _other_order(how: Mutator, line: dict[str, Any]) -> None:
    if how.often():
        how.dice.shuffle(line["messages"])


def _odd_names(how: Mutator, line: dict[str, Any]) -> None:
    for message in line["messages"]:
        for call in message.get("tool_calls") or ():
            if how.often():
                call["function"]["name"] = how.dice.choice(NAMES)


def _other_outcome(how: Mutator, line: dict[str, Any]) -> None:
    if how.often():
        line["outcome"] = how.dice.choice(
            [
                None,
                {"name": "resolved", "value": 0},
                {"name": "resolved", "value": None},
                {"name": "stars", "value": 3},
            ]
        )


def _no_task_key(how: Mutator, line: dict[str, Any]) -> None:
    line.pop("task_key", None)


def _living(how: Mutator, line: dict[str, Any]) -> None:
    line["user_id"] = how.dice.choice([None, "u1", "u2", "u3"])


CHANGES: Final[tuple[tuple[Change, ...], ...]] = (
    (_types_as_lists, _odd_properties, _odd_parameters, _fewer_definitions, _bare_definitions, _no_function, _twice_defined),
    (_odd_results, _null_results, _one_tool_answers_oddly, _inside_results, _wrong_flags),
    (_odd_arguments, _inside_arguments, _odd_names),
    (_odd_words, _odd_people, _odd_times, _lost_messages, _other_order, _other_outcome, _no_task_key, _living),
)  # fmt: skip
"""Of definitions, results, calls, and everything around them."""
