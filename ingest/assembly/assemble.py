"""Spans and log events to episodes: one canonical episode whichever dialect they speak.

Comes in: the spans and log events of one app, in any order, with duplicates. Goes out: `Assembled`: episodes, the
outcomes that the telemetry itself carries, and how many spans belong to no episode. It invents nothing: what a
dialect did not carry is named in `Episode.completeness`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise, product

from ingest.assembly.call_ids import join_results
from ingest.assembly.conversations import Conversation, gather
from ingest.assembly.forest import Node, grow
from ingest.assembly.history import Nesting, Thread, weave
from ingest.assembly.repeats import (
    fill_repeated_runs,
    is_repeat,
    is_repeated_below,
    without_repeats_beside,
)
from ingest.assembly.statements import Addresses, collect
from ingest.assembly.tool_definitions import merge_tools, with_schemas
from ingest.assembly.tool_runs import join_runs
from ingest.dialects.identity import has_failed
from ingest.dialects.reading import AGENT, MODEL, TOOL
from ingest.dialects.tool_output import marked_result
from ingest.formats.records.written_results import RUN_ID, with_programs
from ingest.records.episode import Episode, Step, episode_id_of
from ingest.records.outcome import Outcome
from ingest.records.quarantine import Rejected
from ingest.records.span import SERVER, LogEvent, Span

Unit = Callable[[], AbstractContextManager[object]]
"""What one conversation is put together inside of."""


@dataclass(slots=True, kw_only=True)
class Assembled:
    """What the telemetry of one app holds."""

    episodes: list[Episode] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    responses: dict[str, str] = field(default_factory=dict)
    """Response id to episode id: thumbs are often stored with nothing but the id of the answer."""
    spans_without_episode: int = 0
    """Spans of traces in which no model and no tool ran, and spans of evaluations."""


def assemble(
    spans: Iterable[Span],
    events: Sequence[LogEvent] = (),
    *,
    app: str,
    known: Mapping[str, str] | None = None,
    unit: Unit = nullcontext,
) -> Assembled:
    """Put episodes together; `known` (see `known_episodes`) keeps the id of an episode whose earlier span came late.

    Each conversation is put together inside a `unit`: a caller that takes in what one raises gets all others.
    """
    nodes = grow((span for span in spans if span.app == app), [e for e in events if e.app == app])
    found = Assembled()
    addresses = Addresses()
    for conversation in gather(nodes):
        with unit():
            made = [(part, _episode(part, app, known or {})) for part in _parts(conversation)]
            for part, episode in made:
                found.episodes.append(episode)
                found.responses.update(
                    (call.reading.response_id, episode.episode_id)
                    for call in part.nodes
                    if call.reading.response_id and call.reading.kind == MODEL
                )
                addresses.add(episode, [node for node in part.nodes if not node.judged], part.calls)
            addresses.add_rest(conversation)
    found.spans_without_episode = sum(
        1 for node in nodes if not node.virtual and not addresses.knows(node)
    )
    found.outcomes = collect(nodes, events, addresses, app=app)
    return found


def known_episodes(episodes: Iterable[Episode]) -> dict[str, str]:
    """Trace id to episode id, for every trace that belongs to exactly one episode: what `assemble` takes as `known`."""
    of_trace: dict[str, set[str]] = {}
    for episode in episodes:
        for trace_id in episode.trace_ids:
            of_trace.setdefault(trace_id, set()).add(episode.episode_id)
    return {trace: next(iter(ids)) for trace, ids in of_trace.items() if len(ids) == 1}


@dataclass(slots=True, kw_only=True)
class _Part:
    """One episode in the making: a conversation, or one of the unrelated runs in a trace without an id."""

    conversation_id: str | None
    nodes: list[Node]
    calls: list[Node]
    threads: list[Thread]
    runs: list[Node]


def _parts(conversation: Conversation) -> list[_Part]:
    fill_repeated_runs(conversation.nodes)
    nodes = [node for node in conversation.nodes if not node.judged and not is_repeat(node)]
    calls = [n for n in nodes if n.reading.kind == MODEL and not is_repeated_below(n)]
    calls = without_repeats_beside(calls)
    # A call that failed said nothing; the one that was made instead says it all.
    calls = [
        call for call in calls if call.reading.has_content or not has_failed(call.span)
    ] or calls
    if not any(call.reading.has_content for call in calls):
        # Some clients put the messages on the agent's span only.
        calls = _outermost_nodes(nodes) or calls
    runs = [node for node in nodes if node.reading.kind == TOOL]
    if not calls and all(_is_bare_service(run) for run in runs):
        return []
    places = {call: _place(call) for call in calls}
    named = conversation.conversation_id is not None
    threads = weave(calls, places, named=named)
    for thread in threads:
        thread.system = thread.system or _instructions(thread.calls[0])
        thread.steps += _told_above(thread)
    whole = _Part(
        conversation_id=conversation.conversation_id,
        nodes=conversation.nodes,
        calls=calls,
        threads=threads,
        runs=runs,
    )
    return [whole] if named else _separate_conversations(whole)


def _is_bare_service(run: Node) -> bool:
    """Whether a server says that it was called, and nothing of what was asked or answered: the caller knows more."""
    told = run.reading.arguments is not None or run.reading.result is not None
    return run.span.kind == SERVER and not told


def _outermost_nodes(nodes: list[Node]) -> list[Node]:
    told = [n for n in nodes if n.reading.kind == AGENT and n.reading.has_content]
    return [n for n in told if not any(above in told for above in n.ancestors())]


def _place(call: Node) -> Nesting:
    within = next((above for above in call.ancestors() if above.reading.kind == TOOL), None)
    depth = sum(1 for above in call.ancestors() if above.reading.kind in {AGENT, TOOL})
    return Nesting(within=within, depth=depth)


def _instructions(call: Node) -> list[Step]:
    """What the nearest agent above a call was told to be, where the call itself does not repeat it."""
    if not call.reading.has_content:
        return []
    agent = call.agent_above
    told = agent.reading.input if agent else ()
    return [replace(step, at=call.span.started_at) for step in told if step.role == "system"]


def _told_above(thread: Thread) -> list[Step]:
    """The results of a thread's last calls as the agent's span tells them: no later call to a model repeats them."""
    agent, last = thread.calls[-1].agent_above, thread.steps[-1:]
    asked = {call.call_id for step in last for call in step.tool_calls if call.call_id}
    told = (*agent.reading.input, *agent.reading.output) if agent else ()
    at = agent.span.ended_at if agent else None
    return [replace(s, at=at) for s in told if s.role == "tool" and s.call_id in asked]


def _main(threads: Sequence[Thread]) -> Thread | None:
    """The conversation itself: outside of all tools, under the fewest agents, the longest, the first; not what only prepares it or links to it."""
    acting = _last_calls(thread for thread in threads if _acts(thread))

    def weight(thread: Thread) -> tuple[bool, bool, bool, int, int, int]:
        # A classifier before the agent stands higher than it, and has said its word when the agent begins to act;
        # what sums up a conversation of the agent's has a trace to itself.
        spoke = {} if _acts(thread) else _last_calls([thread])
        before = sum(at < acting.get(trace, 0) for trace, at in spoke.items())
        first = thread.calls[0].span.started_at
        apart = bool(acting) and acting.keys().isdisjoint(spoke)
        prepares = (apart and not _acts(thread)) or 2 * before > len(spoke)
        beside = thread.within is not None, all(call.is_linked for call in thread.calls), prepares
        return *beside, thread.depth, -len(thread.steps), first

    return min(threads, key=weight, default=None)


def _acts(thread: Thread) -> bool:
    asks = (
        call.reading.tools or any(s.tool_calls for s in call.reading.output)
        for call in thread.calls
    )
    # An agent that acts in programs is told in words what came of them.
    told = (after.content or "" for one, after in pairwise(thread.steps) if one.role == "assistant")
    return any(asks) or any(marked_result(one) is not None for one in told)


def _last_calls(threads: Iterable[Thread]) -> dict[str, int]:
    """When threads last called a model, by trace."""
    calls = [call.span for thread in threads for call in thread.calls]
    return {span.trace_id: span.started_at for span in sorted(calls, key=lambda s: s.started_at)}


def _separate_conversations(whole: _Part) -> list[_Part]:
    """A batch job's trace holds many conversations of one agent: each becomes an episode of its own."""
    main = _main(whole.threads)
    if main is None:
        return [whole]
    alike = [
        thread
        for thread in whole.threads
        if thread is not main and _is_conversation_of_its_own(thread, main)
    ]
    if not alike:
        return [whole]
    owners = _Owners(main, alike)
    rest = [thread for thread in whole.threads if thread not in alike]
    return [
        _part_of(
            whole,
            nodes=[node for node in whole.nodes if owners.thread_of(node) is thread],
            threads=rest if thread is main else [thread],
        )
        for thread in (main, *alike)
    ]


