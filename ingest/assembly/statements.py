"""Outcomes that the telemetry itself carries, joined to the episodes they are about.

Comes in: nodes, log events and the addresses of the assembled episodes. Goes out: `Outcome`s; one whose target has
not arrived keeps `episode_id` None and is joined later (`ingest.files.outcome_table.attach`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from ingest.assembly.conversations import Conversation
from ingest.assembly.forest import Node
from ingest.dialects.evaluation import found_by, verdicts_on
from ingest.dialects.otel_genai_events import statements as event_statements
from ingest.dialects.reading import DUPLICATE, EVALUATOR, MODEL, TOOL, Statement
from ingest.files.chat_outcome import outcome_id_of
from ingest.otlp.record import judged_by
from ingest.records.episode import Episode
from ingest.records.outcome import Outcome, keep_latest
from ingest.records.span import LogEvent

_AMBIGUOUS: Final = ""
_WORK: Final = frozenset({MODEL, TOOL})


class Addresses:
    """Every name under which an episode can be spoken of."""

    def __init__(self) -> None:
        self._episode_of: dict[tuple[str, str], str] = {}
        self._nodes: dict[Node, str] = {}

    def add(self, episode: Episode, nodes: Sequence[Node], calls: Sequence[Node]) -> None:
        """Take in an episode with its spans and model calls."""
        for node in nodes:
            self._nodes[node] = episode.episode_id
            self._name("span", ":".join(node.span.key), episode)
            self._name("span", node.span.span_id, episode)
        for call in calls:
            if call.reading.response_id:
                self._name("response", call.reading.response_id, episode)
        for trace_id in episode.trace_ids:
            self._name("trace", trace_id, episode)
        if episode.conversation_id is not None:
            self._name("conversation", episode.conversation_id, episode)
        self._name("episode", episode.episode_id, episode)

    def add_rest(self, conversation: Conversation) -> None:
        """Let spans of evaluations stand for the episode of the conversation that they are part of."""
        homes = {self._nodes[node] for node in conversation.nodes if node in self._nodes}
        if len(homes) != 1:
            return
        for node in conversation.nodes:
            self._episode_of.setdefault(("span", ":".join(node.span.key)), next(iter(homes)))

    def knows(self, node: Node) -> bool:
        """Whether the span is part of an episode."""
        return node in self._nodes

    def find(self, kind: str, target: str) -> str | None:
        """The episode that goes by a name; None where there is none or more than one."""
        return self._episode_of.get((kind, target)) or None

    def _name(self, kind: str, target: str, episode: Episode) -> None:
        known = self._episode_of.get((kind, target))
        same = known is None or known == episode.episode_id
        self._episode_of[kind, target] = episode.episode_id if same else _AMBIGUOUS


def collect(
    nodes: Iterable[Node], events: Sequence[LogEvent], addresses: Addresses, *, app: str
) -> list[Outcome]:
    """All statements, each once, in the order in which they were made."""
    found: dict[str, Outcome] = {}
    for node in nodes:
        for said in (*node.reading.said, *_own_words(node)):
            target = _judged_span(node)
            allowed = replace(said, by=judged_by(said.by, node.span.resource))
            keep_latest(found, _outcome(allowed, target, node.reading.dialect, addresses, app))
    for event, said in event_statements(event for event in events if event.app == app):
        target = f"{event.trace_id}:{event.span_id}" if event.trace_id else event.event_id
        allowed = replace(said, by=judged_by(said.by, event.resource))
        keep_latest(found, _outcome(allowed, target, "otel_genai", addresses, app))
    return sorted(found.values(), key=lambda one: (one.at or 0, one.outcome_id))


def _own_words(node: Node) -> Iterable[Statement]:
    """What an app's own names on a span say; not where its dialect has read a statement of that kind."""
    if node.reading.said or node.reading.kind == DUPLICATE:
        return ()
    if node.judged:
        return found_by(node.span).values() if node.reading.kind == EVALUATOR else ()
    works = any(one.reading.kind in _WORK for one in (node, *node.children))
    return verdicts_on(node.span, works=works).values()


def _judged_span(node: Node) -> str:
    """The span that a statement on a span is about: the nearest one that is no evaluation, else the one that an evaluation names."""
    while node.judged and node.parent is not None:
        node = node.parent
    if node.judged and len(node.span.links) == 1:
        return f"{node.span.links[0].trace_id}:{node.span.links[0].span_id}"
    return ":".join(node.span.key)


def _outcome(said: Statement, span: str, source: str, addresses: Addresses, app: str) -> Outcome:
    target = said.target_id or span
    return Outcome(
        app=app,
        outcome_id=outcome_id_of(
            app, said.target_kind, target, said.name, said.by, said.author, source
        ),
        target_kind=said.target_kind,
        target_id=target,
        episode_id=addresses.find(said.target_kind, target) or addresses.find("span", span),
        name=said.name,
        value=said.value,
        label=said.label,
        text=said.text,
        correction=said.correction,
        by=said.by,
        author=said.author,
        at=said.at,
        source=source,
    )
