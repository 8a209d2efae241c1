"""The multi-turn backends of the Berkeley function-calling leaderboard, all attempts from one start an app.

Needs `pip install --target FOLDER --no-deps bfcl-eval==2026.3.23 mpmath`. An app is one of its stateful classes. A task is the
published calls of a few conversations about that class, one after another; ids that an answer gave are taken from the
answer. Names that a conversation's own start holds are said as the common start has them, so that calls find something.
Not here: every conversation at its own start (`bfcl_starts`). Its memory backends have no published calls.
"""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
import random
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from benchmarks.testbeds.invented.backend import Answer, Backend, Call, Step, Style
from benchmarks.testbeds.published.packages import outside

CLASSES: Final = {
    "bfcl-files": "GorillaFileSystem",
    "bfcl-math": "MathAPI",
    "bfcl-messages": "MessageAPI",
    "bfcl-posts": "TwitterAPI",
    "bfcl-tickets": "TicketAPI",
    "bfcl-trading": "TradingBot",
    "bfcl-travel": "TravelAPI",
    "bfcl-vehicle": "VehicleControlAPI",
}
"""An app's name, and the package's class behind it."""
STATELESS: Final = "MathAPI"
UNITS: Final = ("km", "m", "cm", "kg", "lb", "celsius", "fahrenheit", "miles")
AT_ONCE: Final = 3
"""Conversations whose calls one attempt makes."""
REQUIREMENT: Final = "bfcl-eval==2026.3.23"
DATA: Final = "BFCL_v4_multi_turn_base.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """What the package publishes of one conversation about one class."""

    start: dict[str, Any]
    calls: tuple[Call, ...]


class Published(Backend):
    """One of the package's backends from a start of its own."""

    def __init__(self, name: str, start: dict[str, Any]) -> None:
        """Load the start, as the package's executor does, in a module of its own: a default list there outlives a backend."""
        self._tools = getattr(_anew(_module(name)), name)()
        if name != STATELESS:
            self._tools._load_scenario(deepcopy(start))  # noqa: SLF001 - the package's own way

    def call(self, name: str, arguments: dict[str, Any]) -> Answer:
        """Run one tool; the executor sends texts alone, nothing marks a refusal."""
        try:
            value = getattr(self._tools, name)(**arguments)
        except Exception as fault:  # noqa: BLE001 - the executor tells every fault so
            return Answer(content=f"Error during execution: {fault}", is_error=False)
        return Answer(content=_text(value), is_error=False)


def _text(value: object) -> str:
    """A result as the package's executor sends it: objects as JSON where they are some, all else as Python prints it."""
    if not isinstance(value, dict):
        return str(value)
    try:
        return json.dumps(value)
    except TypeError:
        return str(value)


def _module(name: str) -> ModuleType:
    known = outside("bfcl_eval.constants.executable_backend_config", REQUIREMENT)
    return outside(known.CLASS_FILE_PATH_MAPPING[name], REQUIREMENT)


def _anew(module: ModuleType) -> ModuleType:
    """A module once more, beside the first: loaded again in place, older backends would not know their own classes."""
    spec = module.__spec__
    assert spec is not None  # noqa: S101 - it was imported
    assert spec.loader is not None  # noqa: S101 - from a file
    other = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(other)
    return other


@cache
def conversations(name: str) -> tuple[Conversation, ...]:
    """All published conversations that call a class."""
    package = outside("bfcl_eval", REQUIREMENT)
    folder = Path(str(package.__file__)).parent / "data"
    golden = {one["id"]: one["ground_truth"] for one in _lines(folder / "possible_answer" / DATA)}
    out = []
    for one in _lines(folder / DATA):
        if name in one["involved_classes"]:
            said = (text for turn in golden[one["id"]] for text in turn)
            calls = tuple(call for text in said if (call := _parsed(name, text)) is not None)
            if calls:
                out.append(Conversation(start=one["initial_config"].get(name, {}), calls=calls))
    return tuple(out)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, path.read_text().splitlines())


def _parsed(name: str, text: str) -> Call | None:
    """A call that is written in Python, arguments by name; None: another class's."""
    said = ast.parse(text, mode="eval").body
    if not isinstance(said, ast.Call) or not isinstance(said.func, ast.Name):
        return None
    tool = getattr(getattr(_module(name), name), said.func.id, None)
    if tool is None:
        return None
    names = [parameter for parameter in inspect.signature(tool).parameters if parameter != "self"]
    given = dict(zip(names, map(ast.literal_eval, said.args), strict=False))
    named = {k.arg: ast.literal_eval(k.value) for k in said.keywords if k.arg is not None}
    return said.func.id, {**given, **named}


