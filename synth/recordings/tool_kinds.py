"""Which tools write, read, may do either, or are acts such as a hand-over.

In: an app's recorded attempts and tool definitions. Out: a kind per tool with the evidence a person can check, the
arguments whose text the agent makes up, and the tools that end a conversation. Names are a prior; what calls did to
later reads is the evidence. A missed writer pays wrong attempts, so doubt is a state of its own (`maybe`).
Not here: what a write changes (the world learns that).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from environments.runtime.checks.arguments import canonical_arguments
from environments.runtime.task.attempt import Call, Json
from environments.runtime.task.tool_definition import (
    choices_of,
    functions_by_name,
    parameters_of,
    properties_of,
)
from environments.runtime.values.mentions import leaves
from environments.runtime.values.normal import is_plain
from environments.runtime.views.multiplexed import EMPTY, Dispatched
from synth.recordings.attempt import EpisodeAttempt
from synth.verbs import asks_in_words, hands_over, write_log_odds

WRITE: Final = "write"
READ: Final = "read"
MAYBE: Final = "maybe"
ACT: Final = "act"

NO_VERB: Final = -0.4
"""Log-odds of a name without any verb: nouns alone name a look more often than a verb that no list has. Too little to decide by itself."""
SURE: Final = 1.0
"""Log-odds beyond which a tool is held to be a writer or a reader."""
SELDOM: Final = 0.05
"""Share of refused calls up to which a call without an answer counts as taken: none of ten was refused, or one of thirty."""
ENDS: Final = 0.8
"""Share of a tool's calls with no call after them that makes it an end of the conversation."""
OPENS: Final = 0.5
LEAST_CALLS: Final = 5
AUTHORED_WORDS: Final = 3.0
GROUNDED: Final = 0.3
"""Share of an argument's texts that stood in the conversation before, beyond which agents do not word it themselves."""
GROUNDED_OF_WRITES: Final = 0.5
"""The same where the text is written down: what was dictated in one task says little about others (`dictated`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolKind:
    """What one tool is held to be."""

    kind: str
    """`write`, `read`, `maybe` or `act`."""
    log_odds: float
    evidence: tuple[str, ...] = ()
    authored: tuple[str, ...] = ()
    """Arguments whose text the agent makes up: two wordings are one call."""
    injected: tuple[str, ...] = ()
    """Arguments that the host adds: they are no choice of the agent's."""
    idle: tuple[str, ...] = ()
    """Optional arguments that make no difference, at a value (`effective="now"`) or at any (`reason=*`)."""
    dictated: tuple[str, ...] = ()
    """Those of them that one task's user or tools said word for word: another wording keeps every word."""
    terminal: bool = False
    """No call follows its calls: it closes the conversation."""
    stops: bool = False
    """The agent does not even speak after it: the app ends the run there."""
    refused: float = 0.5
    """Share of its calls that were refused, smoothed by half a call."""
    failing: str = ""
    """`write` where its failed calls were seen to change something too, `maybe` where they may."""


