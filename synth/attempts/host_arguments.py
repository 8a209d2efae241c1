"""Arguments that the host adds to an agent's calls: session ids and tokens that no policy could have known.

In: an app's recorded attempts. Out: per episode the arguments with their values, and tasks without them: the policy need not send
them, the environment fills them in. No name says what an argument is. What shows it: nearly every call of its tools has it; its
value is no word and no count; it stands nowhere before its first use; it stays the same within an episode (or until a tool shows
another). Not here: how they are filled in (`environments.runtime.play.environment`), what else a policy can know
(`environments.verification.knowable`).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from environments.runtime.checks.view import text_of
from environments.runtime.task.attempt import Json
from environments.runtime.task.candidate import Action, Candidate
from environments.runtime.task.tool_definition import function_of, name_of
from environments.runtime.values.normal import as_list, stable
from environments.verification.readable_values import VisibleTexts, fold, is_opaque
from synth.recordings.attempt import EpisodeAttempt, parse_arguments

NEARLY_ALL: Final = 0.9
"""Share of a tool's calls that have an argument, and of episodes whose user does not say it first."""
MOST_BEGIN: Final = 0.5
"""Share of the episodes with an argument in which it is used before anything showed it: elsewhere a tool (a login) showed it."""
LEAST_EPISODES: Final = 3
RECURS: Final = 2
"""So often a value must be seen to stay: twice in one episode, or in several episodes."""
LONG: Final = 16
"""Characters of a random value that no agent makes up: it needs not be seen to stay."""


@dataclass(slots=True)
class _Name:
    """What the recordings show of one argument name, over all tools that take it."""

    calls: Counter[str] = field(default_factory=Counter)
    """Per tool, the calls that give it."""
    first: dict[str, Json] = field(default_factory=dict)
    """Per episode in which nothing showed it before its first use, that first value."""
    said: int = 0
    """Episodes in which the opening or the user had said it."""
    answered: int = 0
    """Episodes in which a tool had shown it."""
    moved: set[str] = field(default_factory=set)
    """Episodes that give another value later which nothing had shown."""
    stayed: int = 0
    """Episodes that give the same value again."""
    words: bool = False
    """Whether some value that nothing showed is a word, a count or no scalar."""


@dataclass(frozen=True, slots=True)
class InjectedArguments:
    """The arguments that an app's host adds."""

    tools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Per tool, its arguments that the host adds."""
    values: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    """Per argument and episode, what the host added there."""

    def of_episode(self, episodes: Sequence[str]) -> dict[str, Json]:
        """What the host adds in the first of these episodes that shows it, else what it adds in most episodes of the app."""
        found: dict[str, Json] = {}
        for name, by_episode in self.values.items():
            mine = [by_episode[one] for one in episodes if one in by_episode]
            usual, count = Counter(map(stable, by_episode.values())).most_common(1)[0]
            if mine:
                found[name] = mine[0]
            elif count > len(by_episode) / 2:
                found[name] = json.loads(usual)
        return found


def injected_arguments(records: Sequence[EpisodeAttempt]) -> InjectedArguments:
    """What the host of these episodes' agent adds to its calls."""
    names: dict[str, _Name] = defaultdict(_Name)
    made: Counter[str] = Counter()
    for recorded in records:
        _collect(recorded, names, made)
    found = {name: seen for name, seen in names.items() if _is_added(seen, made)}
    tools: dict[str, list[str]] = defaultdict(list)
    for name in sorted(found):
        for tool, count in sorted(found[name].calls.items()):
            if count >= NEARLY_ALL * made[tool]:
                tools[tool].append(name)
    return InjectedArguments(
        {tool: tuple(added) for tool, added in tools.items()},
        {name: dict(seen.first) for name, seen in found.items()},
    )


def without_injected(candidate: Candidate, injected: InjectedArguments) -> Candidate:
    """The candidate as a policy meets it: what the host adds is neither asked of it nor shown to it.

    Where the shown episode's own calls give another value too (one that a login told), the argument stays and may be left out.
    """
    task = candidate.task
    if not injected.tools:
        return candidate
    shown = task.provenance.get("shown")
    episodes = [str(shown), *(a.episode_id for a in candidate.attempts if a.episode_id != shown)]
    values = injected.of_episode(episodes)
    given = dict(_arguments_in(candidate.solution, injected))
    told = {n for n, texts in given.items() if n in values and stable(values[n]) not in texts}
    added = {
        tool: {name: values[name] for name in names if name in values and name not in told}
        for tool, names in injected.tools.items()
    }
    added = {tool: some for tool, some in added.items() if some}
    if not added:
        return candidate
    several = {name for name, texts in given.items() if len(texts) > 1}
    return replace(
        candidate,
        task=replace(
            task,
            injected=added,
            tools=tuple(_definition_without(tool, added, several) for tool in task.tools),
        ),
        solution=tuple(_stripped(a, added, values) for a in candidate.solution),
        attempts=tuple(
            replace(
                one,
                actions=tuple(
                    _stripped(a, added, injected.of_episode([one.episode_id])) for a in one.actions
                ),
            )
            for one in candidate.attempts
        ),
    )


