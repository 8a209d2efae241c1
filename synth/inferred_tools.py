"""Tool definitions that nobody sent, made of the recorded calls.

In: an app's clean episodes. Out: the same episodes with a definition of every tool that they call: as it was sent, else as
some other conversation of the app has it, else inferred from how it was called (names, types, what every call gave,
choices that are closed). An inferred definition says so in its description, and the task's provenance names it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from genson import SchemaBuilder

from environments.runtime.task.attempt import Json
from environments.runtime.task.tool_definition import function_of, name_of, read_definition
from redact.records.clean_episode import CleanEpisode
from synth.recordings.attempt import parse_arguments

FROM_CALLS: Final = "Nobody sent this tool's definition: it is inferred from"
"""What the description of an inferred definition begins with."""
CALLS_LOOKED_AT: Final = 2_000
"""Calls of one tool that its definition is inferred from."""
CLOSED_CALLS: Final = 12
"""So many calls show a choice among few."""
CLOSED_VALUES: Final = 6
EACH: Final = 2
"""Each value of a closed choice was given so often."""
LONGEST_CHOICE: Final = 32


@dataclass(slots=True)
class _ToolUsage:
    """How one tool was called."""

    calls: int = 0
    schema: SchemaBuilder = field(default_factory=SchemaBuilder)
    values: dict[str, Counter[str]] = field(default_factory=dict)
    """Texts by argument."""
    open: set[str] = field(default_factory=set)
    """Arguments with other values than a few short texts."""

    def add(self, arguments: Mapping[str, Json]) -> None:
        self.calls += 1
        if self.calls > CALLS_LOOKED_AT:
            return
        self.schema.add_object(dict(arguments))
        for name, value in arguments.items():
            counted = self.values.setdefault(name, Counter())
            if isinstance(value, str) and _is_choice(value):
                counted[value] += 1
            else:
                self.open.add(name)
            if len(counted) > CLOSED_VALUES:
                self.open.add(name)

    def definition(self, name: str) -> dict[str, Json]:
        """The tool as OpenAI's definition."""
        parameters: dict[str, Any] = self.schema.to_schema()
        parameters.pop("$schema", None)
        properties: dict[str, Any] = parameters.setdefault("properties", {})
        for argument, counted in self.values.items():
            closed = argument not in self.open and counted.total() >= CLOSED_CALLS
            if closed and min(counted.values()) >= EACH:
                properties[argument]["enum"] = sorted(counted)
        told = f"{FROM_CALLS} {self.calls} recorded calls."
        return {
            "type": "function",
            "function": {"name": name, "description": told, "parameters": parameters},
        }


def _is_choice(value: str) -> bool:
    return 0 < len(value) <= LONGEST_CHOICE and not any(map(str.isdigit, value))


class ToolBook:
    """What is known of an app's tools, whoever sent it."""

    def __init__(self, episodes: Iterable[CleanEpisode]) -> None:
        self._names: dict[str, str] = {}
        """By definition as it was sent: conversations of one agent repeat theirs."""
        self._texts: dict[str, str] = {}
        """By tool, the definition that somebody sent first, else the inferred one."""
        self._agents: dict[str, set[str]] = {}
        """By agent: the tools that it was offered or called."""
        self._seen: dict[str, _ToolUsage] = {}
        self._whole: dict[str, str] = {}
        """By definition as it was sent: the same with parameters."""
        for episode in episodes:
            names = self._agents.setdefault(episode.agent or "", set())
            for text in episode.tools:
                if name := self._name_in(text):
                    self._texts.setdefault(name, text)
                    names.add(name)
            for name, arguments in _calls(episode):
                names.add(name)
                self._seen.setdefault(name, _ToolUsage()).add(arguments)

    def completed(self, episode: CleanEpisode) -> CleanEpisode:
        """The episode with a definition of every tool that it calls; without any of its own, of every tool of its agent."""
        sent = {name for text in episode.tools if (name := self._name_in(text))}
        wanted = {name for name, _ in _calls(episode)}
        if not sent:
            wanted |= self._agents.get(episode.agent or "", set())
        missing = sorted(wanted - sent)
        whole = tuple(map(self._with_parameters, episode.tools))
        if not missing and whole == episode.tools:
            return episode
        return replace(episode, tools=(*whole, *map(self._text_of, missing)))

    def _with_parameters(self, text: str) -> str:
        """A definition; one that says nothing of its parameters with those of its calls."""
        name = self._name_in(text)
        if name not in self._seen or text in self._whole:
            return self._whole.get(text, text)
        function = read_definition(text)
        whole = text
        if not function.get("parameters"):
            told = function_of(self._seen[name].definition(name)).get("parameters")
            inner = {**function, "parameters": told}
            whole = json.dumps({"type": "function", "function": inner})
        return self._whole.setdefault(text, whole)

    def _name_in(self, text: str) -> str:
        """The tool that a definition is about; empty for what is no definition."""
        if text not in self._names:
            self._names[text] = name_of(read_definition(text))
        return self._names[text]

    def _text_of(self, name: str) -> str:
        if name not in self._texts:
            self._texts[name] = json.dumps(self._seen[name].definition(name))
        return self._with_parameters(self._texts[name])


def is_from_calls(definition: Mapping[str, Json]) -> bool:
    """Whether a tool's definition was inferred from its calls."""
    described = function_of(definition).get("description")
    return isinstance(described, str) and described.startswith(FROM_CALLS)


def tools_from_calls(tools: Iterable[Mapping[str, Json]]) -> list[str]:
    """The names of the tools among these whose definitions were inferred from calls."""
    return sorted(name_of(function_of(one)) for one in tools if is_from_calls(one))


def _calls(episode: CleanEpisode) -> Iterable[tuple[str, Mapping[str, Json]]]:
    """The agent's calls, by tool; the user's own tools are not the agent's."""
    for step in episode.steps:
        if step.role == "assistant":
            for call in step.tool_calls:
                yield call.name, parse_arguments(call.arguments) or {}
