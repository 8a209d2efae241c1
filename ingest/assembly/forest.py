"""Spans and log events as trees of readings.

Comes in: spans in any order, with duplicates, and log events. Goes out: `Node`s: each span once, read, with its
parent, and with what its events say merged in. Evaluators and everything below them are marked.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ingest.assembly.stored_content import REFERENCES
from ingest.dialects import agent_logs, claude_code, otel_genai_events, own_events, own_spans
from ingest.dialects.attributes import read_shown, text_of
from ingest.dialects.identity import called_with, is_paused
from ingest.dialects.messages import read_messages, with_calls
from ingest.dialects.otel_genai import makes_agent, newest_listed
from ingest.dialects.otel_genai_events import moved_off, read_run, read_sayings, sayings, told_in
from ingest.dialects.react_text import with_calls_in_prose, words_in_template
from ingest.dialects.reading import AGENT, DUPLICATE, EVALUATOR, MODEL, OTHER, TOOL, Reading
from ingest.dialects.table import read_span
from ingest.dialects.tool_schemas import tools_named
from ingest.records.episode import Step
from ingest.records.span import IF_ASKED, LogEvent, Span

_DEEPEST: Final = 256
"""Levels looked up: a hostile chain of 100,000 spans must not cost its square."""


@dataclass(slots=True, kw_only=True, eq=False)
class Node:
    """One span in its tree."""

    span: Span
    reading: Reading
    parent: Node | None = None
    children: list[Node] = field(default_factory=list)
    conversation: str | None = None
    """Its own, else the nearest ancestor's, else the only one of its trace."""
    judged: bool = False
    """Whether it is part of an evaluation rather than of the conversation."""
    is_linked: bool = False
    """Whether its trace is a job of its own that only links to the conversation."""
    virtual: bool = False
    """Whether no span arrived, only log events that name it."""

    @property
    def agent_above(self) -> Node | None:
        """The nearest agent that the node ran below."""
        return next((above for above in self.ancestors() if above.reading.kind == AGENT), None)

    def ancestors(self) -> Iterable[Node]:
        """The nodes above, nearest first; not more of them than any real trace has."""
        node = self.parent
        for _ in range(_DEEPEST):
            if node is None:
                return
            yield node
            node = node.parent


def grow(spans: Iterable[Span], events: Sequence[LogEvent]) -> list[Node]:
    """Read all spans once and tie them together; ordered by start, ties by id."""
    set_up: dict[tuple[str, str], list[LogEvent]] = defaultdict(list)
    said_in: dict[tuple[str, str], list[LogEvent]] = defaultdict(list)
    once = {event.event_id: event for event in events}.values()
    unique = {event.event_id: event for event in claude_code.with_spans(once)}
    for event in unique.values():
        if any(told_in(event)):
            said_in[group_key(event), event.span_id or ""].append(event)
        elif claude_code.is_setting(event):
            set_up[event.trace_id or "", event.span_id or ""].append(event)
    nodes: dict[tuple[str, str], Node] = {}
    own = list(own_events.sessions(unique.values()))
    known = {event.event_id for told, _ in own for event in told}
    others = (event for event in unique.values() if event.event_id not in known)
    for told, reading in (*own, *agent_logs.sessions(others)):
        key = group_key(told[0]), told[0].event_id
        nodes[key] = _told_by_events(key, told, reading)
    for key, span in _fullest_spans(spans).items():
        nodes[key] = Node(span=span, reading=_read(span, said_in.pop(key, [])))
    for key, settings in set_up.items():
        if key in nodes:
            nodes[key].reading = claude_code.with_settings(nodes[key].reading, settings)
    for key, left in said_in.items():
        if all(map(moved_off, left)):
            continue  # nobody says whether a model, a tool or an agent was given it
        told_there = read_sayings(sayings(None, left)) or Reading(kind=OTHER, dialect="otel")
        nodes[key] = _told_by_events(key, left, told_there)
    ordered = sorted(nodes.values(), key=lambda node: (node.span.started_at, *node.span.key))
    _tie(ordered, nodes)
    _pass_over_functions(ordered)
    _name_tools(ordered)
    _demote(ordered)
    _ask(ordered)
    _tell_past_calls(ordered)
    _hand_in(ordered)
    _instruct(ordered)
    _fill_in(ordered)
    _tell_turns(ordered)
    _inherit(ordered)
    return _without_told_sessions(ordered)


