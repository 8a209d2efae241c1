"""Values that nobody gave, or that were only ever refused: success is not told for them, though nothing says why.

Comes from tools with their guards and examples; adds guards that only withhold. Of a tool whose effect is not understood success is told
with values that were given. Of others a call that was refused and never taken, though no guard says why, is not said to succeed. Where such
a refusal names two arguments (`ev42 does not take place on 2026-05-19`), every tool that takes both is told to succeed for pairs that some
tool took. Not here: why calls are refused (`guards`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, TypeVar

from environments.runtime.document.tools import GuardPart
from environments.runtime.expr.scope import Tree
from environments.runtime.task.attempt import Json
from environments.runtime.values.normal import stable
from environments.runtime.views.implicit_subject import SUBJECT
from environments.runtime.views.selected_subject import CHOSEN
from environments.runtime.world.notice import NOT_ELSE
from synth.world.actions.effects import rescoped
from synth.world.actions.examples import Example, evaluate, is_broken
from synth.world.grouping import lists_by_key, sets_by_key
from synth.world.model import ToolModel, Workbench, refused
from synth.world.observation import Observation
from synth.world.schema.paired_values import Pair, pairs_named
from synth.world.support import SEEN_TWICE

MAX_LISTED: Final = 400
"""Calls or pairs that the world file lists for a tool."""
MIN_TRIED: Final = SEEN_TWICE
"""Different calls that were refused with a word before nobody is told success with it."""
Value = TypeVar("Value")
APART: Final = "these were never seen together"


def withhold_unseen(bench: Workbench) -> None:
    """A call whose effect is not understood succeeds with the words and numbers that were seen, and any free text."""
    for tool in bench.tools.values():
        understood = (tool.writes and tool.kind != "act") or tool.evidence.get("shows")
        if not tool.innocent and tool.answer is not None and not understood:
            # Whoever is signed in may do what others did, but not in a copy of their own.
            skipped = {CHOSEN} if bench.own_starts else {SUBJECT, CHOSEN}
            tool.guards.extend(_of_given_values(tool.good(), skipped))


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
            tool.guards.extend(_never_done(tool, group))
            tool.guards.extend(_never_together(bench, tool, together))
            tool.guards.extend(_never_taken(tool))


def _of_given_values(good: Sequence[Observation], skipped: set[str]) -> Iterator[GuardPart]:
    """That each argument has a value it had, and two of which one decided the other have values they had together."""
    listed: list[str] = []
    for name in sorted({n for seen in good for n in seen.arguments} - skipped):
        words = _distinct(seen.arguments[name] for seen in good if name in seen.arguments)
        if sum(" " in stable(word) for word in words) * 2 <= len(words):
            tree: Tree = ["among", ["arg", name], words]
            yield GuardPart(holds=tree, says=NOT_ELSE, against=len(good))
            listed.append(name)
    for names in combinations(listed, 2):
        pairs = _distinct([s.arguments.get(name) for name in names] for s in good)
        if _decide_each_other(pairs):
            yield _pairs_guard(names, pairs, len(good))


def _decide_each_other(pairs: Sequence[Sequence[Json]]) -> bool:
    """Whether one of two arguments had a single value wherever the other had one: which decides is not known."""
    for at in (0, 1):
        beside = sets_by_key((stable(pair[at]), stable(pair[1 - at])) for pair in pairs)
        told = {value for values in beside.values() for value in values}
        if len(told) > 1 and any(len(values) == 1 for values in beside.values()):
            return True
    return False


def _never_done(tool: ToolModel, missed: Sequence[Example]) -> Iterator[GuardPart]:
    """That a call is none of those that were refused whenever they were made."""
    taken = {seen.key for seen in tool.good()}
    calls = {e.seen.key: e.seen.arguments for e in missed if e.seen.key not in taken}
    if 0 < len(calls) <= MAX_LISTED:
        yield _is_none_of(
            ["arg"], [calls[key] for key in sorted(calls)], "refused whenever it was made"
        )


def _never_together(bench: Workbench, tool: ToolModel, together: set[Pair]) -> Iterator[GuardPart]:
    """That two arguments which a refusal names have values that some tool took together."""
    for pair in sorted(together):
        if all(name in seen.arguments for seen in tool.good() for name in pair):
            taken = (
                [seen.arguments[name] for name in pair]
                for other in bench.tools.values()
                for seen in other.good()
                if all(name in seen.arguments for name in pair)
            )
            pairs = _distinct(taken)
            if len(pairs) <= MAX_LISTED:
                yield _pairs_guard(pair, pairs, 0)


def _never_taken(tool: ToolModel) -> Iterator[GuardPart]:
    """For each argument that it is none of the words with which no call ever went through, whatever else it asked for."""
    tried: dict[tuple[str, str], set[str]] = defaultdict(set)
    taken: set[tuple[str, str]] = set()
    for seen in tool.observations:
        given = [(n, value) for n, value in seen.arguments.items() if isinstance(value, str)]
        if refused(tool, seen):
            for pair in given:
                tried[pair].add(seen.key)
        else:
            taken.update(given)
    by_name = lists_by_key(
        (name, value)
        for name, value in sorted(tried.keys() - taken)
        if len(tried[name, value]) >= MIN_TRIED
    )
    for name, values in by_name.items():
        if len(values) <= MAX_LISTED:
            yield _is_none_of(["arg", name], values, "refused with whatever else")


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


def _distinct(values: Iterable[Value]) -> list[Value]:
    """Different values in the order of their texts."""
    found = {stable(value): value for value in values}
    return [found[text] for text in sorted(found)]


def _is_none_of(subject: Tree, values: Sequence[Json], says: str) -> GuardPart:
    return GuardPart(holds=["not", ["among", subject, list(values)]], says=says)


def _pairs_guard(names: Iterable[str], pairs: Sequence[Sequence[Json]], against: int) -> GuardPart:
    tree: Tree = ["among", ["list", *(["arg", name] for name in names)], list(pairs)]
    return GuardPart(holds=tree, says=APART, against=against)
