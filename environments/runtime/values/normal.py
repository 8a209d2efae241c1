"""Normal forms: argument text to values, lists sent as text to lists, results out of a caller's envelope.

Goes in: what callers really send and get. Comes out: JSON values and texts that are equal when they mean the same.
Nothing here evaluates code: literals are read by a small bounded parser.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping
from functools import lru_cache
from json.encoder import encode_basestring  # the C one where there is one
from typing import Final, TypeGuard

from ..task.attempt import Json
from .json_text import halved, nested_deeper, writer

MAX_DEPTH: Final = 60
"""Deeper nesting than this is text, not data."""
MAX_DIGITS: Final = 100
"""Digits of one whole number; a number with more is text, not data."""
FIGURES: Final = 4
"""Signs of a number, its point with them, up to which two answers show it by accident."""
LONG: Final = 1_000
"""Whole numbers from here on may be ids."""
MAX_TOKEN: Final = 40
HOLE: Final = "\x00"
"""Stands for a changing piece in a masked text."""

FieldPath = tuple[str | None, ...]

_AROUND: Final = re.compile(r"[=|,;:()\[\]{}<>\"'`]+")
_ENDS: Final = ".!?*#"
"""What stands between the words of a text, and at their ends."""
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
LITERALS: Final[Mapping[str, Json]] = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
}


class NotLiteralError(ValueError):
    """The text is not one JSON or Python literal."""


stable: Final = writer(separators=(",", ":"), ascii_only=False, sort_keys=True)
"""One text for equal JSON values, made by the C encoder: the key of every table and cache."""


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a value is a number: JSON's true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_whole(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_plain(value: object) -> TypeGuard[str | int | float]:
    """Whether a value is a text or a number."""
    return isinstance(value, str) or is_number(value)


def as_list(value: Json) -> list[Json]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_object(value: Json) -> Mapping[str, Json]:
    """The value where it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_names(value: Json) -> frozenset[str]:
    """The texts of a list."""
    return frozenset(str(item) for item in as_list(value))


def key_text(parts: list[Json]) -> str:
    """`stable` for the key of a row, ten times faster for the texts that most keys are."""
    if len(parts) == 1 and isinstance(parts[0], str):
        return key_of_text(parts[0])
    texts = [part for part in parts if isinstance(part, str)]
    if len(texts) < len(parts):
        return stable(parts)
    return f"[{','.join(map(encode_basestring, texts))}]"


def key_of_text(part: str) -> str:
    """`key_text` for a key that is one text."""
    return f"[{encode_basestring(part)}]"


def same_json(left: Json, right: Json) -> bool:
    """Equality as JSON sees it: `true` is not 1, `5` is `5.0`."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_json(v, right[k]) for k, v in left.items())
    if isinstance(left, list) and isinstance(right, list):
        pairs = zip(left, right, strict=False)
        return len(left) == len(right) and all(same_json(a, b) for a, b in pairs)
    return isinstance(left, bool) is isinstance(right, bool) and left == right


def object_in(value: Json) -> dict[str, Json] | None:
    """An object, also one that was sent as JSON text."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        parsed = parse_json(value)
        value = None if parsed is None else parsed.value
    return value if isinstance(value, dict) else None


def parse_arguments(arguments: Mapping[str, Json] | str) -> dict[str, Json] | None:
    """The arguments as a dictionary; None when the text is not a JSON object."""
    if not isinstance(arguments, str):
        return dict(arguments)
    if not arguments.strip():
        return {}
    parsed = parse_json(arguments)
    return parsed.value if parsed is not None and isinstance(parsed.value, dict) else None


class Parsed:
    """A value that was really there: tells JSON `null` from "not JSON"."""

    __slots__ = ("value",)

    def __init__(self, value: Json) -> None:
        self.value = value


def _refuse_constant(text: str) -> Json:
    raise ValueError(f"{text} is not JSON")


def _finite(text: str) -> float:
    """A float; `1e999` would be read as infinity, which nothing can write again."""
    value = float(text)
    if value in _INFINITE:
        raise ValueError(f"{text} is beyond every float")
    return value


def _whole_number(text: str) -> int:
    """A whole number; one of more digits overflows a float wherever it is compared or added up."""
    if len(text) > MAX_DIGITS:
        raise ValueError("a number has too many digits")
    return int(text)


_INFINITE: Final = (float("inf"), float("-inf"))
_SPACE: Final = " \t\n\r"
DECODER: Final = json.JSONDecoder(
    parse_constant=_refuse_constant, parse_float=_finite, parse_int=_whole_number
)
"""Raises `ValueError` where a text is no strict JSON; made once: `json.loads` makes one for every text."""


def parse_json(text: str) -> Parsed | None:
    """The JSON value of a text, else None.

    NaN, infinities, numbers of more than `MAX_DIGITS`, what is nested deeper than `MAX_DEPTH` and halves of characters are not JSON.
    """
    try:
        # Looking for white space around a text costs as much as reading a short one.
        value, end = (None, -1) if text[:1] in _SPACE else DECODER.raw_decode(text)
        if end != len(text):
            value = DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    # All that looks into values recurses: one deep result would stop the learning of an app.
    if text.count("[") + text.count("{") > MAX_DEPTH and nested_deeper(value, MAX_DEPTH):
        return None
    return None if halved(text, value) else Parsed(value)


