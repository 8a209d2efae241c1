"""Observations: every recorded tool call of an app with its result, paired and in order.

Comes from clean episodes; goes to every other step. Not here: what the calls mean.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from environments.runtime.task.attempt import Json
from environments.runtime.task.tool_definition import (
    form_of,
    functions_by_name,
    name_of,
    parameters_of,
    properties_of,
    read_definition,
)
from environments.runtime.values.literals import parse_arguments, parse_json
from environments.runtime.values.mentions import names_in, names_in_text, tokens_in
from environments.runtime.values.normal import simplify, stable
from redact.records.clean_episode import CleanEpisode, CleanToolCall
from synth.world.subjects import subject_of


@dataclass(slots=True, kw_only=True)
class Observation:
    """One call as it was made and answered; normalised in place by `callers`."""

    tool: str
    arguments: dict[str, Json]
    content: str
    episode: int
    """Index of the episode."""
    position: int
    """Index of the call in its episode."""
    at: int
    caller: str
    is_error: bool | None = None
    paired: bool = True
    """False where the result carried no call id and was paired by its place."""
    value: Json = None
    """The result as JSON, else its text."""
    is_json: bool = False
    key: str = ""
    sent: dict[str, Json] | None = None
    """Arguments that were sent with whole floats, as they were."""
    names: frozenset[str] = frozenset()
    """Ids in arguments and result."""
    tokens: frozenset[str] = frozenset()
    """Plain words and whole numbers in arguments and result, that may be keys."""
    outcome: tuple[str, frozenset[str], str] | None = field(
        default=None, init=False, repr=False, compare=False
    )
    """The class of the result, after what it was found from: every step of learning asks for it again."""

    def sent_arguments(self) -> dict[str, Json]:
        """The arguments with numbers as they were sent."""
        if self.sent is None:
            return self.arguments
        return {
            name: self.sent[name]
            if name in self.sent and stable(simplify(self.sent[name])) == stable(value)
            else value
            for name, value in self.arguments.items()
        }

    def key_of(self, names: Iterable[str]) -> str:
        """The values of some arguments as one text, as keys of rows are written; null for one that the call lacks."""
        return stable([self.arguments.get(name) for name in names])

    def put_content(self, content: str) -> None:
        """Let the answer be another text from here on."""
        self.content = content
        self.settle()

    def put_arguments(self, arguments: dict[str, Json]) -> None:
        """Let the call have other arguments from here on."""
        self.arguments = arguments
        self.settle()

    def settle(self) -> None:
        """Compute what hangs on arguments and content."""
        parsed = parse_json(self.content)
        self.is_json = parsed is not None and not isinstance(parsed.value, int | float)
        self.value = parsed.value if parsed is not None and self.is_json else self.content
        self.key = stable(self.arguments)
        shown = names_in(self.value) if self.is_json else names_in_text(self.content)
        self.names = frozenset(names_in(self.arguments) | shown)
        result = tokens_in(self.value) if self.is_json else frozenset[str]()
        self.tokens = tokens_in(self.arguments) | result


@dataclass(slots=True, kw_only=True)
class History:
    """One episode's observations in order."""

    index: int
    episode_id: str
    caller: str
    task: str
    started_at: int
    subject: str
    """Who it was with: the user, else whoever the task or the episode stands for."""
    observations: list[Observation] = field(default_factory=list)


def histories(episodes: Sequence[CleanEpisode]) -> list[History]:
    """The tool calls of all episodes, by time."""
    ordered = sorted(episodes, key=lambda e: (e.started_at, e.episode_id))
    return [_history(index, episode) for index, episode in enumerate(ordered)]


