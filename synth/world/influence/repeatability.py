"""Tools asked again: who answers otherwise though nothing came between changed something itself, and who never did the same twice.

Comes in: all recorded calls. Comes out: the tools that cannot be readers, whatever their names say, and those whose success is not
told again after an equal call (`once`). Not here: pairs of calls with something between them (`relevance`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from environments.runtime.values.normal import tokens_in
from environments.runtime.views.implicit_subject import SUBJECT
from environments.runtime.views.selected_subject import CHOSEN
from synth.world.model import Workbench, refused
from synth.world.observation import Observation
from synth.world.search.numbers import is_number

MIN_REFUSED: Final = 2
"""Episodes in which a second call at once was refused: one may be a server that was asked too often."""


def changed_by_asking(bench: Workbench) -> set[str]:
    """Tools whose same call, made twice with nothing between, did not find the second time what it had found."""
    otherwise: set[str] = set()
    stopped: dict[str, set[int]] = defaultdict(set)
    for first, second in _twice(bench):
        tool = bench.tools[first.tool]
        if tool.declared or first.content == second.content or refused(tool, first):
            continue
        if refused(tool, second):
            stopped[tool.name].add(first.episode)
        else:
            otherwise.add(tool.name)
    return otherwise | {name for name, among in stopped.items() if len(among) >= MIN_REFUSED}


def aimless_again(bench: Workbench) -> set[str]:
    """Tools that change something and name nothing, of which a second call at once was told otherwise: they heed themselves."""
    return {
        first.tool
        for first, second in _twice(bench)
        if not first.arguments.keys() - {SUBJECT, CHOSEN}
        and first.content != second.content
        and not bench.tools[first.tool].innocent
        and not refused(bench.tools[first.tool], first)
    }


def share_numbers(bench: Workbench) -> dict[str, set[str]]:
    """Per tool the others that tell a number of the same name, which a second call at once moved for both: a balance."""
    moved: dict[str, set[str]] = defaultdict(set)
    for first, second in _twice(bench):
        if not bench.tools[first.tool].innocent:
            moved[first.tool] |= _moved(first.value, second.value)
    return {
        name: {other for other in moved if other != name and not moved[other].isdisjoint(fields)}
        for name, fields in moved.items()
    }


def _moved(first: Any, second: Any) -> set[str]:
    """The fields whose number is another now; what only counts up numbers what each tool makes."""
    if not isinstance(first, dict) or not isinstance(second, dict):
        return set()
    pairs = [(name, first[name], second[name]) for name in first.keys() & second.keys()]
    numbers = [(name, o, n) for name, o, n in pairs if is_number(o) and is_number(n)]
    return {name for name, old, new in numbers if abs(new - old) not in {0, 1}}


def learn_once(bench: Workbench) -> None:
    """Note, where every episode starts afresh, the tools that never did the same twice with nothing else about it before.

    A second message may be taken away because another was sent before: that says nothing of one message taken away twice.
    """
    if bench.living:
        return
    again = {
        history.observations[at].tool
        for history in bench.histories
        for at in range(len(history.observations))
        if _done_again(bench, history.observations[: at + 1])
    }
    for name, tool in bench.tools.items():
        tool.once = not tool.innocent and name not in again


def _done_again(bench: Workbench, made: Sequence[Observation]) -> bool:
    """Whether the last call was made before with the same answer, and nobody else's was about the same."""
    last = made[-1]
    tool = bench.tools[last.tool]
    if tool.innocent or refused(tool, last):
        return False
    names = last.names | tokens_in(last.arguments)
    done = [o for o in made[:-1] if not refused(bench.tools[o.tool], o)]
    same = [o for o in done if (o.tool, o.key) == (last.tool, last.key)]
    others = (o for o in done if o.tool != last.tool and not bench.tools[o.tool].innocent)
    return any(o.content == last.content for o in same) and all(
        names.isdisjoint(o.names | o.tokens) for o in others
    )


def _twice(bench: Workbench) -> Iterator[tuple[Observation, Observation]]:
    for history in bench.histories:
        for first, second in pairwise(history.observations):
            if (first.tool, first.key) == (second.tool, second.key):
                yield first, second
