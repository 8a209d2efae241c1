"""Whose wording a text is, task by task: somebody's whom every resolved attempt quotes, or the agent's own.

It is dictated where all gave what the user or a tool had said, and the agent's own where they made the same change in other words.
In: a task's attempts and the app's tools. Out: the tools as this task sees them. Not here: which arguments an app's agents word
themselves as a rule (`tool_kinds`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from environments.runtime.checks.arguments import canonical_arguments
from synth.recordings.attempt_facts import Facts
from synth.recordings.tool_kinds import AUTHORED_WORDS, WRITE, ToolKinds, texts_before


def as_dictated(
    attempts: Sequence[Facts],
    kinds: ToolKinds,
    prose: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> ToolKinds:
    """The same tools as one task has them: which texts of changes every resolved attempt took over word for word.

    `prose` names the arguments, by tool, that the world answers in any wording: such a text may be worded otherwise even where it
    was dictated, and then every word of it counts. Any other dictated text is a value like all others.
    """
    taken: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for attempt in attempts:
        if attempt.resolved is True:
            before = texts_before(attempt.recorded)
            for call in attempt.recorded.attempt.calls:
                tool, free = kinds.tools[call.name], prose.get(call.name, ())
                if tool.kind != WRITE or call.result.is_error:
                    continue
                for name in {*tool.authored, *free}:
                    given = call.arguments.get(name)
                    taken[call.name, name].append(
                        isinstance(given, str)
                        and (name in free or len(given.split()) >= AUTHORED_WORDS)
                        and given.strip().casefold() in before[call.message]
                    )
    dictated = {place for place, seen in taken.items() if all(seen)}
    tools = dict(kinds.tools)
    for name in {tool for tool, _ in taken}:
        tool, free = tools[name], set(prose.get(name, ()))
        said = {argument for place, argument in dictated if place == name}
        authored = {*tool.authored, *(free & {a for t, a in taken if t == name})} - (said - free)
        tools[name] = replace(
            tool, authored=tuple(sorted(authored)), dictated=tuple(sorted(said & free))
        )
    return kinds if tools == kinds.tools else ToolKinds(tools=tools)


def as_worded(attempts: Sequence[Facts], kinds: ToolKinds) -> ToolKinds:
    """The same tools where a text counts as the agent's own that two resolved attempts gave differently, all else being the same."""
    texts: dict[tuple[str, str, str], dict[str, bool]] = defaultdict(dict)
    for attempt in attempts:
        if attempt.resolved is True:
            before = texts_before(attempt.recorded)
            for call in attempt.recorded.attempt.calls:
                tool = kinds.tools[call.name]
                if tool.kind != WRITE or call.result.is_error:
                    continue
                for name, given in call.arguments.items():
                    if isinstance(given, str) and len(given.split()) >= AUTHORED_WORDS:
                        beside = canonical_arguments(call.arguments, (*tool.authored, name))
                        text = " ".join(given.casefold().split())
                        texts[call.name, name, beside][text] = text in before[call.message]
    # What one of them took over word for word is a value that the other had otherwise.
    own = {(t, n) for (t, n, _), said in texts.items() if len(said) > 1 and not any(said.values())}
    if not own:
        return kinds
    tools = {
        name: replace(
            tool, authored=tuple(sorted({*tool.authored, *(a for t, a in own if t == name)}))
        )
        for name, tool in kinds.tools.items()
    }
    return ToolKinds(tools=tools)
