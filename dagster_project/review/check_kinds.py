"""The kinds of checks as people edit them: which arguments each takes, in which form, and what it says in a sentence.

Comes in: JSON a person typed. Goes out: arguments as `environments.runtime.checks` compares them, or one sentence that
says what is wrong. A kind or an argument that is not listed here is only kept, never made up.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from environments.runtime.attempt import Json
from environments.runtime.check_arguments import canonical_arguments
from environments.runtime.checks import FUNCTIONS

Reader = Callable[[Json], Json]
MAX_TEXT: Final = 200_000


class BadCheckError(ValueError):
    """What a person typed is no check; the message says what to change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of check."""

    about: str
    """What it asks, for the list of kinds."""
    needs: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    example: str = "{}"


def _names(value: Json) -> Json:
    if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
        raise BadCheckError('must be a list of names such as ["a", "b"]')
    return value


def _folded(value: Json) -> Json:
    _names(value)
    words: list[Json] = [str(word).casefold() for word in value] if isinstance(value, list) else []
    return words


def _whole(value: Json) -> Json:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise BadCheckError("must be a whole number of at least 0")
    return value


def _text(value: Json) -> Json:
    if not isinstance(value, str) or not value.strip():
        raise BadCheckError("must be a text that is not empty")
    return value


def _fact(value: Json) -> Json:
    if isinstance(value, str) and value.strip():
        return value.strip().casefold()
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadCheckError("must be a number or a text")
    return value


def _object(value: Json) -> Json:
    if not isinstance(value, dict):
        raise BadCheckError('must be an object such as {"name": ...}')
    return value


def _objects(value: Json) -> Json:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise BadCheckError("must be a list of objects")
    return value


def _list(value: Json) -> Json:
    if not isinstance(value, list):
        raise BadCheckError("must be a list")
    return value


def _arguments(value: Json) -> Json:
    """Arguments of a call: an object, or the canonical text of one."""
    if isinstance(value, str):
        value = _parsed(value)
    if not isinstance(value, dict):
        raise BadCheckError('must be the arguments of a call such as {"id": "x1"}')
    return canonical_arguments(value)


def _calls(value: Json) -> Json:
    rows = value if isinstance(value, list) else []
    if not rows or not all(isinstance(r, list) and len(r) == 2 for r in rows):
        raise BadCheckError('must be a list of calls such as [["tool", {"id": "x1"}]]')
    return [[_text(r[0]), _arguments(r[1])] for r in rows if isinstance(r, list)]


def _scale(value: Json) -> Json:
    numbers = value if isinstance(value, list) and len(value) == 2 else [1, 0]
    low, high = numbers
    if not isinstance(low, int | float) or not isinstance(high, int | float) or low >= high:
        raise BadCheckError("must be two rising numbers such as [0, 1]")
    return value


def _evidence(value: Json) -> Json:
    if value not in {"visible", "calls", "messages"}:
        raise BadCheckError('must be "visible", "calls" or "messages"')
    return value


def _on_missing(value: Json) -> Json:
    if value not in {"null", "fail"}:
        raise BadCheckError('must be "null" or "fail"')
    return value


READERS: Final[Mapping[str, Reader]] = {
    "tools": _names,
    "first": _names,
    "then": _names,
    "words": _folded,
    "least": _whole,
    "most": _whole,
    "messages": _whole,
    "per_message": _whole,
    "total": _whole,
    "among": _whole,
    "tool": _text,
    "arguments": _arguments,
    "any_of": _calls,
    "value": _fact,
    "after": _text,
    "prompt": _text,
    "scale": _scale,
    "evidence": _evidence,
    "ignore": _object,
    "refusals": _object,
    "ends": _list,
    "doubtful": _objects,
    "bad": _objects,
    "writes": _list,
    "maybe": _list,
    "dirty": _list,
    "lasting": _list,
    "silent": _list,
    "volatile": _list,
    "on_missing": _on_missing,
}
"""How each argument is read, whichever kind takes it."""

KINDS: Final[Mapping[str, Kind]] = {
    "end_state": Kind(
        about="The world ends as a resolved attempt left it",
        needs=("ends",),
        takes=(
            *("doubtful", "bad", "writes", "maybe", "dirty", "silent", "volatile"),
            *("lasting", "ignore", "refusals"),
        ),
        example='{"ends": [{"id": "end_1", "writes": []}], "writes": ["tool"]}',
    ),
    "wrote": Kind(
        about="One change is made",
        needs=("tool", "arguments"),
        takes=("ignore",),
        example='{"tool": "tool_name", "arguments": {"id": "x1"}}',
    ),
    "told": Kind(
        about="The user is told a fact",
        needs=("value",),
        takes=("among", "after", "ends"),
        example='{"value": 42.5}',
    ),
    "said": Kind(
        about="Enough of these words are said to the user",
        needs=("words",),
        takes=("least",),
        example='{"words": ["refund", "days"], "least": 1}',
    ),
    "spoke": Kind(
        about="The user is answered at all", takes=("messages",), example='{"messages": 1}'
    ),
    "numbers_told": Kind(
        about="Not more numbers than this are told",
        takes=("per_message", "total"),
        example='{"per_message": 6, "total": 20}',
    ),
    "words_told": Kind(
        about="Not more characters than this are said",
        takes=("per_message", "total"),
        example='{"per_message": 2000, "total": 8000}',
    ),
    "acted": Kind(
        about="One of these tools is called", needs=("tools",), example='{"tools": ["tool_name"]}'
    ),
    "read": Kind(
        about="One of these records is read",
        needs=("any_of",),
        takes=("ignore",),
        example='{"any_of": [["tool_name", {"id": "x1"}]]}',
    ),
    "before": Kind(
        about="One tool comes before another",
        needs=("first", "then"),
        example='{"first": ["look_up"], "then": ["change"]}',
    ),
    "confirmed": Kind(
        about="The user agrees before each change",
        needs=("tools",),
        example='{"tools": ["tool_name"]}',
    ),
    "never_called": Kind(
        about="None of these tools is called", needs=("tools",), example='{"tools": ["tool_name"]}'
    ),
    "called": Kind(about="Something is done at all", takes=("least",), example='{"least": 1}'),
    "calls_at_most": Kind(
        about="Not more calls than this", needs=("most",), example='{"most": 20}'
    ),
    "repeats_at_most": Kind(
        about="The same call not more often than this", needs=("most",), example='{"most": 2}'
    ),
    "judge": Kind(
        about="A judge's recorded answer to a question",
        needs=("prompt",),
        takes=("scale", "evidence"),
        example='{"prompt": "Was the user given the reason?", "scale": [0, 1]}',
    ),
}


def read_arguments(
    fn: str, text: str, *, before: Mapping[str, Json] | None = None
) -> dict[str, Json]:
    """The arguments a person typed for a kind of check, in the form that checks compare."""
    if fn not in FUNCTIONS:
        raise BadCheckError(f"there is no kind of check called “{fn[:60]}”")
    value = _parsed(text)
    if not isinstance(value, dict):
        raise BadCheckError('the arguments must be a JSON object such as {"tools": ["a"]}')
    known, old = KINDS.get(fn), before or {}
    if known is not None:
        _names_fit(value, known, old)
    kept = {k: v for k, v in value.items() if k in old and v == old[k]}
    return kept | {k: _read(k, v) for k, v in value.items() if k not in kept}


def _names_fit(value: Mapping[str, Json], kind: Kind, old: Mapping[str, Json]) -> None:
    missing = [name for name in kind.needs if name not in value and (name in old or not old)]
    if missing:
        raise BadCheckError(f"the argument “{missing[0]}” is missing; for example {kind.example}")
    allowed = {*kind.needs, *kind.takes, "on_missing", *old}
    strange = sorted(set(value) - allowed)
    if strange:
        raise BadCheckError(
            f"there is no argument “{strange[0][:60]}”; it takes {', '.join(sorted(allowed))}"
        )


def _read(name: str, value: Json) -> Json:
    reader = READERS.get(name)
    try:
        return value if reader is None else reader(value)
    except BadCheckError as fault:
        raise BadCheckError(f"“{name}” {fault}") from fault


def _parsed(text: str) -> Json:
    if len(text) > MAX_TEXT:
        raise BadCheckError(f"the arguments are longer than {MAX_TEXT:,} characters")
    try:
        value: Json = json.loads(text, parse_constant=_no_constant)
    except RecursionError as fault:
        raise BadCheckError("the arguments are nested too deep") from fault
    except json.JSONDecodeError as fault:
        raise BadCheckError(
            f"the arguments are not JSON (line {fault.lineno}, column {fault.colno}): {fault.msg}"
        ) from fault
    return value


def _no_constant(name: str) -> Json:
    raise BadCheckError(f"{name} is not a JSON number")


def sentence(fn: str, args: Mapping[str, Json]) -> str:
    """A check as a plain sentence, where nobody wrote one."""
    kind = KINDS.get(fn)
    about = kind.about if kind is not None else fn.replace("_", " ")
    main = kind.needs[0] if kind is not None and kind.needs else ""
    parts = [("" if name == main else f"{name} ") + _short(args[name]) for name in sorted(args)]
    shown = ", ".join(parts)
    return f"{about}{': ' + shown if shown else ''}."


def _short(value: Json) -> str:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return " or ".join(str(item) for item in value)[:160]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 160 else f"{text[:160]}…"
