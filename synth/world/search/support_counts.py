"""Support: how many recorded calls speak for each learnt rule, and how many against, for the world file.

Comes in: the trees of an effect and its examples. Goes out: counts that a person can read. Not here: accepting rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from environments.runtime.expr.gaps import MISSING, UNKNOWN
from environments.runtime.expr.scope import Tree
from environments.runtime.values.normal import stable
from synth.world.actions.examples import Example, evaluate


def support_of(
    trees: Mapping[str, Tree], examples: Sequence[Example], after: Sequence[Any]
) -> dict[str, dict[str, int]]:
    """Per field: different calls and tasks that its tree reproduces, calls that it contradicts, calls of which too little is known."""
    return {name: _of_field(name, tree, examples, after) for name, tree in sorted(trees.items())}


def _of_field(
    name: str, tree: Tree, examples: Sequence[Example], after: Sequence[Any]
) -> dict[str, int]:
    reproduced: set[str] = set()
    tasks: set[str] = set()
    against: set[str] = set()
    dark: set[str] = set()
    values = evaluate(tree, [e.scope() for e in examples])
    for example, row, value in zip(examples, after, values, strict=True):
        if not isinstance(row, dict) or name not in row:
            continue
        call = example.seen.key
        if value is UNKNOWN:
            dark.add(call)
        elif value is MISSING or stable(value) != stable(row[name]):
            against.add(call)
        else:
            reproduced.add(call)
            tasks.add(example.task or str(example.seen.episode))
    return {
        "calls": len(reproduced),
        "tasks": len(tasks),
        "counter_examples": len(against),
        "not_known": len(dark - reproduced),
    }