def group_key(event: LogEvent) -> str:
    """The trace that an event belongs to; its own where it names none."""
    return event.trace_id or f"event:{event.event_id}"


def _without_told_sessions(ordered: list[Node]) -> list[Node]:
    """The nodes without the sessions of log events that spans tell as well."""
    told = {
        node.conversation
        for node in ordered
        if node.reading.kind in {MODEL, TOOL} and not _is_logged(node)
    }
    return [node for node in ordered if not _is_logged(node) or node.conversation not in told]


def _is_logged(node: Node) -> bool:
    return node.virtual and node.reading.dialect in {agent_logs.NAME, own_events.NAME}


def _fullest_spans(spans: Iterable[Span]) -> dict[tuple[str, str], Span]:
    """Each span once."""
    by_key: dict[tuple[str, str], Span] = {}
    for span in spans:
        known = by_key.get(span.key)
        by_key[span.key] = span if known is None else fuller(known, span)
    return by_key


def fuller(one: Span, other: Span) -> Span:
    """Of two spans with one identity the one that says more; the choice does not depend on their order."""

    def weight(span: Span) -> tuple[bool, bool, int, int, str]:
        # Content that was fetched stands in the place of its address.
        whole = not any(key.endswith(REFERENCES) for key in span.attributes)
        size = len(span.attributes), len(span.events)
        return span.ended_at is not None, whole, *size, repr(span)

    return max(one, other, key=weight)


def _read(span: Span, events: list[LogEvent]) -> Reading:
    reading = read_span(span)
    said = sayings(span, events)
    if reading.kind == TOOL and is_paused(span):
        return replace(reading, kind=OTHER)
    if reading.kind == TOOL:
        told_run = {
            key: value for key, value in read_run(said).items() if getattr(reading, key) is None
        }
        return replace(reading, **told_run)
    told = read_sayings(said)
    reading = newest_listed(span, reading if told is None else _merged(reading, told))
    return with_calls_in_prose(own_events.told_on(span, reading) if span.events else reading)


def _merged(reading: Reading, told: Reading) -> Reading:
    """The span's reading with the events' content where that is there and whole."""
    asked = any(step.content for step in reading.input)
    better = bool(told.input or told.output) and (
        not reading.has_content
        or ("truncated" in reading.flags and "truncated" not in told.flags)
        or (bool(told.input) and not asked)
    )
    merged = replace(
        reading,
        kind=MODEL if reading.kind == OTHER else reading.kind,
        conversation=reading.conversation or told.conversation,
        conversation_is_made_up=reading.conversation_is_made_up or told.conversation_is_made_up,
        subject=reading.subject or told.subject,
        agent=reading.agent or told.agent,
        model=reading.model or told.model,
        version=reading.version or told.version,
        response_id=reading.response_id or told.response_id,
        do_not_train=reading.do_not_train or told.do_not_train,
        tools=reading.tools or told.tools,
        flags=reading.flags | told.flags,
    )
    if better:
        merged = replace(
            merged,
            input=told.input,
            output=tuple(with_calls(told.output or reading.output, reading.output)),
            flags=told.flags,
            dialect=told.dialect,
        )
    return merged


def _told_by_events(key: tuple[str, str], events: list[LogEvent], reading: Reading) -> Node:
    span = Span(
        app=events[0].app,
        trace_id=key[0],
        span_id=key[1] or events[0].event_id,
        started_at=min(event.at for event in events),
        ended_at=max(event.at for event in events),
        resource=events[0].resource,
    )
    return Node(span=span, reading=reading, virtual=True)


def _tie(ordered: list[Node], nodes: dict[tuple[str, str], Node]) -> None:
    for node in ordered:
        parent_id = node.span.parent_id
        parent = nodes.get((node.span.trace_id, parent_id)) if parent_id else None
        if parent is not None and parent is not node:
            node.parent = parent
    _cut_cycles(ordered)
    for node in ordered:
        if node.parent is not None:
            node.parent.children.append(node)


