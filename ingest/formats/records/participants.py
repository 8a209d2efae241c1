"""Who of several participants is the human, and which role the others have.

Comes in: the speeches of one conversation, some with a role, some with a participant's name, some with both. Goes out: the
same speeches, each with one of our roles and, where several agents talk, the agent's name. A framework calls everybody
`user` whose words it sends to a model; here only the human is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ingest.formats.records.speech import Speech
from ingest.formats.records.words import role_in_name
from ingest.records.text import objects_in

_MOSTLY: Final = 0.5


def settle(speeches: Sequence[Speech]) -> str | None:
    """Give every speech its role, in place; the agent's name comes back where there is one agent and it has a name."""
    _settle_system(speeches)
    _settle_end(speeches)
    talking = [one for one in speeches if one.role not in {"system", "tool"} and not one.is_item]
    named = [one for one in talking if one.name is not None]
    humans = _humans(talking)
    agents = {one.name for one in named} - humans
    # One name under which both sides of a dialogue stand is nobody's.
    is_shared = not humans and {"user", "assistant"} <= {one.role for one in named}
    several = (
        len(agents) > 1
        or (any(one.role == "user" for one in named if one.name in agents) and not is_shared)
    ) and len(named) > _MOSTLY * len(talking)
    for one in talking:
        if one.name in humans:
            one.role, one.name = "user", None
        elif (several and one.name is not None) or one.role is None:
            one.role = "assistant"
        elif one.role == "user":
            one.name = None
    names = {one.name for one in speeches if one.role == "assistant"}
    return next(iter(names)) if len(names) == 1 else None


def _settle_system(speeches: Sequence[Speech]) -> None:
    """Where nobody else answers the user, the speaker `system` is the log's word for its agent: the system of a dialogue."""
    roles = [one.role for one in speeches if "tool_calls" not in one.message and not one.is_item]
    behind = roles[roles.index("user") :] if "user" in roles else []
    if "system" not in behind or "assistant" in roles or None in roles:
        return
    for one in speeches:
        if one.is_speaker and one.role == "system":
            one.role, one.name = "assistant", None


def _settle_end(speeches: Sequence[Speech]) -> None:
    """Where all others have roles, what stands last under a word of the log's own (`exit`) is what came back from the call before it, or behind a result a word of the log's (`TimeoutExpired`)."""
    if not speeches[1:] or speeches[-1].role is not None:
        return
    *before, last = speeches
    calls = objects_in(before[-1].message.get("tool_calls"))
    is_word = before[-1].role == "tool" and len(str(last.message.get("content")).split()) == 1
    if (is_word or len(calls) == 1) and all(one.role is not None for one in before):
        last.role, last.name = "system" if is_word else "tool", None
        asked = {"tool_call_id": calls[0].get("id")} if calls else {}
        last.message = {**last.message, "role": last.role, **asked}


def _humans(talking: Sequence[Speech]) -> set[str | None]:
    """The names that are the human's: those that say so, else the one who begins and is never an assistant."""
    telling: set[str | None] = {
        one.name for one in talking if one.name and role_in_name(one.name) == "user"
    }
    if telling:
        return telling
    assistants = {one.name for one in talking if one.role == "assistant"}
    first = talking[0] if talking else None
    if first is None or first.name is None or first.name in assistants:
        return set()
    begins = first.role == "user" or (first.role is None and role_in_name(first.name or "") is None)
    return {first.name} if begins else set()
