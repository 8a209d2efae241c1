"""What a second equal call of a tool that changes something does, on the invented backends: the prior of `synth.recordings.repeats`.

Each tool of `benchmarks.worlds.unseen` is called as its scripts call it, and once more at once. A call that only counts against a limit
changes something.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from collections.abc import Iterator
from copy import deepcopy

from benchmarks.figures import Row
from benchmarks.testbeds.invented.attempts import TASKS, began, make, started
from benchmarks.testbeds.invented.backend import Style
from benchmarks.worlds import unseen
from synth.recordings.repeats import notes_down


def repeated(style: Style) -> Iterator[tuple[str, bool]]:
    """Tools whose call changed something, and whether the same call did so again."""
    for task in range(TASKS):
        backend = started(style, task, 0)
        backend.begin(began(task, 0))
        answers: list[str] = []
        for step in style.script(random.Random(f"{style.name}/0/{task}")):  # noqa: S311 - dice
            call = step(answers) if callable(step) else step
            before = _state(backend)
            answers.append((made := make(backend, call)).content)
            after = _state(backend)
            if not made.is_error and before != after:
                other = deepcopy(backend)
                make(other, call)
                yield call[0], _state(other) != after


def _state(value: object) -> object:
    """What can be compared of a backend."""
    if isinstance(value, dict):
        return {str(key): _state(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_state(part) for part in value]
    if isinstance(value, set | frozenset):
        return sorted(map(repr, value))
    slots = getattr(type(value), "__slots__", ())
    fields = {name: getattr(value, name) for name in slots} or getattr(value, "__dict__", None)
    return repr(value) if fields is None else _state(fields)


def options(parser: argparse.ArgumentParser) -> None:
    """How much is shown."""
    parser.add_argument("--tools", action="store_true", help="a row for each tool")


def rows(options: argparse.Namespace) -> Iterator[Row]:
    """A row for each kind of tool."""
    shares: dict[bool, list[float]] = defaultdict(list)
    for style in unseen.STYLES:
        by_tool: dict[str, list[bool]] = defaultdict(list)
        for tool, again in repeated(style):
            by_tool[tool].append(again)
        for tool, seen in sorted(by_tool.items()):
            shares[notes_down(tool)].append(sum(seen) / len(seen))
            if options.tools:
                figures = {"repeated": len(seen), "changed something more": sum(seen)}
                yield Row(case=f"{style.name} {tool}", figures=figures)
    for notes, found in sorted(shares.items()):
        kind = "note something down" if notes else "change something else"
        mean = round(sum(found) / len(found), 2)
        yield Row(case=f"tools that {kind}", figures={"tools": len(found), "change it again": mean})
