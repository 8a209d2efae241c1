"""Values that nobody gave: a tool whose effect is not understood is not said to succeed with them, though nothing says why not.

Comes from tools with what they do; adds guards that only withhold. Not here: why calls are refused (`guards`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Final, TypeVar

from environments.runtime.document.tools import GuardPart
from environments.runtime.expr.scope import Tree
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import stable
from environments.runtime.views.implicit_subject import SUBJECT
from environments.runtime.views.selected_subject import CHOSEN
from environments.runtime.world.notice import NOT_ELSE
from synth.world.grouping import sets_by_key
from synth.world.model import Workbench
from synth.world.observation import Observation

Value = TypeVar("Value")
APART: Final = "these were never seen together"


def withhold_unseen(bench: Workbench) -> None:
    """A call whose effect is not understood succeeds with the words and numbers that were seen, and any free text."""
    for tool in bench.tools.values():
        understood = (tool.writes and tool.kind != "act") or tool.evidence.get("shows")
        if not tool.innocent and tool.answer is not None and not understood:
            # Whoever is signed in may do what others did, but not in a copy of their own.
            skipped = {CHOSEN} if bench.own_starts else {SUBJECT, CHOSEN}
            tool.guards.extend(_of_given_values(tool.good(), skipped))


def _of_given_values(good: Sequence[Observation], skipped: set[str]) -> Iterator[GuardPart]:
    """That each argument has a value it had, and two of which one decided the other have values they had together."""
    listed: list[str] = []
    for name in sorted({n for seen in good for n in seen.arguments} - skipped):
        words = _distinct(seen.arguments[name] for seen in good if name in seen.arguments)
        if sum(" " in stable(word) for word in words) * 2 <= len(words):
            tree: Tree = ["among", ["arg", name], words]
            yield GuardPart(holds=tree, says=NOT_ELSE, against=len(good))
            listed.append(name)
    for names in combinations(listed, 2):
        pairs = _distinct([s.arguments.get(name) for name in names] for s in good)
        if _decide_each_other(pairs):
            yield _pairs_guard(names, pairs, len(good))


def _decide_each_other(pairs: Sequence[Sequence[Json]]) -> bool:
    """Whether one of two arguments had a single value wherever the other had one: which decides is not known."""
    for at in (0, 1):
        beside = sets_by_key((stable(pair[at]), stable(pair[1 - at])) for pair in pairs)
        told = {value for values in beside.values() for value in values}
        if len(told) > 1 and all(len(values) == 1 for values in beside.values()):
            return True
    return False


def _distinct(values: Iterable[Value]) -> list[Value]:
    """Different values in the order of their texts."""
    found = {stable(value): value for value in values}
    return [found[text] for text in sorted(found)]


def _pairs_guard(names: Iterable[str], pairs: Sequence[Sequence[Json]], against: int) -> GuardPart:
    tree: Tree = ["among", ["list", *(["arg", name] for name in names)], list(pairs)]
    return GuardPart(holds=tree, says=APART, against=against)