def _common(name: str) -> dict[str, Any]:
    """The start that holds most, for all attempts."""
    return max((one.start for one in conversations(name)), key=_size)


def _size(value: object) -> int:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(map(_size, parts))


def steps(name: str, one: Conversation, start: dict[str, Any]) -> list[Step]:
    """A conversation's calls at a start: names as that start has them, ids as answers there tell them."""
    words = dict(_words(one.start, start))
    backend = Published(name, one.start)
    told: dict[Any, str] = {}
    out: list[Step] = []
    for tool, arguments in one.calls:
        said = {at: _word(words, value) for at, value in arguments.items()}
        asked = {at: key for at, value in arguments.items() if (key := _key(told, value))}
        out.append(partial(_bound, tool, said, asked) if asked else (tool, said))
        told.update(_ids(backend.call(tool, arguments).content))
    return out


def _key(told: dict[Any, str], value: object) -> str | None:
    return told.get(value) if isinstance(value, str | int) else None


def _words(theirs: object, ours: object) -> Iterator[tuple[str, str]]:
    """Texts and keys of one start, with what stands at their place in another."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        rest = [key for key in ours if key not in theirs]
        for key, value in theirs.items():
            other = key if key in ours else rest.pop(0) if rest else None
            if other is not None:
                yield str(key), str(other)
                yield from _words(value, ours[other])
    elif isinstance(theirs, list) and isinstance(ours, list):
        for value, other in zip(theirs, ours, strict=False):
            yield from _words(value, other)
    elif isinstance(theirs, str) and isinstance(ours, str):
        yield theirs, ours


def _word(words: dict[str, str], value: Any) -> Any:  # noqa: ANN401 - an argument
    if isinstance(value, list):
        return [_word(words, part) for part in value]
    if isinstance(value, str):
        return words.get(value, value)
    if isinstance(value, int) and not isinstance(value, bool):
        other = words.get(str(value), "")
        return int(other) if other.isdigit() else value
    return value


def _ids(content: str) -> Iterator[tuple[Any, str]]:
    """The ids that an answer gives, with the field that holds each."""
    try:
        said = json.loads(content)
    except ValueError:
        return
    for key, value in said.items() if isinstance(said, dict) else ():
        if key.endswith(("id", "token")) and isinstance(value, str | int):
            yield value, key


def _bound(
    tool: str, arguments: dict[str, Any], asked: dict[str, str], answers: Sequence[str]
) -> Call:
    """The call with ids out of the answers so far; as it was published where none gave one."""
    told = {key: value for content in answers for value, key in _ids(content)}
    return tool, {**arguments, **{at: told[key] for at, key in asked.items() if key in told}}


def _backend(name: str) -> Backend:
    return Published(name, _common(name))


def _script(name: str, rng: random.Random) -> list[Step]:
    some = rng.sample(conversations(name), AT_ONCE)
    out = [step for one in some for step in steps(name, one, _common(name))]
    return out + [_sum(rng) for _ in range(AT_ONCE)] if name == STATELESS else out


def _sum(rng: random.Random) -> Call:
    """A sum that nobody published: the conversations ask for three of the calculator's functions only."""
    tools = inspect.getmembers(getattr(_module(STATELESS), STATELESS), inspect.isfunction)
    name, tool = rng.choice([one for one in tools if not one[0].startswith("_")])
    kinds = {at: p.annotation for at, p in inspect.signature(tool).parameters.items()}
    return name, {at: _drawn(kind, rng) for at, kind in kinds.items() if at != "self"}


def _drawn(kind: object, rng: random.Random) -> str | float | list[float]:
    if kind is str:
        return rng.choice(UNITS)
    if kind is int:
        return rng.randint(1, 6)
    if kind is float:
        return rng.choice([rng.randint(0, 60), round(rng.uniform(-20, 400), rng.randint(1, 3))])
    return [rng.choice([rng.randint(0, 60), round(rng.uniform(-20, 400), 1)]) for _ in "1234"]


STYLES: Final = tuple(
    Style(name=app, make=partial(_backend, name), script=partial(_script, name))
    for app, name in CLASSES.items()
)
