"""Of a backend that lives on: refusals that only a list of recorded names explains, which time may explain as well.

Comes from guards as they were learnt; takes from them what is of the moment: which names were refused and which were taken.
Where every episode starts afresh, the same names are refused again. Not here: finding conditions (`guards`).
"""

from __future__ import annotations

from typing import Any, Final

from environments.runtime.expr.scope import Tree
from environments.runtime.values.normal import is_name
from synth.world.model import ToolModel
from synth.world.search.numbers import mentions

MIN_CALLS: Final = 12
"""Different calls, taken and refused, before a list of plain words is one that the tool checks."""
_STATE: Final = ("row", "old", "at", "pick")


def forget_moments(tool: ToolModel) -> None:
    """Tell no refusal for such a reason, and claim no success that nothing else tells from it."""
    lists = [g for g in tool.guards if g["support"] and _is_of_the_moment(g)]
    for guard in lists:
        guard["message"] = None
    if lists:
        tool.claims = False


def _is_of_the_moment(guard: dict[str, Any]) -> bool:
    tree: Tree = guard["holds"]
    if any(mentions(tree, root) for root in _STATE):
        return False
    few = guard["support"] + guard["against"] < MIN_CALLS
    return any(_lists(part, few=few) for part in _parts(tree))


def _lists(tree: Tree, *, few: bool) -> bool:
    """Whether a condition lists names, or how they are spelt; of few calls, any values of an argument."""
    if tree[0] != "among" or not mentions(tree[1], "arg"):
        return False
    return few or tree[1][0] in {"shape", "prefix"} or any(map(is_name, tree[2]))


def _parts(tree: Any) -> list[Tree]:
    """A tree and all trees inside it."""
    if not isinstance(tree, list):
        return []
    own = [tree] if tree and isinstance(tree[0], str) else []
    return own + [part for inner in tree for part in _parts(inner)]