def _cut_cycles(ordered: list[Node]) -> None:
    """Spans that name each other as parents become roots; every node is walked once."""
    safe: set[Node] = set()
    for start in ordered:
        path: dict[Node, None] = {}
        node: Node | None = start
        while node is not None and node not in safe:
            if node in path:
                node.parent = None
                break
            path[node] = None
            node = node.parent
        safe.update(path)


def _pass_over_functions(ordered: list[Node]) -> None:
    """Take what no model of its trace asked for off the tools, where the span does not say that it is one."""
    unsure = [node for node in ordered if IF_ASKED in node.span.attributes]
    traces = {node.span.trace_id for node in unsure}
    asked = {
        (node.span.trace_id, call.name)
        for node in ordered
        if node.span.trace_id in traces
        for step in (*node.reading.input, *node.reading.output)
        for call in step.tool_calls
    }
    for node in unsure:
        if (node.span.trace_id, node.reading.tool_name) not in asked:
            node.reading = replace(node.reading, kind=OTHER)


def _name_tools(ordered: list[Node]) -> None:
    """Give agents, and models with the step around them, the tools that their span only names."""
    for node in ordered:
        kind, around = node.reading.kind, node.parent
        if kind in {MODEL, AGENT} and not node.reading.tools:
            named = tools_named(node.span.attributes)
            # An agent's own tools are not offered in every call below it: one may only classify.
            if kind == MODEL and around is not None and around.reading.kind == OTHER and not named:
                named = tools_named(around.span.attributes)
            node.reading = replace(node.reading, tools=tuple(named))


def _demote(ordered: list[Node]) -> None:
    """Take the calls off an agent's loop that says again what a model call below it was asked, or answered."""
    for node in ordered:
        if node.reading.kind != MODEL or not node.reading.has_content:
            continue
        for above in node.ancestors():
            if above.reading.kind == MODEL and read_span(above.span).kind == OTHER:
                above.reading = read_span(above.span)
            elif above.reading.kind == MODEL and (
                above.reading.dialect == own_spans.NAME or not node.reading.input
            ):
                above.reading = replace(above.reading, kind=AGENT)


def _ask(ordered: list[Node]) -> None:
    """Give an agent's first model call what was asked, where its client tells that on the agent's span alone."""
    calls: dict[Node, list[Node]] = defaultdict(list)
    for node in ordered:
        agent = node.agent_above
        if node.reading.kind == MODEL and agent is not None and agent.reading.input:
            calls[agent].append(node)
    for agent, below in calls.items():
        told = [call.reading for call in below]
        if any(one.output for one in told) and not any(one.input for one in told):
            at = agent.span.started_at
            asked = tuple(replace(step, at=at) for step in agent.reading.input)
            below[0].reading = replace(told[0], input=asked)


def _tell_past_calls(ordered: list[Node]) -> None:
    """Give a model call whose history leaves out calls the request as a span below holds it, where the two are alike but for calls."""
    for node in ordered:
        above = node.parent
        given = above.reading.input if above and above.reading.kind == MODEL else ()
        answers = any(step.role == "tool" for step in given)
        if above and answers and not any(step.tool_calls for step in given):
            held = (v for k, v in node.span.attributes.items() if k.endswith(".messages"))
            sent = next((read_messages(read_shown(str(v)), role="user").steps for v in held), [])
            if [(s.role, s.content or "") for s in sent] == [
                (s.role, s.content or "") for s in given
            ]:
                above.reading = replace(above.reading, input=tuple(sent))


def _hand_in(ordered: list[Node]) -> None:
    """Give a turn the results of what it asked for, where spans of their own tell only that these were handed in."""
    asked = {
        (node.reading.conversation or node.span.trace_id, call.call_id): node
        for node in ordered
        if node.reading.is_turn
        for step in (*node.reading.input, *node.reading.output)
        for call in step.tool_calls
        if call.call_id
    }
    handed: dict[Node, list[Step]] = defaultdict(list)
    for node in ordered:
        given = node.reading.input
        place = node.reading.conversation or node.span.trace_id
        turn = asked.get((place, (given[0].call_id or "") if given else ""))
        if turn and turn is not node and all(step.role == "tool" for step in given):
            node.reading = replace(node.reading, kind=DUPLICATE, input=())
            told = (*turn.reading.input, *handed[turn])
            known = {step.call_id for step in told if step.role == "tool"}
            handed[turn] += (step for step in given if step.call_id not in known)
    for turn, results in handed.items():
        steps = otel_genai_events.behind_their_calls([*results, *turn.reading.input])
        turn.reading = replace(turn.reading, input=tuple(steps))