def key_parts(key: str) -> list[Json]:
    """The values that the key text of a row is made of."""
    parsed = parse_json(key)
    return as_list(parsed.value) if parsed is not None else []


def simplify(value: Json) -> Json:
    """Whole floats as integers and trimmed text: `5.0` and `5` are one argument."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, list):
        return [simplify(item) for item in value]
    if isinstance(value, dict):
        return {name: simplify(item) for name, item in value.items()}
    return value


def coerce(value: Json, form: str) -> Json:
    """An argument in the form that its tool declares or was seen to take; unchanged where it cannot be."""
    if form in {"array", "object"} and isinstance(value, str):
        return _literal_of(value, list if form == "array" else dict)
    if form in {"number", "integer"} and isinstance(value, str):
        parsed = parse_json(value.strip())
        number = parsed.value if parsed is not None else value
        return simplify(number) if isinstance(number, int | float) else value
    if form == "string" and is_number(value):
        return json.dumps(value)
    if form == "boolean" and isinstance(value, str) and value.strip() in {"true", "True"}:
        return True
    if form == "boolean" and isinstance(value, str) and value.strip() in {"false", "False"}:
        return False
    return value


def _literal_of(text: str, kind: type) -> Json:
    try:
        value = parse_literal(text)
    except NotLiteralError:
        return text
    return value if isinstance(value, kind) else text


def parse_literal(text: str) -> Json:
    """The value of one JSON or Python literal (either quote, either spelling of true and none)."""
    reader = _LiteralReader(text)
    value = reader.value(0)
    reader.skip()
    if reader.at != len(text):
        raise NotLiteralError("trailing text")
    return value


def character_of(digits: str) -> str:
    """The character of a hexadecimal code; `ValueError` for half of one."""
    code = int(digits, 16)
    if 0xD800 <= code <= 0xDFFF:
        raise ValueError("half of a character")
    return chr(code)


class _LiteralReader:
    """A cursor over one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def peek(self) -> str:
        self.skip()
        return self.text[self.at : self.at + 1]

    def value(self, depth: int) -> Json:
        first = self.peek()
        if depth > MAX_DEPTH or not first:
            raise NotLiteralError("nothing to read, or nested too deep")
        if first in "[(":
            return list(self._items("]" if first == "[" else ")", depth))
        if first == "{":
            return dict(self._pairs(depth))
        return self._string(first) if first in "'\"" else self._word()

    def _items(self, end: str, depth: int) -> Iterator[Json]:
        self.at += 1
        while self.peek() != end:
            yield self.value(depth + 1)
            self._separator(end)
        self.at += 1

    def _pairs(self, depth: int) -> Iterator[tuple[str, Json]]:
        self.at += 1
        while self.peek() != "}":
            name = self.value(depth + 1)
            if not isinstance(name, str) or self.peek() != ":":
                raise NotLiteralError("not a key")
            self.at += 1
            yield name, self.value(depth + 1)
            self._separator("}")
        self.at += 1

    def _separator(self, end: str) -> None:
        if self.peek() == ",":
            self.at += 1
        elif self.peek() != end:
            raise NotLiteralError("no separator")

    def _string(self, quote: str) -> str:
        self.at += 1
        out: list[str] = []
        while self.at < len(self.text):
            char = self.text[self.at]
            self.at += 1
            if char == quote:
                return "".join(out)
            if char == "\\":
                char = self._escape()
            out.append(char)
        raise NotLiteralError("unterminated text")

    def _escape(self) -> str:
        char = self.text[self.at : self.at + 1]
        self.at += 1
        if char == "u":
            digits = self.text[self.at : self.at + 4]
            self.at += 4
            try:
                return character_of(digits)
            except ValueError as fault:
                raise NotLiteralError("bad escape") from fault
        return _ESCAPES.get(char, char)

    def _word(self) -> Json:
        start = self.at
        while self.at < len(self.text) and self.text[self.at] not in ",]})(:" + " \t\r\n":
            self.at += 1
        word = self.text[start : self.at]
        if word in LITERALS:
            return LITERALS[word]
        parsed = parse_json(word)
        if parsed is None or not isinstance(parsed.value, int | float):
            raise NotLiteralError("not a literal")
        return parsed.value


def mask(text: str, arguments: Mapping[str, Json] | None = None) -> str:
    """A text with its changing words (those with a digit, those equal to an argument) replaced by a hole."""
    values = {v for v in (arguments or {}).values() if isinstance(v, str) and len(v) > 1}
    for value in sorted((v for v in values if " " in v and len(v) > 3), key=len, reverse=True):
        text = text.replace(value, HOLE)
    return " ".join(_mask_word(word, values) for word in text.split(" "))


