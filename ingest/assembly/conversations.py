"""Which spans make one conversation.

Comes in: nodes. Goes out: groups of nodes: by conversation id, else by trace; traces without an id of more than one call are joined where
one goes on from another's response or repeats its whole history. A doubtful join is not made.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ingest.assembly.forest import Node
from ingest.assembly.history import key_of
from ingest.dialects.identity import has_failed
from ingest.dialects.reading import MODEL
from ingest.formats.spans.model_calls import NAME as LOGGED_CALL
from ingest.records.episode import Step

WINDOW: Final = 24 * 3600 * 1_000_000_000
"""How long after its last span a conversation without an id may go on in another trace."""

_SHORTEST: Final = 2
"""A shared history must hold at least what the user said and what the model answered."""


@dataclass(slots=True, kw_only=True)
class Conversation:
    """The spans of one conversation, in order."""

    conversation_id: str | None
    nodes: list[Node]

    @property
    def started_at(self) -> int:
        """The start of its first span."""
        return self.nodes[0].span.started_at

    @property
    def ended_at(self) -> int:
        """The end of its last span."""
        return max(node.span.ended_at or node.span.started_at for node in self.nodes)


def gather(nodes: Iterable[Node]) -> list[Conversation]:
    """Group nodes into conversations, ordered by start."""
    groups: dict[tuple[str, str], list[Node]] = defaultdict(list)
    for node in nodes:
        if node.conversation is not None:
            groups["id", node.conversation].append(node)
        else:
            groups["trace", node.span.trace_id].append(node)
    gathered = [
        Conversation(conversation_id=name if kind == "id" else None, nodes=members)
        for (kind, name), members in groups.items()
    ]
    gathered.sort(key=lambda one: (one.started_at, one.nodes[0].span.key))
    return _join(gathered)


def _join(gathered: list[Conversation]) -> list[Conversation]:
    """Let every conversation that is unnamed, or one call's alone, go on from the one earlier conversation that it provably continues."""
    by_response: dict[str, Conversation] = {}
    by_history: dict[str, list[Conversation]] = defaultdict(list)
    unanswered: dict[str, Conversation] = {}
    into: dict[int, Conversation] = {}
    kept: list[Conversation] = []
    for one in gathered:
        before = None
        is_loose = one.conversation_id is None or _has_id_of_one_call(one)
        if is_loose:
            before = _by_response(one, by_response) or _by_history(one, by_history)
            before = before or _retried(one, unanswered)
        while before is not None and id(before) in into:
            before = into[id(before)]
        if before is None:
            kept.append(one)
        else:
            into[id(one)] = before
            before.nodes += one.nodes
        target = before or one
        for node in one.nodes:
            if node.reading.response_id:
                by_response[node.reading.response_id] = target
        by_argument = any(node.reading.conversation_is_argument for node in one.nodes)
        if is_loose or target.conversation_id is None or by_argument:
            _index_history(one, target, by_history)
    for one in kept:
        one.nodes.sort(key=lambda node: (node.span.started_at, *node.span.key))
    return kept


def _has_id_of_one_call(one: Conversation) -> bool:
    """Whether one logged call alone has the id, however often: proxies make one up for each call whose client names none."""
    calls = {node.reading.response_id or node.span.span_id for node in one.nodes}
    return len(calls) == 1 and one.nodes[0].span.scope == LOGGED_CALL


def _by_response(one: Conversation, known: dict[str, Conversation]) -> Conversation | None:
    for node in one.nodes:
        previous = node.reading.previous_response_id
        if previous and previous in known:
            return known[previous]
    return None


def _retried(one: Conversation, unanswered: dict[str, Conversation]) -> Conversation | None:
    """The conversation that so far is nothing but calls that failed, and that asked the same of a model."""
    calls = [node for node in one.nodes if node.reading.kind == MODEL and node.reading.input]
    if not calls:
        return None
    asked = f"{history_marks(calls[0].reading.input)[-1]} {_users_and_tasks((one,))}"
    before = unanswered.pop(asked, None)
    if all(has_failed(call.span) and not call.reading.output for call in calls):
        unanswered[asked] = before or one
    return before if before and one.started_at - before.ended_at <= WINDOW else None


def _by_history(one: Conversation, known: dict[str, list[Conversation]]) -> Conversation | None:
    first = next((n for n in one.nodes if n.reading.input and not n.judged), None)
    if first is None:
        return None
    marks = history_marks(first.reading.input)
    for length in range(len(marks) - 1, _SHORTEST - 1, -1):
        found = [
            other
            for other in known.get(marks[length], ())
            if one.started_at - other.started_at >= 0
            and one.started_at - other.ended_at <= WINDOW
            and all(len(told) <= 1 for told in _users_and_tasks((one, other)))
        ]
        if found:
            # Two conversations with equal beginnings: the ids of the calls say whose turn this is, or nobody can.
            several = {id(other): other for other in found}
            if len(several) > 1:
                given = {call.call_id for step in first.reading.input for call in step.tool_calls}
                several = {k: other for k, other in several.items() if given & _call_ids(other)}
            return next(iter(several.values())) if len(several) == 1 else None
    return None


def _call_ids(one: Conversation) -> set[str]:
    return {
        call.call_id
        for node in one.nodes
        for step in node.reading.output
        for call in step.tool_calls
        if call.call_id
    }


def _users_and_tasks(several: Iterable[Conversation]) -> list[list[str]]:
    """The users and the tasks of conversations."""
    told = [node.reading for one in several for node in one.nodes]
    return [
        sorted({r.subject for r in told if r.subject}),
        sorted({r.task_key for r in told if r.task_key}),
    ]


def _index_history(
    one: Conversation, target: Conversation, known: dict[str, list[Conversation]]
) -> None:
    for node in one.nodes:
        if node.reading.input and node.reading.output and not node.judged:
            marks = history_marks((*node.reading.input, *node.reading.output))
            if len(marks) > _SHORTEST:
                known[marks[-1]].append(target)


def history_marks(steps: Iterable[Step]) -> list[str]:
    """A rolling hash: the mark at a place stands for all messages before it, the system prompt included."""
    mark = hashlib.blake2b(digest_size=16)
    marks = [mark.hexdigest()]
    for step in steps:
        mark.update(key_of(step).encode())
        marks.append(mark.hexdigest())
    return marks