@dataclass(frozen=True, kw_only=True)
class ToolKinds:
    """All tools of an app."""

    tools: Mapping[str, ToolKind]

    def tools_of(self, kind: str) -> tuple[str, ...]:
        """Names of the tools of one kind."""
        return tuple(sorted(name for name, tool in self.tools.items() if tool.kind == kind))

    def ignore(self) -> dict[str, Json]:
        """Per tool, the arguments that make no difference."""
        left_out = {n: (*t.authored, *t.injected, *t.idle) for n, t in sorted(self.tools.items())}
        return {name: list[Json](some) for name, some in left_out.items() if some}

    @cached_property
    def read_as(self) -> tuple[tuple[str, ...], ...]:
        """All that the reading of an attempt goes by: what each tool is held to be, without why."""
        return tuple(
            (
                name,
                t.kind,
                t.failing,
                str(t.terminal),
                str(t.stops),
                *t.authored,
                "",
                *t.injected,
                "",
                *t.idle,
                "",
                *t.dictated,
            )
            for name, t in sorted(self.tools.items())
        )

    def map_tools(self, change: Callable[[str, ToolKind], ToolKind]) -> ToolKinds:
        """The same tools, each as `change` makes it of its name and what it was."""
        return ToolKinds(tools={name: change(name, tool) for name, tool in self.tools.items()})

    def failing(self, kind: str) -> tuple[str, ...]:
        """Names of the tools whose failed calls are held to be of this kind."""
        return tuple(sorted(name for name, tool in self.tools.items() if tool.failing == kind))

    def refusals(self) -> dict[str, Json]:
        """Per writing tool, how often it refuses."""
        return {n: t.refused for n, t in sorted(self.tools.items()) if t.kind in {WRITE, MAYBE}}

    def taking(self) -> tuple[str, ...]:
        """Names of the writers that hardly ever refuse a call."""
        return tuple(
            n for n, t in sorted(self.tools.items()) if t.kind == WRITE and t.refused <= SELDOM
        )

    def terminal(self) -> tuple[str, ...]:
        """Tools that close the conversation."""
        return tuple(sorted(name for name, tool in self.tools.items() if tool.terminal))

    def stopping(self) -> tuple[str, ...]:
        """Those of them with which the app ends the run."""
        return tuple(name for name in self.terminal() if self.tools[name].stops)

    def closing(self) -> tuple[str, ...]:
        """Those of them after which the agent still speaks."""
        return tuple(name for name in self.terminal() if not self.tools[name].stops)


@dataclass
class _Traces:
    """What the recordings show of one tool, beside what was held of it before, as log-odds that it writes."""

    prior: float
    """By its name and description."""
    learnt: float
    """By the learnt world."""
    calls: int = 0
    results: Counter[str] = field(default_factory=Counter)
    episodes: int = 0
    """Episodes in which the agent called it."""
    beside: int = 0
    """All calls of these episodes."""
    opens: int = 0
    """Those of them whose first call it was, with others after it."""
    last: int = 0
    """Calls with no other call after them."""
    silent: int = 0
    """Those of them after which the agent says nothing either."""
    changed: float = 0.0
    """Re-reads that differ, shared among the tools called in between by how likely each changes something."""
    unchanged: int = 0
    repeated_same: int = 0
    """Identical calls in one episode with identical results."""
    texts: dict[str, list[bool]] = field(default_factory=lambda: defaultdict(list))
    """Per text argument, whether its value stood in the conversation before."""
    words: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))


def infer_tools(
    records: Sequence[EpisodeAttempt],
    *,
    reads: Mapping[str, str] | None = None,
    learnt: Mapping[str, float] | None = None,
    dispatched: Dispatched = EMPTY,
    drawn: Callable[[str, str], str] = lambda _, content: content,
) -> ToolKinds:
    """Judge every tool that was offered or called; of `reads` it is known that they change nothing, and why.

    `learnt`: what the learnt world holds of tools, as log-odds that they write. `drawn` takes from a tool's result what every call draws anew.
    """
    definitions = dispatched.definitions(_definitions(records).values())
    called = {call.name for recorded in records for call in recorded.attempt.calls}
    known = learnt or {}
    traces: dict[str, _Traces] = {
        name: _Traces(
            prior=write_log_odds(name, _description(definitions.get(name, {}))) or NO_VERB,
            learnt=known.get(name, 0.0),
        )
        for name in {*definitions, *called}
    }
    for recorded in records:
        _collect(recorded, traces, drawn)
    tools = {
        name: _judge(name, definitions.get(name, {}), seen) for name, seen in sorted(traces.items())
    }
    for name, why in (reads or {}).items():
        if name in tools:
            tools[name] = replace(
                tools[name], kind=READ, terminal=False, stops=False, evidence=(why,)
            )
    return ToolKinds(tools=tools)