def _part_of(whole: _Part, *, nodes: list[Node], threads: list[Thread]) -> _Part:
    inside = set(nodes)
    return _Part(
        conversation_id=None,
        nodes=nodes,
        calls=[call for call in whole.calls if call in inside],
        threads=threads,
        runs=[run for run in whole.runs if run in inside],
    )


def _is_conversation_of_its_own(thread: Thread, main: Thread) -> bool:
    return (
        thread.within is None
        and thread.depth == main.depth
        and thread.agent == main.agent
        and bool(thread.steps)
        and thread.steps[0].role == "user"
        and [s.content for s in thread.system] == [s.content for s in main.system]
        and bool(main.system)
    )


class _Owners:
    """Which of several conversations in one trace a span serves."""

    def __init__(self, main: Thread, others: Sequence[Thread]) -> None:
        self._main = main
        self._of_call = {call: thread for thread in (main, *others) for call in thread.calls}
        self._below: dict[Node, list[Node]] = {}
        self._shared: set[Node] = set()
        """Spans above calls of several conversations."""
        for call in sorted(self._of_call, key=lambda call: call.span.started_at):
            for above in call.ancestors():
                below = self._below.setdefault(above, [])
                if below and self._of_call[below[0]] is not self._of_call[call]:
                    self._shared.add(above)
                below.append(call)

    def thread_of(self, node: Node) -> Thread:
        """Its own thread, or that of a span above it, or of all calls below it, else that of the call before it below the nearest span above both."""
        for near in (node, *node.ancestors()):
            if near in self._of_call:
                return self._of_call[near]
            below = self._below.get(near, [])
            before = len(below)
            if near in self._shared:
                start = node.span.started_at
                before = bisect_right(below, start, key=lambda call: call.span.started_at)
            if before:
                return self._of_call[below[before - 1]]
        return self._main


