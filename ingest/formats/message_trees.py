"""Messages that form a tree: each names the one before it, and one that was edited or answered anew has several after it.

Comes in: a list of messages or a map of them by id, and the object that holds it. Goes out: the messages of the branch that was kept, in order.
"""

from __future__ import annotations

from typing import Any, Final

from ingest.dialects.parts import first_of
from ingest.formats.records.words import role_of
from ingest.records.text import Json, objects_in, type_of

_IDS: Final = ("id", "uuid", "messageId", "message_id", "_id")
_PARENTS: Final = (
    *("parent", "parentId", "parent_id", "parentUuid", "parentMessageId", "parent_message_id"),
    "parent_message_uuid",
)
_CURRENT: Final = ("current_node", "currentId", "current_id", "current_leaf_message_uuid")
"""What the object around a tree calls the message that is shown last."""

Node = dict[str, Any]


def branch_in_map(value: Json, holder: Node) -> list[Node]:
    """The kept branch of a map of messages by id; empty where a value is none."""
    if not isinstance(value, dict) or not all(isinstance(one, dict) for one in value.values()):
        return []
    if not any(_id_under(one, _PARENTS) in value for one in value.values()):
        return []
    # A node may hold nothing but its message.
    kept = [one.get("message", one) for one in _branch_of(value, holder)]
    return [one for one in kept if isinstance(one, dict)]


def kept_branch(items: list[Any], holder: Node) -> list[Any]:
    """A list of messages without the branches that were given up; the list itself where it has none."""
    nodes = {_id_under(one, _IDS): one for one in items if isinstance(one, dict)}
    if len(nodes) < len(items) or None in nodes:
        return items
    after = [(_id_under(one, _PARENTS), _role(one)) for one in items if _role(one) != "tool"]
    parents = {parent for parent, _ in after}
    # Replies to one letter come from both sides: these are no versions of one message.
    is_branched = len(parents) == len(set(after)) < len(after)
    # What ends in a call was not the answer: others went on from it, although all name what they answer.
    is_branched = is_branched and not any(
        _ends_in_call(one) for key, one in [*nodes.items()][:-1] if key not in parents
    )
    return _branch_of(nodes, holder) if is_branched and parents & nodes.keys() else items


def _ends_in_call(node: Node) -> bool:
    parts = objects_in(first_of(node, "parts", "content"))
    kinds = [str(type_of(one)) for one in parts if not str(type_of(one)).startswith("step")]
    return _role(node) == "assistant" and bool(kinds) and "tool" in kinds[-1]


def _branch_of(nodes: dict[Any, Node], holder: Node) -> list[Node]:
    """The messages from the first one to the one that is shown last, with the results that hang beside them."""
    place = _id_under(holder, _CURRENT)
    if place not in nodes:
        parents = {_id_under(one, _PARENTS) for one in nodes.values()}
        place = next(
            (k for k in reversed(nodes) if k not in parents and _role(nodes[k]) != "tool"), None
        )
    path: dict[str | None, list[Node]] = {}
    while place in nodes and place not in path:
        path[place] = [nodes[place]]
        place = _id_under(nodes[place], _PARENTS)
    for key, one in nodes.items():
        parent = _id_under(one, _PARENTS)
        if key not in path and parent in path and _role(one) == "tool":
            path[parent].append(one)
    return [one for run in reversed(path.values()) for one in run]


def _id_under(node: Node, keys: tuple[str, ...]) -> str | None:
    found = first_of(node, *keys)
    return None if found is None or isinstance(found, dict | list) else str(found)


def _role(node: Node) -> str | None:
    told = first_of(node, "role", "sender", "author", "type")
    told = told.get("role") if isinstance(told, dict) else told
    return role_of(told) if isinstance(told, str) else None