def _history(index: int, episode: CleanEpisode) -> History:
    caller = episode.agent or ""
    history = History(
        index=index,
        episode_id=episode.episode_id,
        caller=caller,
        task=episode.task_key or episode.episode_id,
        started_at=episode.started_at,
        subject=subject_of(episode),
    )
    for call, content, is_error, at, paired in paired_calls(episode):
        arguments = parse_arguments(call.arguments)
        if arguments is None:
            continue
        history.observations.append(
            Observation(
                tool=call.name,
                arguments=arguments,
                content=content,
                episode=index,
                position=len(history.observations),
                at=at or episode.started_at,
                caller=caller,
                is_error=is_error,
                paired=paired,
            )
        )
    return history


def paired_calls(
    episode: CleanEpisode,
) -> Iterator[tuple[CleanToolCall, str, bool | None, int | None, bool]]:
    """Every call with a result, the users' own too: by id, else by its place directly behind the calls that still wait."""
    for call, at in paired_results(episode):
        step = episode.steps[at]
        yield call, step.content or "", step.is_error, step.at, step.call_id is not None


def paired_results(episode: CleanEpisode) -> Iterator[tuple[CleanToolCall, int]]:
    """Every call with a result, and the step that the result is."""
    answered = Counter(s.call_id for s in episode.steps if s.role == "tool" and s.call_id)
    pending: dict[str, list[CleanToolCall]] = {}
    waiting: list[CleanToolCall] = []
    for at, step in enumerate(episode.steps):
        if step.role != "tool":
            waiting = []
            for call in step.tool_calls:
                # Ids come again in one episode (short random ids, seen in real data): first in, first out.
                if answered[call.call_id] > 0:
                    answered[call.call_id] -= 1
                    pending.setdefault(call.call_id, []).append(call)
                else:
                    waiting.append(call)
        elif step.role == "tool" and step.content is not None:
            if step.call_id is None and waiting:
                yield waiting.pop(0), at
            elif step.call_id is not None and pending.get(step.call_id):
                yield pending[step.call_id].pop(0), at


def without_calls(episode: CleanEpisode, is_gone: Callable[[CleanToolCall], bool]) -> CleanEpisode:
    """The episode without some calls and without their results."""
    answers = {at for call, at in paired_results(episode) if is_gone(call)}
    steps = (
        replace(step, tool_calls=tuple(c for c in step.tool_calls if not is_gone(c)))
        if any(map(is_gone, step.tool_calls))
        else step
        for at, step in enumerate(episode.steps)
        if at not in answers
    )
    return replace(episode, steps=tuple(steps))


def every_call(histories: Iterable[History]) -> Iterator[Observation]:
    """All calls, one episode after the other."""
    return (seen for history in histories for seen in history.observations)


def by_tool(all_histories: Iterable[History]) -> dict[str, list[Observation]]:
    """Observations per tool."""
    out: dict[str, list[Observation]] = {}
    for seen in every_call(all_histories):
        out.setdefault(seen.tool, []).append(seen)
    return out


def defined_functions(episodes: Iterable[CleanEpisode]) -> dict[str, Mapping[str, Json]]:
    """By name the functions that episodes' definitions are about; of several with one name the last in the order of their texts."""
    return functions_by_name(sorted({text for episode in episodes for text in episode.tools}))


def declared_forms(episodes: Sequence[CleanEpisode]) -> dict[str, dict[str, str]]:
    """The type that each tool's definition declares for each argument, where it names one."""
    forms: dict[str, dict[str, str]] = {}
    for text in sorted({text for episode in episodes for text in episode.tools}):
        function = read_definition(text)
        for argument, schema in properties_of(function).items():
            form = form_of(schema, parameters_of(function))
            if form not in {"", "string"}:
                forms.setdefault(name_of(function), {})[argument] = form
    return forms


def same_row(one: Json, other: Json) -> bool:
    """Whether two looks of one tool found the same."""
    return stable(one) == stable(other)


def agree(one: Json, other: Json) -> bool:
    """Whether two tools tell the same of one record: each may tell a field of its own (what the change costs)."""
    if not isinstance(one, dict) or not isinstance(other, dict):
        return same_row(one, other)
    both = one.keys() & other.keys()
    return bool(both) and all(stable(one[name]) == stable(other[name]) for name in both)