def _episode(part: _Part, app: str, known: Mapping[str, str]) -> Episode:
    main = _main(part.threads)
    steps, flags = _steps(part, main)
    joined = join_results(steps)
    nodes = [node for node in part.nodes if not node.judged]
    traces = list(
        dict.fromkeys(n.span.trace_id for n in nodes if not n.span.trace_id.startswith("event:"))
    )
    told = part.calls or part.runs
    flags.update(joined.completeness)
    for node in nodes:
        if node.span.dropped and node.reading.kind in {MODEL, TOOL}:
            flags.add("dropped_attributes")
        if node.span.parent_id and node.parent is None and not node.virtual:
            flags.add("missing_parents")
    tools, from_runs = _tools(nodes, main)
    flags.update(from_runs)
    return Episode(
        app=app,
        episode_id=_episode_id(part, nodes, app, known),
        conversation_id=part.conversation_id,
        source=Counter(n.reading.dialect for n in told).most_common(1)[0][0],
        started_at=nodes[0].span.started_at,
        ended_at=max(n.span.ended_at or n.span.started_at for n in nodes),
        agent=_agent(nodes, main),
        model=_first_given(n.reading.model for n in (main.calls if main else told)),
        agent_version=_first_given(
            n.reading.version for n in (*(main.calls if main else ()), *nodes)
        ),
        task_key=_first_given(n.reading.task_key for n in nodes),
        subject=_first_given(n.reading.subject for n in nodes),
        do_not_train=any(n.reading.do_not_train for n in nodes),
        tools=tools,
        steps=joined.steps,
        trace_ids=tuple(traces),
        completeness=tuple(sorted(flags)),
    )


def _tools(nodes: Sequence[Node], main: Thread | None) -> tuple[tuple[str, ...], set[str]]:
    """The definitions that the conversation's model was given, and what is missing of them."""
    calls = main.calls if main else []
    offered = merge_tools(t for n in calls for t in n.reading.tools)
    agents = {a: None for c in calls for a in c.ancestors() if a.reading.kind == AGENT}
    offered = offered or merge_tools(t for n in agents for t in n.reading.tools)
    offered = offered or merge_tools(
        t for n in nodes if n.reading.kind != TOOL for t in n.reading.tools
    )
    ran = merge_tools(t for n in nodes for t in n.reading.tools)
    if offered:
        return with_schemas(offered, ran), set()
    if ran:
        return ran, {"tools_from_runs"}
    called = any(s.tool_calls for n in nodes for s in n.reading.output)
    return (), {"no_tool_definitions"} if called or any(
        n.reading.kind == TOOL for n in nodes
    ) else set()


def _episode_id(part: _Part, nodes: list[Node], app: str, known: Mapping[str, str]) -> str:
    first = ":".join(nodes[0].span.key)
    own = episode_id_of(app, part.conversation_id or first)
    before = {known[n.span.trace_id] for n in nodes if n.span.trace_id in known}
    return own if own in before or not before else min(before)