def _instruct(ordered: list[Node]) -> None:
    """Give the calls of an agent what it was made to be, where only the span that made it says that."""
    told: dict[str, Reading] = {}
    for node in ordered:
        name, given = text_of(node.span.attributes.get("gen_ai.agent.id")), node.reading.input
        if makes_agent(node.span):
            told |= {name: node.reading} if name else {}
            node.reading = replace(node.reading, input=())
        elif name in told and node.reading.kind == MODEL and given and given[0].role != "system":
            asked = (replace(step, at=node.span.started_at) for step in told[name].input)
            tools = node.reading.tools or told[name].tools
            node.reading = replace(node.reading, input=(*asked, *given), tools=tools)


def _fill_in(ordered: list[Node]) -> None:
    """Leave of a prompt that is a template, the only message of a user's, what the user said: a function above was called with that."""
    for node in ordered:
        asked = [step for step in node.reading.input if step.role == "user"]
        if node.reading.kind == MODEL and len(asked) == 1:
            above = (
                called_with(one.span.attributes, holding="history") for one in node.ancestors()
            )
            told = (
                words_in_template(asked[0].content or "", one) for given in above for one in given
            )
            words = next(filter(None, told), None)
            if words is not None:
                own = replace(asked[0], content=words)
                said = tuple(own if s is asked[0] else s for s in node.reading.input)
                node.reading = replace(node.reading, input=said)


def _tell_turns(ordered: list[Node]) -> None:
    """Give a turn under an app's own names what its model said and asked for."""
    for node in ordered:
        turn = next((above for above in node.ancestors() if above.reading.kind == AGENT), node)
        if {one.reading.dialect for one in (turn, node)} == {own_spans.NAME} and turn is not node:
            said = node.reading.output if node.reading.kind == OTHER else ()
            given = (*turn.reading.input, *(replace(one, at=node.span.ended_at) for one in said))
            turn.reading = replace(turn.reading, input=given)


def _inherit(ordered: list[Node]) -> None:
    """Pass conversations and evaluations down, parents first, and up to spans above one conversation only."""
    in_trace: dict[str, set[str]] = defaultdict(set)
    below: dict[Node, set[str]] = defaultdict(set)
    waiting = [node for node in reversed(ordered) if node.parent is None]
    while waiting:
        node = waiting.pop()
        above = node.parent
        node.judged = node.reading.kind == EVALUATOR or (above is not None and above.judged)
        node.conversation = _conversation(node)
        if node.reading.conversation and node.conversation and not node.judged:
            in_trace[node.span.trace_id].add(node.conversation)
            for above in node.ancestors():
                below[above].add(node.conversation)
        waiting += reversed(node.children)
    for node in ordered:
        only = below.get(node) or in_trace[node.span.trace_id]
        if node.conversation is None and len(only) == 1:
            node.conversation = next(iter(only))
    _follow_links(ordered, in_trace)


def _follow_links(ordered: list[Node], in_trace: dict[str, set[str]]) -> None:
    """Take a trace that calls a model and names no conversation to the one that its root's only link leads to."""
    calls = {node.span.trace_id for node in ordered if node.reading.kind == MODEL}
    leads = {
        node.span.trace_id: in_trace[link.trace_id]
        for node in ordered
        if not node.span.parent_id and node.conversation is None and not node.judged
        for link in node.span.links[:1]
        if len(node.span.links) == len(in_trace.get(link.trace_id, ())) == 1
    }
    for node in ordered:
        if node.conversation is None and node.span.trace_id in leads.keys() & calls:
            node.conversation, node.is_linked = next(iter(leads[node.span.trace_id])), True


def _conversation(node: Node) -> str | None:
    inherited = node.parent.conversation if node.parent else None
    own = node.reading.conversation or inherited
    # What a tool runs is a part of the conversation that asked for it: an agent in its place has a session of its own.
    within = own != inherited and any(one.reading.kind == TOOL for one in node.ancestors())
    return inherited or own if node.reading.conversation_is_made_up or within else own
