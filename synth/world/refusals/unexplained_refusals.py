"""Calls that were refused for reasons nobody found: success is not told for them again.

Comes from tools with their guards and examples; adds guards that only withhold. A call that was refused and never taken,
though no guard says why, is not said to succeed. Where such a refusal names two arguments (`ev42 does not take place on
2026-05-19`), every tool that takes both is told to succeed for pairs that some tool took. Not here: why calls are
refused (`guards`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from environments.runtime.document.tools import GuardPart
from environments.runtime.expr.scope import Tree
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import stable
from synth.world.actions.effects import rescoped
from synth.world.actions.examples import Example, evaluate, is_broken
from synth.world.model import ToolModel, Workbench, refused
from synth.world.schema.paired_values import Pair, pairs_named
from synth.world.support import SEEN_TWICE

MAX_LISTED: Final = 400
"""Calls or pairs that the world file lists for a tool."""
MIN_TRIED: Final = SEEN_TWICE
"""Different calls that were refused with a word before nobody is told success with it."""


def withhold_refused(bench: Workbench, examples: Mapping[str, Sequence[Example]]) -> None:
    """Add to every tool that is said to succeed what such refusals speak against."""
    missed = {
        name: _missed(tool, examples[name])
        for name, tool in bench.tools.items()
        if not tool.innocent and examples.get(name)
    }
    together = {pair for group in missed.values() for e in group for pair in pairs_named(e.seen)}
    for name, group in missed.items():
        tool = bench.tools[name]
        if tool.claims and tool.answer is not None:
            tool.guards.extend(_guards(bench, tool, group, together))
            tool.guards.extend(never_taken(tool))


def _guards(
    bench: Workbench, tool: ToolModel, missed: Sequence[Example], together: set[Pair]
) -> Iterator[GuardPart]:
    good = tool.good()
    taken = {seen.key for seen in good}
    calls = {e.seen.key: e.seen.arguments for e in missed if e.seen.key not in taken}
    if 0 < len(calls) <= MAX_LISTED:
        listed = [calls[key] for key in sorted(calls)]
        yield _withholds(["not", ["among", ["arg"], listed]], "refused whenever it was made")
    for pair in sorted(together):
        if all(name in seen.arguments for seen in good for name in pair):
            pairs = _taken_pairs(bench, pair)
            if len(pairs) <= MAX_LISTED:
                tree: Tree = ["among", ["list", *(["arg", name] for name in pair)], pairs]
                yield _withholds(tree, "these were never seen together")


def never_taken(tool: ToolModel) -> Iterator[GuardPart]:
    """For each argument the words that no call ever went through with, whatever else it asked for."""
    tried: dict[tuple[str, str], set[str]] = defaultdict(set)
    for seen in tool.observations:
        for name, value in seen.arguments.items():
            if isinstance(value, str) and refused(tool, seen):
                tried[name, value].add(seen.key)
    taken = {
        (n, v) for seen in tool.good() for n, v in seen.arguments.items() if isinstance(v, str)
    }
    by_name: dict[str, list[str]] = defaultdict(list)
    for name, value in sorted(tried.keys() - taken):
        if len(tried[name, value]) >= MIN_TRIED:
            by_name[name].append(value)
    for name, values in by_name.items():
        if len(values) <= MAX_LISTED:
            yield _withholds(
                ["not", ["among", ["arg", name], values]], "refused with whatever else"
            )


def _withholds(tree: Tree, says: str) -> GuardPart:
    return GuardPart(holds=tree, says=says)


def _missed(tool: ToolModel, examples: Sequence[Example]) -> list[Example]:
    """Refused calls that no guard with words of its own objects to."""
    turned = [e for e in examples if e.refused]
    scopes = [rescoped(tool, e) for e in turned]
    objected: set[int] = set()
    # What only withholds was found in few calls: it is no reason, and of other records it says nothing.
    for guard in [guard for guard in tool.guards if guard.message]:
        values = evaluate(guard.holds, scopes)
        objected |= {at for at, value in enumerate(values) if is_broken(value)}
    return [e for at, e in enumerate(turned) if at not in objected]


def _taken_pairs(bench: Workbench, pair: Pair) -> list[list[Json]]:
    """The values of two arguments that some tool took together."""
    found = {
        stable(values): values
        for tool in bench.tools.values()
        for seen in tool.good()
        if all(name in seen.arguments for name in pair)
        for values in [[seen.arguments[name] for name in pair]]
    }
    return [found[key] for key in sorted(found)]
