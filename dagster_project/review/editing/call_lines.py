"""Calls and their arguments as lines that a person can type, and back.

A call is the tool's name on a line, then one line for each value: `order_id: o1`, `rows[1].id: 7`, `rows[2].id: 9`. Blank lines stand
between calls. What comes back is what `canonical_arguments` makes of it, so that casing, spaces and numbers written as text make no
difference.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.task.attempt import Json

PLAIN: Final = re.compile(r"[^\s.\[\]:\"][^.\[\]:\"\n\r]*(?<!\s)")
"""A name that needs no quotes."""
STEP: Final = re.compile(r'\[(\d{1,4})\]|(?:^|\.)("(?:[^"\\]|\\.)*"|[^.\[\]:"]+)')
TIMES: Final = re.compile(r"(.*\S)\s*\((\d{1,3}) times\)")
BETWEEN: Final = re.compile(r"\n[ \t]*\n")
MOST_DEEP: Final = 40


class BadLineError(ValueError):
    """A line that is no value of a call; the message says what it should look like."""


def call_text(tool: str, arguments: str, times: int = 1) -> str:
    """A call as lines."""
    often = f" ({times} times)" if times > 1 else ""
    return "\n".join([f"{tool}{often}", arguments_text(arguments)]).rstrip("\n")


def arguments_text(arguments: str) -> str:
    """The canonical text of a call's arguments as lines, one value each."""
    value = json.loads(arguments)
    if not isinstance(value, dict):
        raise BadLineError("the arguments are no object")
    return "\n".join(f"{path}: {_leaf(leaf)}" for path, leaf in _leaves(value, "", 0))


def read_calls(text: str, ignore: Mapping[str, Json]) -> list[list[Json]]:
    """The calls that stand in the lines, each `[tool, canonical arguments]` or with how often as a third."""
    blocks = [block.strip() for block in BETWEEN.split(text.replace("\r\n", "\n"))]
    return [_read_call(block.split("\n"), ignore) for block in blocks if block]


def _read_call(lines: Sequence[str], ignore: Mapping[str, Json]) -> list[Json]:
    name = lines[0].strip()
    often = TIMES.fullmatch(name)
    tool = often[1] if often else name
    row: list[Json] = [tool, read_arguments("\n".join(lines[1:]), tool, ignore)]
    return [*row, int(often[2])] if often else row


def read_arguments(text: str, tool: str, ignore: Mapping[str, Json]) -> str:
    """The canonical arguments that stand in the lines, without those that the checks of this app do not compare."""
    tree: dict[str, Json] = {}
    for line in text.replace("\r\n", "\n").split("\n"):
        if line.strip():
            path, value = _split(line.strip())
            _put(tree, path, value)
    left_out = ignore.get(tool)
    names = [str(name) for name in left_out] if isinstance(left_out, list) else []
    return canonical_arguments(tree, names)


def _leaves(value: Json, path: str, depth: int) -> Iterator[tuple[str, Json]]:
    if depth > MOST_DEEP:
        raise BadLineError("the arguments are nested too deep")
    if isinstance(value, dict) and value:
        for name, item in value.items():
            shown = name if PLAIN.fullmatch(name) else json.dumps(name, ensure_ascii=False)
            yield from _leaves(item, f"{path}.{shown}" if path else shown, depth + 1)
    elif isinstance(value, list) and value:
        for number, item in enumerate(value, 1):
            yield from _leaves(item, f"{path}[{number}]", depth + 1)
    else:
        yield path, value


def _leaf(value: Json) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _split(line: str) -> tuple[list[str | int], str]:
    """The steps of the path before the colon, and the value behind it."""
    steps: list[str | int] = []
    at = 0
    while found := STEP.match(line, at):
        name = found[2]
        if name is None:
            steps.append(int(found[1]))
        else:
            steps.append(_argument_name(name))
        at = found.end()
    rest = line[at:].lstrip()
    if not steps or isinstance(steps[0], int) or not rest.startswith(":"):
        raise BadLineError(f"“{line[:80]}” is no value of a call: write it as “name: value”")
    if len(steps) > MOST_DEEP or 0 in steps:
        raise BadLineError(f"“{line[:80]}” is no value of a call: places count from [1]")
    return steps, rest[1:].strip()


def _argument_name(name: str) -> str:
    if not name.startswith('"'):
        return name.strip()
    try:
        return str(json.loads(name))
    except ValueError as fault:
        raise BadLineError(f"{name[:80]} is no name in quotes") from fault


def _put(tree: Json, path: Sequence[str | int], value: str) -> None:
    here: Json = tree
    for step, then in zip(path, [*path[1:], None], strict=True):
        fresh: Json = value if then is None else [] if isinstance(then, int) else {}
        if isinstance(step, str) and isinstance(here, dict):
            here = here.setdefault(step, fresh)
        elif isinstance(step, int) and isinstance(here, list) and step <= len(here) + 1:
            here += [fresh] if step == len(here) + 1 else []
            here = here[step - 1]
        else:
            raise BadLineError(f"the value “{value[:60]}” stands where another value does")
        if then is None and here is not fresh:
            raise BadLineError(f"the value “{value[:60]}” is given twice")