def _collect(recorded: EpisodeAttempt, names: dict[str, _Name], made: Counter[str]) -> None:
    """Add one episode's calls to the evidence."""
    attempt, episode = recorded.attempt, recorded.episode.episode_id
    said, answered = VisibleTexts(), VisibleTexts()
    last: dict[str, str] = {}
    read = 0
    for call, as_made in zip(attempt.calls, recorded.as_made, strict=True):
        tool = as_made.tool
        if call.by_user or call.malformed or call.name != tool:
            # Of a tool that is several only the parts are known.
            continue
        while read < call.message:
            message = attempt.messages[read]
            if message.get("role") != "assistant":
                (answered if message.get("role") == "tool" else said).read(text_of(message))
            read += 1
        made[tool] += 1
        for name, value in call.arguments.items():
            seen, text = names[name], stable(value)
            seen.calls[tool] += 1
            if name not in last:
                _note_first_call(seen, episode, value, said, answered)
            elif text == last[name]:
                seen.stayed += 1
            elif not _stands(value, said, answered):
                seen.moved.add(episode)
            last[name] = text


def _note_first_call(
    seen: _Name, episode: str, value: Json, said: VisibleTexts, answered: VisibleTexts
) -> None:
    if not isinstance(value, str | int) or isinstance(value, bool):
        seen.words = True
    elif said.has(str(value)):
        seen.said += 1
    elif answered.has(str(value)):
        seen.answered += 1
    else:
        seen.first[episode] = value
        seen.words |= not is_opaque(str(value))


def _stands(value: Json, *shown: VisibleTexts) -> bool:
    text = value if isinstance(value, str) else stable(value)
    return any(one.has(text) for one in shown)


def _is_added(seen: _Name, made: Counter[str]) -> bool:
    """Whether the evidence says that the host adds the argument."""
    begun = len(seen.first)
    if begun < LEAST_EPISODES or seen.words:
        return False
    if begun < NEARLY_ALL * (begun + seen.said) or begun < MOST_BEGIN * (begun + seen.answered):
        return False
    if len(seen.moved) > (1 - NEARLY_ALL) * begun:
        return False
    if not any(count >= NEARLY_ALL * made[tool] for tool, count in seen.calls.items()):
        return False
    values = Counter(map(stable, seen.first.values()))
    stays = seen.stayed >= RECURS or max(values.values()) >= RECURS
    return stays or all(len(fold(str(value))) >= LONG for value in seen.first.values())


def _arguments_in(actions: Iterable[Action], injected: InjectedArguments) -> dict[str, set[str]]:
    """Per argument that the host may add, the values that these actions give."""
    found: dict[str, set[str]] = defaultdict(set)
    for function, arguments in _calls_in(actions):
        for name in injected.tools.get(function, ()):
            if name in arguments:
                found[name].add(stable(arguments[name]))
    return found


def _calls_in(actions: Iterable[Action]) -> Iterator[tuple[str, Mapping[str, Json]]]:
    for action in actions:
        for call in as_list(action.get("tool_calls")):
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict):
                text = function.get("arguments")
                yield (
                    str(function.get("name")),
                    (parse_arguments(text) if isinstance(text, str) else None) or {},
                )


def _stripped(
    action: Action, added: Mapping[str, Mapping[str, Json]], values: Mapping[str, Json]
) -> Action:
    """The action without what the host of its episode added."""
    listed = action.get("tool_calls")
    if not isinstance(listed, list):
        return action
    return {**action, "tool_calls": [_stripped_call(call, added, values) for call in listed]}


def _stripped_call(
    call: Json, added: Mapping[str, Mapping[str, Json]], values: Mapping[str, Json]
) -> Json:
    function = call.get("function") if isinstance(call, dict) else None
    text = function.get("arguments") if isinstance(function, dict) else None
    if not isinstance(call, dict) or not isinstance(function, dict) or not isinstance(text, str):
        return call
    arguments = parse_arguments(text)
    names = added.get(str(function.get("name")), {})
    kept = {
        name: value
        for name, value in (arguments or {}).items()
        if name not in names or name not in values or stable(value) != stable(values[name])
    }
    if arguments is None or len(kept) == len(arguments):
        return call
    return {**call, "function": {**function, "arguments": json.dumps(kept, ensure_ascii=False)}}


def _definition_without(
    tool: Mapping[str, Json], added: Mapping[str, Mapping[str, Json]], several: set[str]
) -> Mapping[str, Json]:
    """The definition without the arguments that the host adds; those with several values become optional."""
    function = function_of(tool)
    names = added.get(name_of(function), {}) if function else {}
    parameters = function.get("parameters") if names else None
    if not isinstance(parameters, dict):
        return tool
    properties, required = parameters.get("properties"), parameters.get("required")
    changed: dict[str, Json] = dict(parameters)
    if isinstance(properties, dict):
        kept = {n: one for n, one in properties.items() if n not in names or n in several}
        changed["properties"] = kept
    if isinstance(required, list):
        changed["required"] = [name for name in required if name not in names]
        if not changed["required"]:
            del changed["required"]
    replaced: dict[str, Json] = {**function, "parameters": changed}
    return {**tool, "function": replaced} if "function" in tool else replaced