def _mask_word(word: str, values: Container[str]) -> str:
    tail = word[len(word.rstrip(".,;:!?)\"'")) :]
    head = word[: len(word) - len(word.lstrip("(\"'"))]
    core = word[len(head) : len(word) - len(tail)]
    if HOLE in core or core in values or any(char.isdigit() for char in core):
        return f"{head}{HOLE}{tail}"
    return word


def unwrap(content: str, envelope: Mapping[str, Json] | None) -> str:
    """A result without its caller's envelope (`# var_3 = "..."`); unchanged where it has none."""
    if not envelope:
        return content
    before, after = str(envelope.get("before", "")), str(envelope.get("after", ""))
    if not content.startswith(before) or not content.endswith(after):
        return content
    body = content[len(before) : len(content) - len(after) if after else None]
    digits = len(body) - len(body.lstrip("0123456789"))
    middle = str(envelope.get("middle", ""))
    if not digits or not body[digits:].startswith(middle):
        return content
    inner = body[digits + len(middle) :]
    parsed = parse_json(inner)
    return parsed.value if parsed is not None and isinstance(parsed.value, str) else inner


def same_answer(left: str, right: str) -> bool:
    """Whether two texts of a tool's answer are equal, or the same JSON."""
    if left == right:
        return True
    try:
        return bool(json.loads(left) == json.loads(right))
    except (ValueError, RecursionError):
        return False


def figures_in(value: Json) -> set[str]:
    """Numbers with so many digits, and a fraction, that two answers hardly show one by accident."""
    texts = (repr(leaf) for leaf in leaves(value) if isinstance(leaf, float))
    return {text for text in texts if len(text) > FIGURES and not text.endswith(".0")}


def long_numbers_in(value: Json) -> frozenset[str]:
    """Whole numbers with so many digits that they may be ids of a database, marked as `tokens_in` marks them; smaller ones count things."""
    return frozenset(f"={n}" for n in leaves(value) if is_whole(n) and abs(n) >= LONG)


def leaves(value: Json) -> Iterator[Json]:
    """Every scalar inside a value."""
    stack: list[Json] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        else:
            yield item


def fields_in(value: Json, path: FieldPath = ()) -> Iterator[tuple[FieldPath, Json]]:
    """Every scalar inside a value with its path, in order; all elements of a list have one step, None."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from fields_in(inner, (*path, name))
    elif isinstance(value, list):
        for inner in value:
            yield from fields_in(inner, (*path, None))
    else:
        yield path, value


def is_name(value: Json) -> bool:
    """Whether a value looks like it names something: text with a digit that is no date, time or amount."""
    return isinstance(value, str) and 2 < len(value) <= 80 and _names(value)


@lru_cache(maxsize=100_000)
def _names(value: str) -> bool:
    if not any(c.isdigit() for c in value):
        return False
    return not all(char.isdigit() or char in "-:.+TZ /$%," for char in value) or (
        value.isdigit() and len(value) > 5
    )


def names_in_text(text: str) -> set[str]:
    """Everything in a text that looks like it names something: its words, with and without what stands around them."""
    found: set[str] = set()
    for word in text.split():
        # A table of lines may write `A1:`, `(A1)`, `id=A1` or `A1|A2`.
        for part in {word, *_AROUND.split(word)}:
            if is_name(part):
                found.add(part)
            if is_name(bare := part.strip(_ENDS)):
                found.add(bare)
    return found


def names_in(value: Json) -> set[str]:
    """Everything inside a value that looks like it names something: dictionary keys too, and the words of a whole text."""
    if isinstance(value, str):
        return names_in_text(value)
    found: set[str] = set()
    stack: list[Json] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            found.update(_keys(item))
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif isinstance(item, str) and is_name(item):
            found.update(_spellings(item))
    return found


def _spellings(name: str) -> tuple[str, ...]:
    """The name, and without space around it: whether its tool takes it for the same or not, no record is apart for a space."""
    around = name[0] in _SPACE or name[-1] in _SPACE
    return (name, name.strip()) if around else (name,)


def _keys(record: dict[str, Json]) -> Iterator[str]:
    """The keys of a dictionary that are data: they name something, or are no name that a field could have."""
    for key in record:
        if is_name(key):
            yield key
        elif not key.isidentifier() and 0 < len(key) <= MAX_TOKEN:
            yield "=" + key


def tokens_in(value: Json) -> frozenset[str]:
    """Whole numbers and short texts that are no names but may be keys all the same, marked to stay apart from names."""
    return frozenset(
        f"={leaf}"
        for leaf in leaves(value)
        if is_whole(leaf)
        or (isinstance(leaf, str) and 0 < len(leaf) <= MAX_TOKEN and not is_name(leaf))
    )


def labels_in(value: Json) -> set[str]:
    """What `names_in` and `tokens_in` find, in one go."""
    if isinstance(value, str):
        return names_in_text(value) | tokens_in(value)
    found: set[str] = set()
    stack: list[Json] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if is_name(item):
                found.update(_spellings(item))
            elif 0 < len(item) <= MAX_TOKEN:
                found.add("=" + item)
        elif isinstance(item, dict):
            found.update(_keys(item))
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
        elif is_whole(item):
            found.add(f"={item}")
    return found