def _judge(name: str, definition: Mapping[str, Json], seen: _Traces) -> ToolKind:
    odds, evidence = seen.prior, [f"name and description {seen.prior:+.1f}"]
    world = [(seen.learnt, "the learnt world")] if seen.learnt else []
    for amount, reason in [*_trace_evidence(seen), *world]:
        odds += amount
        evidence.append(f"{reason} {amount:+.1f}")
    authored = _authored(definition, seen, GROUNDED_OF_WRITES if odds >= SURE else GROUNDED)
    terminal = seen.calls > 0 and seen.last / seen.calls >= ENDS
    hand_over = hands_over(name, _description(definition))
    if _is_act(seen, authored, hand_over=hand_over, terminal=terminal, odds=odds):
        kind = ACT
    else:
        kind = kind_by_odds(odds)
    return ToolKind(
        kind=kind,
        log_odds=round(odds, 3),
        evidence=tuple(evidence),
        authored=authored,
        terminal=terminal and kind == ACT,
        stops=terminal and kind == ACT and seen.silent / seen.calls >= ENDS,
        refused=round((seen.calls - seen.results.total() + 0.5) / (seen.calls + 1), 3),
    )


def _description(definition: Mapping[str, Json]) -> str:
    return str(definition.get("description") or "")


def kind_by_odds(log_odds: float) -> str:
    """What a tool is held to be that is no act, by the log-odds that it writes."""
    if log_odds >= SURE:
        return WRITE
    return READ if log_odds <= -SURE else MAYBE


def _trace_evidence(seen: _Traces) -> Iterable[tuple[float, str]]:
    if seen.changed:
        share = seen.changed / (seen.changed + seen.unchanged)
        if share > 0.2:
            blame = seen.changed * share
            yield min(3.0, 1.0 + blame, 2.0 * blame), "later reads differ"
    if seen.unchanged >= 3 and seen.changed < 0.05 * seen.unchanged:
        yield -min(2.0, 0.25 * seen.unchanged), "later reads are the same"
    if seen.calls >= LEAST_CALLS and seen.opens > OPENS * seen.calls:
        yield -1.0, "opens conversations that go on"
    elif (
        seen.episodes >= LEAST_CALLS
        and seen.opens > OPENS * seen.episodes
        and seen.calls <= OPENS * seen.beside
    ):
        # Less sure where it is called again: a shell opens conversations as well.
        yield -0.5, "opens conversations that go on, and is called again"
    if asks_in_words(seen.texts):
        yield -0.5, "is given a question in words"
    if seen.repeated_same >= 2:
        yield -min(1.0, 0.25 * seen.repeated_same), "repeats answer the same"


def _is_act(
    seen: _Traces, authored: Sequence[str], *, hand_over: bool, terminal: bool, odds: float
) -> bool:
    """An act answers the same to everybody, takes only the agent's own words, and ends the talk or hands over."""
    successes = seen.results.total()
    constant = successes > 0 and len(seen.results) <= 1
    free = all(name in authored for name in seen.texts)
    if hand_over:
        return odds > -SURE and (constant or terminal or successes == 0)
    return constant and free and terminal and successes >= 3 and odds > -SURE


def _authored(definition: Mapping[str, Json], seen: _Traces, most: float) -> tuple[str, ...]:
    properties = properties_of(definition)
    found = []
    for name, grounded in sorted(seen.texts.items()):
        if choices_of(properties.get(name), parameters_of(definition)):
            continue
        words = sum(seen.words[name]) / len(seen.words[name])
        if words >= AUTHORED_WORDS and sum(grounded) / len(grounded) < most:
            found.append(name)
    return tuple(found)


