"""The fields in which a person edits a check's arguments: plain text and numbers, one fact on a line, never JSON.

Comes in: an argument's value, or what a person typed. Goes out: the text of its field, or the value that checks compare. A value that would
not come back from its field as it is has none: it is kept and shown, and nobody can break it by hand.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from dagster_project.review.editing.call_lines import (
    BadLineError,
    arguments_text,
    call_text,
    read_arguments,
    read_calls,
)
from environments.runtime.checks.judge import EVIDENCE
from environments.runtime.task.attempt import Json
from synth.rubric.facts.told_facts import fact_of_text

MAX_TEXT: Final = 200_000
LINE: Final = "line"
LINES: Final = "lines"
NUMBER: Final = "number"
CHOICE: Final = "choice"
DECIMAL: Final = re.compile(r"[-+]?(?:\d{1,15}|\d{1,3}(?:,\d{3}){1,4})(?:\.\d{1,9})?")
OR: Final = re.compile(r"^[ \t]*or[ \t]*$", re.MULTILINE | re.IGNORECASE)
NOTHING: Final = "(nothing)"
Old = Mapping[str, Json]
"""The arguments before the edit."""


class BadCheckError(ValueError):
    """What a person typed is no check; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a form."""

    label: str
    widget: str
    """`LINE`, `LINES`, `NUMBER` or `CHOICE`."""
    write: Callable[[Json, Old], str]
    """The text that stands in the field; raises where the value has no such text."""
    read: Callable[[str, Old], Json]
    """The value of a text that is not empty."""
    hint: str = ""
    """What to type, in a few words."""
    choices: tuple[tuple[str, str], ...] = ()
    """Values and what they say, for `CHOICE`."""
    rare: bool = False
    """Shown below the others, folded."""


def _as_text(value: Json, _old: Old) -> str:
    if not isinstance(value, str):
        raise BadCheckError("is no text")
    return value


def _text(text: str, _old: Old) -> Json:
    return text.strip()


def _as_names(value: Json, _old: Old) -> str:
    if not isinstance(value, list) or any(not isinstance(v, str) or "\n" in v for v in value):
        raise BadCheckError("is no list of names")
    return "\n".join(str(item) for item in value)


def _names(text: str, _old: Old) -> Json:
    return list[Json](_lines(text))


def _words(text: str, _old: Old) -> Json:
    return list[Json](_lines(text.casefold()))


def _as_number(value: Json, _old: Old) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadCheckError("is no number")
    return json.dumps(value)


def _read_whole(text: str, _old: Old) -> Json:
    number = text.strip()  # of control characters too, which `int` does not take
    if not number.isdecimal() or len(number) > 12:
        raise BadCheckError("must be a whole number of at least 0")
    return int(number)


def _decimal(text: str, _old: Old) -> Json:
    if not DECIMAL.fullmatch(text.strip()):
        raise BadCheckError("must be a number")
    plain = text.strip().replace(",", "")
    return float(plain) if "." in plain else int(plain)


def _as_fact(value: Json, old: Old) -> str:
    if isinstance(value, str):
        return f'"{value}"' if DECIMAL.fullmatch(value) or value[:1] == '"' else value
    return _as_number(value, old)


def _fact(text: str, old: Old) -> Json:
    stripped = text.strip()
    if len(stripped) > 2 and stripped[0] == stripped[-1] == '"':
        return stripped[1:-1].casefold()
    return _decimal(stripped, old) if DECIMAL.fullmatch(stripped) else stripped.casefold()


def _as_facts(value: Json, _old: Old) -> str:
    facts = value if isinstance(value, list) else [None]
    values = [fact.get("value") if isinstance(fact, dict) else fact for fact in facts]
    if any(not isinstance(v, str) or not v.strip() or "\n" in v for v in values):
        raise BadCheckError("is no list of facts or answers")
    return "\n".join(map(str, values))


def _facts(text: str, old: Old) -> Json:
    """One fact for each line; one that stood there before keeps the forms it had."""
    known = _by_value(old.get("facts"))
    return list[Json](known.get(line) or fact_of_text(line) for line in _lines(text))


def _answers(text: str, old: Old) -> Json:
    """One right answer for each line; one that stood there before stays as it was compared."""
    known = _by_value(old.get("answers"))
    return list[Json](known.get(line, line) for line in _lines(text))


def _by_value(kept: Json) -> dict[str, dict[str, Json]]:
    held = [one for one in kept if isinstance(one, dict)] if isinstance(kept, list) else []
    return {str(one.get("value")): one for one in held}


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _ignore(old: Old) -> Mapping[str, Json]:
    found = old.get("ignore")
    return found if isinstance(found, dict) else {}


def _as_arguments(value: Json, old: Old) -> str:
    return arguments_text(_as_text(value, old))


def _arguments(text: str, old: Old) -> Json:
    return read_arguments(text, str(old.get("tool", "")), _ignore(old))


def _as_calls(value: Json, _old: Old) -> str:
    rows = value if isinstance(value, list) else [None]
    return "\n\n".join(_as_call(row) for row in rows)


def _as_call(row: Json) -> str:
    if not isinstance(row, list) or not 2 <= len(row) <= 3 or not isinstance(row[1], str):
        raise BadCheckError("is no call")
    times = row[2] if len(row) == 3 else 1
    if not isinstance(row[0], str) or not isinstance(times, int):
        raise BadCheckError("is no call")
    return call_text(row[0], row[1], times)


def _calls(text: str, old: Old) -> Json:
    return list[Json](read_calls(text, _ignore(old)))


def _as_ends(value: Json, _old: Old) -> str:
    ends = value if isinstance(value, list) else [None]
    return "\n\nor\n\n".join(map(_as_end, ends))


def _as_end(end: Json) -> str:
    writes = end.get("writes") if isinstance(end, dict) else None
    if not isinstance(writes, list):
        raise BadCheckError("is no end")
    return _as_calls(writes, {}) or NOTHING


def _ends(text: str, old: Old) -> Json:
    """The ends as typed. One that stands there already stays whole; a changed one keeps the id, to which facts to tell refer."""
    listed = old.get("ends")
    known = [end for end in listed if isinstance(end, dict)] if isinstance(listed, list) else []
    texts = {_as_end(end): end for end in known}
    parts = [_tidy(part) for part in OR.split(text.replace("\r\n", "\n"))]
    free = [str(end.get("id", "")) for end in known if _as_end(end) not in parts]
    taken = {str(end.get("id", "")) for end in known}
    fresh = (name for n in range(1, 10_000) if (name := f"end_{n}") not in taken)
    ends: list[Json] = []
    for part in parts:
        if part in texts:
            ends.append(texts[part])
            continue
        rows = [] if part.casefold() in {"", NOTHING, "nothing"} else read_calls(part, _ignore(old))
        writes: list[Json] = [row if len(row) == 3 else [*row, 1] for row in rows]
        ends.append({"id": free.pop(0) if free else next(fresh), "writes": writes})
    return ends


def _tidy(text: str) -> str:
    lines = [line.strip() for line in text.strip().split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines))


def _as_left_out(value: Json, old: Old) -> str:
    if not isinstance(value, dict):
        raise BadCheckError("is no list of arguments by tool")
    return "\n".join(
        f"{tool}: {', '.join(_as_names(names, old).split(chr(10)))}"
        for tool, names in value.items()
    )


def _left_out(text: str, _old: Old) -> Json:
    found: dict[str, Json] = {}
    for line in filter(str.strip, text.splitlines()):
        tool, colon, names = line.rpartition(":")
        if not colon or not tool.strip():
            raise BadCheckError("must be lines such as “tool: argument, argument”")
        listed: list[Json] = [name.strip() for name in names.split(",") if name.strip()]
        found[tool.strip()] = listed
    return found


def _as_scale(value: Json, old: Old) -> str:
    if not isinstance(value, list) or len(value) != 2:
        raise BadCheckError("is no scale")
    return " to ".join(_as_number(end, old) for end in value)


def _scale(text: str, old: Old) -> Json:
    ends = re.split(r"\s+to\s+|\s*-\s*", text.strip())
    if len(ends) != 2:
        raise BadCheckError("must be two rising numbers such as “0 to 1”")
    low, high = (_decimal(end, old) for end in ends)
    if not isinstance(low, int | float) or not isinstance(high, int | float) or low >= high:
        raise BadCheckError("must be two rising numbers such as “0 to 1”")
    return [low, high]


def _as_choice(value: Json, _old: Old) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _is_yes(text: str, _old: Old) -> Json:
    return text == "yes"


def _one_line(label: str, *, rare: bool = False) -> Field:
    return Field(label, LINE, _as_text, _text, rare=rare)


def _count(label: str, *, rare: bool = False) -> Field:
    return Field(label, NUMBER, _as_number, _read_whole, rare=rare)


def _name_lines(label: str, *, rare: bool = False) -> Field:
    return Field(label, LINES, _as_names, _names, ONE_EACH, rare=rare)


def _choice(label: str, *choices: tuple[str, str], rare: bool = False) -> Field:
    return Field(label, CHOICE, _as_choice, _text, choices=choices, rare=rare)


def _switch(label: str, yes: str = "yes", no: str = "no", *, rare: bool = False) -> Field:
    choices = (("yes", yes), ("no", no))
    return Field(label, CHOICE, _as_choice, _is_yes, choices=choices, rare=rare)


ONE_EACH: Final = "one on each line"
_CALL: Final = "one value on each line, as name: value"
_CALLS: Final = f"the tool on a line, then {_CALL}; a blank line between calls"
_ENDS: Final = (
    f"the calls that make the changes: the tool on a line, then {_CALL}; a line “or” "
    f"between two ends; {NOTHING} where nothing may be changed"
)
_BY_TOOL: Final = "tool: argument, argument"
FIELDS: Final[Mapping[str, Field]] = {
    "tools": _name_lines("Tools"),
    "first": _name_lines("These tools first"),
    "then": _name_lines("Before these tools"),
    "words": Field("Words", LINES, _as_names, _words, ONE_EACH),
    "right": _name_lines("Right names"),
    "others": _name_lines("Names that are wrong here"),
    "values": _name_lines("Small numbers"),
    "least": _count("At least"),
    "most": _count("At most"),
    "messages": _count("Messages, at least"),
    "per_message": _count("In one message, at most"),
    "total": _count("In all, at most"),
    "among": _count("Beside at most so many other facts in one message", rare=True),
    "tool": _one_line("Tool"),
    "arguments": Field("With these values", LINES, _as_arguments, _arguments, _CALL),
    "any_of": Field("One of these calls", LINES, _as_calls, _calls, _CALLS),
    "ends": Field("Right ends", LINES, _as_ends, _ends, _ENDS),
    "value": Field("Fact", LINE, _as_fact, _fact, "a number or a word; a code of digits in quotes"),
    "facts": Field(
        "Facts", LINES, _as_facts, _facts, f"{ONE_EACH}: an amount, a date, an id, a name"
    ),
    "answers": Field(
        "Right answers", LINES, _as_facts, _answers, f"{ONE_EACH}: each is right by itself"
    ),
    "kinds": _name_lines("Kinds of facts"),
    "argument": _one_line("Its text"),
    "prompt": Field("Question to the judge", LINES, _as_text, _text),
    "scale": Field("Scale", LINE, _as_scale, _scale, "two numbers: 0 to 1"),
    "evidence": _choice("The judge reads", *EVIDENCE.items()),
    "on_missing": _choice(
        "Where it is missing",
        ("fail", "the check fails"),
        ("null", "the attempt is not graded"),
        rare=True,
    ),
    "declines": _switch(
        "A refusal", "in other words counts as well", "is nothing special", rare=True
    ),
    "after": _one_line("Looked at only where this check passed", rare=True),
    "end": _one_line("Passes as well where this check passes", rare=True),
    "writes": _name_lines("Tools that change something", rare=True),
    "maybe": _name_lines("Tools that may change something", rare=True),
    "texts": Field("Texts", LINES, _as_left_out, _left_out, _BY_TOOL),
    "ignore": Field(
        "Values that are not compared", LINES, _as_left_out, _left_out, _BY_TOOL, rare=True
    ),
}
"""How an argument is edited, whichever kind of check takes it."""


def field_of(name: str, value: Json) -> Field | None:
    """The field of an argument: by its name, else by the shape of its value; None where it has none."""
    if name in FIELDS:
        return FIELDS[name]
    label = " ".join(name.replace("_", " ").split())[:60].capitalize() or "Value"
    if isinstance(value, bool):
        return _switch(label)
    if isinstance(value, int | float):
        return Field(label, NUMBER, _as_number, _decimal)
    if isinstance(value, str):
        return _one_line(label)
    if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
        return _name_lines(label)
    return None


def text_of(name: str, value: Json, args: Old) -> str | None:
    """What stands in the field of an argument; None where it has no field that brings it back as it is."""
    field = field_of(name, value)
    if field is None:
        return None
    try:
        text = field.write(value, args)
        back = field.read(text, args) if text.strip() else None
    except (BadCheckError, BadLineError, ValueError, RecursionError):
        return None
    return text if back == value and type(back) is type(value) else None


def read_text(name: str, text: str, args: Old) -> Json:
    """The value that a person typed for an argument; `args` are the others, as far as they are known."""
    field = field_of(name, args.get(name)) or _one_line(name)
    if len(text) > MAX_TEXT:
        raise BadCheckError(f"“{field.label}” is longer than {MAX_TEXT:,} characters")
    known = {value for value, _ in field.choices}
    if known and text not in known:
        raise BadCheckError(f"“{field.label}” must be one of {', '.join(sorted(known))}")
    try:
        return field.read(text, args)
    except (BadCheckError, BadLineError) as fault:
        raise BadCheckError(f"“{field.label}”: {fault}") from fault
