"""Gating calls: what has to come first although the refusal without it names a record (`not verified for customer 7`).

Comes in: recorded calls in their order. Comes out, per tool that changes something: the tools that came before each of its successes and
let others in as well, and what they say then. Several tools refuse in one wording where nobody had made such a call, and none of them ever succeeded
without it. Not here: refusals that are the same whoever asks (`protocol_preconditions`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from typing import Final

from environments.runtime.values.normal import mask
from synth.world.schema.made_things import RecordedCall
from synth.world.support import SEEN_THRICE, SEEN_TWICE

MIN_REFUSED: Final = SEEN_THRICE
"""Refusals in one wording, each of another tool or task."""
MIN_TOOLS: Final = SEEN_TWICE
"""Tools that refuse so: what one alone says may be about its own record."""

Told = tuple[RecordedCall, frozenset[str]]
"""A call, and the tools that had answered before it."""


def gating_calls(
    made: Sequence[RecordedCall], looks: Container[str], say_so: Container[str]
) -> dict[str, frozenset[str]]:
    """Per tool that changes something what lets it in; `looks` change nothing, `say_so` say in their names that they look."""
    successes: dict[str, list[frozenset[str]]] = defaultdict(list)
    refusals: dict[str, list[Told]] = defaultdict(list)
    for one, before in _with_tools_before(made):
        if one.failed:
            refusals[_wording(one)].append((one, before))
        else:
            successes[one.call.tool].append(before)
    always = {tool: frozenset.intersection(*pasts) for tool, pasts in successes.items()}
    gates = frozenset[str]()
    for told in refusals.values():
        tools = {one.call.tool for one, _ in told}
        witnesses = {(one.call.tool, one.task) for one, _ in told}
        if len(tools) < MIN_TOOLS or len(witnesses) < MIN_REFUSED or not tools <= always.keys():
            continue
        first = frozenset.intersection(*(always[tool] for tool in tools))
        first = first.difference(*(before for _, before in told))
        # Of several that always came first those that say they look are the way to the others.
        gates |= first if len(first) == 1 else frozenset(n for n in first if n not in say_so)
    found = {tool: gates & before for tool, before in always.items() if tool not in looks}
    return {tool: before for tool, before in sorted(found.items()) if before}


def admitting_answers(
    made: Sequence[RecordedCall], gates: Mapping[str, frozenset[str]]
) -> dict[str, frozenset[str]]:
    """Per tool that lets others in, what it said last before they succeeded; `gates`: what `gating_calls` finds."""
    found: dict[str, set[str]] = {gate: set() for first in gates.values() for gate in first}
    episode, last = "", dict[str, str]()
    for one in made:
        if one.episode != episode:
            episode, last = one.episode, {}
        if one.call.tool in found:
            last[one.call.tool] = _wording(one)
        if not one.failed:
            for gate in gates.get(one.call.tool, ()):
                found[gate].add(last[gate])
    return {gate: frozenset(said) for gate, said in sorted(found.items())}


def _with_tools_before(made: Sequence[RecordedCall]) -> list[Told]:
    told: list[Told] = []
    episode, before = "", frozenset[str]()
    for one in made:
        if one.episode != episode:
            episode, before = one.episode, frozenset()
        told.append((one, before - {one.call.tool}))
        if not one.failed:
            before |= {one.call.tool}
    return told


def _wording(one: RecordedCall) -> str:
    """An answer without what it names."""
    return mask(one.content, one.call.given)
