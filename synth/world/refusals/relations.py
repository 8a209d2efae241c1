"""What a condition says: that an argument names what belongs there, of which kind a record is, or only what was asked for.

Comes from conditions as trees; used by `success` and `specific`. Not here: how conditions are found (`literals`).
"""

from __future__ import annotations

from environments.runtime.expr.scope import Tree
from environments.runtime.expr.trees import looks_at
from environments.runtime.values.normal import stable
from synth.world.refusals.element_literals import TRUE


def is_about_arguments(tree: Tree) -> bool:
    """Whether a condition speaks of the call's own arguments only: of what was asked for, not of what there is."""
    return not any(looks_at(tree, root) for root in ("row", "old", "at", "pick"))


def telling(tree: Tree) -> bool:
    """Whether a condition is hardly ever true by accident: an argument names a part of a record, two lists are of one length."""
    body = body_of(tree)
    if body[0] == "member":
        named = body[1][0] in ({"it", "by"} if tree[0] == "every" else {"arg"})
        return bool(named and body[2][0] in {"row", "old"})
    if tree[0] == "every" and body[0] == "exists":
        return bool(body[1][0] == "pick" and body[1][1][0] == "old" and body[1][3] == ["it"])
    lengths = tree[0] == "eq" and tree[1][0] == tree[2][0] == "len"
    return lengths and any(part[1][0] == "arg" for part in tree[1:])


def is_state(tree: Tree) -> bool:
    """Whether a condition lists the values that a field of the record had."""
    return bool(tree[0] == "among" and tree[1][0] == "old")


def body_of(tree: Tree) -> Tree:
    """What a condition on every element, or on every pair of two lists, says of one."""
    if tree[0] != "every":
        return tree
    return tree[1][3] if tree[1][0] == "zip" and tree[2] == TRUE else tree[2]


def relates(tree: Tree) -> bool:
    """Whether a condition says what is asked for, of which kind the record is, or that an argument names what belongs there."""
    if tree[0] == "among":
        subject = tree[1]
        return len(subject) == 2 and subject[0] in {"arg", "old"}
    if telling(tree) or tree[0] == "distinct":
        return is_about_arguments(tree) or telling(tree)
    text = stable(tree)
    return (
        tree[0] in {"member", "eq"}
        and '"arg"' in text
        and '"old"' not in text
        and text.count('"row"') == 1
    )