def _collect(
    recorded: EpisodeAttempt,
    traces: dict[str, _Traces],
    drawn: Callable[[str, str], str],
) -> None:
    """Add one episode's calls to the evidence."""
    calls = recorded.attempt.calls
    before = texts_before(recorded)
    speaks = _last_word(recorded)
    for name in {call.name for call in calls if not call.by_user}:
        traces[name].episodes += 1
        traces[name].beside += len(calls)
    last_seen: dict[tuple[str, str], int] = {}
    for index, call in enumerate(calls):
        seen = traces[call.name]
        seen.calls += 1
        last = index == len(calls) - 1 and not call.by_user
        seen.last += last
        seen.silent += last and call.message >= speaks
        seen.opens += index == 0 and len(calls) > 1 and not call.by_user
        if not call.result.is_error:
            seen.results[call.result.content] += 1
        _collect_texts(call, before[call.message], seen)
        key = (call.name, canonical_arguments(call.arguments))
        if key in last_seen and not call.result.is_error:
            before_it = drawn(call.name, calls[last_seen[key]].result.content)
            same = before_it == drawn(call.name, call.result.content)
            if same:
                _clear(calls, (last_seen[key], index), traces)
            else:
                _blame(calls, (last_seen[key], index), traces)
        if not call.result.is_error:
            last_seen[key] = index


def _last_word(recorded: EpisodeAttempt) -> int:
    """Where the agent does something for the last time."""
    mine = (n for n, m in enumerate(recorded.attempt.messages) if m.get("role") == "assistant")
    return max(mine, default=0)


def _clear(calls: Sequence[Call], twice: tuple[int, int], traces: dict[str, _Traces]) -> None:
    """The same call twice with one answer: what came in between changed nothing of it."""
    name = calls[twice[0]].name
    traces[name].repeated_same += 1
    for other in _tools_between(calls, twice) - {name}:
        traces[other].unchanged += 1


def _blame(calls: Sequence[Call], twice: tuple[int, int], traces: dict[str, _Traces]) -> None:
    """The same call twice with two answers: one of those in between changed it, likelier one that was held to change something before."""
    first, again = twice
    between = _tools_between(calls, twice)
    touching = {c.name for c in calls[first + 1 : again] if _share_value(c, calls[first])} & between
    name = calls[first].name
    suspects = (touching or between) - {name} or {name}
    chances = {
        suspect: 1 / (1 + math.exp(-traces[suspect].prior - traces[suspect].learnt))
        for suspect in suspects
    }
    whole = sum(chances.values())
    for suspect, chance in chances.items():
        traces[suspect].changed += chance / whole


def _tools_between(calls: Sequence[Call], twice: tuple[int, int]) -> set[str]:
    return {c.name for c in calls[twice[0] + 1 : twice[1]] if not c.result.is_error}


def _share_value(one: Call, other: Call) -> bool:
    return any(len(value) > 2 for value in _scalars(one.arguments) & _scalars(other.arguments))


def _scalars(arguments: Mapping[str, Json]) -> set[str]:
    return {str(leaf).casefold() for leaf in leaves(dict(arguments)) if is_plain(leaf)}


def texts_before(recorded: EpisodeAttempt) -> dict[int, str]:
    """Per message index with calls, all that users and tools had said before it, folded."""
    said: list[str] = []
    before: dict[int, str] = {}
    wanted = {call.message for call in recorded.attempt.calls}
    for index, message in enumerate(recorded.attempt.messages):
        if index in wanted:
            before[index] = "\n".join(said)
        content = message.get("content")
        if message.get("role") != "assistant" and isinstance(content, str):
            said.append(content.casefold())
    return before


def _collect_texts(call: Call, before: str, seen: _Traces) -> None:
    for name, value in call.arguments.items():
        if isinstance(value, str) and value.strip():
            seen.texts[name].append(value.strip().casefold() in before)
            seen.words[name].append(len(value.split()))


def _definitions(records: Sequence[EpisodeAttempt]) -> dict[str, Mapping[str, Json]]:
    return functions_by_name(sorted({t for recorded in records for t in recorded.episode.tools}))