def _agent(nodes: list[Node], main: Thread | None) -> str | None:
    agent = next(
        (n.reading.agent for n in nodes if n.reading.kind == AGENT and n.reading.agent), None
    )
    return agent or (main.agent if main else None) or _first_given(n.reading.agent for n in nodes)


def _first_given(values: Iterable[str | None]) -> str | None:
    return next((value for value in values if value), None)


def _steps(part: _Part, main: Thread | None) -> tuple[list[Step], set[str]]:
    """The conversation's steps with the sub-agents' steps where they ran."""
    flags: set[str] = set()
    runs_of: dict[Node | None, list[Node]] = {}
    for run in part.runs:
        within = next((above for above in run.ancestors() if above.reading.kind == TOOL), None)
        runs_of.setdefault(within, []).append(run)
    call_of: dict[Node, str] = {}
    beside = runs_of.pop(main.within if main else None, [])
    owners = _owners_of_runs(part.threads, main)
    own: dict[Thread | None, list[Node]] = {}
    for run in beside:
        own.setdefault(_owner_of(run, owners) or main, []).append(run)
    told = with_programs(main.all_steps()) if main else []
    mine = _outside_programs(own.pop(main, []), told)
    ran = join_runs(told, mine, _that_asked(part, main) if main else ())
    call_of.update(ran.call_of)
    flags |= ran.flags | (main.flags if main else set())
    # The episode names its agent once; steps name only another one, as after a hand-over.
    steps = [replace(s, agent=None) if main and s.agent == main.agent else s for s in ran.steps]
    for thread in part.threads:
        if thread is main:
            continue
        inside = runs_of.pop(thread.within, []) if thread.within else own.get(thread, [])
        below = join_runs(with_programs(thread.all_steps()), inside, thread.calls)
        call_of.update(below.call_of)
        started_by = call_of.get(thread.within) if thread.within else None
        if started_by is None and not any(step.tool_calls for step in below.steps):
            flags.add("side_calls_left_out")
            continue
        _insert(steps, below.steps, thread, started_by)
        flags |= thread.flags
    return steps, flags


def _that_asked(part: _Part, thread: Thread) -> list[Node]:
    """The calls of a thread; of one that agents' spans tell, also the calls below these."""
    told = set(thread.calls)
    below = (n for n in part.nodes if n.reading.kind == MODEL and n.agent_above in told)
    return [*thread.calls, *below]


def _owners_of_runs(threads: Sequence[Thread], main: Thread | None) -> dict[object, Thread]:
    """Whose a tool's run is: by the id of the call, by the agent above it and its name, or by this agent, whose program may run it."""
    owners: dict[object, Thread] = {}
    for thread in sorted(threads, key=lambda one: one is main):  # what is also its own is its own
        asked = [call for step in thread.steps for call in step.tool_calls]
        agents = {call.agent_above for call in thread.calls} - {None}
        names = {call.name for call in asked}
        ids = [call.call_id for call in asked if call.call_id]
        owners |= dict.fromkeys(chain(ids, product(agents, names), agents), thread)
    return owners


def _owner_of(run: Node, owners: Mapping[object, Thread]) -> Thread | None:
    agent = run.agent_above
    keys = run.reading.call_id, (agent, run.reading.tool_name), agent
    return next((owners[key] for key in keys if key in owners), None)


def _outside_programs(runs: Sequence[Node], told: Sequence[Step]) -> list[Node]:
    """Runs without those of tools that the program calls which ran last before them: these are inside that program."""
    calls = ((step.at or 0, call) for step in told for call in step.tool_calls)
    programs = [(at, call.arguments) for at, call in calls if call.call_id.startswith(RUN_ID)]
    return [
        run
        for run in runs
        if f"{run.reading.tool_name}("
        not in next((text for at, text in reversed(programs) if at <= run.span.started_at), "")
    ]


def _insert(steps: list[Step], below: list[Step], thread: Thread, started_by: str | None) -> None:
    """Put a sub-agent's steps before the result of the call that started it, else where its time says."""
    agent = thread.agent
    if agent is None and thread.within is not None:
        agent = thread.within.reading.tool_name
    first = thread.calls[0]
    parent = started_by or f"span:{(first.agent_above or first).span.span_id}"
    marked = [replace(step, agent=step.agent or agent, parent=parent) for step in below]
    started, ended = first.span.started_at, thread.calls[-1].span.started_at
    told = enumerate(steps if started_by is not None else ())
    results = (n for n, one in told if one.role == "tool" and one.call_id == started_by)
    back = (n for n in results if (at := steps[n].at) is None or at >= ended)
    later = (n for n, one in enumerate(steps) if (one.at or 0) > started and one.role != "tool")
    place = next(chain(back, later), len(steps))
    steps[place:place] = marked
